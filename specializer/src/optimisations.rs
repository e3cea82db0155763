//! The optimisations that can be switched off, each by its name.
//!
//! Invariant: the table below is their one list. A switch that is not in it does not exist.

macro_rules! optimisations {
    ($($(#[$doc:meta])* $name:literal $field:ident;)*) => {
        /// Which optimisations are on; all of them by default.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
        pub struct Optimisations {
            $($(#[$doc])* pub $field: bool,)*
        }

        impl Default for Optimisations {
            fn default() -> Self {
                Self {
                    $($field: true,)*
                }
            }
        }

        impl Optimisations {
            /// The names of the switches.
            pub const NAMES: &[&str] = &[$($name,)*];

            /// The switch of this name, if there is one.
            pub fn switch(&mut self, name: &str) -> Option<&mut bool> {
                match name {
                    $($name => Some(&mut self.$field),)*
                    _ => None,
                }
            }
        }
    };
}

optimisations! {
    /// Keep cells in SSA values, not in memory.
    "virtual-stack" virtual_stack;
    /// Call through known request slots directly.
    "direct-calls" direct_calls;
    /// Call what is not known by a switch over residual functions, not through the table.
    "dispatch" dispatch;
    /// Pass integers for which engines have no registers left as floating-point numbers.
    "float-registers" float_registers;
    /// Simplify generic functions that ask whether they are compiled.
    "plain-code" plain_code;
    /// Make versions for guessed callees.
    "guesses" guesses;
    /// Use what the interpreter says of values: integers, functions, what is not 0.
    "facts" facts;
    /// Load integers again after calls, where that keeps registers free.
    "reloads" reloads;
    /// Evaluate calls of small functions in place.
    "inlining" inlining;
    /// Try whether a callee returns at once, and call it if it does not.
    "early-returns" early_returns;
    /// Keep ways apart for a while on which a call in place has returned another constant.
    "outcomes" outcomes;
    /// Make versions of functions for functions that they are given.
    "versions" versions;
    /// Pass numbers that are always boxed without their boxes, in calls by name.
    "bare-numbers" bare_numbers;
    /// Have the numbers in boxes that are constants as constants.
    "literals" literals;
    /// Follow the bits of integers, and leave out what known bits decide.
    "known-bits" known_bits;
    /// Tell few cases apart by branches.
    "switches" switches;
    /// Branch where a choice of two constants would be made and tested.
    "choices" choices;
    /// Make no block that nobody else sees; make others where they are handed on.
    "scalar-replacement" scalar_replacement;
    /// Take memory for several blocks at once.
    "allocations" allocations;
    /// Load and decide once what was loaded or decided before.
    "value-numbering" value_numbering;
    /// Put constants that are added to addresses into the offsets of loads and stores.
    "offsets" offsets;
    /// Divide in 32 bits what turns out to be small.
    "divisions" divisions;
    /// Do not poll where nothing can wait for a safepoint: in loops that neither call nor allocate.
    "safepoints" safepoints;
    /// Keep numbers unboxed over calls.
    "numbers-over-calls" numbers_over_calls;
    /// Have cells in memory when a loop begins of which each round calls, so that no round stores
    /// them.
    "settled-loops" settled_loops;
    /// Take what does not change in a short loop out of it, by a copy of its first round.
    "peeling" peeling;
    /// Give short loops that ask in each round what cannot change a version for the usual answers.
    "unswitching" unswitching;
    /// Have floating-point numbers go into and come out of loops that call nothing as copies, and
    /// stored before arms meet of which one calls: engines can keep them in registers then.
    "live-ranges" live_ranges;
    /// Make the rounds of a short loop that call nothing a loop of their own.
    "separate-loops" separate_loops;
    /// Have references that nobody else sees in cells, where the interpreter can: not this crate's
    /// business, but whose who loads the program.
    "references" references;
    /// Apply known functions to fewer or more arguments than they take in place, and let partial
    /// applications of short functions have a copy of these: the interpreter's business as well.
    "applications" applications;
    /// Compare what is called with each of the few functions that it may be: the same.
    "candidates" candidates;
    /// Make boxes of numbers where they are looked at, not where they come from; split the first
    /// round off loops that begin with a pointer and go on with such a box.
    "virtual-boxes" virtual_boxes;
    /// Evaluate small functions of stubs where they are called.
    "small-stubs" small_stubs;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_switches_one_optimisation() {
        for name in Optimisations::NAMES {
            let mut optimisations = Optimisations::default();
            let switch = optimisations.switch(name).expect("the name is listed");
            assert!(std::mem::replace(switch, false), "{name} is on by default");
            assert_ne!(optimisations, Optimisations::default());
        }
        assert_eq!(Optimisations::default().switch("no-such"), None);
    }
}
