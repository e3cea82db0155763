//! A fixed small part of `make mutants`: no kind of wrong code goes unnoticed.

use std::sync::LazyLock;

use anyhow::Result;
use bactrian_tests::mutants::corpus::Case;
use bactrian_tests::mutants::known::Bodies;
use bactrian_tests::mutants::{corpus, judge, stale, survey};
use specializer::fault::{Act, Fault, KINDS};
use wasmtime::Engine;

/// Random modules of each sort.
const MODULES: u64 = 10;

/// Mutants of each kind.
const MUTANTS: usize = 4;

static ENGINE: LazyLock<Engine> = LazyLock::new(corpus::engine);

static CASES: LazyLock<Vec<Case>> =
    LazyLock::new(|| corpus::cases(&ENGINE, MODULES).expect("sound code does what it has to"));

#[test]
fn each_kind_is_noticed() -> Result<()> {
    let (mut planted, mut noticed) = (0, 0);
    let tallies =
        survey::in_parallel(KINDS, |kind| survey::survey(&ENGINE, &CASES, kind, MUTANTS))?;
    for (kind, tally) in KINDS.iter().zip(tallies) {
        assert!(tally.noticed() > 0, "{kind:?}: {:?}", tally.survivors);
        planted += tally.planted;
        noticed += tally.noticed();
    }
    assert!(noticed * 100 >= planted * 95, "{noticed} of {planted}");
    Ok(())
}

#[test]
fn stale_bodies_are_noticed() -> Result<()> {
    let tally = stale::survey(&ENGINE, &CASES, MUTANTS)?;
    assert_eq!(tally.noticed(), MUTANTS, "{:?}", tally.survivors);
    Ok(())
}

/// Functions of the sound module stand in for those without the fault, and for no other.
#[test]
fn what_is_known_changes_no_mutant() -> Result<()> {
    let nothing = Bodies::default();
    let several: Vec<&Case> = CASES.iter().filter(|case| case.requests > 1).collect();
    let mut recalled = 0;
    for (&kind, case) in KINDS.iter().zip(several.iter().cycle()) {
        for act in [Act::Break, Act::Trap] {
            let fault = Fault {
                kind,
                nth: 0,
                request: 0,
                act,
            };
            let made = judge::plant(case, fault)?;
            let anew = judge::plant_beside(&nothing, case, fault)?;
            assert_eq!(made, anew, "{}: {kind:?}", case.name);
            recalled += usize::from(made.is_ok_and(|made| made != case.sound));
        }
    }
    assert!(recalled > 0, "no mutant was made");
    Ok(())
}
