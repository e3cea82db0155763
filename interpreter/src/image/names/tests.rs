//! Names from hand-made debug sections.

use super::*;
use crate::backtrace::debug;
use crate::code::CODE_WORD;
use crate::heap;
use crate::polymorphic::marshal::output::{Flags, marshal};
use crate::testing::{start_machine, string};
use crate::value::Value;

/// The information of an event that marks a function's code, and of another.
const FUNCTION: Value = Value::int(0);
const OTHER: Value = Value::int(1);

/// An event at a word of its unit's code, with what compilers put between the fields that count.
fn event(word: i64, definition: Value, info: Value) -> Value {
    let floats = [heap::alloc_float(1.5), Value::int(-200), Value::int(70000)];
    let position = [string("a.ml"), Value::int(1), Value::int(0), Value::int(1)];
    let position = heap::alloc_fields(0, &position);
    let location = heap::alloc_fields(0, &[position, position, definition]);
    let kind = heap::alloc_fields(0, &floats);
    let offset = Value::int(word * i64::from(CODE_WORD));
    heap::alloc_fields(
        0,
        &[offset, string("A"), location, kind, definition, info, kind],
    )
}

/// A section with one unit of code for each list of events, which begins at a word.
fn section(units: &[(u32, Vec<Value>)]) -> Vec<u8> {
    let data = |value| marshal(value, Flags::from_list(Value::EMPTY_LIST)).expect("marshals");
    let mut section = (units.len() as u32).to_be_bytes().to_vec();
    for (word, events) in units {
        section.extend((word * CODE_WORD).to_be_bytes());
        section.extend(data(heap::alloc_list(events.iter().copied())));
        section.extend(data(Value::EMPTY_LIST));
    }
    section
}

fn entry(position: usize, end: usize) -> Entry {
    Entry {
        position,
        end,
        arity: 1,
    }
}

fn cut(entry: usize, position: usize) -> Cut {
    Cut {
        position,
        entry,
        depth: 0,
        trap: None,
        piece: None,
    }
}

#[test]
fn functions_and_pieces_are_called_after_their_definitions() {
    start_machine();
    let (f, g) = (string("A.f"), string("B.g.(fun)"));
    let section = section(&[
        (100, vec![event(7, g, FUNCTION), event(2, g, OTHER)]),
        // A function's own code may begin behind an event; strings are shared.
        (
            0,
            vec![
                event(11, string("A.f.inner"), OTHER),
                event(13, f, FUNCTION),
                event(15, f, OTHER),
                event(3, string("A"), OTHER),
                event(2, string("A.early"), OTHER),
                event(30, string("??"), FUNCTION),
                event(55, string("A.last"), OTHER),
            ],
        ),
    ]);
    let entries = [entry(0, 200), entry(10, 20), entry(30, 40), entry(107, 110)];
    let names = Names::new(&debug::units(&section), &entries);
    let functions = [10, 30, 107].map(|position| names.of_function(position));
    assert_eq!(functions, ["A.f", "code+30", "B.g.(fun)"]);
    assert_eq!(names.of_partial(10), "A.f.partial");
    assert_eq!(names.of_piece(&cut(10, 18), 20), "A.f+8");
    // The initialiser goes on behind functions.
    assert_eq!(names.of_piece(&cut(0, 2), 20), "A+2");
    assert_eq!(names.of_piece(&cut(0, 8), 60), "A.last+8");
    assert_eq!(names.of_piece(&cut(0, 8), 50), "code+8");
    assert_eq!(names.of_piece(&cut(30, 35), 38), "code+35");
}

#[test]
fn names_are_short_text() {
    start_machine();
    let long = "é".repeat(MAX_NAME);
    let list = vec![
        event(1, string(&long), FUNCTION),
        event(2, string("a\nb"), FUNCTION),
    ];
    let section = section(&[(0, list)]);
    let entries = [entry(1, 2), entry(2, 3)];
    let names = Names::new(&debug::units(&section), &entries);
    let name = names.of_piece(&cut(1, usize::MAX), 1);
    assert!(name.len() <= MAX_NAME && name.starts_with("ééé") && name.ends_with("614"));
    assert_eq!(names.of_function(2), "a_b");
}

/// Sections that are cut or changed anywhere give some names, and never a panic.
#[test]
fn malformed_sections_give_what_can_be_read() {
    start_machine();
    let name = string("A.f");
    let events = vec![event(1, name, FUNCTION), event(3, name, OTHER)];
    let valid = section(&[(0, events.clone()), (8, events)]);
    let entries = [entry(1, 8), entry(9, 16)];
    let named = |section: &[u8]| {
        let names = Names::new(&debug::units(section), &entries);
        let is_known = |entry: &&Entry| names.of_function(entry.position) == "A.f";
        entries.iter().filter(is_known).count()
    };
    assert_eq!(named(&valid), 2);
    let by_length: Vec<usize> = (0..valid.len()).map(|len| named(&valid[..len])).collect();
    assert!(by_length.is_sorted() && by_length.contains(&1));
    let mut random = fastrand::Rng::with_seed(9);
    for _ in 0..10_000 {
        let mut changed = valid.clone();
        for _ in 0..1 + random.usize(..3) {
            changed[random.usize(..valid.len())] = random.u8(..);
        }
        named(&changed);
    }
}
