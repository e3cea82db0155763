//! Files that are no bytecode executables: each is told apart and refused with what can be done
//! about it; machine code runs where it was allowed, and nowhere else.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use bactrian_tests::process::{self, Outcome};
use tempfile::TempDir;

/// The status for failures that are not the program's.
const FAILURE: Option<i32> = Some(125);

/// A directory with a small program, `hello.ml`.
struct Place(TempDir);

impl Place {
    fn new() -> Result<Self> {
        let place = Self(TempDir::new()?);
        fs::write(place.path("hello.ml"), "let () = print_endline \"hello\"\n")?;
        Ok(place)
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    /// Runs a compiler, or what else makes a file, here.
    fn make(&self, command: &str, args: &[&str]) -> Result<()> {
        let output = Command::new(command)
            .args(args)
            .current_dir(&self.0)
            .output()
            .with_context(|| format!("{command} cannot be started"))?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{command} {args:?}: {said}");
        Ok(())
    }

    fn bactrian(&self, args: &[&str]) -> Result<Outcome> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bactrian-under-test"));
        command
            .args(args)
            .current_dir(&self.0)
            .env("XDG_CACHE_HOME", self.path("cache"));
        process::run(&mut command, b"")
    }

    /// Every command refuses the file with these words.
    fn refused(&self, file: &str, words: &[&str]) -> Result<()> {
        for command in [
            &["run", "--no-cache", file][..],
            &["build", "--no-cache", "-o", "out", file],
            &["lockstep", "--no-cache", file],
        ] {
            let outcome = self.bactrian(command)?;
            let message = String::from_utf8_lossy(&outcome.stderr).into_owned();
            assert_eq!(outcome.status, FAILURE, "{command:?}: {message}");
            assert!(outcome.stdout.is_empty(), "{outcome:?}");
            for word in [&[file][..], words].concat() {
                assert!(
                    message.contains(word),
                    "{command:?}: `{word}` is missing from: {message}"
                );
            }
        }
        assert!(!Path::new("out").exists());
        Ok(())
    }
}

#[test]
fn a_native_executable_is_told_from_bytecode() -> Result<()> {
    let place = Place::new()?;
    let words = [
        "made: machine code",
        "`ocamlopt`",
        "compile the program with `ocamlc`",
    ];
    place.make("ocamlopt", &["-o", "native", "hello.ml"])?;
    place.refused("native", &words)?;
    place.make("strip", &["native"])?;
    place.refused("native", &words)
}

#[test]
fn bytecode_inside_of_an_executable_cannot_be_found() -> Result<()> {
    let place = Place::new()?;
    let words = ["`-output-complete-exe`", "link the program without"];
    place.make(
        "ocamlc",
        &["-output-complete-exe", "-o", "complete.exe", "hello.ml"],
    )?;
    place.refused("complete.exe", &words)
}

#[test]
fn an_executable_with_a_runtime_of_its_own_runs_until_it_is_stripped() -> Result<()> {
    let place = Place::new()?;
    place.make("ocamlc", &["-custom", "-o", "custom", "hello.ml"])?;
    let outcome = place.bactrian(&["run", "--generic", "custom"])?;
    assert_eq!(outcome.stdout, b"hello\n", "{outcome:?}");
    place.make("strip", &["custom"])?;
    place.refused("custom", &["`-custom` and stripped"])
}

#[test]
fn other_files_of_the_system_are_named() -> Result<()> {
    let place = Place::new()?;
    fs::write(place.path("main.c"), "int main(void) { return 0; }\n")?;
    place.make("gcc", &["-o", "other", "main.c"])?;
    place.refused(
        "other",
        &["an ELF executable", "bytecode executables of `ocamlc`"],
    )?;
    place.make("gcc", &["-c", "main.c"])?;
    place.refused("main.o", &["an ELF object file"])?;
    place.refused("main.c", &["this is text"])?;
    let header = [b"\x7fELF\x02\x01\x01".as_slice(), &[0; 57]].concat();
    fs::write(place.path("header"), header)?;
    place.refused("header", &["ELF"])
}

#[test]
fn the_compilers_other_files_are_named() -> Result<()> {
    let place = Place::new()?;
    place.make("ocamlc", &["-c", "hello.ml"])?;
    place.refused("hello.cmo", &["(.cmo)", "link the program with `ocamlc -o"])?;
    place.refused("hello.cmi", &["(.cmi)"])?;
    place.make("ocamlc", &["-a", "-o", "hello.cma", "hello.cmo"])?;
    place.refused("hello.cma", &["(.cma)"])?;
    place.make("ocamlc", &["-o", "hello.byte", "hello.cmo"])?;
    let whole = fs::read(place.path("hello.byte"))?;
    fs::write(place.path("cut.byte"), &whole[..whole.len() - 100])?;
    place.refused("cut.byte", &["whose end is missing"])
}

#[test]
fn machine_code_has_to_be_allowed() -> Result<()> {
    let place = Place::new()?;
    place.make("ocamlc", &["-o", "hello.byte", "hello.ml"])?;
    let build = [
        "build",
        "--emit",
        "cwasm",
        "-o",
        "hello.cwasm",
        "hello.byte",
    ];
    let built = place.bactrian(&build)?;
    assert_eq!(built.status, Some(0), "{built:?}");
    let refused = place.bactrian(&["run", "hello.cwasm"])?;
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(message.contains("`--allow-precompiled`"), "{message}");
    assert_eq!((refused.status, refused.stdout.len()), (FAILURE, 0));
    let allowed = place.bactrian(&["run", "--allow-precompiled", "hello.cwasm"])?;
    assert_eq!(allowed.stdout, b"hello\n", "{allowed:?}");
    // What is allowed is a kind of file that was asked for, not whatever comes.
    place.make("ocamlopt", &["-o", "native", "hello.ml"])?;
    let native = place.bactrian(&["run", "--allow-precompiled", "native"])?;
    assert_eq!(native.status, FAILURE, "{native:?}");
    Ok(())
}
