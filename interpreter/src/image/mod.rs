//! Bytecode executables, from bytes to what is loaded of them. Nothing here runs.
//!
//! In the order of use: [`parse`] finds the sections; [`bind`] binds primitives by name,
//! [`missing`] lists those that are not here; [`verify`] walks the code; [`reach`] finds the
//! functions that can be called; [`numbers`] names globals and primitives by numbers of our own;
//! [`references`] keeps references in stack slots; [`pieces`] cuts large functions; [`layout`] puts
//! it into memory; [`hints`] guesses callees, [`messages`] those of methods, and [`callees`] tells
//! the code; [`quiet`] finds loops that need no poll, [`constants`] boxed numbers that are
//! constants, [`elements`] of which kind the elements of bigarrays are; [`lives`] finds out whether
//! the program can tell what has died; [`names`] is what functions are called; [`sections`] is what
//! the program can still see of its file at run time. [`by_word`] is a table of what is known of
//! words of the code.

#[cfg(test)]
pub mod assemble;
pub mod bind;
mod by_word;
pub mod callees;
pub mod cells;
pub mod constants;
pub mod early;
pub mod elements;
#[cfg(test)]
pub mod fuzz;
pub mod hints;
pub mod layout;
pub mod literals;
pub mod lives;
pub mod messages;
pub mod missing;
#[cfg(test)]
mod mutate;
pub mod names;
pub mod numbers;
pub mod parse;
pub mod pieces;
pub mod quiet;
pub mod reach;
pub mod references;
pub mod sections;
#[cfg(test)]
mod tests;
pub mod values;
pub mod verify;
