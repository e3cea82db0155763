//! Libraries of Debian as a measure: for each, a program that uses it runs under `ocamlrun`,
//! generic and residual, and has to write the same and end the same way.
//!
//! In the order of a run: [`list`] says which libraries there are, [`trial`] tries one, with its
//! functions in C made by `scripts/stubs.sh`, and [`table`] shows what came of all.
//!
//! Leaves out: installing them, which `scripts/setup.sh` does.

pub mod list;
pub mod table;
pub mod trial;
