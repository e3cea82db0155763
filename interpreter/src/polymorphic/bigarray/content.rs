//! Whole bigarrays: copying, filling, comparison, hashing, marshalling.

use super::element::{Element, load_f32};
use super::{Bigarray, FORTRAN, KIND_MASK, MAX_DIMS, Shape, count_elements, create};
use crate::memory;
use crate::polymorphic::compare::{self, Mode};
use crate::polymorphic::hash::Hash;
use crate::polymorphic::marshal::output::Output;
use crate::polymorphic::marshal::reader::{Error, Reader, failure};
use crate::raise;
use crate::registry::Outcome;
use crate::value::Value;
use std::cmp::Ordering;

crate::primitives! {
    Leaf "caml_ba_blit" blit, 2;
    Leaf "caml_ba_fill" fill, 2;
}

fn blit(from: Value, to: Value) -> Outcome {
    let (from, to) = (Bigarray(from), Bigarray(to));
    if !from.dims().eq(to.dims()) {
        return Err(raise::invalid_argument("Bigarray.blit: dimension mismatch"));
    }
    memory::copy(from.data(), to.data(), from.num_bytes());
    Ok(Value::UNIT)
}

fn fill(array: Value, value: Value) -> Value {
    let array = Bigarray(array);
    let (element, data, bytes) = (array.element(), array.data(), array.num_bytes());
    if bytes == 0 {
        return Value::UNIT;
    }
    element.write(data, value);
    // Double what is filled until all is.
    let mut filled = element.size() as usize;
    while filled < bytes {
        let count = filled.min(bytes - filled);
        memory::copy(data, data + filled as u32, count);
        filled += count;
    }
    Value::UNIT
}

/// Addresses of the numbers in an array, a complex number being two.
fn addresses(array: Bigarray, size: u32) -> impl Iterator<Item = u32> {
    let data = array.data();
    (data..data + array.num_bytes() as u32).step_by(size as usize)
}

/// The order of two bigarrays: kind and layout, number of dimensions (both backwards), dimensions,
/// contents.
pub fn order(a: Value, b: Value, mode: Mode) -> Option<Ordering> {
    let (a, b) = (Bigarray(a), Bigarray(b));
    let type_of = |array: Bigarray| array.flags() & (KIND_MASK | FORTRAN);
    let shape = type_of(b)
        .cmp(&type_of(a))
        .then_with(|| b.num_dims().cmp(&a.num_dims()))
        .then_with(|| a.dims().cmp(b.dims()));
    if shape.is_ne() {
        return Some(shape);
    }
    match a.element() {
        Element::Float32 | Element::Complex32 => order_by(a, b, 4, |x, y| {
            compare::floats(load_f32(x) as f64, load_f32(y) as f64, mode)
        }),
        Element::Float64 | Element::Complex64 => order_by(a, b, 8, |x, y| {
            compare::floats(memory::load_f64(x), memory::load_f64(y), mode)
        }),
        Element::Uint8 | Element::Char => order_by_key(a, b, 1, |x| memory::load_u8(x) as i64),
        Element::Int8 => order_by_key(a, b, 1, |x| memory::load_u8(x) as i8 as i64),
        Element::Int16 => order_by_key(a, b, 2, |x| memory::load_u16(x) as i16 as i64),
        Element::Uint16 => order_by_key(a, b, 2, |x| memory::load_u16(x) as i64),
        Element::Int32 => order_by_key(a, b, 4, |x| memory::load_i32(x) as i64),
        Element::Int64 | Element::Int | Element::Nativeint => {
            order_by_key(a, b, 8, memory::load_i64)
        }
    }
}

fn order_by_key(a: Bigarray, b: Bigarray, size: u32, key: impl Fn(u32) -> i64) -> Option<Ordering> {
    order_by(a, b, size, |x, y| Some(key(x).cmp(&key(y))))
}

fn order_by(
    a: Bigarray,
    b: Bigarray,
    size: u32,
    order: impl Fn(u32, u32) -> Option<Ordering>,
) -> Option<Ordering> {
    addresses(a, size)
        .zip(addresses(b, size))
        .map(|(x, y)| order(x, y))
        .find(|&order| order != Some(Ordering::Equal))
        .unwrap_or(Some(Ordering::Equal))
}

/// The hash of a bigarray: of its first 256 bytes or so.
pub fn hash(array: Value) -> u32 {
    let array = Bigarray(array);
    let mut hash = Hash(0);
    // SAFETY: hashing writes to no array.
    let bytes = |most: usize| unsafe { memory::bytes(array.data(), array.num_bytes().min(most)) };
    match array.element() {
        Element::Char
        | Element::Int8
        | Element::Uint8
        | Element::Int16
        | Element::Uint16
        | Element::Int32 => hash.mix_bytes(bytes(256)),
        Element::Int | Element::Nativeint => addresses(array, 8)
            .take(64)
            .for_each(|x| hash.mix_int(memory::load_i64(x))),
        Element::Int64 => addresses(array, 8)
            .take(32)
            .for_each(|x| hash.mix_i64(memory::load_i64(x))),
        Element::Float32 | Element::Complex32 => addresses(array, 4)
            .take(64)
            .for_each(|x| hash.mix_f32(load_f32(x))),
        Element::Float64 | Element::Complex64 => addresses(array, 8)
            .take(32)
            .for_each(|x| hash.mix_f64(memory::load_f64(x))),
    }
    hash.0
}

/// Bytes of the numbers that an element consists of.
fn number_size(element: Element) -> u32 {
    match element {
        Element::Complex32 | Element::Complex64 => element.size() / 2,
        Element::Float32
        | Element::Float64
        | Element::Int8
        | Element::Uint8
        | Element::Int16
        | Element::Uint16
        | Element::Int32
        | Element::Int64
        | Element::Int
        | Element::Nativeint
        | Element::Char => element.size(),
    }
}

/// The range of integers that marshalled data has in 32 bits, for kinds whose size depends on the
/// machine.
fn short_range(element: Element) -> Option<std::ops::Range<i64>> {
    match element {
        Element::Int => Some(-(1 << 30)..1 << 30),
        // C's lower bound is meant to be -0x80000000, but that constant is unsigned: nothing is in
        // range.
        Element::Nativeint => Some(0..0),
        Element::Float32
        | Element::Float64
        | Element::Int8
        | Element::Uint8
        | Element::Int16
        | Element::Uint16
        | Element::Int32
        | Element::Int64
        | Element::Complex32
        | Element::Complex64
        | Element::Char => None,
    }
}

/// Dimensions from here on are written with eight bytes.
const LONG_DIM: i64 = 0xFFFF;

/// Writes a bigarray's data.
pub fn marshal(array: Value, output: &mut Output) {
    let array = Bigarray(array);
    output.bytes(&(array.num_dims() as u32).to_be_bytes());
    output.bytes(&((array.flags() & (KIND_MASK | FORTRAN)) as u32).to_be_bytes());
    for dim in array.dims() {
        output.bytes(&(dim.min(LONG_DIM) as u16).to_be_bytes());
        if dim >= LONG_DIM {
            output.bytes(&dim.to_be_bytes());
        }
    }
    match short_range(array.element()) {
        Some(range) => {
            let short = addresses(array, 8).all(|x| range.contains(&memory::load_i64(x)));
            output.bytes(&[u8::from(!short)]);
            for address in addresses(array, 8) {
                let n = memory::load_i64(address);
                if short {
                    output.bytes(&(n as i32).to_be_bytes());
                } else {
                    output.bytes(&n.to_be_bytes());
                }
            }
        }
        None => write_numbers(array, output),
    }
}

/// Words that a bigarray's block has after the first, its elements left out.
pub fn data_words(array: Value) -> u64 {
    (Bigarray::FIELDS - 1 + Bigarray(array).num_dims()) as u64
}

fn write_numbers(array: Bigarray, output: &mut Output) {
    // SAFETY: marshalling writes to no array.
    let bytes = unsafe { memory::bytes(array.data(), array.num_bytes()) };
    let size = number_size(array.element());
    output.draft(bytes, |numbers| swap_bytes(numbers, size));
}

/// Reverses the bytes of each number of `size` bytes: data has the highest one first.
fn swap_bytes(numbers: &mut [u8], size: u32) {
    fn swap<const SIZE: usize>(numbers: &mut [u8]) {
        let (numbers, _) = numbers.as_chunks_mut::<SIZE>();
        numbers.iter_mut().for_each(|number| number.reverse());
    }
    match size {
        2 => swap::<2>(numbers),
        4 => swap::<4>(numbers),
        8 => swap::<8>(numbers),
        _ => {}
    }
}

/// Reads a bigarray's data.
pub fn unmarshal(reader: &mut Reader) -> Result<Value, Error> {
    let count = reader.u32()? as usize;
    if count > MAX_DIMS {
        return failure("input_value: wrong number of bigarray dimensions");
    }
    let flags = reader.u32()? as i64 & (KIND_MASK | FORTRAN);
    let mut dims = [0; MAX_DIMS];
    for dim in &mut dims[..count] {
        *dim = match reader.u16()? as i64 {
            LONG_DIM => reader.u64()? as i64,
            dim => dim,
        };
    }
    let dims = &dims[..count];
    let Some(element) = Element::from_number((flags & KIND_MASK) as u8) else {
        return failure("input_value: bad bigarray kind");
    };
    let bytes = count_elements(dims).and_then(|count| count.checked_mul(element.size().into()));
    if bytes.is_none() {
        return failure("input_value: size overflow for bigarray");
    }
    let Some(array) = create(&Shape { flags, dims }) else {
        return failure("input_value: out of memory for bigarray");
    };
    match short_range(element) {
        Some(_) => read_integers(array, reader)?,
        None => read_numbers(array, reader)?,
    }
    Ok(array.0)
}

fn read_integers(array: Bigarray, reader: &mut Reader) -> Result<(), Error> {
    let long = reader.u8()? != 0;
    for address in addresses(array, 8) {
        let n = if long {
            reader.u64()? as i64
        } else {
            reader.u32()? as i32 as i64
        };
        memory::store_i64(address, n);
    }
    Ok(())
}

fn read_numbers(array: Bigarray, reader: &mut Reader) -> Result<(), Error> {
    // SAFETY: the array is new; nobody else knows it.
    let target = unsafe { memory::bytes_mut(array.data(), array.num_bytes()) };
    target.copy_from_slice(reader.take(target.len())?);
    swap_bytes(target, number_size(array.element()));
    Ok(())
}
