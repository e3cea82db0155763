//! What a command that measures programs of a directory is asked for, and where its table goes.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use clap::Parser;

use crate::conformance::report::write_between;

/// Measure programs, and write a table.
#[derive(Debug, Parser)]
pub struct Selection {
    /// A document that gets the table, between its markers; without one it is put out.
    #[arg(long)]
    document: Option<PathBuf>,
    /// Names of programs that are meant; all, if there are none.
    names: Vec<String>,
}

impl Selection {
    /// The programs of a directory that are meant: files with this ending, by their names.
    pub fn programs(&self, directory: &Path, ending: &str) -> Result<Vec<PathBuf>> {
        let mut programs = Vec::new();
        for entry in fs::read_dir(directory)? {
            let path = entry?.path();
            let is_program = path.extension().is_some_and(|found| found == ending);
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            if is_program && (self.names.is_empty() || self.names.iter().any(|one| *one == name)) {
                programs.push(path);
            }
        }
        ensure!(!programs.is_empty(), "there are no such programs");
        programs.sort();
        Ok(programs)
    }

    /// Puts the table where it is wanted.
    pub fn put_out(&self, marks: [&str; 2], table: &str) -> Result<()> {
        match &self.document {
            None => print!("{table}"),
            Some(document) => write_between(document, marks, table)?,
        }
        Ok(())
    }
}
