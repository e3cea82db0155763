//! Prepares a generic function for evaluation.
//!
//! * **Positions.** A block parameter from which the argument of `context.update` is computed
//!   decides where the interpreter goes next. Joining two known values of it would lose the
//!   interpreter's position, so the evaluator keeps such values apart: they are part of a node's
//!   name ([`Prepared::keyed`]). Optimising compilers like to merge the two arms of a conditional
//!   branch that way; this undoes it.
//! * **Choices.** What only generic code does, behind a test of `specialize.active`, is dropped:
//!   values in it decide nothing.
//! * **Splits.** A block ends after each `specialize.*`, where evaluation fans out, and after each
//!   call through the table, where it may go on in the callee; a `select` between two positions
//!   becomes a branch.
//! * **Order.** Reverse postorder of the blocks.

use crate::graph::{UNREACHED, positions, reverse_postorder};
use crate::hash::FastMap;
use crate::index::Map;
use crate::ir::generic::Block;
use crate::ir::{Callee, Terminator, Type, generic};
use crate::lift::Places;
use crate::op::{Effect, Intrinsic, Op};

/// A generic function, ready for evaluation.
pub struct Prepared {
    pub function: generic::Function,
    /// Where its instructions are, for messages.
    pub places: Places,
    /// The indices of a block's parameters that decide positions.
    pub keyed: Map<Block, Vec<usize>>,
    /// Whether a block belongs to the one before it, wherever that leads: no other edge comes here,
    /// and neither a call through the table nor a value specialization lies between.
    pub continues: Map<Block, bool>,
    /// A block's place in reverse postorder.
    pub order: Map<Block, u32>,
    /// A value's number within its block, and how many the largest block has.
    pub local: Map<generic::Value, u32>,
    pub widest: usize,
    /// Whether a value is a constant in the interpreter's code.
    pub literals: Map<generic::Value, bool>,
    /// Whether stacks grow upwards: it drops cells above an address.
    pub grows_up: bool,
}

pub fn function(mut function: generic::Function, mut places: Places) -> Prepared {
    choose_specialized(&mut function);
    let deciding = deciding(&function);
    split_selects(&mut function, &mut places, &deciding);
    split_after_departures(&mut function, &mut places);
    let deciding = self::deciding(&function);
    let keyed = function.blocks.values().map(|block| {
        let params = block.params.iter().enumerate();
        params
            .filter(|(_, param)| deciding[**param])
            .map(|(index, _)| index)
            .collect()
    });
    let (local, widest) = local_numbers(&function);
    let mut insts = function.blocks.values().flat_map(|block| &block.insts);
    let grows_up = insts.any(|inst| inst.op == Op::Intrinsic(Intrinsic::CellsDropAbove));
    Prepared {
        grows_up,
        literals: literals(&function),
        local,
        widest,
        keyed: keyed.collect(),
        continues: continues(&function),
        order: order(&function),
        function,
        places,
    }
}

/// Decides branches on `specialize.active`, and drops what nothing leads to any more.
fn choose_specialized(function: &mut generic::Function) {
    for block in function.blocks.values_mut() {
        if let Terminator::Branch {
            cond,
            then,
            otherwise,
        } = &block.term
            && let Some(active) = asks_for_specialized(&block.insts, *cond)
        {
            let chosen = if active { then } else { otherwise };
            block.term = Terminator::Jump(chosen.clone());
        }
    }
    let order = order(function);
    for (block, data) in function.blocks.iter_mut() {
        if order[block] == UNREACHED {
            *data = generic::BlockData::empty();
        }
    }
}

/// Whether a condition is that code is specialized (true) or generic (false), if it is either.
fn asks_for_specialized(insts: &[generic::Inst], mut cond: generic::Value) -> Option<bool> {
    let mut asks = true;
    for inst in insts.iter().rev() {
        match inst.op {
            _ if inst.result != Some(cond) => {}
            Op::Intrinsic(Intrinsic::SpecializeActive) => return Some(asks),
            Op::I32Eqz => {
                asks = !asks;
                cond = inst.args[0];
            }
            _ => return None,
        }
    }
    None
}

/// Which values are constants in the code.
fn literals(function: &generic::Function) -> Map<generic::Value, bool> {
    let mut literals = Map::filled_like(&function.types, false);
    for inst in function.blocks.values().flat_map(|block| &block.insts) {
        if let (Op::Const(_), Some(result)) = (inst.op, inst.result) {
            literals[result] = true;
        }
    }
    literals
}

/// Numbers the values of each block from 0.
fn local_numbers(function: &generic::Function) -> (Map<generic::Value, u32>, usize) {
    let mut local = Map::filled_like(&function.types, 0);
    let mut widest = 0;
    for block in function.blocks.values() {
        let mut count = 0;
        for value in block.defined() {
            local[value] = count;
            count += 1;
        }
        widest = widest.max(count as usize);
    }
    (local, widest)
}

/// Which values decide positions: the backward slice of `context.update`'s arguments through pure
/// operators, loads and block parameters.
fn deciding(function: &generic::Function) -> Map<generic::Value, bool> {
    let definitions = Definitions::new(function);
    let mut deciding = Map::filled_like(&function.types, false);
    let mut work: Vec<generic::Value> = Vec::new();
    for inst in function.blocks.values().flat_map(|block| &block.insts) {
        if let Op::Intrinsic(Intrinsic::ContextUpdate | Intrinsic::ContextPush) = inst.op {
            work.push(inst.args[0]);
        }
    }
    while let Some(value) = work.pop() {
        if std::mem::replace(&mut deciding[value], true) {
            continue;
        }
        match definitions.of[value] {
            Definition::None => {}
            Definition::Param(block, index) => {
                work.extend(definitions.incoming[block].iter().map(|args| args[index]));
            }
            Definition::Inst(block, index) => {
                let inst = &function.blocks[block].insts[index];
                match (inst.op, inst.op.effect()) {
                    (Op::Intrinsic(_), _) => {}
                    (Op::Select, _) => work.extend_from_slice(&inst.args[..2]),
                    (_, Effect::Pure | Effect::Traps | Effect::Reads) => {
                        work.extend_from_slice(&inst.args)
                    }
                    (
                        _,
                        Effect::Writes | Effect::ReadsGlobal | Effect::WritesGlobal | Effect::Calls,
                    ) => {}
                }
            }
        }
    }
    deciding
}

#[derive(Clone, Copy)]
enum Definition {
    None,
    Param(Block, usize),
    Inst(Block, usize),
}

struct Definitions<'f> {
    of: Map<generic::Value, Definition>,
    /// The arguments of each edge into a block.
    incoming: Map<Block, Vec<&'f generic::Values>>,
}

impl<'f> Definitions<'f> {
    fn new(function: &'f generic::Function) -> Self {
        let mut of = Map::filled_like(&function.types, Definition::None);
        let mut incoming = Map::filled_like(&function.blocks, Vec::new());
        for (id, block) in &function.blocks {
            for (index, &param) in block.params.iter().enumerate() {
                of[param] = Definition::Param(id, index);
            }
            for (index, inst) in block.insts.iter().enumerate() {
                if let Some(result) = inst.result {
                    of[result] = Definition::Inst(id, index);
                }
            }
            for target in block.term.targets() {
                incoming[target.block].push(&target.args);
            }
        }
        Self { of, incoming }
    }
}

/// Turns each `select` of positions into a branch.
fn split_selects(
    function: &mut generic::Function,
    places: &mut Places,
    deciding: &Map<generic::Value, bool>,
) {
    let mut block = Block::ENTRY;
    while function.blocks.get(block).is_some() {
        let found = function.blocks[block].insts.iter().position(|inst| {
            let result = inst
                .result
                .filter(|&result| deciding.get(result) == Some(&true));
            inst.op == Op::Select
                && result.is_some_and(|result| function.value_type(result) == Type::I32)
        });
        if let Some(at) = found {
            let select = split_after(function, places, block, at);
            places[block].split_off(at);
            let data = &mut function.blocks[block];
            data.insts.pop();
            let Terminator::Jump(target) = &data.term else {
                unreachable!("split ends a block with a jump")
            };
            let (mut then, mut otherwise) = (target.clone(), target.clone());
            for (index, &arg) in target.args.iter().enumerate() {
                if Some(arg) == select.result {
                    then.args[index] = select.args[0];
                    otherwise.args[index] = select.args[1];
                }
            }
            data.term = Terminator::Branch {
                cond: select.args[2],
                then,
                otherwise,
            };
        }
        block = Block(block.0 + 1);
    }
}

/// Whether evaluation may go elsewhere before it comes to the next instruction.
fn departs(inst: &generic::Inst) -> bool {
    match inst.op {
        Op::Intrinsic(intrinsic) => intrinsic.fans_out(),
        Op::Call(callee) => matches!(callee, Callee::Indirect { .. }),
        _ => false,
    }
}

/// [`Prepared::continues`] of each block.
fn continues(function: &generic::Function) -> Map<Block, bool> {
    let mut edges = Map::filled_like(&function.blocks, 0);
    edges[Block::ENTRY] = 2;
    for block in function.blocks.values() {
        let weight = match block.insts.last() {
            Some(last) if departs(last) => 2,
            _ => 1,
        };
        for target in block.term.targets() {
            edges[target.block] += weight;
        }
    }
    edges.values().map(|&edges| edges == 1).collect()
}

/// Ends a block after each value specialization and each call through the table.
fn split_after_departures(function: &mut generic::Function, places: &mut Places) {
    let mut block = Block::ENTRY;
    while function.blocks.get(block).is_some() {
        let found = function.blocks[block].insts.iter().position(departs);
        let last = function.blocks[block].insts.len().wrapping_sub(1);
        let ends = matches!(function.blocks[block].term, Terminator::Jump(_));
        if let Some(at) = found
            && !(at == last && ends)
        {
            split_after(function, places, block, at);
        }
        block = Block(block.0 + 1);
    }
}

/// Moves what follows instruction `at` into a block of its own. Returns that instruction.
fn split_after(
    function: &mut generic::Function,
    places: &mut Places,
    block: Block,
    at: usize,
) -> generic::Inst {
    let rest = places[block].split_off(at + 1);
    places.push(rest);
    let data = &mut function.blocks[block];
    let insts = data.insts.split_off(at + 1);
    let term = std::mem::replace(&mut data.term, Terminator::Unreachable);
    let last = data.insts[at].clone();
    let mut tail = Tail {
        function,
        named: FastMap::default(),
        outer: generic::Values::new(),
        params: Vec::new(),
    };
    let insts = insts.into_iter().map(|inst| tail.inst(inst)).collect();
    let mut term = term;
    term.for_each_operand_mut(|value| *value = tail.rename(*value));
    let Tail { outer, params, .. } = tail;
    let next = function.blocks.push(generic::BlockData {
        params,
        insts,
        term,
    });
    function.blocks[block].term = Terminator::Jump(generic::Target::new(next, outer));
    last
}

/// The second half of a split block: its outside values become parameters.
struct Tail<'f> {
    function: &'f mut generic::Function,
    /// What values are called in it, its own and those from outside.
    named: FastMap<generic::Value, generic::Value>,
    /// The values from outside, and the parameters that they become.
    outer: generic::Values,
    params: Vec<generic::Value>,
}

impl Tail<'_> {
    fn inst(&mut self, mut inst: generic::Inst) -> generic::Inst {
        for arg in &mut inst.args {
            *arg = self.rename(*arg);
        }
        if let Some(result) = inst.result {
            self.named.insert(result, result);
        }
        inst
    }

    fn rename(&mut self, value: generic::Value) -> generic::Value {
        *self.named.entry(value).or_insert_with(|| {
            let param = self.function.new_value(self.function.value_type(value));
            self.outer.push(value);
            self.params.push(param);
            param
        })
    }
}

/// Each block's place in reverse postorder.
fn order(function: &generic::Function) -> Map<Block, u32> {
    let blocks = &function.blocks;
    let targets = |block: Block| blocks[block].term.targets().map(|target| target.block);
    let order = reverse_postorder(Block::ENTRY, blocks.len(), targets);
    positions(&order, blocks.len())
}
