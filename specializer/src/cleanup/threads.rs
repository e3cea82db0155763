//! Straightens control flow:
//!
//! * a branch whose condition is known becomes a jump;
//! * an edge to a block that only jumps on goes where that block goes, and a jump to one that only
//!   returns becomes a return;
//! * an edge that brings constants to a block that only tests them goes where these lead;
//! * branches to equal exits share one;
//! * a block that follows its only predecessor is joined to it.
//!
//! Leaves out threading through blocks that compute anything else, or whose values others use.

use smallvec::SmallVec;

use super::compact::empty_unreached;
use super::constants::{self, ByValue};
use super::rename::Renaming;
use crate::dominators::Order;
use crate::hash::FastMap;
use crate::index::Map;
use crate::ir::residual::{Block, BlockData, Function, Inst, Target, Terminator, Value, Values};
use crate::op::{Const, Op};

pub fn run(function: &mut Function) {
    let constants = constants::by_value(function);
    decide(function, &constants);
    bypass(function, &constants);
    share_exits(function);
    merge(function);
}

/// How many forwarding blocks are followed at once, so that a cycle of them comes to an end. The
/// next run finds what remains.
const CHAIN: usize = 16;

/// Most instructions of a block that tests constants.
const TESTS: usize = 3;

/// Replaces branches whose way is known.
fn decide(function: &mut Function, constants: &ByValue) {
    for block in function.blocks.values_mut() {
        simplify(&mut block.term, constants);
    }
}

fn simplify(term: &mut Terminator, constants: &ByValue) {
    if let Some(target) = chosen(term, |value| constants[value]) {
        *term = Terminator::Jump(target.clone());
        return;
    }
    let Terminator::Switch {
        index,
        targets,
        default,
    } = term
    else {
        return;
    };
    while targets.last().is_some_and(|last| last == default) {
        targets.pop();
    }
    match targets.len() {
        0 => *term = Terminator::Jump(default.clone()),
        // Index 0 goes to the target, all others to the default.
        1 => {
            *term = Terminator::Branch {
                cond: *index,
                then: default.clone(),
                otherwise: targets.remove(0),
            };
        }
        _ => {}
    }
}

/// Where a branch leads whose way is known.
fn chosen(term: &Terminator, known: impl Fn(Value) -> Option<Const>) -> Option<&Target> {
    either_way(term).or_else(|| term.way(|value| Some(known(value)?.bits() as u32)))
}

/// Where a branch leads whatever its condition.
fn either_way(term: &Terminator) -> Option<&Target> {
    if let Terminator::Branch {
        then, otherwise, ..
    } = term
        && then == otherwise
    {
        return Some(then);
    }
    None
}

/// Sends edges past blocks that hold nothing but a jump or tests of what they bring, and returns in
/// place of jumps to a return.
fn bypass(function: &mut Function, constants: &ByValue) {
    let forwarding = Forwarding::of(function, &Order::new(function));
    for block in function.blocks.keys() {
        let mut term = std::mem::replace(&mut function.blocks[block].term, Terminator::Unreachable);
        for target in term.targets_mut() {
            for _ in 0..CHAIN {
                match next(function, &forwarding, constants, target) {
                    Some(further) => *target = further,
                    None => break,
                }
            }
        }
        if let Terminator::Jump(target) = &term
            && forwarding.can_pass(target.block)
        {
            let data = &function.blocks[target.block];
            match &data.term {
                Terminator::Return(results) => {
                    term = Terminator::Return(forwarding.all_brought(results, data, target));
                }
                Terminator::Unreachable if target.block != block => term = Terminator::Unreachable,
                _ => {}
            }
        }
        if let Some(target) = either_way(&term) {
            term = Terminator::Jump(target.clone());
        }
        function.blocks[block].term = term;
    }
}

/// Sends edges to equal exits to one of them: one exit is less code than many. What is returned
/// dominates the predecessors of all of these blocks, and so the block that stays.
fn share_exits(function: &mut Function) {
    let mut first: FastMap<Option<Values>, Block> = FastMap::default();
    let mut instead: Map<Block, Option<Block>> = Map::filled_like(&function.blocks, None);
    for (block, data) in function.blocks.iter().skip(1) {
        let exit = match &data.term {
            Terminator::Return(results) => Some(results.clone()),
            Terminator::Unreachable => None,
            _ => continue,
        };
        if data.insts.is_empty() && data.params.is_empty() {
            let shared = *first.entry(exit).or_insert(block);
            instead[block] = (shared != block).then_some(shared);
        }
    }
    for target in function
        .blocks
        .values_mut()
        .flat_map(|block| block.term.targets_mut())
    {
        target.block = instead[target.block].unwrap_or(target.block);
    }
}

/// Which blocks can be passed, and what edges bring to them.
pub(super) struct Forwarding {
    blocks: Map<Block, bool>,
    /// Of a parameter of a block: its position among these.
    params: Map<Value, Option<u32>>,
}

impl Forwarding {
    /// A block can be passed that has no instructions but, where it branches, a few that could be
    /// done here; nobody else uses its parameters and what it computes. A loop that begins with
    /// tests would get a second beginning if some edges passed these.
    pub fn of(function: &Function, order: &Order) -> Self {
        let is_plain = |inst: &Inst| matches!(inst.op, Op::Plain(_) | Op::Select);
        let mut blocks: Map<Block, bool> = function
            .blocks
            .iter()
            .map(|(block, data)| match &data.term {
                Terminator::Branch { .. } | Terminator::Switch { .. } => {
                    data.insts.len() <= TESTS
                        && data.insts.iter().all(is_plain)
                        && !order.begins_loop(block)
                }
                Terminator::Jump(target)
                    if order.begins_loop(block) && order.begins_loop(target.block) =>
                {
                    false
                }
                _ => data.insts.is_empty(),
            })
            .collect();
        blocks[Block::ENTRY] = false;
        let mut home = Map::filled_like(&function.types, Block::ENTRY);
        let mut params = Map::filled_like(&function.types, None);
        for (block, data) in &function.blocks {
            data.defined().for_each(|value| home[value] = block);
            for (index, &param) in (0..).zip(&data.params) {
                params[param] = Some(index);
            }
        }
        for (block, data) in &function.blocks {
            for &arg in data.operands() {
                let home = home[arg];
                if home != block {
                    blocks[home] = false;
                }
            }
        }
        Self { blocks, params }
    }

    /// Whether edges may lead past a block, which the function had when this was made.
    pub fn can_pass(&self, block: Block) -> bool {
        self.blocks[block]
    }

    /// What a value that is used in a block is when `target` has led there: for a parameter, the
    /// argument. `data` is that of the block.
    fn brought(&self, value: Value, data: &BlockData, target: &Target) -> Value {
        match self.params.get(value) {
            Some(&Some(index)) if data.params.get(index as usize) == Some(&value) => {
                target.args[index as usize]
            }
            _ => value,
        }
    }

    /// What these values are, see [`Self::brought`].
    fn all_brought(&self, values: &[Value], data: &BlockData, target: &Target) -> Values {
        values
            .iter()
            .map(|&value| self.brought(value, data, target))
            .collect()
    }
}

/// Whether an edge leads past a block that tests what it brings.
pub(super) fn is_decided(
    function: &Function,
    forwarding: &Forwarding,
    constants: &ByValue,
    target: &Target,
) -> bool {
    let mut target = target.clone();
    for _ in 0..CHAIN {
        let Some(further) = next(function, forwarding, constants, &target) else {
            return false;
        };
        if !matches!(function.blocks[target.block].term, Terminator::Jump(_)) {
            return true;
        }
        target = further;
    }
    false
}

/// Where `target` leads if its block only jumps on, or tests constants.
fn next(
    function: &Function,
    forwarding: &Forwarding,
    constants: &ByValue,
    target: &Target,
) -> Option<Target> {
    if !forwarding.can_pass(target.block) {
        return None;
    }
    let data = &function.blocks[target.block];
    let mut computed: SmallVec<[(Value, Const); TESTS]> = SmallVec::new();
    let known =
        |value, computed: &[(Value, Const)]| match computed.iter().find(|known| known.0 == value) {
            Some(&(_, constant)) => Some(constant),
            None => constants[forwarding.brought(value, data, target)],
        };
    for inst in &data.insts {
        let args = inst.args.iter().map(|&arg| known(arg, &computed));
        let args: Option<SmallVec<[Const; 3]>> = args.collect();
        computed.push((inst.result?, inst.op.fold(&args?)?));
    }
    let further = match &data.term {
        Terminator::Jump(further) => further,
        term => chosen(term, |value| known(value, &computed))?,
    };
    let is_computed = |arg: &Value| computed.iter().any(|&(value, _)| value == *arg);
    if further.args.iter().any(is_computed) {
        return None;
    }
    Some(Target {
        block: further.block,
        args: forwarding.all_brought(&further.args, data, target),
    })
}

/// Joins each block with its successor where they have no others.
fn merge(function: &mut Function) {
    let order = Order::new(function);
    let mut renaming = Renaming::new(function);
    let mut gone = Map::filled_like(&function.blocks, false);
    for &block in &order.blocks {
        if gone[block] {
            continue;
        }
        while let Terminator::Jump(target) = &function.blocks[block].term {
            let next = target.block;
            if next == block || next == Block::ENTRY || order.preds.of(next).len() != 1 {
                break;
            }
            let args = target.args.clone();
            let data = &mut function.blocks[next];
            let params = std::mem::take(&mut data.params);
            let mut insts = std::mem::take(&mut data.insts);
            let term = std::mem::replace(&mut data.term, Terminator::Unreachable);
            for (param, arg) in params.into_iter().zip(args) {
                renaming.replace(param, arg);
            }
            gone[next] = true;
            let data = &mut function.blocks[block];
            data.insts.append(&mut insts);
            data.term = term;
        }
    }
    empty_unreached(function, &order);
    renaming.apply(function);
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::cleanup::tests::check_pass;

    fn check(text: &str, expect: Expect) {
        check_pass(|function, _| super::run(function), text, expect);
    }

    #[test]
    fn a_constant_passes_the_block_that_tests_it() {
        // Both halves of a conjunction: the first gives a constant where it fails.
        check(
            "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i64 = i64.const 1
    v3: i64 = i64.const 3
    branch v0 ? bb1() : bb2(v2)
bb1():
    v4: i64 = i64.load offset=0 v0
    jump bb2(v4)
bb2(v5: i64):
    v6: i32 = i64.ne v5, v2
    branch v6 ? bb3(v5) : bb4(v5)
bb3(v7: i64):
    v8: i64 = i64.add v7, v3
    return v8
bb4(v9: i64):
    v10: i64 = i64.sub v9, v1
    return v10
}
",
            expect![[r#"
                function(i32, i64) -> i64 {
                bb0(v0: i32, v1: i64):
                    v2: i64 = i64.const 1
                    v3: i64 = i64.const 3
                    branch v0 ? bb1() : bb4(v2)
                bb1():
                    v4: i64 = i64.load v0
                    v6: i32 = i64.ne v4, v2
                    branch v6 ? bb3(v4) : bb4(v4)
                bb2():
                    unreachable
                bb3(v7: i64):
                    v8: i64 = i64.add v7, v3
                    return v8
                bb4(v9: i64):
                    v10: i64 = i64.sub v9, v1
                    return v10
                }
            "#]],
        );
    }

    #[test]
    fn a_loop_keeps_its_one_beginning() {
        check(
            "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i64 = i64.const 1
    v3: i64 = i64.const 3
    branch v0 ? bb1(v3) : bb1(v1)
bb1(v4: i64):
    v5: i32 = i64.ne v4, v2
    branch v5 ? bb2() : bb3()
bb2():
    v6: i64 = i64.load offset=0 v0
    jump bb1(v6)
bb3():
    return v1
}
",
            expect![[r#"
                function(i32, i64) -> i64 {
                bb0(v0: i32, v1: i64):
                    v2: i64 = i64.const 1
                    v3: i64 = i64.const 3
                    branch v0 ? bb1(v3) : bb1(v1)
                bb1(v4: i64):
                    v5: i32 = i64.ne v4, v2
                    branch v5 ? bb2() : bb3()
                bb2():
                    v6: i64 = i64.load v0
                    jump bb1(v6)
                bb3():
                    return v1
                }
            "#]],
        );
    }
}
