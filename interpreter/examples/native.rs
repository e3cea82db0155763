//! Runs a bytecode executable natively, for debuggers and profilers:
//! `cargo run --example native prog.byte`.
//!
//! `BACTRIAN_STRESS=1` in the environment collects at each safepoint.

use std::sync::atomic::Ordering;

/// Bytes of native stack: the OCaml stack's limit is to be met first.
const STACK_BYTES: usize = 4 << 30;

fn main() {
    let path = std::env::args()
        .nth(1)
        .expect("the path of a bytecode executable");
    let file = std::fs::read(&path).expect("a readable file");
    if std::env::var_os("BACTRIAN_STRESS").is_some() {
        bactrian_interpreter::heap::BACTRIAN_STRESS.store(1, Ordering::Relaxed);
    }
    let run = move || bactrian_interpreter::start::run_native(&file);
    let thread = std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(run);
    let code = thread.expect("a thread").join().expect("no panic");
    std::process::exit(code.into());
}
