//! Generic code as the linked module has it, where each intrinsic is the plain operation that it
//! stands for.
//!
//! Functions that call intrinsics are lifted, simplified and lowered again: what they do in
//! compiled code only is gone from them, and what was computed for an intrinsic that does nothing.
//! [`write`] is for those that cannot be lifted, and for dispatchers, whose calls become switches.
//!
//! Invariant: a body depends on the generic module and on the intrinsics that stay, not on the
//! program. So all programs share its machine code.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;
use wasm_encoder::Instruction;
use wasmparser::{FunctionBody, Operator};

use crate::cleanup;
use crate::index::{Id, Map};
use crate::ir::{Func, Terminator, generic, residual};
use crate::lift;
use crate::lower::{self, Lowered};
use crate::module::Module;
use crate::op::intrinsic::{self, Meaning};
use crate::op::{Const, Intrinsic, Op};

/// The functions that are not copied operator by operator.
#[derive(Default)]
pub(super) struct Plain {
    bodies: HashMap<Func, Lowered>,
}

impl Plain {
    /// Those that call intrinsics and can be lifted, except for `dispatchers`; calls of the `kept`
    /// intrinsics stay.
    pub fn find(module: &Module, dispatchers: &HashSet<Func>, kept: &[Intrinsic]) -> Self {
        let imports = module.imports.iter();
        let intrinsics = imports.map(|import| super::intrinsic(import).is_some());
        let intrinsics: Vec<bool> = intrinsics.collect();
        let first = module.imports.len();
        let bodies = module.bodies.par_iter().enumerate();
        let bodies = bodies.filter_map(|(index, body)| {
            let func = Func((first + index) as u32);
            if dispatchers.contains(&func) || !calls_any(body, &intrinsics) {
                return None;
            }
            let generic = lift::function(module, func).ok()?;
            let mut plain = plain(&generic, kept);
            cleanup::simplify(&mut plain);
            Some((func, lower::function(&plain)))
        });
        Self {
            bodies: bodies.collect(),
        }
    }

    pub fn body(&self, func: Func) -> Option<&Lowered> {
        self.bodies.get(&func)
    }
}

/// Whether a function calls one of these imports; not if it cannot be read.
fn calls_any(body: &FunctionBody, imports: &[bool]) -> bool {
    let Ok(operators) = body.get_operators_reader() else {
        return false;
    };
    operators.into_iter().any(|operator| match operator {
        Ok(Operator::Call { function_index }) => {
            imports.get(function_index as usize) == Some(&true)
        }
        _ => false,
    })
}

/// The function with plain operations in the place of intrinsics.
fn plain(function: &generic::Function, kept: &[Intrinsic]) -> residual::Function {
    let values = function.types.keys();
    let mut plain = Translation {
        values: values.map(|value| Id::new(value.index())).collect(),
        kept,
    };
    residual::Function {
        signature: function.signature.clone(),
        types: Map::from_iter(function.types.values().copied()),
        blocks: Map::from_iter(function.blocks.values().map(|block| plain.block(block))),
    }
}

struct Translation<'a> {
    /// What stands for each value.
    values: Map<generic::Value, residual::Value>,
    kept: &'a [Intrinsic],
}

impl Translation<'_> {
    fn block(&mut self, block: &generic::BlockData) -> residual::BlockData {
        let params = block.params.iter().map(|&param| self.values[param]);
        let params = params.collect();
        let mut insts = Vec::new();
        for inst in &block.insts {
            match inst.op {
                Op::Intrinsic(intrinsic) if !self.kept.contains(&intrinsic) => {
                    if intrinsic.meaning() == Meaning::Trap {
                        let term = Terminator::Unreachable;
                        return residual::BlockData {
                            params,
                            insts,
                            term,
                        };
                    }
                    insts.extend(self.intrinsic(intrinsic, inst));
                }
                op => insts.push(residual::Inst {
                    op,
                    args: self.all(&inst.args),
                    result: inst.result.map(|result| self.values[result]),
                }),
            }
        }
        let term = self.terminator(&block.term);
        residual::BlockData {
            params,
            insts,
            term,
        }
    }

    /// What an intrinsic does, if it does anything.
    fn intrinsic(&mut self, intrinsic: Intrinsic, inst: &generic::Inst) -> Option<residual::Inst> {
        let args = self.all(&inst.args);
        let (op, args) = match intrinsic.meaning() {
            Meaning::Nothing | Meaning::Trap => return None,
            Meaning::First => {
                self.values[inst.result?] = args[0];
                return None;
            }
            Meaning::Zero => (Op::Const(Const::I32(0)), residual::Values::new()),
            Meaning::Load => (
                intrinsic::access(intrinsic),
                residual::Values::from_slice(&args[..1]),
            ),
            Meaning::Store => {
                let operands = [args[0], args[args.len() - 1]];
                (intrinsic::access(intrinsic), operands.into_iter().collect())
            }
        };
        let result = inst.result.map(|result| self.values[result]);
        Some(residual::Inst { op, args, result })
    }

    fn terminator(&self, term: &generic::Terminator) -> residual::Terminator {
        match term {
            Terminator::Jump(target) => Terminator::Jump(self.target(target)),
            Terminator::Branch {
                cond,
                then,
                otherwise,
            } => Terminator::Branch {
                cond: self.values[*cond],
                then: self.target(then),
                otherwise: self.target(otherwise),
            },
            Terminator::Switch {
                index,
                targets,
                default,
            } => Terminator::Switch {
                index: self.values[*index],
                targets: targets.iter().map(|target| self.target(target)).collect(),
                default: self.target(default),
            },
            Terminator::Return(values) => Terminator::Return(self.all(values)),
            Terminator::TailCall { callee, args } => Terminator::TailCall {
                callee: *callee,
                args: self.all(args),
            },
            Terminator::Unreachable => Terminator::Unreachable,
        }
    }

    fn target(&self, target: &generic::Target) -> residual::Target {
        residual::Target {
            block: residual::Block(target.block.0),
            args: self.all(&target.args),
        }
    }

    fn all(&self, values: &generic::Values) -> residual::Values {
        values.iter().map(|&value| self.values[value]).collect()
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
