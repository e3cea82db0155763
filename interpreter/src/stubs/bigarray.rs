//! Bigarrays that stubs make.

use super::{interface, memory, raise};
use crate::polymorphic::bigarray;
use crate::registry;
use crate::value::Value;

interface! {
    "ar" fn caml_ba_alloc(flags: u32, count: i32, data: u32, dims: u32) -> Value {
        let dims = (0..count as u32).map(|index| registry::argument(dims, index).0);
        let dims: Vec<i64> = dims.collect();
        match bigarray::alloc(flags, &dims, data, memory::give_back) {
            Some(array) => array,
            None => {
                raise::unwind(crate::raise::out_of_memory());
                Value::RAISED
            }
        }
    }
}
