//! Puts one instruction for each constant into the entry block.
//!
//! Equal constants are then equal values, which the other passes see. This costs nothing at run
//! time: lowering repeats constants where they are used.

use super::rename::Renaming;
use crate::hash::FastMap;
use crate::index::Map;
use crate::ir::residual::{Block, Function, Inst, Value, Values};
use crate::op::{Const, Op};

pub fn run(function: &mut Function) {
    let mut constants = Constants::default();
    let mut renaming = Renaming::new(function);
    for block in function.blocks.values_mut() {
        block.insts.retain(|inst| {
            if !is_constant(inst.op) {
                return true;
            }
            let result = inst.result.expect("a constant has a result");
            let first = *constants.known.entry(inst.op).or_insert(result);
            if first == result {
                constants.insts.push(inst.clone());
            } else {
                renaming.replace(result, first);
            }
            false
        });
    }
    constants.place(function);
    renaming.apply(function);
}

/// Whether an operator gives the same each time.
pub fn is_constant(op: Op) -> bool {
    matches!(op, Op::Const(_) | Op::SymbolAddress(_))
}

/// The constant that each value is, if it is one.
pub type ByValue = Map<Value, Option<Const>>;

/// The constants that [`run`] put into the entry block.
pub fn by_value(function: &Function) -> ByValue {
    let mut constants = Map::filled_like(&function.types, None);
    for inst in &function.blocks[Block::ENTRY].insts {
        if let (Op::Const(constant), Some(result)) = (inst.op, inst.result) {
            constants[result] = Some(constant);
        }
    }
    constants
}

/// Constants of a function, each with the value that holds it.
#[derive(Default)]
pub struct Constants {
    known: FastMap<Op, Value>,
    /// Instructions that are not in the entry block yet.
    insts: Vec<Inst>,
}

impl Constants {
    /// The constants that [`run`] put into the entry block.
    pub fn of(function: &Function) -> Self {
        let insts = function.blocks[Block::ENTRY].insts.iter();
        let constants = insts.filter(|inst| is_constant(inst.op));
        let known = constants
            .filter_map(|inst| Some((inst.op, inst.result?)))
            .collect();
        Self {
            known,
            insts: Vec::new(),
        }
    }

    /// The value that holds `constant`.
    pub fn value(&mut self, function: &mut Function, constant: Const) -> Value {
        *self.known.entry(Op::Const(constant)).or_insert_with(|| {
            let result = function.new_value(constant.ty());
            let op = Op::Const(constant);
            self.insts.push(Inst {
                op,
                args: Values::new(),
                result: Some(result),
            });
            result
        })
    }

    /// Puts new constants at the start of the entry block.
    pub fn place(self, function: &mut Function) {
        function.blocks[Block::ENTRY].insts.splice(0..0, self.insts);
    }
}
