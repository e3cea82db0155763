//! The shared libraries that a bytecode executable names: its DLLS section.
//!
//! Of the file only that section is read, and what says where it is.
//!
//! Leaves out: whether the rest of the file is an executable. The interpreter says that.

use std::io::{self, Cursor, Read, SeekFrom};

use crate::guest::Source;

/// Bytes of the end: how many sections there are, and the magic number.
const TRAILER: u64 = 16;

/// Bytes of what says of a section how it is called and how long it is.
const DESCRIPTOR: u64 = 8;

/// The names, without what files of such libraries end with. A file that cannot be read names none.
pub fn named(program: &mut dyn Source) -> Vec<String> {
    section(program, b"DLLS")
        .ok()
        .flatten()
        .unwrap_or_default()
        .split(|&byte| byte == 0)
        .filter(|name| !name.is_empty())
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .collect()
}

/// Those that a program in memory names.
pub fn named_in(program: &[u8]) -> Vec<String> {
    named(&mut Cursor::new(program))
}

/// The section of this name. Sections come one after the other before their descriptors.
fn section(program: &mut dyn Source, name: &[u8; 4]) -> io::Result<Option<Vec<u8>>> {
    let len = program.seek(SeekFrom::End(0))?;
    let Some(table_end) = len.checked_sub(TRAILER) else {
        return Ok(None);
    };
    let trailer = part(program, table_end, TRAILER)?;
    let table_len = length(&trailer) * DESCRIPTOR;
    let Some(sections_end) = table_end.checked_sub(table_len) else {
        return Ok(None);
    };
    let table = part(program, sections_end, table_len)?;
    let mut end = sections_end;
    for descriptor in table.chunks_exact(DESCRIPTOR as usize).rev() {
        let len = length(&descriptor[4..]);
        let Some(start) = end.checked_sub(len) else {
            return Ok(None);
        };
        if descriptor.starts_with(name) {
            return part(program, start, len).map(Some);
        }
        end = start;
    }
    Ok(None)
}

/// So many bytes of the file, which has them.
fn part(program: &mut dyn Source, start: u64, len: u64) -> io::Result<Vec<u8>> {
    program.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    Read::take(program, len).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn length(bytes: &[u8]) -> u64 {
    let first = bytes.first_chunk().copied();
    u32::from_be_bytes(first.unwrap_or_default()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn executable(sections: &[(&[u8], &[u8])]) -> Vec<u8> {
        let mut file = b"#!/usr/bin/ocamlrun\n".to_vec();
        sections.iter().for_each(|(_, bytes)| file.extend(*bytes));
        for (name, bytes) in sections {
            file.extend(*name);
            file.extend((bytes.len() as u32).to_be_bytes());
        }
        file.extend((sections.len() as u32).to_be_bytes());
        file.extend(b"Caml1999X030");
        file
    }

    #[test]
    fn names_are_those_of_the_section() {
        let file = executable(&[
            (b"CODE", b"code"),
            (b"DLLS", b"dllunix\0dllcamel\0"),
            (b"PRIM", b"walk\0"),
        ]);
        assert_eq!(named_in(&file), ["dllunix", "dllcamel"]);
        assert!(named_in(&executable(&[(b"CODE", b"code")])).is_empty());
    }

    #[test]
    fn what_is_cut_or_no_executable_names_none() {
        let file = executable(&[(b"DLLS", b"dllcamel\0")]);
        for start in 0..file.len() {
            // What is missing at the beginning may be of no section.
            let names = named_in(&file[start..]);
            assert!(names.is_empty() || names == ["dllcamel"], "{names:?}");
        }
        assert!(named_in(b"").is_empty());
        assert!(named_in(&[0xff; 40]).is_empty());
    }
}
