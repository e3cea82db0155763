//! Custom blocks of stubs ([`crate::custom::operations`]), and how they are marshalled.

use super::{interface, raise};
use crate::custom::operations::{self, Operations};
use crate::foreign;
use crate::heap;
use crate::memory;
use crate::polymorphic::compare;
use crate::polymorphic::hash::Hash;
use crate::value::{Value, tag};

interface! {
    "ar" fn caml_alloc_custom(operations: u32, size: i64, used: i64, most: i64) -> Value {
        let block = alloc(operations, size);
        if most > 0 {
            heap::note_external_share(used as f64 / most as f64);
        }
        block
    }
    "ar" fn caml_alloc_custom_mem(operations: u32, size: i64, bytes: i64) -> Value {
        let block = alloc(operations, size);
        heap::note_external_bytes(bytes.max(0) as usize);
        block
    }
    "" fn caml_register_custom_operations(operations: u32) {
        operations::register(Operations(operations));
    }
    "ar" fn caml_compare(a: Value, b: Value) -> Value {
        match compare::order(a, b, compare::Mode::Total) {
            Ok(order) => Value::int(order.map_or(0, |order| order as i64)),
            Err(raised) => {
                raise::unwind(raised);
                Value::RAISED
            }
        }
    }
    "" fn caml_hash_mix_uint32(hash: u32, n: u32) -> u32 {
        mixed(hash, |hash| hash.mix(n))
    }
    "" fn caml_hash_mix_intnat(hash: u32, n: i64) -> u32 {
        mixed(hash, |hash| hash.mix_int(n))
    }
    "" fn caml_hash_mix_int64(hash: u32, n: i64) -> u32 {
        mixed(hash, |hash| hash.mix_i64(n))
    }
    "" fn caml_hash_mix_double(hash: u32, x: f64) -> u32 {
        mixed(hash, |hash| hash.mix_f64(x))
    }
    "" fn caml_hash_mix_float(hash: u32, x: f32) -> u32 {
        mixed(hash, |hash| hash.mix_f32(x))
    }
    "" fn caml_hash_mix_string(hash: u32, string: Value) -> u32 {
        // SAFETY: hashing writes to no block.
        mixed(hash, |hash| hash.mix_string(unsafe { string.string_bytes() }))
    }
    "" fn caml_serialize_int_1(n: i32) {
        operations::write(&[n as u8]);
    }
    "" fn caml_serialize_int_2(n: i32) {
        operations::write(&(n as u16).to_be_bytes());
    }
    "" fn caml_serialize_int_4(n: i32) {
        operations::write(&n.to_be_bytes());
    }
    "" fn caml_serialize_int_8(n: i64) {
        operations::write(&n.to_be_bytes());
    }
    "" fn caml_serialize_float_4(x: f32) {
        operations::write(&x.to_be_bytes());
    }
    "" fn caml_serialize_float_8(x: f64) {
        operations::write(&x.to_le_bytes());
    }
    "" fn caml_serialize_block_1(data: u32, len: i64) {
        operations::write(&memory::read(data, len as usize));
    }
    "" fn caml_serialize_block_2(data: u32, len: i64) {
        write_elements(data, len, 2);
    }
    "" fn caml_serialize_block_4(data: u32, len: i64) {
        write_elements(data, len, 4);
    }
    "" fn caml_serialize_block_8(data: u32, len: i64) {
        write_elements(data, len, 8);
    }
    "" fn caml_serialize_block_float_8(data: u32, len: i64) {
        operations::write(&memory::read(data, 8 * len as usize));
    }
    "ar" fn caml_deserialize_uint_1() -> i32 {
        i32::from(number::<1>()[0])
    }
    "ar" fn caml_deserialize_sint_1() -> i32 {
        i32::from(number::<1>()[0] as i8)
    }
    "ar" fn caml_deserialize_uint_2() -> i32 {
        u16::from_be_bytes(number()).into()
    }
    "ar" fn caml_deserialize_sint_2() -> i32 {
        i16::from_be_bytes(number()).into()
    }
    "ar" fn caml_deserialize_uint_4() -> u32 {
        u32::from_be_bytes(number())
    }
    "ar" fn caml_deserialize_sint_4() -> i32 {
        i32::from_be_bytes(number())
    }
    "ar" fn caml_deserialize_uint_8() -> u64 {
        u64::from_be_bytes(number())
    }
    "ar" fn caml_deserialize_sint_8() -> i64 {
        i64::from_be_bytes(number())
    }
    "ar" fn caml_deserialize_float_4() -> f32 {
        f32::from_be_bytes(number())
    }
    "ar" fn caml_deserialize_float_8() -> f64 {
        f64::from_le_bytes(number())
    }
    "ar" fn caml_deserialize_block_1(data: u32, len: i64) {
        read(data, len, 1);
    }
    "ar" fn caml_deserialize_block_2(data: u32, len: i64) {
        read_elements(data, len, 2);
    }
    "ar" fn caml_deserialize_block_4(data: u32, len: i64) {
        read_elements(data, len, 4);
    }
    "ar" fn caml_deserialize_block_8(data: u32, len: i64) {
        read_elements(data, len, 8);
    }
    "ar" fn caml_deserialize_block_float_8(data: u32, len: i64) {
        read(data, len, 8);
    }
    "ar" fn caml_deserialize_error(message: u32) {
        raise::unwind(crate::raise::failure(memory::c_string(message)));
    }
}

/// A block with room for `size` bytes, which C writes.
fn alloc(operations: u32, size: i64) -> Value {
    let words = 1 + (size.max(0) as usize).div_ceil(8);
    let Some(block) = heap::try_alloc(words, tag::CUSTOM) else {
        raise::unwind(crate::raise::out_of_memory());
        return Value::RAISED;
    };
    block.init_field(0, Value::block(operations));
    operations::note(Operations(operations), block);
    block
}

fn mixed(hash: u32, mix: impl FnOnce(&mut Hash)) -> u32 {
    let mut hash = Hash(hash);
    mix(&mut hash);
    hash.0
}

/// Elements of `size` bytes each as they are marshalled: the most significant byte first.
fn write_elements(data: u32, len: i64, size: usize) {
    let mut bytes = memory::read(data, len as usize * size);
    bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    operations::write(&bytes);
}

fn read_elements(data: u32, len: i64, size: usize) {
    if read(data, len, size) {
        let mut bytes = memory::read(data, len as usize * size);
        bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
        memory::write(data, &bytes);
    }
}

/// Copies what follows of the input; whether there was so much.
fn read(data: u32, len: i64, size: usize) -> bool {
    let bytes = len as usize * size;
    let source = operations::read(bytes as u32);
    match source {
        Some(source) => memory::copy(source, data, bytes),
        None => truncated(),
    }
    source.is_some()
}

/// The bytes of a number; zeros where the input has ended, which raises.
fn number<const N: usize>() -> [u8; N] {
    let Some(source) = operations::read(N as u32) else {
        truncated();
        return [0; N];
    };
    let bytes = memory::read(source, N);
    bytes.try_into().expect("so many bytes were read")
}

fn truncated() {
    foreign::unwind(crate::raise::failure("input_value: truncated object"));
}
