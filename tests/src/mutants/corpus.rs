//! What faults are planted in: the goldens, and random annotated modules.
//!
//! Invariant: without a fault, each module does in every call what its generic version does.

use fastrand::Rng;
use std::fs;

use anyhow::{Context, Result, ensure};
use specializer::{Options, link_generic};
use wasmtime::{Config, Engine, OptLevel};

use crate::annotated::random::{self, Watch};
use crate::annotated::{Outcome, Program, comparable, specialize, verified};
use crate::golden::{Golden, RESIDUAL, files};

/// Bounds a call, of wrong code too; sound code takes less.
pub const FUEL: u64 = 30_000_000;

/// How often a random module is called.
const CALLS: usize = 24;

/// Nodes at which a random module is declined.
const NODES: usize = 3000;

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
    pub calls: Vec<(Vec<i64>, Outcome)>,
}

/// An engine that compiles fast and counts fuel.
pub fn engine() -> Engine {
    let mut config = Config::new();
    config
        .cranelift_opt_level(OptLevel::None)
        .consume_fuel(true);
    Engine::new(&config).expect("the configuration is valid")
}

/// Every golden, and so many random modules of each sort.
pub fn cases(engine: &Engine, random: u64) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for seed in 0..random {
        for (sort, generate) in SORTS {
            let mut numbers = Rng::with_seed(seed);
            let text = generate(&mut numbers);
            let inputs = (0..CALLS).map(|call| vec![numbers.usize(..1 << (1 + call % 20)) as i64]);
            let mut options = verified();
            options.budgets.nodes = NODES;
            options.budgets.nodes_per_byte = 0;
            let name = format!("{sort} {seed}");
            let module = wat::parse_str(text)?;
            let inputs = inputs.collect();
            cases.push(Case::new(
                engine,
                name,
                Source::Random,
                module,
                options,
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
        inputs: Vec<Vec<i64>>,
    ) -> Result<Self> {
        let generic = Program::new(engine, &link_generic(&module, &options)?)?;
        let sound = specialize(&module, &options)?;
        let calls = inputs.into_iter().map(|args| {
            let outcome = generic.run_within(FUEL, &args)?;
            Ok((args, outcome))
        });
        let case = Self {
            source,
            calls: calls.collect::<Result<_>>().with_context(|| name.clone())?,
            name,
            module,
            options,
            requests: sound.report.requests.len(),
            sound: sound.module,
        };
        let program = Program::new(engine, &case.sound)?;
        ensure!(
            case.agrees(&program)?,
            "{}: sound code differs\n{}",
            case.name,
            case.difference(&program)?
        );
        Ok(case)
    }

    /// What the first call that differs did.
    fn difference(&self, program: &Program) -> Result<String> {
        for (args, expected) in &self.calls {
            let found = program.run_within(FUEL, args)?;
            if found.result != expected.result || found.trace != expected.trace {
                let at = found
                    .trace
                    .iter()
                    .zip(&expected.trace)
                    .position(|(a, b)| a != b);
                return Ok(format!(
                    "{args:?}: {:?} after {} reports, not {:?} after {}; first different: {at:?}",
                    found.result,
                    found.trace.len(),
                    expected.result,
                    expected.trace.len()
                ));
            }
        }
        Ok("memory differs".to_owned())
    }

    /// Whether a module does in each call what it has to do.
    pub fn agrees(&self, program: &Program) -> Result<bool> {
        for (args, expected) in &self.calls {
            let found = program.run_within(FUEL, args)?;
            if found.result != expected.result || found.trace != expected.trace {
                return Ok(false);
            }
            // A golden says nothing of memory. What a trap leaves there is nobody's.
            let compared = self.source == Source::Random && expected.result.is_some();
            if compared && comparable(&found) != comparable(expected) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
