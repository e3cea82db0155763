//! The specializer on random annotated modules: generic and residual code give the same result, the
//! same reports on the way, and leave the same memory.
//!
//! Each failure names its seed; `make fuzz` tries more seeds.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use bactrian_tests::annotated::random::{self, Watch};
use bactrian_tests::annotated::{
    Program, ablations, agree, comparable, declining_early, specialize, verified,
};
use bactrian_tests::fuzz::cases;
use fastrand::Rng;
use specializer::eval::Declined;
use specializer::{Optimisations, Options, Outcome};
use wasmtime::{Config, Engine, OptLevel};

/// Modules of each kind, unless `make fuzz` says otherwise.
const CASES: u64 = 50;

#[test]
fn random_programs_of_a_machine() {
    let declined = check_all(|numbers| random::machine(numbers, Watch::Some));
    let all = cases(CASES).count() as u64;
    assert!(declined * 5 <= all, "{declined} of {all} declined");
}

#[test]
fn random_functions_with_intrinsics() {
    let declined = check_all(|numbers| random::function(numbers, Watch::Some));
    let all = cases(CASES).count() as u64;
    assert!(declined * 5 <= all, "{declined} of {all} declined");
}

/// Checks random modules; how many were declined.
fn check_all(generate: fn(&mut Rng) -> String) -> u64 {
    let mut config = Config::new();
    config.cranelift_opt_level(OptLevel::None);
    let engine = Engine::new(&config).expect("the configuration is valid");
    let results = cases(CASES).map(|seed| {
        let mut random = Rng::with_seed(seed);
        let text = generate(&mut random);
        let arguments = [0, 1, random.usize(..1 << 20) as i64];
        let checked = check(&engine, &text, &arguments, seed);
        checked.unwrap_or_else(|failure| panic!("seed {seed}: {failure:#}\n{text}"))
    });
    results.map(u64::from).sum()
}

/// Whether the module was declined.
fn check(engine: &Engine, text: &str, arguments: &[i64], seed: u64) -> Result<bool> {
    let module = tables::module(text)?;
    let generic = Program::new(engine, &specializer::link_generic(&module, &verified())?)?;
    let options = declining_early();
    // All optimisations in half of the cases, one switched off in the others.
    let [first, second, third] = ablations(&options);
    let all = [&options, &first, &options, &second, &options, &third];
    let options: &Options = all[(seed % 6) as usize];
    let output = specialize(&module, options)?;
    let residual = Program::new(engine, &output.module).context("residual module")?;
    for &argument in arguments {
        agree([&generic, &residual], argument, comparable)?;
    }
    let mut requests = output.report.requests.iter();
    Ok(requests.any(|request| match request.outcome {
        Outcome::Specialized { .. } | Outcome::Declined(Declined::Idle) => false,
        Outcome::Declined(_) => true,
    }))
}

/// Optimisations that random programs of the machine have no use for: it has no safepoints, divides
/// nothing, tests no choices that it has made, loads no programs, calls no stubs, applies functions
/// to what they take, these take few parameters, and each round of a loop calls. Goldens, programs
/// of OCaml, random functions (for cleanup) and `passing.rs` have.
const UNUSED: [&str; 9] = [
    "choices",
    "divisions",
    "float-registers",
    "safepoints",
    "references",
    "applications",
    "candidates",
    "small-stubs",
    "unswitching",
];

/// So that a fault in an optimisation can show in random modules.
#[test]
fn each_optimisation_changes_a_random_module() -> Result<()> {
    let options = declining_early();
    let all: BTreeSet<_> = Optimisations::NAMES.iter().copied().collect();
    let expected = &all - &UNUSED.into();
    let mut used = BTreeSet::new();
    // Versions show in one module of thirty: what is still missing is looked for in more.
    for seed in 0..10 * CASES {
        let sought = if seed < CASES { &all } else { &expected } - &used;
        if sought.is_empty() {
            break;
        }
        let text = random::machine(&mut Rng::with_seed(seed), Watch::All);
        let module = tables::module(&text)?;
        let full = specialize(&module, &options)?.module;
        for name in sought {
            let mut without = options.clone();
            let switch = without.optimisations.switch(name);
            *switch.context("the name is listed")? = false;
            if specialize(&module, &without)?.module != full {
                used.insert(name);
            }
        }
    }
    assert_eq!(used, expected);
    Ok(())
}
