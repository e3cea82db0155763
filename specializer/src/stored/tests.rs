//! Stored residual functions that are damaged, forged, or of another program: each is a miss.

mod links;
mod many;
mod memory;

use std::collections::BTreeMap;
use std::sync::Mutex;

use proptest::option;
use proptest::prelude::*;

use super::check::Misfit;
use super::*;
use crate::eval::Inlining;
use crate::image::{Image, Location, Seen};
use crate::ir::{Base, Func, Given, Numbers, Parameter, Sig, Symbol};
use crate::lower::{OPERAND, RelocationKind};
use crate::module::Module;
use crate::op::Intrinsic;
use crate::request::Requests;
use crate::{Observer, Options, Outcome, Store};

/// Two requests for `$interpret`, whose code says how far away the slot is that it calls. It reads
/// constants through its code pointer and at fixed addresses, and uses each kind of relocation. The
/// requests say that it calls itself, so that calls stay calls.
const MODULE: &str = r#"(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "lockstep.event" (func $event (param i32 i32 i32 i64)))
  (import "env" "report" (func $report (param i64)))
  (memory 3)
  (@requests 0x100
    (region 0x1000 0x400)
    (region {constants} 0x10)
    (request 1 (slot 0x1000) (code 0x1000 0x20) (const 7) recursive)
    (request 1 (slot {second}) (code {second} 0x20) (const 7) recursive))
  (type $entry (func (param i32) (result i64)))
  (type $long (func (param i64) (result i64)))
  (type $generic (func (param i32 i32) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret $enter $enter_long)
  (data (i32.const 0x1000) (i32 2 0) (i32 {distance}) (i8 1 2 3 4))
  (data (i32.const {second}) (i32 {callee} 0) (i32 0x100) (i8 5 6 7 8))
  (data (i32.const 0x2000) "\01\02\03\04\05\06\07\08")
  (func $enter (type $entry) (i64.const 0))
  (func $enter_long (type $long) (i64.const 0))
  (func $interpret (type $generic)
    (call $position (local.get 0))
    (call $event (i32.const 1) (local.get 0) (i32.const 3) (i64.const 4))
    (call $report (i64.extend_i32_u (local.get 0)))
    (call $report (i64.load (i32.add (local.get 0) (i32.const 12))))
    (call $report (i64.load8_u (i32.const 0x2000)))
    (call $report (i64.load (i32.const 0x2000)))
    (call_indirect (type $entry) (local.get 1)
      (i32.load (i32.add (local.get 0) (i32.load (i32.add (local.get 0) (i32.const 8))))))))"#;

const PARTS: &[(&str, &str)] = &[
    ("{constants}", "0x2000"),
    ("{second}", "0x1100"),
    ("{distance}", "0x100"),
    ("{callee}", "2"),
];

fn assemble(text: &str) -> Vec<u8> {
    let fill = |text: String, (name, value): &(&str, &str)| text.replace(name, value);
    let text = PARTS.iter().fold(text.to_owned(), fill);
    tables::module(&text).expect("the text is that of a module")
}

/// The module with some of its parts replaced.
fn changed(parts: &[(&str, &str)]) -> Vec<u8> {
    let change = |text: String, (from, to): &(&str, &str)| {
        assert!(text.contains(from), "{from} is in the module");
        text.replace(from, to)
    };
    assemble(&parts.iter().fold(MODULE.to_owned(), change))
}

struct Silent;

impl Observer for Silent {
    fn stage(&self, _: &'static str) {}
    fn progress(&self, _: usize, _: usize) {}
}

/// A store in memory.
#[derive(Default)]
struct Memory(Mutex<BTreeMap<[u8; 32], Vec<Vec<u8>>>>);

impl Store for Memory {
    fn candidates(&self, key: &[u8; 32]) -> Vec<Vec<u8>> {
        let blobs = self.0.lock().expect("no test panics with it");
        blobs.get(key).cloned().unwrap_or_default()
    }

    fn insert(&self, key: &[u8; 32], blob: &[u8]) {
        let mut blobs = self.0.lock().expect("no test panics with it");
        let known = blobs.entry(*key).or_default();
        if !known.iter().any(|known| known == blob) {
            known.push(blob.to_vec());
        }
    }
}

fn options() -> Options {
    Options {
        lockstep_events: true,
        verify: true,
        ..Options::default()
    }
}

/// The linked module, and for each request whether the store had it.
fn specialize(module: &[u8], options: &Options, store: &Memory) -> (Vec<u8>, Vec<bool>) {
    let output = crate::specialize(module, options, Some(store), &Silent).expect("it specializes");
    wasmparser::validate(&output.module).expect("the linked module is valid");
    let requests = output.report.requests.iter();
    let cached = requests.map(|request| match &request.outcome {
        Outcome::Specialized { cached, .. } => *cached,
        Outcome::Declined(declined) => panic!("{declined}"),
    });
    (output.module, cached.collect())
}

/// A store in which the first module's results are.
fn filled(module: &[u8]) -> Memory {
    let store = Memory::default();
    specialize(module, &options(), &store);
    store
}

/// The first request's entry: its key, and what is stored.
fn entry(module: &[u8]) -> ([u8; 32], Stored) {
    let parsed = Module::parse(module).expect("a module");
    let requests = Requests::read(&parsed).expect("requests");
    let image = Image::new(&parsed, &requests);
    let key = crate::key::GenericKey::new(&parsed, &options(), &Inlining::for_program(0)).request(
        0,
        &requests.requests[0],
        &image,
    );
    let blobs = filled(module).candidates(&key);
    let stored = Stored::decode(&key, &blobs[0]).expect("it was just written");
    (key, stored)
}

fn check(module: &[u8], options: &Options, stored: &Stored) -> Result<(), Misfit> {
    let module = Module::parse(module).expect("a module");
    let requests = Requests::read(&module).expect("requests");
    let image = Image::new(&module, &requests);
    let around = check::Surroundings {
        module: &module,
        image: &image,
        kept: options.kept(),
    };
    check::run(&around, &requests.requests[0], stored)
}

/// Changes what is stored. It is then refused, and specializing with it gives the same module as
/// without a store.
fn refused(change: impl FnOnce(&mut Stored)) -> Misfit {
    let module = assemble(MODULE);
    let (key, mut stored) = entry(&module);
    let store = Memory::default();
    store.insert(&key, &stored.encode(&key));
    assert!(specialize(&module, &options(), &store).1[0], "it is a hit");
    change(&mut stored);
    let store = Memory::default();
    store.insert(&key, &stored.encode(&key));
    let (linked, cached) = specialize(&module, &options(), &store);
    assert!(!cached[0], "it is a miss");
    assert_eq!(
        linked,
        specialize(&module, &options(), &Memory::default()).0
    );
    check(&module, &options(), &stored).expect_err("it is refused")
}

fn relocation(stored: &mut Stored, meant: fn(RelocationKind) -> bool) -> &mut Relocation {
    let mut relocations = stored.lowered.relocations.iter_mut();
    relocations
        .find(|relocation| meant(relocation.kind))
        .expect("the function uses every kind")
}

fn is_address(kind: RelocationKind) -> bool {
    matches!(kind, RelocationKind::SymbolAddress(_))
}

fn is_slot(kind: RelocationKind) -> bool {
    matches!(kind, RelocationKind::CallSlot { .. })
}

fn is_function(kind: RelocationKind) -> bool {
    matches!(kind, RelocationKind::CallFunction(_))
}

fn is_intrinsic(kind: RelocationKind) -> bool {
    matches!(kind, RelocationKind::CallIntrinsic(_))
}

const NOWHERE: Symbol = Symbol {
    base: Base(0),
    offset: 0x40,
};

const NO_BASE: Symbol = Symbol {
    base: Base(1),
    offset: 0,
};

#[test]
fn what_was_stored_is_used_and_gives_the_same_module() {
    let module = assemble(MODULE);
    let store = Memory::default();
    let (cold, misses) = specialize(&module, &options(), &store);
    let (warm, hits) = specialize(&module, &options(), &store);
    assert_eq!((misses, hits), (vec![false; 2], vec![true; 2]));
    assert!(cold == warm);
}

#[test]
fn each_flipped_byte_is_a_miss() {
    let (key, stored) = entry(&assemble(MODULE));
    let blob = stored.encode(&key);
    assert_eq!(Stored::decode(&key, &blob), Some(stored));
    for at in 0..blob.len() {
        let mut flipped = blob.clone();
        flipped[at] ^= 0x55;
        assert_eq!(Stored::decode(&key, &flipped), None, "byte {at}");
    }
}

#[test]
fn each_truncation_is_a_miss() {
    let (key, stored) = entry(&assemble(MODULE));
    let blob = stored.encode(&key);
    for len in 0..blob.len() {
        assert_eq!(Stored::decode(&key, &blob[..len]), None, "{len} bytes");
    }
    assert_eq!(Stored::decode(&key, &[&blob[..], &[0]].concat()), None);
}

#[test]
fn an_entry_under_another_key_is_a_miss() {
    let (key, stored) = entry(&assemble(MODULE));
    let mut other = key;
    other[31] ^= 1;
    assert_eq!(Stored::decode(&other, &stored.encode(&key)), None);
}

/// Forged entries, whose digests are right: whatever byte is changed, the linked module is valid.
#[test]
fn forged_entries_do_not_panic() {
    let module = assemble(MODULE);
    let (key, stored) = entry(&module);
    let blob = stored.encode(&key);
    for at in 32..blob.len() {
        for flip in [0x01, 0x10, 0x80, 0xff] {
            let store = Memory::default();
            store.insert(&key, &forged(&key, &blob, at, flip));
            specialize(&module, &options(), &store);
        }
    }
}

/// The blob with a changed byte and a right digest.
fn forged(key: &[u8; 32], blob: &[u8], at: usize, flip: u8) -> Vec<u8> {
    let mut rest = blob[32..].to_vec();
    rest[at - 32] ^= flip;
    sealed(key, &rest)
}

#[test]
fn relocations_cover_operands_of_their_kind() {
    let end = entry(&assemble(MODULE)).1.lowered.body.len() as u32;
    for offset in [0, end - 4, end - 1, end, u32::MAX - 2, u32::MAX] {
        let misfit = refused(|stored| {
            let last = stored.lowered.relocations.last_mut();
            last.expect("there are relocations").offset = offset;
        });
        assert_eq!(misfit, Misfit::Relocation(offset));
    }
    for (from, to) in [
        (is_address as fn(_) -> _, is_slot as fn(_) -> _),
        (is_slot, is_address),
    ] {
        let misfit = refused(|stored| {
            let kind = relocation(stored, to).kind;
            relocation(stored, from).kind = kind;
        });
        assert!(matches!(misfit, Misfit::Relocation(_)), "{misfit}");
    }
}

#[test]
fn relocations_do_not_overlap() {
    for distance in 0..OPERAND as u32 {
        let misfit = refused(|stored| {
            let first = stored.lowered.relocations[0];
            let offset = first.offset + distance;
            stored
                .lowered
                .relocations
                .insert(1, Relocation { offset, ..first });
        });
        assert!(matches!(misfit, Misfit::Relocation(_)), "{misfit}");
    }
    let misfit = refused(|stored| stored.lowered.relocations.reverse());
    assert!(matches!(misfit, Misfit::Relocation(_)), "{misfit}");
}

#[test]
fn calls_without_a_relocation_are_refused() {
    let misfit = refused(|stored| {
        let mut relocations = stored.lowered.relocations.iter();
        let call = relocations.position(|relocation| is_function(relocation.kind));
        stored
            .lowered
            .relocations
            .remove(call.expect("it calls a function"));
    });
    assert!(matches!(misfit, Misfit::Instruction(_)), "{misfit}");
}

#[test]
fn symbols_have_bases() {
    let address = refused(|stored| {
        relocation(stored, is_address).kind = RelocationKind::SymbolAddress(NO_BASE);
    });
    let slot = refused(|stored| {
        relocation(stored, is_slot).kind = call(NO_BASE);
    });
    let read = refused(|stored| {
        stored
            .log
            .insert((Location::Relative(NO_BASE), 4), Seen::Variable);
    });
    assert_eq!(
        [address, slot, read],
        [(); 3].map(|()| Misfit::Base(NO_BASE))
    );
}

#[test]
fn slots_and_functions_exist() {
    let misfit = refused(|stored| {
        relocation(stored, is_slot).kind = call(NOWHERE);
    });
    assert_eq!(misfit, Misfit::Slot(NOWHERE));
    // Functions 0 and 1 are intrinsics, 3 to 5 the module's own.
    for func in [Func(0), Func(1), Func(6), Func(u32::MAX)] {
        let misfit = refused(|stored| {
            relocation(stored, is_function).kind = RelocationKind::CallFunction(func);
        });
        assert_eq!(misfit, Misfit::Function(func));
    }
}

#[test]
fn intrinsics_are_kept() {
    for &intrinsic in Intrinsic::ALL {
        if intrinsic == Intrinsic::LockstepEvent {
            continue;
        }
        let misfit = refused(|stored| {
            relocation(stored, is_intrinsic).kind = RelocationKind::CallIntrinsic(intrinsic);
        });
        assert_eq!(misfit, Misfit::Intrinsic(intrinsic));
    }
    let module = assemble(MODULE);
    let (_, stored) = entry(&module);
    let event = Misfit::Intrinsic(Intrinsic::LockstepEvent);
    assert_eq!(check(&module, &Options::default(), &stored), Err(event));
}

#[test]
fn bodies_are_valid() {
    let misfit = refused(|stored| {
        relocation(stored, is_function).kind = RelocationKind::CallFunction(Func(3));
    });
    assert!(matches!(misfit, Misfit::Invalid(_)), "{misfit}");
    let misfit = refused(|stored| stored.lowered.body.push(0x0b));
    assert!(matches!(misfit, Misfit::Invalid(_)), "{misfit}");
    let misfit = refused(|stored| {
        stored.lowered = Lowered::default();
    });
    assert!(matches!(misfit, Misfit::Invalid(_)), "{misfit}");
    // A reference to function 3, which linking would not renumber.
    let misfit = refused(|stored| {
        stored.lowered.relocations.clear();
        stored.lowered.body = vec![0, 0xd2, 3, 0x1a, 0x42, 0, 0x0b];
    });
    assert_eq!(misfit, Misfit::Instruction(1));
}

fn call(slot: Symbol) -> RelocationKind {
    RelocationKind::CallSlot {
        slot,
        given: None,
        numbers: Numbers::Boxed,
    }
}

fn given() -> impl Strategy<Value = Given> {
    (any::<u32>(), symbols()).prop_map(|(param, word)| Given {
        param: Parameter(param),
        word,
    })
}

fn numbers() -> impl Strategy<Value = Numbers> {
    prop_oneof![Just(Numbers::Boxed), Just(Numbers::Bare)]
}

fn symbols() -> impl Strategy<Value = Symbol> {
    (any::<u32>(), any::<i32>()).prop_map(|(base, offset)| Symbol {
        base: Base(base),
        offset,
    })
}

fn locations() -> impl Strategy<Value = Location> {
    prop_oneof![
        any::<u32>().prop_map(Location::Absolute),
        symbols().prop_map(Location::Relative),
    ]
}

fn seen() -> impl Strategy<Value = Seen> {
    prop_oneof![
        any::<u64>().prop_map(Seen::Bytes),
        any::<u32>().prop_map(|sig| Seen::Slot(Sig(sig))),
        symbols().prop_map(Seen::Link),
        Just(Seen::Variable),
    ]
}

fn relocations() -> impl Strategy<Value = Relocation> {
    let kind = prop_oneof![
        symbols().prop_map(RelocationKind::SymbolAddress),
        (symbols(), option::of(given()), numbers()).prop_map(|(slot, given, numbers)| {
            RelocationKind::CallSlot {
                slot,
                given,
                numbers,
            }
        }),
        any::<u32>().prop_map(|func| RelocationKind::CallFunction(Func(func))),
        proptest::sample::select(Intrinsic::ALL).prop_map(RelocationKind::CallIntrinsic),
    ];
    (any::<u32>(), kind).prop_map(|(offset, kind)| Relocation { offset, kind })
}

proptest! {
    #[test]
    fn stored_functions_are_read_as_they_were_written(
        log in proptest::collection::btree_map((locations(), any::<u32>()), seen(), 0..20),
        links in proptest::collection::vec(symbols(), 0..20),
        relocations in proptest::collection::vec(relocations(), 0..20),
        body in proptest::collection::vec(any::<u8>(), 0..200),
        (contexts, unknown_positions, nodes) in any::<(u32, u32, u32)>(),
        key in any::<[u8; 32]>(),
    ) {
        let lowered = Lowered { body, relocations };
        let stored = Stored { log, links, lowered, contexts, unknown_positions, nodes };
        prop_assert_eq!(Stored::decode(&key, &stored.encode(&key)), Some(stored));
    }

    /// Whatever bytes follow a right digest, reading and checking them does not panic.
    #[test]
    fn any_bytes_are_no_panic(rest in proptest::collection::vec(any::<u8>(), 0..100)) {
        let key = [7; 32];
        let blob = sealed(&key, &rest);
        if let Some(stored) = Stored::decode(&key, &blob) {
            let _ = check(&assemble(MODULE), &options(), &stored);
        }
    }
}

#[test]
fn memory_is_as_it_was_read() {
    let place = Location::Relative(Symbol {
        base: Base(0),
        offset: 0,
    });
    let misfit = refused(|stored| {
        stored.log.insert((place, 1), Seen::Bytes(0x100));
    });
    assert_eq!(misfit, Misfit::Memory(place));
}

#[test]
fn what_is_too_much_for_engines_is_declined() {
    assert_eq!(Declined::from(Excess::Length(7)), Declined::Length(7));
    assert_eq!(Declined::from(Excess::Locals(7)), Declined::Locals(7));
}
