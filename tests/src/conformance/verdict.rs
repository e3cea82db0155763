//! What became of a case: whether it counts, and whether an engine passed it.
//!
//! An engine passes if it ends with the status that the test expects and writes what `ocamlrun`
//! wrote, or, where the test names a reference for its output, what the reference says. Leaves out:
//! which of the two was met, as some programs write something else each time.

use std::fs;
use std::path::Path;

use super::engine::{Engine, Run};

/// How a test is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A bytecode executable.
    Program,
    /// Phrases that the toplevel reads.
    Toplevel,
    /// Phrases whose answers stand between them, checked by a tool with a toplevel in it.
    Expect,
}

impl Kind {
    pub const ALL: [Kind; 3] = [Kind::Program, Kind::Toplevel, Kind::Expect];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Program => "program",
            Kind::Toplevel => "toplevel",
            Kind::Expect => "expect",
        }
    }
}

/// Why a case does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// It has a part in C.
    NeedsC,
    /// It needs sockets or processes.
    NeedsSystem,
    /// The installed compiler does not make a program of it.
    NotBuilt(String),
    /// It fails under the installed `ocamlrun`.
    FailsAnyway(String),
}

/// One execution that a test asks for.
#[derive(Clone, Debug)]
pub struct Case {
    /// The test's file, from the suite's directory of tests.
    pub test: String,
    /// Its place in the tree of the test's header.
    pub number: String,
    pub kind: Kind,
    pub left_out: Option<LeftOut>,
    pub expected: i32,
    pub runs: Vec<(Engine, Run)>,
    pub reference: Option<Reference>,
}

/// What the output is compared with.
#[derive(Clone, Debug)]
pub struct Reference {
    text: Vec<u8>,
    /// Lines of the output that are not compared.
    skipped: usize,
}

impl Reference {
    /// A file; if there is none, nothing may be written.
    pub fn read(path: &Path, skipped: usize) -> Self {
        Self {
            text: fs::read(path).unwrap_or_default(),
            skipped,
        }
    }

    fn accepts(&self, output: &[u8]) -> bool {
        let lines = |text: &[u8]| -> Vec<Vec<u8>> {
            let skipped = text.split(|&byte| byte == b'\n').skip(self.skipped);
            skipped
                .map(|line| line.strip_suffix(b"\r").unwrap_or(line).to_vec())
                .collect()
        };
        lines(&self.text) == lines(output)
    }
}

impl Case {
    pub fn name(&self) -> String {
        format!("{} {}", self.test, self.number)
    }

    /// Why it does not count, if so.
    pub fn excluded(&self) -> Option<LeftOut> {
        if self.left_out.is_some() {
            return self.left_out.clone();
        }
        let Some(oracle) = self.run(Engine::Ocamlrun) else {
            return Some(LeftOut::FailsAnyway("it was not run".into()));
        };
        self.fault(oracle).map(LeftOut::FailsAnyway)
    }

    /// How this engine failed, if so; none also where it did not run.
    pub fn failure(&self, engine: Engine) -> Option<String> {
        let (run, oracle) = (self.run(engine)?, self.run(Engine::Ocamlrun)?);
        if run.status == Some(self.expected) && run.output == oracle.output {
            return None;
        }
        if self.reference.is_some() {
            self.fault(run)
        } else {
            self.status_fault(run).or(Some("other output".into()))
        }
    }

    /// Whether this engine ran, and as it should.
    pub fn passes(&self, engine: Engine) -> bool {
        self.run(engine).is_some() && self.failure(engine).is_none()
    }

    pub fn run(&self, engine: Engine) -> Option<&Run> {
        let found = self.runs.iter().find(|(ran, _)| *ran == engine);
        found.map(|(_, run)| run)
    }

    fn fault(&self, run: &Run) -> Option<String> {
        self.status_fault(run).or_else(|| {
            let reference = self.reference.as_ref()?;
            (!reference.accepts(&run.output)).then(|| "other output".into())
        })
    }

    fn status_fault(&self, run: &Run) -> Option<String> {
        match run.status {
            _ if run.timed_out => Some("time limit".into()),
            None => Some("killed by a signal".into()),
            Some(status) if status != self.expected => {
                Some(format!("status {status} for {}", self.expected))
            }
            Some(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(status: Option<i32>, output: &str) -> Run {
        Run {
            status,
            timed_out: false,
            output: output.into(),
            log: Vec::new(),
        }
    }

    fn case(oracle: &str, reference: Option<&str>, ours: Run) -> Case {
        Case {
            test: "a/b.ml".into(),
            number: "1".into(),
            kind: Kind::Program,
            left_out: None,
            expected: 0,
            runs: vec![
                (Engine::Ocamlrun, run(Some(0), oracle)),
                (Engine::Generic, ours),
            ],
            reference: reference.map(|text| Reference {
                text: text.into(),
                skipped: 0,
            }),
        }
    }

    #[test]
    fn without_a_reference_the_output_is_ocamlruns() {
        let passes = |output| {
            case("a\n", None, run(Some(0), output))
                .failure(Engine::Generic)
                .is_none()
        };
        assert!(passes("a\n"));
        assert!(!passes("b\n"));
    }

    #[test]
    fn a_reference_decides_where_there_is_one() {
        let case = |output| case("a\r\n", Some("a\n"), run(Some(0), output));
        assert_eq!(case("a\n").excluded(), None);
        assert_eq!(case("a\n").failure(Engine::Generic), None);
        assert_eq!(case("a\r\n").failure(Engine::Generic), None);
        assert!(case("").failure(Engine::Generic).is_some());
    }

    #[test]
    fn the_status_counts() {
        let case = case("a", None, run(Some(2), "a"));
        assert_eq!(
            case.failure(Engine::Generic),
            Some("status 2 for 0".to_string())
        );
        assert!(case.excluded().is_none());
    }

    #[test]
    fn what_fails_under_ocamlrun_does_not_count() {
        let case = case("b", Some("a"), run(Some(0), "a"));
        assert!(matches!(case.excluded(), Some(LeftOut::FailsAnyway(_))));
    }

    #[test]
    fn skipped_lines_are_not_compared() {
        let reference = Reference {
            text: b"x\nsame".to_vec(),
            skipped: 1,
        };
        assert!(reference.accepts(b"y\nsame"));
        assert!(!reference.accepts(b"same"));
    }
}
