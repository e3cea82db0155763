//! The source package of the installed OCaml: fetched by `apt-get source`, with lists of packages
//! and a configuration of our own, so that the system's stay as they are.
//!
//! Invariant: what is fetched has the installed compiler's version. Leaves out: distributions
//! without `apt-get`; there a source tree can be named instead.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process;

/// The package whose source is asked for.
const PACKAGE: &str = "ocaml-nox";

/// The source tree in `directory`, fetched unless it is there.
pub fn tree(directory: &Path) -> Result<PathBuf> {
    if let Some(tree) = existing(directory)? {
        return Ok(tree);
    }
    eprintln!("conformance: fetching OCaml's source package");
    let version = output(Command::new("dpkg-query").args(["-W", "-f=${Version}", PACKAGE]))?;
    fetch(directory, &format!("ocaml={}", version.trim()))?;
    existing(directory)?.context("the source package holds no directory ocaml-*")
}

/// Fetches and unpacks a source package into `directory`.
pub fn fetch(directory: &Path, package: &str) -> Result<()> {
    let configuration = configure(directory)?;
    apt(&configuration, directory, &["update"])?;
    apt(
        &configuration,
        directory,
        &["source", "--only-source", package],
    )
}

/// A source tree that was unpacked as a whole.
fn existing(directory: &Path) -> Result<Option<PathBuf>> {
    fs::create_dir_all(directory)?;
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.join("testsuite/tests").is_dir() && path.join("debian").is_dir() {
            return Ok(Some(path.canonicalize()?));
        }
    }
    Ok(None)
}

/// A configuration for `apt-get` in which everything that it writes lies in `directory`.
fn configure(directory: &Path) -> Result<PathBuf> {
    let place = |name: &str| -> Result<String> {
        let path = directory.join("apt").join(name);
        fs::create_dir_all(&path)?;
        Ok(path.canonicalize()?.to_string_lossy().into_owned())
    };
    place("state/lists/partial")?;
    place("cache/archives/partial")?;
    let (state, cache) = (place("state")?, place("cache")?);
    let sources = format!("{}/sources.list", place("")?);
    fs::write(&sources, source_lists()?)?;
    let configuration = directory.join("apt/apt.conf");
    fs::write(
        &configuration,
        format!(
            "Dir::State \"{state}\";\nDir::Cache \"{cache}\";\n\
             Dir::Etc::SourceList \"{sources}\";\n\
             Dir::Etc::SourceParts \"-\";\nAPT::Sandbox::User \"root\";\n"
        ),
    )?;
    Ok(configuration.canonicalize()?)
}

/// The places where the system finds its binary packages, as places of source packages.
fn source_lists() -> Result<String> {
    let format = "deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)";
    let lists = output(Command::new("apt-get").args([
        "indextargets",
        "--format",
        format,
        "Identifier: Packages",
        "Origin: Debian",
    ]))?;
    if lists.trim().is_empty() {
        bail!("apt-get knows no place of Debian packages: name a source tree with --source");
    }
    Ok(lists)
}

fn apt(configuration: &Path, directory: &Path, arguments: &[&str]) -> Result<()> {
    let mut command = Command::new("apt-get");
    command
        .current_dir(directory)
        .env("APT_CONFIG", configuration)
        .arg("-q")
        .args(arguments);
    output(&mut command).map(|_| ())
}

/// What a command says that has to succeed.
fn output(command: &mut Command) -> Result<String> {
    let outcome = process::run(command, b"")?;
    if outcome.status != Some(0) {
        bail!(
            "{command:?} fails: {}{}",
            String::from_utf8_lossy(&outcome.stdout),
            String::from_utf8_lossy(&outcome.stderr)
        );
    }
    Ok(String::from_utf8_lossy(&outcome.stdout).into_owned())
}
