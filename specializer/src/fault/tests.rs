//! Each stage has its faults, and each kind of damage changes code where it finds a place.

use fastrand::Rng;
use std::collections::BTreeSet;

use super::{Damage, KINDS, Kind, Place};
use crate::random;

#[test]
fn each_stage_that_is_verified_has_a_kind() {
    let stages: BTreeSet<&str> = KINDS
        .iter()
        .filter_map(|kind| match kind {
            Kind::Code(stage, _) => Some(*stage),
            Kind::Plan(_) | Kind::Link(_) => None,
        })
        .collect();
    let passes = crate::cleanup::PASSES.iter().map(|pass| pass.name);
    assert_eq!(stages, passes.chain(["evaluation"]).collect());
}

#[test]
fn kinds_differ() {
    for (index, kind) in KINDS.iter().enumerate() {
        assert!(!KINDS[..index].contains(kind), "{kind:?} is there twice");
    }
}

/// In random functions, where a fault finds a place the function changes; where it finds none it
/// does not.
#[test]
fn places_are_counted_to_the_end() {
    let damages = KINDS.iter().filter_map(|kind| match kind {
        Kind::Code(_, damage) => Some(*damage),
        Kind::Plan(_) | Kind::Link(_) => None,
    });
    let damages: Vec<Damage> = damages.collect();
    let mut planted = BTreeSet::new();
    for seed in 0..60 {
        let function = random::function(&mut Rng::with_seed(seed), 12);
        let before = function.to_string();
        for damage in &damages {
            for nth in 0..3 {
                let mut broken = function.clone();
                let found = !damage.plant(&mut broken, Place(nth)).is_empty();
                assert_eq!(
                    found,
                    broken.to_string() != before,
                    "{damage:?} {nth} in {before}"
                );
                if !found {
                    break;
                }
                planted.insert(format!("{damage:?}"));
            }
        }
    }
    // Random functions have no cells: see `make mutants`.
    for damage in [Damage::StaleCell, Damage::MissingSync, Damage::WrongCell] {
        planted.insert(format!("{damage:?}"));
    }
    let all = damages.iter().map(|damage| format!("{damage:?}"));
    assert_eq!(planted, all.collect());
}
