//! One fault in one module: whether it changes the module, and the first net that notices it.
//!
//! The nets are asked in the order in which a developer meets them: what the specializer asserts of
//! itself, the verifier, the validator of Wasm, calls.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use anyhow::Result;
use specializer::Options;
use specializer::fault::{Act, Fault};
use wasmtime::Engine;

use super::corpus::{Case, Source};
use crate::annotated::{Program, specialize};

/// Who notices a mutant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Net {
    /// An invariant that the specializer asserts.
    Assertion,
    Verifier,
    Validation,
    Goldens,
    Properties,
    /// The digest of its key, and the log of what was read, which a stored body carries.
    Store,
}

impl Net {
    pub const ALL: [Net; 6] = [
        Net::Assertion,
        Net::Verifier,
        Net::Validation,
        Net::Goldens,
        Net::Properties,
        Net::Store,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Net::Assertion => "assertions",
            Net::Verifier => "verifier",
            Net::Validation => "validation",
            Net::Goldens => "goldens",
            Net::Properties => "properties",
            Net::Store => "store",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// There was no such place, or nothing that is used changed there.
    NoMutant,
    Noticed(Net),
    /// No call reaches the code.
    NotReached,
    Survived,
}

/// Plants a fault in a module. If nobody notices, a trap is planted in its place.
pub fn judge(engine: &Engine, case: &Case, fault: Fault) -> Result<Verdict> {
    let verdict = plant(engine, case, fault)?;
    if verdict != Verdict::Survived {
        return Ok(verdict);
    }
    let trap = Fault {
        act: Act::Trap,
        ..fault
    };
    Ok(match plant(engine, case, trap)? {
        // Noticed by anything else, the trap says nothing: the mutant counts as one that survives.
        Verdict::Noticed(_) => Verdict::Survived,
        Verdict::Survived | Verdict::NoMutant | Verdict::NotReached => Verdict::NotReached,
    })
}

fn plant(engine: &Engine, case: &Case, fault: Fault) -> Result<Verdict> {
    let options = Options {
        fault: Some(fault),
        ..case.options.clone()
    };
    let module = match quietly(|| specialize(&case.module, &options)) {
        Ok(output) => output?.module,
        Err(message) => return Ok(Verdict::Noticed(blame(&message))),
    };
    if module == case.sound {
        return Ok(Verdict::NoMutant);
    }
    let program = Program::new(engine, &module)?;
    Ok(match case.agrees(&program)? {
        true => Verdict::Survived,
        false => Verdict::Noticed(match case.source {
            Source::Golden => Net::Goldens,
            Source::Random => Net::Properties,
        }),
    })
}

/// Whose message a panic of the specializer is.
pub fn blame(message: &str) -> Net {
    if message.contains("breaks a rule") {
        Net::Verifier
    } else if message.contains("a module that is not valid") {
        Net::Validation
    } else {
        Net::Assertion
    }
}

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Does something that may panic; the message of a panic is the error, and is not printed.
///
/// The specializer works in threads of its own: these are told by their name, which is none of the
/// tests'.
pub fn quietly<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let unnamed = std::thread::current().name().is_none();
            if !QUIET.get() && !unnamed {
                usual(info);
            }
        }));
    });
    QUIET.set(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    QUIET.set(false);
    result.map_err(|payload| {
        let text = payload.downcast_ref::<String>().cloned();
        let text = text.or_else(|| Some((*payload.downcast_ref::<&str>()?).to_owned()));
        text.unwrap_or_default()
    })
}
