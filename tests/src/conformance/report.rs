//! What a run of the suite found, as a table by directory and a list of what failed; both also in
//! Markdown.
//!
//! Leaves out: how the failures look in detail; outputs are kept beside the table
//! ([`keep_outputs`]).

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::engine::{Engine, OURS};
use super::reasons::Reasons;
use super::verdict::{Case, LeftOut};
use super::walk::Test;

/// The share of counted cases that has to pass, in per cent.
pub const BAR: f64 = 97.0;

const BEGIN: &str = "<!-- conformance:begin (written by `make conformance`) -->";
const END: &str = "<!-- conformance:end -->";

/// Figures of one directory, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    pub counted: usize,
    pub generic: usize,
    pub residual: usize,
    needs_c: usize,
    needs_system: usize,
    not_built: usize,
    fails_anyway: usize,
}

impl Figures {
    fn add(&mut self, case: &Case) {
        match case.excluded() {
            None => {
                self.counted += 1;
                self.generic += usize::from(case.passes(Engine::Generic));
                self.residual += usize::from(case.passes(Engine::Residual));
            }
            Some(LeftOut::NeedsC) => self.needs_c += 1,
            Some(LeftOut::NeedsSystem) => self.needs_system += 1,
            Some(LeftOut::NotBuilt(_)) => self.not_built += 1,
            Some(LeftOut::FailsAnyway(_)) => self.fails_anyway += 1,
        }
    }

    fn columns(self) -> [usize; 7] {
        [
            self.counted,
            self.generic,
            self.residual,
            self.needs_c,
            self.needs_system,
            self.not_built,
            self.fails_anyway,
        ]
    }

    /// Whether enough cases pass with each of these engines.
    pub fn meets_the_bar(self, engines: &[Engine]) -> bool {
        engines.iter().all(|engine| {
            let passed = match engine {
                Engine::Ocamlrun => self.counted,
                Engine::Generic => self.generic,
                Engine::Residual => self.residual,
            };
            share(passed, self.counted) >= BAR
        })
    }
}

/// Per cent; all of nothing is everything.
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        return 100.0;
    }
    100.0 * part as f64 / whole as f64
}

/// The figures of all cases.
pub fn total(cases: &[Case]) -> Figures {
    let mut figures = Figures::default();
    cases.iter().for_each(|case| figures.add(case));
    figures
}

/// One line as soon as a test is done.
pub fn progress(index: usize, of: usize, test: &Test, cases: &Result<Vec<Case>>) {
    let mut line = format!("[{}/{of}] {}", index + 1, test.name);
    let cases = match cases {
        Ok(cases) => cases,
        Err(error) => return eprintln!("{line}\n    {error:#}"),
    };
    for case in cases {
        for failure in failures(case) {
            _ = write!(line, "\n    {} {}", case.number, failure);
        }
    }
    if !cases.is_empty() {
        eprintln!("{line}");
    }
}

fn failures(case: &Case) -> Vec<String> {
    if case.excluded().is_some() {
        return Vec::new();
    }
    let shown = |&engine: &Engine| {
        let failure = case.failure(engine)?;
        Some(format!("{}: {failure}", engine.name()))
    };
    OURS.iter().filter_map(shown).collect()
}

/// The table and the list of failures, in Markdown.
pub fn markdown(cases: &[Case], reasons: &Reasons) -> String {
    let mut text = String::from(
        "| directory | cases | generic | residual | C | sockets, processes | \
         not built | fails under ocamlrun |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let mut directories: BTreeMap<&str, Figures> = BTreeMap::new();
    for case in cases {
        let directory = case.test.split('/').next().unwrap_or_default();
        directories.entry(directory).or_default().add(case);
    }
    for (directory, figures) in &directories {
        row(&mut text, directory, *figures);
    }
    let all = total(cases);
    row(&mut text, "**all**", all);
    _ = write!(
        text,
        "\nOf {} cases, {:.1} % pass generic and {:.1} % residual.\n",
        all.counted,
        share(all.generic, all.counted),
        share(all.residual, all.counted)
    );
    text + &failed(cases, reasons)
}

fn row(text: &mut String, directory: &str, figures: Figures) {
    let columns = figures.columns().map(|count| match count {
        0 => String::new(),
        _ => count.to_string(),
    });
    _ = writeln!(text, "| {directory} | {} |", columns.join(" | "));
}

fn failed(cases: &[Case], reasons: &Reasons) -> String {
    let mut text = String::new();
    for case in cases {
        let failures = failures(case);
        if failures.is_empty() {
            continue;
        }
        let reason = reasons.of(&case.test).unwrap_or("**not explained**");
        let failures = failures.join("; ");
        _ = writeln!(text, "| {} | {failures} | {reason} |", case.name());
    }
    if text.is_empty() {
        return text;
    }
    format!("\n| case | fails | why |\n| --- | --- | --- |\n{text}")
}

/// The failing tests that have no reason.
pub fn unexplained(cases: &[Case], reasons: &Reasons) -> Vec<String> {
    cases
        .iter()
        .filter(|case| !failures(case).is_empty() && reasons.of(&case.test).is_none())
        .map(Case::name)
        .collect()
}

/// Each case on a line, with what became of it.
pub fn summary(cases: &[Case]) -> String {
    let mut text = String::new();
    for case in cases {
        let verdict = match case.excluded() {
            Some(LeftOut::NeedsC) => "left out: needs C".into(),
            Some(LeftOut::NeedsSystem) => "left out: sockets or processes".into(),
            Some(LeftOut::NotBuilt(said)) => format!("left out: not built: {}", one_line(&said)),
            Some(LeftOut::FailsAnyway(how)) => format!("left out: ocamlrun: {how}"),
            None if failures(case).is_empty() => "passed".into(),
            None => format!("FAILED: {}", failures(case).join("; ")),
        };
        _ = writeln!(text, "{}\t{}\t{verdict}", case.name(), case.kind.name());
    }
    text
}

fn one_line(text: &str) -> String {
    let line: Vec<_> = text.split_whitespace().collect();
    line.join(" ").chars().take(200).collect()
}

/// Replaces what stands between the markers of a document.
pub fn write_into(document: &Path, table: &str) -> Result<()> {
    write_between(document, [BEGIN, END], table)
}

/// Replaces what stands between these markers.
pub fn write_between(document: &Path, [begin, end]: [&str; 2], table: &str) -> Result<()> {
    let text = fs::read_to_string(document)
        .with_context(|| format!("cannot read {}", document.display()))?;
    let marked = || {
        let (before, rest) = text.split_once(begin)?;
        let (_, after) = rest.split_once(end)?;
        Some(format!("{before}{begin}\n\n{table}\n{end}{after}"))
    };
    let text = marked().with_context(|| format!("{} has no markers", document.display()))?;
    fs::write(document, text).with_context(|| format!("cannot write {}", document.display()))
}

/// Writes what each engine put out, for the cases that failed, and what was expected.
pub fn keep_outputs(cases: &[Case], directory: &Path) -> Result<()> {
    super::files::remove(directory)?;
    for case in cases {
        let fails_anyway = matches!(case.excluded(), Some(LeftOut::FailsAnyway(_)));
        if failures(case).is_empty() && !fails_anyway {
            continue;
        }
        let place = directory.join(format!("{}.{}", case.test, case.number));
        fs::create_dir_all(&place)?;
        for (engine, run) in &case.runs {
            fs::write(place.join(engine.name()), &run.output)?;
            if !run.log.is_empty() {
                fs::write(place.join(format!("{}.log", engine.name())), &run.log)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::engine::Run;
    use super::super::verdict::Kind;
    use super::*;

    fn case(test: &str, generic: i32) -> Case {
        let run = |status| Run {
            status: Some(status),
            timed_out: false,
            output: Vec::new(),
            log: Vec::new(),
        };
        Case {
            test: test.into(),
            number: "1".into(),
            kind: Kind::Program,
            left_out: None,
            expected: 0,
            runs: vec![
                (Engine::Ocamlrun, run(0)),
                (Engine::Generic, run(generic)),
                (Engine::Residual, run(0)),
            ],
            reference: None,
        }
    }

    #[test]
    fn failures_are_counted_by_directory_and_explained() {
        let mut without = case("b/w.ml", 0);
        without.left_out = Some(LeftOut::NeedsC);
        let cases = [
            case("a/x.ml", 0),
            case("a/y.ml", 1),
            case("b/z.ml", 1),
            without,
        ];
        let reasons = Reasons::parse("a/y.ml: known").expect("well-formed");
        let text = markdown(&cases, &reasons);
        assert!(text.contains("| a | 2 | 1 | 2 |  |"), "{text}");
        assert!(text.contains("| b | 1 |  | 1 | 1 |"), "{text}");
        assert!(text.contains("| a/y.ml 1 | generic: status 1 for 0 | known |"));
        assert!(text.contains("33.3 % pass generic and 100.0 % residual"));
        assert_eq!(unexplained(&cases, &reasons), ["b/z.ml 1"]);
        assert!(!total(&cases).meets_the_bar(&OURS));
        assert!(total(&cases).meets_the_bar(&[Engine::Residual]));
    }

    #[test]
    fn only_what_is_between_the_markers_changes() {
        let place = tempfile::tempdir().expect("there is room");
        let document = place.path().join("x.md");
        fs::write(&document, format!("a\n{BEGIN}\nold\n{END}\nz\n")).expect("there is room");
        write_into(&document, "new").expect("it has markers");
        let text = fs::read_to_string(&document).expect("it was written");
        assert_eq!(text, format!("a\n{BEGIN}\n\nnew\n{END}\nz\n"));
        fs::write(&document, "none").expect("there is room");
        assert!(write_into(&document, "new").is_err());
    }
}
