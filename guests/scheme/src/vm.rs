//! The machine state that all of the guest shares.

use core::cell::Cell;

/// Words of the stack, and of what is left when a function may still begin: more than any frame.
pub const STACK_WORDS: u32 = 1 << 20;
pub const STACK_MARGIN: u32 = 1 << 13;

/// One program is loaded into it.
#[derive(Default)]
pub struct Vm {
    /// Blocks are taken from `pointer` down to `floor`.
    pub pointer: Cell<u32>,
    pub floor: Cell<u32>,
    /// An activation whose frame ends below this has to look what is the matter: the stack's limit,
    /// or more than any address where a collection waits.
    pub alert: Cell<u32>,
    pub stack_low: Cell<u32>,
    pub stack_high: Cell<u32>,
    /// The words of global variables and of constants, which the collector follows.
    pub globals: Cell<u32>,
    pub global_count: Cell<u32>,
    pub constants: Cell<u32>,
    pub constant_count: Cell<u32>,
    /// How many arguments the last function was given that does not take so many.
    pub given: Cell<u32>,
    /// What has gone wrong, if something has: a string and a list; see `runtime::failure`.
    pub failure: Cell<i64>,
    pub irritants: Cell<i64>,
    /// The closure of `%fail`, which makes an error of that.
    pub fail: Cell<i64>,
    /// The code of the program itself.
    pub main: Cell<u32>,
    pub collections: Cell<u32>,
    /// What the process ends with.
    pub status: Cell<i32>,
    /// The stack has overflown, and somebody handles that.
    pub overflowing: Cell<bool>,
    /// 0: no program asks how much it allocated.
    pub counted: Cell<u32>,
}

#[cfg(target_family = "wasm")]
pub struct Shared(pub Vm);

// SAFETY: the module has one thread.
#[cfg(target_family = "wasm")]
unsafe impl Sync for Shared {}

#[cfg(target_family = "wasm")]
pub static VM: Shared = Shared(Vm {
    pointer: Cell::new(0),
    floor: Cell::new(0),
    alert: Cell::new(0),
    stack_low: Cell::new(0),
    stack_high: Cell::new(0),
    globals: Cell::new(0),
    global_count: Cell::new(0),
    constants: Cell::new(0),
    constant_count: Cell::new(0),
    given: Cell::new(0),
    failure: Cell::new(0),
    irritants: Cell::new(0),
    fail: Cell::new(0),
    main: Cell::new(0),
    collections: Cell::new(0),
    status: Cell::new(0),
    overflowing: Cell::new(false),
    counted: Cell::new(0),
});

#[cfg(target_family = "wasm")]
#[inline(always)]
pub fn vm() -> &'static Vm {
    &VM.0
}

#[cfg(not(target_family = "wasm"))]
pub fn vm() -> &'static Vm {
    thread_local! {
        static VM: &'static Vm = Box::leak(Box::default());
    }
    VM.with(|vm| *vm)
}
