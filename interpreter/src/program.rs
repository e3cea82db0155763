//! A bytecode executable becomes a loaded program: parsed, verified and laid out, its primitives
//! bound, its functions requested; then a heap and a stack for it.
//!
//! This module knows all floors, so it hands the lower ones the functions of upper ones that they
//! call (`HOOKS`).

mod calls;
mod facts;

use crate::allocator;
use crate::backtrace::{debug, definitions, events};
use crate::code::{self, ImageError, fragments};
use crate::evaluation::{self, BACTRIAN_EVALUATION, Piece};
use crate::heap::{self, Hooks};
use crate::image::hints::{self, CodePointers, Found};
use crate::image::messages::Message;
use crate::image::names::Names;
use crate::image::numbers::Numbers;
use crate::image::parse::{self, Executable};
use crate::image::pieces::Plan;
use crate::image::reach::{self, Reached};
use crate::image::references::{self, BACTRIAN_KEEP_REFERENCES};
use crate::image::verify::{self, Limits, Verified};
use crate::image::{
    bind, callees, cells, constants, elements, layout, literals, lives, messages, missing, pieces,
    quiet, sections,
};
use crate::interp::requests::{self, Lists};
use crate::interp::{self, entries};
use crate::memory;
use crate::os;
use crate::polymorphic::marshal;
use crate::primitives;
use crate::primitives::backtrace::WANT_POSITIONS;
use crate::registry::{Effect, Primitive, shortcut};
use crate::stack;
#[cfg(target_family = "wasm")]
use crate::stubs;
use crate::threads;
use crate::value::{Value, WORD, boxed, header};
use crate::vm::{NO_LOOP_POLLS, vm};
use calls::Calls;
use core::ops::Range;
use core::sync::atomic::Ordering::Relaxed;
use facts::{Gives, Known, box_kind, name_of, payload, primitive, string_words};

/// What the collector calls when it runs finalisers and handlers of signals, and takes samples.
pub const HOOKS: Hooks = Hooks {
    apply: interp::apply,
    callstack: primitives::backtrace::current,
    signals: primitives::signals::deliver,
};

/// Room for globals is a multiple of this, so that most programs have their code at the same
/// address.
const GLOBALS_ROOM: usize = 1 << 14;

/// The same for programs that load code: all the globals that they can ever have, as the block
/// cannot move.
const GROWING_GLOBALS_ROOM: usize = 1 << 20;

/// Loads a bytecode executable into this machine, which has loaded nothing before.
pub fn load(file: &[u8]) -> Result<(), ImageError> {
    lay_out(file)?;
    prepare()
}

/// Bytes of memory that what [`lay_out`] leaves takes at most.
pub fn lasting_size(file: &[u8]) -> usize {
    /// Lists of what there is, and what the allocators do not use.
    const MARGIN: usize = 1 << 20;
    parse::lasting_size(file) + (GLOBALS_ROOM + GROWING_GLOBALS_ROOM) * WORD as usize + MARGIN
}

/// Puts an executable's code and data into memory. What it makes of the program's constants are
/// image blocks.
pub fn lay_out(file: &[u8]) -> Result<(), ImageError> {
    let Program {
        executable,
        linked,
        numbers,
        units,
        calls,
        bound,
        reached,
        rewritten,
        verified,
    } = Program::read(file)?;
    let code = rewritten.as_ref().unwrap_or(&executable.code);
    let messages = messages::find(code, &verified.entries);
    let has_objects = !messages.is_empty();
    let mut plan = pieces::plan(code, &verified, pieces::longest(), has_objects);
    let cells = cells::reserve(2 * verified.entries.len() + plan.cuts.len());
    let cells = cells.ok_or(ImageError::OutOfMemory)?;
    let globals = make_globals(numbers.global_count(), globals_room(&calls))?;
    sections::keep(&executable, calls.any(&["caml_get_section_table"]));
    let named = bind::called(&executable);
    if let Some(report) = missing::report(&executable, &named) {
        os::write_all(2, report.as_bytes());
    }
    let (start, mut links) = load_code(code, &verified)?;
    plan.keep(&reached.positions(&verified));
    cut(&plan, start);
    note_watchers(&calls);
    silence_polls(code, start, &bound);
    let names = Names::new(&units, &verified.entries);
    events::register(units);
    load_data(&executable, globals, linked, &numbers)?;
    let gives = Gives::new(&bound, globals, &calls);
    let found = hints::find(code, &verified.entries, calls.code_pointers(), &gives);
    note_leaves(code, start, &verified, &bound, &found);
    let (hints, candidates) = note_callees(&messages, start, &found)?;
    links.extend(hints);
    links.sort_unstable();
    note_kinds(code, start, globals, &bound);
    if !calls.loads_code() {
        bind::forget(&named);
    }
    stack::note_raisable(calls.any(&["caml_gc_set"]));
    let lists = Lists {
        names: &names,
        links: &links,
        candidates,
        cells,
    };
    requests::publish(start, &plan, &found, &lists)
}

/// An executable with its primitives bound and its code verified, numbered as it will be laid out.
struct Program<'a> {
    executable: Executable<'a>,
    /// How many globals OCaml's linker has numbered.
    linked: usize,
    numbers: Numbers,
    units: Vec<debug::Unit<'a>>,
    calls: Calls,
    bound: Vec<Option<&'static Primitive>>,
    reached: Reached,
    /// The code with references in slots, if it has some that can be there.
    rewritten: Option<Vec<i32>>,
    /// Of that, or else of the executable's code.
    verified: Verified,
}

impl<'a> Program<'a> {
    fn read(file: &'a [u8]) -> Result<Self, ImageError> {
        let mut executable = parse::executable(file)?;
        bind::bind(&executable.primitives, primitives::all())?;
        let bound = bind::withdraw_misfits(&executable);
        let linked = global_count(&executable)?;
        let limits = Limits {
            parameters: 0,
            globals: linked,
            primitives: bound.len(),
            rewritten: false,
            primitive_arity: &|index| bound[index].map(bind::arity),
        };
        let verified = verify::verify(&executable.code, &limits)?;
        fragments::register_program(&executable.code);
        let reached = reach::find(&executable.code, &verified, |index| {
            calls::loads_code(name_of(&bound, index))
        });
        let called = reached.primitives.iter();
        let called = called.map(|&index| name_of(&bound, index));
        called.clone().for_each(lives::note);
        let calls = Calls::new(called);

        let units = debug::units(executable.debug);
        let by_name = || {
            let definitions = definitions::of(&units);
            let numbers = Numbers::by_name(&executable, linked, &definitions);
            numbers.filter(|_| !calls.loads_code())
        };
        let numbers = by_name().unwrap_or_else(|| Numbers::as_linked(linked, bound.len()));
        numbers.apply(&mut executable);
        let all = primitives::of_program(calls.makes_threads() || calls.handles_signals());
        bind::bind(&executable.primitives, all)?;
        let bound = bind::withdraw_misfits(&executable);

        let rewritten = match keeps_references(&calls) {
            true => None,
            false => references::keep_in_slots(&executable.code, &verified),
        };
        let verified = match &rewritten {
            Some(code) => {
                let limits = Limits {
                    globals: numbers.global_count(),
                    primitives: bound.len(),
                    rewritten: true,
                    primitive_arity: &|index| bound[index].map(bind::arity),
                    ..limits
                };
                verify::verify(code, &limits)?
            }
            None => verified,
        };
        // What the program is compiled to relies on that, and need not bring their code along.
        let bound = bind::withdraw(|name| !calls.loads_code() && !calls.any(&[name]));
        Ok(Self {
            executable,
            linked,
            numbers,
            units,
            calls,
            bound,
            reached,
            rewritten,
            verified,
        })
    }
}

/// Whether references stay blocks.
fn keeps_references(calls: &Calls) -> bool {
    // Who takes samples of allocations sees all of them, and so does who counts them.
    BACTRIAN_KEEP_REFERENCES.load(Relaxed) != 0
        || calls.samples_allocations()
        || calls.counts_allocations()
}

fn globals_room(calls: &Calls) -> usize {
    match calls.any(&["caml_realloc_global"]) {
        true => GROWING_GLOBALS_ROOM,
        false => GLOBALS_ROOM,
    }
}

/// Cuts code that was laid out at `start` as planned.
fn cut(plan: &Plan, start: u32) {
    if evaluation::get(&BACTRIAN_EVALUATION.room) > 0 {
        allocator::lasting(|| evaluation::note_pieces(own_pieces(plan, start)));
    }
    layout::cut(plan, start, entries::resume_slot());
}

/// The pieces of the program's own code.
fn own_pieces(plan: &Plan, start: u32) -> Vec<Piece> {
    let own = plan.cuts.iter().filter(|cut| cut.entry == 0);
    let piece = own.filter_map(|cut| {
        let words = cut.piece.clone()?;
        Some(Piece {
            cut: code::address(start, cut.position),
            cells: code::address(start, words.start)..code::address(start, words.end),
        })
    });
    piece.collect()
}

/// Tells the machine what the program can notice.
fn note_watchers(calls: &Calls) {
    threads::note(calls.makes_threads(), calls.handles_signals());
    let stay = calls.code_pointers() == CodePointers::Stay;
    vm().closures_keep_code.set(stay.into());
    vm().keeps_positions.set(calls.any(WANT_POSITIONS).into());
    vm().allocations_poll
        .set(calls.samples_allocations().into());
    vm().allocations_counted
        .set(calls.counts_allocations().into());
}

/// Takes the polls out of loops in which nothing can come to wait, unless something can at any
/// time.
fn silence_polls(code: &[i32], start: u32, bound: &[Option<&Primitive>]) {
    if vm().loops_poll.get() != NO_LOOP_POLLS {
        return;
    }
    let is_quiet = |index| primitive(bound, index).is_some_and(is_quiet);
    for poll in quiet::polls(code, is_quiet) {
        code::silence(code::address(start, poll));
    }
}

/// Whether calls of a primitive leave nothing for a safepoint to do.
fn is_quiet(primitive: &Primitive) -> bool {
    primitive.effect == Effect::Leaf && !shortcut::allocates(primitive.shortcut())
}

/// Tells the loop which functions call nothing that has to be on the stack.
fn note_leaves(
    code: &[i32],
    start: u32,
    verified: &Verified,
    bound: &[Option<&Primitive>],
    found: &Found,
) {
    let returns = |index| primitive(bound, index).is_some_and(returns);
    for leaf in quiet::leaves(code, &verified.entries, returns, found.certain_callee()) {
        code::note_leaf(code::address(start, leaf.position));
    }
}

/// Whether calls of a primitive run no OCaml code and need no collection.
fn returns(primitive: &Primitive) -> bool {
    matches!(primitive.effect, Effect::Leaf | Effect::Allocates)
}

/// Tells calls what they call, as far as that is found; where that is written, and where candidates
/// are.
fn note_callees(
    messages: &[Message],
    start: u32,
    found: &Found,
) -> Result<(Vec<u32>, Range<u32>), ImageError> {
    let messages = match evaluation::get(&BACTRIAN_EVALUATION.room) {
        0 => &[],
        _ => messages,
    };
    callees::note(found, messages, start)
}

/// Tells the loop which instructions of the program, laid out at `start`, give boxes, of which kind
/// elements of bigarrays are, and how long the literals that strings are compared with.
fn note_kinds(code: &[i32], start: u32, globals: Value, bound: &[Option<&Primitive>]) {
    let known = Known::new(bound);
    let boxes = constants::find(code, |global| box_kind(globals, global));
    for &(constant, kind) in &boxes {
        code::note_constant_box(code::address(start, constant), kind);
        let global = code[constant + 1] as usize;
        let place = vm().payloads.get() + global as u32 * WORD;
        memory::store_i64(place, payload(globals.field(global), kind));
    }
    let floats = boxes.iter().filter(|(_, kind)| *kind == boxed::FLOAT);
    let floats: Vec<usize> = floats.map(|&(constant, _)| constant).collect();
    for (access, kind) in elements::find(code, &known, &floats) {
        code::note_kind(code::address(start, access), kind);
    }
    for (end, kind) in elements::ends(code, &known) {
        if let Some(kind) = kind.boxed() {
            code::note_known_number(code::address(start, end), kind);
        }
    }
    let strings = constants::find(code, |global| string_words(globals, global));
    let strings = strings.into_iter().collect();
    for (call, words) in literals::compared(code, &strings, |index| known.compares_strings(index)) {
        code::note_literal(code::address(start, call), words);
    }
}

/// Makes the heap and the stack of a program that has been laid out: nothing that is not zero comes
/// after the nursery.
pub fn prepare() -> Result<(), ImageError> {
    allocator::borrow_from(heap::carve);
    allocator::reserve();
    heap::end_image(&HOOKS);
    keep_room()?;
    heap::make_spaces();
    #[cfg(target_family = "wasm")]
    stubs::start();
    stack::make().ok_or(ImageError::OutOfMemory)
}

/// Keeps memory free behind the image if the program is to be evaluated: what that makes should be
/// close to what else is not zero.
fn keep_room() -> Result<(), ImageError> {
    let bytes = evaluation::get(&BACTRIAN_EVALUATION.room);
    if bytes > 0 {
        let start = memory::grow(bytes as usize).ok_or(ImageError::OutOfMemory)?;
        evaluation::set_room(start..start + bytes);
    }
    Ok(())
}

/// Makes the globals block, whose address depends on nothing but its size, as that of the payloads
/// behind it; all fields are unit.
fn make_globals(count: usize, room: usize) -> Result<Value, ImageError> {
    let words = (count + 1).next_multiple_of(room);
    vm().globals_room.set(words - 1);
    let of_payloads = (count + 1).next_multiple_of(GLOBALS_ROOM);
    let bytes = (words + of_payloads) * WORD as usize;
    let start = memory::grow(bytes).ok_or(ImageError::OutOfMemory)?;
    vm().payloads.set(start + words as u32 * WORD);
    let globals = Value::block(start + WORD);
    globals.set_header(header(count, 0));
    for index in 0..count {
        globals.init_field(index, Value::UNIT);
    }
    vm().globals.set(globals);
    Ok(globals)
}

fn load_code(code: &[i32], verified: &Verified) -> Result<(u32, Vec<u32>), ImageError> {
    let bytes = code.len() * code::CELL as usize;
    let start = memory::grow(bytes).ok_or(ImageError::OutOfMemory)?;
    let links = layout::lay_out(code, verified, start, interp::generic_slots());
    vm().code_start.set(start);
    vm().code_end.set(start + bytes as u32);
    Ok((start, links))
}

/// Reads the initial values of the globals: image blocks, as the heap is not initialised yet.
fn load_data(
    executable: &Executable,
    globals: Value,
    linked: usize,
    numbers: &Numbers,
) -> Result<(), ImageError> {
    let data = marshal::unmarshal(executable.data)
        .map_err(|problem| data_error(executable, &format!("{problem:?}")))?;
    if data.is_int() || data.wosize() != linked {
        return Err(data_error(executable, "not a block of globals"));
    }
    for index in 0..linked {
        globals.init_field(numbers.global(index), data.field(index));
    }
    Ok(())
}

/// The size of the block in the DATA section, from the marshalled header.
fn global_count(executable: &Executable) -> Result<usize, ImageError> {
    const HEADER: usize = 20;
    const BLOCK_32: u8 = 0x08;
    const SMALL_BLOCK: u8 = 0x80;
    let body = executable.data.get(HEADER..).unwrap_or(&[]);
    match body {
        [BLOCK_32, header @ ..] if header.len() >= 4 => {
            let header = u32::from_be_bytes([header[0], header[1], header[2], header[3]]);
            Ok((header >> 10) as usize)
        }
        [first, ..] if *first >= SMALL_BLOCK => Ok(usize::from(first >> 4 & 7)),
        _ => Err(data_error(executable, "not a block of globals")),
    }
}

fn data_error(executable: &Executable, problem: &str) -> ImageError {
    ImageError::Data {
        offset: executable.data_offset,
        problem: problem.to_owned(),
    }
}
