//! The text form of functions, for tests, goldens and debugging.

mod lex;
mod parse;
mod print;

#[cfg(test)]
mod tests;

pub use lex::ParseError;
pub use parse::function as parse;
