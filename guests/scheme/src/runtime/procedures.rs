//! What the program's functions are called and how many arguments they take, for messages.

use super::failure::fail;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// A function.
pub struct Procedure {
    /// Empty if it has none.
    pub name: String,
    pub least: u32,
    /// Whether it takes more.
    pub rest: bool,
}

thread_local! {
    static PROCEDURES: RefCell<BTreeMap<u32, Procedure>> = const { RefCell::new(BTreeMap::new()) };
}

/// Takes note of all functions, by the addresses of their code, in place of those that there were.
pub fn start(procedures: impl Iterator<Item = (u32, Procedure)>) {
    PROCEDURES.set(procedures.collect());
}

/// A function, by its code, was given a number of arguments that it does not take.
#[cold]
pub fn wrong_count(code: u32, given: u32) -> i64 {
    let message = PROCEDURES.with_borrow(|procedures| {
        let known = procedures.get(&code).expect("the code of a function");
        known.refusal(given)
    });
    fail(&message, &[])
}

impl Procedure {
    fn refusal(&self, given: u32) -> String {
        let Self { name, least, rest } = self;
        let name = match name.is_empty() {
            true => "a procedure".to_owned(),
            false => format!("`{name}`"),
        };
        let at_least = if *rest { "at least " } else { "" };
        format!("wrong number of arguments: {name} takes {at_least}{least}, not {given}")
    }
}
