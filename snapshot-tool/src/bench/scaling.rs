//! The specializer on single functions of growing size, for the claim that its time is linear.

use std::fmt::Write;
use std::time::Duration;

use anyhow::{Context, Result};

use super::program::Bench;
use crate::guest;

/// Statements of the function; each is some ten bytecode instructions.
const SIZES: [usize; 4] = [100, 250, 500, 1000];

/// Repetitions, of which the quickest counts: the rest is noise.
const REPETITIONS: usize = 5;

/// One function's size and time, those of the empty program taken off.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Words of bytecode.
    pub cells: usize,
    pub cpu: Duration,
}

impl Point {
    pub fn micros_per_cell(&self) -> f64 {
        self.cpu.as_secs_f64() * 1e6 / self.cells as f64
    }
}

/// Points in order of size.
pub fn measure(bench: &Bench) -> Result<Vec<Point>> {
    let base = specialize(bench, 0)?;
    SIZES
        .into_iter()
        .map(|statements| {
            let point = specialize(bench, statements)?;
            let (cells, cpu) = (point.cells - base.cells, point.cpu.saturating_sub(base.cpu));
            Ok(Point { cells, cpu })
        })
        .collect()
}

fn specialize(bench: &Bench, statements: usize) -> Result<Point> {
    let bytecode = bench.compile_text("scaling.ml", function(statements).as_bytes())?;
    let program = std::fs::read(&bytecode).context("cannot read a scratch file")?;
    let mut best: Option<Point> = None;
    for _ in 0..REPETITIONS {
        let (cpu, summary) = bench.specialize(&program)?;
        let cell = guest::default().manifest.code.size.get();
        let cells = summary.code_bytes / cell as usize;
        let point = Point { cells, cpu };
        best = Some(best.filter(|best| best.cpu < point.cpu).unwrap_or(point));
    }
    best.context("there was at least one repetition")
}

/// A function of arithmetic, branches, allocation and calls.
fn function(statements: usize) -> String {
    let mut text = String::from("let g x y = x + y\nlet f a b =\n");
    for at in 0..statements {
        let line = match at % 4 {
            0 => format!("  let a = if a > {at} then a - b else a + {at} in\n"),
            1 => "  let b = g a (b lxor 3) in\n".to_string(),
            2 => "  let p = (a, b) in let a = fst p in\n".to_string(),
            _ => format!("  let b = if b land 1 = 0 then b / 2 else a * {at} in\n"),
        };
        let _ = write!(text, "{line}");
    }
    text + "  a + b\nlet () = exit (f 1 2 land 1)\n"
}
