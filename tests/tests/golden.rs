//! Golden tests of the specializer: each file of `tests/golden` is an annotated module with, in comments,
//! the calls to make and the residual code of its requests.
//!
//! ```text
//! ;; run 3 -> 7                 calls the exported `run`: its result, or `trap`
//! ;; run 3 -> 7 after 1 2       and what it reported on the way
//! ;; nodes 10                   a budget, so that requests are declined
//! (module …)
//! ;; residual                   from here on, what `BLESS=1` writes
//! ```
//! The calls are made in the generic module, in the specialised one, and with each optimisation switched
//! off: no golden stands alone. Only the residual code can be blessed; results are written by hand.

mod annotated;

use std::fs;
use std::path::{Path, PathBuf};

use annotated::{Program, ablations, specialize, verified};
use anyhow::{Context, Result, bail, ensure};
use bactrian_tests::workspace;
use specializer::Options;
use wasmtime::Engine;

const RESIDUAL: &str = ";; residual\n";

#[test]
fn goldens() {
    let bless = std::env::var_os("BLESS").is_some();
    let engine = Engine::default();
    let files = files(&workspace().join("tests/golden"));
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

fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("the directory of goldens can be listed");
    let paths = entries.map(|entry| entry.expect("a directory entry can be read").path());
    let mut files: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "wat"))
        .collect();
    files.sort();
    files
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

struct Golden {
    module: Vec<u8>,
    options: Options,
    calls: Vec<Call>,
}

/// `run args -> result after trace`.
struct Call {
    args: Vec<i64>,
    result: Option<u64>,
    trace: Vec<i64>,
}

impl Golden {
    fn parse(head: &str) -> Result<Self> {
        let mut golden = Golden {
            module: wat::parse_str(head)?,
            options: verified(),
            calls: Vec::new(),
        };
        for line in head.lines() {
            if let Some(call) = line.strip_prefix(";; run ") {
                let call = Call::parse(call).with_context(|| line.to_owned())?;
                golden.calls.push(call);
            } else if let Some(nodes) = line.strip_prefix(";; nodes ") {
                golden.options.budgets.nodes = nodes.parse()?;
                golden.options.budgets.nodes_per_byte = 0;
            }
        }
        ensure!(!golden.calls.is_empty(), "no `;; run` line");
        Ok(golden)
    }

    fn check_calls(&self, program: &Program) -> Result<()> {
        for call in &self.calls {
            let found = program.run(&call.args)?;
            if (found.result, &found.trace) != (call.result, &call.trace) {
                bail!(
                    "run {:?}: found {:?} after {:?}, expected {:?} after {:?}",
                    call.args,
                    found.result.map(|bits| bits as i64),
                    found.trace,
                    call.result.map(|bits| bits as i64),
                    call.trace
                );
            }
        }
        Ok(())
    }

    /// The residual functions as comment lines.
    fn residual_comment(&self) -> Result<String> {
        let texts = specializer::residual_text(&self.module, &self.options)?;
        let texts = texts.into_iter().map(|text| match text {
            Ok(text) => text,
            Err(declined) => format!("declined: {declined}\n"),
        });
        let lines: Vec<String> = texts
            .flat_map(|text| {
                let lines = text.lines().map(|line| format!(";; {line}\n"));
                lines.collect::<Vec<_>>()
            })
            .collect();
        Ok(lines.concat())
    }
}

impl Call {
    fn parse(text: &str) -> Result<Self> {
        let (args, outcome) = text.split_once("->").context("no `->`")?;
        let (result, trace) = outcome.split_once("after").unwrap_or((outcome, ""));
        let result = match result.trim() {
            "trap" => None,
            number => Some(number.parse::<i64>()? as u64),
        };
        Ok(Self {
            args: numbers(args)?,
            result,
            trace: numbers(trace)?,
        })
    }
}

fn numbers(text: &str) -> Result<Vec<i64>> {
    let words = text.split_whitespace();
    Ok(words.map(str::parse).collect::<Result<_, _>>()?)
}
