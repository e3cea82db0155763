//! Writes a function body: the vector of locals, then the steps of [`super::structure`] with the
//! stack code of [`super::stackify`].
//!
//! Invariant: whatever depends on the final module (function indices, addresses in request code) is
//! a relocation over a padded LEB128 of five bytes, so that the linker patches in place. Type,
//! global and table indices stay what they are in the generic module.

use wasm_encoder::{BlockType, Encode, Instruction};

use super::locals::Locals;
use super::stackify::{Code, Item};
use super::structure::{Sense, Step};
use super::{Lowered, Relocation, RelocationKind};
use crate::ir::residual::Block;
use crate::ir::{Callee, Sig, Table, Type, residual::Function, residual::Terminator};
use crate::op::Op;
use crate::op::compare::inverse;

/// Encodes the body of `function`.
pub fn run(function: &Function, steps: &[Step], code: &Code, locals: &Locals) -> Lowered {
    let lowered = Lowered {
        body: Vec::with_capacity(code.items.len() * 3),
        relocations: Vec::new(),
    };
    let mut encoder = Encoder {
        function,
        code,
        locals,
        lowered,
        last: None,
    };
    encoder.locals();
    for (index, step) in steps.iter().enumerate() {
        let is_last = index + 1 == steps.len();
        encoder.step(step, is_last);
    }
    encoder.close(steps.last());
    encoder.lowered
}

struct Encoder<'f> {
    function: &'f Function,
    code: &'f Code,
    locals: &'f Locals,
    lowered: Lowered,
    /// The operator just written, and where it starts.
    last: Option<(Op, usize)>,
}

impl Encoder<'_> {
    fn locals(&mut self) {
        let groups: Vec<(u32, Type)> = self
            .locals
            .declared
            .iter()
            .copied()
            .filter(|&(count, _)| count > 0)
            .collect();
        (groups.len() as u32).encode(&mut self.lowered.body);
        for (count, ty) in groups {
            count.encode(&mut self.lowered.body);
            val_type(ty).encode(&mut self.lowered.body);
        }
    }

    /// Ends the body. Control does not come to the end of the last frame, but the validator does
    /// not know that.
    fn close(&mut self, last: Option<&Step>) {
        let falls = matches!(last, Some(Step::End | Step::Edge(..) | Step::Body(_)));
        if falls && !self.function.signature.results.is_empty() {
            self.instruction(&Instruction::Unreachable);
        }
        self.instruction(&Instruction::End);
    }

    fn step(&mut self, step: &Step, is_last: bool) {
        match step {
            Step::OpenBlock => self.instruction(&Instruction::Block(BlockType::Empty)),
            Step::OpenLoop => self.instruction(&Instruction::Loop(BlockType::Empty)),
            Step::OpenIf(sense) => {
                self.sense(*sense);
                self.instruction(&Instruction::If(BlockType::Empty));
            }
            Step::Else => self.instruction(&Instruction::Else),
            Step::End => self.instruction(&Instruction::End),
            Step::Body(block) => self.items(self.code.body(*block)),
            Step::Condition(block) => self.items(self.code.condition(*block)),
            Step::Edge(block, edge) => self.items(self.code.edge(*block, *edge)),
            Step::Branch(depth) => self.instruction(&Instruction::Br(*depth)),
            Step::BranchIf(depth, sense) => {
                self.sense(*sense);
                self.instruction(&Instruction::BrIf(*depth));
            }
            Step::BranchTable(labels, default) => {
                self.instruction(&Instruction::BrTable(labels.into(), *default));
            }
            Step::Leave(block) => self.leave(*block, is_last),
        }
    }

    /// Inverts the condition just written, if what comes next acts on "not zero" and is to act on
    /// zero.
    fn sense(&mut self, sense: Sense) {
        if sense == Sense::NotZero {
            return;
        }
        match self.last {
            Some((Op::I32Eqz, start)) => self.lowered.body.truncate(start),
            Some((op, start)) => match inverse(op) {
                Some(inverted) => {
                    self.lowered.body.truncate(start);
                    self.op(inverted);
                }
                None => self.op(Op::I32Eqz),
            },
            None => self.op(Op::I32Eqz),
        }
    }

    fn leave(&mut self, block: Block, is_last: bool) {
        self.items(self.code.condition(block));
        match &self.function.blocks[block].term {
            Terminator::Return(_) if is_last => {}
            Terminator::Return(_) => self.instruction(&Instruction::Return),
            Terminator::TailCall { callee, .. } => self.tail_call(*callee),
            Terminator::Unreachable => self.instruction(&Instruction::Unreachable),
            Terminator::Jump(_) | Terminator::Branch { .. } | Terminator::Switch { .. } => {
                unreachable!("a block that jumps does not leave the function")
            }
        }
    }

    fn items(&mut self, items: &[Item]) {
        for item in items {
            match *item {
                Item::Op(block, index) => {
                    self.op(self.function.blocks[block].insts[index as usize].op);
                }
                Item::Get(value) => self.instruction(&Instruction::LocalGet(self.locals.of(value))),
                Item::Set(value) => self.instruction(&Instruction::LocalSet(self.locals.of(value))),
                Item::Tee(value) => self.instruction(&Instruction::LocalTee(self.locals.of(value))),
                Item::Drop => self.instruction(&Instruction::Drop),
                Item::CopyGet(from, to) | Item::CopySet(from, to)
                    if self.locals.of(from) == self.locals.of(to) => {}
                Item::CopyGet(from, _) => {
                    self.instruction(&Instruction::LocalGet(self.locals.of(from)))
                }
                Item::CopySet(_, to) => {
                    self.instruction(&Instruction::LocalSet(self.locals.of(to)))
                }
            }
        }
    }

    fn op(&mut self, op: Op) {
        let start = self.lowered.body.len();
        match op {
            Op::Call(callee) => self.call(callee),
            Op::SymbolAddress(symbol) => {
                self.relocated(I32_CONST, RelocationKind::SymbolAddress(symbol));
            }
            Op::Intrinsic(intrinsic) => {
                self.relocated(CALL, RelocationKind::CallIntrinsic(intrinsic))
            }
            _ => {
                let instruction = op
                    .encode()
                    .expect("all but calls, addresses and intrinsics encode");
                self.instruction(&instruction);
            }
        }
        self.last = Some((op, start));
    }

    fn call(&mut self, callee: Callee) {
        match by_name(callee) {
            Ok(kind) => self.relocated(CALL, kind),
            Err((sig, table)) => self.instruction(&Instruction::CallIndirect {
                type_index: sig.0,
                table_index: table.0,
            }),
        }
    }

    fn tail_call(&mut self, callee: Callee) {
        match by_name(callee) {
            Ok(kind) => self.relocated(RETURN_CALL, kind),
            Err((sig, table)) => self.instruction(&Instruction::ReturnCallIndirect {
                type_index: sig.0,
                table_index: table.0,
            }),
        }
    }

    /// Writes an opcode with a padded operand for the linker to fill in.
    fn relocated(&mut self, opcode: u8, kind: RelocationKind) {
        self.lowered.body.push(opcode);
        self.lowered.relocations.push(Relocation {
            offset: self.lowered.body.len() as u32,
            kind,
        });
        self.lowered.body.extend(kind.operand(0));
        self.last = None;
    }

    fn instruction(&mut self, instruction: &Instruction<'_>) {
        instruction.encode(&mut self.lowered.body);
        self.last = None;
    }
}

/// How the linker finds a callee; type and table of one that is only known when it is called.
fn by_name(callee: Callee) -> Result<RelocationKind, (Sig, Table)> {
    match callee {
        Callee::Direct(func) => Ok(RelocationKind::CallFunction(func)),
        Callee::Slot {
            slot,
            given,
            numbers,
            ..
        } => Ok(RelocationKind::CallSlot {
            slot,
            given,
            numbers,
        }),
        Callee::Indirect { sig, table } => Err((sig, table)),
    }
}

pub(super) const CALL: u8 = 0x10;
pub(super) const RETURN_CALL: u8 = 0x12;

const I32_CONST: u8 = 0x41;

/// The type as engines know it.
pub fn val_type(ty: Type) -> wasm_encoder::ValType {
    match ty {
        Type::I32 => wasm_encoder::ValType::I32,
        Type::I64 => wasm_encoder::ValType::I64,
        Type::F32 => wasm_encoder::ValType::F32,
        Type::F64 => wasm_encoder::ValType::F64,
    }
}
