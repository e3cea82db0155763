//! Boxes of floats that residual code makes only where somebody looks at them.

/// The name of the Wasm global that holds the address of a pointer to the function that makes boxes
/// of floats, `extern "C" fn(f64) -> i64`.
///
/// The function returns the address of a new box. Residual code keeps the float instead, and calls
/// a copy of the function where the address is needed: for a call, a store, a return, a
/// [`crate::cells_sync`]. An interpreter that names no function has all boxes made where its code
/// makes them. One that does promises:
///
/// * **The box.** The result is an address, even and not 0, of a block whose first eight bytes are
///   the float. Nobody writes these bytes. Other code may move a box that a cell holds, but not put
///   another float into the cell.
/// * **Pure but for the allocation.** The function neither collects nor raises, reads no cell, and
///   has no effect but that of taking memory.
/// * **Any number of times, anywhere.** A call may be left out, come later than in generic code, or
///   be made again for the same float; also at places where generic code makes no box. It succeeds
///   at each of them. How many boxes there are, and whether two are the same, must not matter to
///   the program.
/// * **Other floats.** [`crate::box_exists`] says of an address from elsewhere (a constant, a
///   field) that a box as above is there.
///
/// The body is copied if it has neither a tail call nor a switch; with one of them there are no
/// such boxes, as in modules with lockstep events, which compare addresses.
pub const BOX_EXPORT: &str = "BACTRIAN_BOX";
