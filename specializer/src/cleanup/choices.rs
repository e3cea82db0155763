//! Branches in place of values that are tested at once.
//!
//! A truth value is a choice of two constants, by a condition. Where an edge brings one to a block
//! that tests it, the edge becomes a branch on the condition, whose edges lead to where that block
//! leads: the value is neither made nor tested. So it is with `if a || b then c`, where an
//! interpreter's own compiler makes the value of `a || b`, and with what a call in place returns
//! where it may be another function that is called. On an edge that a branch takes, its own
//! condition is known.
//!
//! What follows belongs to [`super::threads`], which runs next: edges that bring constants.
//!
//! Leaves out: choices of more than two constants, and blocks whose values others use, once these
//! are no parameters any more.

use smallvec::SmallVec;

use super::constants::{self, ByValue, Constants};
use super::threads::{self, Forwarding};
use crate::dominators::Order;
use crate::index::Map;
use crate::ir::residual::{Block, BlockData, Function, Inst, Target, Terminator, Value};
use crate::op::compare::is_comparison;
use crate::op::{Const, Op};

/// Most conditions by which an edge brings choices that are looked at.
const MOST_CONDITIONS: usize = 32;

pub fn run(function: &mut Function) {
    let constants = constants::by_value(function);
    let order = Order::new(function);
    let choices = Choices::of(function, &order, &constants);
    if choices.are_none {
        return;
    }
    let mut pass = Pass {
        forwarding: Forwarding::of(function, &order),
        choices,
        constants,
        known: Constants::of(function),
    };
    for block in function.blocks.keys().collect::<Vec<_>>() {
        pass.block(function, block);
    }
    pass.known.place(function);
}

/// One constant or the other: the first where the condition, 0 or 1 or any other number, is not 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Choice {
    cond: Value,
    constants: [Const; 2],
}

impl Choice {
    fn taken(self, truth: bool) -> Const {
        self.constants[usize::from(!truth)]
    }
}

/// By value, the choice that it is.
struct Choices {
    of: Map<Value, Option<Choice>>,
    are_none: bool,
}

impl Choices {
    fn of(function: &Function, order: &Order, constants: &ByValue) -> Self {
        let mut choices = Self {
            of: Map::filled_like(&function.types, None),
            are_none: true,
        };
        for &block in &order.blocks {
            for inst in &function.blocks[block].insts {
                if let Some(result) = inst.result
                    && let Some(choice) = choices.made_by(inst, constants)
                {
                    choices.of[result] = Some(choice);
                    choices.are_none = false;
                }
            }
        }
        choices
    }

    /// The choice that an instruction makes of a condition, or of another choice and constants.
    fn made_by(&self, inst: &Inst, constants: &ByValue) -> Option<Choice> {
        if let (Op::Select, &[left, right, cond]) = (inst.op, &inst.args[..])
            && let (Some(left), Some(right)) = (constants[left], constants[right])
        {
            let made = |condition: Choice| Choice {
                cond: condition.cond,
                constants: condition
                    .constants
                    .map(|taken| if taken.bits() == 0 { right } else { left }),
            };
            let plain = Choice {
                cond,
                constants: [left, right],
            };
            return Some(self.of[cond].map_or(plain, made));
        }
        let Op::Plain(_) = inst.op else { return None };
        self.made_of_choice(inst, constants).or_else(|| {
            is_comparison(inst.op).then(|| Choice {
                cond: inst.result.expect("a comparison has a result"),
                constants: [Const::I32(1), Const::I32(0)],
            })
        })
    }

    /// The choice that an operator makes of another one and constants.
    fn made_of_choice(&self, inst: &Inst, constants: &ByValue) -> Option<Choice> {
        let choice = inst.args.iter().find_map(|&arg| self.of[arg])?;
        let given = |truth: bool| {
            let args: Option<SmallVec<[Const; 3]>> = inst
                .args
                .iter()
                .map(|&arg| match self.of[arg] {
                    Some(other) => (other.cond == choice.cond).then(|| other.taken(truth)),
                    None => constants[arg],
                })
                .collect();
            inst.op.fold(&args?)
        };
        Some(Choice {
            cond: choice.cond,
            constants: [given(true)?, given(false)?],
        })
    }

    /// The choice that a value is; one that the pass has made is none.
    fn get(&self, value: Value) -> Option<Choice> {
        self.of.get(value).copied().flatten()
    }

    /// What is known of a condition where `value` is 0 or is not.
    fn decided(&self, value: Value, truth: bool) -> (Value, bool) {
        match self.of[value] {
            Some(choice) => match choice.constants.map(|constant| constant.bits() != 0) {
                [true, false] => (choice.cond, truth),
                [false, true] => (choice.cond, !truth),
                _ => (value, truth),
            },
            None => (value, truth),
        }
    }
}

struct Pass {
    forwarding: Forwarding,
    choices: Choices,
    constants: ByValue,
    known: Constants,
}

impl Pass {
    fn block(&mut self, function: &mut Function, block: Block) {
        let mut term = std::mem::replace(&mut function.blocks[block].term, Terminator::Unreachable);
        if let Terminator::Branch {
            cond,
            then,
            otherwise,
        } = &mut term
        {
            for (target, truth) in [(then, true), (otherwise, false)] {
                let (cond, truth) = self.choices.decided(*cond, truth);
                *target = self.under(function, target, cond, truth);
            }
        }
        if let Terminator::Jump(target) = &term {
            if let Some(branch) = self.branch(function, target) {
                term = branch;
            }
        } else {
            for target in term.targets_mut() {
                if let Some(term) = self.branch(function, target) {
                    let block = function.blocks.push(BlockData {
                        term,
                        ..BlockData::empty()
                    });
                    *target = Target::new(block, []);
                }
            }
        }
        function.blocks[block].term = term;
    }

    /// The branch that an edge can be, as each way is certain from there on.
    fn branch(&mut self, function: &mut Function, target: &Target) -> Option<Terminator> {
        if !self.forwarding.can_pass(target.block) {
            return None;
        }
        let mut conds = SmallVec::<[Value; 2]>::new();
        for &arg in &target.args {
            if let Some(choice) = self.choices.get(arg)
                && conds.len() < MOST_CONDITIONS
                && !conds.contains(&choice.cond)
            {
                conds.push(choice.cond);
            }
        }
        conds.into_iter().find_map(|cond| {
            let then = self.under(function, target, cond, true);
            let otherwise = self.under(function, target, cond, false);
            let is_certain =
                |way| threads::is_decided(function, &self.forwarding, &self.constants, way);
            (is_certain(&then) && is_certain(&otherwise)).then_some(Terminator::Branch {
                cond,
                then,
                otherwise,
            })
        })
    }

    /// An edge on which a condition is not 0, or is 0: the choices that it brings are constants.
    fn under(
        &mut self,
        function: &mut Function,
        target: &Target,
        cond: Value,
        truth: bool,
    ) -> Target {
        let mut target = target.clone();
        for arg in &mut target.args {
            if let Some(choice) = self.choices.get(*arg)
                && choice.cond == cond
            {
                let constant = choice.taken(truth);
                *arg = self.known.value(function, constant);
                while self.constants.len() <= arg.index() {
                    self.constants.push(None);
                }
                self.constants[*arg] = Some(constant);
            }
        }
        target
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::cleanup::tests::check_pass;
    use crate::cleanup::threads;

    /// With the pass that the choices are made for.
    fn check(text: &str, expect: Expect) {
        check_pass(
            |function, _| {
                super::run(function);
                threads::run(function);
            },
            text,
            expect,
        );
    }

    #[test]
    fn a_disjunction_that_is_tested_is_two_branches() {
        check(
            "function(i64, f64, f64) -> i64 {
bb0(v0: i64, v1: f64, v2: f64):
    v3: i64 = i64.const 1
    v4: i64 = i64.const 3
    v5: i32 = f64.lt v1, v2
    v6: i64 = select v4, v3, v5
    v7: i32 = i64.ne v6, v3
    branch v7 ? bb2(v0, v6) : bb1()
bb1():
    v8: i32 = f64.gt v1, v2
    v9: i64 = select v4, v3, v8
    jump bb2(v0, v9)
bb2(v10: i64, v11: i64):
    v12: i32 = i64.ne v11, v3
    branch v12 ? bb3(v10) : bb4()
bb3(v13: i64):
    return v13
bb4():
    return v3
}
",
            expect![[r#"
                function(i64, f64, f64) -> i64 {
                bb0(v0: i64, v1: f64, v2: f64):
                    v3: i64 = i64.const 1
                    v4: i64 = i64.const 3
                    v5: i32 = f64.lt v1, v2
                    v6: i64 = select v4, v3, v5
                    v7: i32 = i64.ne v6, v3
                    branch v7 ? bb3(v0) : bb1()
                bb1():
                    v8: i32 = f64.gt v1, v2
                    v9: i64 = select v4, v3, v8
                    branch v8 ? bb3(v0) : bb4()
                bb2():
                    unreachable
                bb3(v13: i64):
                    return v13
                bb4():
                    return v3
                }
            "#]],
        );
    }

    /// A function in which a choice of v2 and v3, or a value that is loaded, goes on as v7 in the
    /// last blocks.
    fn choice_or_value(last: &str) -> String {
        format!(
            "function(i32, i64) -> i64 {{
bb0(v0: i32, v1: i64):
    v2: i64 = i64.const 1
    v3: i64 = i64.const 3
    v4: i32 = i64.lt_s v1, v3
    v5: i64 = select v2, v3, v4
    branch v0 ? bb2(v5) : bb1()
bb1():
    v6: i64 = i64.load offset=0 v0
    jump bb2(v6)
bb2(v7: i64):
{last}
}}
"
        )
    }

    #[test]
    fn a_choice_that_meets_a_value_becomes_a_branch_of_its_own() {
        check(
            &choice_or_value(
                "    v8: i32 = i64.ne v7, v2
    branch v8 ? bb3() : bb4()
bb3():
    return v1
bb4():
    return v2",
            ),
            expect![[r#"
                function(i32, i64) -> i64 {
                bb0(v0: i32, v1: i64):
                    v2: i64 = i64.const 1
                    v3: i64 = i64.const 3
                    v4: i32 = i64.lt_s v1, v3
                    v5: i64 = select v2, v3, v4
                    branch v0 ? bb5() : bb1()
                bb1():
                    v6: i64 = i64.load v0
                    v8: i32 = i64.ne v6, v2
                    branch v8 ? bb3() : bb4()
                bb2():
                    unreachable
                bb3():
                    return v1
                bb4():
                    return v2
                bb5():
                    branch v4 ? bb4() : bb3()
                }
            "#]],
        );
    }

    #[test]
    fn a_choice_that_nobody_tests_stays() {
        check(
            &choice_or_value(
                "    v8: i64 = i64.add v7, v1
    return v8",
            ),
            expect![[r#"
                function(i32, i64) -> i64 {
                bb0(v0: i32, v1: i64):
                    v2: i64 = i64.const 1
                    v3: i64 = i64.const 3
                    v4: i32 = i64.lt_s v1, v3
                    v5: i64 = select v2, v3, v4
                    branch v0 ? bb2(v5) : bb1()
                bb1():
                    v6: i64 = i64.load v0
                    jump bb2(v6)
                bb2(v7: i64):
                    v8: i64 = i64.add v7, v1
                    return v8
                }
            "#]],
        );
    }
}
