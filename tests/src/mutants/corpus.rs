//! What faults are planted in: the goldens, and random annotated modules.
//!
//! Invariant: without a fault, each module does in every call what its generic version does.

use std::collections::BTreeSet;
use std::fs;
use std::sync::OnceLock;

use anyhow::{Context, Result, bail};
use fastrand::Rng;
use specializer::{Options, link_generic};
use wasmtime::{Config, Engine, OptLevel};

use super::known::{self, Bodies};
use crate::annotated::random::{self, Watch};
use crate::annotated::{Outcome, Program, comparable, declining_early};
use crate::golden::{Golden, RESIDUAL, files};

/// Bounds a call, of wrong code too; sound code takes less.
pub const FUEL: u64 = 30_000_000;

/// How often a random module is called.
const CALLS: usize = 24;

/// How often it is called again, with other arguments, where the first calls notice nothing.
const MORE_CALLS: usize = 200;

/// What marks an object in the upper bits of a word (`annotated/machine.wat`).
const MARK: u64 = 0x5a5a << 48;

/// Where a module comes from: which net a difference is noticed by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    Golden,
    Random,
}

/// A module, and what its calls have to do.
pub struct Case {
    pub name: String,
    pub source: Source,
    pub module: Vec<u8>,
    pub options: Options,
    pub requests: usize,
    /// The linked module without a fault.
    pub sound: Vec<u8>,
    /// Its residual functions.
    pub bodies: Bodies,
    generic: Program,
    calls: Vec<Call>,
    more: OnceLock<Vec<Call>>,
    /// Words of memory in which sound code differs from generic code: slots, dead cells.
    masked: BTreeSet<usize>,
}

/// What a call has to do.
pub struct Call {
    pub args: Vec<i64>,
    result: Option<u64>,
    trace: Vec<i64>,
    memory: Words,
}

/// The words of memory that are not zero, by number.
type Words = Vec<(usize, u64)>;

/// An engine that compiles fast and counts fuel.
pub fn engine() -> Engine {
    let mut config = Config::new();
    config
        .cranelift_opt_level(OptLevel::None)
        .consume_fuel(true);
    known::engine(config)
}

/// Every golden, and so many random modules of each sort.
pub fn cases(engine: &Engine, random: u64) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for seed in 0..random {
        for (sort, generate) in SORTS {
            let mut numbers = Rng::with_seed(seed);
            let text = generate(&mut numbers);
            let inputs = (0..CALLS).map(|call| vec![argument(&mut numbers, call)]);
            let name = format!("{sort} {seed}");
            let module = tables::module(&text)?;
            let inputs = inputs.collect();
            cases.push(Case::new(
                engine,
                name,
                Source::Random,
                module,
                declining_early(),
                inputs,
            )?);
        }
    }
    for file in files() {
        let text = fs::read_to_string(&file)?;
        let head = text.split(RESIDUAL).next().unwrap_or_default();
        let Golden {
            module,
            options,
            calls,
        } = Golden::parse(head)?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let inputs = calls.into_iter().map(|call| call.args).collect();
        cases.push(Case::new(
            engine,
            name.into_owned(),
            Source::Golden,
            module,
            options,
            inputs,
        )?);
    }
    Ok(cases)
}

/// An argument: small and counted up, small, an object, anything, where signs and widths change.
fn argument(numbers: &mut Rng, call: usize) -> i64 {
    let any = numbers.u64(..);
    match call % 5 {
        0 => call as i64 / 5,
        1 => any as i64 >> (63 - call % 20),
        2 => (MARK | any >> 16) as i64,
        3 => any as i64,
        _ => (1_i64 << (any % 64)).wrapping_sub(call as i64 % 3),
    }
}

/// A random module's text.
type Generate = fn(&mut Rng) -> String;

const SORTS: [(&str, Generate); 2] = [
    ("machine", |numbers| random::machine(numbers, Watch::All)),
    ("function", |numbers| random::function(numbers, Watch::All)),
];

impl Case {
    fn new(
        engine: &Engine,
        name: String,
        source: Source,
        module: Vec<u8>,
        options: Options,
        mut inputs: Vec<Vec<i64>>,
    ) -> Result<Self> {
        let (sound, bodies) = Bodies::record(&module, &options)?;
        let mut case = Self {
            name,
            source,
            generic: Program::new(engine, &link_generic(&module, &options)?)?,
            module,
            options,
            requests: sound.report.requests.len(),
            sound: sound.module,
            bodies,
            calls: Vec::new(),
            more: OnceLock::new(),
            masked: BTreeSet::new(),
        };
        let program = Program::new(engine, &case.sound)?;
        if source == Source::Golden {
            let more = case.small_calls(&program, inputs[0].len())?;
            inputs.extend(more);
            case.masked = case.differing_words(&program, &inputs)?;
        }
        case.calls = case.expected(inputs)?;
        let difference = case.difference(&program, &case.calls)?;
        if let Some(difference) = difference {
            bail!("{}: sound code differs: {difference}", case.name);
        }
        Ok(case)
    }

    /// The calls with which every mutant is tried.
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// Calls for mutants that nobody noticed so far; none for a golden.
    pub fn more_calls(&self) -> Result<&[Call]> {
        if let Some(calls) = self.more.get() {
            return Ok(calls);
        }
        let mut numbers = Rng::with_seed(u64::MAX);
        let count = match self.source {
            Source::Golden => 0,
            Source::Random => MORE_CALLS,
        };
        let inputs = (0..count).map(|call| vec![argument(&mut numbers, call)]);
        let calls = self.expected(inputs.collect())?;
        Ok(self.more.get_or_init(|| calls))
    }

    /// What the first of `calls` that differs did.
    pub fn difference(&self, program: &Program, calls: &[Call]) -> Result<Option<String>> {
        for call in calls {
            let found = program.run_within(FUEL, &call.args)?;
            let args = &call.args;
            if found.result != call.result {
                let (found, expected) = (found.result, call.result);
                return Ok(Some(format!("{args:?}: {found:?} and not {expected:?}")));
            }
            if found.trace != call.trace {
                let mut pairs = found.trace.iter().zip(&call.trace);
                let at = pairs.position(|(found, expected)| found != expected);
                return Ok(Some(format!("{args:?}: reports differ from {at:?} on")));
            }
            // Nobody looks at memory after a trap.
            if call.result.is_some() && self.words(&found) != call.memory {
                return Ok(Some(format!("{args:?}: memory differs")));
            }
        }
        Ok(None)
    }

    /// Whether two modules leave the same in all of memory after each call.
    pub fn leave_same_memory(&self, one: &Program, other: &Program) -> Result<bool> {
        for call in self.calls.iter().chain(self.more_calls()?) {
            let one = one.run_within(FUEL, &call.args)?;
            if one.memory != other.run_within(FUEL, &call.args)?.memory {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Calls of a golden with small numbers, as larger ones may take long; those in which the sound
    /// module does what generic code does, as others break what the interpreter promises.
    fn small_calls(&self, sound: &Program, arity: usize) -> Result<Vec<Vec<i64>>> {
        let mut calls = Vec::new();
        for call in 0..CALLS {
            let args = (0..arity).map(|index| ((call + 7 * index) % CALLS) as i64);
            let args: Vec<i64> = args.collect();
            let expected = self.generic.run_within(FUEL, &args)?;
            let found = sound.run_within(FUEL, &args)?;
            if (expected.result, expected.trace) == (found.result, found.trace) {
                calls.push(args);
            }
        }
        Ok(calls)
    }

    /// What generic code does.
    fn expected(&self, inputs: Vec<Vec<i64>>) -> Result<Vec<Call>> {
        let calls = inputs.into_iter().map(|args| {
            let found = self.generic.run_within(FUEL, &args)?;
            Ok(Call {
                args,
                result: found.result,
                memory: self.words(&found),
                trace: found.trace,
            })
        });
        let calls = calls.collect::<Result<_>>();
        calls.with_context(|| self.name.clone())
    }

    /// Memory after a call, without what may differ from generic code's.
    fn words(&self, outcome: &Outcome) -> Words {
        let mut words = match self.source {
            Source::Golden => words(&outcome.memory),
            Source::Random => words(&comparable(outcome)),
        };
        words.retain(|(number, _)| !self.masked.contains(number));
        words
    }

    /// The words of memory in which a module differs from generic code after any of the calls.
    fn differing_words(&self, program: &Program, inputs: &[Vec<i64>]) -> Result<BTreeSet<usize>> {
        let mut differing = BTreeSet::new();
        for args in inputs {
            let [expected, found] = [&self.generic, program].map(|program| {
                let outcome = program.run_within(FUEL, args)?;
                anyhow::Ok(BTreeSet::from_iter(words(&outcome.memory)))
            });
            let (expected, found) = (expected?, found?);
            let differ = expected.symmetric_difference(&found);
            differing.extend(differ.map(|(number, _)| *number));
        }
        Ok(differing)
    }
}

fn words(memory: &[u8]) -> Words {
    let words = memory.as_chunks().0.iter().copied().map(u64::from_le_bytes);
    words.enumerate().filter(|(_, word)| *word != 0).collect()
}
