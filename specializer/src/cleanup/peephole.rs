//! Simplifies instructions one by one in the light of their operands' definitions, and shares equal
//! computations within a block.
//!
//! The rules themselves are in [`super::rules`]. Constants live in the entry block throughout
//! ([`super::constants`]). Blocks are visited in reverse postorder, so that definitions are
//! simplified before their uses.
//!
//! Leaves out loads, and sharing across blocks: it would lengthen lifetimes across calls, and
//! engines do it where it pays.

use super::constants::Constants;
use super::rename::Renaming;
use super::rules::{self, Better, Known};
use crate::dominators::Order;
use crate::hash::FastMap;
use crate::index::Map;
use crate::ir::residual::{Block, Function, Inst, Terminator, Value, Values};
use crate::op::{Const, Effect, Op, StoreKind};

pub fn run(function: &mut Function) {
    let order = Order::new(function);
    let mut peephole = Peephole {
        renaming: Renaming::new(function),
        constants: Constants::of(function),
        definitions: Definitions {
            of: Map::filled_like(&function.types, None),
        },
        seen: FastMap::default(),
        function,
    };
    for &block in &order.blocks {
        peephole.seen.clear();
        let insts = std::mem::take(&mut peephole.function.blocks[block].insts);
        let insts = insts
            .into_iter()
            .filter_map(|inst| peephole.inst(inst))
            .collect();
        peephole.function.blocks[block].insts = insts;
        peephole.branch(block);
    }
    peephole.constants.place(peephole.function);
    peephole.renaming.apply(peephole.function);
}

/// What defines each value, if it is an operator that rules look at.
struct Definitions {
    of: Map<Value, Option<Definition>>,
}

type Definition = (Op, [Value; 3]);

impl Definitions {
    fn define(&mut self, value: Value, op: Op, args: &[Value]) {
        if !matches!(op, Op::Const(_) | Op::Plain(_) | Op::Select) {
            return;
        }
        let mut operands = [value; 3];
        operands[..args.len()].copy_from_slice(args);
        while self.of.len() <= value.index() {
            self.of.push(None);
        }
        self.of[value] = Some((op, operands));
    }
}

impl Known for Definitions {
    fn definition(&self, value: Value) -> Option<Definition> {
        self.of.get(value).copied().flatten()
    }
}

struct Peephole<'f> {
    function: &'f mut Function,
    renaming: Renaming,
    constants: Constants,
    definitions: Definitions,
    /// Results computed earlier in the block.
    seen: FastMap<(Op, Values), Value>,
}

/// How many rules may be applied to one instruction. Each makes it simpler, so this is never
/// reached.
const STEPS: usize = 32;

impl Peephole<'_> {
    /// What remains of an instruction, if anything.
    fn inst(&mut self, mut inst: Inst) -> Option<Inst> {
        for arg in &mut inst.args {
            *arg = self.renaming.resolve(*arg);
        }
        let Some(result) = inst.result else {
            return Some(self.store(inst));
        };
        if !matches!(inst.op, Op::Plain(_) | Op::Select) {
            self.definitions.define(result, inst.op, &inst.args);
            return Some(inst);
        }
        for _ in 0..STEPS {
            match rules::improve(inst.op, &inst.args, &self.definitions) {
                None => break,
                Some(Better::Value(value)) => {
                    self.renaming.replace(result, value);
                    return None;
                }
                Some(Better::Const(constant)) => {
                    let value = self.constant(constant);
                    self.renaming.replace(result, value);
                    return None;
                }
                Some(Better::Op(op, args)) => (inst.op, inst.args) = (op, args),
                Some(Better::WithConst(op, value, constant)) => {
                    inst.op = op;
                    inst.args = Values::from_slice(&[value, self.constant(constant)]);
                }
            }
        }
        if matches!(inst.op.effect(), Effect::Pure | Effect::Traps) {
            let first = *self
                .seen
                .entry((inst.op, inst.args.clone()))
                .or_insert(result);
            if first != result {
                self.renaming.replace(result, first);
                return None;
            }
        }
        self.definitions.define(result, inst.op, &inst.args);
        Some(inst)
    }

    /// A float's bits are stored as the float, which the next load reads back.
    fn store(&mut self, mut inst: Inst) -> Inst {
        let Op::Store { kind, offset } = inst.op else {
            return inst;
        };
        let (kind, bits) = match kind {
            StoreKind::I64Store => (StoreKind::F64Store, Op::I64ReinterpretF64),
            StoreKind::I32Store => (StoreKind::F32Store, Op::I32ReinterpretF32),
            _ => return inst,
        };
        if let Some((op, [float, ..])) = self.definitions.definition(inst.args[1])
            && op == bits
        {
            inst.op = Op::Store { kind, offset };
            inst.args[1] = float;
        }
        inst
    }

    fn constant(&mut self, constant: Const) -> Value {
        let value = self.constants.value(self.function, constant);
        self.definitions.define(value, Op::Const(constant), &[]);
        value
    }

    /// Makes a branch test what its condition tests.
    fn branch(&mut self, block: Block) {
        let Terminator::Branch {
            cond,
            then,
            otherwise,
        } = &mut self.function.blocks[block].term
        else {
            return;
        };
        *cond = self.renaming.resolve(*cond);
        for _ in 0..STEPS {
            match rules::condition(*cond, &self.definitions) {
                None => break,
                Some((value, rules::Sense::Same)) => *cond = value,
                Some((value, rules::Sense::Opposite)) => {
                    *cond = value;
                    std::mem::swap(then, otherwise);
                }
            }
        }
    }
}
