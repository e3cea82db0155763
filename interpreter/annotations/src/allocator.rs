//! How an interpreter takes memory for blocks, so that residual code can take it for several at
//! once.

/// The name of the Wasm global that holds the address of an [`Allocator`]. An interpreter that
/// exports none has each block allocated by itself.
pub const ALLOCATOR_EXPORT: &str = "BACTRIAN_ALLOCATOR";

/// Memory that is taken downwards, for blocks of which each begins with a header.
///
/// `allocate` is an `extern "C" fn(bytes: u32, header: i64) -> u32`. With `start` for the word at
/// `pointer` less `bytes`, it does this if `start`, unsigned, is not less than the word at `floor`:
/// it stores `start` at `pointer` and `header` at `start`, and returns `start + 8`. Otherwise it
/// may do anything, but neither collects nor raises, writes to nothing within a memory region
/// ([`crate::address_within`]), and returns the address of such a block.
///
/// An interpreter that exports this promises that the memory between `floor` and `pointer` is
/// nobody's, that nothing but calls changes the two words, and that a block may be taken earlier
/// than where its call is, as long as only loads, stores and arithmetic are between.
///
/// Residual code leaves out blocks, and boxes of numbers ([`crate::BoxTable`]), that nothing looks
/// at. Where the word at `counted` is not 0, each is made when generic code makes it: so an
/// interpreter says that its program asks how much was allocated.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Allocator<Function = u32, Word = u32> {
    /// A function pointer, in the interpreter's memory an index of its table of functions.
    pub allocate: Function,
    pub pointer: Word,
    pub floor: Word,
    pub counted: Word,
}
