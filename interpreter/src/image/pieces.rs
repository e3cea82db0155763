//! Where large functions are cut into pieces, so that the code generator's work, which grows faster
//! than a function, stays in proportion to the program.
//!
//! A *cut* is an instruction at which one compiled function can leave an activation and another go
//! on with it: everything but the accumulator is on the stack there. A *piece* is what can be
//! reached from a cut before the next one. It is compiled as a function of its own, and its words
//! of code are bounded ([`longest`]). The first piece of a function begins at its entry.
//!
//! The program's own code runs once, so only its loops have pieces, with the straight code just
//! before each. A loop lies between the jump back and where that leads, as `ocamlc` lays them out;
//! any other code that jumps back counts as one, which costs nothing but compilation.
//!
//! Invariant: each instruction is in one piece, with one exception. Calls and POPTRAP cannot be
//! cuts, because their cells hold something else. Where pieces meet at one of them, each has a copy
//! of it.

mod graph;
mod regions;
#[cfg(test)]
mod tests;

use super::verify::Verified;
use crate::code::Entry;
use core::ops::Range;
use core::sync::atomic::{AtomicU32, Ordering};
use graph::Graph;
use rustc_hash::FxHashSet;

/// Words of a piece, at most, unless one instruction is longer. Functions of [`WHOLE`] times as
/// many are not cut: compiled as one, they take at most 1.5 times as long for each word. Tests
/// write smaller numbers into the module.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub static BACTRIAN_LONGEST_PIECE: AtomicU32 = AtomicU32::new(1500);

const WHOLE: usize = 3;

/// How long a piece may be.
pub fn longest() -> usize {
    BACTRIAN_LONGEST_PIECE.load(Ordering::Relaxed) as usize
}

/// Where an activation can be left and gone on with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    pub position: usize,
    /// The position of its function's entry.
    pub entry: usize,
    /// Words on the stack beside the environment; the same with no more than the innermost trap
    /// frame, if there is one.
    pub depth: u32,
    pub trap: Option<u32>,
    /// What is compiled to go on here: the words from the first to behind the last instruction.
    pub piece: Option<Range<usize>>,
}

/// How a program is compiled.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Plan {
    /// The functions that are compiled from their entries on, up to the end of their first piece.
    pub entries: Vec<Entry>,
    /// In ascending order.
    pub cuts: Vec<Cut>,
}

impl Plan {
    /// Leaves out what belongs to other functions than those with these entries.
    pub fn keep(&mut self, reached: &FxHashSet<usize>) {
        self.entries
            .retain(|entry| reached.contains(&entry.position));
        self.cuts.retain(|cut| reached.contains(&cut.entry));
    }
}

/// Plans for a program, whose first entry is that of the code that runs once, with pieces of
/// `longest` words. It has objects if it calls methods.
pub fn plan(code: &[i32], verified: &Verified, longest: usize, has_objects: bool) -> Plan {
    let mut plan = Plan::default();
    for &entry in &verified.entries {
        let once = entry.position == 0;
        if !once && entry.end - entry.position <= WHOLE * longest {
            plan.entries.push(entry);
            continue;
        }
        let graph = Graph::new(code, verified, entry);
        let worth = if once {
            graph.loops(has_objects)
        } else {
            core::iter::once(entry.position..entry.end).collect()
        };
        let pieces = regions::cut(&graph, &worth, longest);
        plan.cuts.extend(pieces.cuts);
        if let Some(first) = pieces.first {
            plan.entries.push(Entry {
                end: first.end,
                ..entry
            });
        }
    }
    plan.cuts.sort_unstable_by_key(|cut| cut.position);
    plan
}
