//! Generic code as the linked module has it, where each intrinsic is the plain operation that it
//! stands for.
//!
//! A function that asks whether it is compiled is lifted, simplified and lowered again: the answer
//! is a constant now, so what it does in compiled code only is gone from it, and what it computed
//! for an intrinsic that does nothing. [`write`] is for all others, for what cannot be lifted, and
//! for dispatchers, whose calls become switches.
//!
//! Invariant: a body depends on the generic module and on the intrinsics that stay, not on the
//! program. So all programs share its machine code.

use std::collections::{HashMap, HashSet};

use wasm_encoder::Instruction;

use crate::cleanup;
use crate::index::{Id, Map};
use crate::ir::{Func, Generic, Naming, Residual, generic, residual};
use crate::lift;
use crate::lower::{self, Lowered};
use crate::module::Module;
use crate::op::intrinsic::{self, Meaning};
use crate::op::{Const, Intrinsic, Op};

/// Bodies of generic functions that are not copied operator by operator.
pub(super) struct Plain<'a> {
    module: &'a Module<'a>,
    kept: &'a [Intrinsic],
    /// By import: whether it is an intrinsic whose result is a constant in generic code.
    constants: Vec<bool>,
    /// Functions that stay as they are.
    others: &'a HashSet<Func>,
    bodies: HashMap<Func, Lowered>,
}

impl<'a> Plain<'a> {
    /// With no body so far. Calls of the `kept` intrinsics stay, and `others` as they are; all are
    /// if this is not on.
    pub fn new(
        module: &'a Module<'a>,
        kept: &'a [Intrinsic],
        others: &'a HashSet<Func>,
        is_on: bool,
    ) -> Self {
        let is_constant = |intrinsic: Intrinsic| {
            is_on && intrinsic.meaning() == Meaning::Zero && !kept.contains(&intrinsic)
        };
        let imports = module.imports.iter();
        Self {
            module,
            kept,
            constants: imports
                .map(|import| super::intrinsic(import).is_some_and(is_constant))
                .collect(),
            others,
            bodies: HashMap::new(),
        }
    }

    /// Simplifies `func`, if calls of these functions say that this pays and it can be lifted.
    pub fn simplify(&mut self, func: Func, callees: &[Func]) -> Option<&Lowered> {
        let is_constant = |callee: &Func| self.constants.get(callee.index()) == Some(&true);
        if self.others.contains(&func) || !callees.iter().any(is_constant) {
            return None;
        }
        let generic = lift::function(self.module, func).ok()?;
        let mut plain = plain(&generic, self.kept);
        cleanup::simplify(&mut plain);
        let lowered = lower::function(&plain);
        // A stack machine needs no locals for what waits on its stack.
        if lowered.excess().is_some() {
            return None;
        }
        Some(self.bodies.entry(func).insert_entry(lowered).into_mut())
    }

    /// The simplified functions.
    pub fn into_bodies(self) -> HashMap<Func, Lowered> {
        self.bodies
    }
}

/// The function with plain operations in the place of intrinsics.
fn plain(function: &generic::Function, kept: &[Intrinsic]) -> residual::Function {
    let values = function.types.keys();
    let mut translation = Translation {
        values: values.map(|value| Id::new(value.index())).collect(),
        kept,
    };
    let blocks = function.blocks.values();
    residual::Function {
        signature: function.signature.clone(),
        types: function.types.values().copied().collect(),
        blocks: blocks.map(|block| translation.block_data(block)).collect(),
    }
}

struct Translation<'a> {
    /// What stands for each value.
    values: Map<generic::Value, residual::Value>,
    kept: &'a [Intrinsic],
}

impl Translation<'_> {
    fn block_data(&mut self, data: &generic::BlockData) -> residual::BlockData {
        let mut plain = residual::BlockData::empty();
        plain.params = self.values(&data.params).to_vec();
        for inst in &data.insts {
            match inst.op {
                Op::Intrinsic(intrinsic) if !self.kept.contains(&intrinsic) => {
                    if intrinsic.meaning() == Meaning::Trap {
                        return plain;
                    }
                    plain.insts.extend(self.intrinsic(intrinsic, inst));
                }
                op => plain.insts.push(residual::Inst {
                    op,
                    args: self.values(&inst.args),
                    result: inst.result.map(|result| self.value(result)),
                }),
            }
        }
        plain.term = self.terminator(&data.term);
        plain
    }

    /// What an intrinsic does, if it does anything.
    fn intrinsic(&mut self, intrinsic: Intrinsic, inst: &generic::Inst) -> Option<residual::Inst> {
        let args = self.values(&inst.args);
        let (op, args) = match intrinsic.meaning() {
            Meaning::Nothing | Meaning::Trap => return None,
            Meaning::First => {
                self.values[inst.result?] = args[0];
                return None;
            }
            Meaning::Zero => (Op::Const(Const::I32(0)), residual::Values::new()),
            Meaning::Load | Meaning::Store => {
                let operands = intrinsic::accessed(intrinsic, &args);
                (intrinsic::access(intrinsic), operands.into_iter().collect())
            }
        };
        let result = inst.result.map(|result| self.value(result));
        Some(residual::Inst { op, args, result })
    }
}

impl Naming<Generic, Residual> for Translation<'_> {
    fn block(&mut self, block: generic::Block) -> residual::Block {
        residual::Block(block.0)
    }

    fn value(&mut self, value: generic::Value) -> residual::Value {
        self.values[value]
    }
}

/// Writes the plain operation that an intrinsic stands for. `value` is a local for what a store
/// stores.
pub(super) fn write(intrinsic: Intrinsic, value: u32, function: &mut wasm_encoder::Function) {
    let mut write = |instruction: Instruction| {
        function.instruction(&instruction);
    };
    let access = || {
        let access = intrinsic::access(intrinsic).encode();
        access.expect("accesses of memory are instructions")
    };
    let operands = intrinsic.params().len();
    let (dropped, last) = match intrinsic.meaning() {
        Meaning::Nothing => (operands, None),
        Meaning::First => (operands - 1, None),
        Meaning::Zero => (operands, Some(Instruction::I32Const(0))),
        Meaning::Load => (operands - 1, Some(access())),
        Meaning::Store if needs_local(intrinsic) => {
            write(Instruction::LocalSet(value));
            (operands - 2, Some(access()))
        }
        Meaning::Store => (0, Some(access())),
        Meaning::Trap => (0, Some(Instruction::Unreachable)),
    };
    (0..dropped).for_each(|_| write(Instruction::Drop));
    if needs_local(intrinsic) {
        write(Instruction::LocalGet(value));
    }
    last.into_iter().for_each(write);
}

/// Whether operands lie between the address that an intrinsic stores to and the value.
pub(super) fn needs_local(intrinsic: Intrinsic) -> bool {
    intrinsic.meaning() == Meaning::Store && intrinsic.params().len() > 2
}
