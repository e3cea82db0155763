//! Links: a function is the same wherever they lead, as long as what is there is the same.

use super::*;

/// Three requests. The code of the first has a link to the second's and one to the third's; it
/// reports a word of each, and whether both are the same, and calls the second.
const LINKED: &str = r#"(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "lockstep.event" (func $event (param i32 i32 i32 i64)))
  (import "env" "report" (func $report (param i64)))
  (memory 3)
  (@requests 0x100
    (region 0x1000 0x800)
    (request 1 (slot 0x1000) (code 0x1000 0x10) (const 7) recursive)
    (request 1 (slot {second}) (code {second} 0x10) (const 7) recursive)
    (request 1 (slot {third}) (code {third} 0x10) (const 7) recursive)
    (links 0x80 2))
  (type $entry (func (param i32) (result i64)))
  (type $generic (func (param i32 i32) (result i64)))
  (table 3 funcref)
  (elem (i32.const 1) $interpret $enter)
  (data (i32.const 0x80) (i32 0x1004 0x1008))
  (data (i32.const 0x1000) (i32 2 {first link} {second link} 0))
  (data (i32.const {second}) (i32 2 0 0 5))
  (data (i32.const {third}) (i32 2 0 0 {word}))
  (func $enter (type $entry) (i64.const 0))
  (func $interpret (type $generic)
    (call $position (local.get 0))
    (if (i32.eqz (i32.load offset=4 (local.get 0))) (then (return (i64.const 1))))
    (call $report (i64.load32_u offset=12 (i32.load offset=4 (local.get 0))))
    (call $report (i64.load32_u offset=12 (i32.load offset=8 (local.get 0))))
    (call $report (i64.extend_i32_u (i32.eq
      (i32.load offset=4 (local.get 0)) (i32.load offset=8 (local.get 0)))))
    (call_indirect (type $entry) (local.get 1)
      (i32.load (i32.load offset=4 (local.get 0))))))"#;

/// Which links lead where, and what is there.
#[derive(Clone, Copy)]
struct Place {
    second: &'static str,
    third: &'static str,
    links: [&'static str; 2],
    word: &'static str,
}

const USUAL: Place = Place {
    second: "0x1100",
    third: "0x1200",
    links: ["0x1100", "0x1200"],
    word: "6",
};

fn module(place: &Place) -> Vec<u8> {
    let parts = [
        ("{second}", place.second),
        ("{third}", place.third),
        ("{first link}", place.links[0]),
        ("{second link}", place.links[1]),
        ("{word}", place.word),
    ];
    let fill = |text: String, (name, value): &(&str, &str)| text.replace(name, value);
    let text = parts.iter().fold(LINKED.to_owned(), fill);
    tables::module(&text).expect("the text is that of a module")
}

/// Whether the first request of a program is found in the store of [`USUAL`]. Found or not, the
/// linked module is the one that it is without a store.
fn is_found(place: &Place) -> bool {
    let store = filled(&module(&USUAL));
    let module = module(place);
    let (linked, cached) = specialize(&module, &options(), &store);
    let (fresh, _) = specialize(&module, &options(), &Memory::default());
    assert!(linked == fresh, "the store changes the module");
    cached[0]
}

#[test]
fn code_may_move() {
    assert!(is_found(&USUAL));
    assert!(is_found(&Place {
        second: "0x1300",
        third: "0x1080",
        links: ["0x1300", "0x1080"],
        ..USUAL
    }));
}

#[test]
fn what_is_read_through_a_link_has_to_be_the_same() {
    assert!(!is_found(&Place { word: "7", ..USUAL }));
    assert!(!is_found(&Place {
        links: ["0x1200", "0x1100"],
        ..USUAL
    }));
}

/// Two links to one place are told from links to two places, also where both are alike.
#[test]
fn links_to_one_place_are_not_links_to_two() {
    let alike = Place { word: "5", ..USUAL };
    let one = Place {
        links: ["0x1100", "0x1100"],
        ..alike
    };
    let [two, one] = [alike, one].map(|place| module(&place));
    for (first, then) in [(&two, &one), (&one, &two)] {
        let store = filled(first);
        assert!(!specialize(then, &options(), &store).1[0]);
    }
}

/// The same for a link into the code that has it.
#[test]
fn a_link_into_the_own_code_is_not_one_to_elsewhere() {
    let store = filled(&module(&USUAL));
    let own = module(&Place {
        links: ["0x1100", "0x1000"],
        ..USUAL
    });
    assert!(!specialize(&own, &options(), &store).1[0]);
}

#[test]
fn links_that_are_none_are_refused() {
    let stored = entry(&module(&USUAL)).1;
    assert_eq!(stored.links.len(), 2);
    assert_eq!(check(&module(&USUAL), &options(), &stored), Ok(()));
    let forged = |link: Symbol| {
        let mut stored = stored.clone();
        stored.links[1] = link;
        check(&module(&USUAL), &options(), &stored)
    };
    let Symbol { base, offset } = stored.links[1];
    let others = [
        Symbol {
            base,
            offset: offset + 4,
        },
        Symbol {
            base,
            offset: offset - 4,
        },
        Symbol {
            base: Base(9),
            offset,
        },
    ];
    for other in others {
        assert_eq!(forged(other), Err(Misfit::Links));
    }
}
