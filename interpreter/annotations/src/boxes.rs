//! Boxes of floats that residual code makes only where somebody looks at them.

/// The name of the Wasm global that holds the address of a pointer to the function that boxes
/// floats: from an `f64` it makes a block whose first eight bytes hold it, and returns the block's
/// address as an `i64`. The address is even, and nobody writes into the block. Residual code calls
/// the function later than generic code would, more often, or never; so it must not collect, and
/// which box is which must not matter.
pub const BOX_EXPORT: &str = "BACTRIAN_BOX";
