//! Reading and writing elements of bigarrays, and their bytes.

use super::{Bigarray, MAX_DIMS};
use crate::custom;
use crate::memory;
use crate::raise;
use crate::registry::{Outcome, Raised};
use crate::value::Value;

crate::primitives! {
    Allocates "caml_ba_get_1" get_1, 2;
    Allocates "caml_ba_get_2" get_2, 3;
    Allocates "caml_ba_get_3" get_3, 4;
    Allocates "caml_ba_get_generic" get_generic, 2;
    Leaf "caml_ba_set_1" set_1, 3;
    Leaf "caml_ba_set_2" set_2, 4;
    Leaf "caml_ba_set_3" set_3, 5;
    Leaf "caml_ba_set_generic" set_generic, 3;
    Leaf "caml_ba_uint8_get16" get16, 2;
    Allocates "caml_ba_uint8_get32" get32, 2;
    Allocates "caml_ba_uint8_get64" get64, 2;
    Leaf "caml_ba_uint8_set16" set16, 3;
    Leaf "caml_ba_uint8_set32" set32, 3;
    Leaf "caml_ba_uint8_set64" set64, 3;
}

/// The number of the element with these indices, as many as there are dimensions.
#[inline(always)]
pub(super) fn offset(array: Bigarray, indices: &[i64]) -> Result<u32, Raised> {
    let mut offset = 0;
    let mut add = |position: usize, base: i64| {
        let (index, dim) = (indices[position] - base, array.dim(position));
        offset = offset * dim + index;
        (index as u64) < dim as u64
    };
    let inside = if array.is_fortran() {
        (0..indices.len()).rev().all(|position| add(position, 1))
    } else {
        (0..indices.len()).all(|position| add(position, 0))
    };
    if inside {
        Ok(offset as u32)
    } else {
        Err(raise::index_out_of_bounds())
    }
}

/// The address of the element with these indices.
#[inline(always)]
fn address(array: Bigarray, indices: &[i64]) -> Result<u32, Raised> {
    Ok(array.data() + offset(array, indices)? * array.element().size())
}

#[inline(always)]
fn get(array: Value, indices: &[i64]) -> Outcome {
    let array = Bigarray(array);
    if indices.len() != array.num_dims() {
        return Err(wrong_number_to_get());
    }
    Ok(array.element().read(address(array, indices)?))
}

#[inline(always)]
fn set(array: Value, indices: &[i64], value: Value) -> Outcome {
    let array = Bigarray(array);
    if indices.len() != array.num_dims() {
        return Err(wrong_number_to_set());
    }
    array.element().write(address(array, indices)?, value);
    Ok(Value::UNIT)
}

fn wrong_number_to_get() -> Raised {
    raise::invalid_argument("Bigarray.get: wrong number of indices")
}

fn wrong_number_to_set() -> Raised {
    raise::invalid_argument("Bigarray.set: wrong number of indices")
}

fn get_1(array: Value, i: Value) -> Outcome {
    get(array, &[i.as_int()])
}

fn get_2(array: Value, i: Value, j: Value) -> Outcome {
    get(array, &[i.as_int(), j.as_int()])
}

fn get_3(array: Value, i: Value, j: Value, k: Value) -> Outcome {
    get(array, &[i.as_int(), j.as_int(), k.as_int()])
}

fn get_generic(array: Value, indices: Value) -> Outcome {
    let (indices, count) = integers(indices);
    get(array, &indices[..count])
}

fn set_1(array: Value, i: Value, value: Value) -> Outcome {
    set(array, &[i.as_int()], value)
}

fn set_2(array: Value, i: Value, j: Value, value: Value) -> Outcome {
    set(array, &[i.as_int(), j.as_int()], value)
}

fn set_3(array: Value, i: Value, j: Value, k: Value, value: Value) -> Outcome {
    set(array, &[i.as_int(), j.as_int(), k.as_int()], value)
}

fn set_generic(array: Value, indices: Value, value: Value) -> Outcome {
    let (indices, count) = integers(indices);
    set(array, &indices[..count], value)
}

/// The elements of an array of integers, and their number, at most one more than there can be
/// dimensions.
pub(super) fn integers(array: Value) -> ([i64; MAX_DIMS + 1], usize) {
    let count = array.wosize().min(MAX_DIMS + 1);
    let mut integers = [0; MAX_DIMS + 1];
    for (index, integer) in integers[..count].iter_mut().enumerate() {
        *integer = array.field(index).as_int();
    }
    (integers, count)
}

/// The address of `size` bytes at `index` of an array of bytes.
#[inline(always)]
fn byte_address(array: Value, index: Value, size: i64) -> Result<u32, Raised> {
    let (array, index) = (Bigarray(array), index.as_int());
    if index < 0 || index > array.dim(0) - size {
        return Err(raise::index_out_of_bounds());
    }
    Ok(array.data() + index as u32)
}

fn get16(array: Value, index: Value) -> Outcome {
    byte_address(array, index, 2).map(|address| Value::int(memory::load_u16(address) as i64))
}

fn get32(array: Value, index: Value) -> Outcome {
    byte_address(array, index, 4).map(|address| custom::alloc_int32(memory::load_i32(address)))
}

fn get64(array: Value, index: Value) -> Outcome {
    byte_address(array, index, 8).map(|address| custom::alloc_int64(memory::load_i64(address)))
}

fn set16(array: Value, index: Value, n: Value) -> Outcome {
    memory::store_u16(byte_address(array, index, 2)?, n.as_int() as u16);
    Ok(Value::UNIT)
}

fn set32(array: Value, index: Value, n: Value) -> Outcome {
    memory::store_i32(byte_address(array, index, 4)?, custom::as_int32(n));
    Ok(Value::UNIT)
}

fn set64(array: Value, index: Value, n: Value) -> Outcome {
    memory::store_i64(byte_address(array, index, 8)?, custom::as_int64(n));
    Ok(Value::UNIT)
}
