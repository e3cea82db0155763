//! Writes into laid out code what was found of it: callees of calls, and what loads load.

use super::hints::{Found, Loaded};
use super::messages::{self, Message};
use crate::code::{self, Callee, Certainty, ImageError, MAX_GUESSED, candidate_words};
use crate::memory;
use core::ops::Range;

/// Tells the code at `code_start` what was found of calls and loads. Returns the links that it has
/// by that, and where candidates are; those of `messages` are for [`messages::find_candidates`] to
/// fill in.
pub fn note(
    found: &Found,
    messages: &[Message],
    code_start: u32,
) -> Result<(Vec<u32>, Range<u32>), ImageError> {
    let address = |position: &usize| code::address(code_start, *position);
    let counts = found.calls.iter().map(|hint| hint.entries.len());
    let of_calls: u32 = counts.filter(|&count| count > 1).map(candidate_words).sum();
    let words = of_calls + messages.len() as u32 * candidate_words(MAX_GUESSED);
    let candidates = memory::grow(4 * words as usize).ok_or(ImageError::OutOfMemory)?;
    let mut next = candidates;
    let mut links = Vec::new();
    for hint in &found.calls {
        let callee = match (&hint.entries[..], hint.certainty) {
            ([entry], Certainty::Certain) => Callee::Certain(address(entry)),
            ([entry], Certainty::Guessed) => Callee::Guessed(address(entry)),
            (entries, certainty) => {
                let place = next;
                let entries: Vec<u32> = entries.iter().map(address).collect();
                let room = entries.len();
                links.extend(code::put_candidates(place, room, &entries, certainty));
                next += 4 * candidate_words(room);
                Callee::Several(place)
            }
        };
        links.extend(code::set_callee(address(&hint.call), callee));
    }
    let sent = messages.iter().map(|&message| {
        let place = next;
        next += 4 * candidate_words(MAX_GUESSED);
        let none = code::put_candidates(place, MAX_GUESSED, &[], Certainty::Guessed);
        links.extend(none);
        links.extend(code::set_callee(
            address(&message.call),
            Callee::Several(place),
        ));
        (message, place)
    });
    messages::note(&sent.collect::<Vec<_>>());
    for &(load, loaded) in &found.loads {
        let load = code::address(code_start, load);
        match loaded {
            Loaded::Integer(integer) => code::note_known_integer(load, integer),
            Loaded::Number(kind) => code::note_known_number(load, kind),
            Loaded::Closure(entry) => {
                let entry = code::address(code_start, entry);
                links.extend(code::note_known_closure(load, entry));
            }
        }
    }
    Ok((links, candidates..next))
}
