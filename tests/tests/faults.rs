//! Lockstep notices miscompilations: residual code is broken on purpose, in each of five ways, and
//! the comparison must stop. Without a fault it must not.
//!
//! A place for a fault may lie on a path that the program never takes; so places are tried, in the
//! program's own functions, until one is caught. A kind that is never caught fails the test.
//! `make mutants` plants the other kinds, and counts.

use std::sync::LazyLock;

use anyhow::Result;
use bactrian_tests::mutants::lockstep::{Answer, Bench, Verdict};
use bactrian_tests::scratch;
use specializer::fault::{Damage, Kind};

/// One for both tests: compiled twice at once into one directory, the program would get into its
/// own way.
static BENCH: LazyLock<Bench> = LazyLock::new(|| {
    let directory = scratch(env!("CARGO_TARGET_TMPDIR"), "faults").expect("it can be made");
    Bench::new(&directory).expect("the program can be compiled and specialized")
});

#[test]
fn sound_code_agrees() -> Result<()> {
    match BENCH.verdict(&BENCH.sound)? {
        Verdict::Agree { events, end } => {
            assert!(events > 100, "only {events} events were compared");
            assert_eq!(end.exit.status(), 0);
            Ok(())
        }
        Verdict::Diverged(divergence) => panic!("{divergence}"),
    }
}

#[test]
fn each_kind_of_fault_is_caught() -> Result<()> {
    let damages = [
        Damage::Constant,
        Damage::SwappedEdge,
        Damage::DroppedStore,
        Damage::MissingSync,
        Damage::StaleCell,
    ];
    for damage in damages {
        let kind = Kind::Code("evaluation", damage);
        let report = caught(kind)?.unwrap_or_else(|| panic!("{kind:?} was never caught"));
        println!("{kind:?}: {report}");
    }
    Ok(())
}

/// The report of the first fault of this kind that is caught.
fn caught(kind: Kind) -> Result<Option<String>> {
    for fault in BENCH.faults(kind) {
        if let Answer::Noticed(report) = BENCH.with(fault)? {
            return Ok(Some(report));
        }
    }
    Ok(None)
}
