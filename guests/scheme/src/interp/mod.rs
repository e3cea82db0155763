//! The interpreter.
//!
//! [`registers`]: what an activation keeps, and what instructions do with it; [`numbers`]:
//! arithmetic where operands are as usual; [`entries`]: how activations begin; [`calls`]:
//! arguments, and what becomes of failures; [`run`]: the loop; [`requests`]: what of a program is
//! compiled, and how.

pub mod calls;
pub mod entries;
mod numbers;
mod registers;
pub mod requests;
pub mod run;
