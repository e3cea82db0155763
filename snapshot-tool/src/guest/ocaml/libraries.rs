//! The shared libraries that a bytecode executable names: its DLLS section.
//!
//! Leaves out: whether the rest of the file is an executable. The interpreter says that.

/// Bytes of the end: how many sections there are, and the magic number.
const TRAILER: usize = 16;

/// Bytes of what says of a section how it is called and how long it is.
const DESCRIPTOR: usize = 8;

/// The names, without what files of such libraries end with.
pub fn named(program: &[u8]) -> Vec<String> {
    section(program, b"DLLS")
        .unwrap_or_default()
        .split(|&byte| byte == 0)
        .filter(|name| !name.is_empty())
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .collect()
}

/// The section of this name. Sections come one after the other before their descriptors.
fn section<'a>(program: &'a [u8], name: &[u8; 4]) -> Option<&'a [u8]> {
    let (rest, trailer) = program.split_at_checked(program.len().checked_sub(TRAILER)?)?;
    let count = length(trailer)?;
    let table = count.checked_mul(DESCRIPTOR)?;
    let (sections, table) = rest.split_at_checked(rest.len().checked_sub(table)?)?;
    let mut end = sections.len();
    for descriptor in table.chunks_exact(DESCRIPTOR).rev() {
        let start = end.checked_sub(length(&descriptor[4..])?)?;
        if descriptor.starts_with(name) {
            return sections.get(start..end);
        }
        end = start;
    }
    None
}

fn length(bytes: &[u8]) -> Option<usize> {
    Some(u32::from_be_bytes(*bytes.first_chunk()?) as usize)
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
        assert_eq!(named(&file), ["dllunix", "dllcamel"]);
        assert!(named(&executable(&[(b"CODE", b"code")])).is_empty());
    }

    #[test]
    fn what_is_cut_or_no_executable_names_none() {
        let file = executable(&[(b"DLLS", b"dllcamel\0")]);
        for start in 0..file.len() {
            // What is missing at the beginning may be of no section.
            let names = named(&file[start..]);
            assert!(names.is_empty() || names == ["dllcamel"], "{names:?}");
        }
        assert!(named(b"").is_empty());
        assert!(named(&[0xff; 40]).is_empty());
    }
}
