//! A backtrace as the runtime prints it on standard error: as `Printexc` does, when that is not
//! linked.

use super::events::{self, Location};
use crate::os;

/// Prints the last backtrace.
pub fn print() {
    let lines = super::last().into_iter().enumerate();
    let text: Vec<u8> = lines
        .flat_map(|(index, position)| line(&events::location(position), index == 0))
        .collect();
    os::write_all(2, &text);
}

/// The line for one position; nothing for a raise that the compiler inserted.
fn line(location: &Location, innermost: bool) -> Vec<u8> {
    let what = match (location.is_raise, innermost) {
        (true, true) => "Raised at",
        (true, false) => "Re-raised at",
        (false, true) => "Raised by primitive operation at",
        (false, false) => "Called from",
    };
    match &location.place {
        Some(place) => [
            format!("{what} ").as_bytes(),
            &place.function,
            b" in file \"",
            &place.file,
            format!(
                "\", line {}, characters {}-{}\n",
                place.line, place.start, place.end
            )
            .as_bytes(),
        ]
        .concat(),
        None if location.is_raise => Vec::new(),
        None => format!("{what} unknown location\n").into_bytes(),
    }
}
