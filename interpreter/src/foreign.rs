//! Stubs, as the floors below the interpreter see them: primitives that a linker joined to this
//! module (see `annotations`), and whether one of them raised.
//!
//! Invariant: where nothing was joined, the state is all zero and there is no primitive.
//!
//! Leaves out: what stubs call (see `stubs`).

mod globals;

pub use globals::Globals;

use crate::memory;
use crate::registry::{Primitive, Raised};
use crate::value::{Value, WORD};
use annotations::Stubs;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;
use std::cell::Cell;

/// What linker and guest tell each other.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub static BACTRIAN_STUBS: Stubs = Stubs::new();

/// Says that calls of stubs are to be left: the exception is in `vm().exception`.
pub fn unwind(_: Raised) {
    BACTRIAN_STUBS.unwinding.store(1, Relaxed);
}

/// Whether a stub that was called by the runtime raised.
pub fn raised() -> Result<(), Raised> {
    match BACTRIAN_STUBS.unwinding.swap(0, Relaxed) {
        0 => Ok(()),
        _ => Err(Raised),
    }
}

/// Whether C's comparison found two values unordered.
pub fn is_unordered() -> bool {
    get(&BACTRIAN_STUBS.unordered) != 0
}

/// Sets that before a comparison.
pub fn set_unordered(is_unordered: bool) {
    BACTRIAN_STUBS.unordered.store(is_unordered.into(), Relaxed);
}

/// The innermost block of the locals that stubs have declared.
pub fn local_roots() -> u32 {
    get(&BACTRIAN_STUBS.local_roots)
}

pub fn set_local_roots(block: u32) {
    BACTRIAN_STUBS.local_roots.store(block, Relaxed);
}

/// Layout of a block of locals: see `struct caml__roots_block` in `caml/memory.h`.
mod block {
    /// The next block outwards.
    pub const NEXT: u32 = 0;
    /// How many tables it has, and how many values each table.
    pub const TABLES: u32 = 4;
    pub const ITEMS: u32 = 8;
    /// The addresses of the tables.
    pub const FIRST: u32 = 12;
}

/// Shows the collector the locals of a block and of those outwards. `place` says where it is what
/// C has at an address.
pub fn each_local_root(
    innermost: u32,
    place: impl Fn(u32) -> u32,
    visit: &mut dyn FnMut(&Cell<Value>),
) {
    let mut at = innermost;
    while at != 0 {
        let block = place(at);
        for table in 0..memory::load_u32(block + block::TABLES) {
            let start = memory::load_u32(block + block::FIRST + table * 4);
            for item in 0..memory::load_u32(block + block::ITEMS) {
                visit(variable(place(start + item * WORD)));
            }
        }
        at = memory::load_u32(block + block::NEXT);
    }
}

/// A variable of C.
pub fn variable(address: u32) -> &'static Cell<Value> {
    // SAFETY: C declared a variable there that is a value, and does not run now.
    unsafe { &*(address as usize as *const Cell<Value>) }
}

thread_local! {
    static ROOTS_ON_STACK: Cell<u32> = const { Cell::new(0) };
}

/// Counts what C has registered as global roots though it has them on the stack.
pub fn count_global_roots_on_stack(change: i32) {
    ROOTS_ON_STACK.set(ROOTS_ON_STACK.get().wrapping_add_signed(change));
}

/// Whether there are any.
pub fn has_global_roots_on_stack() -> bool {
    ROOTS_ON_STACK.get() != 0
}

/// What a word of the shared state holds.
pub fn get(cell: &AtomicU32) -> u32 {
    cell.load(Relaxed)
}

#[cfg(not(target_family = "wasm"))]
pub fn all() -> impl Iterator<Item = &'static Primitive> {
    std::iter::empty()
}

#[cfg(not(target_family = "wasm"))]
pub fn forget() {}

#[cfg(not(target_family = "wasm"))]
pub fn call_with(_function: u32, _argument: i32) {
    unreachable!("nothing is joined to a native interpreter")
}

/// Does what C does when a program ends.
pub fn finish() {
    #[cfg(target_family = "wasm")]
    call(get(&BACTRIAN_STUBS.finish));
}

#[cfg(target_family = "wasm")]
pub use joined::{all, call, call_with, forget};

#[cfg(target_family = "wasm")]
mod joined {
    use super::*;
    use crate::allocator;
    use crate::registry::{Code, Effect};
    use annotations::{InterfaceEffects, STUB_ARGUMENTS_IN_MEMORY, StubPrimitive};
    use core::mem::transmute;

    type Function = *const ();
    type F0 = extern "C" fn();
    type F1 = extern "C" fn(Value) -> Value;
    type F2 = extern "C" fn(Value, Value) -> Value;
    type F3 = extern "C" fn(Value, Value, Value) -> Value;
    type F4 = extern "C" fn(Value, Value, Value, Value) -> Value;
    type F5 = extern "C" fn(Value, Value, Value, Value, Value) -> Value;
    type FN = extern "C" fn(u32, u32) -> Value;

    thread_local! {
        /// Those that were joined, once somebody has asked.
        static FOUND: Cell<Option<&'static [Primitive]>> = const { Cell::new(None) };
    }

    /// The primitives that were joined.
    pub fn all() -> impl Iterator<Item = &'static Primitive> {
        let known = FOUND.get();
        let found = known.unwrap_or_else(|| {
            allocator::lasting(|| rows().iter().map(read).collect::<Vec<_>>().leak())
        });
        FOUND.set(Some(found));
        found.iter()
    }

    fn rows() -> &'static [StubPrimitive] {
        let (address, len) = (
            get(&BACTRIAN_STUBS.primitives),
            get(&BACTRIAN_STUBS.primitives_len),
        );
        if address == 0 {
            return &[];
        }
        // SAFETY: the linker wrote so many there, and nobody else writes to them.
        unsafe {
            core::slice::from_raw_parts(address as usize as *const StubPrimitive, len as usize)
        }
    }

    fn read(row: &StubPrimitive) -> Primitive {
        // SAFETY: the linker wrote the name, which is UTF-8; nobody writes there.
        let name = unsafe {
            core::str::from_utf8_unchecked(memory::bytes(row.name, row.name_len as usize))
        };
        let function = row.function as usize as Function;
        // SAFETY: the linker made a function of this type for the row.
        let code = unsafe {
            match row.arity {
                1 => Code::F1(transmute::<Function, F1>(function)),
                2 => Code::F2(transmute::<Function, F2>(function)),
                3 => Code::F3(transmute::<Function, F3>(function)),
                4 => Code::F4(transmute::<Function, F4>(function)),
                5 => Code::F5(transmute::<Function, F5>(function)),
                STUB_ARGUMENTS_IN_MEMORY => Code::FN(transmute::<Function, FN>(function)),
                _ => unreachable!("the linker writes no other arity"),
            }
        };
        let effects = InterfaceEffects(row.effects);
        let effect = match () {
            _ if effects.has(InterfaceEffects::COLLECTS) => Effect::Collects,
            _ if effects.has(InterfaceEffects::ALLOCATES) => Effect::Allocates,
            _ => Effect::Leaf,
        };
        let raises = true;
        Primitive {
            name,
            code,
            effect,
            raises,
        }
    }

    /// Calls the function with this table index, if there is one.
    pub fn call(function: u32) {
        if function != 0 {
            // SAFETY: the linker put a function without parameters there.
            let function = unsafe { transmute::<Function, F0>(function as usize as Function) };
            function();
        }
    }

    /// Calls the function of C with this table index.
    pub fn call_with(function: u32, argument: i32) {
        // SAFETY: C gave the address of a function of this type; the engine checks that.
        let function =
            unsafe { transmute::<Function, extern "C" fn(i32)>(function as usize as Function) };
        function(argument);
    }

    /// Forgets where their functions are, for a program that loads no code: those that it calls are
    /// bound, and its module need not have the others.
    pub fn forget() {
        let Some(found) = FOUND.take() else {
            return;
        };
        let size = size_of_val(found);
        memory::fill(found.as_ptr() as usize as u32, size, 0);
        for row in rows() {
            memory::store_u32(&raw const row.function as usize as u32, 0);
        }
        BACTRIAN_STUBS.primitives.store(0, Relaxed);
    }
}
