//! The environment: the outside's as it is when the program first asks, which may then change it.
//!
//! Invariant: an entry is `NAME=value`. Entries that the outside spells without a `=` are kept, and
//! found under no name.

use super::backend;
use std::cell::RefCell;

thread_local! {
    /// Absent before somebody asks: asking the outside takes longer than finding a variable.
    static ENTRIES: RefCell<Option<Vec<Vec<u8>>>> = const { RefCell::new(None) };
}

/// By this variable a host says where the program starts.
const START: &[u8] = b"BACTRIAN_CWD";

/// By this one it says which signals its parent wanted to be ignored: a mask in hexadecimal, signal
/// 1 being its lowest bit.
const IGNORED: &[u8] = b"BACTRIAN_IGNORED";

/// By this one it says, in decimal, how many words of stack the native stack has room for.
const STACK: &[u8] = b"BACTRIAN_STACK";

/// If this one is set, each safepoint collects: for tests of compiled code without lockstep.
const STRESS: &[u8] = b"BACTRIAN_STRESS";

/// The environment, as `NAME=value`.
pub fn all() -> Vec<Vec<u8>> {
    with_entries(|entries| entries.clone())
}

/// Lets `f` look at the environment or change it.
fn with_entries<R>(f: impl FnOnce(&mut Vec<Vec<u8>>) -> R) -> R {
    ENTRIES.with_borrow_mut(|entries| f(entries.get_or_insert_with(of_outside)))
}

/// The outside's, without what a host says to the runtime.
fn of_outside() -> Vec<Vec<u8>> {
    let of_host = |entry: &[u8]| {
        [START, IGNORED, STACK, STRESS]
            .iter()
            .any(|name| value_in(entry, name).is_some())
    };
    let mut entries = backend::environment();
    entries.retain(|entry| !of_host(entry));
    entries
}

/// Whether the program starts with a signal ignored, which Linux has under this number.
pub fn ignores(signal: i64) -> bool {
    let entries = backend::environment();
    let mask = entries.iter().find_map(|entry| value_in(entry, IGNORED));
    let mask = mask.and_then(|digits| u64::from_str_radix(str::from_utf8(digits).ok()?, 16).ok());
    (1..=64).contains(&signal) && mask.unwrap_or(0) >> (signal - 1) & 1 != 0
}

/// The words of stack that the native stack has room for, where the host knows.
pub fn stack_room() -> Option<u64> {
    let entries = backend::environment();
    let words = entries.iter().find_map(|entry| value_in(entry, STACK))?;
    str::from_utf8(words).ok()?.parse().ok()
}

/// Whether each safepoint is to collect.
pub fn stress() -> bool {
    let entries = backend::environment();
    entries
        .iter()
        .any(|entry| value_in(entry, STRESS).is_some())
}

/// The directory in which the program starts, if the host says one, as it does by [`START`], or as
/// shells do.
#[cfg(target_family = "wasm")]
pub fn start_directory() -> Option<Vec<u8>> {
    let entries = backend::environment();
    [START, b"PWD"].into_iter().find_map(|name| {
        let mut found = entries.iter().filter_map(|entry| value_in(entry, name));
        let path = found.next().filter(|path| path.starts_with(b"/"))?;
        Some(path.to_vec())
    })
}

/// The value of a variable.
pub fn variable(name: &[u8]) -> Option<Vec<u8>> {
    with_entries(|entries| {
        let mut found = entries.iter().filter_map(|entry| value_in(entry, name));
        found.next().map(<[u8]>::to_vec)
    })
}

/// Sets a variable to an entry `NAME=value`, where it stands, or at the end.
pub fn set(entry: Vec<u8>) {
    with_entries(|entries| {
        let name = entry.split(|&byte| byte == b'=').next().unwrap_or_default();
        let is_old = |entry: &Vec<u8>| value_in(entry, name).is_some();
        match entries.iter().position(is_old) {
            Some(index) => entries[index] = entry,
            None => entries.push(entry),
        }
    })
}

/// Forgets a variable.
pub fn unset(name: &[u8]) {
    with_entries(|entries| entries.retain(|entry| value_in(entry, name).is_none()));
}

fn value_in<'a>(entry: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    // The sign first: it tells most entries apart.
    let is_as_long = entry.get(name.len()) == Some(&b'=');
    (is_as_long && entry.starts_with(name)).then(|| &entry[name.len() + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_set_and_replaced() {
        let before = all().len();
        assert_eq!(variable(b"BACTRIAN_HUMPS"), None);
        set(b"BACTRIAN_HUMPS=1".to_vec());
        set(b"BACTRIAN_HUMPS=2=2".to_vec());
        assert_eq!(variable(b"BACTRIAN_HUMPS"), Some(b"2=2".to_vec()));
        assert_eq!(variable(b"BACTRIAN"), None);
        assert_eq!(all().len(), before + 1);
        unset(b"BACTRIAN_HUMPS");
        assert_eq!(variable(b"BACTRIAN_HUMPS"), None);
    }
}
