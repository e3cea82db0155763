//! Makes a program that shows a fault smaller, as long as it shows it.
//!
//! Items are left out, expressions give way to a literal of their type or to a part of the same
//! type. What does not compile any more does not show the fault, so nothing here has to know what
//! is used where.

use super::generator::Generator;
use super::tree::{Kind, Tree};

/// The smallest tree found that `shows` the fault, after at most `attempts` tries.
pub fn shrink(
    tree: &Tree,
    generator: &Generator,
    attempts: usize,
    shows: &mut dyn FnMut(&Tree) -> bool,
) -> Tree {
    let mut shrinker = Shrinker {
        best: tree.clone(),
        generator: generator.clone(),
        attempts,
        shows,
    };
    shrinker.leave_out_items();
    loop {
        let before = shrinker.best.size();
        shrinker.replace_parts();
        if shrinker.best.size() == before || shrinker.attempts == 0 {
            return shrinker.best;
        }
    }
}

struct Shrinker<'s> {
    best: Tree,
    generator: Generator,
    attempts: usize,
    shows: &'s mut dyn FnMut(&Tree) -> bool,
}

impl Shrinker<'_> {
    /// Takes `tree` if it shows the fault.
    fn attempt(&mut self, tree: Tree) -> bool {
        if self.attempts == 0 {
            return false;
        }
        self.attempts -= 1;
        let shows = (self.shows)(&tree);
        if shows {
            self.best = tree;
        }
        shows
    }

    /// Leaves out toplevel items from the last on, half of them at a time, then a quarter, down to
    /// one.
    fn leave_out_items(&mut self) {
        let count = self.best.parts.len();
        let mut length = count.div_ceil(2);
        while length > 0 {
            let mut end = count;
            while end > 0 {
                let start = end.saturating_sub(length);
                let mut tree = self.best.clone();
                tree.parts[start..end].fill(Tree::item("", Vec::new()));
                if tree != self.best {
                    self.attempt(tree);
                }
                end = start;
            }
            length /= 2;
        }
    }

    /// Tries something smaller for each part, the outer ones first.
    fn replace_parts(&mut self) {
        let mut open = vec![Vec::new()];
        while let Some(path) = open.pop() {
            let part = self.best.at(&path).clone();
            let smaller = self.smaller(&part);
            for part in smaller {
                let tree = self.best.with(&path, part);
                if self.attempt(tree) {
                    break;
                }
            }
            for index in (0..self.best.at(&path).parts.len()).rev() {
                let mut inner = path.clone();
                inner.push(index);
                open.push(inner);
            }
        }
    }

    /// What may stand for a part, the smallest first.
    fn smaller(&mut self, part: &Tree) -> Vec<Tree> {
        if part.size() == 1 && part.kind != Kind::Item {
            return Vec::new();
        }
        match &part.kind {
            Kind::Item if part.to_string().is_empty() => Vec::new(),
            Kind::Item => vec![Tree::item("", Vec::new())],
            Kind::Expression(ty) => {
                let literal = self.generator.literal(ty, 0);
                let mut smaller = Vec::new();
                if literal.size() < part.size() {
                    smaller.push(literal);
                }
                inner(part, part, &mut smaller);
                smaller
            }
        }
    }
}

/// The parts of `within` that are of `part`'s kind, without those inside of them.
fn inner(part: &Tree, within: &Tree, found: &mut Vec<Tree>) {
    for candidate in &within.parts {
        if candidate.kind == part.kind {
            found.push(candidate.clone());
        } else {
            inner(part, candidate, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::program;
    use super::*;

    #[test]
    fn what_does_not_matter_goes() {
        let mut shows = |tree: &Tree| tree.to_string().contains("List.rev");
        let mut programs = (1..100).map(|seed| program(seed, 10));
        let program = programs.find(|program| shows(&program.items));
        let program = program.expect("a program calls List.rev");
        let small = shrink(&program.items, &program.generator, 10_000, &mut shows);
        assert!(small.to_string().trim().len() < 400, "{small}");
    }
}
