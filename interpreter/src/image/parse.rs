//! Sections of a bytecode executable, found from the trailer at its end.
//!
//! Everything is checked against the file's length; nothing in the sections is interpreted but
//! PRIM.

use super::cells;
use crate::code::{self, CELL, CODE_WORD, ImageError};
use crate::polymorphic::marshal::input;

/// Magic number of OCaml 4.13's executables.
pub const MAGIC: &[u8; 12] = b"Caml1999X030";

const TRAILER: usize = 16;
const DESCRIPTOR: usize = 8;

/// The parts of an executable that running it needs.
#[derive(Debug)]
pub struct Executable<'a> {
    /// Words of the CODE section.
    pub code: Vec<i32>,
    /// The DATA section: the marshalled global data.
    pub data: &'a [u8],
    /// Where it begins in the file, for messages.
    pub data_offset: usize,
    /// Names in the PRIM section, by index.
    pub primitives: Vec<&'a [u8]>,
    /// The DBUG section: debug events, if the program was linked with them.
    pub debug: &'a [u8],
    sections: Vec<Section<'a>>,
}

impl<'a> Executable<'a> {
    /// The bytes of the section with this name.
    pub fn section(&self, name: &str) -> Option<&'a [u8]> {
        let mut sections = self.sections.iter();
        let found = sections.find(|section| section.name == name.as_bytes());
        found.map(|section| section.bytes)
    }
}

/// Finds the sections.
pub fn executable(file: &[u8]) -> Result<Executable<'_>, ImageError> {
    let sections = sections(file)?;
    let optional = |name: &str| {
        sections
            .iter()
            .find(|section| section.name == name.as_bytes())
    };
    let find = |name| optional(name).ok_or(ImageError::Missing { section: name });
    let (code, data, prim) = (find("CODE")?, find("DATA")?, find("PRIM")?);
    Ok(Executable {
        code: words(code.bytes)?,
        data: data.bytes,
        data_offset: data.offset,
        primitives: names(prim.bytes),
        debug: optional("DBUG").map_or(&[], |section| section.bytes),
        sections,
    })
}

/// Bytes of memory that what is kept of the sections takes at most; 0 if `file` is no executable.
pub fn lasting_size(file: &[u8]) -> usize {
    let size = |section: &Section| {
        let len = section.bytes.len();
        match section.name {
            b"CODE" => {
                let words = len / CODE_WORD as usize;
                words * CELL as usize + cells::most(words)
            }
            b"DATA" => input::header(section.bytes, "").map_or(0, |header| header.words * 8),
            // Short names, each a block of its own.
            b"PRIM" => len * 4,
            // Kept as it is or compressed, which may add a little.
            _ => len + len / 8,
        }
    };
    sections(file).map_or(0, |sections| sections.iter().map(size).sum())
}

#[derive(Clone, Copy, Debug)]
struct Section<'a> {
    name: &'a [u8],
    bytes: &'a [u8],
    offset: usize,
}

fn sections(file: &[u8]) -> Result<Vec<Section<'_>>, ImageError> {
    let trailer = file
        .len()
        .checked_sub(TRAILER)
        .ok_or(ImageError::NoTrailer)?;
    let magic: [u8; 12] = file[trailer + 4..].try_into().expect("trailer is 16 bytes");
    if &magic != MAGIC {
        return Err(if magic.starts_with(b"Caml1999X") {
            ImageError::Magic(magic)
        } else {
            ImageError::NoTrailer
        });
    }
    let table_error = || ImageError::Truncated {
        section: "table".into(),
        offset: trailer,
    };
    let count = big_endian(&file[trailer..]);
    let table = count
        .checked_mul(DESCRIPTOR)
        .and_then(|size| trailer.checked_sub(size))
        .ok_or_else(table_error)?;
    let mut end = table;
    let mut found = Vec::new();
    for descriptor in file[table..trailer].chunks_exact(DESCRIPTOR).rev() {
        let (name, length) = (&descriptor[..4], big_endian(&descriptor[4..]));
        let section = || String::from_utf8_lossy(name).into_owned();
        let offset = end
            .checked_sub(length)
            .ok_or_else(|| ImageError::Truncated {
                section: section(),
                offset: end,
            })?;
        found.push(Section {
            name,
            bytes: &file[offset..end],
            offset,
        });
        end = offset;
    }
    Ok(found)
}

fn big_endian(bytes: &[u8]) -> usize {
    u32::from_be_bytes(bytes[..4].try_into().expect("four bytes")) as usize
}

fn words(code: &[u8]) -> Result<Vec<i32>, ImageError> {
    if !code.len().is_multiple_of(CODE_WORD as usize) {
        return Err(ImageError::OddCode { length: code.len() });
    }
    Ok(code::words(code))
}

/// NUL-terminated names.
fn names(section: &[u8]) -> Vec<&[u8]> {
    let mut names: Vec<_> = section.split(|&byte| byte == 0).collect();
    names.pop_if(|last| last.is_empty());
    names
}
