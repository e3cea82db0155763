//! Stores floating-point numbers before arms meet, of which one calls something.
//!
//! No floating-point register survives a call. A number that is used behind two arms, one of which
//! calls, as that of an allocation for which there is no room, goes through memory on the other arm
//! as well: where they meet it has to be in one place. Then each round of a loop that adds to a box
//! waits for that memory. So each arm ends with what the block behind it begins with, arithmetic
//! and stores, up to the last store behind which such a number is not used any more.
//!
//! Leaves out integers, as some registers for these survive calls, and heads of loops.

use super::separate::calls;
use crate::dominators::Order;
use crate::hash::FastMap;
use crate::index::Map;
use crate::ir::Type;
use crate::ir::residual::{Block, Function, Inst, Terminator, Value};
use crate::op::{Effect, Op};

/// Most blocks that meet.
const MOST_ARMS: usize = 4;

/// Most instructions that are copied to the arms.
const MOST_INSTS: usize = 16;

/// Most uses of a number that are looked at.
const MOST_USES: usize = 16;

/// Most blocks that are gone through from a use back to where the number comes from.
const MOST_BLOCKS: usize = 32;

pub fn run(function: &mut Function) {
    let is_float = |&ty: &Type| ty == Type::F64;
    if !function.types.values().any(is_float) {
        return;
    }
    // What moves calls nothing, so this stays right.
    let calling: Map<Block, bool> = function.blocks.values().map(calls).collect();
    if !calling.values().any(|&calls| calls) {
        return;
    }
    let order = Order::new(function);
    let numbers = Numbers::of(function, &order);
    for &block in &order.blocks {
        if !order.begins_loop(block)
            && are_arms(function, &calling, order.preds.of(block))
            && let Some(count) = numbers.beginning(function, block)
        {
            numbers.move_to_arms(function, block, count);
        }
    }
}

/// Whether these blocks lead to one and no other, and some call something and some do not.
fn are_arms(function: &Function, calling: &Map<Block, bool>, blocks: &[Block]) -> bool {
    let mut blocks_calling = blocks.iter().map(|&block| calling[block]);
    let first = blocks_calling.next();
    let mut all = blocks.iter().map(|&block| &function.blocks[block]);
    blocks.len() <= MOST_ARMS
        && first.is_some_and(|first| blocks_calling.any(|other| other != first))
        && all.all(|block| matches!(block.term, Terminator::Jump(_)))
}

/// Where a number is made, and each of its uses.
struct Number {
    home: Block,
    uses: Vec<Block>,
}

impl Number {
    fn new(home: Block) -> Self {
        Self {
            home,
            uses: Vec::new(),
        }
    }

    fn uses_in(&self, block: Block) -> usize {
        self.uses.iter().filter(|user| **user == block).count()
    }
}

struct Numbers<'o> {
    order: &'o Order,
    of: FastMap<Value, Number>,
}

impl<'o> Numbers<'o> {
    fn of(function: &Function, order: &'o Order) -> Self {
        let is_number = |value: &Value| function.types[*value] == Type::F64;
        let mut of = FastMap::default();
        for &home in &order.blocks {
            let made = function.blocks[home].defined().filter(is_number);
            of.extend(made.map(|value| (value, Number::new(home))));
        }
        for &block in &order.blocks {
            let operands = function.blocks[block].operands();
            for value in operands.filter(|value| is_number(value)) {
                let number: &mut Number = of.get_mut(value).expect("it is made somewhere");
                number.uses.push(block);
            }
        }
        Self { order, of }
    }

    /// How many of the block's first instructions the arms are to end with, if any: up to the last
    /// store of a number, if one is not used behind them.
    fn beginning(&self, function: &Function, block: Block) -> Option<usize> {
        let insts = &function.blocks[block].insts;
        let is_number = |value: &Value| self.of.contains_key(value);
        let is_store = |inst: &Inst| matches!(inst.op, Op::Store { .. });
        // What makes something else of a number would be computed behind the arms as well.
        let is_pure = |inst: &Inst| {
            let gives_number = inst.result.as_ref().is_some_and(is_number);
            inst.op.effect() == Effect::Pure && (gives_number || !inst.args.iter().any(is_number))
        };
        let may_move = |inst: &&Inst| is_store(inst) || is_pure(inst);
        let movable = insts.iter().take(MOST_INSTS).take_while(may_move).count();
        let stores_number = |inst: &Inst| is_store(inst) && is_number(&inst.args[1]);
        let last = insts[..movable].iter().rposition(stores_number)?;
        let insts = &insts[..=last];
        let mut args = insts.iter().flat_map(|inst| &inst.args);
        args.any(|&arg| self.ends(arg, block, insts))
            .then_some(last + 1)
    }

    /// Whether the value is a number that the block's first instructions do not compute, and that
    /// is not used behind them.
    fn ends(&self, value: Value, block: Block, first: &[Inst]) -> bool {
        let Some(number) = self.of.get(&value) else {
            return false;
        };
        let mut others = number.uses.iter().filter(|user| **user != block);
        let is_behind =
            |user: &Block| number.home == block || self.leads(block, *user, number.home);
        number.uses.len() <= MOST_USES
            && first.iter().all(|inst| inst.result != Some(value))
            && number.uses_in(block) == uses_in(first, value)
            && !others.any(is_behind)
    }

    /// Whether a way from one block to another is found that does not lead through `home`.
    fn leads(&self, from: Block, to: Block, home: Block) -> bool {
        let preds = &self.order.preds;
        let before = if to == home { &[] } else { preds.of(to) };
        let mut between = preds.walk(before, |block| block != home);
        let is_met = between
            .by_ref()
            .take(MOST_BLOCKS)
            .any(|block| block == from);
        is_met || between.next().is_some()
    }

    /// Lets the block's arms end with its first instructions, given what each arm brings. Numbers
    /// that these compute and that are used behind them come from the arms then; other values are
    /// computed once more.
    fn move_to_arms(&self, function: &mut Function, block: Block, count: usize) {
        let first = function.blocks[block].insts[..count].to_vec();
        let results = first.iter().filter_map(|inst| inst.result);
        let is_used = |value: &Value| {
            let number = self.of.get(value);
            number.is_some_and(|number| number.uses.len() > uses_in(&first, *value))
        };
        let used: Vec<Value> = results.filter(is_used).collect();
        for &arm in self.order.preds.of(block) {
            append(function, arm, block, &first, &used);
        }
        let data = &mut function.blocks[block];
        data.params.extend(used);
        let stays = |inst: &Inst| {
            inst.result
                .is_some_and(|result| !self.of.contains_key(&result))
        };
        let mut index = 0;
        data.insts.retain(|inst| {
            index += 1;
            index > count || stays(inst)
        });
    }
}

/// How often these instructions use the value.
fn uses_in(insts: &[Inst], value: Value) -> usize {
    let args = insts.iter().flat_map(|inst| &inst.args);
    args.filter(|arg| **arg == value).count()
}

/// Lets an arm end with the first instructions of the block that it leads to, and bring those of
/// their results that are used there.
fn append(function: &mut Function, arm: Block, block: Block, first: &[Inst], used: &[Value]) {
    let Terminator::Jump(target) = &function.blocks[arm].term else {
        unreachable!("arms jump to the block");
    };
    let params = function.blocks[block].params.iter().copied();
    let mut here: FastMap<Value, Value> = params.zip(target.args.iter().copied()).collect();
    for inst in first {
        let mut inst = inst.clone();
        for arg in &mut inst.args {
            *arg = here.get(arg).copied().unwrap_or(*arg);
        }
        if let Some(result) = &mut inst.result {
            let copy = function.new_value(function.types[*result]);
            here.insert(*result, copy);
            *result = copy;
        }
        function.blocks[arm].insts.push(inst);
    }
    if let Terminator::Jump(target) = &mut function.blocks[arm].term {
        target.args.extend(used.iter().map(|value| here[value]));
    }
}

#[cfg(test)]
mod tests;
