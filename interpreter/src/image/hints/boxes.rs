//! What becomes of the boxes of numbers: of parameters, results and what is loaded, as far as these
//! are always such boxes.
//!
//! A box is *watched* where somebody may look at its address: where it is compared by that, or
//! handed to a primitive that is not known to look at the number alone. So a weak pointer to it
//! lives as long as it does. It is *stored* where it goes into a block or a variable of a closure,
//! or to what is not known, and *opened* where its number is looked at. It *exists* if it comes out
//! of a block, or is a constant.
//!
//! A number is passed without its box where nobody watches or stores that; and where somebody
//! stores it, if others open it and it did not exist before: then who stores it makes it. What
//! exists is passed as it is: else each function that stores it would store one of its own.

use super::state::{Origin, Seen};
use rustc_hash::{FxHashMap, FxHashSet};

type Flows = FxHashMap<Origin, FxHashSet<Origin>>;

/// What was seen of them, by where they come from.
#[derive(Default)]
pub struct Boxes {
    watched: FxHashSet<Origin>,
    stored: FxHashSet<Origin>,
    opened: FxHashSet<Origin>,
    /// By each, those that go there.
    flows: Flows,
}

impl Boxes {
    pub fn watch(&mut self, seen: Seen) {
        self.watched.extend(seen.origin());
    }

    pub fn store(&mut self, seen: Seen) {
        self.stored.extend(seen.origin());
    }

    /// What becomes of a function's result is not followed.
    pub fn store_result(&mut self, function: usize) {
        self.stored.insert(Origin::Result(function));
    }

    pub fn open(&mut self, seen: Seen) {
        self.opened.extend(seen.origin());
    }

    /// What `from` is goes where `to` is.
    pub fn flow(&mut self, from: Origin, to: Origin) {
        self.flows.entry(to).or_default().insert(from);
    }

    /// What follows, where `is_number` says what is always the box of a number.
    pub fn follow(&self, is_number: impl Fn(Origin) -> bool) -> Followed {
        let mut onwards = Flows::default();
        for (&to, all) in &self.flows {
            for &from in all {
                onwards.entry(from).or_default().insert(to);
            }
        }
        let others = self.flows.keys().filter(|to| !is_number(**to));
        let loaded = |origin: &&Origin| matches!(origin, Origin::Loaded(_));
        Followed {
            watched: reach(self.watched.iter(), &self.flows),
            stored: reach(self.stored.iter().chain(others), &self.flows),
            opened: reach(self.opened.iter(), &self.flows),
            existing: reach(onwards.keys().filter(loaded), &onwards),
        }
    }
}

/// The same of all ways that they go.
pub struct Followed {
    watched: FxHashSet<Origin>,
    stored: FxHashSet<Origin>,
    opened: FxHashSet<Origin>,
    existing: FxHashSet<Origin>,
}

impl Followed {
    /// Whether somebody watches or stores the box.
    pub fn is_kept(&self, origin: Origin) -> bool {
        self.watched.contains(&origin) || self.stored.contains(&origin)
    }

    /// Whether the number may go without its box.
    pub fn may_be_bare(&self, origin: Origin) -> bool {
        let is_made_late = self.opened.contains(&origin) && !self.existing.contains(&origin);
        !self.watched.contains(&origin) && (is_made_late || !self.stored.contains(&origin))
    }
}

/// All that is reached from here.
fn reach<'a>(from: impl Iterator<Item = &'a Origin>, flows: &Flows) -> FxHashSet<Origin> {
    let mut reached = FxHashSet::default();
    let mut left: Vec<Origin> = from.copied().collect();
    while let Some(origin) = left.pop() {
        if reached.insert(origin) {
            left.extend(flows.get(&origin).into_iter().flatten());
        }
    }
    reached
}
