//! The machine state that interpreter, collector and primitives share: cells at fixed addresses.
//!
//! Under Wasm there is one machine, a static, so each field is one load from a constant address.
//! Natively each thread has its own (tests run in parallel).

use crate::value::Value;
use std::cell::Cell;

/// For how many labels of methods it is remembered where they were; labels share these places.
pub const METHOD_PLACES: usize = 256;

/// Index of the first label in a table of methods.
pub const FIRST_LABEL: u32 = 3;

/// Loops poll that allocate, or call what may leave something for a poll to do.
pub const NO_LOOP_POLLS: u32 = 0;
/// All loops poll.
pub const ALL_LOOPS_POLL: u32 = 1;
/// The same, and each poll moves `alert` by [`ALERT_STEP`], so that one of them is a safepoint now
/// and then.
pub const POLLS_COUNT: u32 = 2;

/// In place of the exception that is being raised: the thread ends, and no handler is for that.
pub const THREAD_ENDS: Value = Value(i64::MIN + 1);

/// With a stack of 8 MiB, one of 65,000 polls is a safepoint.
pub const ALERT_STEP: u32 = 128;

/// More than any stack pointer, and polls may count on from here.
pub const ALWAYS_ALERTED: u32 = u32::MAX << 16;

/// The registers of the machine.
pub struct Vm {
    /// Allocation goes downwards from the nursery's end to its start: the last block's header.
    pub young_ptr: Cell<u32>,
    /// Where allocations are safepoints, they take their slow path when they would go below this.
    pub young_trigger: Cell<u32>,
    /// Nursery: `young_start..young_end`.
    pub young_start: Cell<u32>,
    pub young_end: Cell<u32>,
    /// How far down allocation goes without asking the collector, which then requests a safepoint
    /// or takes a sample.
    pub young_floor: Cell<u32>,
    /// OCaml stack: grows downwards from `stack_high`; an activation whose stack pointer is below
    /// `stack_threshold` raises Stack_overflow; `stack_low` is the end of the memory.
    pub stack_low: Cell<u32>,
    /// What entries and loops compare the stack pointer with: `stack_threshold`, or more than any
    /// stack pointer where something waits for a safepoint. In between where polls count.
    pub alert: Cell<u32>,
    pub stack_threshold: Cell<u32>,
    pub stack_high: Cell<u32>,
    /// The OCaml stack pointer at the last safepoint: everything from here to `stack_high` is a
    /// root.
    pub sp: Cell<u32>,
    /// The exception being raised, when a call has returned `Value::RAISED`. A root.
    pub exception: Cell<Value>,
    /// The global data block. A root.
    pub globals: Cell<Value>,
    /// By the numbers of globals, the payloads of those that are constants of the program and boxes
    /// of numbers. The loaded program's, and constant.
    pub payloads: Cell<u32>,
    /// How many words the global data block can grow to.
    pub globals_room: Cell<usize>,
    /// The loaded code: 8 bytes a bytecode word, see `code`.
    pub code_start: Cell<u32>,
    pub code_end: Cell<u32>,
    /// 1 if the program wants to know the calls in progress, so that calls leave their position on
    /// the stack. A constant of the loaded program.
    pub keeps_positions: Cell<u32>,
    /// 1 if allocations of compiled code are safepoints, 0 if only entries and loops are: programs
    /// that profile their allocations want to be told at once. A constant of the loaded program.
    pub allocations_poll: Cell<u32>,
    /// 1 if the program can create threads. A constant of the loaded program.
    pub has_threads: Cell<u32>,
    /// Whether each loop polls, so that a thread which runs one lets others run, and a signal is
    /// handled: [`NO_LOOP_POLLS`], [`ALL_LOOPS_POLL`] or [`POLLS_COUNT`]. A constant of the loaded
    /// program.
    pub loops_poll: Cell<u32>,
    /// Written before each poll of such a loop, so that compiled code looks anew what waits.
    pub polled: Cell<u32>,
    /// 1 if the program can ask how much it has allocated, so that compiled code makes each block.
    /// A constant of the loaded program.
    pub allocations_counted: Cell<u32>,
    /// Where in a table of methods a label was last searched for and found, and where it was found
    /// in which table, see `interp::methods`: indices, less [`FIRST_LABEL`].
    pub method_places: [Cell<u32>; METHOD_PLACES],
    pub table_places: [Cell<u32>; METHOD_PLACES],
    /// Whether no closure's code pointer is ever changed; constant once a program is loaded.
    pub closures_keep_code: Cell<u32>,
    /// Code that is about to run with another closure than its own.
    pub given_code: Cell<u32>,
    /// Whether exceptions are recorded, see `backtrace`; and whether the last one raised is.
    pub backtrace_active: Cell<u32>,
    pub backtrace_running: Cell<u32>,
    /// The exception that was recorded last. A root.
    pub backtrace_exception: Cell<Value>,
    /// Set when something waits for the next poll: a collection, finalisers, alarms.
    pub action_pending: Cell<u32>,
    /// Set when a primitive raised Out_of_memory and a collection may help: see
    /// `Effect::AllocatesLarge`.
    pub retry: Cell<u32>,
    /// The identity that the next object, exception or extension constructor gets.
    pub next_object_id: Cell<i64>,
}

impl Vm {
    const fn new() -> Self {
        Self {
            young_ptr: Cell::new(0),
            young_trigger: Cell::new(0),
            young_start: Cell::new(0),
            young_end: Cell::new(0),
            young_floor: Cell::new(0),
            stack_low: Cell::new(0),
            alert: Cell::new(0),
            stack_threshold: Cell::new(0),
            stack_high: Cell::new(0),
            sp: Cell::new(0),
            exception: Cell::new(Value::UNIT),
            globals: Cell::new(Value::UNIT),
            payloads: Cell::new(0),
            globals_room: Cell::new(0),
            code_start: Cell::new(0),
            code_end: Cell::new(0),
            keeps_positions: Cell::new(0),
            allocations_poll: Cell::new(0),
            has_threads: Cell::new(0),
            loops_poll: Cell::new(0),
            polled: Cell::new(0),
            allocations_counted: Cell::new(0),
            method_places: [const { Cell::new(0) }; METHOD_PLACES],
            table_places: [const { Cell::new(0) }; METHOD_PLACES],
            closures_keep_code: Cell::new(0),
            given_code: Cell::new(0),
            backtrace_active: Cell::new(0),
            backtrace_running: Cell::new(0),
            backtrace_exception: Cell::new(Value::UNIT),
            action_pending: Cell::new(0),
            retry: Cell::new(0),
            next_object_id: Cell::new(0),
        }
    }

    /// Whether `value` is a block in the nursery.
    #[inline(always)]
    pub fn is_young(&self, value: Value) -> bool {
        value.is_block() && self.is_young_address(value.address())
    }

    /// Whether `address` is in the nursery.
    #[inline(always)]
    pub fn is_young_address(&self, address: u32) -> bool {
        address.wrapping_sub(self.young_start.get()) < self.young_end.get() - self.young_start.get()
    }
}

/// The one machine of a module.
#[cfg(target_family = "wasm")]
pub struct Single(pub Vm);

// SAFETY: the module has one thread.
#[cfg(target_family = "wasm")]
unsafe impl Sync for Single {}

/// Here, so that what is exported can name its fields.
#[cfg(target_family = "wasm")]
pub static VM: Single = Single(Vm::new());

/// The machine of this thread.
#[inline(always)]
pub fn vm() -> &'static Vm {
    #[cfg(target_family = "wasm")]
    {
        &VM.0
    }
    #[cfg(not(target_family = "wasm"))]
    {
        thread_local! {
            static VM: &'static Vm = Box::leak(Box::new(Vm::new()));
        }
        VM.with(|vm| *vm)
    }
}
