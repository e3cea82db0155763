//! The request table: what of an interpreter is to be specialized, as it lies in the interpreter's
//! memory.
//!
//! Invariant: all fields are of fixed size and aligned to their size, so the layout is the same on
//! every target. The specializer reads it by these types' offsets.

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

/// Name of the exported immutable `i32` global that holds the address of the [`RequestTable`].
pub const REQUEST_TABLE_EXPORT: &str = "BACTRIAN_REQUESTS";

/// First word of a [`RequestTable`]: `"BACT"`, little endian.
pub const REQUEST_MAGIC: u32 = 0x5443_4142;

/// Version of the layout of [`RequestTable`], [`Region`] and [`Request`].
pub const REQUEST_VERSION: u32 = 5;

/// Root of the specialization requests, in the interpreter's memory. All pointers are 32-bit
/// addresses. The linker blanks table, requests, names and links: nothing else may read them.
#[repr(C)]
#[derive(Debug)]
pub struct RequestTable {
    pub magic: u32,
    pub version: u32,
    /// Address of `[Region; region_count]`.
    pub regions: u32,
    pub region_count: u32,
    /// Address of `[Request; request_count]`.
    pub requests: u32,
    pub request_count: u32,
    /// Address and length of the requests' names: UTF-8 (other bytes are shown as such), in the
    /// order of the requests, each of [`MAX_NAME`] bytes at most and ended by a NUL. A length of 0
    /// means that they have none.
    pub names: u32,
    pub names_len: u32,
    /// Address of `[u32; link_count]`: the links, in any order. A link is an aligned 32-bit
    /// word of a region that holds an address in a region, or 0. Specialization knows it by the
    /// link alone, so what is specialized does not depend on where it leads.
    pub links: u32,
    pub link_count: u32,
    /// Address of `[u32; cell_count]`, which stays in the linked module: addresses in regions, or
    /// 0. Where residual code needs one of these addresses, it loads it from here, so that it is
    /// the same code wherever that leads. A count of 0 means that addresses are constants of the
    /// code.
    pub cells: u32,
    pub cell_count: u32,
}

impl RequestTable {
    /// A table that asks for nothing.
    pub const EMPTY: Self = Self {
        magic: REQUEST_MAGIC,
        version: REQUEST_VERSION,
        regions: 0,
        region_count: 0,
        requests: 0,
        request_count: 0,
        names: 0,
        names_len: 0,
        links: 0,
        link_count: 0,
        cells: 0,
        cell_count: 0,
    };

    /// Its words, in order.
    const fn words(self) -> [u32; TABLE_WORDS] {
        [
            self.magic,
            self.version,
            self.regions,
            self.region_count,
            self.requests,
            self.request_count,
            self.names,
            self.names_len,
            self.links,
            self.link_count,
            self.cells,
            self.cell_count,
        ]
    }
}

const TABLE_WORDS: usize = size_of::<RequestTable>() / size_of::<u32>();

/// A [`RequestTable`] where the specializer finds it: a static that is exported under
/// [`REQUEST_TABLE_EXPORT`], see [`request_table!`](crate::request_table).
#[repr(transparent)]
#[derive(Debug)]
pub struct Published([AtomicU32; TABLE_WORDS]);

impl Published {
    /// With an empty table.
    #[expect(clippy::new_without_default, reason = "it is a static")]
    pub const fn new() -> Self {
        let words = RequestTable::EMPTY.words();
        let mut cells = [const { AtomicU32::new(0) }; TABLE_WORDS];
        let mut index = 0;
        while index < TABLE_WORDS {
            cells[index] = AtomicU32::new(words[index]);
            index += 1;
        }
        Self(cells)
    }

    /// From now on, this table is the one that the specializer finds.
    pub fn publish(&self, table: RequestTable) {
        for (cell, word) in self.0.iter().zip(table.words()) {
            cell.store(word, Relaxed);
        }
    }
}

/// Bytes of a name, without its end.
pub const MAX_NAME: usize = 512;

/// A range of memory whose contents never change after the snapshot. Request slots in it the linker
/// changes, and nobody else: calls by name do not look at them again.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Region {
    pub base: u32,
    /// Length in bytes.
    pub len: u32,
}

/// How many parameters of the generic function a request can describe.
pub const MAX_PARAMS: usize = 16;

/// One function to be specialized.
///
/// The residual function has the signature of the function whose table index is in `*slot` at the
/// snapshot; the linker stores the residual function's table index there.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Table index of the generic function.
    pub function: u32,
    /// Address of the 32-bit word that holds the table index through which the function is called.
    pub slot: u32,
    /// Code the request stands for: `params[anchor]` is a pointer to it, and the `code_len` bytes
    /// from there identify the request, whatever its address.
    pub anchor: u32,
    pub code_len: u32,
    /// Number of entries of `params` in use: the generic function's parameter count.
    pub param_count: u32,
    /// A sum of the `REQUEST_*` bits below.
    pub flags: u32,
    /// 1 more than the index of the kind of boxes that the function returns, if it returns nothing
    /// but these, and 0, which says that it raised; 0 if it may return anything.
    pub result: u32,
    pub reserved: u32,
    pub params: [Param; MAX_PARAMS],
}

/// The code calls itself, and goes on after that: a hint that it is no use to evaluate calls of it
/// in place.
pub const REQUEST_RECURSIVE: u32 = 1;
/// The code repeats itself, by jumps back or calls of itself: a hint that it is worth more to
/// evaluate calls in it in place.
pub const REQUEST_LOOPS: u32 = 2;
/// A short way through the code leads to a return and has no effects: a hint that it is worth to
/// take that way before the code is called. It promises that the cells which the code writes before
/// its first effect are of its own frame, where nobody looks who calls it: they are not undone.
pub const REQUEST_RETURNS_EARLY: u32 = 4;

/// What is known of one parameter of the generic function.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Param {
    /// One of the `PARAM_*` constants.
    pub kind: u32,
    /// Of a [`PARAM_PASS`]: 1 more than the index of the kind of boxes ([`crate::BoxTable`]) that
    /// all calls give it; 0 if it may be anything. How the calls give it is up to residual code.
    pub boxed: u32,
    /// The constant, the pointer, or the index of the residual function's parameter.
    pub value: u64,
}

impl Param {
    /// The residual function's parameter of this number.
    pub const fn pass(number: u32) -> Self {
        Self::new(PARAM_PASS, number as u64)
    }

    /// The same, the address of a frame.
    pub const fn frame(number: u32) -> Self {
        Self::new(PARAM_FRAME, number as u64)
    }

    /// A constant.
    pub const fn constant(value: u64) -> Self {
        Self::new(PARAM_CONST, value)
    }

    /// A pointer to this address, inside a region.
    pub const fn pointer(address: u32) -> Self {
        Self::new(PARAM_POINTER, address as u64)
    }

    const fn new(kind: u32, value: u64) -> Self {
        Self {
            kind,
            boxed: 0,
            value,
        }
    }
}

/// The parameter is the residual function's parameter number `value`.
pub const PARAM_PASS: u32 = 0;
/// The parameter is the constant `value`.
pub const PARAM_CONST: u32 = 1;
/// The parameter is a pointer (an `i32`) to `value`, inside a region. Results that depend on it do
/// not contain the address: they are relocatable.
pub const PARAM_POINTER: u32 = 2;
/// As [`PARAM_PASS`], of an `i32`: the address of a frame. Loads and stores of 1, 4 or 8 bytes at a
/// known distance from it read and write cells, as the intrinsics for cells do. A contract: what
/// other code changes there is behind a sync and forgotten (`cells.forget`), and so is what the
/// function itself stores through another address that comes from memory or from a call. One that
/// is computed from the frame, in a loop say, needs neither: where its distance is not known, all
/// cells go to memory first.
pub const PARAM_FRAME: u32 = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::offset_of;

    /// What is published has the layout of the table.
    #[test]
    fn words_are_where_the_fields_are() {
        let table = RequestTable {
            regions: 1,
            names_len: 2,
            cell_count: 3,
            ..RequestTable::EMPTY
        };
        let published = Published::new();
        let word = |offset: usize| published.0[offset / 4].load(Relaxed);
        assert_eq!(word(offset_of!(RequestTable, magic)), REQUEST_MAGIC);
        assert_eq!(word(offset_of!(RequestTable, version)), REQUEST_VERSION);
        assert_eq!(word(offset_of!(RequestTable, regions)), 0);
        published.publish(table);
        assert_eq!(word(offset_of!(RequestTable, magic)), REQUEST_MAGIC);
        assert_eq!(word(offset_of!(RequestTable, regions)), 1);
        assert_eq!(word(offset_of!(RequestTable, names_len)), 2);
        assert_eq!(word(offset_of!(RequestTable, cell_count)), 3);
        assert_eq!(size_of::<Published>(), size_of::<RequestTable>());
    }
}
