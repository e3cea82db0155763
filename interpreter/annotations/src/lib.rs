//! Annotations with which an interpreter tells Bactrian's specializer how to turn it into a
//! compiler.
//!
//! Each intrinsic is an import of the Wasm module [`MODULE`]. The specializer interprets it; in
//! code that stays generic the linker writes the plain operation given below in place of the call,
//! so an annotated interpreter pays nothing for being annotated. On other targets the intrinsics
//! are that plain operation.
//!
//! Two kinds, to be kept apart:
//!
//! * **hints** ([`context_update`], [`context_push`], [`context_pop`], [`specialize_value`],
//!   [`specialize_guess`]): they choose how code is multiplied. A wrong hint costs speed or code
//!   size, never correctness.
//! * **contracts** ([`specialize_range`], [`box_exists`], [`box_literal`], [`points_to`],
//!   [`immediate`], [`nonzero`], [`safepoint_passed`] and the `cells` functions): they promise what
//!   values are and how memory is used. A cell is an aligned word of 8, 4 or 1 bytes of memory
//!   above the first 64 KiB: an operand-stack slot or a virtual register. The specializer keeps its
//!   contents in SSA values.
//!   Other code may look at a cell only after [`cells_sync`]; where it may have changed one,
//!   [`cells_invalidate`] must come before it is read. Contents that are constants at
//!   specialization time are never changed by other code, unless [`cells_forget`] follows; nor does
//!   other code put another value where a cell holds a box or what [`points_to`] gave. When a
//!   function returns, cells that were not synced are lost.
//!   A cell has one name: no word is reached from two parameters of a request. Cells are those of
//!   the function that a request names; in one that it calls, and that was not inlined, the
//!   intrinsics are plain loads and stores.
//!
//! An interpreter that says how it boxes numbers ([`BOX_EXPORT`]) gets residual code that boxes
//! them where somebody looks at the box. One that names its dispatchers ([`DISPATCHERS_EXPORT`])
//! gets calls of unknown functions without a table. One that says how it takes memory for blocks
//! ([`ALLOCATOR_EXPORT`]) gets residual code that takes it for several blocks at once. One that
//! exports [`EVALUATION_EXPORT`] can have its program run at build time up to the first effect. One
//! that exports [`STUBS_EXPORT`] takes functions in C. One that imports [`STACKS_MODULE`] has
//! several stacks.
//!
//! The request table ([`RequestTable`]) says what is to be specialized; its address is exported as
//! the Wasm global [`REQUEST_TABLE_EXPORT`]. [`Requests`] makes one.
//!
//! Interpreters that were annotated for weval are specialized as they are ([`weval`]).
//!
//! This crate is the whole of the ABI: the specializer takes names, signatures, meanings and
//! layouts from here.

#![no_std]

extern crate alloc;

mod allocator;
mod boxes;
mod builder;
mod dispatch;
mod evaluation;
mod function;
mod intrinsic;
mod loading;
mod request;
mod stacks;
mod stubs;
pub mod weval;

pub use allocator::*;
pub use boxes::*;
pub use builder::*;
pub use dispatch::*;
pub use evaluation::*;
pub use function::*;
pub use intrinsic::*;
pub use loading::*;
pub use request::*;
pub use stacks::*;
pub use stubs::*;
