//! Annotations with which an interpreter tells Bactrian's specializer how to turn it into a compiler.
//!
//! Each intrinsic is an import of the Wasm module [`MODULE`]. The specializer interprets it; in code
//! that stays generic the linker writes the plain operation given below in place of the call, so an
//! annotated interpreter pays nothing for being annotated. On other targets the intrinsics are that
//! plain operation (cells need a memory and are left to the interpreter there).
//!
//! Two kinds, to be kept apart:
//!
//! * **hints** ([`context_update`], [`context_push`], [`context_pop`], [`specialize_value`],
//!   [`specialize_guess`]): they choose how code is multiplied. A wrong hint costs speed or code size,
//!   never correctness.
//! * **contracts** ([`specialize_range`] and the `cells` functions): they promise how memory is used. A cell
//!   is an aligned 8-byte word of memory above the first 64 KiB: an operand-stack slot or a virtual
//!   register. The specializer keeps its contents in SSA values. Other code may look at a cell only after
//!   [`cells_sync`]; where it may have changed one, [`cells_invalidate`] must come before it is
//!   read. Contents that are constants at specialisation time are never changed by other code. When a
//!   function returns, cells that were not synced are lost.
//!
//! The request table ([`RequestTable`]) says what is to be specialised; its address is exported as
//! the Wasm global [`REQUEST_TABLE_EXPORT`].

#![no_std]

/// The Wasm module name of every intrinsic's import.
pub const MODULE: &str = "bactrian";

/// Name of the exported immutable `i32` global that holds the address of the [`RequestTable`].
pub const REQUEST_TABLE_EXPORT: &str = "BACTRIAN_REQUESTS";

/// First word of a [`RequestTable`]: `"BACT"`, little endian.
pub const REQUEST_MAGIC: u32 = 0x5443_4142;

/// Version of the layout of [`RequestTable`], [`Region`] and [`Request`].
pub const REQUEST_VERSION: u32 = 1;

/// Root of the specialisation requests, in the interpreter's memory. All pointers are 32-bit addresses.
#[repr(C)]
#[derive(Debug)]
pub struct RequestTable {
    pub magic: u32,
    pub version: u32,
    /// Address of `[Region; region_count]`.
    pub regions: u32,
    pub region_count: u32,
    /// Address of `[Request; request_count]`, which the linker blanks: nothing else may read it.
    pub requests: u32,
    pub request_count: u32,
}

/// A range of memory whose contents never change after the snapshot, but for the request slots in it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Region {
    pub base: u32,
    /// Length in bytes.
    pub len: u32,
}

/// How many parameters of the generic function a request can describe.
pub const MAX_PARAMS: usize = 16;

/// One function to be specialised.
///
/// The residual function has the signature of the function whose table index is in `*slot` at the
/// snapshot; the linker stores the residual function's table index there.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Table index of the generic function.
    pub function: u32,
    /// Address of the 32-bit word that holds the table index through which the function is called.
    pub slot: u32,
    /// Code the request stands for: `params[anchor]` is a pointer to it, and the `code_len` bytes from
    /// there identify the request, whatever its address.
    pub anchor: u32,
    pub code_len: u32,
    /// Number of entries of `params` in use: the generic function's parameter count.
    pub param_count: u32,
    pub reserved: u32,
    pub params: [Param; MAX_PARAMS],
}

/// What is known of one parameter of the generic function.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Param {
    /// One of the `PARAM_*` constants.
    pub kind: u32,
    pub reserved: u32,
    /// The constant, the pointer, or the index of the residual function's parameter.
    pub value: u64,
}

/// The parameter is the residual function's parameter number `value`.
pub const PARAM_PASS: u32 = 0;
/// The parameter is the constant `value`.
pub const PARAM_CONST: u32 = 1;
/// The parameter is a pointer (an `i32`) to `value`, inside a region. Results that depend on it do
/// not contain the address: they are relocatable.
pub const PARAM_POINTER: u32 = 2;

macro_rules! intrinsics {
    ($($(#[$doc:meta])* $import:literal fn $name:ident($($arg:ident: $ty:ty),*) $(-> $result:ty)? = $plain:expr;)*) => {
        #[cfg(target_family = "wasm")]
        mod imports {
            #[link(wasm_import_module = "bactrian")]
            unsafe extern "C" {
                $(#[link_name = $import] pub fn $name($($arg: $ty),*) $(-> $result)?;)*
            }
        }

        $(
            $(#[$doc])*
            #[inline(always)]
            #[allow(unused_variables)]
            pub fn $name($($arg: $ty),*) $(-> $result)? {
                // SAFETY: imports without preconditions, replaced by plain operations at link time.
                #[cfg(target_family = "wasm")]
                unsafe { imports::$name($($arg),*) }
                #[cfg(not(target_family = "wasm"))]
                $plain
            }
        )*
    };
}

intrinsics! {
    /// The code from here on runs for interpreter position `position` (usually the bytecode
    /// address): replaces the top of the context stack and ends sub-contexts of value
    /// specialisation. Generic: nothing. A position that is not known degrades to "unknown".
    "context.update" fn context_update(position: u32) = ();
    /// Pushes a context. Generic: nothing.
    "context.push" fn context_push(position: u32) = ();
    /// Pops a context. Generic: nothing.
    "context.pop" fn context_pop() = ();
    /// Returns `value`, and asks for one version of what follows for each value in `low..high`
    /// (unsigned), and one for all others, up to the next [`context_update`]. Generic: `value`.
    "specialize.value" fn specialize_value(value: u32, low: u32, high: u32) -> u32 = value;
    /// Returns `value`, which lies in `low..high` (unsigned): a contract. Asks for one version of what
    /// follows for each value, up to the next [`context_update`]; residual code traps on others.
    /// Generic: `value`.
    "specialize.range" fn specialize_range(value: u32, low: u32, high: u32) -> u32 = value;
    /// Returns `value`, and asks for a version of what follows for the case that it equals
    /// `guess`, tested at run time. No version is made where `guess` is not known. Generic: `value`.
    "specialize.guess" fn specialize_guess(value: u32, guess: u32) -> u32 = value;
    /// 1 in residual code, 0 in generic code.
    "specialize.active" fn specialize_active() -> u32 = 0;
    /// Cells below `address` (of the same stack) are dead: their contents need not reach memory.
    /// Generic: nothing.
    "cells.drop_below" fn cells_drop_below(address: u32) = ();
    /// Brings memory up to date with all cells. Generic: nothing.
    "cells.sync" fn cells_sync() = ();
    /// Forgets cached contents: other code may have changed the cells in memory. Every cell must
    /// have been synced (or dropped) before. Generic: nothing.
    "cells.invalidate" fn cells_invalidate() = ();
    /// An event for lockstep: `kind`, interpreter position, stack pointer, a value. Syncs all
    /// cells when events are compiled in, else nothing.
    "lockstep.event" fn lockstep_event(kind: u32, position: u32, sp: u32, value: i64) = ();
}

#[cfg(target_family = "wasm")]
mod cells {
    #[link(wasm_import_module = "bactrian")]
    unsafe extern "C" {
        #[link_name = "cells.read"]
        fn read(address: u32) -> i64;
        #[link_name = "cells.write"]
        fn write(address: u32, value: i64);
    }

    /// Reads the cell at `address`. Generic: `i64.load`.
    ///
    /// # Safety
    /// `address` is that of an aligned word inside memory the caller owns.
    #[inline(always)]
    pub unsafe fn cells_read(address: u32) -> i64 {
        // SAFETY: the caller's promise.
        unsafe { read(address) }
    }

    /// Writes the cell at `address`. Generic: `i64.store`.
    ///
    /// # Safety
    /// As for [`cells_read`].
    #[inline(always)]
    pub unsafe fn cells_write(address: u32, value: i64) {
        // SAFETY: the caller's promise.
        unsafe { write(address, value) }
    }
}

#[cfg(target_family = "wasm")]
pub use cells::{cells_read, cells_write};
