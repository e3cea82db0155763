//! One fault in one module: whether it changes the module, and the first net that notices it.
//!
//! The nets are asked in the order in which a developer meets them: what the specializer asserts of
//! itself, the verifier, the validator of Wasm, calls.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use anyhow::Result;
use specializer::fault::{Act, Fault};
use specializer::{Options, specialize};
use wasmtime::Engine;

use super::corpus::{Case, Source};
use super::known::Bodies;
use super::{equal, lost};
use crate::annotated::{Program, Silent};

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
    /// The module certainly does the same ([`equal`]).
    Equal,
    /// No call reaches the code, or there a value that is wrong.
    NotReached,
    Survived,
}

/// Plants a fault in a module. If nobody notices, the module is compared with the sound one, called
/// with many more arguments, and at last a trap is planted in its place.
pub fn judge(engine: &Engine, case: &Case, fault: Fault) -> Result<Verdict> {
    let module = match plant(case, fault)? {
        Ok(module) => module,
        Err(net) => return Ok(Verdict::Noticed(net)),
    };
    if module == case.sound {
        return Ok(Verdict::NoMutant);
    }
    let program = Program::new(engine, &module)?;
    if case.difference(&program, case.calls())?.is_some() {
        return Ok(Verdict::Noticed(by_calls(case)));
    }
    if equal::is_same(&module, &case.sound)? {
        return Ok(Verdict::Equal);
    }
    if case.difference(&program, case.more_calls()?)?.is_some() {
        return Ok(Verdict::Noticed(by_calls(case)));
    }
    let is_reached = is_reached(engine, case, fault)?;
    Ok(
        match is_reached && lost::is_ever_missed(engine, case, &module)? {
            true => Verdict::Survived,
            false => Verdict::NotReached,
        },
    )
}

/// The linked module with a fault in it, or who refused to make it.
pub fn plant(case: &Case, fault: Fault) -> Result<Result<Vec<u8>, Net>> {
    plant_beside(&case.bodies, case, fault)
}

/// The same, where the functions of other requests are those of `bodies`, as far as they are there.
pub fn plant_beside(bodies: &Bodies, case: &Case, fault: Fault) -> Result<Result<Vec<u8>, Net>> {
    let options = Options {
        fault: Some(fault),
        ..case.options.clone()
    };
    let specialize = || specialize(&case.module, &options, Some(bodies), &Silent);
    Ok(match quietly(specialize) {
        Ok(output) => Ok(output?.module),
        Err(message) => Err(blame(&message)),
    })
}

/// What shows, planted in the place of a fault, whether it is reached, and so is what reads the
/// values that are wrong. Each of them has to be noticed.
pub const PROBES: [Act; 3] = [Act::Trap, Act::TrapReaders, Act::StoreOther];

/// Whether a call comes to the place of a fault, and to what reads the values that are wrong.
fn is_reached(engine: &Engine, case: &Case, fault: Fault) -> Result<bool> {
    for act in PROBES {
        let Ok(module) = plant(case, Fault { act, ..fault })? else {
            // Another net refuses the trap itself, so it cannot show whether calls reach the
            // place. The mutant counts as one that survives.
            continue;
        };
        if act != Act::Trap && module == case.sound {
            continue;
        }
        let program = Program::new(engine, &module)?;
        let is_noticed = case.difference(&program, case.calls())?.is_some()
            || case.difference(&program, case.more_calls()?)?.is_some();
        if !is_noticed {
            return Ok(false);
        }
    }
    Ok(true)
}

fn by_calls(case: &Case) -> Net {
    match case.source {
        Source::Golden => Net::Goldens,
        Source::Random => Net::Properties,
    }
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
