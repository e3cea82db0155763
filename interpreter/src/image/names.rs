//! What functions and pieces are called in profiles and traps, by the program's debug information.
//!
//! A function has the name of its definition, as backtraces have it: `Stdlib__List.map`. What goes
//! on at a cut has `+` and the number of words from the beginning of the function to there. The
//! initialiser counts as one function, and its pieces as the definitions that they are part of.
//! What enters a function that was applied in parts has `.partial`. Where no name is known, it is
//! `code+` and the number of words from the beginning of the program.
//!
//! Invariant: a name is text of at most [`MAX_NAME`] bytes, without control characters. It says
//! nothing but where the code is: functions can share one.

#[cfg(test)]
mod tests;

use super::pieces::Cut;
use crate::backtrace::debug::Unit;
use crate::backtrace::definitions::{self, Definition};
use crate::code::{self, Entry};
use annotations::MAX_NAME;
use core::ops::Range;
use rustc_hash::FxHashMap;

/// Bytes of what comes behind a name, at most: a sign and a number, or a word.
const SUFFIX: usize = 21;

/// The names of a program's functions.
pub struct Names<'a> {
    /// By ascending position.
    definitions: Vec<Definition<'a>>,
    entries: &'a [Entry],
    /// By entry.
    functions: FxHashMap<usize, String>,
}

impl<'a> Names<'a> {
    /// The names that debug events give to the functions with these entries: all of the program,
    /// the initialiser's first, by ascending position.
    pub fn new(units: &[Unit<'a>], entries: &'a [Entry]) -> Self {
        let mut names = Self {
            definitions: definitions::of(units),
            entries,
            functions: FxHashMap::default(),
        };
        for entry in entries.iter().filter(|entry| entry.position > 0) {
            if let Some(name) = names.function(entry.position..entry.end) {
                names.functions.insert(entry.position, name);
            }
        }
        names
    }

    /// Where the functions begin, without the initialiser.
    pub fn positions(&self) -> impl Iterator<Item = usize> {
        let entries = self.entries.iter().map(|entry| entry.position);
        entries.filter(|&position| position > 0)
    }

    pub fn of_function(&self, position: usize) -> String {
        let known = self.functions.get(&position).cloned();
        known.unwrap_or_else(|| format!("code+{position}"))
    }

    /// The name of the code that enters the function when a partial application has its arguments.
    pub fn of_partial(&self, position: usize) -> String {
        format!("{}.partial", self.of_function(position))
    }

    /// The name of the piece at a cut, which ends at `end`.
    pub fn of_piece(&self, cut: &Cut, end: usize) -> String {
        let name = match cut.entry {
            0 => self.initialiser(cut.position..end),
            entry => self.functions.get(&entry).cloned(),
        };
        match name {
            Some(name) => format!("{name}+{}", cut.position - cut.entry),
            None => format!("code+{}", cut.position),
        }
    }

    /// The name of the function whose code is in `range`: that of the definition whose own code
    /// begins there, or else of the first.
    fn function(&self, range: Range<usize>) -> Option<String> {
        let inside = self.within(range);
        let own = inside.iter().find(|definition| definition.begins);
        let definition = own.or_else(|| inside.first())?;
        Some(text(definition.name))
    }

    /// The name of the definition at the end of `range`, where a piece of the initialiser has its
    /// loop.
    fn initialiser(&self, range: Range<usize>) -> Option<String> {
        let mut inside = self.within(range).iter().rev();
        let definition = inside.find(|definition| self.is_initialiser(definition))?;
        Some(text(definition.name))
    }

    fn within(&self, range: Range<usize>) -> &[Definition<'a>] {
        let first = |end: usize| {
            self.definitions
                .partition_point(|definition| definition.position < end)
        };
        &self.definitions[first(range.start)..first(range.end)]
    }

    /// Whether an event is in no function but the initialiser, which lies around the others.
    fn is_initialiser(&self, definition: &Definition) -> bool {
        let around = code::entry_around(self.entries, definition.position);
        around.is_none_or(|entry| entry.position == 0)
    }
}

/// The bytes as text of a bounded length.
fn text(name: &[u8]) -> String {
    let text = String::from_utf8_lossy(name).replace(char::is_control, "_");
    let end = text.floor_char_boundary(MAX_NAME - SUFFIX);
    text[..end].to_owned()
}
