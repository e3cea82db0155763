//! The manifest of a guest: TOML, as `docs/guests.md` describes it.
//!
//! Invariant: a field that is unknown, of another type or out of its range is an error that says
//! where it is.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::PathBuf;

use anyhow::Result;
use serde::Deserialize;

use super::words::Rule;

/// What a manifest says. Fields that it leaves out have plain values.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Manifest {
    /// The guest's name, for messages.
    pub name: String,
    /// What its programs are, in the plural, for messages.
    pub programs: Option<String>,
    /// The file of the module, from the manifest's directory. The embedded guest has none.
    pub module: Option<PathBuf>,
    /// The function that loads the program, which it finds on standard input.
    #[serde(default = "initialize")]
    pub initialize: String,
    /// The exported cell that makes the guest collect at every safepoint, if it has one.
    pub collect_cell: Option<String>,
    /// The word that a call returns which has raised.
    pub raised: Option<i64>,
    #[serde(default)]
    pub program: Program,
    #[serde(default)]
    pub stack: Stack,
    #[serde(default)]
    pub code: Code,
    /// The events that it reports to lockstep: the number of each, and what it is about.
    #[serde(default)]
    pub events: BTreeMap<Number, String>,
    /// How words are shown.
    #[serde(default)]
    pub words: Vec<Rule>,
    /// Of the manifest's text.
    #[serde(skip, default = "no_text")]
    pub digest: blake3::Hash,
}

fn initialize() -> String {
    annotations::INITIALIZE_EXPORT.into()
}

fn no_text() -> blake3::Hash {
    blake3::hash(&[])
}

/// How programs are known. A file is a program if one of these fits.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Program {
    pub extensions: Vec<String>,
    /// What the file begins with.
    pub begins: String,
    /// What stands at its end.
    pub ends: String,
    /// How many bytes before the end that is, if other text may follow it.
    pub ends_at: Option<usize>,
}

/// The stack that events name, as lockstep compares it.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Stack {
    pub grows: Direction,
    pub cell: Cell,
}

impl Default for Stack {
    fn default() -> Self {
        Self {
            grows: Direction::Down,
            cell: Cell::Eight,
        }
    }
}

/// Where a stack has its next word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Below the last one. The stack pointer is the address of the last one.
    Down,
    /// Above it. The stack pointer is the address of the next one.
    Up,
}

/// Bytes of a word of the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u32")]
pub enum Cell {
    Four,
    Eight,
}

impl Cell {
    pub fn bytes(self) -> usize {
        match self {
            Cell::Four => 4,
            Cell::Eight => 8,
        }
    }
}

impl TryFrom<u32> for Cell {
    type Error = String;

    fn try_from(bytes: u32) -> Result<Self, String> {
        match bytes {
            4 => Ok(Cell::Four),
            8 => Ok(Cell::Eight),
            _ => Err(format!("a cell has 4 or 8 bytes, not {bytes}")),
        }
    }
}

/// How a guest's code lies in its memory.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Code {
    /// What a position is a number of.
    pub unit: String,
    /// Bytes from one to the next.
    pub size: NonZeroU32,
}

impl Default for Code {
    fn default() -> Self {
        Self {
            unit: "byte".into(),
            size: NonZeroU32::MIN,
        }
    }
}

/// The number of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct Number(pub u32);

impl TryFrom<String> for Number {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let number = text.parse().map(Self);
        number.map_err(|_| format!("`{text}` is not the number of an event"))
    }
}

impl Manifest {
    pub fn parse(text: &str) -> Result<Self> {
        let mut manifest: Self = toml::from_str(text)?;
        manifest.digest = blake3::hash(text.as_bytes());
        Ok(manifest)
    }

    /// The line of `text`, from which this was read, that has the field; nothing if it is left out.
    pub fn line(&self, text: &str, field: &str) -> Option<usize> {
        let has_it = |line: &str| {
            let rest = line.trim_start().strip_prefix(field);
            rest.is_some_and(|rest| rest.trim_start().starts_with('='))
        };
        text.lines().position(has_it).map(|before| before + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        format!("{:#}", Manifest::parse(text).expect_err("it is wrong"))
    }

    #[test]
    fn what_is_left_out_is_plain() {
        let manifest = Manifest::parse("name = \"Toy\"").expect("a name is enough");
        assert_eq!(manifest.initialize, "wizer-initialize");
        assert_eq!(manifest.stack.grows, Direction::Down);
        assert_eq!(
            (manifest.stack.cell.bytes(), manifest.code.size.get()),
            (8, 1)
        );
        assert!(manifest.collect_cell.is_none() && manifest.raised.is_none());
    }

    #[test]
    fn errors_say_where_and_what() {
        for (text, place, what) in [
            (
                "name = \"Toy\"\nmodul = 3",
                "line 2",
                "unknown field `modul`",
            ),
            (
                "name = \"Toy\"\n[stack]\ncell = 3",
                "line 3",
                "4 or 8 bytes",
            ),
            (
                "name = \"Toy\"\n[stack]\ngrows = \"left\"",
                "line 3",
                "unknown variant `left`",
            ),
            ("name = \"Toy\"\n[code]\nsize = 0", "line 3", "nonzero"),
            (
                "name = \"Toy\"\n[events]\none = \"step\"",
                "line 3",
                "number of an event",
            ),
            (
                "name = \"Toy\"\n[[words]]\nshow = \"{oct}\"",
                "line 3",
                "`{oct}` is none of",
            ),
            (
                "name = \"Toy\"\n[[words]]\nshow = \"{int\"",
                "line 3",
                "has no `}`",
            ),
            (
                "name = \"Toy\"\n[[words]]\nshift = 64\nshow = \"\"",
                "line 3",
                "64 bits",
            ),
            ("\n", "line 1", "missing field `name`"),
        ] {
            let error = refused(text);
            assert!(
                error.contains(place) && error.contains(what),
                "{text}: {error}"
            );
        }
    }
}
