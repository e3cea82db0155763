//! Bigarrays: arrays of numbers outside of the OCaml heap.
//!
//! The custom block has the fields of C's `caml_ba_array`: address of the first element, number of
//! dimensions, flags (kind, layout), owner, dimensions. The flags have the number of dimensions as
//! well, in their upper bits, so that one comparison tells whether an array is as expected. The
//! owner is the head of the data: arrays that share data share it, it counts them, and the data
//! goes with the last one. Data that a stub gave lies elsewhere, and has only a head here.
//!
//! `element`: one element; `access`: reading and writing, `direct` without allocation; `shape`:
//! parts and views; `content`: whole arrays.

pub mod access;
pub mod content;
pub mod direct;
pub mod element;
pub mod shape;
#[cfg(test)]
mod tests;

pub use content::{data_words, hash, marshal, order, unmarshal};
pub use shape::create_of;

use crate::custom::{self, Kind};
use crate::heap;
use crate::memory::{self, Region};
use crate::outside;
use crate::value::{Value, WORD};
use element::Element;

/// Most dimensions that an array has.
pub const MAX_DIMS: usize = 16;

/// Bytes before the data: number of arrays that share it, size in bytes with this head, and room
/// for an element that was converted.
const HEAD: u32 = 16;
const CONVERTED: u32 = 8;

/// Bytes of the head of data that is not here: its size is 0, and its address and a function that
/// frees it, or 0, follow.
#[cfg(target_family = "wasm")]
const FOREIGN_HEAD: u32 = HEAD + 8;

const KIND_MASK: i64 = 0xFF;
const FORTRAN: i64 = 0x100;
const MANAGED: i64 = 0x200;
const NUM_DIMS_SHIFT: u32 = 16;

/// In which order elements lie, and from what on indices count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    C,
    Fortran,
}

/// The flags of an array in this layout.
#[inline(always)]
pub const fn flags_of(layout: Layout, element: Element, num_dims: u32) -> u32 {
    let layout = match layout {
        Layout::C => 0,
        Layout::Fortran => FORTRAN as u32,
    };
    MANAGED as u32 | layout | element as u32 | num_dims << NUM_DIMS_SHIFT
}

/// Whether they are those of an array of any kind in C's layout.
#[inline(always)]
pub const fn is_c_layout(flags: u32, num_dims: u32) -> bool {
    flags & !(KIND_MASK as u32) == MANAGED as u32 | num_dims << NUM_DIMS_SHIFT
}

/// The kind's number in an array's flags.
#[inline(always)]
pub const fn kind(flags: u32) -> u32 {
    flags & KIND_MASK as u32
}

/// A block that is a bigarray.
#[derive(Clone, Copy)]
pub struct Bigarray(pub Value);

impl Bigarray {
    /// Fields of the block, dimensions excluded.
    const FIELDS: usize = 5;

    #[inline(always)]
    pub fn data(self) -> u32 {
        memory::load_u32_within(self.shape(), WORD)
    }

    /// Where what does not change is.
    #[inline(always)]
    fn shape(self) -> u32 {
        memory::within(self.0.address(), Region::Fixed)
    }

    #[inline(always)]
    pub fn num_dims(self) -> usize {
        memory::load_u32_within(self.shape(), 2 * WORD) as usize
    }

    /// Kind and layout.
    #[inline(always)]
    fn flags(self) -> i64 {
        i64::from(self.all_flags()) & ((1 << NUM_DIMS_SHIFT) - 1)
    }

    /// Kind, layout and number of dimensions.
    #[inline(always)]
    pub fn all_flags(self) -> u32 {
        memory::load_u32_within(self.shape(), 3 * WORD)
    }

    #[inline(always)]
    fn owner(self) -> u32 {
        memory::load_u32(self.0.field_address(4))
    }

    #[inline(always)]
    pub fn dim(self, index: usize) -> i64 {
        memory::load_i64_within(self.shape(), (Self::FIELDS + index) as u32 * WORD)
    }

    fn dims(self) -> impl DoubleEndedIterator<Item = i64> {
        (0..self.num_dims()).map(move |index| self.dim(index))
    }

    #[inline(always)]
    fn element(self) -> Element {
        Element::from_number((self.flags() & KIND_MASK) as u8).expect("a bigarray has a kind")
    }

    #[inline(always)]
    fn is_fortran(self) -> bool {
        self.flags() & FORTRAN != 0
    }

    fn num_elements(self) -> u32 {
        self.dims()
            .fold(1, |count, dim| count.wrapping_mul(dim as u32))
    }

    fn num_bytes(self) -> usize {
        (self.num_elements() * self.element().size()) as usize
    }
}

/// The bytes of an array's elements, to be changed.
///
/// # Safety
///
/// While the borrow lasts, nothing else reads the elements or writes to them, and nothing collects.
pub unsafe fn bytes_mut(array: &mut Value) -> &mut [u8] {
    let array = Bigarray(*array);
    // SAFETY: the caller promises the same.
    unsafe { memory::bytes_mut(array.data(), array.num_bytes()) }
}

/// Bytes of one element of a kind.
pub fn element_size(kind: Value) -> i64 {
    let element = Element::from_number((kind.as_int() & KIND_MASK) as u8);
    element.expect("a kind").size().into()
}

/// How many elements an array of these dimensions has; `None` where the product does not fit into
/// 64 bits on the way, before there is a 0.
fn count_elements(dims: &[i64]) -> Option<u64> {
    dims.iter()
        .try_fold(1u64, |count, &dim| count.checked_mul(dim.try_into().ok()?))
}

/// What is to be allocated.
struct Shape<'a> {
    flags: i64,
    dims: &'a [i64],
}

/// A new array with data of its own, zeroed, or `None`: memory is exhausted.
fn create(shape: &Shape) -> Option<Bigarray> {
    let element = Element::from_number((shape.flags & KIND_MASK) as u8).expect("a kind");
    let bytes = count_elements(shape.dims)?
        .checked_mul(element.size().into())?
        .checked_add(HEAD.into())?;
    let bytes = u32::try_from(bytes).ok()?;
    let Some(owner) = outside::alloc(bytes as usize) else {
        heap::note_exhausted();
        return None;
    };
    memory::store_u32(owner, 0);
    memory::store_u32(owner + 4, bytes);
    let array = share(shape, owner, owner + HEAD);
    heap::note_external(array.0, (bytes - HEAD) as usize);
    Some(array)
}

/// A new array for stubs, of the kind and layout in `flags`: over `data`, or where that is 0, over
/// data of its own, not zero. It frees foreign data if the flags say that it manages it.
#[cfg(target_family = "wasm")]
pub fn alloc(flags: u32, dims: &[i64], data: u32, free: fn(u32)) -> Option<Value> {
    let shape = Shape {
        flags: i64::from(flags) & (KIND_MASK | FORTRAN),
        dims,
    };
    if data == 0 {
        return Some(create(&shape)?.0);
    }
    let owner = outside::alloc(FOREIGN_HEAD as usize)?;
    memory::store_u32(owner, 0);
    memory::store_u32(owner + 4, 0);
    let is_managed = i64::from(flags) & MANAGED != 0;
    let free = if is_managed { free as usize as u32 } else { 0 };
    memory::store_u32(owner + HEAD, data);
    memory::store_u32(owner + HEAD + 4, free);
    Some(share(&shape, owner, data).0)
}

/// Frees the head of data that a stub gave, and the data if that is the array's to do.
#[cfg(target_family = "wasm")]
fn free_foreign(owner: u32) {
    let (data, free) = (
        memory::load_u32(owner + HEAD),
        memory::load_u32(owner + HEAD + 4),
    );
    if free != 0 {
        // SAFETY: `alloc` stored a function of this type there.
        let free =
            unsafe { core::mem::transmute::<*const (), fn(u32)>(free as usize as *const ()) };
        free(data);
    }
    outside::free(owner, FOREIGN_HEAD as usize);
}

#[cfg(not(target_family = "wasm"))]
fn free_foreign(_: u32) {}

/// A new array over data of `owner`.
fn share(shape: &Shape, owner: u32, data: u32) -> Bigarray {
    memory::store_u32(owner, memory::load_u32(owner) + 1);
    let block = custom::alloc_released(
        Kind::Bigarray,
        Bigarray::FIELDS - 1 + shape.dims.len(),
        release,
    );
    let fields = [
        data as i64,
        shape.dims.len() as i64,
        shape.flags | MANAGED | (shape.dims.len() as i64) << NUM_DIMS_SHIFT,
        owner as i64,
    ];
    for (index, &field) in fields.iter().chain(shape.dims).enumerate() {
        memory::store_i64(block.field_address(index + 1), field);
    }
    Bigarray(block)
}

/// The array is dead: its data goes if no other one shares it.
fn release(block: Value) {
    let owner = Bigarray(block).owner();
    let users = memory::load_u32(owner) - 1;
    memory::store_u32(owner, users);
    if users == 0 {
        match memory::load_u32(owner + 4) {
            0 => free_foreign(owner),
            size => outside::free(owner, size as usize),
        }
    }
}
