//! What instructions bring into the accumulator that only load. The bytecode has short forms of
//! each, and forms that push first: here they are one.

use super::decode::Instruction;
use super::opcode::Opcode;

/// What an instruction brings, if that is all it does, but for pushing what was there before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Load {
    /// What is in a slot, counted from the top after the push.
    Slot(u32),
    /// A variable of the closure that runs, by its index in the closure.
    Variable(u32),
    /// The closure so many words from the one that runs, in the same block.
    Closure(i32),
    Global(i32),
    GlobalField {
        global: i32,
        field: i32,
    },
    Integer(i32),
    /// The block without fields that has this tag.
    Atom(i32),
    /// A field of the block that was there.
    Field(i32),
}

/// What an instruction loads. Operands are as the verifier wants them, or make no sense.
pub fn of(instruction: &Instruction) -> Option<Load> {
    use Opcode::*;
    let operand = |index: usize| instruction.operands[index];
    let load = match instruction.opcode {
        Acc0 | PushAcc0 => Load::Slot(0),
        Acc1 | PushAcc1 => Load::Slot(1),
        Acc2 | PushAcc2 => Load::Slot(2),
        Acc3 | PushAcc3 => Load::Slot(3),
        Acc4 | PushAcc4 => Load::Slot(4),
        Acc5 | PushAcc5 => Load::Slot(5),
        Acc6 | PushAcc6 => Load::Slot(6),
        Acc7 | PushAcc7 => Load::Slot(7),
        Acc | PushAcc => Load::Slot(operand(0) as u32),
        EnvAcc1 | PushEnvAcc1 => Load::Variable(1),
        EnvAcc2 | PushEnvAcc2 => Load::Variable(2),
        EnvAcc3 | PushEnvAcc3 => Load::Variable(3),
        EnvAcc4 | PushEnvAcc4 => Load::Variable(4),
        EnvAcc | PushEnvAcc => Load::Variable(operand(0) as u32),
        OffsetClosureM3 | PushOffsetClosureM3 => Load::Closure(-3),
        OffsetClosure0 | PushOffsetClosure0 => Load::Closure(0),
        OffsetClosure3 | PushOffsetClosure3 => Load::Closure(3),
        OffsetClosure | PushOffsetClosure => Load::Closure(operand(0)),
        GetGlobal | PushGetGlobal => Load::Global(operand(0)),
        GetGlobalField | PushGetGlobalField => Load::GlobalField {
            global: operand(0),
            field: operand(1),
        },
        Const0 | PushConst0 => Load::Integer(0),
        Const1 | PushConst1 => Load::Integer(1),
        Const2 | PushConst2 => Load::Integer(2),
        Const3 | PushConst3 => Load::Integer(3),
        ConstInt | PushConstInt => Load::Integer(operand(0)),
        Atom0 | PushAtom0 => Load::Atom(0),
        Atom | PushAtom => Load::Atom(operand(0)),
        GetField0 => Load::Field(0),
        GetField1 => Load::Field(1),
        GetField2 => Load::Field(2),
        GetField3 => Load::Field(3),
        GetField => Load::Field(operand(0)),
        _ => return None,
    };
    Some(load)
}

/// The slot that an instruction loads, counted from the top after the push.
pub fn slot(instruction: &Instruction) -> Option<u32> {
    match of(instruction)? {
        Load::Slot(slot) => Some(slot),
        _ => None,
    }
}

/// The variable of its closure that an instruction loads, by its index in the closure.
pub fn variable(instruction: &Instruction) -> Option<u32> {
    match of(instruction)? {
        Load::Variable(variable) => Some(variable),
        _ => None,
    }
}
