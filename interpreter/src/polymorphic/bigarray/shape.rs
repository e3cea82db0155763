//! Creating bigarrays, asking for their shape, and views that share data: slices, parts, other
//! shapes.

use super::access::{integers, offset};
use super::{Bigarray, FORTRAN, KIND_MASK, MANAGED, MAX_DIMS, Shape, create, share};
use crate::raise;
use crate::registry::Outcome;
use crate::value::Value;

crate::primitives! {
    AllocatesLarge "caml_ba_create" ba_create, 3;
    Leaf "caml_ba_num_dims" num_dims, 1;
    Leaf "caml_ba_dim" dim, 2;
    Leaf "caml_ba_dim_1" dim_1, 1;
    Leaf "caml_ba_dim_2" dim_2, 1;
    Leaf "caml_ba_dim_3" dim_3, 1;
    Leaf "caml_ba_kind" kind, 1;
    Leaf "caml_ba_layout" layout, 1;
    Allocates "caml_ba_slice" slice, 2;
    Allocates "caml_ba_sub" sub, 3;
    Allocates "caml_ba_reshape" reshape, 2;
    Allocates "caml_ba_change_layout" change_layout, 2;
}

fn layout_flag(layout: Value) -> i64 {
    layout.as_int() << 8
}

fn ba_create(kind: Value, layout: Value, dims: Value) -> Outcome {
    let (dims, count) = integers(dims);
    if count > MAX_DIMS {
        return Err(raise::invalid_argument(
            "Bigarray.create: bad number of dimensions",
        ));
    }
    let dims = &dims[..count];
    if dims.iter().any(|&dim| dim < 0) {
        return Err(raise::invalid_argument(
            "Bigarray.create: negative dimension",
        ));
    }
    create_of(kind, layout, dims)
}

/// A new array of a kind and a layout.
pub fn create_of(kind: Value, layout: Value, dims: &[i64]) -> Outcome {
    let flags = kind.as_int() & KIND_MASK | layout_flag(layout);
    match create(&Shape { flags, dims }) {
        Some(array) => Ok(array.0),
        None => Err(raise::out_of_memory()),
    }
}

fn num_dims(array: Value) -> Value {
    Value::int(Bigarray(array).num_dims() as i64)
}

fn dim(array: Value, index: Value) -> Outcome {
    let array = Bigarray(array);
    match usize::try_from(index.as_int()) {
        Ok(index) if index < array.num_dims() => Ok(Value::int(array.dim(index))),
        Ok(_) | Err(_) => Err(raise::invalid_argument("Bigarray.dim")),
    }
}

fn dim_1(array: Value) -> Outcome {
    dim(array, Value::int(0))
}

fn dim_2(array: Value) -> Outcome {
    dim(array, Value::int(1))
}

fn dim_3(array: Value) -> Outcome {
    dim(array, Value::int(2))
}

fn kind(array: Value) -> Value {
    Value::int(Bigarray(array).flags() & KIND_MASK)
}

fn layout(array: Value) -> Value {
    Value::bool(Bigarray(array).is_fortran())
}

/// An array with the data of `array` from element `start` on.
fn view(array: Bigarray, start: u32, flags: i64, dims: &[i64]) -> Value {
    let data = array.data() + start * array.element().size();
    share(&Shape { flags, dims }, array.owner(), data).0
}

/// The dimensions of an array, in an array of their greatest number.
fn dimensions(array: Bigarray) -> [i64; MAX_DIMS] {
    let mut dims = [0; MAX_DIMS];
    dims.iter_mut()
        .zip(array.dims())
        .for_each(|(slot, dim)| *slot = dim);
    dims
}

/// The part with the given first (in Fortran's layout: last) indices.
fn slice(array: Value, indices: Value) -> Outcome {
    let array = Bigarray(array);
    let (given, count) = integers(indices);
    let total = array.num_dims();
    if count > total {
        return Err(raise::invalid_argument("Bigarray.slice: too many indices"));
    }
    let rest = total - count;
    let dims = dimensions(array);
    let mut full = [i64::from(array.is_fortran()); MAX_DIMS];
    let (place, left) = if array.is_fortran() {
        (rest, &dims[..rest])
    } else {
        (0, &dims[count..total])
    };
    full[place..place + count].copy_from_slice(&given[..count]);
    let start = offset(array, &full[..total])?;
    Ok(view(array, start, array.flags(), left))
}

/// The part with a range of first (in Fortran's layout: last) indices.
fn sub(array: Value, start: Value, len: Value) -> Outcome {
    let array = Bigarray(array);
    let total = array.num_dims();
    let bad = || raise::invalid_argument("Bigarray.sub: bad sub-array");
    let Some(last) = total.checked_sub(1) else {
        return Err(bad());
    };
    let mut dims = dimensions(array);
    let (changed, others, first) = if array.is_fortran() {
        (last, 0..last, 1)
    } else {
        (0, 1..total, 0)
    };
    let (start, len) = (start.as_int() - first, len.as_int());
    if start < 0 || len < 0 || start + len > dims[changed] {
        return Err(bad());
    }
    let stride = dims[others]
        .iter()
        .fold(1, |n: i64, &dim| n.wrapping_mul(dim));
    dims[changed] = len;
    Ok(view(
        array,
        start.wrapping_mul(stride) as u32,
        array.flags(),
        &dims[..total],
    ))
}

fn reshape(array: Value, dims: Value) -> Outcome {
    let array = Bigarray(array);
    let (dims, count) = integers(dims);
    if count > MAX_DIMS {
        return Err(raise::invalid_argument(
            "Bigarray.reshape: bad number of dimensions",
        ));
    }
    let dims = &dims[..count];
    if dims.iter().any(|&dim| dim < 0) {
        return Err(raise::invalid_argument(
            "Bigarray.reshape: negative dimension",
        ));
    }
    let elements = dims.iter().fold(1i64, |n, &dim| n.wrapping_mul(dim));
    if elements != array.num_elements() as i64 {
        return Err(raise::invalid_argument("Bigarray.reshape: size mismatch"));
    }
    Ok(view(array, 0, array.flags(), dims))
}

fn change_layout(array: Value, layout: Value) -> Value {
    let view_of = Bigarray(array);
    let flag = layout_flag(layout);
    if view_of.flags() & FORTRAN == flag {
        return array;
    }
    let mut dims = dimensions(view_of);
    let dims = &mut dims[..view_of.num_dims()];
    dims.reverse();
    view(
        view_of,
        0,
        view_of.flags() & (KIND_MASK | MANAGED) | flag,
        dims,
    )
}
