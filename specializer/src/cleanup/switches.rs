//! Turns a switch of few cases into a row of branches, which a processor decides sooner than a jump
//! through a table, and predicts by itself.
//!
//! Neighbours that lead to one place are one case, and where most cases lead needs no test: a match
//! that names two constructors among twenty is two branches, in whatever order they are declared.
//! So is a chain of tests of which a compiler of C made a switch.

use super::constants::Constants;
use crate::ir::Type;
use crate::ir::residual::{Block, BlockData, Function, Target, Terminator, Value};
use crate::op::{Const, Op};

/// Most tests of such a row.
const MOST: usize = 4;

/// Indices that are neighbours and lead to one place.
struct Case {
    low: u32,
    /// The last one; absent where it is the greatest there is.
    high: Option<u32>,
    target: Target,
}

/// Constants are in the entry block.
pub fn run(function: &mut Function) {
    let mut constants = None;
    for block in function.blocks.keys() {
        if let Terminator::Switch {
            index,
            targets,
            default,
        } = &function.blocks[block].term
            && let Some((tests, rest)) = row(targets, default)
        {
            let index = *index;
            let constants = constants.get_or_insert_with(|| Constants::of(function));
            branches(function, constants, block, index, tests, rest);
        }
    }
    if let Some(constants) = constants {
        constants.place(function);
    }
}

/// The cases to test for, and where all others lead, if few tests do.
fn row(targets: &[Target], default: &Target) -> Option<(Vec<Case>, Target)> {
    let mut cases = cases(targets, default)?;
    let count = |target: &Target| cases.iter().filter(|case| case.target == *target).count();
    let rest = cases
        .iter()
        .map(|case| &case.target)
        .max_by_key(|target| count(target));
    let rest = rest.expect("there is the default").clone();
    cases.retain(|case| case.target != rest);
    (cases.len() <= MOST).then_some((cases, rest))
}

/// All cases in order, the last one without end; none if even half of them are too many.
fn cases(targets: &[Target], default: &Target) -> Option<Vec<Case>> {
    let mut cases: Vec<Case> = Vec::new();
    for (index, target) in (0..).zip(targets.iter().chain([default])) {
        if let Some(case) = cases.last_mut()
            && case.target == *target
        {
            case.high = Some(index);
            continue;
        }
        if cases.len() > 2 * MOST {
            return None;
        }
        cases.push(Case {
            low: index,
            high: Some(index),
            target: target.clone(),
        });
    }
    cases.last_mut()?.high = None;
    Some(cases)
}

/// Ends `block` with branches to the target of the case in which `index` is, or else to `rest`.
fn branches(
    function: &mut Function,
    constants: &mut Constants,
    block: Block,
    index: Value,
    tests: Vec<Case>,
    rest: Target,
) {
    if tests.is_empty() {
        function.blocks[block].term = Terminator::Jump(rest);
        return;
    }
    let mut other = rest;
    for (number, case) in tests.into_iter().enumerate().rev() {
        let here = match number {
            0 => block,
            _ => function.blocks.push(BlockData::empty()),
        };
        function.blocks[here].term = match (case.low, case.high) {
            (0, Some(0)) => Terminator::Branch {
                cond: index,
                then: other,
                otherwise: case.target,
            },
            _ => Terminator::Branch {
                cond: is_in(function, constants, here, index, &case),
                then: case.target,
                otherwise: other,
            },
        };
        other = Target::new(here, []);
    }
}

/// Whether `index` is in `case`, computed in `block`.
fn is_in(
    function: &mut Function,
    constants: &mut Constants,
    block: Block,
    index: Value,
    case: &Case,
) -> Value {
    let mut compute = |op, left: Value, right: u32| {
        let right = constants.value(function, Const::I32(right as i32));
        function.append(block, op, &[left, right], Type::I32)
    };
    match case.high {
        None => compute(Op::I32GeU, index, case.low),
        Some(high) if high == case.low => compute(Op::I32Eq, index, high),
        Some(high) => {
            let above = match case.low {
                0 => index,
                low => compute(Op::I32Sub, index, low),
            };
            compute(Op::I32LeU, above, high - case.low)
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::exec::{self, NoHost, State};
    use crate::ir::Residual;
    use crate::text;

    /// Runs a switch over `targets` with the default bb4 before and after; gives its text.
    fn check(targets: &str) -> String {
        let input = format!(
            "function(i32) -> i32 {{\nbb0(v0: i32):\n    switch v0 [{targets}] default bb4(v0)\n\
             bb1():\n    v1: i32 = i32.const 100\n    return v1\n\
             bb2():\n    v2: i32 = i32.const 200\n    return v2\n\
             bb3():\n    v3: i32 = i32.const 300\n    return v3\n\
             bb4(v4: i32):\n    return v4\n}}\n"
        );
        let plain = text::parse::<Residual>(&input).expect("it parses");
        let mut function = plain.clone();
        super::run(&mut function);
        for index in [0, 1, 2, 3, 7, 16, 17, -1] {
            let results = [&plain, &function].map(|function| {
                let arguments = [crate::op::Const::I32(index)];
                let mut state = State::new(0, vec![], 100);
                exec::run(function, &arguments, &mut state, &mut NoHost)
            });
            assert_eq!(results[0], results[1], "{index}: {function}");
        }
        function.to_string()
    }

    #[test]
    fn few_cases_are_a_row_of_branches() {
        for targets in ["bb1()", "bb1(), bb2()", "bb1(), bb2(), bb3(), bb1()"] {
            assert!(!check(targets).contains("switch"), "{targets}");
        }
        let six = "bb1(), bb2(), bb3(), bb1(), bb2(), bb3()";
        assert!(check(six).contains("switch"));
    }

    #[test]
    fn cases_that_lead_where_the_default_does_are_none() {
        let rest = "bb4(v0), ".repeat(15);
        assert!(!check(&format!("bb1(), {rest}bb2()")).contains("switch"));
        assert!(!check(&format!("bb4(v0), bb1(), {rest}bb2()")).contains("switch"));
        assert!(!check(&format!("bb4(v0), {rest}bb4(v0)")).contains("branch"));
    }

    #[test]
    fn neighbours_that_lead_to_one_place_are_one_case() {
        let [ones, twos] = ["bb1(), ", "bb2(), "].map(|target| target.repeat(7));
        for targets in [
            format!("{ones}{twos}bb3()"),
            format!("bb3(), {ones}bb4(v0), {twos}bb1()"),
            format!("{ones}bb2(), {ones}bb3(), {ones}bb2(), {ones}bb1()"),
        ] {
            assert!(!check(&targets).contains("switch"), "{targets}");
        }
    }
}
