//! The text form of functions, for tests, goldens and debugging.

mod print;
