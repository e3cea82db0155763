//! Bytecode files that are damaged are refused with the section and the place in it; nothing traps.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;
use bactrian_tests::process::{self, Outcome};
use bactrian_tests::program::Program;
use bactrian_tests::workspace;
use tempfile::TempDir;

/// A section of an executable: its name, and where its contents are.
struct Section {
    name: String,
    start: usize,
    length: usize,
}

fn number(file: &[u8], at: usize) -> usize {
    let bytes = file[at..at + 4].try_into().expect("four bytes");
    u32::from_be_bytes(bytes) as usize
}

/// The sections, as the trailer lists them.
fn sections(file: &[u8]) -> Vec<Section> {
    let count = number(file, file.len() - 16);
    let table = file.len() - 16 - 8 * count;
    let mut start = table
        - (0..count)
            .map(|index| number(file, table + 8 * index + 4))
            .sum::<usize>();
    let mut found = Vec::new();
    for entry in (table..).step_by(8).take(count) {
        let length = number(file, entry + 4);
        let name = String::from_utf8_lossy(&file[entry..entry + 4]).into_owned();
        found.push(Section {
            name,
            start,
            length,
        });
        start += length;
    }
    found
}

fn section(file: &[u8], name: &str) -> Section {
    sections(file)
        .into_iter()
        .find(|section| section.name == name)
        .expect("every executable has it")
}

fn sound(directory: &Path) -> Result<Vec<u8>> {
    let source = workspace().join("tests/fixtures/faults.ml");
    Ok(fs::read(Program::new(source)?.compile(directory)?)?)
}

fn run(file: &[u8], directory: &Path) -> Result<Outcome> {
    let path = directory.join("damaged.byte");
    fs::write(&path, file)?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_bactrian-under-test"));
    process::run(
        command.args(["run", "--generic", "--no-cache"]).arg(&path),
        b"",
    )
}

/// Damages a sound file, and checks that the message has all of `words`.
fn refused(damage: impl FnOnce(&mut Vec<u8>), words: &[&str]) -> Result<()> {
    let directory = TempDir::new()?;
    let mut file = sound(directory.path())?;
    damage(&mut file);
    let outcome = run(&file, directory.path())?;
    let message = String::from_utf8_lossy(&outcome.stderr).into_owned();
    assert!(outcome.stdout.is_empty(), "it ran");
    assert!(
        !matches!(outcome.status, Some(0 | 134) | None),
        "status {:?}: {message}",
        outcome.status
    );
    for word in words {
        assert!(
            message.contains(word),
            "`{word}` is missing from: {message}"
        );
    }
    assert!(!message.contains("panicked"), "{message}");
    Ok(())
}

#[test]
fn a_file_without_the_magic_number() -> Result<()> {
    refused(
        |file| {
            let at = file.len() - 3;
            file[at..].copy_from_slice(b"999");
        },
        &["damaged.byte"],
    )
}

#[test]
fn an_empty_file() -> Result<()> {
    refused(Vec::clear, &["damaged.byte"])
}

#[test]
fn a_section_longer_than_the_file() -> Result<()> {
    refused(
        |file| {
            let count = number(file, file.len() - 16);
            let last = file.len() - 16 - 8 * count + 4;
            file[last..last + 4].copy_from_slice(&0x7fff_ffffu32.to_be_bytes());
        },
        &["damaged.byte"],
    )
}

#[test]
fn an_unknown_opcode() -> Result<()> {
    refused(
        |file| {
            let code = section(file, "CODE");
            file[code.start..code.start + 4].copy_from_slice(&9999u32.to_le_bytes());
        },
        &["CODE", "0"],
    )
}

#[test]
fn a_jump_out_of_the_code() -> Result<()> {
    refused(
        |file| {
            // The first instruction becomes BRANCH with a distance far too long.
            let code = section(file, "CODE");
            file[code.start..code.start + 4].copy_from_slice(&84u32.to_le_bytes());
            file[code.start + 4..code.start + 8].copy_from_slice(&0x00ff_ffffu32.to_le_bytes());
        },
        &["CODE"],
    )
}

#[test]
fn code_that_ends_in_the_middle() -> Result<()> {
    refused(
        |file| {
            // The section's last words become PUSHACC, and nothing ends the function.
            let code = section(file, "CODE");
            for word in 0..4 {
                let at = code.start + code.length - 4 * (word + 1);
                file[at..at + 4].copy_from_slice(&20u32.to_le_bytes());
            }
        },
        &["CODE"],
    )
}

#[test]
fn data_that_is_not_marshalled() -> Result<()> {
    refused(
        |file| {
            let data = section(file, "DATA");
            file[data.start..data.start + 4].copy_from_slice(b"oops");
        },
        &["DATA"],
    )
}

#[test]
fn data_that_is_cut_short() -> Result<()> {
    refused(
        |file| {
            let data = section(file, "DATA");
            // A length of contents that the section does not have.
            file[data.start + 4..data.start + 8].copy_from_slice(&0x00ff_ffffu32.to_be_bytes());
        },
        &["DATA"],
    )
}

/// Single flipped bytes all over the code: refused, or run to some end; never a trap of the loader.
#[test]
fn flipped_code_never_traps_the_loader() -> Result<()> {
    let directory = TempDir::new()?;
    let file = sound(directory.path())?;
    let code = section(&file, "CODE");
    for at in (code.start..code.start + code.length).step_by(code.length / 6) {
        let mut damaged = file.clone();
        damaged[at] ^= 0x81;
        damaged[at + 1] ^= 0x40;
        let outcome = run(&damaged, directory.path())?;
        let message = String::from_utf8_lossy(&outcome.stderr).into_owned();
        assert!(!message.contains("panicked"), "byte {at}: {message}");
    }
    Ok(())
}
