//! A guest as this tool sees it: the module, and what only somebody who knows its language can say.
//!
//! Invariant: nothing outside of `guest` knows a language. A second guest is a second value of [`Guest`].

pub mod ocaml;

/// The module, as the build script made it from `interpreter/`.
pub const MODULE: &[u8] = include_bytes!(env!("BACTRIAN_GUEST"));

/// A description of an interpreter and of the programs that it runs.
#[derive(Debug)]
pub struct Guest {
    /// What its programs are, in the plural, for messages.
    pub programs: &'static str,
    /// How many of a file's last bytes [`Guest::is_program`] wants to see.
    pub trailer: usize,
    /// Whether a file that ends like this is a program, of whatever version. The guest will say what is
    /// wrong with it.
    pub is_program: fn(end: &[u8]) -> bool,
    /// What a file that is no program is, if it belongs to the guest's world.
    pub recognise: fn(file: &Unknown) -> Option<Foreign>,
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
