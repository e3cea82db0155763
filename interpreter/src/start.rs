//! The module's entry points: load under the snapshot tool, run under WASI, run natively.
//!
//! Loading reads the program from standard input and looks at nothing else of the outside, so that
//! the snapshot taken afterwards can run anywhere. Before that the program may be run up to its
//! first effect (`first_effect`).

use crate::backtrace;
use crate::code::ImageError;
use crate::foreign;
use crate::heap::{self, settings};
use crate::interp::entries::enter_through_slot;
use crate::os::{self, environment};
use crate::parameters;
use crate::primitives::{exit, parsing, sys};
#[cfg(not(target_family = "wasm"))]
use crate::program;
use crate::registry::{Outcome, Raised, outcome};
use crate::stack;
use crate::value::{Value, WORD};
use crate::vm::vm;

/// Exit code for a file that is no program.
pub const BAD_FILE_CODE: u8 = 127;

/// Runs the loaded program to its end; the exit code.
pub fn run_program() -> u8 {
    apply_parameters();
    sys::start();
    stress_if_asked();
    end(run_loaded())
}

/// Every safepoint collects, where that was asked for.
fn stress_if_asked() {
    if environment::stress() {
        heap::start_stress();
    }
    if heap::stress() {
        heap::request_safepoint();
    }
}

/// The exit code of a program that ends like this.
fn end(outcome: Outcome) -> u8 {
    let code = match outcome {
        Err(Raised) => exit::uncaught(vm().exception.get()),
        Ok(_) => {
            settings::show_at_exit();
            0
        }
    };
    foreign::finish();
    code
}

/// Runs the loaded program as it is; what its last instruction returns.
pub fn run_loaded() -> Outcome {
    let vm = vm();
    let top = vm.stack_high.get();
    // The program has no arguments; the cell above them is for its environment.
    let result = enter_through_slot(vm.code_start.get(), Value::UNIT.0, top - WORD);
    vm.sp.set(top);
    outcome(Value(result))
}

/// Does what `OCAMLRUNPARAM` asks for.
fn apply_parameters() {
    if let Some(parameters) = parameters::read() {
        heap::start_with(parameters.settings.normalised(), parameters.initial_heap);
        settings::show_initial();
        backtrace::record(parameters.backtraces);
        if parameters.trace_parsers {
            parsing::start_tracing();
        }
    }
    stack::start();
}

/// The message for a file that could not be loaded.
fn report(error: &ImageError) {
    os::write_all(2, format!("Fatal error: {error}\n").as_bytes());
}

/// Loads and runs a bytecode executable on this thread, which has not run one before; the exit
/// code. The program ends the process itself if it calls `exit`. Deep recursion needs a thread with
/// a large stack.
#[cfg(not(target_family = "wasm"))]
pub fn run_native(file: &[u8]) -> u8 {
    match program::load(file) {
        Ok(()) => run_program(),
        Err(error) => {
            report(&error);
            BAD_FILE_CODE
        }
    }
}

#[cfg(target_family = "wasm")]
mod exports {
    use super::*;
    use crate::first_effect;
    use crate::loading;
    use crate::memory;

    /// Called once by the snapshot tool, with the program as standard input.
    #[unsafe(export_name = "wizer-initialize")]
    extern "C" fn initialize() {
        if let Err(error) = loading::load() {
            report(&error);
            os::exit(BAD_FILE_CODE);
        }
        forget_stack();
    }

    /// Called by the snapshot tool afterwards, if the program is to run up to its first effect.
    #[unsafe(export_name = "bactrian-evaluate")]
    extern "C" fn evaluate() {
        first_effect::evaluate(run_loaded);
        forget_stack();
    }

    /// Makes zero what calls that have returned left on Rust's stack, which is the lowest part of
    /// memory: the snapshot need not hold it, nor what its words seem to refer to.
    #[inline(never)]
    fn forget_stack() {
        /// Where memory begins that Rust may write to.
        const START: u32 = 16;
        /// More than this function's own frame.
        const FRAME: u32 = 256;
        let here = 0u8;
        let top = std::hint::black_box(&raw const here) as u32 - FRAME;
        memory::fill(START, (top - START) as usize, 0);
    }

    /// Runs the program that was loaded, from where it is.
    #[unsafe(export_name = "_start")]
    extern "C" fn start() {
        let is_parked = first_effect::begin();
        os::begin();
        os::start_clock();
        let code = match is_parked {
            true => go_on(),
            false => run_program(),
        };
        if code != 0 {
            os::exit(code);
        }
    }

    /// Goes on with the program where it was parked, which was done as if nothing had been asked of
    /// the runtime; the exit code.
    fn go_on() -> u8 {
        stack::start();
        stress_if_asked();
        end(first_effect::go_on())
    }
}
