//! The module's entry points: load a program, and run it.

use crate::interp::entries::enter;
use crate::output;
use crate::value::{RAISED, UNSPECIFIED, WORD};
use crate::vm::vm;

/// Runs the program that was loaded. Errors that nobody handles end the process by themselves: what
/// unwinds up to here is `exit`.
pub fn run() {
    let top = vm().stack_high.get() - WORD;
    crate::memory::store_i64(top, UNSPECIFIED);
    let a = [UNSPECIFIED; crate::code::MAX_PARAMETERS as usize];
    if enter(vm().main.get(), UNSPECIFIED, top, 0, a) == RAISED {
        output::exit(vm().status.get());
    }
}

#[cfg(target_family = "wasm")]
mod exports {
    use crate::output::{STATUS_OF_ERROR, fatal};
    use core::sync::atomic::Ordering::Relaxed;
    use std::io::Read;

    /// Loads the program on standard input.
    #[unsafe(export_name = "wizer-initialize")]
    extern "C" fn initialize() {
        let mut source = String::new();
        if let Err(error) = std::io::stdin().lock().read_to_string(&mut source) {
            fatal(&format!("cannot read the program: {error}"));
        }
        if let Err(message) = crate::load::load(&source) {
            eprintln!("scheme: {message}");
            std::process::exit(STATUS_OF_ERROR);
        }
    }

    /// Runs it.
    #[unsafe(export_name = "_start")]
    extern "C" fn start() {
        let by_host = crate::interp::requests::BACTRIAN_STRESS.load(Relaxed) != 0;
        if by_host || std::env::var_os("SCHEME_STRESS").is_some() {
            crate::heap::stress();
        }
        super::run();
        crate::output::flush();
    }
}
