//! OCaml 4.13: the interpreter in `interpreter/`, which the build embeds, its manifest, and what a
//! manifest cannot say: what files of OCaml's world are that are no programs, its headers for C,
//! the C libraries that a program names, and a smallest program.

mod headers;
mod libraries;
mod smallest;

use std::borrow::Cow;

use super::{Foreign, Guest, Manifest, Unknown};

/// What the build made, and its description.
pub fn guest() -> Guest {
    Guest {
        module: Cow::Borrowed(include_bytes!(env!("BACTRIAN_GUEST"))),
        file: None,
        manifest: Manifest::parse(include_str!("ocaml.toml")).expect("a test reads it"),
        recognise,
        headers: headers::ALL,
        libraries: libraries::named,
        has_threads: |program| {
            libraries::named_in(program)
                .iter()
                .any(|name| name == "dllthreads")
        },
        smallest: Some(smallest::executable),
    }
}

/// The files of OCaml's compilers, by the letter in their magic numbers.
const FILES: [(u8, &str); 7] = [
    (b'A', "a library of bytecode (.cma)"),
    (b'I', "a compiled interface (.cmi)"),
    (b'O', "an object file of bytecode (.cmo)"),
    (b'T', "a typed syntax tree (.cmt)"),
    (b'X', "the beginning of a bytecode executable"),
    (b'Y', "an object file of `ocamlopt` (.cmx)"),
    (b'Z', "a library of `ocamlopt` (.cmxa)"),
];

const LINK: &str = "link the program with `ocamlc -o PROGRAM`, and run that";

fn recognise(file: &Unknown) -> Option<Foreign> {
    let foreign = |what: &str, advice: &str| {
        Some(Foreign {
            what: what.into(),
            advice: advice.into(),
        })
    };
    let defines = |name: &str| file.symbols.contains(&name.as_bytes());
    if defines("caml_frametable") {
        return foreign(
            "an executable that `ocamlopt` made: machine code, where Bactrian needs bytecode",
            "compile the program with `ocamlc` (with dune: build NAME.bc in place of NAME.exe)",
        );
    }
    if defines("caml_startup_code") {
        return foreign(
            "an executable with OCaml's bytecode interpreter in it, and no bytecode at its end: it \
             was linked with `-output-complete-exe`, or with `-custom` and stripped",
            "link the program without these options (with dune: build NAME.bc in place of \
             NAME.bc.exe)",
        );
    }
    if let Some(magic) = file.bytes.strip_prefix(b"Caml1999") {
        let known = FILES
            .iter()
            .find(|(letter, _)| magic.first() == Some(letter));
        return foreign(
            known.map_or("a file of OCaml's compilers", |(_, what)| what),
            LINK,
        );
    }
    let first_line = file.bytes.split(|&byte| byte == b'\n').next();
    let interpreter = first_line.and_then(|line| line.strip_prefix(b"#!"))?;
    let names = |name: &[u8]| interpreter.windows(name.len()).any(|part| part == name);
    if names(b"ocamlrun") {
        return foreign(
            "a bytecode executable whose end is missing",
            "copy or link it again",
        );
    }
    if names(b"ocaml") {
        return foreign("a script for OCaml's toplevel", LINK);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recognised(bytes: &[u8]) -> String {
        let symbols = Vec::new();
        recognise(&Unknown { bytes, symbols }).map_or(String::new(), |foreign| foreign.what)
    }

    #[test]
    fn the_compilers_files_are_told_apart() {
        assert_eq!(
            recognised(b"Caml1999O030..."),
            "an object file of bytecode (.cmo)"
        );
        assert_eq!(
            recognised(b"Caml1999Z030..."),
            "a library of `ocamlopt` (.cmxa)"
        );
        assert_eq!(recognised(b"Caml1999"), "a file of OCaml's compilers");
        assert_eq!(recognised(b"Caml"), "");
    }

    #[test]
    fn words_are_shown_as_values() {
        let guest = guest();
        let shown = [0, 1, 85, -1, 4096].map(|value| guest.word(value));
        assert_eq!(shown, ["(raised)", "0", "42", "-1", "block 0x1000"]);
    }

    #[test]
    fn scripts_are_told_from_cut_executables() {
        assert_eq!(
            recognised(b"#!/usr/bin/ocamlrun\n\x54"),
            "a bytecode executable whose end is missing"
        );
        assert_eq!(
            recognised(b"#!/usr/bin/env ocaml\nprint_endline"),
            "a script for OCaml's toplevel"
        );
        assert_eq!(recognised(b"#!/bin/sh\necho ocaml"), "");
    }
}
