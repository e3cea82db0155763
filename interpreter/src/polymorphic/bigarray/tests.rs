//! Views, bounds, layouts and marshalling of bigarrays.

use super::direct::{self, Access, Indexed};
use crate::heap;
use crate::memory;
use crate::polymorphic::marshal::output::{Flags, marshal};
use crate::polymorphic::marshal::unmarshal;
use crate::primitives::testing::{call, exception, int, start_machine, text};
use crate::value::{Value, tag};

/// `Bigarray.kind`s by number.
const FLOAT32: i64 = 0;
const FLOAT64: i64 = 1;
const INT8_SIGNED: i64 = 2;
const INT: i64 = 8;
const C_LAYOUT: i64 = 0;
const FORTRAN_LAYOUT: i64 = 1;

fn integers(integers: &[i64]) -> Value {
    let fields: Vec<Value> = integers.iter().copied().map(Value::int).collect();
    heap::alloc_fields(0, &fields)
}

fn create(kind: i64, layout: i64, dims: &[i64]) -> Value {
    let arguments = [Value::int(kind), Value::int(layout), integers(dims)];
    call("caml_ba_create", &arguments).expect("room for a bigarray")
}

fn get(array: Value, indices: &[i64]) -> Result<Value, String> {
    call("caml_ba_get_generic", &[array, integers(indices)])
}

fn set(array: Value, indices: &[i64], value: Value) {
    call("caml_ba_set_generic", &[array, integers(indices), value]).expect("inside");
}

/// A 3 by 4 array of integers, each telling its place.
fn table(layout: i64) -> Value {
    let array = create(INT, layout, &[3, 4]);
    for i in layout..3 + layout {
        for j in layout..4 + layout {
            set(array, &[i, j], Value::int(i * 10 + j));
        }
    }
    array
}

#[test]
fn elements_wrap_to_their_size() {
    start_machine();
    let array = create(INT8_SIGNED, C_LAYOUT, &[2]);
    set(array, &[1], Value::int(300));
    assert_eq!(get(array, &[1]), Ok(Value::int(44)));
    assert_eq!(get(array, &[0]), Ok(Value::int(0)));
}

/// The product of the dimensions passes 2^63 on the way to 0.
#[test]
fn an_array_without_elements_has_any_dimensions() {
    start_machine();
    let array = create(INT, C_LAYOUT, &[1 << 33, 1 << 30, 0]);
    assert_eq!(int("caml_ba_dim", &[array, Value::int(1)]), 1 << 30);
    let part = call("caml_ba_sub", &[array, Value::int(7), Value::int(1)]).expect("inside");
    assert_eq!(int("caml_ba_dim", &[part, Value::int(1)]), 1 << 30);
    let data = marshal(array, Flags::default()).expect("it can be marshalled");
    let copy = unmarshal(&data).expect("it can be read back");
    assert_eq!(int("caml_ba_dim", &[copy, Value::int(0)]), 1 << 33);
    let arguments = [
        Value::int(INT),
        Value::int(C_LAYOUT),
        integers(&[1 << 33, 1 << 32, 0]),
    ];
    assert!(call("caml_ba_create", &arguments).is_err());
}

#[test]
fn indices_are_checked_in_both_layouts() {
    start_machine();
    let outside = Err("Invalid_argument: index out of bounds".to_owned());
    let c = table(C_LAYOUT);
    assert_eq!(get(c, &[2, 3]), Ok(Value::int(23)));
    assert_eq!(get(c, &[3, 0]), outside);
    assert_eq!(get(c, &[0, -1]), outside);
    let fortran = table(FORTRAN_LAYOUT);
    assert_eq!(get(fortran, &[3, 4]), Ok(Value::int(34)));
    assert_eq!(get(fortran, &[0, 1]), outside);
    assert!(get(c, &[1]).is_err());
}

#[test]
fn views_share_data() {
    start_machine();
    let array = table(C_LAYOUT);
    let row = call("caml_ba_slice", &[array, integers(&[1])]).expect("inside");
    assert_eq!(get(row, &[2]), Ok(Value::int(12)));
    let rows = call("caml_ba_sub", &[array, Value::int(1), Value::int(2)]).expect("inside");
    set(rows, &[0, 2], Value::int(99));
    assert_eq!(get(row, &[2]), Ok(Value::int(99)));
    let line = call("caml_ba_reshape", &[array, integers(&[12])]).expect("the same size");
    assert_eq!(get(line, &[6]), Ok(Value::int(99)));
    let turned = call(
        "caml_ba_change_layout",
        &[array, Value::int(FORTRAN_LAYOUT)],
    );
    assert_eq!(get(turned.expect("a view"), &[3, 2]), Ok(Value::int(99)));
    assert_eq!(
        call("caml_ba_sub", &[array, Value::int(2), Value::int(2)]),
        Err("Invalid_argument: Bigarray.sub: bad sub-array".to_owned())
    );
}

#[test]
fn copies_are_equal_and_marshal_alike() {
    start_machine();
    let (array, copy) = (table(C_LAYOUT), create(INT, C_LAYOUT, &[3, 4]));
    assert_eq!(int("caml_compare", &[array, copy]), 1);
    call("caml_ba_blit", &[array, copy]).expect("the same dimensions");
    assert_eq!(int("caml_equal", &[array, copy]), 1);
    let no_flags = Value::EMPTY_LIST;
    let bytes = call("caml_output_value_to_bytes", &[array, no_flags]).expect("marshalled");
    assert_eq!(
        text("caml_output_value_to_string", &[copy, no_flags]),
        String::from_utf8_lossy(&bytes.to_bytes())
    );
    let back = call("caml_input_value_from_bytes", &[bytes, Value::int(0)]).expect("read");
    assert_eq!(back.tag(), tag::CUSTOM);
    assert_eq!(int("caml_compare", &[array, back]), 0);
}

#[test]
fn filling_writes_all_elements() {
    start_machine();
    let array = create(FLOAT64, C_LAYOUT, &[7]);
    call("caml_ba_fill", &[array, heap::alloc_float(2.5)]).expect("it cannot fail");
    for index in 0..7 {
        let element = get(array, &[index]).expect("inside");
        assert_eq!(element.as_float(), 2.5);
    }
}

/// The element of an array of three dimensions.
fn indexed(array: Value, indices: [i64; 3]) -> Indexed<3> {
    Indexed { array, indices }
}

#[test]
fn direct_accesses_agree_with_the_primitives() {
    start_machine();
    let dims = [2, 3, 4];
    for layout in [C_LAYOUT, FORTRAN_LAYOUT] {
        let floats = [FLOAT32, FLOAT64].map(|kind| create(kind, layout, &dims));
        let integers = [INT8_SIGNED, INT].map(|kind| create(kind, layout, &dims));
        let indices = |n: i64| [n / 12 % 2, n / 4 % 3, n % 4].map(|index| index + layout);
        for n in 0..24 {
            for array in floats {
                set(array, &indices(n), heap::alloc_float(n as f64 + 0.25));
                let address = indexed(array, indices(n)).float_address().expect("inside");
                assert_eq!(memory::load_f64(address), n as f64 + 0.25);
                indexed(array, indices(n)).set_float(-0.0).expect("inside");
                let element = get(array, &indices(n)).expect("inside").as_float();
                assert_eq!(element.to_bits(), (-0.0f64).to_bits());
            }
            for array in integers {
                set(array, &indices(n), Value::int(n - 9));
                assert_eq!(
                    indexed(array, indices(n)).integer(),
                    Some(Value::int(n - 9))
                );
                let written = indexed(array, indices(n)).set_integer(Value::int(n + 1000));
                assert_eq!(written, Some(()));
                let read = indexed(array, indices(n)).integer();
                assert_eq!(read, get(array, &indices(n)).ok());
            }
        }
    }
}

#[test]
fn direct_accesses_know_what_is_not_there() {
    start_machine();
    for layout in [C_LAYOUT, FORTRAN_LAYOUT] {
        let array = create(FLOAT64, layout, &[2, 3, 4]);
        let last = [1, 2, 3].map(|index| index + layout);
        assert!(indexed(array, last).float_address().is_some());
        for dim in 0..3 {
            for wrong in [
                layout - 1,
                last[dim] + 1,
                i64::MIN >> 1,
                i64::MAX >> 1,
                1 << 32,
            ] {
                let mut indices = last;
                indices[dim] = wrong;
                assert_eq!(indexed(array, indices).float_address(), None);
                assert_eq!(indexed(array, indices).set_float(1.0), None);
            }
        }
        assert_eq!(
            Indexed::<2> {
                array,
                indices: last
            }
            .float_address(),
            None
        );
    }
}

#[test]
fn direct_accesses_raise_what_the_primitives_do() {
    start_machine();
    let (array, one) = (table(C_LAYOUT), Value::int(1));
    let raised = |num_dims, access| {
        direct::raise(array, num_dims, access);
        Err(exception())
    };
    let outside = [array, one, Value::int(4)];
    assert_eq!(raised(2, Access::Get), call("caml_ba_get_2", &outside));
    assert_eq!(raised(1, Access::Get), call("caml_ba_get_1", &[array, one]));
    let set = call("caml_ba_set_1", &[array, one, one]);
    assert_eq!(raised(1, Access::Set), set);
}
