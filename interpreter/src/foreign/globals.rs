//! Variables of C that are roots, by their addresses. Minor collections look at those only that may
//! hold a nursery block: of a *generational* one, C says when it changes it.

use crate::value::Value;
use crate::vm::vm;
use std::collections::BTreeSet;

/// Addresses of registered variables.
#[derive(Debug, Default)]
pub struct Globals {
    /// C may change these at any time.
    plain: BTreeSet<u32>,
    generational: BTreeSet<u32>,
    /// Generational ones that held a nursery block when they were last changed or looked at.
    young: BTreeSet<u32>,
}

impl Globals {
    pub const fn new() -> Self {
        Self {
            plain: BTreeSet::new(),
            generational: BTreeSet::new(),
            young: BTreeSet::new(),
        }
    }

    /// Whether it was none.
    pub fn add(&mut self, root: u32) -> bool {
        self.plain.insert(root)
    }

    /// Whether it was one.
    pub fn remove(&mut self, root: u32) -> bool {
        self.plain.remove(&root)
    }

    /// Adds a generational one, which holds `value`. Whether it was none.
    pub fn add_generational(&mut self, root: u32, value: Value) -> bool {
        self.note(root, value);
        self.generational.insert(root)
    }

    /// Whether it was one.
    pub fn remove_generational(&mut self, root: u32) -> bool {
        self.young.remove(&root);
        self.generational.remove(&root)
    }

    /// A generational one holds `value` from now on.
    pub fn note(&mut self, root: u32, value: Value) {
        if vm().is_young(value) {
            self.young.insert(root);
        }
    }

    pub fn generational(&self) -> impl Iterator<Item = u32> {
        self.generational.iter().copied()
    }

    /// Shows those that may hold a nursery block. `visit` returns what they hold afterwards.
    pub fn look_at_young(&mut self, mut visit: impl FnMut(u32) -> Value) {
        self.plain.iter().for_each(|&root| {
            visit(root);
        });
        self.young.retain(|&root| vm().is_young(visit(root)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap;
    use crate::testing::start_machine;

    #[test]
    fn minor_collections_look_at_generational_roots_that_hold_nursery_blocks() {
        start_machine();
        let (young, old) = (heap::alloc_float(1.5), vm().globals.get());
        let mut globals = Globals::new();
        assert!(globals.add(8));
        assert!(globals.add_generational(16, old));
        assert!(globals.add_generational(24, young));
        assert!(!globals.add_generational(24, young));
        let looked_at = |globals: &mut Globals, held| {
            let mut roots = Vec::new();
            globals.look_at_young(|root| {
                roots.push(root);
                held
            });
            roots
        };
        // Evaluation looks and moves nothing.
        assert_eq!(looked_at(&mut globals, young), [8, 24]);
        assert_eq!(looked_at(&mut globals, old), [8, 24]);
        assert_eq!(looked_at(&mut globals, old), [8]);
        globals.note(16, young);
        globals.note(24, young);
        assert!(globals.remove_generational(24));
        assert_eq!(looked_at(&mut globals, old), [8, 16]);
    }
}
