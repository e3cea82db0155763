//! Simplifies residual functions. The evaluator writes plainly; cleanup makes that small.
//!
//! Invariant: each pass takes a function that satisfies [`crate::verify`]'s residual rules, and
//! leaves one that does, behaves alike (but for a trap in [`numbering`]), and has the same entry
//! block. Each pass is linear in the function's size, or nearly.
//!
//! Leaves out what engines do as well once the code is WebAssembly: computing once what two blocks
//! compute.

pub mod addresses;
#[cfg(test)]
mod algebra;
mod allocations;
mod arms;
mod bits;
mod choices;
mod compact;
mod constants;
mod copies;
mod dce;
mod divisions;
mod globals;
mod hoist;
mod integers;
#[cfg(test)]
mod large;
mod live_ranges;
mod numbering;
mod offsets;
mod orders;
mod params;
mod peel;
mod peephole;
mod regions;
mod reloads;
mod rename;
mod rules;
mod scalars;
mod separate;
mod switches;
mod tailcalls;
#[cfg(test)]
mod tests;
mod threads;
mod unswitch;

use crate::allocator::Allocator;
use crate::eval::Reload;
use crate::ir::residual::Function;
use crate::optimisations::Optimisations;
use regions::MemoryUse;

/// A step of cleanup.
pub struct Pass {
    /// Unique among [`PASSES`].
    pub name: &'static str,
    run: Run,
    is_on: fn(&Optimisations) -> bool,
}

/// What a pass does.
enum Run {
    Plain(fn(&mut Function)),
    /// Knowing what the evaluator says of the function as it wrote it: what is loaded again.
    Reloading(fn(&mut Function, &[Reload])),
    /// Knowing what a trap ends.
    Trapping(fn(&mut Function, Trapped)),
    /// Knowing how the interpreter uses memory.
    WithMemory(fn(&mut Function, &MemoryUse)),
    /// The same, in one way or another.
    Switched(fn(&mut Function, &MemoryUse, &Optimisations)),
}

/// What becomes of an instance in which something trapped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trapped {
    /// Nobody looks at its globals, nor calls it: so it is with guests of this project.
    Ends,
    /// Its host may go on using it.
    GoesOn,
}

/// The passes, in order. What the order of most rests on:
/// * `reloads` knows values by the names that the evaluator gave them, so it is first;
/// * `constants` before all others, which take equal constants for one value;
/// * `choices` before `threads`, which follows the constants that choices leave on edges;
/// * `separate` before `peel` and `unswitch`, which do nothing for a loop that calls; `peel` before
///   `numbering`, which takes out of the loop what the copy of its first round has done; `unswitch`
///   after both, for what they leave to be asked in each round;
/// * `addresses` after all that ask for regions of memory, `offsets` the last of them;
/// * `threads` before `tailcalls`, which looks for calls at a return;
/// * `compact` last, as its numbers are those of the result.
pub const PASSES: [Pass; 28] = [
    Pass {
        name: "reloads",
        run: Run::Reloading(reloads::run),
        is_on: |optimisations| optimisations.reloads,
    },
    pass("constants", constants::run),
    Pass {
        is_on: |optimisations| optimisations.known_bits,
        ..pass("bits", bits::run)
    },
    Pass {
        is_on: |optimisations| optimisations.choices,
        ..pass("choices", choices::run)
    },
    pass("threads", threads::run),
    pass("params", params::run),
    Pass {
        is_on: |optimisations| optimisations.switches,
        ..pass("switches", switches::run)
    },
    pass("peephole", peephole::run),
    Pass {
        is_on: |optimisations| optimisations.scalar_replacement,
        ..with_memory("scalars", scalars::run)
    },
    Pass {
        name: "allocations",
        run: Run::Switched(allocations::run),
        is_on: |_| true,
    },
    Pass {
        name: "globals",
        run: Run::Trapping(globals::run),
        is_on: |_| true,
    },
    Pass {
        is_on: |optimisations| optimisations.separate_loops,
        ..pass("separate", separate::run)
    },
    Pass {
        is_on: |optimisations| optimisations.peeling && optimisations.value_numbering,
        ..with_memory("peel", peel::run)
    },
    Pass {
        is_on: |optimisations| optimisations.value_numbering,
        ..with_memory("numbering", numbering::run)
    },
    Pass {
        is_on: |optimisations| optimisations.unswitching,
        ..pass("unswitch", unswitch::run)
    },
    Pass {
        is_on: |optimisations| optimisations.offsets,
        ..pass("offsets", offsets::run)
    },
    pass("addresses", addresses::run),
    pass("dce", dce::run),
    Pass {
        is_on: |optimisations| optimisations.divisions,
        ..pass("divisions", divisions::run)
    },
    // Now that less is left, more blocks are empty.
    Pass {
        is_on: |optimisations| optimisations.choices,
        ..pass("choices again", choices::run)
    },
    pass("threads again", threads::run),
    pass("params again", params::run),
    Pass {
        is_on: |optimisations| optimisations.live_ranges,
        ..pass("arms", arms::run)
    },
    pass("dce again", dce::run),
    pass("hoist", hoist::run),
    pass("tailcalls", tailcalls::run),
    Pass {
        is_on: |optimisations| optimisations.live_ranges,
        ..pass("live-ranges", live_ranges::run)
    },
    pass("compact", compact::run),
];

const fn pass(name: &'static str, run: fn(&mut Function)) -> Pass {
    Pass {
        name,
        run: Run::Plain(run),
        is_on: |_| true,
    }
}

const fn with_memory(name: &'static str, run: fn(&mut Function, &MemoryUse)) -> Pass {
    Pass {
        name,
        run: Run::WithMemory(run),
        is_on: |_| true,
    }
}

/// Runs every pass that is on; `after` sees what each one leaves, and may change it.
pub fn run(
    function: &mut Function,
    reloads: &[Reload],
    allocator: Option<&Allocator>,
    trapped: Trapped,
    optimisations: &Optimisations,
    after: &mut dyn FnMut(&'static str, &mut Function),
) {
    let memory = MemoryUse::new(function, allocator);
    for pass in PASSES.iter().filter(|pass| (pass.is_on)(optimisations)) {
        match pass.run {
            Run::Plain(run) => run(function),
            Run::Reloading(run) => run(function, reloads),
            Run::Trapping(run) => run(function, trapped),
            Run::WithMemory(run) => run(function, &memory),
            Run::Switched(run) => run(function, &memory, optimisations),
        }
        after(pass.name, function);
    }
}

/// Simplifies what a compiler has optimised but for its intrinsics: conditions that are constants
/// now, and what was computed for nothing.
pub fn simplify(function: &mut Function) {
    constants::run(function);
    threads::run(function);
    params::run(function);
    peephole::run(function);
    dce::run(function);
    threads::run(function);
    params::run(function);
    dce::run(function);
    compact::run(function);
}
