//! Source text becomes bytecode.
//!
//! [`tree`]: what a program is made of; [`scope`]: which variable a name is; [`expand`]: data
//! become that; [`forms`], [`derived`], [`template`]: each form of the language; [`integrate`]:
//! calls that are primitives; [`body`]: definitions within bodies; [`bindings`]: what is known of
//! functions and variables; [`generate`]: bytecode.
//!
//! Invariant: a program is compiled as a whole. A function that a global variable is defined as,
//! once and by `define`, is known to all calls of it; it is defined from the beginning.

mod bindings;
mod body;
mod derived;
mod expand;
mod forms;
mod generate;
mod integrate;
mod scope;
mod template;
mod tree;

use crate::datum::Result;
pub use generate::{Constant, Function, Generated, Link};

/// The part of the language that is written in it: what the compiler needs and most programs use,
/// and the rest.
const PRELUDE: &str = concat!(
    include_str!("../prelude.scm"),
    include_str!("../library.scm")
);

/// The code of a program.
pub fn compile(source: &str) -> Result<Generated> {
    let program = expand::program(PRELUDE, source)?;
    Ok(generate::program(&program))
}
