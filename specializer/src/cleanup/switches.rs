//! Turns a switch of few cases into a row of branches, which a processor decides sooner than a jump
//! through a table, and predicts by itself.
//!
//! Cases that lead where the default does are none: compilers of C make one switch of a chain of
//! tests, such as for the tags of two kinds of numbers among twenty.

use smallvec::{SmallVec, smallvec};

use crate::ir::Type;
use crate::ir::residual::{Block, BlockData, Function, Inst, Target, Terminator, Value};
use crate::op::{Const, Op};

/// Most cases of such a row, the default excepted.
const MOST: usize = 4;

pub fn run(function: &mut Function) {
    for block in function.blocks.keys() {
        let term = std::mem::replace(&mut function.blocks[block].term, Terminator::Unreachable);
        match term {
            Terminator::Switch {
                index,
                targets,
                default,
            } => match cases(&targets, &default) {
                Some(cases) => branches(function, block, index, cases, default),
                None => {
                    function.blocks[block].term = Terminator::Switch {
                        index,
                        targets,
                        default,
                    }
                }
            },
            term => function.blocks[block].term = term,
        }
    }
}

/// The cases that do not lead where the default does, if they are few.
fn cases(targets: &[Target], default: &Target) -> Option<SmallVec<[(i32, Target); MOST]>> {
    let all = (0..).zip(targets);
    let mut others = all.filter(|(_, target)| *target != default);
    let few = others.by_ref().take(MOST);
    let few: SmallVec<_> = few.map(|(case, target)| (case, target.clone())).collect();
    (!few.is_empty() && others.next().is_none()).then_some(few)
}

/// Ends `block` with branches to the target of the case that `index` is, or else to `default`.
fn branches(
    function: &mut Function,
    mut block: Block,
    index: Value,
    cases: SmallVec<[(i32, Target); MOST]>,
    default: Target,
) {
    let mut left = cases.len();
    let mut default = Some(default);
    for (case, target) in cases {
        left -= 1;
        let other = match left {
            0 => default.take().expect("one case is the last"),
            _ => Target {
                block: function.blocks.push(BlockData {
                    params: Vec::new(),
                    insts: Vec::new(),
                    term: Terminator::Unreachable,
                }),
                args: smallvec![],
            },
        };
        let next = other.block;
        function.blocks[block].term = match case {
            0 => Terminator::Branch {
                cond: index,
                then: other,
                otherwise: target,
            },
            _ => Terminator::Branch {
                cond: equals(function, block, index, case),
                then: target,
                otherwise: other,
            },
        };
        block = next;
    }
}

/// Whether `index` is `case`, computed in `block`.
fn equals(function: &mut Function, block: Block, index: Value, case: i32) -> Value {
    let [constant, equal] = [(); 2].map(|()| function.new_value(Type::I32));
    function.blocks[block].insts.extend([
        Inst {
            op: Op::Const(Const::I32(case)),
            args: smallvec![],
            result: Some(constant),
        },
        Inst {
            op: Op::I32Eq,
            args: smallvec![index, constant],
            result: Some(equal),
        },
    ]);
    equal
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
        assert!(check("bb1(), bb2(), bb3(), bb1(), bb2()").contains("switch"));
    }

    #[test]
    fn cases_that_lead_where_the_default_does_are_none() {
        let rest = "bb4(v0), ".repeat(15);
        assert!(!check(&format!("bb1(), {rest}bb2()")).contains("switch"));
        assert!(!check(&format!("bb4(v0), bb1(), {rest}bb2()")).contains("switch"));
        assert!(check(&format!("bb4(v0), {rest}bb4(v0)")).contains("switch"));
    }
}
