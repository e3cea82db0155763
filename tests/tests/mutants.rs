//! A fixed small part of `make mutants`: no kind of wrong code goes unnoticed.

use anyhow::Result;
use bactrian_tests::mutants::{corpus, stale, survey};
use specializer::fault::KINDS;

/// Random modules of each sort.
const MODULES: u64 = 10;

/// Mutants of each kind.
const MUTANTS: usize = 4;

#[test]
fn each_kind_is_noticed() -> Result<()> {
    let engine = corpus::engine();
    let cases = corpus::cases(&engine, MODULES)?;
    let (mut planted, mut noticed) = (0, 0);
    let tallies =
        survey::in_parallel(KINDS, |kind| survey::survey(&engine, &cases, kind, MUTANTS))?;
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
    let engine = corpus::engine();
    let cases = corpus::cases(&engine, 2)?;
    let tally = stale::survey(&engine, &cases, MUTANTS)?;
    assert_eq!(tally.noticed(), MUTANTS, "{:?}", tally.survivors);
    Ok(())
}
