//! Custom blocks of stubs: their first field is the address of a structure of C with functions for
//! what OCaml does with such blocks (`struct custom_operations` in `caml/custom.h`).
//!
//! Invariant: the address is even, so that kinds of this runtime, which are integers, are told from
//! it. A function that raises has done so when a call here returns an error.

use crate::evaluation;
use crate::foreign;
use crate::heap::finalise;
use crate::memory;
use crate::registry::Raised;
use crate::value::Value;
use core::ops::Range;
use std::cell::{Cell, RefCell};
use std::cmp::Ordering;

/// The address of a structure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operations(pub u32);

/// Where in the structure each function is; 0 is none.
mod at {
    pub const IDENTIFIER: u32 = 0;
    pub const FINALIZE: u32 = 4;
    pub const COMPARE: u32 = 8;
    pub const HASH: u32 = 12;
    pub const SERIALIZE: u32 = 16;
    pub const DESERIALIZE: u32 = 20;
    pub const COMPARE_EXT: u32 = 24;
    pub const FIXED_LENGTH: u32 = 28;
}

/// Which function compares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// Of two blocks.
    Blocks,
    /// Of a block and an integer.
    Mixed,
}

thread_local! {
    /// Those that marshalled data may name.
    static REGISTERED: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
}

/// Lets marshalled data name these operations.
pub fn register(operations: Operations) {
    REGISTERED.with_borrow_mut(|all| all.insert(0, operations.0));
}

/// Those with this identifier, of which the last that were registered count.
pub fn registered(identifier: &[u8]) -> Option<Operations> {
    REGISTERED.with_borrow(|all| {
        let mut all = all.iter().map(|&address| Operations(address));
        all.find(|known| known.identifier() == identifier)
    })
}

impl Operations {
    /// Those of a custom block, if it is one of stubs.
    pub fn of(block: Value) -> Option<Self> {
        let word = block.field(0);
        word.is_block().then(|| Self(word.address()))
    }

    fn function(self, offset: u32) -> u32 {
        memory::load_u32(self.0 + offset)
    }

    pub fn identifier(self) -> Vec<u8> {
        memory::c_string(self.function(at::IDENTIFIER))
    }

    /// Whether two blocks are compared by the same function.
    pub fn compares_like(self, other: Self) -> bool {
        self.function(at::COMPARE) == other.function(at::COMPARE)
    }

    /// The order of two values, one of which has these operations, and whether they are rather
    /// unordered; absent if there is no function for it.
    pub fn compare(
        self,
        comparison: Comparison,
        a: Value,
        b: Value,
    ) -> Result<Option<(Ordering, bool)>, Raised> {
        let function = self.function(match comparison {
            Comparison::Blocks => at::COMPARE,
            Comparison::Mixed => at::COMPARE_EXT,
        });
        if function == 0 {
            return Ok(None);
        }
        foreign::set_unordered(false);
        let order = calling(|| call::compare(function, a, b))?;
        Ok(Some((order.cmp(&0), foreign::is_unordered())))
    }

    /// What a block adds to a hash; absent if it adds nothing.
    pub fn hash(self, block: Value) -> Result<Option<u32>, Raised> {
        let function = self.function(at::HASH);
        if function == 0 {
            return Ok(None);
        }
        let hash = calling(|| call::hash(function, block))?;
        Ok(Some(hash as u32))
    }

    /// The sizes in bytes that all blocks of the kind have, for 32 and 64 bits.
    pub fn fixed_length(self) -> Option<(u64, u64)> {
        let sizes = self.function(at::FIXED_LENGTH);
        (sizes != 0).then(|| (memory::load_u64(sizes), memory::load_u64(sizes + 8)))
    }

    /// Has a block written; absent if there is no function for it.
    pub fn serialize(self, block: Value) -> Result<Option<Written>, Raised> {
        let function = self.function(at::SERIALIZE);
        if function == 0 {
            return Ok(None);
        }
        WRITTEN.take();
        let sizes = calling(|| call::serialize(function, block));
        let data = WRITTEN.take();
        let (bytes_32, bytes_64) = sizes?;
        Ok(Some(Written {
            data,
            bytes_32,
            bytes_64,
        }))
    }

    /// Has a block's data read from `input` to `address`: its size there, and how much of the input
    /// was read. Absent if there is no function for it.
    pub fn deserialize(self, address: u32, input: &[u8]) -> Result<Option<(u64, usize)>, Raised> {
        let function = self.function(at::DESERIALIZE);
        if function == 0 {
            return Ok(None);
        }
        let start = input.as_ptr() as usize as u32;
        INPUT.set(start..start + input.len() as u32);
        let size = calling(|| call::deserialize(function, address));
        let rest = INPUT.take().len();
        Ok(Some((size?, input.len() - rest)))
    }
}

/// What a function of C gives. If it raises, the locals that it declared are gone.
fn calling<R>(call: impl FnOnce() -> R) -> Result<R, Raised> {
    let locals = foreign::local_roots();
    let result = call();
    foreign::raised().inspect_err(|_| foreign::set_local_roots(locals))?;
    Ok(result)
}

/// A block as C's function writes it.
pub struct Written {
    pub data: Vec<u8>,
    /// Sizes in bytes that its data has in memory, for 32 and 64 bits.
    pub bytes_32: u64,
    pub bytes_64: u64,
}

thread_local! {
    /// What the function that runs has written.
    static WRITTEN: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// Where what the function that runs has not read is.
    static INPUT: Cell<Range<u32>> = const { Cell::new(0..0) };
}

/// Adds to what is written of a block.
pub fn write(bytes: &[u8]) {
    WRITTEN.with_borrow_mut(|written| written.extend_from_slice(bytes));
}

/// Takes what follows of a block's data: its address. Nothing if there is not so much.
pub fn read(len: u32) -> Option<u32> {
    let Range { start, end } = INPUT.take();
    let taken = if len <= end - start { len } else { 0 };
    INPUT.set(start + taken..end);
    (taken == len).then_some(start)
}

/// Sees to it that `block`, which is new, is finalised, if it has a function for that. Nothing of a
/// snapshot ever dies, so that ends an evaluation.
pub fn note(operations: Operations, block: Value) {
    if operations.function(at::FINALIZE) != 0 {
        evaluation::effect("a custom block with a finaliser");
        finalise::on_release(block, release);
    }
}

/// Does what is to be done when a block of stubs dies.
fn release(block: Value) {
    if let Some(operations) = Operations::of(block) {
        // C must not raise here, and nobody would see it.
        let _ = calling(|| call::finalize(operations.function(at::FINALIZE), block));
    }
}

#[cfg(target_family = "wasm")]
mod call {
    use crate::value::Value;
    use core::mem::transmute;

    macro_rules! calls {
        ($($name:ident($($argument:ident: $ty:ty),*) $(-> $result:ty)?;)*) => {$(
            pub fn $name(function: u32, $($argument: $ty),*) $(-> $result)? {
                type Function = extern "C" fn($($ty),*) $(-> $result)?;
                let pointer = function as usize as *const ();
                // SAFETY: C declares a function of this type in the structure; the engine compares
                // the types.
                let function = unsafe { transmute::<*const (), Function>(pointer) };
                function($($argument),*)
            }
        )*};
    }

    calls! {
        finalize(block: Value);
        compare(a: Value, b: Value) -> i32;
        hash(block: Value) -> i64;
        write(block: Value, size_32: &mut u64, size_64: &mut u64);
        deserialize(address: u32) -> u64;
    }

    pub fn serialize(function: u32, block: Value) -> (u64, u64) {
        let mut sizes = (0, 0);
        write(function, block, &mut sizes.0, &mut sizes.1);
        sizes
    }
}

/// Natively nothing is joined, so no block has operations.
#[cfg(not(target_family = "wasm"))]
mod call {
    use crate::os::native::trap;
    use crate::value::Value;

    pub fn finalize(_: u32, _: Value) {
        trap("no stubs")
    }
    pub fn compare(_: u32, _: Value, _: Value) -> i32 {
        trap("no stubs")
    }
    pub fn hash(_: u32, _: Value) -> i64 {
        trap("no stubs")
    }
    pub fn serialize(_: u32, _: Value) -> (u64, u64) {
        trap("no stubs")
    }
    pub fn deserialize(_: u32, _: u32) -> u64 {
        trap("no stubs")
    }
}
