//! Strings and bytes: access, comparison, copying.
//!
//! Both are the same blocks; most primitives exist under two names. Bounds are those of the length
//! in bytes.

use crate::custom;
use crate::heap;
use crate::memory;
use crate::polymorphic::compare::{first_difference, order_of_strings};
use crate::raise;
use crate::registry::{Outcome, Raised};
use crate::value::{Value, tag};

crate::primitives! {
    Leaf "caml_ml_string_length" length, 1;
    Leaf "caml_ml_bytes_length" length, 1;
    AllocatesLarge "caml_create_bytes" create_bytes, 1;
    AllocatesLarge "caml_create_string" create_string, 1;
    Leaf "caml_string_of_bytes" identity, 1;
    Leaf "caml_bytes_of_string" identity, 1;
    Leaf "caml_string_get" get, 2;
    Leaf "caml_bytes_get" get, 2;
    Leaf "caml_bytes_set" set, 3;
    Leaf "caml_string_set" set, 3;
    Leaf "caml_string_get16" get16, 2;
    Leaf "caml_bytes_get16" get16, 2;
    Allocates "caml_string_get32" get32, 2;
    Allocates "caml_bytes_get32" get32, 2;
    Allocates "caml_string_get64" get64, 2;
    Allocates "caml_bytes_get64" get64, 2;
    Leaf "caml_bytes_set16" set16, 3;
    Leaf "caml_bytes_set32" set32, 3;
    Leaf "caml_bytes_set64" set64, 3;
    Leaf "caml_string_equal" string_equal, 2;
    Leaf "caml_bytes_equal" string_equal, 2;
    Leaf "caml_string_notequal" string_notequal, 2;
    Leaf "caml_bytes_notequal" string_notequal, 2;
    Leaf "caml_string_compare" string_compare, 2;
    Leaf "caml_bytes_compare" string_compare, 2;
    Leaf "caml_string_lessthan" less_than, 2;
    Leaf "caml_bytes_lessthan" less_than, 2;
    Leaf "caml_string_lessequal" less_equal, 2;
    Leaf "caml_bytes_lessequal" less_equal, 2;
    Leaf "caml_string_greaterthan" greater_than, 2;
    Leaf "caml_bytes_greaterthan" greater_than, 2;
    Leaf "caml_string_greaterequal" greater_equal, 2;
    Leaf "caml_bytes_greaterequal" greater_equal, 2;
    Leaf "caml_blit_string" blit, 5;
    Leaf "caml_blit_bytes" blit, 5;
    Leaf "caml_fill_bytes" fill, 4;
    Leaf "caml_fill_string" fill, 4;
}

/// The longest string that a 64-bit header can describe. To ask for a longer one is an argument
/// error; to ask for one that is only too large for memory is not.
const MAX_LENGTH: u64 = ((1 << 54) - 1) * 8 - 1;

fn length(string: Value) -> Value {
    Value::int(string.string_len() as i64)
}

fn create_bytes(len: Value) -> Outcome {
    create(len, "Bytes.create")
}

fn create_string(len: Value) -> Outcome {
    create(len, "String.create")
}

#[inline(always)]
fn create(len: Value, function: &str) -> Outcome {
    let len = len.as_int() as u64;
    if len > MAX_LENGTH {
        return Err(raise::invalid_argument(function));
    }
    alloc_uninit(len).ok_or_else(raise::out_of_memory)
}

/// A string of `len` bytes whose contents the caller writes, or `None`: memory is exhausted.
#[inline(always)]
pub fn alloc_uninit(len: u64) -> Option<Value> {
    let block = match len < heap::MAX_YOUNG_WOSIZE as u64 * 8 {
        true => heap::alloc_string_uninit(len as usize),
        false => alloc_large_uninit(len),
    };
    (block != Value::RAISED).then_some(block)
}

/// The same of a string that is too large for the minor heap; [`Value::RAISED`] in place of `None`,
/// which its callers would have to keep room for in memory.
#[cold]
#[inline(never)]
fn alloc_large_uninit(len: u64) -> Value {
    let wosize = usize::try_from(len / 8 + 1).ok();
    let wosize = wosize.filter(|&wosize| wosize < 1 << 29);
    let block = wosize.and_then(|wosize| heap::try_alloc(wosize, tag::STRING));
    let Some(block) = block else {
        return Value::RAISED;
    };
    memory::store_u64(block.field_address(block.wosize() - 1), (7 - len % 8) << 56);
    block
}

fn identity(string: Value) -> Value {
    string
}

/// The address of `size` bytes at `index`, if they are inside the string.
#[inline(always)]
fn element(string: Value, index: Value, size: i64) -> Result<u32, Raised> {
    let index = index.as_int();
    // A negative index is a large unsigned one.
    let last = (index as u64).saturating_add(size as u64 - 1);
    if last >= string.string_len() as u64 {
        return Err(raise::index_out_of_bounds());
    }
    Ok(string.address() + index as u32)
}

#[inline]
fn get(string: Value, index: Value) -> Outcome {
    element(string, index, 1).map(|address| Value::int(memory::load_u8(address) as i64))
}

#[inline]
fn set(bytes: Value, index: Value, byte: Value) -> Outcome {
    memory::store_u8(element(bytes, index, 1)?, byte.as_int() as u8);
    Ok(Value::UNIT)
}

fn get16(string: Value, index: Value) -> Outcome {
    element(string, index, 2).map(|address| Value::int(memory::load_u16(address) as i64))
}

fn get32(string: Value, index: Value) -> Outcome {
    element(string, index, 4).map(|address| custom::alloc_int32(memory::load_i32(address)))
}

fn get64(string: Value, index: Value) -> Outcome {
    element(string, index, 8).map(|address| custom::alloc_int64(memory::load_i64(address)))
}

fn set16(bytes: Value, index: Value, n: Value) -> Outcome {
    memory::store_u16(element(bytes, index, 2)?, n.as_int() as u16);
    Ok(Value::UNIT)
}

fn set32(bytes: Value, index: Value, n: Value) -> Outcome {
    memory::store_i32(element(bytes, index, 4)?, custom::as_int32(n));
    Ok(Value::UNIT)
}

fn set64(bytes: Value, index: Value, n: Value) -> Outcome {
    memory::store_i64(element(bytes, index, 8)?, custom::as_int64(n));
    Ok(Value::UNIT)
}

/// Whether two strings are equal. Padding included, equal strings are equal words.
#[inline]
pub fn equal(a: Value, b: Value) -> bool {
    if a == b {
        return true;
    }
    let words = a.wosize();
    words == b.wosize() && first_difference(a, b, words) == words
}

fn string_equal(a: Value, b: Value) -> Value {
    Value::bool(equal(a, b))
}

fn string_notequal(a: Value, b: Value) -> Value {
    Value::bool(!equal(a, b))
}

fn string_compare(a: Value, b: Value) -> Value {
    Value::int(order_of_strings(a, b) as i64)
}

fn less_than(a: Value, b: Value) -> Value {
    Value::bool(order_of_strings(a, b).is_lt())
}

fn less_equal(a: Value, b: Value) -> Value {
    Value::bool(order_of_strings(a, b).is_le())
}

fn greater_than(a: Value, b: Value) -> Value {
    Value::bool(order_of_strings(a, b).is_gt())
}

fn greater_equal(a: Value, b: Value) -> Value {
    Value::bool(order_of_strings(a, b).is_ge())
}

fn blit(from: Value, from_index: Value, to: Value, to_index: Value, count: Value) -> Value {
    let source = from.address() + from_index.as_int() as u32;
    let target = to.address() + to_index.as_int() as u32;
    memory::copy(source, target, count.as_int() as usize);
    Value::UNIT
}

fn fill(bytes: Value, start: Value, count: Value, byte: Value) -> Value {
    let start = bytes.address() + start.as_int() as u32;
    memory::fill(start, count.as_int() as usize, byte.as_int() as u8);
    Value::UNIT
}

#[cfg(test)]
mod tests {
    use crate::custom;
    use crate::primitives::testing::{call, int, start_machine, string, text};
    use crate::value::Value;

    #[test]
    fn accesses_are_checked() {
        start_machine();
        let outside = Err("Invalid_argument: index out of bounds".to_owned());
        let word = string("abcdefgh");
        assert_eq!(int("caml_string_get", &[word, Value::int(7)]), 'h' as i64);
        assert_eq!(call("caml_string_get", &[word, Value::int(8)]), outside);
        assert_eq!(call("caml_string_get", &[word, Value::int(-1)]), outside);
        assert_eq!(int("caml_string_get16", &[word, Value::int(6)]), 0x6867);
        assert_eq!(call("caml_string_get16", &[word, Value::int(7)]), outside);
        assert_eq!(call("caml_string_get64", &[word, Value::int(-1)]), outside);
        let all = call("caml_string_get64", &[word, Value::int(0)]).expect("inside");
        assert_eq!(custom::as_int64(all), i64::from_le_bytes(*b"abcdefgh"));
        assert_eq!(
            call("caml_string_get", &[string(""), Value::int(0)]),
            outside
        );
    }

    #[test]
    fn lengths_that_no_header_has_are_argument_errors() {
        start_machine();
        let longest = (1i64 << 57) - 9;
        assert_eq!(
            call("caml_create_bytes", &[Value::int(longest)]),
            Err("Out_of_memory".to_owned())
        );
        for length in [longest + 1, -1] {
            assert_eq!(
                call("caml_create_bytes", &[Value::int(length)]),
                Err("Invalid_argument: Bytes.create".to_owned())
            );
        }
    }

    #[test]
    fn overlapping_copies() {
        start_machine();
        let bytes = string("abcdef");
        let arguments = [bytes, Value::int(0), bytes, Value::int(2), Value::int(4)];
        call("caml_blit_bytes", &arguments).expect("it cannot fail");
        assert_eq!(text("caml_string_of_bytes", &[bytes]), "ababcd");
    }
}
