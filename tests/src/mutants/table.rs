//! The result of a survey as a document.

use super::judge::Net;
use super::lockstep::Score;
use super::survey::Tally;
use specializer::fault::Kind;

/// A kind of mutants, what became of them, and what lockstep says of some.
pub struct Row {
    pub stage: &'static str,
    pub kind: String,
    pub tally: Tally,
    /// Absent where lockstep is not asked.
    pub lockstep: Option<Score>,
}

/// The stage and the name of the kind that is planted in the store.
pub const STALE_BODY: (&str, &str) = ("cache", "StaleBody");

/// The stage and the name of a kind.
pub fn names(kind: Kind) -> (&'static str, String) {
    match kind {
        Kind::Code(stage, damage) => (stage, format!("{damage:?}")),
        Kind::Plan(muddle) => ("lowering", format!("{muddle:?}")),
        Kind::Link(mismatch) => ("linking", format!("{mismatch:?}")),
    }
}

const HEAD: &str = "# Mutants

`make mutants` writes this page: wrong residual code is planted behind each stage of the
specializer, and the table says who notices. `specializer/src/fault.rs` says how each kind is wrong.
The code is that of the modules of `tests/golden` and of random annotated modules
(`tests/src/annotated`), which report all that they do. The command fails if less than 95 in 100 of
a kind are noticed; `tests/tests/mutants.rs` does a small part of it in `make test`.

- planted: wrong code that runs, and of which nothing proves that it does the same.
- The first who notices is counted: what the specializer asserts of itself, its verifier, the
  validator of WebAssembly, the calls of a golden, the calls of a random module, the checks of the
  store. A call is compared with generic code: result, reports, and memory but for dead cells.
- equal: not counted as planted, as Cranelift with all of its optimisations makes the same machine
  code of the sound and of the wrong module (`tests/src/mutants/equal.rs`).
- not reached: not counted as planted, as a trap changes no call either, be it in the place of the
  wrong code or where, after it has run, the wrong value is read. Where a value is taken for
  another, an operator for another, or a store or a write to a local is missing, the trap compares:
  it stops a call only if that gives something else there, or another way where it is only branched
  on (`specializer/src/fault/traps.rs`, `tests/src/mutants/lost.rs`). Nor is a missing store reached
  if one of another value changes no call: then nobody reads it. A random module has 224 calls.
- lockstep: of so many faults in code that runs of `tests/fixtures/faults.ml`, a program in OCaml,
  lockstep with a collection at each safepoint noticed so many. What the specializer or the
  validator refuses never gets that far.

";

const SURVIVORS: &str = "
## Survivors

Those planted that nobody noticed: the code of the linked module without the fault, and with it. All
of them end each call with the same result, the same reports and the same memory but for dead cells.
Where the wrong code leaves something else in these, or a box at another address, that is the
reason. Where nothing differs, the wrong value or the wrong way is as good as the right one in each
of the calls, although Cranelift cannot tell: another value leads to the same decision, is masked
out, or is kept as the address of a box with the same contents.

";

const LOCKSTEP: &str = "
## Unnoticed by lockstep

Those of the last column that lockstep did not notice. A kind of which none could be planted there
is refused before, or the program has no place for it: lockstep's code has no virtual boxes. What a
run of one program cannot show: a wrong limit of the stack, or a cell that memory lacks, at an entry
where nothing waits for a safepoint; a cell that is not read again where no collection moves its
block (the closure of a function that has long been in the major heap); two values that are the same
in this program. The random modules above show these.

";

/// The document.
pub fn document(rows: &[Row]) -> String {
    let mut text = HEAD.to_owned();
    text.push_str(&table(rows));
    text.push_str(SURVIVORS);
    text.push_str("| stage | kind | module and place | change | reason |\n");
    text.push_str("| --- | --- | --- | --- | --- |\n");
    for row in rows {
        for survivor in &row.tally.survivors {
            let cells = [
                row.stage,
                &row.kind,
                &survivor.place,
                &survivor.change,
                match survivor.differs_in_dead_memory {
                    true => "only dead memory differs",
                    false => "nothing differs after any call",
                },
            ];
            text.push_str(&line(&cells));
        }
    }
    text.push_str(LOCKSTEP);
    text.push_str("| stage | kind | place | change |\n| --- | --- | --- | --- |\n");
    for row in rows {
        for unnoticed in row.lockstep.iter().flat_map(|score| &score.unnoticed) {
            let cells = [row.stage, &row.kind, &unnoticed.place, &unnoticed.change];
            text.push_str(&line(&cells));
        }
    }
    text
}

/// Who noticed how many of each kind.
fn table(rows: &[Row]) -> String {
    let mut head = vec!["stage", "kind", "planted"];
    head.extend(Net::ALL.map(Net::name));
    head.extend(["noticed", "equal", "not reached", "lockstep"]);
    let mut text = line(&head);
    text.push_str("| --- | --- |");
    text.push_str(&" ---: |".repeat(head.len() - 2));
    text.push('\n');
    for row in rows {
        let tally = &row.tally;
        let mut cells = vec![
            row.stage.to_owned(),
            row.kind.clone(),
            tally.planted.to_string(),
        ];
        cells.extend(Net::ALL.map(|net| match tally.noticed.get(&net) {
            Some(count) => count.to_string(),
            None => String::new(),
        }));
        let percent = (tally.noticed() * 100).checked_div(tally.planted);
        cells.push(percent.map_or(String::new(), |percent| format!("{percent} %")));
        cells.push(tally.equal.to_string());
        cells.push(tally.not_reached.to_string());
        cells.push(match &row.lockstep {
            Some(score) => format!("{} of {}", score.noticed, score.planted()),
            None => String::new(),
        });
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        text.push_str(&line(&cells));
    }
    text
}

fn line(cells: &[&str]) -> String {
    format!("| {} |\n", cells.join(" | "))
}
