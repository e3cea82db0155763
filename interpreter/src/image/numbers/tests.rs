//! Executables with the same globals and primitives under other numbers.

use super::super::assemble::{self, assemble};
use super::super::parse;
use super::*;
use crate::polymorphic::marshal::output::{Flags, marshal};
use crate::primitives::testing::{start_machine, string};
use crate::value::Value;
use crate::{custom, heap};

fn marshalled(value: Value) -> Vec<u8> {
    marshal(value, Flags::default()).expect("it can be marshalled")
}

/// A map as OCaml's linker keeps it: a chain to the right.
fn symbols(modules: &[(&str, i64)]) -> Vec<u8> {
    let mut map = Value::int(0);
    for &(name, number) in modules {
        let key = heap::alloc_fields(2, &[string(name)]);
        let node = [Value::int(0), key, Value::int(number), map, Value::int(1)];
        map = heap::alloc_fields(0, &node);
    }
    marshalled(heap::alloc_fields(0, &[Value::int(99), map]))
}

/// An executable whose globals are the predefined exceptions, then these; the code reads the first
/// of these and calls the primitive with the number 1.
fn file(globals: &[Value], modules: &[(&str, i64)], primitives: &str) -> Vec<u8> {
    let predefined = (0..PREDEFINED as i64).map(Value::int);
    let globals: Vec<Value> = predefined.chain(globals.iter().copied()).collect();
    let code: Vec<u8> = assemble("GetGlobal 12; CCall1 1; PushConstInt 12; GetGlobal 3; Stop")
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    let parts = [
        ("CODE", &code[..]),
        ("PRIM", primitives.as_bytes()),
        ("DATA", &marshalled(heap::alloc_fields(0, &globals))),
        ("SYMB", &symbols(modules)),
    ];
    assemble::sections(&parts)
}

/// The executable with numbers by name, and these.
fn renumbered<'a>(file: &'a [u8], globals: usize) -> (Executable<'a>, Numbers) {
    let mut executable = parse::executable(file).expect("well-formed");
    let numbers = Numbers::by_name(&executable, PREDEFINED + globals, &[]);
    let numbers = numbers.expect("it can be read");
    numbers.apply(&mut executable);
    (executable, numbers)
}

#[test]
fn numbers_follow_from_names_and_contents() {
    start_machine();
    let literals = || {
        let pair = heap::alloc_fields(0, &[string("left"), heap::alloc_float(1.5)]);
        let boxed = heap::alloc_fields(1, &[custom::alloc_int64(7), custom::alloc_nativeint(-1)]);
        [pair, boxed, string("text")]
    };
    let [pair, boxed, text] = literals();
    let few = file(
        &[pair, Value::int(0), boxed],
        &[("Camel", 13)],
        "walk\0trot\0",
    );
    let [pair, boxed, _] = literals();
    let more = [text, boxed, Value::int(0), Value::int(0), pair];
    let modules = [("Llama", 14), ("Camel", 15)];
    let more = file(&more, &modules, "run\0trot\0walk\0");
    let (few, few_numbers) = renumbered(&few, 3);
    let (more, more_numbers) = renumbered(&more, 5);
    for (before, after) in [(12, 16), (13, 15), (14, 13)] {
        assert_eq!(few_numbers.global(before), more_numbers.global(after));
    }
    let numbers: Vec<_> = (0..17).map(|linked| more_numbers.global(linked)).collect();
    assert_eq!(numbers[..PREDEFINED], (0..PREDEFINED).collect::<Vec<_>>());
    let mut different = numbers.clone();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), 17);
    assert!(
        numbers
            .iter()
            .all(|&number| number < more_numbers.global_count())
    );

    let number_of = |executable: &Executable, name: &str| {
        let mut all = executable.primitives.iter();
        all.position(|primitive| *primitive == name.as_bytes())
    };
    assert_eq!(number_of(&few, "walk"), number_of(&more, "walk"));
    assert_eq!(few.primitives.len(), MAX_PRIMITIVES);
    let code = format!(
        "GetGlobal {}; CCall1 {}; PushConstInt 12; GetGlobal 3; Stop",
        few_numbers.global(12),
        number_of(&few, "trot").expect("it has a number")
    );
    assert_eq!(few.code, assemble(&code));
}

#[test]
fn what_cannot_be_read_keeps_its_numbers() {
    start_machine();
    let file = file(&[string("text")], &[], "walk\0trot\0");
    let readable = parse::executable(&file).expect("well-formed");
    let refuses = |executable: &Executable, globals| {
        Numbers::by_name(executable, PREDEFINED + globals, &[]).is_none()
    };
    assert!(!refuses(&readable, 1));
    assert!(refuses(&readable, 2), "there are fewer globals");
    let mut garbled = parse::executable(&file).expect("well-formed");
    garbled.code.push(-1);
    assert!(refuses(&garbled, 1), "there is no such instruction");
    let mut crowded = parse::executable(&file).expect("well-formed");
    crowded.primitives = vec![b"walk"; MAX_PRIMITIVES / 2 + 1];
    assert!(refuses(&crowded, 1), "there are too many primitives");

    let numbers = Numbers::as_linked(13, 2);
    let mut same = parse::executable(&file).expect("well-formed");
    numbers.apply(&mut same);
    assert_eq!(same.code, readable.code);
    assert_eq!(same.primitives, readable.primitives);
}

/// Two texts that are equal keep their numbers apart by the definitions that name them.
#[test]
fn equal_literals_are_told_apart_by_definitions() {
    start_machine();
    let numbers = |texts: &[&str], names: &[&str]| {
        let globals: Vec<Value> = texts.iter().copied().map(string).collect();
        let loads = (0..texts.len()).map(|index| format!("GetGlobal {}; ", PREDEFINED + index));
        let code: Vec<u8> = assemble(&(loads.collect::<String>() + "Stop"))
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        let predefined = (0..PREDEFINED as i64).map(Value::int);
        let globals: Vec<Value> = predefined.chain(globals).collect();
        let parts = [
            ("CODE", &code[..]),
            ("PRIM", b""),
            ("DATA", &marshalled(heap::alloc_fields(0, &globals))),
            ("SYMB", &symbols(&[])),
        ];
        let file = assemble::sections(&parts);
        let executable = parse::executable(&file).expect("well-formed");
        let definitions: Vec<Definition> = (names.iter().enumerate())
            .map(|(index, name)| Definition {
                position: 2 * index,
                name: name.as_bytes(),
                begins: true,
            })
            .collect();
        let numbers = Numbers::by_name(&executable, globals.len(), &definitions);
        let numbers = numbers.expect("it can be read");
        let of = (PREDEFINED..globals.len()).map(|linked| numbers.global(linked));
        of.collect::<Vec<_>>()
    };
    let before = numbers(&["same", "same", "same"], &["walk", "trot", "run"]);
    let after = numbers(&["same", "other", "same"], &["walk", "trot", "run"]);
    assert_eq!((before[0], before[2]), (after[0], after[2]));
    assert_ne!(before[1], after[1]);
}
