//! The program is run at build time up to its first effect, parked there, and goes on there when it
//! starts.
//!
//! What an instruction has begun cannot be taken back. So the program runs twice from the same
//! state, in instances of its own: the first run counts the checkpoints that it passes
//! ([`breakpoints`]) until an effect stops it, the second is parked before the last of them.
//!
//! To be parked is to have all that lasts in the image and in [`Parked`]: the stack's frame, the
//! registers, and what was assumed of the start. The rest of memory is as free and as zero as if
//! the program had only been loaded.
//!
//! When the program starts, the assumptions are checked before anything else is done. Where one
//! fails, memory becomes what it was when the program was loaded ([`record`]).

mod breakpoints;
mod record;

use crate::evaluation::{self, ARGUMENTS, BACTRIAN_EVALUATION, get};
use crate::heap;
use crate::image::messages;
use crate::interp::entries;
use crate::memory;
use crate::os;
use crate::primitives::{named, sys};
use crate::registry::{Outcome, outcome};
use crate::value::{Value, WORD};
use crate::vm::vm;
use breakpoints::{Breakpoints, Registers};
use core::sync::atomic::Ordering::Relaxed;
use std::cell::{OnceCell, RefCell};

/// What decides how the runtime itself begins, beside what the program asked for.
const PARAMETERS: [&[u8]; 2] = [b"OCAMLRUNPARAM", b"CAMLRUNPARAM"];

/// A program that goes on at a checkpoint.
struct Parked {
    registers: Registers,
    /// The stack, its accumulator first.
    stack: Vec<i64>,
    /// Fields that hold placeholders.
    places: Vec<u32>,
    /// Variables that must not be set.
    unset: Vec<Vec<u8>>,
}

thread_local! {
    static PARKED: RefCell<Option<Parked>> = const { RefCell::new(None) };
}

/// Runs the program that was loaded, by `run`, until it is parked, or something stops it.
pub fn evaluate(run: impl FnOnce() -> Outcome) {
    unsafe extern "C" {
        /// Where the linker lets data begin: after the stack.
        static __global_base: u8;
    }
    let state = &BACTRIAN_EVALUATION;
    state
        .statics
        .store((&raw const __global_base) as usize as u32, Relaxed);
    let outer = memory::room();
    state.running.store(1, Relaxed);
    let breakpoints = Breakpoints::set();
    memory::set_room(evaluation::room());
    heap::begin_evaluation();
    sys::start_evaluation();
    // Whatever it returns: it was parked, or it has ended.
    let _ = run();
    let Some(registers) = breakpoints::arrived() else {
        evaluation::stop("its end");
    };
    state.parked.store(1, Relaxed);
    breakpoints.clear();
    PARKED.set(Some(park(registers)));
    messages::find_candidates();
    evaluation::set_room(memory::room());
    memory::set_room(outer);
    state.running.store(0, Relaxed);
}

/// Empties nursery and stack.
fn park(registers: Registers) -> Parked {
    let vm = vm();
    let high = vm.stack_high.get();
    let sp = high - registers.depth - WORD;
    memory::store_i64(sp, registers.accu);
    vm.sp.set(sp);
    heap::end_evaluation();
    let words = (sp..high).step_by(WORD as usize);
    let stack = words.map(memory::load_i64).collect();
    vm.sp.set(high);
    let low = vm.stack_low.get();
    memory::fill(low, (high - low) as usize, 0);
    let mut places = Vec::new();
    heap::for_each_place(|place| {
        if evaluation::is_placeholder(Value(memory::load_i64(place))) {
            places.push(place);
        }
    });
    Parked {
        registers,
        stack,
        places,
        unset: evaluation::take_unset(),
    }
}

/// To be called first when the program starts. Whether it goes on where it was parked, by
/// [`go_on`]; otherwise it has only been loaded, or is now as if it had been.
pub fn begin() -> bool {
    if get(&BACTRIAN_EVALUATION.parked) == 0 {
        return false;
    }
    let holds = PARKED.with_borrow(|parked| {
        parked.as_ref().is_some_and(|parked| {
            let own = parked.unset.iter().map(Vec::as_slice);
            // The nursery is free until the program begins.
            let free = vm().young_start.get()..vm().young_end.get();
            !os::has_variable(own.chain(PARAMETERS), free)
        })
    });
    if !holds {
        record::restore();
    }
    holds
}

/// Goes on with the parked program, to its end.
pub fn go_on() -> Outcome {
    let Parked {
        registers,
        stack,
        places,
        ..
    } = PARKED.take().expect("the program was parked");
    sys::start_command_line();
    let late = Late::new();
    for place in places {
        let value = late.value(Value(memory::load_i64(place)));
        heap::modify_at(place, value);
    }
    heap::for_each_root_cell(&mut |cell| cell.set(late.value(cell.get())));
    let high = vm().stack_high.get();
    let mut at = high - stack.len() as u32 * WORD;
    let accu = late.value(Value(stack[0])).0;
    for word in stack {
        memory::store_i64(at, late.value(Value(word)).0);
        at += WORD;
    }
    let result = entries::resume_anywhere(
        registers.pc,
        registers.entry,
        high - registers.above,
        registers.depth - registers.above,
        registers.trap,
        accu,
    );
    vm().sp.set(high);
    outcome(Value(result))
}

/// What placeholders stand for.
struct Late {
    arguments: Value,
    /// Made where it is asked for.
    program: OnceCell<Value>,
}

impl Late {
    fn new() -> Self {
        Self {
            arguments: named::get(named::COMMAND_LINE).unwrap_or(heap::atom(0)),
            program: OnceCell::new(),
        }
    }

    fn value(&self, value: Value) -> Value {
        match value {
            value if !evaluation::is_placeholder(value) => value,
            ARGUMENTS => self.arguments,
            _ => *self
                .program
                .get_or_init(|| sys::executable_name(Value::UNIT)),
        }
    }
}
