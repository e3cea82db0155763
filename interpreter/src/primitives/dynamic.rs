//! Code that appears at run time: verified as a program's code is, laid out in memory of its own.
//!
//! Its request slots hold the generic entries, so compiled code calls it, and is called by it, as
//! any other code. It has no callee hints, and nothing in it is constant for the specializer.
//! Fragments do not move; [`release`] gives their memory back.

use crate::backtrace::events;
use crate::code::fragments::{self, Digest};
use crate::code::{CELL, ImageError};
use crate::image::verify::{self, Limits};
use crate::image::{bind, layout};
use crate::interp;
use crate::outside;
use crate::value::Value;
use crate::vm::vm;

/// Parameters of the first function of such code: it is called with unit.
const PARAMETERS: u32 = 1;

/// Loads `code`, whose first word is the entry of a function with one parameter. Returns the
/// address of that entry. The digest identifies the code in marshalled data; where its maker gives
/// none, it is that of the code. `debug` is an array of lists of debug events.
pub fn load(code: &[i32], debug: Value, digest: Option<Digest>) -> Result<u32, ImageError> {
    let limits = Limits {
        parameters: PARAMETERS,
        globals: vm().globals.get().wosize(),
        primitives: bind::count(),
        rewritten: false,
        primitive_arity: &|index| bind::definition(index).map(bind::arity),
    };
    let verified = verify::verify(code, &limits)?;
    let bytes = code.len() * CELL as usize;
    let start = outside::alloc(bytes).ok_or(ImageError::OutOfMemory)?;
    let _links = layout::lay_out(code, &verified, start, interp::generic_slots());
    let digest = digest.unwrap_or_else(|| fragments::digest(code));
    let end = start + bytes as u32;
    fragments::register(start, end, digest);
    events::add(start, end, debug);
    Ok(start)
}

/// Gives the memory of the code at `start` back. Nothing refers to it any more.
pub fn release(start: u32) {
    if let Some(end) = fragments::remove(start) {
        events::remove(start);
        outside::free(start, (end - start) as usize);
    }
}
