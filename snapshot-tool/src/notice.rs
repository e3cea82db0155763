//! What the command says on standard error beside its result.
//!
//! Invariant: where that cannot be written, the command goes on, and ends with the status that it
//! would have had: `eprintln!` would panic.

use std::io::{Write, stderr};

/// Says a line, as `eprintln!` does.
macro_rules! notice {
    ($($text:tt)*) => {
        $crate::notice::text(&format!("{}\n", format_args!($($text)*)))
    };
}

/// Says a text, which ends its own lines.
pub fn text(text: &str) {
    let _ = stderr().write_all(text.as_bytes());
}
