//! Golden tests of the specializer: each file of `tests/golden` is an annotated module with, in
//! comments, the calls to make and the residual code of its requests.
//!
//! ```text
//! ;; run 3 -> 7                 calls the exported `run`: its result, or `trap`
//! ;; run 3 -> 7 after 1 2       and what it reported on the way (also as a line of its own)
//! ;; nodes 10                   a budget, so that requests are declined
//! (module …)
//! ;; residual                   from here on, what `BLESS=1` writes
//! ```
//! Its tables are written as `tests/tables` has it. The calls are made in the generic module, in
//! the specialized one, and with each optimisation switched off: no golden stands alone. Only the
//! residual code can be blessed; results are written by hand.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use bactrian_tests::annotated::{Program, ablations, specialize};
use bactrian_tests::golden::{Golden, RESIDUAL, files};
use wasmtime::Engine;

#[test]
fn goldens() {
    let bless = std::env::var_os("BLESS").is_some();
    let engine = Engine::default();
    let files = files();
    assert!(files.len() >= 15, "there are goldens");
    let failures: Vec<String> = files
        .iter()
        .filter_map(|file| {
            let failure = check(&engine, file, bless).err()?;
            Some(format!("{}: {failure:#}", file.display()))
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

fn check(engine: &Engine, file: &Path, bless: bool) -> Result<()> {
    let text = fs::read_to_string(file)?;
    let (head, expected) = text.split_once(RESIDUAL).unwrap_or((&text, ""));
    let golden = Golden::parse(head)?;
    let generic = Program::new(
        engine,
        &specializer::link_generic(&golden.module, &golden.options)?,
    )?;
    golden.check_calls(&generic).context("generic")?;
    let special = specialize(&golden.module, &golden.options)?;
    let again = specialize(&golden.module, &golden.options)?;
    ensure!(special.module == again.module, "two runs differ");
    let residual = Program::new(engine, &special.module)?;
    golden.check_calls(&residual).context("residual")?;
    for options in ablations(&golden.options) {
        let output = specialize(&golden.module, &options)?;
        let context = || format!("{:?}", options.optimisations);
        let program = Program::new(engine, &output.module).with_context(context)?;
        golden.check_calls(&program).with_context(context)?;
    }
    let found = golden.residual_comment()?;
    if found == expected {
        return Ok(());
    }
    ensure!(
        bless,
        "residual code differs (BLESS=1 takes it):\n{found}\nwhere this is expected:\n{expected}"
    );
    Ok(fs::write(file, [head, RESIDUAL, &found].concat())?)
}
