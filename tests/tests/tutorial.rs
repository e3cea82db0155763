//! The tutorial is followed as it is printed: its files are written, its changes are made, its
//! commands run and print what the page shows.

use std::fs;
use std::os::unix::fs::symlink;

use anyhow::{Result, ensure};
use bactrian_tests::pages::Place;
use bactrian_tests::workspace;
use tempfile::TempDir;

#[test]
fn the_tutorial_works_as_printed() -> Result<()> {
    follow("docs/tutorial/README.md")
}

#[test]
fn an_interpreter_in_c_works_as_printed() -> Result<()> {
    follow("docs/tutorial/c.md")
}

/// The directory is `toy`, as if it were in a clone.
fn follow(page: &str) -> Result<()> {
    let place = TempDir::new()?;
    let inside = |name: &str| place.path().join(name);
    fs::create_dir_all(inside("toy/src"))?;
    fs::create_dir(inside("bin"))?;
    let command = env!("CARGO_BIN_EXE_bactrian-under-test");
    symlink(command, inside("bin/bactrian"))?;
    let place = Place {
        directory: inside("toy"),
        commands: inside("bin"),
        cache: inside("cache"),
    };
    // The crate is in the clone.
    let clone = workspace().display().to_string();
    let written = |text: &str| text.replace("\"../", &format!("\"{clone}/"));
    let blocks = place.follow(&workspace().join(page), written)?;
    ensure!(blocks > 7, "{blocks} blocks");
    Ok(())
}
