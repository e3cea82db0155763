//! What bytecode does by calling Rust: primitives, and all of what the loop does only in the usual
//! cases.
//!
//! A primitive takes its operands as words and returns a value, or, having said what is wrong
//! ([`failure`]), [`RAISED`](crate::value::RAISED). It neither collects nor looks at the stack.

pub mod cycles;
pub mod equality;
pub mod failure;
pub mod numbers;
pub mod objects;
pub mod print;
pub mod procedures;
pub mod strings;
pub mod symbols;
pub mod table;
