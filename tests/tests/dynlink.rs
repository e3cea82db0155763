//! A program that loads plugins with `Dynlink`: what they define, raise and call, and what cannot
//! be loaded, is as under `ocamlrun`, byte for byte, in every mode.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};
use bactrian_tests::process::{self, Outcome};
use bactrian_tests::tool::{Mode, Tool};
use bactrian_tests::{scratch, workspace};
use tempfile::TempDir;

/// Units in the order of their dependencies.
const UNITS: [&str; 7] = [
    "api",
    "first",
    "second",
    "raises",
    "hidden",
    "needs_primitive",
    "needs_hidden",
];

/// Sources, compiled, in a directory that the program sees under its own name.
struct Place(TempDir);

impl Place {
    fn new() -> Result<Self> {
        let place = Self(TempDir::new()?);
        let sources = workspace().join("tests/dynlink");
        for entry in fs::read_dir(&sources)? {
            let entry = entry?;
            fs::copy(entry.path(), place.path().join(entry.file_name()))?;
        }
        place.compile()?;
        place.compile_what_fails()?;
        Ok(place)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn compile(&self) -> Result<()> {
        for unit in UNITS {
            ocamlc(self.path(), &["-c", &format!("{unit}.ml")])?;
        }
        let host = "-linkall -o host.byte dynlink.cma api.cmo host.ml";
        ocamlc(self.path(), &host.split(' ').collect::<Vec<_>>())?;
        ocamlc(
            self.path(),
            &["-a", "-o", "pair.cma", "first.cmo", "second.cmo"],
        )
    }

    /// A plugin for another interface, a library that needs a shared one, and files that are none.
    fn compile_what_fails(&self) -> Result<()> {
        let other = self.path().join("other");
        fs::create_dir(&other)?;
        let api = fs::read_to_string(self.path().join("api.ml"))?;
        fs::write(other.join("api.ml"), api + "\nlet added = 1\n")?;
        fs::copy(self.path().join("first.ml"), other.join("stale.ml"))?;
        ocamlc(&other, &["-c", "api.ml"])?;
        ocamlc(&other, &["-c", "stale.ml"])?;
        let library = "-a -o dll.cma -dllib -lnowhere needs_primitive.cmo";
        ocamlc(self.path(), &library.split(' ').collect::<Vec<_>>())?;
        fs::write(self.path().join("text.cmo"), "not code\n")?;
        let first = fs::read(self.path().join("first.cmo"))?;
        fs::write(self.path().join("cut.cmo"), &first[..200])?;
        Ok(())
    }

    fn oracle(&self, args: &[&str]) -> Result<Outcome> {
        let mut command = Command::new("ocamlrun");
        command
            .current_dir(self.path())
            .env_clear()
            .arg("host.byte")
            .args(args);
        process::run(&mut command, b"")
    }

    fn execute(&self, tool: &Tool, mode: Mode, args: &[&str]) -> Result<Outcome> {
        let here = self.path().display().to_string();
        let mut command = tool.command(mode.flags());
        command
            .current_dir(self.path())
            .args(["--dir", &format!("{here}::{here}")])
            .args(["--env", &format!("PWD={here}")])
            .arg("--cache")
            .arg(&tool.cache)
            .args(["host.byte", "--"])
            .args(args);
        process::run(&mut command, b"")
    }

    /// In every mode what `ocamlrun` gives, which mentions each of `words`.
    fn check(&self, args: &[&str], words: &[&str]) -> Result<()> {
        let expected = self.oracle(args)?;
        let output = String::from_utf8_lossy(&expected.stdout).into_owned();
        for word in words {
            ensure!(output.contains(word), "`{word}` is missing from: {output}");
        }
        let cache = scratch(env!("CARGO_TARGET_TMPDIR"), "dynlink")?;
        let tool = Tool::new(env!("CARGO_BIN_EXE_bactrian-under-test"), &cache)?;
        for mode in Mode::ALL {
            let difference = self.execute(&tool, mode, args)?.difference(&expected);
            assert_eq!(difference, None, "{args:?}, {}", mode.name());
        }
        Ok(())
    }
}

fn ocamlc(directory: &Path, args: &[&str]) -> Result<()> {
    let mut command = Command::new("ocamlc");
    command.current_dir(directory).args(["-w", "-a"]).args(args);
    let outcome = process::run(&mut command, b"")?;
    let message = String::from_utf8_lossy(&outcome.stderr);
    ensure!(outcome.status == Some(0), "ocamlc {args:?}: {message}");
    Ok(())
}

#[test]
fn plugins_and_what_cannot_be_loaded() -> Result<()> {
    let place = Place::new()?;
    let files = "first.cmo second.cmo raises.cmo private hidden.cmo needs_hidden.cmo nowhere.cmo \
                 text.cmo cut.cmo other/stale.cmo needs_primitive.cmo dll.cma first.cmo private \
                 first.cmo";
    place.check(
        &files.split_whitespace().collect::<Vec<_>>(),
        &[
            "[second] refused 1597",
            "[hidden] -1",
            "failed: Api.Refused",
            "Unavailable_unit",
            "Not_a_bytecode_file",
            "Inconsistent_import",
            "Unavailable_primitive",
            "dllnowhere.so: cannot open shared object file",
            "Module_already_loaded",
        ],
    )?;
    place.check(
        &["second.cmo", "pair.cma"],
        &["no implementation available for First", "First Second"],
    )
}
