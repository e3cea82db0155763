//! Shortcuts against the primitives that they stand for.

use super::*;
use crate::heap;
use crate::primitives;
use crate::registry::Code;
use crate::testing::{start_machine, string};

/// What the loop does first.
fn access(shortcut: u32, a: i64, b: i64) -> Option<i64> {
    if is_outside(shortcut, a, b) {
        None
    } else {
        binary(shortcut, a, b)
    }
}

fn store(shortcut: u32, a: i64, b: i64, c: i64) -> bool {
    !is_outside(shortcut, a, b) && ternary(shortcut, a, b, c)
}

fn code(name: &str) -> Code {
    primitives::all()
        .find(|primitive| primitive.name == name)
        .expect("a primitive")
        .code
}

/// The result of a shortcut, if it has one, is what the primitive returns.
fn check(name: &str, a: Value, b: Value) {
    let Code::F2(primitive) = code(name) else {
        panic!("{name} has two arguments")
    };
    if let Some(result) = access(number(name), a.0, b.0) {
        assert_eq!(result, primitive(a, b).0, "{name} of {a:?} and {b:?}");
    }
}

const COMPARISONS: [&str; 7] = [
    "equal",
    "notequal",
    "lessthan",
    "lessequal",
    "greaterthan",
    "greaterequal",
    "compare",
];

#[test]
fn comparisons_agree_with_the_primitives() {
    start_machine();
    let integers = [i64::MIN >> 1, -2, -1, 0, 1, 2, i64::MAX >> 1].map(Value::int);
    let floats = [f64::NAN, f64::NEG_INFINITY, -1.5, -0.0, 0.0, 1.5].map(heap::alloc_float);
    for name in COMPARISONS.map(|name| format!("caml_{name}")) {
        for a in integers {
            for b in integers {
                assert!(binary(number(&name), a.0, b.0).is_some());
                check(&name, a, b);
            }
            assert_eq!(binary(number(&name), a.0, floats[0].0), None);
        }
    }
    let relations = ["eq", "neq", "lt", "le", "gt", "ge"];
    let relations = relations.map(|name| format!("caml_{name}_float"));
    for name in relations
        .iter()
        .map(String::as_str)
        .chain(["caml_float_compare"])
    {
        floats
            .iter()
            .for_each(|&a| floats.iter().for_each(|&b| check(name, a, b)));
    }
}

#[test]
fn signs_and_classes_agree_with_the_primitives() {
    start_machine();
    let smallest = f64::from_bits(1);
    let magnitudes = [
        0.0,
        smallest,
        f64::MIN_POSITIVE,
        1.0,
        f64::INFINITY,
        f64::NAN,
    ];
    for x in magnitudes.into_iter().flat_map(|x| [x, -x]) {
        let value = heap::alloc_float(x);
        for name in ["caml_signbit_float", "caml_classify_float"] {
            let Code::F1(primitive) = code(name) else {
                panic!("{name} has an argument")
            };
            assert_eq!(
                unary(number(name), value.0),
                Some(primitive(value).0),
                "{name} of {x}"
            );
        }
    }
}

#[test]
fn comparisons_of_strings_agree_with_the_primitives() {
    start_machine();
    let texts = [
        "",
        "\0",
        "\u{1}",
        "a",
        "a\0",
        "b",
        "abcdef",
        "abcdef\0",
        "abcdefg",
        "abcdefh",
        "abcdefg\0",
        "abcdefg\u{1}",
        "abcdefgh",
        "abcdefghi",
        "abcdefghj",
        "\u{e9}",
        "abcdefghijklmnopqrstuv",
    ];
    let strings = texts.map(string);
    // Other blocks, as equal strings may be.
    let literals = texts.map(string);
    for name in COMPARISONS.map(|name| format!("caml_string_{name}")) {
        let Code::F2(primitive) = code(&name) else {
            panic!("{name} has two arguments")
        };
        let pairs = strings
            .iter()
            .flat_map(|a| literals.iter().map(move |b| (a, b)));
        for (&a, &b) in pairs {
            for literal in [0, words(b.0) as u32] {
                if let Some(result) = compare_strings(number(&name), a.0, b.0, literal) {
                    assert_eq!(result, primitive(a, b).0, "{name} of {a:?} and {b:?}");
                }
            }
        }
    }
    let [empty, .., longer, other, accented, long] = strings.map(|string| string.0);
    let same = literals.map(|string| string.0);
    let equal = |a, b, literal| compare_strings(STRING_EQUAL, a, b, literal);
    assert_eq!(equal(empty, same[0], 0), Some(truth(true)));
    assert_eq!(equal(longer, other, 0), None);
    assert_eq!(equal(longer, other, 2), Some(truth(false)));
    assert_eq!(equal(long, same[texts.len() - 1], 3), Some(truth(true)));
    let order = |a, b, literal| compare_strings(STRING_COMPARE, a, b, literal);
    assert_eq!(order(empty, accented, 0), Some(tagged(-1)));
    assert_eq!(order(longer, other, 0), None);
    assert_eq!(order(empty, same[0], 1), Some(tagged(0)));
}

#[test]
fn functions_of_floats_have_the_shortcut_and_nothing_else_has() {
    for primitive in primitives::all() {
        let is_function = matches!(primitive.code, Code::Float1(_) | Code::Float2(_));
        let has_shortcut = primitive.shortcut() == FLOAT_FUNCTION;
        assert_eq!(is_function, has_shortcut, "{}", primitive.name);
    }
}

#[test]
fn accesses_agree_with_the_primitives() {
    start_machine();
    let array = heap::alloc_fields(0, &[Value::int(5), Value::int(6), Value::int(7)]);
    for index in [i64::MIN >> 1, -1, 0, 1, 2, 3, 8, i64::MAX >> 1] {
        let index = Value::int(index);
        let fine = (0..3).contains(&index.as_int());
        for name in ["caml_array_get", "caml_array_get_addr"] {
            assert_eq!(
                access(number(name), array.0, index.0).is_some(),
                fine,
                "{name} at {index:?}"
            );
            check(name, array, index);
        }
        for text in ["", "abc", "abcdefg", "abcdefgh"] {
            let fine = (0..text.len() as i64).contains(&index.as_int());
            let text = string(text);
            assert_eq!(access(STRING_GET, text.0, index.0).is_some(), fine);
            check("caml_string_get", text, index);
        }
    }
}

#[test]
fn tags_are_those_of_the_primitive() {
    start_machine();
    let Code::F1(primitive) = code("caml_obj_tag") else {
        panic!("it has one argument")
    };
    let young = heap::alloc_fields(tag::FORWARD, &[Value::int(5)]);
    for value in [Value::int(5), young, string("abc")] {
        let tag = unary(OBJ_TAG, value.0);
        assert_eq!(tag, Some(primitive(value).0), "{value:?}");
    }
    let within = Value(young.0 + 4);
    assert_eq!(unary(OBJ_TAG, within.0), None);
}

#[test]
fn stores_are_done_inside_only() {
    start_machine();
    let array = heap::alloc_fields(0, &[Value::int(5), Value::int(6)]);
    let bytes = string("abc");
    for (index, fine) in [(-1, false), (0, true), (1, true), (2, false)] {
        let index = Value::int(index);
        assert_eq!(store(ARRAY_SET, array.0, index.0, tagged(9)), fine);
        assert_eq!(store(ARRAY_SET_ADDR, array.0, index.0, tagged(9)), fine);
    }
    assert_eq!([array.field(0), array.field(1)], [Value::int(9); 2]);
    let floats = heap::alloc_fields(tag::DOUBLE_ARRAY, &[Value(0), Value(0)]);
    let [first, second] = [1.5, -0.0].map(heap::alloc_float);
    assert!(store(ARRAY_SET, floats.0, tagged(0), first.0));
    assert!(store(ARRAY_UNSAFE_SET, floats.0, tagged(1), second.0));
    assert!(!store(ARRAY_SET, floats.0, tagged(2), first.0));
    let bits = [floats.field(0), floats.field(1)].map(|field| field.0 as u64);
    assert_eq!(bits, [1.5, -0.0].map(f64::to_bits));
    assert!(store(BYTES_SET, bytes.0, tagged(2), tagged(0x78)));
    assert!(!store(BYTES_SET, bytes.0, tagged(3), tagged(0x78)));
    assert_eq!(bytes.to_bytes(), b"abx");
    assert_eq!(unary(STRING_LENGTH, bytes.0), Some(tagged(3)));
}

#[test]
fn elements_of_unknown_arrays_of_floats_are_boxed_in_place() {
    start_machine();
    let bits = [1.5, -0.0].map(|x: f64| Value(x.to_bits() as i64));
    let floats = heap::alloc_fields(tag::DOUBLE_ARRAY, &bits);
    let sp = vm().sp.get();
    for shortcut in [ARRAY_GET, ARRAY_UNSAFE_GET] {
        for (index, element) in bits.iter().enumerate() {
            let mut registers = Registers {
                entry: 0,
                pc: 0,
                base: sp,
                sp,
                accu: floats.0,
                trap: 0,
                piece: 0,
                inherited: 0,
                version: 0,
            };
            registers.push(tagged(index as i64));
            assert_eq!(registers.shortcut_2(shortcut), Attempt::Done);
            assert_eq!(float(registers.accu).to_bits(), element.0 as u64);
            assert_eq!(registers.sp, sp);
        }
    }
}
