//! Shortcuts of bigarrays: elements of arrays of one to three dimensions, and dimensions.
//!
//! In line are arrays in C's layout of floats (`float64`, `float32`), integers (`int`), bytes
//! (`char`, `int8_unsigned`), in compiled code those of the other short integers, and, where the
//! program shows which, boxed integers (`int32`, `int64`, `nativeint`) in either layout: one
//! comparison tells layout and dimensions, and then each access tries floats or the others. For
//! others, and for indices out of bounds, the primitive is called; or, where the program shows that
//! an element is a float or an integer ([`Kind`]), a function that allocates nothing. So a float is
//! not boxed whatever the array, and a loop needs no poll. What comes after that function is
//! compiled once more ([`Registers::apart`]).

use super::boxes::{box_integer, integer_kind, unbox};
use super::polls::still_passed;
use super::registers::{Registers, UNIT, tagged};
use super::shortcut::{self, Attempt};
use crate::code;
use crate::memory::{self, Region, within};
use crate::polymorphic::bigarray::direct::{self, Access, Indexed};
use crate::polymorphic::bigarray::element::{Element, load_f32, store_f32};
use crate::polymorphic::bigarray::{Bigarray, Layout, flags_of, is_c_layout, kind};
use crate::raise;
use crate::registry::arguments::Kind;
use crate::registry::shortcut::*;
use crate::value::{Value, WORD, boxed};
use annotations::{
    context_pop, context_push, context_update, immediate, safepoint_needless, specialize_active,
};

/// The version of an activation's code for the usual arrays. Like the others, it is a position, no
/// instruction's, below those of its instructions.
pub const USUAL: u32 = 0;

/// The version after an array that was none of the usual, to the end of the round. Each access
/// leads there: if it had loops, these would have as many entries, and be dispatch blocks.
const LEAVING: u32 = 1;

/// The version after that.
const APART: u32 = 2;

/// The number of dimensions that a shortcut is for.
#[inline(always)]
fn num_dims(shortcut: u32) -> u32 {
    match shortcut {
        BIGARRAY_GET_1 | BIGARRAY_SET_1 | BIGARRAY_DIM_1 => 1,
        BIGARRAY_GET_2 | BIGARRAY_SET_2 | BIGARRAY_DIM_2 => 2,
        _ => 3,
    }
}

// No closures here that read cells: one that is not inlined would do so behind the specializer's
// back.
impl Registers {
    /// The shortcut that gives a dimension of the array in the accumulator.
    #[inline(always)]
    pub fn bigarray_dim(&mut self, shortcut: u32) -> Attempt {
        let array = Bigarray(Value(self.accu));
        let number = num_dims(shortcut) as usize;
        if array.num_dims() < number {
            no_such_dimension();
            return Attempt::Raised;
        }
        self.done(immediate(tagged(array.dim(number - 1))), 0)
    }

    /// The shortcut that reads the element of the array in the accumulator whose indices are the
    /// topmost slots.
    #[inline(always)]
    pub fn bigarray_get(&mut self, shortcut: u32) -> Attempt {
        let num_dims = num_dims(shortcut);
        if code::is_of_kind(self.pc, Kind::Float) {
            return self.get_float(num_dims);
        }
        // To generic code these are unusual.
        if specialize_active() != 0
            && let Some(kind) = code::element_box(self.pc)
        {
            return self.get_boxed(num_dims, kind);
        }
        if let Some(element) = self.plain_integer(num_dims) {
            return self.done(immediate(tagged(element)), num_dims);
        }
        if !code::is_of_kind(self.pc, Kind::Integer) {
            return Attempt::Call;
        }
        let needless = safepoint_needless();
        let [i, j, k] = self.indices(num_dims);
        let element = by_dimensions!(num_dims, integer_element(self.accu, i, j, k));
        if element == 0 {
            no_element_to_get(self.accu, num_dims);
            return Attempt::Raised;
        }
        self.apart(needless);
        self.done(immediate(element), num_dims)
    }

    #[inline(always)]
    fn get_float(&mut self, num_dims: u32) -> Attempt {
        let x = if let Some(x) = self.plain_float(num_dims) {
            x
        } else {
            let needless = safepoint_needless();
            let [i, j, k] = self.indices(num_dims);
            let address = by_dimensions!(num_dims, float_address(self.accu, i, j, k));
            if address == 0 {
                no_element_to_get(self.accu, num_dims);
                return Attempt::Raised;
            }
            self.apart(needless);
            // Before anything else runs, see `float_address`.
            memory::load_f64(address)
        };
        shortcut::boxed!(self, num_dims, x)
    }

    /// Reads an element that is a boxed integer of this kind.
    #[inline(always)]
    fn get_boxed(&mut self, num_dims: u32, kind: u32) -> Attempt {
        let Some(address) = self.plain_boxed(num_dims, kind) else {
            return Attempt::Call;
        };
        let n = match kind {
            boxed::INT32 => memory::load_i32(address).into(),
            _ => memory::load_i64(address),
        };
        let Some(place) = self.place_of_integer() else {
            return Attempt::Raised;
        };
        self.done(box_integer(place, kind, n), num_dims)
    }

    /// The shortcut that writes an element; below the indices is the value.
    #[inline(always)]
    pub fn bigarray_set(&mut self, shortcut: u32) -> Attempt {
        let num_dims = num_dims(shortcut);
        let value = self.slot(num_dims);
        let is_integer = value & 1 == 1;
        let kind = integer_kind(value);
        let done = if is_integer {
            self.set_plain_integer(num_dims, value)
        } else if kind != 0 {
            self.set_plain_boxed(num_dims, kind, value)
        } else {
            self.set_plain_float(num_dims, value)
        };
        if !done {
            if !is_integer && !code::is_of_kind(self.pc, Kind::Float) {
                return Attempt::Call;
            }
            let needless = safepoint_needless();
            let [i, j, k] = self.indices(num_dims);
            let fine = if is_integer {
                by_dimensions!(num_dims, set_integer(self.accu, i, j, k, value))
            } else {
                by_dimensions!(
                    num_dims,
                    set_float(self.accu, i, j, k, Value(value).as_float())
                )
            };
            if fine == 0 {
                no_element_to_set(self.accu, num_dims);
                return Attempt::Raised;
            }
            self.apart(needless);
        }
        self.done(UNIT, num_dims + 1)
    }

    /// What comes after a call of one of the functions below: in residual code a version of its
    /// own, from which no way leads back to that for the usual arrays. There, no call is left that
    /// comes back, and the code generator keeps variables in registers.
    #[inline(always)]
    fn apart(&mut self, needless: u32) {
        if specialize_active() != 0 && self.version == USUAL {
            self.go_on_as(LEAVING);
        }
        still_passed(needless);
    }

    /// A round begins, or the activation does again: the version that leaves the one for the usual
    /// arrays has come from each access to one place.
    #[inline(always)]
    pub fn leave_version(&mut self) {
        if specialize_active() != 0 && self.version == LEAVING {
            self.go_on_as(APART);
        }
    }

    #[inline(always)]
    fn go_on_as(&mut self, version: u32) {
        self.version = version;
        context_pop();
        context_update(version);
        context_push(self.pc);
    }

    /// The element, if it is a float, and the indices are inside.
    #[inline(always)]
    fn plain_float(&self, num_dims: u32) -> Option<f64> {
        let place = self.locate(num_dims)?;
        if place.kind == Element::Float64 as u32 {
            Some(memory::load_f64(place.address(WORD)))
        } else if place.is_short_float() {
            Some(load_f32(place.address(WORD / 2)).into())
        } else {
            None
        }
    }

    #[inline(always)]
    fn set_plain_float(&self, num_dims: u32, value: i64) -> bool {
        let Some(place) = self.locate(num_dims) else {
            return false;
        };
        if place.kind == Element::Float64 as u32 {
            memory::store_f64(place.address(WORD), Value(value).as_float());
        } else if place.is_short_float() {
            store_f32(place.address(WORD / 2), Value(value).as_float() as f32);
        } else {
            return false;
        }
        true
    }

    /// Where the element is, if it is a boxed integer of a kind in either layout, and the indices
    /// are inside: what is left else is a primitive that allocates.
    #[inline(always)]
    fn plain_boxed(&self, num_dims: u32, kind: u32) -> Option<u32> {
        let (element, size) = match kind {
            boxed::INT32 => (Element::Int32, WORD / 2),
            boxed::INT64 => (Element::Int64, WORD),
            _ => (Element::Nativeint, WORD),
        };
        let place = match self.locate(num_dims) {
            Some(place) => place,
            None => self.locate_in_fortran(num_dims, element)?,
        };
        (place.kind == element as u32).then(|| place.address(size))
    }

    #[inline(always)]
    fn set_plain_boxed(&self, num_dims: u32, kind: u32, value: i64) -> bool {
        let Some(address) = self.plain_boxed(num_dims, kind) else {
            return false;
        };
        match kind {
            boxed::INT32 => memory::store_i32(address, unbox(value) as i32),
            _ => memory::store_i64(address, unbox(value)),
        }
        true
    }

    /// The element, if it is an integer of OCaml's, and the indices are inside.
    #[inline(always)]
    fn plain_integer(&self, num_dims: u32) -> Option<i64> {
        let place = self.locate(num_dims)?;
        if place.kind == Element::Int as u32 {
            Some(memory::load_i64(place.address(WORD)))
        } else if place.is_byte() {
            Some(memory::load_u8(place.address(1)).into())
        } else if !place.is_short_integer() {
            None
        } else if place.kind == Element::Int8 as u32 {
            Some((memory::load_u8(place.address(1)) as i8).into())
        } else if place.kind == Element::Int16 as u32 {
            Some((memory::load_u16(place.address(2)) as i16).into())
        } else {
            Some(memory::load_u16(place.address(2)).into())
        }
    }

    #[inline(always)]
    fn set_plain_integer(&self, num_dims: u32, value: i64) -> bool {
        let Some(place) = self.locate(num_dims) else {
            return false;
        };
        if place.kind == Element::Int as u32 {
            memory::store_i64(place.address(WORD), value >> 1);
        } else if place.is_byte() {
            memory::store_u8(place.address(1), (value >> 1) as u8);
        } else if !place.is_short_integer() {
            return false;
        } else if place.kind == Element::Int8 as u32 {
            memory::store_u8(place.address(1), (value >> 1) as u8);
        } else {
            memory::store_u16(place.address(2), (value >> 1) as u16);
        }
        true
    }

    /// Where the element is, if the array is in C's layout and the indices are inside.
    #[inline(always)]
    fn locate(&self, num_dims: u32) -> Option<Located> {
        let array = Bigarray(Value(self.accu));
        if !is_c_layout(array.all_flags(), num_dims) {
            return None;
        }
        let number = self.element_number(array, num_dims)?;
        Some(Located::new(array, number))
    }

    /// The same in Fortran's layout, if the elements are such.
    #[inline(always)]
    fn locate_in_fortran(&self, num_dims: u32, element: Element) -> Option<Located> {
        let array = Bigarray(Value(self.accu));
        if array.all_flags() != flags_of(Layout::Fortran, element, num_dims) {
            return None;
        }
        let number = self.element_number_in_fortran(array, num_dims)?;
        Some(Located::new(array, number))
    }

    /// The number of the element, if the indices are inside.
    #[inline(always)]
    fn element_number(&self, array: Bigarray, num_dims: u32) -> Option<u32> {
        let mut number = self.step(array, 0, 0, 0)?;
        if num_dims > 1 {
            number = self.step(array, 1, 0, number)?;
        }
        if num_dims > 2 {
            number = self.step(array, 2, 0, number)?;
        }
        Some(number)
    }

    /// The same in Fortran's layout, where the last index counts most and the first one is 1.
    #[inline(always)]
    fn element_number_in_fortran(&self, array: Bigarray, num_dims: u32) -> Option<u32> {
        let mut number = 0;
        if num_dims > 2 {
            number = self.step(array, 2, 1, number)?;
        }
        if num_dims > 1 {
            number = self.step(array, 1, 1, number)?;
        }
        self.step(array, 0, 1, number)
    }

    /// The number with one more index, if that is inside. Indices begin at `first`.
    #[inline(always)]
    fn step(&self, array: Bigarray, dimension: u32, first: i64, number: u32) -> Option<u32> {
        let index = (self.slot(dimension) >> 1) - first;
        let dim = array.dim(dimension as usize);
        if index as u64 >= dim as u64 {
            return None;
        }
        Some(number.wrapping_mul(dim as u32).wrapping_add(index as u32))
    }

    /// The indices, and as many more as there could be.
    #[inline(always)]
    fn indices(&self, num_dims: u32) -> [i64; 3] {
        let j = if num_dims > 1 { self.slot(1) } else { UNIT };
        let k = if num_dims > 2 { self.slot(2) } else { UNIT };
        [self.slot(0), j, k]
    }
}

/// Where an element of a bigarray is. All that an array says of it is loaded before its kind is
/// looked at: loops keep then what each of their rounds loads, whatever the kind.
#[derive(Clone, Copy)]
struct Located {
    kind: u32,
    /// Where the array's elements begin.
    data: u32,
    number: u32,
}

impl Located {
    #[inline(always)]
    fn new(array: Bigarray, number: u32) -> Self {
        Self {
            kind: kind(array.all_flags()),
            data: array.data(),
            number,
        }
    }

    /// The address of the element, which takes `size` bytes.
    #[inline(always)]
    fn address(self, size: u32) -> u32 {
        address(self.data, self.number, size)
    }

    /// Whether it is a `float32`, which is unusual to generic code.
    #[inline(always)]
    fn is_short_float(self) -> bool {
        specialize_active() != 0 && self.kind == Element::Float32 as u32
    }

    /// Whether it is a byte, read as it is.
    #[inline(always)]
    fn is_byte(self) -> bool {
        const KINDS: u32 = 1 << Element::Uint8 as u32 | 1 << Element::Char as u32;
        self.is_one_of(KINDS)
    }

    /// Whether it is a signed byte or two bytes, which are unusual to generic code.
    #[inline(always)]
    fn is_short_integer(self) -> bool {
        const KINDS: u32 =
            1 << Element::Int8 as u32 | 1 << Element::Int16 as u32 | 1 << Element::Uint16 as u32;
        specialize_active() != 0 && self.is_one_of(KINDS)
    }

    /// Whether its kind is among these, a bit each. Comparisons with several kinds would become a
    /// jump through a table, in each access.
    #[inline(always)]
    fn is_one_of(self, kinds: u32) -> bool {
        kinds >> (self.kind & 31) & 1 == 1
    }
}

/// The address of an element of an array whose elements begin at `data`, of `size` bytes each.
#[inline(always)]
pub fn address(data: u32, number: u32, size: u32) -> u32 {
    let address = data.wrapping_add(number.wrapping_mul(size));
    within(address, Region::Elements)
}

#[inline(never)]
extern "C" fn no_such_dimension() {
    raise::invalid_argument("Bigarray.dim");
}

/// Calls the version of `$function` for as many dimensions.
macro_rules! by_dimensions {
    ($num_dims:ident, $function:ident($($argument:expr),*)) => {
        match $num_dims {
            1 => $function::<1>($($argument),*),
            2 => $function::<2>($($argument),*),
            _ => $function::<3>($($argument),*),
        }
    };
}
use by_dimensions;

fn indexed<const N: u32>(array: i64, indices: [i64; 3]) -> Indexed<N> {
    Indexed {
        array: Value(array),
        indices: indices.map(|index| index >> 1),
    }
}

/// An element that is an integer of OCaml's; 0: there is none.
#[inline(never)]
extern "C" fn integer_element<const N: u32>(array: i64, i: i64, j: i64, k: i64) -> i64 {
    let element = indexed::<N>(array, [i, j, k]).integer();
    element.map_or(0, |element| element.0)
}

/// Where an element that is a float lies, until the next call; 0: there is none.
#[inline(never)]
extern "C" fn float_address<const N: u32>(array: i64, i: i64, j: i64, k: i64) -> u32 {
    let element = indexed::<N>(array, [i, j, k]);
    element.float_address().unwrap_or(0)
}

/// Writes an element that is a float; 0: there is none.
#[inline(never)]
extern "C" fn set_float<const N: u32>(array: i64, i: i64, j: i64, k: i64, x: f64) -> u32 {
    let done = indexed::<N>(array, [i, j, k]).set_float(x);
    done.is_some().into()
}

/// Writes an element that is an integer of OCaml's; 0: there is none.
#[inline(never)]
extern "C" fn set_integer<const N: u32>(array: i64, i: i64, j: i64, k: i64, value: i64) -> u32 {
    let done = indexed::<N>(array, [i, j, k]).set_integer(Value(value));
    done.is_some().into()
}

/// Raises what reading an element does that there is not.
#[inline(never)]
extern "C" fn no_element_to_get(array: i64, num_dims: u32) {
    direct::raise(Value(array), num_dims, Access::Get);
}

/// Raises what writing one does.
#[inline(never)]
extern "C" fn no_element_to_set(array: i64, num_dims: u32) {
    direct::raise(Value(array), num_dims, Access::Set);
}
