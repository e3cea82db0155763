//! Runs a bytecode executable with the native build of the interpreter:
//! `ocamlrun PROGRAM ARGUMENTS`. With `BACTRIAN_STRESS=1` in the environment, each safepoint
//! collects.

use bactrian_interpreter::{heap, os, start};
use std::os::unix::ffi::OsStringExt;
use std::sync::atomic::Ordering;

/// Native stack, so that the limit of the OCaml stack is met first.
const STACK_BYTES: usize = 1 << 30;

fn main() {
    let arguments: Vec<Vec<u8>> = std::env::args_os()
        .skip(1)
        .map(OsStringExt::into_vec)
        .collect();
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("usage: ocamlrun PROGRAM ARGUMENTS");
        std::process::exit(2);
    };
    let file = std::fs::read(path).expect("the program is readable");
    if std::env::var_os("BACTRIAN_STRESS").is_some() {
        heap::BACTRIAN_STRESS.store(1, Ordering::Relaxed);
    }
    let thread = std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(move || {
            os::native::set_arguments(arguments);
            start::run_native(&file)
        });
    let code = thread
        .expect("a thread can be started")
        .join()
        .expect("the interpreter does not panic");
    std::process::exit(code.into());
}
