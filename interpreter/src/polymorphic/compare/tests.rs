//! Comparisons of values of all sorts.

use super::{MOST_AROUND, Mode, order, order_of_blocks, order_of_strings, order_slow};
use crate::custom;
use crate::heap;
use crate::primitives::strings::equal;
use crate::primitives::testing::{call, int, start_machine, string};
use crate::value::{Value, header, tag};
use std::cmp::Ordering;

fn list(length: usize, last: i64) -> Value {
    let first = std::iter::repeat_n(Value::int(1), length);
    heap::alloc_list(
        first
            .chain([Value::int(last)])
            .collect::<Vec<_>>()
            .into_iter(),
    )
}

/// All ends of short strings, and of those that are longer by a word.
#[test]
fn strings_are_ordered_as_their_bytes() {
    start_machine();
    let ends = (0..4).flat_map(|len| {
        const BYTES: [u8; 5] = [0, 1, 4, 7, 255];
        (0..5u32.pow(len)).map(move |number| {
            let byte = |place| BYTES[(number / 5u32.pow(place) % 5) as usize];
            (0..len).map(byte).collect::<Vec<u8>>()
        })
    });
    let ends: Vec<_> = ends.collect();
    let begins: [&[u8]; 5] = [b"", b"abcde", b"abcdefg", b"abcdefgh", b"abcdef\0"];
    let all = begins.iter().flat_map(|begin| {
        let step = if cfg!(miri) { 17 } else { 1 };
        let ends = ends.iter().step_by(step);
        ends.map(|end| [*begin, end].concat())
    });
    let all: Vec<_> = all
        .map(|bytes| (heap::alloc_string(&bytes), bytes))
        .collect();
    for (a, bytes_a) in &all {
        for (b, bytes_b) in &all {
            assert_eq!(
                order_of_strings(*a, *b),
                bytes_a.cmp(bytes_b),
                "{bytes_a:?} {bytes_b:?}"
            );
        }
    }
}

/// Strings of several words that differ in one byte, or where one ends.
#[test]
fn long_strings_are_ordered_as_their_bytes() {
    start_machine();
    let last = if cfg!(miri) { 40 } else { 100 };
    let bytes: Vec<u8> = (0..last).map(|place| place as u8).collect();
    for len in (0..last).step_by(3) {
        let string = heap::alloc_string(&bytes[..len]);
        for place in 0..len {
            let mut other_bytes = bytes[..len].to_vec();
            other_bytes[place] ^= 0x81;
            let other = heap::alloc_string(&other_bytes);
            let begin = heap::alloc_string(&bytes[..place]);
            let expected = bytes[..len].cmp(&other_bytes[..]);
            assert_eq!(order_of_strings(string, other), expected, "{len} {place}");
            assert_eq!(order_of_strings(string, begin), Ordering::Greater);
            assert!(!equal(string, other) && !equal(begin, string));
            assert!(equal(string, heap::alloc_string(&bytes[..len])));
        }
    }
}

#[test]
fn a_block_and_itself_are_not_looked_through() {
    start_machine();
    let block = heap::alloc_fields(0, &[Value::int(1), string("x")]);
    let own = block.header();
    // To look at the fields would be to look outside of memory.
    block.set_header(header(1 << 40, 0));
    let compared = order(block, block, Mode::Total);
    assert!(matches!(compared, Ok(Some(Ordering::Equal))));
    block.set_header(own);
}

#[test]
fn integers_and_strings() {
    start_machine();
    let compare = |a, b| int("caml_compare", &[a, b]);
    assert_eq!(compare(Value::int(-1), Value::int(1)), -1);
    assert_eq!(compare(Value::int(7), string("")), -1);
    assert_eq!(compare(string("abcdefghi"), string("abcdefghj")), -1);
    assert_eq!(compare(string("abcdefgh"), string("abcdefg")), 1);
    assert_eq!(compare(string("\u{80}"), string("a")), 1);
    assert_eq!(compare(string(""), string("")), 0);
}

#[test]
fn nan_is_equal_to_itself_in_the_total_order_only() {
    start_machine();
    let (nan, one) = (heap::alloc_float(f64::NAN), heap::alloc_float(1.0));
    assert_eq!(int("caml_compare", &[nan, nan]), 0);
    assert_eq!(int("caml_compare", &[nan, one]), -1);
    for relation in [
        "caml_equal",
        "caml_lessthan",
        "caml_lessequal",
        "caml_greaterequal",
    ] {
        assert_eq!(int(relation, &[nan, nan]), 0, "{relation}");
    }
    assert_eq!(int("caml_notequal", &[nan, nan]), 1);
}

#[test]
fn depth_does_not_matter() {
    start_machine();
    let length = if cfg!(miri) { 100 } else { 300_000 };
    assert_eq!(int("caml_compare", &[list(length, 1), list(length, 2)]), -1);
    assert_eq!(int("caml_equal", &[list(length, 5), list(length, 5)]), 1);
}

#[test]
fn functions_and_custom_blocks() {
    start_machine();
    let closure = heap::alloc(2, tag::CLOSURE);
    closure.init_field(0, Value::UNIT);
    closure.init_field(1, Value::UNIT);
    let other = heap::alloc_fields(tag::CLOSURE, &[Value::UNIT, Value::UNIT]);
    assert_eq!(
        call("caml_equal", &[closure, other]),
        Err("Invalid_argument: compare: functional value".to_owned())
    );
    assert_eq!(int("caml_compare", &[closure, closure]), 0);
    let (small, large) = (custom::alloc_int32(-5), custom::alloc_int32(5));
    assert_eq!(int("caml_compare", &[small, large]), -1);
    assert_eq!(
        int(
            "caml_compare",
            &[custom::alloc_int64(1), custom::alloc_int32(2)]
        ),
        1
    );
}

/// What needs nothing remembered is ordered as what does.
#[test]
fn blocks_are_ordered_alike_by_both_ways() {
    start_machine();
    let block = |tag, fields: &[Value]| heap::alloc_fields(tag, fields);
    let leaves = [
        Value::int(0),
        Value::int(-3),
        string("a"),
        string("abcdefgh"),
        heap::alloc_float(f64::NAN),
        heap::alloc_float(0.5),
        heap::atom(0),
        custom::alloc_int64(7),
    ];
    let mut values = leaves[2..].to_vec();
    for &one in &leaves {
        values.push(block(0, &[one]));
        values.push(block(1, &[one]));
        for &other in &leaves {
            let pair = block(0, &[one, other]);
            values.extend([pair, block(0, &[one, pair]), block(0, &[pair, one])]);
        }
    }
    for &a in &values {
        for &b in &values {
            for mode in [Mode::Total, Mode::Partial] {
                let slow = order_slow(a, b, mode, 0).ok();
                for around in MOST_AROUND - 2..=MOST_AROUND {
                    let order = order_of_blocks(a, b, mode, around).ok();
                    assert_eq!(order, slow, "{a:?} and {b:?}");
                }
            }
        }
    }
}
