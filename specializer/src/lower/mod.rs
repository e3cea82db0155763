//! Residual SSA to WebAssembly function bodies.
//!
//! The body is a function of the residual function alone: no index or address of the final module is in
//! it, only [`Relocation`]s. So it can be cached and placed anywhere.
//!
//! Leaves out optimisation, which is [`crate::cleanup`]'s.

pub mod dominators;
mod encode;
#[cfg(test)]
mod golden;
mod locals;
mod loops;
mod reduce;
mod stackify;
mod structure;
#[cfg(test)]
mod tests;

pub use encode::{patch_address, patch_index};

use std::borrow::Cow;

use crate::ir::{Func, Symbol, residual};
use crate::op::Intrinsic;

use dominators::{Dominators, Order};

/// A function body in need of relocation.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Lowered {
    /// Locals, code and the final `end`: an entry of the code section without its size.
    pub body: Vec<u8>,
    /// By ascending offset.
    pub relocations: Vec<Relocation>,
}

/// A place in a body that depends on the module it is linked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// Offset in [`Lowered::body`] of an operand that takes five bytes: [`patch_index`] fills in a
    /// function index, [`patch_address`] an address.
    pub offset: u32,
    pub kind: RelocationKind,
}

/// What a relocation stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelocationKind {
    /// The operand of an `i32.const`: an address.
    SymbolAddress(Symbol),
    /// The callee of a call: the function in this request slot.
    CallSlot(Symbol),
    /// The callee of a call: this function of the generic module.
    CallFunction(Func),
    /// The callee of a call: the import that this annotation is.
    CallIntrinsic(Intrinsic),
}

/// Lowers a function that satisfies [`crate::verify`]'s rules for residual functions.
pub fn function(function: &residual::Function) -> Lowered {
    reduced(&reducible(function))
}

/// The first step of lowering: an equivalent function each of whose cycles has one entry.
pub fn reducible(function: &residual::Function) -> Cow<'_, residual::Function> {
    reduce::run(function)
}

/// The other steps.
pub fn reduced(function: &residual::Function) -> Lowered {
    let order = Order::new(function);
    let dominators = Dominators::new(function, &order);
    let loops = loops::Loops::new(&order, &dominators);
    let steps = structure::run(function, &order, &dominators, &loops);
    let code = stackify::run(function, &order);
    let locals = locals::run(function, &code, &structure::blocks(&steps), &loops);
    encode::run(function, &steps, &code, &locals)
}
