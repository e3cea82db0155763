//! Code pointers in marshalled data: an offset in the program's code and the MD5 of that code.
//!
//! Offsets count bytes of the executable's CODE section, four a word, whatever the layout in memory.

use super::md5::Md5;
use crate::value::Value;
use crate::vm::vm;
use std::cell::Cell;

/// Bytes of memory that hold one word of code.
const CELL: u32 = 8;
/// Bytes of one word in the executable.
const CODE_WORD: u32 = 4;

thread_local! {
    static DIGEST: Cell<[u8; 16]> = const { Cell::new([0; 16]) };
}

/// Remembers the digest of the program being loaded: of the words of its CODE section.
pub fn register(code: &[i32]) {
    let mut digest = Md5::default();
    code.iter()
        .for_each(|word| digest.update(&word.to_le_bytes()));
    DIGEST.set(digest.finish());
}

/// The digest of the loaded code.
pub fn digest() -> [u8; 16] {
    DIGEST.get()
}

/// The offset that `value` has in the code, if it is a code pointer.
pub fn offset(value: Value) -> Option<u32> {
    let inside =
        value.is_block() && (vm().code_start.get()..vm().code_end.get()).contains(&value.address());
    inside.then(|| (value.address() - vm().code_start.get()) / CELL * CODE_WORD)
}

/// The code pointer for an offset in the code with this digest.
pub fn resolve(offset: u32, digest: &[u8; 16]) -> Option<u32> {
    let cell = offset / CODE_WORD;
    let cells = (vm().code_end.get() - vm().code_start.get()) / CELL;
    (*digest == DIGEST.get() && cell < cells).then(|| vm().code_start.get() + cell * CELL)
}
