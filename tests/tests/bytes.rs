//! Names, arguments and variables that are not UTF-8 reach a program as they are.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

use anyhow::Result;
use bactrian_tests::process;
use bactrian_tests::workshop::Workshop;

const PROGRAM: &str = "let () =
  let show text = print_endline (String.escaped text) in
  Array.iter show Sys.argv; show (Sys.getenv \"CAMEL\")";

/// A text with a byte behind it that is no UTF-8.
fn odd(text: &str) -> OsString {
    OsStr::from_bytes(&[text.as_bytes(), b"\xff"].concat()).into()
}

/// The program under a name that is not UTF-8, and that name.
fn workshop() -> Result<(Workshop, OsString)> {
    let place = Workshop::new(env!("CARGO_BIN_EXE_bactrian-under-test"))?;
    fs::write(place.path("main.ml"), PROGRAM)?;
    place.make("ocamlc", &["-o", "main.byte", "main.ml"])?;
    let name = odd("main");
    fs::rename(place.path("main.byte"), place.path("").join(&name))?;
    Ok((place, name))
}

#[test]
fn bytes_of_the_command_line_are_passed_on() -> Result<()> {
    let (place, name) = workshop()?;
    let mut ocamlrun = Command::new("ocamlrun");
    ocamlrun
        .current_dir(place.path(""))
        .env("CAMEL", odd("two"));
    let expected = process::run(ocamlrun.arg(&name).arg(odd("walk")), b"")?;
    let variable = [OsStr::new("CAMEL"), &odd("two")].join(OsStr::new("="));
    for command in ["run", "lockstep"] {
        let mut given = place.command();
        given.args([command, "--env"]).arg(&variable);
        let mut taken = place.command();
        taken.args([command, "--env", "CAMEL"]);
        let mut all = place.command();
        all.args([command, "--unconfined"]);
        for command in [&mut given, &mut taken, &mut all] {
            command.env("CAMEL", odd("two")).arg(&name).arg(odd("walk"));
            let outcome = process::run(command, b"")?;
            assert_eq!(outcome.difference(&expected), None, "{command:?}");
        }
    }
    Ok(())
}

#[test]
fn directories_of_any_name_are_opened() -> Result<()> {
    let (place, name) = workshop()?;
    let directory = odd("oasis");
    fs::create_dir(place.path("").join(&directory))?;
    let run = |option: &OsStr| {
        let mut command = place.command();
        command
            .args(["run", "--env", "CAMEL=1", "--dir"])
            .arg(option);
        process::run(command.arg(&name), b"")
    };
    let named = run(&[&directory, OsStr::new("/oasis")].join(OsStr::new("::")))?;
    assert_eq!(named.status, Some(0), "{named:?}");
    // WASI knows directories by names in UTF-8 only.
    let refused = run(&directory)?;
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        refused.status == Some(2) && said.contains("HOST::GUEST"),
        "{said}"
    );
    Ok(())
}
