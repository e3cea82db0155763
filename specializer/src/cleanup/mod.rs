//! Simplifies residual functions. The evaluator writes plainly; cleanup makes that small.
//!
//! Invariant: each pass takes a function that satisfies [`crate::verify`]'s residual rules, and
//! leaves one that does, behaves alike, and has the same entry block. Each pass is linear in the
//! function's size, or nearly.
//!
//! Leaves out what engines do as well once the code is WebAssembly: value numbering across blocks,
//! loop invariants, forwarding of loads.

#[cfg(test)]
mod algebra;
mod compact;
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

/// A step of cleanup.
pub struct Pass {
    /// Unique among [`PASSES`].
    pub name: &'static str,
    run: fn(&mut Function),
}

/// The passes, in order.
pub const PASSES: [Pass; 12] = [
    pass("constants", constants::run),
    pass("threads", threads::run),
    pass("params", params::run),
    pass("peephole", peephole::run),
    pass("globals", globals::run),
    pass("dce", dce::run),
    // Now that less is left, more blocks are empty.
    pass("threads again", threads::run),
    pass("params again", params::run),
    pass("dce again", dce::run),
    pass("hoist", hoist::run),
    pass("tailcalls", tailcalls::run),
    pass("compact", compact::run),
];

const fn pass(name: &'static str, run: fn(&mut Function)) -> Pass {
    Pass { name, run }
}

/// Runs every pass.
pub fn run(function: &mut Function) {
    run_watched(function, &mut |_, _| {});
}

/// Runs every pass; `after` sees what each one leaves, and may change it.
pub fn run_watched(function: &mut Function, after: &mut dyn FnMut(&'static str, &mut Function)) {
    for pass in &PASSES {
        (pass.run)(function);
        after(pass.name, function);
    }
}
