//! Elements of bigarrays: their kinds, sizes, and conversion from and to OCaml values.

use crate::custom;
use crate::heap;
use crate::memory;
use crate::value::{Value, tag};

/// What a bigarray holds: the constructors of `Bigarray.kind`, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Element {
    Float32,
    Float64,
    Int8,
    Uint8,
    Int16,
    Uint16,
    Int32,
    Int64,
    Int,
    Nativeint,
    Complex32,
    Complex64,
    Char,
}

impl Element {
    /// The kind with number `n`.
    #[inline(always)]
    pub fn from_number(n: u8) -> Option<Element> {
        Some(match n {
            0 => Element::Float32,
            1 => Element::Float64,
            2 => Element::Int8,
            3 => Element::Uint8,
            4 => Element::Int16,
            5 => Element::Uint16,
            6 => Element::Int32,
            7 => Element::Int64,
            8 => Element::Int,
            9 => Element::Nativeint,
            10 => Element::Complex32,
            11 => Element::Complex64,
            12 => Element::Char,
            _ => return None,
        })
    }

    /// Bytes of one element.
    #[inline(always)]
    pub fn size(self) -> u32 {
        match self {
            Element::Int8 | Element::Uint8 | Element::Char => 1,
            Element::Int16 | Element::Uint16 => 2,
            Element::Float32 | Element::Int32 => 4,
            Element::Float64
            | Element::Int64
            | Element::Int
            | Element::Nativeint
            | Element::Complex32 => 8,
            Element::Complex64 => 16,
        }
    }

    /// The element at `address`.
    #[inline]
    pub fn read(self, address: u32) -> Value {
        match self {
            Element::Float32 => heap::alloc_float(load_f32(address) as f64),
            Element::Float64 => heap::alloc_float(memory::load_f64(address)),
            Element::Int8 => Value::int(memory::load_u8(address) as i8 as i64),
            Element::Uint8 | Element::Char => Value::int(memory::load_u8(address) as i64),
            Element::Int16 => Value::int(memory::load_u16(address) as i16 as i64),
            Element::Uint16 => Value::int(memory::load_u16(address) as i64),
            Element::Int32 => custom::alloc_int32(memory::load_i32(address)),
            Element::Int64 => custom::alloc_int64(memory::load_i64(address)),
            Element::Int => Value::int(memory::load_i64(address)),
            Element::Nativeint => custom::alloc_nativeint(memory::load_i64(address)),
            Element::Complex32 => complex(load_f32(address) as f64, load_f32(address + 4) as f64),
            Element::Complex64 => complex(memory::load_f64(address), memory::load_f64(address + 8)),
        }
    }

    /// Writes an element.
    #[inline]
    pub fn write(self, address: u32, value: Value) {
        match self {
            Element::Float32 => store_f32(address, value.as_float() as f32),
            Element::Float64 => memory::store_f64(address, value.as_float()),
            Element::Int8 | Element::Uint8 | Element::Char => {
                memory::store_u8(address, value.as_int() as u8)
            }
            Element::Int16 | Element::Uint16 => memory::store_u16(address, value.as_int() as u16),
            Element::Int32 => memory::store_i32(address, custom::as_int32(value)),
            Element::Int64 | Element::Nativeint => {
                memory::store_i64(address, custom::as_int64(value))
            }
            Element::Int => memory::store_i64(address, value.as_int()),
            Element::Complex32 => {
                store_f32(address, value.float_field(0) as f32);
                store_f32(address + 4, value.float_field(1) as f32);
            }
            Element::Complex64 => {
                memory::store_f64(address, value.float_field(0));
                memory::store_f64(address + 8, value.float_field(1));
            }
        }
    }
}

/// A value of type `Complex.t`.
fn complex(re: f64, im: f64) -> Value {
    let block = heap::alloc(2, tag::DOUBLE_ARRAY);
    block.set_float_field(0, re);
    block.set_float_field(1, im);
    block
}

/// A single-precision float in memory.
#[inline(always)]
pub fn load_f32(address: u32) -> f32 {
    f32::from_bits(memory::load_u32(address))
}

#[inline(always)]
pub fn store_f32(address: u32, x: f32) {
    memory::store_u32(address, x.to_bits())
}
