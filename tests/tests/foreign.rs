//! Files that are no bytecode executables: each is told apart and refused with what can be done
//! about it; machine code runs where it was allowed, and nowhere else.

use std::fs;

use anyhow::Result;
use bactrian_tests::workshop::Workshop;

/// The status for failures that are not the program's.
const FAILURE: Option<i32> = Some(125);

/// A directory with a small program, `hello.ml`.
fn place() -> Result<Workshop> {
    let place = Workshop::new(env!("CARGO_BIN_EXE_bactrian-under-test"))?;
    fs::write(place.path("hello.ml"), "let () = print_endline \"hello\"\n")?;
    Ok(place)
}

/// Every command refuses the file with these words.
fn refused(place: &Workshop, file: &str, words: &[&str]) -> Result<()> {
    for command in [
        &["run", "--no-cache", file][..],
        &["build", "--no-cache", "-o", "out", file],
        &["lockstep", "--no-cache", file],
    ] {
        let outcome = place.bactrian(command)?;
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
    assert!(!place.path("out").exists(), "nothing is built");
    Ok(())
}

#[test]
fn a_native_executable_is_told_from_bytecode() -> Result<()> {
    let place = place()?;
    let words = [
        "made: machine code",
        "`ocamlopt`",
        "compile the program with `ocamlc`",
    ];
    place.make("ocamlopt", &["-o", "native", "hello.ml"])?;
    refused(&place, "native", &words)?;
    place.make("strip", &["native"])?;
    refused(&place, "native", &words)
}

#[test]
fn bytecode_inside_of_an_executable_cannot_be_found() -> Result<()> {
    let place = place()?;
    let words = ["`-output-complete-exe`", "link the program without"];
    place.make(
        "ocamlc",
        &["-output-complete-exe", "-o", "complete.exe", "hello.ml"],
    )?;
    refused(&place, "complete.exe", &words)
}

#[test]
fn an_executable_with_a_runtime_of_its_own_runs_until_it_is_stripped() -> Result<()> {
    let place = place()?;
    place.make("ocamlc", &["-custom", "-o", "custom", "hello.ml"])?;
    let outcome = place.bactrian(&["run", "--generic", "custom"])?;
    assert_eq!(outcome.stdout, b"hello\n", "{outcome:?}");
    place.make("strip", &["custom"])?;
    refused(&place, "custom", &["`-custom` and stripped"])
}

#[test]
fn other_files_of_the_system_are_named() -> Result<()> {
    let place = place()?;
    fs::write(place.path("main.c"), "int main(void) { return 0; }\n")?;
    place.make("gcc", &["-o", "other", "main.c"])?;
    refused(
        &place,
        "other",
        &["an ELF executable", "bytecode executables of `ocamlc`"],
    )?;
    place.make("gcc", &["-c", "main.c"])?;
    refused(&place, "main.o", &["an ELF object file"])?;
    refused(&place, "main.c", &["this is text"])?;
    let header = [b"\x7fELF\x02\x01\x01".as_slice(), &[0; 57]].concat();
    fs::write(place.path("header"), header)?;
    refused(&place, "header", &["ELF"])
}

#[test]
fn the_compilers_other_files_are_named() -> Result<()> {
    let place = place()?;
    place.make("ocamlc", &["-c", "hello.ml"])?;
    refused(
        &place,
        "hello.cmo",
        &["(.cmo)", "link the program with `ocamlc -o"],
    )?;
    refused(&place, "hello.cmi", &["(.cmi)"])?;
    place.make("ocamlc", &["-a", "-o", "hello.cma", "hello.cmo"])?;
    refused(&place, "hello.cma", &["(.cma)"])?;
    place.make("ocamlc", &["-o", "hello.byte", "hello.cmo"])?;
    let whole = fs::read(place.path("hello.byte"))?;
    fs::write(place.path("cut.byte"), &whole[..whole.len() - 100])?;
    refused(&place, "cut.byte", &["whose end is missing"])
}

#[test]
fn machine_code_has_to_be_allowed() -> Result<()> {
    let place = place()?;
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

#[test]
fn bytecode_of_another_version_names_ours() -> Result<()> {
    let place = place()?;
    place.make("ocamlc", &["-o", "hello.byte", "hello.ml"])?;
    let mut bytes = fs::read(place.path("hello.byte"))?;
    let magic = bytes.len() - 4..;
    bytes[magic].copy_from_slice(b"X031");
    fs::write(place.path("other.byte"), bytes)?;
    let outcome = place.bactrian(&["run", "--no-cache", "other.byte"])?;
    let message = String::from_utf8_lossy(&outcome.stderr);
    for word in ["other.byte: ", "Caml1999X031", "with OCaml 4.13"] {
        assert!(message.contains(word), "{word}: {message}");
    }
    assert_eq!(outcome.status, Some(127), "as a damaged one ends");
    Ok(())
}

/// Any module might be called, but only some have functions for programs.
#[test]
fn what_is_no_file_of_stubs_is_named() -> Result<()> {
    let place = place()?;
    place.make("ocamlc", &["-o", "hello.byte", "hello.ml"])?;
    let build = ["build", "--no-cache", "-o", "hello.wasm", "hello.byte"];
    assert_eq!(place.bactrian(&build)?.status, Some(0));
    for file in ["hello.ml", "hello.wasm"] {
        let outcome = place.bactrian(&["run", "--no-cache", "--stubs", file, "hello.byte"])?;
        let message = String::from_utf8_lossy(&outcome.stderr).into_owned();
        let expected = format!("{file}: this is no file of stubs; `bactrian stubs` makes one");
        assert!(message.contains(&expected), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
        assert_eq!(outcome.status, FAILURE);
    }
    fs::write(place.path("f.c"), "int f(int n) { return n; }\n")?;
    let made = place.bactrian(&["stubs", "-o", "f.stubs", "f.c"])?;
    assert_eq!(made.status, Some(0), "{made:?}");
    for command in [&["check"][..], &["specialize", "-o", "out.wasm"]] {
        let stubs = ["--no-cache", "--stubs", "f.stubs", "hello.wasm"];
        let outcome = place.bactrian(&[command, &stubs].concat())?;
        let message = String::from_utf8_lossy(&outcome.stderr).into_owned();
        let expected = "bactrian: hello.wasm: this is a module; `--stubs` joins";
        assert!(message.starts_with(expected), "{message}");
        assert_eq!(outcome.status, FAILURE);
    }
    Ok(())
}

/// What takes modules says as much of other files as what takes programs.
#[test]
fn what_takes_modules_names_other_files() -> Result<()> {
    let place = place()?;
    place.make("ocamlc", &["-c", "hello.ml"])?;
    place.make("ocamlopt", &["-o", "native", "hello.ml"])?;
    fs::write(place.path("empty"), "")?;
    for (file, what) in [
        ("hello.cmo", "(.cmo)"),
        ("native", "`ocamlopt` made"),
        ("empty", "an empty file"),
        ("hello.ml", "this is text"),
    ] {
        for command in [
            &["specialize", "--no-cache", "-o", "out", file][..],
            &["check", "--no-cache", file],
        ] {
            let outcome = place.bactrian(command)?;
            let message = String::from_utf8_lossy(&outcome.stderr).into_owned();
            assert_eq!(outcome.status, FAILURE, "{message}");
            for word in [file, what, "this command takes WebAssembly modules"] {
                assert!(
                    message.contains(word),
                    "`{word}` is missing from: {message}"
                );
            }
        }
    }
    Ok(())
}

/// A program of the interpreter's is not taken for a module's text.
#[test]
fn a_program_is_told_from_a_module() -> Result<()> {
    let place = place()?;
    place.make("ocamlc", &["-o", "hello.byte", "hello.ml"])?;
    let outcome = place.bactrian(&["specialize", "--no-cache", "-o", "out", "hello.byte"])?;
    let message = String::from_utf8_lossy(&outcome.stderr).into_owned();
    assert_eq!(outcome.status, FAILURE, "{message}");
    for word in [
        "hello.byte",
        "a program and no module",
        "`bactrian run`",
        "`--guest`",
    ] {
        assert!(
            message.contains(word),
            "`{word}` is missing from: {message}"
        );
    }
    Ok(())
}

#[test]
fn a_module_that_is_no_command_is_named() -> Result<()> {
    let place = place()?;
    fs::write(place.path("empty.wasm"), b"\0asm\x01\0\0\0")?;
    let outcome = place.bactrian(&["run", "--no-cache", "empty.wasm"])?;
    assert_eq!(outcome.status, FAILURE, "{outcome:?}");
    let message = String::from_utf8_lossy(&outcome.stderr).into_owned();
    assert!(
        message.starts_with("bactrian: empty.wasm: the module is not a WASI command"),
        "{message}"
    );
    Ok(())
}
