//! Both directions on hand-made values, against bytes that `ocamlrun` wrote, and malformed input.

use super::format::{Code, PREFIX_SMALL_INT};
use super::output::{self, Flags, marshal};
use super::parts;
use super::reader::Error;
use super::unmarshal;
use crate::custom;
use crate::heap;
use crate::primitives::testing::{int, start_machine, string};
use crate::value::{Value, tag};
use crate::vm::vm;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn read_and_write(value: Value) -> String {
    let bytes = marshal(value, Flags::default()).expect("the value can be marshalled");
    let copy = unmarshal(&bytes).expect("what was written can be read");
    assert_eq!(int("caml_compare", &[value, copy]), 0);
    hex(&bytes)
}

#[test]
fn bytes_are_those_of_ocamlrun() {
    start_machine();
    let shared = string("shared");
    let cases = [
        (
            Value::int(-200),
            "8495a6be0000000300000000000000000000000001ff38",
        ),
        (
            Value::int(1 << 40),
            "8495a6be00000009000000000000000000000000030000010000000000",
        ),
        (
            string("hi"),
            "8495a6be00000003000000010000000200000002226869",
        ),
        (
            heap::alloc_float(1.5),
            "8495a6be000000090000000100000003000000020c000000000000f83f",
        ),
        (
            custom::alloc_int32(-3),
            "8495a6be00000008000000010000000300000003195f6900fffffffd",
        ),
        (
            custom::alloc_int64(3),
            "8495a6be0000000c000000010000000400000003195f6a000000000000000003",
        ),
        (
            custom::alloc_nativeint(1 << 40),
            "8495a6be0000000d000000010000000300000003195f6e00020000010000000000",
        ),
        (
            heap::alloc_fields(0, &[shared, shared]),
            "8495a6be0000000a000000020000000600000005a0267368617265640401",
        ),
        (heap::atom(0), "8495a6be0000000100000000000000000000000080"),
    ];
    for (value, expected) in cases {
        assert_eq!(read_and_write(value), expected);
    }
}

#[test]
fn without_sharing_nothing_is_numbered() {
    start_machine();
    let shared = string("shared");
    let flags = Flags {
        no_sharing: true,
        ..Flags::default()
    };
    let bytes = marshal(heap::alloc_fields(0, &[shared, shared]), flags).expect("strings");
    assert_eq!(
        hex(&bytes),
        "8495a6be0000000f000000000000000900000007a02673686172656426736861726564"
    );
}

#[test]
fn depth_does_not_matter() {
    start_machine();
    let length = if cfg!(miri) { 100 } else { 300_000 };
    let list = heap::alloc_list((0..length).map(Value::int));
    read_and_write(list);
}

#[test]
fn a_cycle_stays_one() {
    start_machine();
    let pair = heap::alloc_fields(0, &[Value::int(1), Value::int(2)]);
    pair.init_field(1, pair);
    let bytes = marshal(pair, Flags::default()).expect("a cycle is finite");
    let copy = unmarshal(&bytes).expect("what was written can be read");
    assert_eq!(copy.field(1), copy);
}

/// Any prefix, and any change of one byte, is an error or some value, never a panic.
#[test]
fn malformed_input_is_an_error() {
    start_machine();
    let fields = [
        string("text"),
        heap::alloc_float(2.5),
        custom::alloc_int64(9),
        Value::int(1 << 50),
    ];
    let inner = heap::alloc_fields(0, &fields);
    let value = heap::alloc_fields(3, &[inner, inner]);
    let bytes = marshal(value, Flags::default()).expect("the value can be marshalled");
    for length in 0..bytes.len() {
        assert!(
            unmarshal(&bytes[..length]).is_err(),
            "prefix of {length} bytes"
        );
    }
    for index in super::HEADER_SMALL..bytes.len() {
        for change in [1, 0x40, 0x80, 0xFF] {
            let mut changed = bytes.clone();
            changed[index] ^= change;
            // Whether it is an error depends on the byte.
            let _ = unmarshal(&changed);
        }
    }
    let error = unmarshal(&[0; 30]).expect_err("no magic number");
    let message = "input_val_from_string: bad object";
    assert_eq!(error, Error::Failure(message.to_owned()));
}

/// A message whose root is an infix pointer that is refused after its closure, of so many fields,
/// was allocated. The header says falsely that the message is small: the closure is allocated by
/// itself, and looked at by the next collection.
fn outside_of_closure(fields: u32) -> Vec<u8> {
    let mut data = vec![Code::InfixPointer as u8];
    data.extend(0x0FFF_FFF8_u32.to_be_bytes());
    data.push(Code::Block32 as u8);
    data.extend((fields << 10).to_be_bytes());
    data.extend(std::iter::repeat_n(PREFIX_SMALL_INT + 1, fields as usize));
    let mut bytes = 0x8495_A6BE_u32.to_be_bytes().to_vec();
    for number in [data.len() as u32, 1, 20, 20] {
        bytes.extend(number.to_be_bytes());
    }
    bytes.extend(data);
    bytes
}

/// Free memory is full of the address of a block of the nursery, which a collection would copy if
/// it met the address.
#[test]
fn what_a_refused_root_left_unread_is_no_address() {
    start_machine();
    const FIELDS: u32 = 300;
    heap::collect_minor();
    let young = heap::alloc(1, tag::STRING);
    let address = (young.address() as u64).to_le_bytes();
    for _ in 0..4 {
        string(address.repeat(FIELDS as usize * 2));
    }
    heap::collect_major();
    let again = string("young");
    assert_eq!(again, young, "it is where the other one was");
    let error = unmarshal(&outside_of_closure(FIELDS)).expect_err("the offset is too large");
    let message = "input_value: ill-formed message";
    assert_eq!(error, Error::Failure(message.to_owned()));
    let promoted = || heap::heap().counters.promoted_words.get();
    let before = promoted();
    heap::collect_minor();
    assert_eq!(promoted(), before, "nothing refers to the nursery");
}

#[test]
fn values_that_cannot_be_marshalled() {
    start_machine();
    let hidden = heap::alloc_fields(crate::value::tag::ABSTRACT, &[Value::int(1)]);
    assert!(matches!(
        marshal(hidden, Flags::default()),
        Err(output::Error::InvalidArgument(_))
    ));
    let narrow = Flags {
        compat_32: true,
        ..Flags::default()
    };
    assert!(matches!(
        marshal(Value::int(1 << 40), narrow),
        Err(output::Error::Failure(_))
    ));
}

/// The size of a custom block that stands in the data is compared with the block's.
#[test]
fn custom_blocks_of_false_sizes_are_refused() {
    start_machine();
    let with_size = |size: u64| {
        let parts: [&[u8]; 4] = [
            b"\x18_j\0",
            &[0; 4],
            &size.to_be_bytes(),
            &5u64.to_be_bytes(),
        ];
        let data = parts.concat();
        let header = [0x8495_A6BE, data.len() as u32, 1, 0, 3].map(u32::to_be_bytes);
        unmarshal(&[header.as_flattened(), &data].concat())
    };
    assert_eq!(with_size(8).map(custom::as_int64), Ok(5));
    let message = "input_value: incorrect length of serialized custom block";
    for size in [0, 7, 16, u64::MAX] {
        assert_eq!(with_size(size), Err(Error::Failure(message.to_owned())));
    }
}

/// Each field as it is written, with what is shared as so many values back.
#[test]
fn parts_are_the_bytes_of_fields() {
    start_machine();
    let shared = string("shared");
    let inner = heap::alloc_fields(0, &[shared, heap::alloc_float(1.5), Value::int(300)]);
    let fields = [
        inner,
        shared,
        Value::int(1),
        custom::alloc_nativeint(1 << 40),
        heap::alloc_fields(3, &[string("long ".repeat(20))]),
    ];
    let bytes = marshal(heap::alloc_fields(0, &fields), Flags::default()).expect("it can be");
    let parts = parts::fields(&bytes).expect("it is well-formed");
    assert_eq!(parts.len(), fields.len());
    let small = |part: &[u8]| part.len() < 40;
    let parts_of = |range: std::ops::Range<usize>| -> Vec<String> {
        parts[range].iter().map(|part| hex(part)).collect()
    };
    assert_eq!(
        parts_of(0..4),
        [
            "b0267368617265640c000000000000f83f01012c",
            "0402",
            "41",
            "195f6e00020000010000000000"
        ]
    );
    assert!(!small(parts[4]));
    // All of the data, and nothing twice.
    let all: usize = parts.iter().map(|part| part.len()).sum();
    assert_eq!(bytes.len(), super::HEADER_SMALL + 1 + all);
    for len in 0..bytes.len() {
        assert!(parts::fields(&bytes[..len]).is_err(), "{len} bytes");
    }
}

/// What one marshalling leaves behind, a failed one too, changes nothing of the next.
#[test]
fn one_marshalling_after_the_other() {
    start_machine();
    let shared = string("shared");
    let pair = heap::alloc_fields(0, &[shared, shared]);
    let expected = marshal(pair, Flags::default()).expect("strings");
    let hidden = heap::alloc_fields(0, &[pair, heap::alloc(1, tag::ABSTRACT)]);
    assert!(marshal(hidden, Flags::default()).is_err());
    assert_eq!(marshal(pair, Flags::default()), Ok(expected.clone()));
    let many = heap::alloc_list((0..20_000).map(|_| pair).collect::<Vec<_>>().into_iter());
    let copy = unmarshal(&marshal(many, Flags::default()).expect("a list")).expect("a list");
    assert_eq!(int("caml_compare", &[many, copy]), 0);
    assert_eq!(copy.list().count(), 20_000);
    assert!(output::kept_bytes() < 100_000);
    assert_eq!(marshal(pair, Flags::default()), Ok(expected));
}

/// As `ocamlrun` does, which reads so much into one large block.
#[test]
fn boxed_numbers_among_many_are_born_outside_of_the_nursery() {
    start_machine();
    let read = |count: i64| {
        let numbers = (0..count).map(|n| match n % 3 {
            0 => custom::alloc_int32(n as i32),
            1 => custom::alloc_int64(n),
            _ => custom::alloc_nativeint(n),
        });
        let numbers: Vec<Value> = numbers.collect();
        let list = numbers
            .iter()
            .fold(Value::int(0), |tail, &n| heap::alloc_fields(0, &[n, tail]));
        let bytes = marshal(list, Flags::default()).expect("the value can be marshalled");
        let copy = unmarshal(&bytes).expect("what was written can be read");
        assert_eq!(int("caml_compare", &[list, copy]), 0);
        copy.list().map(|n| vm().is_young(n)).collect::<Vec<bool>>()
    };
    assert_eq!(read(3), [true; 3]);
    assert_eq!(read(300), [false; 300]);
}
