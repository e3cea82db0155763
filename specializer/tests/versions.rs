//! Which versions of a function there are: what `tests/golden/versions.wat` does not show.

use bactrian_specializer::eval::Declined;
use bactrian_specializer::{Observer, Options, Outcome, Report, specialize};

/// A function that applies what it is given, at 0x1000, and one that calls it, at 0x1020.
const MODULE: &str = include_str!("../../tests/golden/versions.wat");

const REQUEST: &str = "(request 2 (slot 0x1024) (code 0x1020 16) (pass 1) (pass 2) recursive)";
const CODE: &str = "(data (i32.const 0x1020) (i32 1 2 2 -32))";

struct Silent;

impl Observer for Silent {
    fn stage(&self, _: &'static str) {}
    fn progress(&self, _: usize, _: usize) {}
}

/// What becomes of the module with these texts replaced by others.
fn report(changes: &[(&str, &str)]) -> Report {
    let mut text = MODULE.to_owned();
    for (old, new) in changes {
        assert_eq!(text.matches(old).count(), 1, "{old}");
        text = text.replace(old, new);
    }
    let module = tables::module(&text).expect("the changed text is a module");
    let output = specialize(&module, &Options::default(), None, &Silent);
    output.expect("it can be specialized").report
}

fn is_specialized(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Specialized { .. })
}

#[test]
fn a_version_that_looks_at_what_it_is_given_remains() {
    let report = report(&[]);
    assert_eq!(report.requests.len(), 3 + 1);
    assert!(is_specialized(&report.requests[3].outcome));
}

#[test]
fn a_version_that_does_not_is_left_out() {
    let adds = "(data (i32.const 0x1000) (i32 1 2 3 0))";
    let report = report(&[("(data (i32.const 0x1000) (i32 1 2 1 0))", adds)]);
    assert_eq!(
        report.requests[3].outcome,
        Outcome::Declined(Declined::Idle)
    );
}

#[test]
fn a_function_has_five_versions_at_most() {
    // Each caller gives the closure of what comes after it.
    let callers = (0..7).map(|number| 0x1080 + 32 * number);
    let (mut requests, mut code) = (REQUEST.to_owned(), CODE.to_owned());
    for caller in callers {
        let slot = caller + 4;
        let distance = 0x1000 - caller;
        requests +=
            &format!("(request 2 (slot {slot}) (code {caller} 16) (pass 1) (pass 2) recursive)");
        code += &format!("(data (i32.const {caller}) (i32 1 2 2 {distance}))");
    }
    let report = report(&[
        ("(region 0x1000 0x60)", "(region 0x1000 0x200)"),
        (REQUEST, &requests),
        (CODE, &code),
    ]);
    let made = &report.requests[3 + 7..];
    assert_eq!(made.len(), 5);
    assert!(made.iter().all(|request| is_specialized(&request.outcome)));
}
