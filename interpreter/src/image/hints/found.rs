//! What is found out about a program.

use crate::code::{Certainty, MAX_GUESSED};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use rustc_hash::{FxHashMap, FxHashSet};

/// Exported under [`annotations::ONE_CANDIDATE_EXPORT`].
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub static BACTRIAN_ONE_CANDIDATE: AtomicU32 = AtomicU32::new(0);

/// Most functions that a hint names which is a guess.
pub fn most_guessed() -> usize {
    match BACTRIAN_ONE_CANDIDATE.load(Relaxed) {
        0 => MAX_GUESSED,
        _ => 1,
    }
}

/// A call and the functions that it is likely to call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hint {
    /// Word index of the call instruction.
    pub call: usize,
    /// Word indices of the entries, up to
    /// [`MAX_CANDIDATES`](crate::code::MAX_CANDIDATES) if they are certain.
    pub entries: Vec<usize>,
    pub certainty: Certainty,
}

/// What is found out about a program.
pub struct Found {
    /// In ascending order.
    pub calls: Vec<Hint>,
    /// Word indices of instructions that load something which is certain.
    pub loads: Vec<(usize, Loaded)>,
    /// Entries of functions that call themselves, and go on after that.
    pub recursive: FxHashSet<usize>,
    /// Entries of functions that may be applied to fewer arguments than they take, and how many
    /// are missing.
    pub partial: FxHashSet<(usize, u32)>,
    /// Entries of functions that jump back or call themselves.
    pub looping: FxHashSet<usize>,
    /// Entries of functions that may soon return, see [`early`](crate::image::early).
    pub early: FxHashSet<usize>,
    /// By entry, what is always a box of a number.
    pub boxed: FxHashMap<usize, Boxed>,
    /// The same of the partial applications of a function, if all wait for so many arguments.
    pub restarted: FxHashMap<(usize, u32), Boxed>,
}

impl Found {
    /// Which entry a call leads to, by word index, if that is certain.
    pub fn certain_callee(&self) -> impl Fn(usize) -> Option<usize> {
        |call| {
            let hint = self.calls.binary_search_by_key(&call, |hint| hint.call);
            match &self.calls[hint.ok()?] {
                Hint {
                    entries,
                    certainty: Certainty::Certain,
                    ..
                } if entries.len() == 1 => Some(entries[0]),
                _ => None,
            }
        }
    }
}

/// What of a function is always a box of a number and may be passed without it, each with its kind.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Boxed {
    pub parameters: Vec<Option<u32>>,
    /// Unless it raises.
    pub result: Option<u32>,
}

impl Boxed {
    pub fn is_any(&self) -> bool {
        self.result.is_some() || self.parameters.iter().any(Option::is_some)
    }
}

/// What is known of a program beside its code.
pub trait Facts {
    /// What the primitive of this index returns, whatever it is given.
    fn given_by(&self, primitive: usize) -> Option<Given>;
    /// Whether the primitive of this index looks at the numbers in boxes that it is given, and
    /// neither stores nor returns the boxes.
    fn opens(&self, primitive: usize) -> bool;
    /// What the primitive of this index does to an array, its first argument.
    fn access(&self, primitive: usize) -> Option<Access>;
    /// Whether the primitive of this index mostly computes or loads something, without a call.
    fn computes(&self, primitive: usize) -> bool;
    /// The kind of box that is in a global that the code does not set.
    fn constant(&self, global: usize) -> Option<u32>;
    /// Whether the program alone calls its functions: it loads no code.
    fn is_closed(&self) -> bool;
}

/// What a primitive always returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Given {
    Integer(i32),
    /// A box of a number of this kind.
    Number(u32),
}

/// What is done to an array of values: its index is the second argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// One of its elements is returned.
    Read,
    /// The third argument becomes one of its elements.
    Write,
}

/// What an instruction loads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loaded {
    Integer(i32),
    /// The box of a number of this kind.
    Number(u32),
    /// A closure of the function whose entry is at this word.
    Closure(usize),
}

/// What a program does to the code pointers of closures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CodePointers {
    Stay,
    /// It calls a primitive that can write them, as the toplevel's `#trace` does.
    Change,
}
