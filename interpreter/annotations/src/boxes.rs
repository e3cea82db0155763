//! Boxes of numbers that residual code makes only where somebody looks at them.
//!
//! Invariant: as in [`crate::RequestTable`], fields are of fixed size and aligned to it.

use core::sync::atomic::AtomicU32;

/// The name of the Wasm global that holds the address of a [`BoxTable`]: how an interpreter boxes
/// numbers.
///
/// Each entry names a function, `extern "C" fn(f64) -> i64` or `extern "C" fn(i64) -> i64`, that
/// returns the address of a new box of its parameter, the *payload*. Residual code keeps the
/// payload instead, and calls a copy of the function where the address is needed: for a call, a
/// store, a return, a [`crate::cells_sync`]. An interpreter that exports no table has all boxes
/// made where its code makes them. One that does promises, for each entry:
///
/// * **The box.** The result is an address, even and not 0, of a block that has the payload
///   [`BoxKind::offset`] bytes from there. Nobody writes these bytes. Other code may move a box
///   that a cell holds, but not put a box of another payload or kind into the cell.
/// * **Pure but for the allocation.** The function neither collects nor raises, reads no cell, and
///   has no effect but that of taking memory.
/// * **Any number of times, anywhere.** A call may be left out, come later than in generic code, or
///   be made again for the same payload; also at places where generic code makes no box. It
///   succeeds at each of them. How many boxes there are, and whether two are the same, must not
///   matter to the program.
/// * **Other boxes.** [`crate::box_exists`] says of an address from elsewhere (a constant, a field)
///   that a box as above is there; [`crate::box_literal`] also which payload it always has.
///
/// A body is copied if it has neither a tail call nor a switch; with one of them there are no such
/// boxes of that kind. There are none in modules with lockstep events, which compare addresses.
///
/// Floats whose eight bytes follow a header of eight:
///
/// ```
/// use core::sync::atomic::AtomicU32;
/// use bactrian_annotations::{BoxKind, BoxTable};
///
/// # fn allocate(bytes: usize) -> *mut f64 { vec![0.0; bytes / 8].leak().as_mut_ptr() }
/// /// Takes memory, and never collects: at a safepoint, room was made.
/// extern "C" fn make_float(x: f64) -> i64 {
///     let block = allocate(16);
///     // SAFETY: the block has two words.
///     unsafe { block.add(1).write(x) };
///     block.addr() as i64
/// }
///
/// #[unsafe(no_mangle)]
/// static BACTRIAN_BOXES: BoxTable<extern "C" fn(f64) -> i64> = BoxTable {
///     count: 1,
///     raised: AtomicU32::new(0),
///     kinds: [BoxKind { make: make_float, offset: 8 }],
/// };
/// ```
///
/// The interpreter's loop makes its floats by `make_float`, and loads them as usual: where residual
/// code knows that a value came from there, it takes the number instead.
pub const BOX_EXPORT: &str = "BACTRIAN_BOXES";

/// How many kinds of boxes there may be.
pub const MAX_BOX_KINDS: u32 = 64;

/// The kinds of boxes, each known by its index. `Make` is a function pointer, in the interpreter's
/// memory an index of its table of functions.
#[repr(C)]
#[derive(Debug)]
pub struct BoxTable<Make = u32, const COUNT: usize = 1> {
    /// `COUNT`, at most [`MAX_BOX_KINDS`].
    pub count: u32,
    /// A word of residual code's own, 0 at the snapshot. Where residual functions pass each other
    /// payloads, it says whether the last call returned none: it raised.
    pub raised: AtomicU32,
    pub kinds: [BoxKind<Make>; COUNT],
}

/// A kind of boxes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct BoxKind<Make = u32> {
    /// From a payload, makes a box.
    pub make: Make,
    /// Where the payload lies, in bytes from the address of the box.
    pub offset: u32,
}
