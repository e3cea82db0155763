//! Each stage has its faults, and each kind of damage changes code where it finds a place.

use fastrand::Rng;
use std::collections::BTreeSet;

use super::{Act, Damage, Fault, KINDS, Kind, Muddle, Place};
use crate::ir::residual::Function;
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
                let found = !damage.plant(&mut broken, Place(nth)).places.is_empty();
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

fn parsed(text: &str) -> Function {
    crate::text::parse(text).expect("the test's function parses")
}

/// Nobody can notice that a store is missing if the next one overwrites its place.
#[test]
fn an_overwritten_store_is_no_place() {
    let dropped = |second: &str| {
        let mut function = parsed(&format!(
            "function(i32, i64) -> i64 {{
bb0(v0: i32, v1: i64):
    v2: i64 = i64.const 1
    i64.store offset=8 v0, v2
    {second}
    i64.store offset=8 v0, v1
    return v1
}}
"
        ));
        Damage::DroppedStore.plant(&mut function, Place(0));
        function.to_string().contains("store offset=8 v0, v1")
    };
    assert!(!dropped(""), "the second store is the first place");
    assert!(
        !dropped("v3: i64 = i64.mul v1, v1"),
        "nobody looks in between"
    );
    assert!(dropped("v3: i64 = i64.load offset=8 v0"), "it is read");
    assert!(dropped("v3: i64 = call fn0 v0, v1"), "a call may read it");
}

/// A function with the first fault of a kind behind a stage.
fn planted(stage: &'static str, damage: Damage, act: Act, text: &str) -> String {
    let mut function = parsed(text);
    let fault = Fault {
        kind: Kind::Code(stage, damage),
        nth: 0,
        request: 0,
        act,
    };
    fault.plant(stage, &mut function);
    function.to_string()
}

/// The argument swap on the first edge that has two arguments, as a trap.
fn trapped(act: Act, text: &str) -> String {
    planted("evaluation", Damage::JoinArguments, act, text)
}

/// A trap in the place of a wrong edge is on that edge alone.
#[test]
fn an_edge_traps_alone() {
    let text = trapped(
        Act::Trap,
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i64 = i64.const 1
    branch v0 ? bb1(v1, v2) : bb1(v2, v2)
bb1(v3: i64, v4: i64):
    return v3
}
",
    );
    assert!(text.contains("branch v0 ? bb2() : bb1(v2, v2)"), "{text}");
    let edge = "bb2():
    v5: i32 = i32.const -8
    v6: i32 = i64.ne v1, v2
    v7: i32 = i32.const 0
    v8: i32 = select v5, v7, v6
    i32.store offset=64 v8, v8
    jump bb1(v1, v2)";
    assert!(text.contains(edge), "{text}");
}

/// Readers are found behind the blocks that only hand a value on.
#[test]
fn readers_trap() {
    let text = trapped(
        Act::TrapReaders,
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i64 = i64.const 1
    branch v0 ? bb1(v1, v2) : bb2()
bb1(v3: i64, v4: i64):
    jump bb3(v4)
bb2():
    return v1
bb3(v5: i64):
    return v5
}
",
    );
    let reader = "v12: i32 = i32.load offset=64 v11
    i32.store offset=68 v12, v11
    return v5";
    assert!(text.contains(reader), "{text}");
    assert_eq!(text.matches("i32.store offset=68").count(), 1, "{text}");
    assert_eq!(text.matches("i32.store offset=64").count(), 1, "{text}");
}

/// A missing store is wrong only where memory holds another value.
#[test]
fn a_store_traps_where_it_changes_memory() {
    let text = planted(
        "evaluation",
        Damage::DroppedStore,
        Act::Trap,
        "function(i32, f64) -> f64 {
bb0(v0: i32, v1: f64):
    f64.store offset=8 v0, v1
    return v1
}
",
    );
    let place = "v3: f64 = f64.load offset=8 v0
    v4: i64 = i64.reinterpret_f64 v1
    v5: i64 = i64.reinterpret_f64 v3
    v6: i32 = i64.ne v4, v5
    v7: i32 = i32.const 0
    v8: i32 = select v2, v7, v6
    i32.store offset=64 v8, v8
    f64.store offset=8 v0, v1";
    assert!(text.contains(place), "{text}");
}

/// Of what is only branched on, nothing is wrong but another way.
#[test]
fn a_condition_traps_where_it_decides_otherwise() {
    let text = planted(
        "peephole",
        Damage::WrongOperator,
        Act::Trap,
        "function(i32) -> i32 {
bb0(v0: i32):
    v1: i32 = i32.const 7
    v2: i32 = i32.and v0, v1
    branch v2 ? bb1() : bb2()
bb1():
    return v0
bb2():
    return v1
}
",
    );
    let place = "v4: i32 = i32.or v0, v1
    v5: i32 = i32.eqz v2
    v6: i32 = i32.eqz v4
    v7: i32 = i32.ne v5, v6";
    assert!(text.contains(place), "{text}");
}

/// Whoever reads what a missing store would have written finds another value.
#[test]
fn a_store_writes_another_value() {
    let text = planted(
        "evaluation",
        Damage::DroppedStore,
        Act::StoreOther,
        "function(i32, f64) -> f64 {
bb0(v0: i32, v1: f64):
    f64.store offset=8 v0, v1
    return v1
}
",
    );
    let place = "v2: i64 = i64.reinterpret_f64 v1
    v3: i64 = i64.const -1
    v4: i64 = i64.xor v2, v3
    v5: f64 = f64.reinterpret_i64 v4
    f64.store offset=8 v0, v5
    return v1";
    assert!(text.contains(place), "{text}");
}

/// A block that reads a wrong value looks at the flag behind the place that makes it as well.
#[test]
fn a_reader_in_the_same_block_traps() {
    let text = planted(
        "numbering",
        Damage::MergedLoads,
        Act::TrapReaders,
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i64 = i64.load v0
    v3: i64 = i64.load offset=8 v0
    return v3
}
",
    );
    let (set, read) = ("i32.store offset=64", "i32.store offset=68");
    assert!(text.find(set) < text.rfind(read), "{text}");
    let load = "v3: i64 = i64.load offset=8";
    assert!(text.find(load) < text.find(set), "{text}");
}

/// Boxes that are made one after the other may be made in any order.
#[test]
fn boxes_in_a_row_are_no_place() {
    let places = |second: &str| {
        let function = parsed(&format!(
            "function(i32, i32) -> i32 {{
bb0(v0: i32, v1: i32):
    v2: i32 = i32.load v0
    branch v2 ? bb4() : bb1()
bb1():
    v3: i32 = i32.const 16
    v4: i32 = i32.add v1, v3
    i32.store offset=8 v0, v4
    v5: i32 = i32.load offset=4 v0
    branch v5 ? bb4() : bb2()
bb2():
    v6: i32 = i32.const 32
    v7: i32 = i32.add v1, v6
    i32.store offset={second} v0, v7
    v8: i32 = i32.load offset=4 v0
    branch v8 ? bb4() : bb3()
bb3():
    return v1
bb4():
    unreachable
}}
"
        ));
        let fault = |nth| Fault {
            kind: Kind::Plan(Muddle::BlockOrder),
            nth,
            request: 0,
            act: Act::Break,
        };
        let sound = crate::lower::plan(&function).steps;
        let is_place = |nth: &usize| fault(*nth).plan(&function).1.steps != sound;
        (0..8).filter(is_place).count()
    };
    assert_eq!(places("8") + 1, places("16"));
}
