//! What `bactrian check` says: findings of the specializer, with the names of functions and, where
//! the module has them, lines of their source.

mod lines;

use std::collections::HashMap;
use std::fmt::Write;

use anyhow::Result;
use specializer::Options;
use specializer::check::{Finding, Place, Severity};
use specializer::module::readable;
use wasmparser::{KnownCustom, Name, Parser, Payload};

use lines::Lines;

/// What was found, as text, and whether any of it is an error.
pub struct Report {
    pub text: String,
    pub errors: usize,
}

/// Checks a snapshot. Names and lines are those of `module`, of which it was taken: a snapshot need
/// not have them.
pub fn check(snapshot: &[u8], module: &[u8], options: &Options) -> Result<Report> {
    let findings = specializer::check::check(snapshot, options)?;
    let places = Places {
        names: names(module),
        lines: Lines::of(module),
        code: code_start(snapshot),
    };
    let count = |severity| {
        let found = findings.iter().filter(|found| found.severity == severity);
        found.count()
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let mut text: String = findings.iter().map(|found| places.show(found)).collect();
    writeln!(text, "{errors} errors, {warnings} warnings")?;
    Ok(Report { text, errors })
}

/// What places are called.
struct Places {
    names: HashMap<u32, String>,
    lines: Lines,
    /// Where the code section begins, from which lines count.
    code: usize,
}

impl Places {
    fn show(&self, finding: &Finding) -> String {
        let severity = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let mut text = format!("{severity}: ");
        if let Some(place) = &finding.place {
            text += &format!("{}: ", self.place(place));
        }
        text += &finding.what;
        match &finding.why {
            Some((what, Some(place))) => text += &format!("; {what} at {}", self.place(place)),
            Some((what, None)) => text += &format!("; {what}"),
            None => {}
        }
        text + "\n"
    }

    fn place(&self, place: &Place) -> String {
        let func = place.func.0;
        let name = self.names.get(&func).cloned();
        let name = name.unwrap_or_else(|| format!("function {func}"));
        let line = self.lines.at(place.offset.saturating_sub(self.code));
        let line = line.map_or(String::new(), |line| format!(" ({line})"));
        format!("{name}+{:#x}{line}", place.in_body)
    }
}

/// Names of functions; those of Rust and C++ as they are in their source.
fn names(module: &[u8]) -> HashMap<u32, String> {
    let mut found = HashMap::new();
    for payload in Parser::new(0).parse_all(module).map_while(Result::ok) {
        let Payload::CustomSection(section) = payload else {
            continue;
        };
        let KnownCustom::Name(sections) = section.as_known() else {
            continue;
        };
        for names in sections.into_iter().map_while(Result::ok) {
            if let Name::Function(names) = names {
                let names = names.into_iter().map_while(Result::ok);
                found.extend(names.map(|name| (name.index, readable(name.name))));
            }
        }
    }
    found
}

/// Where the contents of the code section begin.
fn code_start(module: &[u8]) -> usize {
    let payloads = Parser::new(0).parse_all(module).map_while(Result::ok);
    let mut starts = payloads.filter_map(|payload| match payload {
        Payload::CodeSectionStart { range, .. } => Some(range.start),
        _ => None,
    });
    starts.next().unwrap_or_default()
}
