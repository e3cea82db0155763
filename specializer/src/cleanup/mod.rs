//! Simplifies residual functions: the evaluator may emit the obvious, cleanup makes it small.
//!
//! Each pass takes a function that satisfies [`crate::verify`]'s residual rules and leaves one that
//! does, behaves alike, and has the same entry block. Each is linear in the function's size, or nearly.
//!
//! Leaves out what engines do as well once the code is WebAssembly: value numbering across blocks, loop
//! invariants, forwarding of loads.

#[cfg(test)]
mod algebra;
mod compact;
pub mod compare;
mod constants;
mod dce;
mod globals;
mod hoist;
mod integers;
mod params;
mod peephole;
mod rename;
mod rules;
mod tailcalls;
#[cfg(test)]
mod tests;
mod threads;

use crate::ir::residual::Function;

/// Runs every pass.
pub fn run(function: &mut Function) {
    constants::run(function);
    threads::run(function);
    params::run(function);
    peephole::run(function);
    globals::run(function);
    dce::run(function);
    // Now that less is left, more blocks are empty.
    threads::run(function);
    params::run(function);
    dce::run(function);
    hoist::run(function);
    tailcalls::run(function);
    compact::run(function);
}
