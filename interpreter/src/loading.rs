//! Loading a program for a snapshot: which memory is for what lasts, and which for what only
//! loading needs.
//!
//! From low to high: what was there before; room for what lasts; the file; the scratch arena; the
//! requests, which the linker takes out again. In the end file, arena and the rest of the room are
//! free memory.

use crate::allocator;
use crate::code::ImageError;
use crate::memory;
use crate::os;
use crate::program;
use core::ops::Range;

/// Bytes that memory grows by while the file is read, and before.
const CHUNK: usize = 1 << 20;

/// Loads the program on standard input.
pub fn load() -> Result<(), ImageError> {
    let file = make_room(standard_input()?)?;
    // SAFETY: the file lies where nothing is allocated, and laying out only reads it.
    let bytes = unsafe { memory::bytes(file.start, file.len()) };
    allocator::with_scratch(file.start, || program::lay_out(bytes))?;
    program::prepare()
}

/// Reads standard input to the end of memory, after room for what reading allocates.
fn standard_input() -> Result<Range<u32>, ImageError> {
    memory::set_room(memory::extend(CHUNK).ok_or(ImageError::OutOfMemory)?);
    let start = memory::end();
    let mut filled = start;
    loop {
        if filled == memory::end() {
            let added = memory::extend(CHUNK).ok_or(ImageError::OutOfMemory)?;
            assert_eq!(added.start, filled, "nobody else extends memory");
        }
        // SAFETY: nobody else knows the memory beyond what was read.
        let free = unsafe { memory::bytes_mut(filled, (memory::end() - filled) as usize) };
        match os::read(0, free).unwrap_or(0) {
            0 => return Ok(start..filled),
            read => filled += read as u32,
        }
    }
}

/// Moves the file up, to make room below it for what will last of it. Returns where it is then.
fn make_room(file: Range<u32>) -> Result<Range<u32>, ImageError> {
    // SAFETY: what adds sizes up writes nothing.
    let size = program::lasting_size(unsafe { memory::bytes(file.start, file.len()) });
    let room = memory::extend(size).ok_or(ImageError::OutOfMemory)?.len() as u32;
    let moved = file.start + room..file.end + room;
    memory::copy(file.start, moved.start, file.len());
    memory::fill(file.start, file.len().min(room as usize), 0);
    memory::set_room(memory::room().start..moved.start);
    Ok(moved)
}
