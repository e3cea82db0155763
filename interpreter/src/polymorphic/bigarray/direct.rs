//! Elements of bigarrays of up to three dimensions that are known to be floats, or integers of
//! OCaml's: read and written without allocation. The interpreter's loop does so with the arrays
//! that it does not access itself.

use super::element::{Element, load_f32, store_f32};
use super::{Bigarray, CONVERTED};
use crate::memory;
use crate::raise;
use crate::registry::Raised;
use crate::value::Value;

/// What an instruction does with an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    Get,
    Set,
}

/// An element of an array of `N` dimensions: the array and the indices. Those beyond `N` are not
/// looked at.
#[derive(Clone, Copy)]
pub struct Indexed<const N: u32> {
    pub array: Value,
    pub indices: [i64; 3],
}

/// Raises what an access raises to an array with another number of dimensions, or to an element
/// that is not there.
pub fn raise(array: Value, num_dims: u32, access: Access) -> Raised {
    if Bigarray(array).num_dims() == num_dims as usize {
        return raise::index_out_of_bounds();
    }
    raise::invalid_argument(match access {
        Access::Get => "Bigarray.get: wrong number of indices",
        Access::Set => "Bigarray.set: wrong number of indices",
    })
}

// A function that calls none saves no registers: what is to be raised, others raise.
impl<const N: u32> Indexed<N> {
    /// Where the element, which is a float, lies as an `f64`: until the next call, as others than
    /// those of `float64` are converted. `None` if there is no such element.
    #[inline(always)]
    pub fn float_address(self) -> Option<u32> {
        let (array, number) = self.find()?;
        if array.element() != Element::Float32 {
            return Some(array.data() + number * Element::Float64.size());
        }
        let converted = array.owner() + CONVERTED;
        let x = load_f32(array.data() + number * Element::Float32.size());
        memory::store_f64(converted, x.into());
        Some(converted)
    }

    /// Writes the element, which is a float, if there is one.
    #[inline(always)]
    pub fn set_float(self, x: f64) -> Option<()> {
        let (array, number) = self.find()?;
        if array.element() == Element::Float32 {
            store_f32(array.data() + number * Element::Float32.size(), x as f32);
        } else {
            memory::store_f64(array.data() + number * Element::Float64.size(), x);
        }
        Some(())
    }

    /// The element, which is an integer, if there is one.
    #[inline(always)]
    pub fn integer(self) -> Option<Value> {
        let (array, number) = self.find()?;
        let element = array.element();
        Some(element.read(array.data() + number * element.size()))
    }

    /// Writes the element, which is an integer, if there is one.
    #[inline(always)]
    pub fn set_integer(self, value: Value) -> Option<()> {
        let (array, number) = self.find()?;
        let element = array.element();
        element.write(array.data() + number * element.size(), value);
        Some(())
    }

    /// The array and the element's number in it. The indices are compared one by one: a loop would
    /// cost more than all the rest.
    #[inline(always)]
    fn find(self) -> Option<(Bigarray, u32)> {
        let array = Bigarray(self.array);
        let [i, j, k] = self
            .indices
            .map(|index| index - i64::from(array.is_fortran()));
        let is_inside = |index: i64, dim: usize| (index as u64) < array.dim(dim) as u64;
        let exists = array.num_dims() == N as usize
            && is_inside(i, 0)
            && (N < 2 || is_inside(j, 1))
            && (N < 3 || is_inside(k, 2));
        if !exists {
            return None;
        }
        let number = match (N, array.is_fortran()) {
            (1, _) => i,
            (2, false) => i * array.dim(1) + j,
            (2, true) => j * array.dim(0) + i,
            (_, false) => (i * array.dim(1) + j) * array.dim(2) + k,
            (_, true) => (k * array.dim(1) + j) * array.dim(0) + i,
        };
        Some((array, number as u32))
    }
}
