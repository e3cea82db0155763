//! Program text as a tree: a template, and what stands in its holes.
//!
//! Invariant: a template has as many holes (`$`) as the tree has parts. Each tree knows the type of
//! the expression that it prints, so that a program can be made smaller without knowing OCaml's
//! syntax.

use std::fmt;

use super::ty::Ty;

/// What a hole is written as.
const HOLE: char = '$';

/// What a piece of text is in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Expression(Ty),
    /// A definition at toplevel, or a list of them: may be left out.
    Item,
}

/// A piece of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    pub kind: Kind,
    template: String,
    pub parts: Vec<Tree>,
}

impl Tree {
    /// An expression of type `ty`.
    pub fn expression(ty: &Ty, template: impl Into<String>, parts: Vec<Tree>) -> Self {
        Self::new(Kind::Expression(ty.clone()), template.into(), parts)
    }

    /// Definitions.
    pub fn item(template: impl Into<String>, parts: Vec<Tree>) -> Self {
        Self::new(Kind::Item, template.into(), parts)
    }

    fn new(kind: Kind, template: String, parts: Vec<Tree>) -> Self {
        let holes = template.matches(HOLE).count();
        assert_eq!(holes, parts.len(), "holes and parts of `{template}`");
        Self {
            kind,
            template,
            parts,
        }
    }

    /// How many trees it is made of.
    pub fn size(&self) -> usize {
        1 + self.parts.iter().map(Tree::size).sum::<usize>()
    }

    /// The part that `path` leads to, hole by hole.
    pub fn at(&self, path: &[usize]) -> &Tree {
        path.iter().fold(self, |tree, &index| &tree.parts[index])
    }

    /// This tree with another part where `path` leads to.
    pub fn with(&self, path: &[usize], part: Tree) -> Tree {
        let Some((&first, rest)) = path.split_first() else {
            return part;
        };
        let mut tree = self.clone();
        tree.parts[first] = self.parts[first].with(rest, part);
        tree
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = self.parts.iter();
        for (index, text) in self.template.split(HOLE).enumerate() {
            if index > 0 {
                fmt::Display::fmt(parts.next().expect("a part for each hole"), f)?;
            }
            f.write_str(text)?;
        }
        Ok(())
    }
}
