//! Residual SSA to WebAssembly function bodies.
//!
//! Invariant: the body depends on the residual function alone. No index or address of the final
//! module is in it, only [`Relocation`]s, so it can be cached and placed anywhere.
//!
//! Leaves out optimisation, which is [`crate::cleanup`]'s.

mod encode;
mod excess;
#[cfg(test)]
mod golden;
mod locals;
mod loops;
mod reduce;
mod relocation;
pub(crate) mod stackify;
pub(crate) mod structure;
#[cfg(test)]
mod tests;

pub use encode::val_type;
pub use excess::Excess;
pub use relocation::{Indices, LinkedAs, Lowered, OPERAND, Relocation, RelocationKind};

use std::borrow::Cow;

use crate::dominators::{Dominators, Order};
use crate::ir::residual;

use locals::Locals;
use stackify::Code;
use structure::Step;

/// Lowers a function that satisfies [`crate::verify`]'s rules for residual functions.
pub fn function(function: &residual::Function) -> Lowered {
    lower_reducible(&make_reducible(function))
}

/// The first step of lowering: an equivalent function each of whose cycles has one entry.
pub fn make_reducible(function: &residual::Function) -> Cow<'_, residual::Function> {
    reduce::run(function)
}

/// The other steps.
pub fn lower_reducible(function: &residual::Function) -> Lowered {
    write(function, &plan(function))
}

/// What is decided before anything is written.
#[derive(Debug)]
pub struct Plan {
    pub(crate) steps: Vec<Step>,
    pub(crate) code: Code,
    pub(crate) locals: Locals,
}

/// Decides how a reducible function is lowered.
pub fn plan(function: &residual::Function) -> Plan {
    let order = Order::new(function);
    let dominators = Dominators::new(function, &order);
    let loops = loops::Loops::new(&order, &dominators);
    let steps = structure::run(function, &order, &dominators, &loops);
    let code = stackify::run(function, &order);
    let locals = locals::run(function, &code, &structure::blocks(&steps), &loops);
    Plan {
        steps,
        code,
        locals,
    }
}

/// Writes a body as planned.
pub fn write(function: &residual::Function, plan: &Plan) -> Lowered {
    encode::run(function, &plan.steps, &plan.code, &plan.locals)
}
