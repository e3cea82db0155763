//! The interpreter.
//!
//! [`registers`]: what an activation keeps, and what instructions do with it; [`numbers`]:
//! arithmetic where operands are as usual; [`calls`]: arguments, and what becomes of failures;
//! [`run`]: the loop.

pub mod calls;
mod numbers;
mod registers;
pub mod run;
