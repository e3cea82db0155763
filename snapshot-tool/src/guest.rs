//! A guest as this tool sees it: the module, and what depends on the language of its programs.
//!
//! Invariant: pipeline, lockstep and cache know no language. A second guest is a second value of
//! [`Guest`].

pub mod ocaml;

/// The guest of programs for which none is named.
pub static DEFAULT: &Guest = &ocaml::OCAML;

/// A description of an interpreter and of the programs that it runs.
#[derive(Debug)]
pub struct Guest {
    /// The interpreter with its annotations.
    pub module: &'static [u8],
    /// What its programs are, in the plural, for messages.
    pub programs: &'static str,
    /// How many of a file's last bytes [`Guest::is_program`] wants to see.
    pub trailer: usize,
    /// Whether a file that ends like this is a program, of whatever version: the guest itself
    /// refuses other versions.
    pub is_program: fn(end: &[u8]) -> bool,
    /// What a file that is no program is, if it belongs to the guest's world.
    pub recognise: fn(file: &Unknown) -> Option<Foreign>,
    /// The exported cell that makes it collect at every safepoint, if it has one.
    pub stress: Option<&'static str>,
    /// The events that it reports to lockstep: the number of each, and what it is about.
    pub events: &'static [(u32, &'static str)],
    /// A value or a word of its stack, for people.
    pub word: fn(word: i64) -> String,
    /// What its positions count, and how many bytes of its memory lie between two.
    pub code: Code,
    /// The smallest program: all that a build makes of it is what all programs have.
    pub smallest: fn() -> Vec<u8>,
}

/// How a guest's code lies in its memory.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// What a position is a number of.
    pub unit: &'static str,
    /// Bytes.
    pub cell: u32,
}

impl Guest {
    /// What an event of this number is about.
    pub fn event(&self, number: u32) -> String {
        let known = self.events.iter().find(|(known, _)| *known == number);
        known.map_or_else(
            || format!("event {number}, value"),
            |(_, text)| text.to_string(),
        )
    }
}

/// A file that cannot be run, as far as it has been looked at.
#[derive(Debug)]
pub struct Unknown<'a> {
    pub bytes: &'a [u8],
    /// The names that an ELF file defines.
    pub symbols: Vec<&'a [u8]>,
}

/// What a file is that cannot be run, and what can be done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// After "this is".
    pub what: String,
    pub advice: String,
}
