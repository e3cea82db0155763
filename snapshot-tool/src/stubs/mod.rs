//! Stubs: functions in C that programs call, joined to a guest that takes them
//! ([`annotations::STUBS_EXPORT`]).
//!
//! A file of stubs is a relocatable object, which a C compiler made with the guest's headers
//! ([`compile`]); it brings along what it needs of the C library. [`join`] does a linker's work
//! without one: it puts what programs can reach of such files behind what the guest has, functions,
//! data and entries of the table. So nothing of the guest moves, and no tool is needed where
//! programs are built.
//!
//! * [`object`]: reading a file; [`guest`]: what is to be known of the guest;
//! * [`resolve`]: what names of files mean; [`place`]: what is needed of them, and where it lies;
//! * [`effects`]: what functions may do, by what they call; [`code`]: bodies with their final
//!   addresses, and how calls of a function that raised are left; [`zero`]: what never returns
//!   zero; [`primitives`]: what the guest calls; [`module`]: the guest with all of that added.
//!
//! [`search`] finds files of stubs by the names of libraries.
//!
//! Invariant: a name that nothing defines is an error that says who uses it.

mod code;
pub mod compile;
mod diagnostics;
mod effects;
mod guest;
mod module;
mod object;
mod place;
mod primitives;
mod resolve;
pub mod search;
mod zero;

use anyhow::Result;

pub use object::Object;

use guest::Guest;

/// The guest with these files joined to it.
pub fn join(guest: &[u8], objects: &[Object]) -> Result<Vec<u8>> {
    let guest = Guest::read(guest)?;
    let mut placed = place::place(&guest, objects)?;
    let functions = code::relocated(&guest, objects, &mut placed)?;
    let effects = effects::find(&guest, &functions, &placed);
    let joined = primitives::make(&guest, objects, &mut placed, functions, &effects)?;
    module::write(&guest, &joined)
}
