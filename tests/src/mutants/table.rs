//! The result of a survey as a document.

use std::fmt::Write;

use super::judge::Net;
use super::survey::Tally;

/// A kind of mutants, what became of them, and why those that survive do.
pub struct Row {
    pub stage: &'static str,
    pub kind: String,
    pub tally: Tally,
    /// Why nothing can be noticed of some; empty where that is not known.
    pub reason: &'static str,
}

const HEAD: &str = "# Mutants

Wrong residual code is planted behind each stage of the specializer (`specializer/src/fault.rs` says how each kind
is wrong), in the modules of `tests/golden` and in random annotated modules, which report all that they do. The
table says who notices first: what the specializer asserts, its verifier, the validator of WebAssembly, a golden's
calls, a random module's calls compared with its generic version, the checks of the store. A mutant counts if it
changes the linked module and lies in code that a call reaches: where nobody notices one, a trap in its place is
planted to find out. `tests/tests/faults.rs` plants faults in an OCaml program, for lockstep.

`make mutants` writes this page; `tests/tests/mutants.rs` does a small part of it in `make test`.

";

/// The document.
pub fn document(rows: &[Row]) -> String {
    let mut text = HEAD.to_owned();
    text.push_str("| stage | kind | planted |");
    for net in Net::ALL {
        write!(text, " {} |", net.name()).expect("a string can be written to");
    }
    text.push_str(" noticed | not reached |\n| --- | --- | ---: |");
    text.push_str(&" ---: |".repeat(Net::ALL.len() + 2));
    for row in rows {
        let Tally {
            planted,
            not_reached,
            ..
        } = row.tally;
        write!(text, "\n| {} | {} | {planted} |", row.stage, row.kind)
            .expect("a string can be written to");
        for net in Net::ALL {
            match row.tally.noticed.get(&net) {
                Some(count) => write!(text, " {count} |"),
                None => write!(text, " |"),
            }
            .expect("a string can be written to");
        }
        let percent = (row.tally.noticed() * 100)
            .checked_div(planted)
            .unwrap_or(0);
        write!(text, " {percent} % | {not_reached} |").expect("a string can be written to");
    }
    text.push_str("\n\n## Survivors\n\nWhy nobody notices them, by kind, as far as those say that were looked at.\n\n");
    for row in rows.iter().filter(|row| !row.tally.survivors.is_empty()) {
        let count = row.tally.survivors.len();
        let reason = if row.reason.is_empty() {
            "not explained yet."
        } else {
            row.reason
        };
        writeln!(text, "- {}, {}: {count}. {reason}", row.stage, row.kind)
            .expect("a string can be written to");
    }
    text
}
