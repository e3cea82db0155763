//! Which functions have to be gone through again: those that read what has changed since.

use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Something that is known of the program, and read when a function is gone through.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dependency {
    /// Parameters and captured variables of the function with this number, which alone reads them.
    Function(usize),
    Result(usize),
    /// Fields of blocks that the instruction at this word makes.
    Block(usize),
    Global(i32),
}

/// The functions that are left, by number.
pub struct Pending {
    /// Who read it, in the order in which they did.
    readers: FxHashMap<Dependency, Vec<usize>>,
    left: BTreeSet<usize>,
}

impl Pending {
    /// All of them.
    pub fn new(count: usize) -> Self {
        Self {
            readers: FxHashMap::default(),
            left: (0..count).collect(),
        }
    }

    /// The function reads it.
    pub fn read(&mut self, dependency: Dependency, function: usize) {
        let readers = self.readers.entry(dependency).or_default();
        if readers.last() != Some(&function) {
            readers.push(function);
        }
    }

    /// What is known of it has changed. Who goes through it again reads it again.
    pub fn change(&mut self, dependency: Dependency) {
        if let Dependency::Function(function) = dependency {
            self.left.insert(function);
        } else if let Some(readers) = self.readers.remove(&dependency) {
            self.left.extend(readers);
        }
    }

    /// Takes the first function from this number on that is left, or else the first of all.
    pub fn take(&mut self, from: usize) -> Option<usize> {
        let next = self.left.range(from..).next().copied();
        let function = next.or_else(|| self.left.first().copied())?;
        self.left.remove(&function);
        Some(function)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_of_what_changed_are_left() {
        let mut pending = Pending::new(4);
        let taken = [1, 2, 3, 4].map(|from| pending.take(from));
        assert_eq!(taken, [Some(1), Some(2), Some(3), Some(0)]);
        pending.read(Dependency::Result(3), 1);
        pending.read(Dependency::Result(3), 1);
        pending.read(Dependency::Result(3), 2);
        pending.change(Dependency::Result(2));
        assert_eq!(pending.take(0), None);
        pending.change(Dependency::Result(3));
        pending.change(Dependency::Function(0));
        let taken = [2, 3, 1, 2].map(|from| pending.take(from));
        assert_eq!(taken, [Some(2), Some(0), Some(1), None]);
        pending.read(Dependency::Result(3), 2);
        pending.change(Dependency::Result(3));
        let taken = [0, 0].map(|from| pending.take(from));
        assert_eq!(taken, [Some(2), None]);
    }
}
