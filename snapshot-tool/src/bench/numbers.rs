//! `bactrian bench --numbers`: formats, reads and computes a million numbers in each check, here
//! and under `ocamlrun`.
//!
//! The OCaml program prints one line for each number. Formatting, reading and arithmetic have to
//! agree on every line. Of functions such as the sine, the table says how often the last bits
//! differ, and by how much.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

use super::compiler::Compiler;
use super::measure::{bactrian, ocamlrun};
use super::program::Bench;
use super::table;
use crate::cli::BenchArgs;
use crate::precompiled::Precompiled;

const PROGRAM: &str = "tests/programs/numbers.ml";

/// Checks in which two different numbers are a measurement; in all others they are a fault. Where
/// either result is no number, a difference is always a fault. These are the rows of the table in
/// `docs/differences.md`.
pub const MAY_DIFFER: [&str; 7] = ["sin", "cos", "tan", "asin", "acos", "atan", "atan2"];

/// What comparing all lines of one check came to.
#[derive(Debug, Default, PartialEq, Eq)]
struct Comparison {
    lines: u64,
    different: u64,
    /// Of them, those where a result is NaN or no float at all.
    not_numbers: u64,
    /// The largest distance of two results, in units in the last place; absent where a result is no
    /// pair of floats.
    ulps: u64,
    /// The first difference: the line of `ocamlrun`, and ours.
    first: Option<(String, String)>,
}

/// Runs every check, or those named, and prints the table.
pub fn numbers(args: &BenchArgs, precompiled: Precompiled) -> Result<()> {
    let bench = Bench::new(1, precompiled)?;
    let bytecode = bench.compile(Compiler::Bytecode, Path::new(PROGRAM))?;
    let mut rows = vec![
        [
            "check",
            "values",
            "different",
            "ppm",
            "ulps",
            "first difference",
        ]
        .map(String::from)
        .to_vec(),
    ];
    let mut faults = Vec::new();
    for check in checks(&bytecode)? {
        if !args.names.is_empty() && !args.names.contains(&check) {
            continue;
        }
        notice!("{check} ...");
        let arguments =
            [&check, &args.values.to_string(), &args.seed.to_string()].map(String::from);
        let comparison = compare(&bytecode, &arguments).with_context(|| check.clone())?;
        if comparison.is_fault(&check) {
            faults.push(check.clone());
        }
        rows.push(comparison.row(check));
    }
    println!("{}", table::plain(&rows));
    if !faults.is_empty() {
        bail!("not what it is under ocamlrun: {}", faults.join(", "));
    }
    Ok(())
}

fn checks(bytecode: &Path) -> Result<Vec<String>> {
    let output = ocamlrun(bytecode).arg("list").output();
    let output = output.context("cannot start ocamlrun: run `make setup`")?;
    Ok(String::from_utf8(output.stdout)?
        .lines()
        .map(String::from)
        .collect())
}

/// Runs the program in both ways at once, and compares what they print while they print it.
fn compare(bytecode: &Path, arguments: &[String]) -> Result<Comparison> {
    let mut expected = start(ocamlrun(bytecode).args(arguments))?;
    let mut ours = start(
        bactrian()?
            .arg("run")
            .arg(bytecode)
            .arg("--")
            .args(arguments),
    )?;
    let comparison = lines(&mut expected, &mut ours)?;
    for mut child in [expected, ours] {
        let status = child.wait()?;
        if !status.success() {
            bail!("a program ended with {status}");
        }
    }
    Ok(comparison)
}

fn start(command: &mut Command) -> Result<Child> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", command.get_program().display()))
}

fn lines(expected: &mut Child, ours: &mut Child) -> Result<Comparison> {
    let reader = |child: &mut Child| {
        let pipe = child.stdout.take().context("standard output is piped")?;
        Ok::<_, anyhow::Error>(BufReader::with_capacity(1 << 16, pipe))
    };
    let (mut expected, mut ours) = (reader(expected)?, reader(ours)?);
    let mut comparison = Comparison::default();
    let (mut wanted, mut got) = (String::new(), String::new());
    loop {
        wanted.clear();
        got.clear();
        let ends = (
            expected.read_line(&mut wanted)? == 0,
            ours.read_line(&mut got)? == 0,
        );
        match ends {
            (true, true) => return Ok(comparison),
            (false, false) => comparison.add(wanted.trim_end(), got.trim_end()),
            (true, false) | (false, true) => bail!("one program printed more lines than the other"),
        }
    }
}

impl Comparison {
    fn add(&mut self, expected: &str, ours: &str) {
        self.lines += 1;
        if expected == ours {
            return;
        }
        self.different += 1;
        match distance(expected, ours) {
            Some(ulps) => self.ulps = self.ulps.max(ulps),
            None => self.not_numbers += 1,
        }
        self.first
            .get_or_insert_with(|| (expected.into(), ours.into()));
    }

    fn is_fault(&self, check: &str) -> bool {
        self.not_numbers > 0 || self.different > 0 && !MAY_DIFFER.contains(&check)
    }

    fn row(self, check: String) -> Vec<String> {
        let ppm = self.different as f64 * 1e6 / self.lines.max(1) as f64;
        let ulps = if self.ulps == 0 {
            "-".into()
        } else {
            self.ulps.to_string()
        };
        let first = self.first.map_or("-".into(), |(expected, ours)| {
            format!("{expected} / {ours}")
        });
        vec![
            check,
            self.lines.to_string(),
            self.different.to_string(),
            format!("{ppm:.0}"),
            ulps,
            first,
        ]
    }
}

/// The distance of the numbers whose bits end two lines; `None` where they end with anything else,
/// such as NaN.
fn distance(expected: &str, ours: &str) -> Option<u64> {
    let last = |line: &str| {
        let digits = line
            .rsplit(' ')
            .next()
            .filter(|digits| digits.len() == 16)?;
        let bits = u64::from_str_radix(digits, 16).ok()?;
        (!f64::from_bits(bits).is_nan()).then(|| rank(bits))
    };
    Some(last(expected)?.abs_diff(last(ours)?))
}

/// The place of a float among all floats.
fn rank(bits: u64) -> i64 {
    let bits = bits as i64;
    if bits < 0 {
        i64::MIN.wrapping_sub(bits)
    } else {
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_counted_and_measured() {
        let mut comparison = Comparison::default();
        comparison.add("1 3ff0000000000000", "1 3ff0000000000000");
        comparison.add("2 0000000000000001", "2 8000000000000001");
        comparison.add("3 3ff0000000000000", "3 3ff0000000000001");
        assert_eq!(
            (comparison.lines, comparison.different, comparison.ulps),
            (3, 2, 2)
        );
        let first = comparison.first.expect("there is a difference");
        assert_eq!(first.0, "2 0000000000000001");
    }

    #[test]
    fn bits_of_nan_are_no_measurement() {
        let mut comparison = Comparison::default();
        comparison.add("1 3ff0000000000000", "1 3ff0000000000001");
        assert!(!comparison.is_fault("sin") && comparison.is_fault("sqrt"));
        comparison.add("1 7ff8000000000123", "1 3ff0000000000000");
        comparison.add("1 7ff8000000000123", "1 fff8000000000123");
        assert_eq!(comparison.not_numbers, 2);
        assert!(comparison.is_fault("sin"));
    }

    #[test]
    fn texts_have_no_distance() {
        assert_eq!(distance("a b", "a c"), None);
    }
}
