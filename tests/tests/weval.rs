//! Modules that are annotated for weval: what is specialized does what the same interpreter does
//! without annotations, and the command takes weval's options.
//!
//! Each failure names its seed; `make fuzz` tries more seeds.

use anyhow::{Context, Result, ensure};
use bactrian_tests::annotated::random;
use bactrian_tests::annotated::{Outcome, Program, specialize, verified};
use bactrian_tests::fuzz::cases;
use fastrand::Rng;
use specializer::eval::Declined;
use wasmtime::{Config, Engine, OptLevel};

/// Random modules, unless `make fuzz` says otherwise.
const CASES: u64 = 100;

/// Memory that both have to leave alike: the flag's neighbours, locals, and what programs write.
fn comparable(outcome: &Outcome) -> [&[u8]; 3] {
    let memory = &outcome.memory;
    [&memory[0x105..0x108], &memory[0x7800..0x7840], &memory[0x8000..0x8200]]
}

#[test]
fn random_programs_of_a_machine_for_weval() {
    let mut config = Config::new();
    config.cranelift_opt_level(OptLevel::None);
    let engine = Engine::new(&config).expect("the configuration is valid");
    let mut declined = 0;
    for seed in cases(CASES) {
        let mut numbers = Rng::with_seed(seed);
        let text = random::weval(&mut numbers);
        let arguments = [0, 1, 6, numbers.i64(..), numbers.i64(..)];
        let checked = check(&engine, &text, &arguments);
        let is_declined = checked.unwrap_or_else(|error| panic!("seed {seed}: {error:#}\n{text}"));
        declined += u64::from(is_declined);
    }
    let all = cases(CASES).count() as u64;
    assert!(declined * 5 <= all, "{declined} of {all} declined");
}

/// Whether the request was declined.
fn check(engine: &Engine, text: &str, arguments: &[i64]) -> Result<bool> {
    let module = wat::parse_str(text)?;
    let generic = Program::new(engine, &specializer::link_generic(&module, &verified())?)?;
    let output = specialize(&module, &verified())?;
    let residual = Program::new(engine, &output.module).context("residual module")?;
    for &argument in arguments {
        let (expected, found) = (generic.run(&[argument])?, residual.run(&[argument])?);
        ensure!(
            expected.result == found.result && expected.trace == found.trace,
            "run {argument}: {:?} after {:?}, but residual code gives {:?} after {:?}",
            expected.result,
            expected.trace,
            found.result,
            found.trace
        );
        ensure!(
            expected.result.is_none() || comparable(&expected) == comparable(&found),
            "run {argument}: memory differs"
        );
        ensure!(found.memory[0x104] == 1, "the flag is not set");
        ensure!(found.memory[0x100..0x104] == [0; 4], "the request still waits");
    }
    let request = &output.report.requests[0];
    match &request.outcome {
        specializer::Outcome::Specialized { .. } => Ok(false),
        specializer::Outcome::Declined(Declined::NotConstant(1) | Declined::UnknownRegister) => {
            Ok(true)
        }
        specializer::Outcome::Declined(other) => anyhow::bail!("declined: {other}"),
    }
}
