//! What an expression can be made of: functions and templates by the type of their result.
//!
//! Invariant: an entry's template has as many holes as the entry has arguments. Entries come from
//! `library.txt`, and from what a program declares: a field, a constructor and a method are
//! entries, too.

use super::ty::{Binding, Ty};

/// One way to make an expression.
#[derive(Clone, Debug)]
pub struct Entry {
    pub weight: usize,
    pub text: String,
    /// The arguments are in holes of the text. Otherwise they follow it, and some may be missing.
    pub is_template: bool,
    pub arguments: Vec<Ty>,
    pub result: Ty,
}

/// An entry, and how it gives a wanted type.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub entry: Entry,
    /// How many arguments it gets.
    pub applied: usize,
    pub binding: Binding,
}

/// All entries.
#[derive(Clone, Debug)]
pub struct Library {
    entries: Vec<Entry>,
}

impl Library {
    /// What every program can use.
    pub fn standard() -> Self {
        let lines = include_str!("library.txt").lines();
        let entries = lines
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .map(Entry::parse);
        Self {
            entries: entries.collect(),
        }
    }

    /// Adds what a line describes.
    pub fn add(&mut self, line: &str) {
        self.entries.push(Entry::parse(line));
    }

    /// What gives `wanted`, with the weight of each.
    pub fn candidates(&self, wanted: &Ty) -> Vec<Candidate> {
        let candidates = self.entries.iter().filter_map(|entry| entry.giving(wanted));
        candidates.collect()
    }
}

impl Entry {
    /// Reads `WEIGHT TEXT : TYPE`.
    fn parse(line: &str) -> Self {
        let parts = line
            .split_once(' ')
            .and_then(|(weight, rest)| Some((weight, rest.rsplit_once(" : ")?)));
        let (weight, (text, ty)) = parts.unwrap_or_else(|| panic!("an entry: {line}"));
        let weight = weight
            .parse()
            .unwrap_or_else(|_| panic!("a weight: {line}"));
        let is_template = text.contains('$');
        Self::new(weight, text.to_string(), Ty::parse(ty), is_template)
    }

    /// A function in scope.
    pub fn variable(name: &str, ty: &Ty) -> Self {
        Self::new(1, name.to_string(), ty.clone(), false)
    }

    fn new(weight: usize, text: String, ty: Ty, is_template: bool) -> Self {
        let (mut arguments, mut result) = match ty {
            Ty::Fun(arguments, result) => (arguments, *result),
            ty => (Vec::new(), ty),
        };
        if is_template {
            let holes = text.matches('$').count();
            let rest = arguments.split_off(holes.min(arguments.len()));
            assert_eq!(arguments.len(), holes, "the arguments of `{text}`");
            result = Ty::function(rest, result);
        }
        Self {
            weight,
            text,
            is_template,
            arguments,
            result,
        }
    }

    /// How this gives `wanted`: with all of its arguments, or with so many that a function of the
    /// wanted type remains.
    pub fn giving(&self, wanted: &Ty) -> Option<Candidate> {
        let fewest = if self.is_template || self.arguments.is_empty() {
            self.arguments.len()
        } else {
            1
        };
        (fewest..=self.arguments.len()).rev().find_map(|applied| {
            let rest = self.arguments[applied..].to_vec();
            let scheme = Ty::function(rest, self.result.clone());
            let mut binding = Binding::new();
            scheme.matches(wanted, &mut binding).then(|| Candidate {
                entry: self.clone(),
                applied,
                binding,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_by_result_and_by_what_partial_application_leaves() {
        let mut library = Library {
            entries: Vec::new(),
        };
        library.add("2 List.map : ('a -> 'b) -> 'a list -> 'b list");
        library.add("1 $ + $ : int -> int -> int");
        let full = library.candidates(&Ty::parse("bool list"));
        assert_eq!((full.len(), full[0].applied), (1, 2));
        let partial = library.candidates(&Ty::parse("int list -> bool list"));
        assert_eq!((partial.len(), partial[0].applied), (1, 1));
        assert_eq!(partial[0].binding["a"], Ty::int());
        assert!(library.candidates(&Ty::parse("int -> int")).is_empty());
    }
}
