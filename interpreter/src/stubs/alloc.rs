//! Blocks that stubs make.

use super::{interface, raise};
use crate::evaluation;
use crate::heap;
use crate::interp::boxes;
use crate::memory;
use crate::memory::c_string;
use crate::value::{Value, boxed, tag};

interface! {
    "ar" fn caml_alloc(wosize: i64, tag: i32) -> Value {
        filled(wosize, tag as u8)
    }
    "ar" fn caml_alloc_small(wosize: i64, tag: i32) -> Value {
        uninitialised(wosize, tag as u8)
    }
    "ar" fn caml_alloc_shr(wosize: i64, tag: i32) -> Value {
        uninitialised(wosize, tag as u8)
    }
    "ar" fn caml_alloc_tuple(wosize: i64) -> Value {
        filled(wosize, 0)
    }
    "ar" fn caml_alloc_float_array(len: i64) -> Value {
        match len {
            0 => heap::atom(0),
            _ => uninitialised(len, tag::DOUBLE_ARRAY),
        }
    }
    "ar" fn caml_alloc_string(len: i64) -> Value {
        string(len)
    }
    "ar" fn caml_alloc_initialized_string(len: i64, bytes: u32) -> Value {
        let block = string(len);
        if block != Value::RAISED {
            memory::copy(bytes, block.address(), len as usize);
        }
        block
    }
    "am" fn caml_copy_string(bytes: u32) -> Value {
        heap::alloc_string(&c_string(bytes))
    }
    "am" fn caml_copy_string_array(strings: u32) -> Value {
        let pointers = (0..).map(|index| memory::load_u32(strings + 4 * index));
        let pointers = pointers.take_while(|&pointer| pointer != 0);
        let strings: Vec<Value> = pointers.map(|at| heap::alloc_string(&c_string(at))).collect();
        array(&strings)
    }
    "am" fn caml_copy_double(x: f64) -> Value {
        boxes::made_float(x)
    }
    "am" fn caml_copy_int32(n: i32) -> Value {
        boxes::made_integer(boxed::INT32, n.into())
    }
    "am" fn caml_copy_int64(n: i64) -> Value {
        boxes::made_integer(boxed::INT64, n)
    }
    "am" fn caml_copy_nativeint(n: i64) -> Value {
        boxes::made_integer(boxed::NATIVEINT, n)
    }
    "am" fn caml_alloc_some(value: Value) -> Value {
        heap::alloc_some(value)
    }
    "" fn caml_atom(tag: i32) -> Value {
        heap::atom(tag as u8)
    }
    "" fn caml_string_length(string: Value) -> i64 {
        evaluation::look_at(string);
        string.string_len() as i64
    }
}

/// A block of so many fields that are unit; of a tag without fields, as it comes.
fn filled(wosize: i64, tag: u8) -> Value {
    let block = uninitialised(wosize, tag);
    if block != Value::RAISED && tag < tag::NO_SCAN {
        (0..wosize as usize).for_each(|index| block.init_field(index, Value::UNIT));
    }
    block
}

/// A block whose fields C writes before anything can collect. Raises where there is no memory.
fn uninitialised(wosize: i64, tag: u8) -> Value {
    if wosize == 0 {
        return heap::atom(tag);
    }
    let wosize = usize::try_from(wosize)
        .ok()
        .filter(|&words| words < 1 << 29);
    match wosize.and_then(|words| heap::try_alloc(words, tag)) {
        Some(block) => block,
        None => {
            raise::unwind(crate::raise::out_of_memory());
            Value::RAISED
        }
    }
}

fn string(len: i64) -> Value {
    let words = len / 8 + 1;
    let block = uninitialised(words, tag::STRING);
    if block != Value::RAISED {
        let last = block.field_address(words as usize - 1);
        memory::store_u64(last, 0);
        memory::store_u8(last + 7, (words * 8 - 1 - len) as u8);
    }
    block
}

/// An array of values, none of which is a float.
fn array(values: &[Value]) -> Value {
    match values {
        [] => heap::atom(0),
        values => heap::alloc_fields(0, values),
    }
}
