//! Wrong values: constants, operators, operands. What is returned is the blocks that take them.

use super::bounds::Bounds;
use super::{Place, Site, Sites, calls, cells};
use crate::index::Map;
use crate::ir::residual::{Block, Function, Inst, Value};
use crate::op::{Const, Op};

/// Adds two to an integer: a tagged one stays tagged.
pub fn change_constant(function: &mut Function, mut place: Place) -> Sites {
    let (bases, used) = (cells::bases(function), calls::used(function));
    let blocks = function.blocks.values_mut();
    let insts = blocks.flat_map(|block| &mut block.insts);
    let mut integers = insts.filter_map(|inst| match &mut inst.op {
        Op::Const(constant @ (Const::I32(_) | Const::I64(_))) => Some((constant, inst.result)),
        _ => None,
    });
    let is_candidate =
        |result: Option<Value>| result.is_some_and(|value| used[value] && !bases.contains(&value));
    let found = integers.find(|(_, result)| is_candidate(*result) && place.here());
    let Some((constant, Some(result))) = found else {
        return Sites::none();
    };
    *constant = match *constant {
        Const::I32(value) => Const::I32(value.wrapping_add(2)),
        Const::I64(value) => Const::I64(value.wrapping_add(2)),
        Const::F32(_) | Const::F64(_) => unreachable!("only integers were looked for"),
    };
    Sites::from(users(function, result)).with_values(vec![result])
}

/// Uses one constant of the entry for the next one of its type.
pub fn merge_constants(function: &mut Function, mut place: Place) -> Sites {
    let bases = cells::bases(function);
    let insts = function.blocks[Block::ENTRY].insts.iter();
    let constants = insts.filter_map(|inst| match inst.op {
        Op::Const(constant) => Some((constant, inst.result?)),
        _ => None,
    });
    let constants: Vec<(Const, Value)> = constants
        .filter(|(_, value)| !bases.contains(value))
        .collect();
    for (index, &(constant, value)) in constants.iter().enumerate() {
        let mut before = constants[..index].iter().rev();
        let same = before.find(|(other, _)| other.ty() == constant.ty() && *other != constant);
        let Some(&(_, other)) = same else { continue };
        let users = users(function, value);
        if !users.is_empty() && place.here() {
            replace(function, value, other);
            return Sites::from(users).with_values(vec![value]);
        }
    }
    Sites::none()
}

/// Uses a load for a later one of the same type but another place, in the same block.
pub fn merge_loads(function: &mut Function, mut place: Place) -> Sites {
    for (id, block) in function.blocks.iter() {
        let mut earlier: Vec<&Inst> = Vec::new();
        for (index, inst) in block.insts.iter().enumerate() {
            let (Op::Load { kind, .. }, Some(load)) = (inst.op, inst.result) else {
                continue;
            };
            let is_other = |one: &&&Inst| {
                function.value_type(one.result.expect("loads have results")) == kind.ty()
                    && (one.op, &one.args) != (inst.op, &inst.args)
            };
            let other = earlier.iter().rev().find(is_other);
            if let Some(other) = other.and_then(|other| other.result)
                && !users(function, load).is_empty()
                && place.here()
            {
                replace(function, load, other);
                return Sites::inst(id, index + 1)
                    .with_values(vec![load])
                    .unless_same(load, other);
            }
            earlier.push(inst);
        }
    }
    Sites::none()
}

/// Replaces a parameter by what one of the jumps to its block gives it, where another gives
/// something else.
pub fn merge_parameter(function: &mut Function, mut place: Place) -> Sites {
    for block in function.blocks.keys().skip(1) {
        for index in 0..function.blocks[block].params.len() {
            let param = function.blocks[block].params[index];
            let Some(first) = one_of_several(function, block, index) else {
                continue;
            };
            if !users(function, param).is_empty() && place.here() {
                remove_param(function, block, index);
                replace(function, param, first);
                return Sites::block(block)
                    .with_values(vec![param])
                    .unless_same(param, first);
            }
        }
    }
    Sites::none()
}

/// The first of the values that a parameter gets beside its own, if there are several.
fn one_of_several(function: &Function, block: Block, index: usize) -> Option<Value> {
    let param = function.blocks[block].params[index];
    let targets = function
        .blocks
        .values()
        .flat_map(|block| block.term.targets());
    let mut given = targets
        .filter(|target| target.block == block)
        .map(|target| target.args[index])
        .filter(|&arg| arg != param);
    let first = given.next()?;
    given.any(|arg| arg != first).then_some(first)
}

fn remove_param(function: &mut Function, block: Block, index: usize) {
    function.blocks[block].params.remove(index);
    for data in function.blocks.values_mut() {
        for target in data.term.targets_mut() {
            if target.block == block {
                target.args.remove(index);
            }
        }
    }
}

pub fn change_operator(function: &mut Function, mut place: Place) -> Sites {
    let (bases, bounds) = (cells::bases(function), Bounds::new(function));
    for (id, block) in &mut function.blocks {
        for (index, inst) in block.insts.iter_mut().enumerate() {
            if let Some((other, result)) = similar(inst.op).zip(inst.result)
                && !bases.contains(&result)
                && !(is_extension(inst.op) && bounds.has(inst.args[0]))
                && place.here()
            {
                inst.op = other;
                return Sites::inst(id, index + 1)
                    .with_values(vec![result])
                    .unless_result(result, other, inst.args.clone());
            }
        }
    }
    Sites::none()
}

/// Whether it extends: with or without sign, which is the same where there is none.
fn is_extension(op: Op) -> bool {
    matches!(op, Op::I64ExtendI32U | Op::I64ExtendI32S)
}

/// An operator of the same type that is easily taken for this one.
fn similar(op: Op) -> Option<Op> {
    const PAIRS: &[(Op, Op)] = &[
        (Op::I32Add, Op::I32Sub),
        (Op::I32And, Op::I32Or),
        (Op::I32Shl, Op::I32ShrU),
        (Op::I32Eq, Op::I32Ne),
        (Op::I32LtS, Op::I32GeS),
        (Op::I32LtU, Op::I32GeU),
        (Op::I32GtS, Op::I32LeS),
        (Op::I32GtU, Op::I32LeU),
        (Op::I64Add, Op::I64Sub),
        (Op::I64And, Op::I64Or),
        (Op::I64Shl, Op::I64ShrS),
        (Op::I64Eq, Op::I64Ne),
        (Op::I64LtS, Op::I64GeS),
        (Op::I64LtU, Op::I64GeU),
        (Op::I64GtS, Op::I64LeS),
        (Op::I64GtU, Op::I64LeU),
        (Op::I64ExtendI32U, Op::I64ExtendI32S),
    ];
    PAIRS.iter().find_map(|&(one, other)| match op {
        op if op == one => Some(other),
        op if op == other => Some(one),
        _ => None,
    })
}

/// Takes the nearest value of the same type for an operand: one of the same block, so that it is
/// defined.
pub fn renumber(function: &mut Function, mut place: Place) -> Sites {
    let bases = cells::bases(function);
    let types = &function.types;
    for (id, block) in &mut function.blocks {
        let mut defined = block.params.clone();
        for (index, inst) in block.insts.iter_mut().enumerate() {
            if inst.result.is_some_and(|result| bases.contains(&result)) {
                continue;
            }
            for arg in &mut inst.args {
                let ty = types[*arg];
                let mut near = defined.iter().rev();
                let other = near.find(|&value| value != arg && types[*value] == ty);
                if let Some(&other) = other
                    && place.here()
                {
                    let operand = std::mem::replace(arg, other);
                    return Sites::inst(id, index)
                        .with_values(inst.result.into_iter().collect())
                        .unless_same(operand, other);
                }
            }
            defined.extend(inst.result);
        }
    }
    Sites::none()
}

/// The blocks that compute with any of these values, or decide or return by them; not those that
/// only hand them on to other blocks.
pub fn readers(function: &Function, values: &[Value]) -> Vec<Block> {
    let mut wrong = Map::filled_like(&function.types, false);
    let mut pending = values.to_vec();
    while let Some(value) = pending.pop() {
        if !std::mem::replace(&mut wrong[value], true) {
            let targets = function
                .blocks
                .values()
                .flat_map(|data| data.term.targets());
            for target in targets {
                let params = &function.blocks[target.block].params;
                let given = target.args.iter().zip(params);
                pending.extend(
                    given
                        .filter(|(arg, _)| **arg == value)
                        .map(|(_, param)| param),
                );
            }
        }
    }
    let blocks = function.blocks.iter();
    let readers = blocks.filter(|(_, block)| {
        let args = block.insts.iter().flat_map(|inst| &inst.args);
        let mut read = args.chain(block.term.own_operands());
        read.any(|arg| wrong[*arg])
    });
    readers.map(|(id, _)| id).collect()
}

/// The blocks in which a value is an operand.
fn users(function: &Function, value: Value) -> Vec<Site> {
    let blocks = function.blocks.iter();
    let users = blocks.filter(|(_, block)| block.operands().any(|arg| *arg == value));
    users.map(|(id, _)| Site::Block(id)).collect()
}

/// Uses one value for another everywhere.
pub fn replace(function: &mut Function, old: Value, new: Value) {
    let rename = |value: &mut Value| {
        if *value == old {
            *value = new;
        }
    };
    for data in function.blocks.values_mut() {
        data.for_each_operand_mut(rename);
    }
}
