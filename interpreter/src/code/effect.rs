//! What each instruction does to the stack's depth and where it goes on: the verifier's table.
//!
//! Leaves out the values, and what a called function does: it leaves the stack as it was.

use super::decode::{self, Instruction};
use super::load;
use super::opcode::Opcode;
use crate::value::WORD;
use core::ops::Range;

/// Words that PUSH_RETADDR pushes, and APPLY pops with the arguments.
pub const RETURN_SIZE: u32 = 3;

/// Words in a trap frame: handler, next trap frame, two unused.
pub const TRAP_SIZE: u32 = 4;

/// Bytes of an activation's frame with `depth` words beside its environment.
pub const fn frame_size(depth: u32) -> u32 {
    (depth + 1) * WORD
}

/// Where an instruction goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    Next,
    /// To the next instruction, or by the jump in this operand.
    Branch {
        operand: usize,
    },
    /// By the jump in this operand.
    Jump {
        operand: usize,
    },
    Switch,
    /// To the next instruction, having made closures.
    Closures,
    PushTrap,
    PopTrap,
    /// Out of the function, whose whole part of the stack must be `all` deep.
    Leave {
        all: u32,
    },
    /// Nowhere: the program ends or an exception is raised.
    Stop,
}

/// How the stack changes: `pushes_first`, then `pops`, then `pushes`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effect {
    pub pushes_first: u32,
    pub pops: u32,
    pub pushes: u32,
    pub flow: Flow,
}

/// The effect of an instruction whose operands are in range.
pub fn of(instruction: &Instruction) -> Effect {
    use Opcode::*;
    let operand = |index: usize| instruction.operands[index] as u32;
    let pops = |pops| Effect {
        pushes_first: 0,
        pops,
        pushes: 0,
        flow: Flow::Next,
    };
    let flow = |flow| Effect {
        pushes_first: 0,
        pops: 0,
        pushes: 0,
        flow,
    };
    let push = Effect {
        pushes_first: 1,
        pops: 0,
        pushes: 0,
        flow: Flow::Next,
    };
    match instruction.opcode {
        Acc0 | Acc1 | Acc2 | Acc3 | Acc4 | Acc5 | Acc6 | Acc7 | Acc | Assign | OffsetSlot => {
            pops(0)
        }
        EnvAcc1 | EnvAcc2 | EnvAcc3 | EnvAcc4 | EnvAcc => pops(0),
        Push | PushAcc0 | PushAcc1 | PushAcc2 | PushAcc3 | PushAcc4 | PushAcc5 | PushAcc6
        | PushAcc7 | PushAcc | PushEnvAcc1 | PushEnvAcc2 | PushEnvAcc3 | PushEnvAcc4
        | PushEnvAcc | PushOffsetClosureM3 | PushOffsetClosure0 | PushOffsetClosure3
        | PushOffsetClosure | PushGetGlobal | PushGetGlobalField | PushAtom0 | PushAtom
        | PushConst0 | PushConst1 | PushConst2 | PushConst3 | PushConstInt | GetPubMet
        | PushOffsetSlot => push,
        Pop => pops(operand(0)),
        PushRetAddr => Effect {
            pushes: RETURN_SIZE,
            ..pops(0)
        },
        Apply => pops(operand(0) + RETURN_SIZE),
        Apply1 => pops(1),
        Apply2 => pops(2),
        Apply3 => pops(3),
        AppTerm => flow(Flow::Leave { all: operand(1) }),
        AppTerm1 | AppTerm2 | AppTerm3 | Return => flow(Flow::Leave { all: operand(0) }),
        Restart | Grab | CheckSignals | Event => pops(0),
        Closure => closures(operand(0), 0),
        ClosureRec => closures(operand(1), operand(0)),
        OffsetClosureM3 | OffsetClosure0 | OffsetClosure3 | OffsetClosure => pops(0),
        GetGlobal | GetGlobalField | SetGlobal | Atom0 | Atom => pops(0),
        MakeBlock | MakeFloatBlock => pops(operand(0).saturating_sub(1)),
        MakeBlock1 => pops(0),
        MakeBlock2 => pops(1),
        MakeBlock3 => pops(2),
        GetField0 | GetField1 | GetField2 | GetField3 | GetField | GetFloatField | VectLength => {
            pops(0)
        }
        SetField0 | SetField1 | SetField2 | SetField3 | SetField | SetFloatField => pops(1),
        GetVectItem | GetBytesChar | GetStringChar => pops(1),
        SetVectItem | SetBytesChar => pops(2),
        Branch => flow(Flow::Jump { operand: 0 }),
        BranchIf | BranchIfNot => flow(Flow::Branch { operand: 0 }),
        Switch => flow(Flow::Switch),
        PushTrap => Effect {
            pushes: TRAP_SIZE,
            ..flow(Flow::PushTrap)
        },
        PopTrap => Effect {
            pops: TRAP_SIZE,
            ..flow(Flow::PopTrap)
        },
        Raise | Reraise | RaiseNoTrace | Stop | Break => flow(Flow::Stop),
        CCall1 => pops(0),
        CCall2 => pops(1),
        CCall3 => pops(2),
        CCall4 => pops(3),
        CCall5 => pops(4),
        CCallN => pops(operand(0).saturating_sub(1)),
        Const0 | Const1 | Const2 | Const3 | ConstInt | BoolNot | NegInt | OffsetInt | OffsetRef
        | IsInt => pops(0),
        AddInt | SubInt | MulInt | DivInt | ModInt | AndInt | OrInt | XorInt | LslInt | LsrInt
        | AsrInt => pops(1),
        Eq | Neq | LtInt | LeInt | GtInt | GeInt | UltInt | UgeInt => pops(1),
        GetMethod | GetDynMet => pops(0),
        Beq | Bneq | BltInt | BleInt | BgtInt | BgeInt | BultInt | BugeInt => {
            flow(Flow::Branch { operand: 1 })
        }
    }
}

/// Calls `reached` with each word at which the function goes on after an instruction. An exception
/// in what PUSHTRAP guards goes on at its handler.
pub fn successors(instruction: &Instruction, mut reached: impl FnMut(i64)) {
    let next = instruction.next() as i64;
    match of(instruction).flow {
        Flow::Next | Flow::Closures | Flow::PopTrap => reached(next),
        Flow::Branch { operand } => {
            reached(instruction.target(operand));
            reached(next);
        }
        Flow::Jump { operand } => reached(instruction.target(operand)),
        Flow::Switch => {
            let cases = 0..instruction.operands.len() - 1;
            cases.for_each(|index| reached(instruction.table_target(index)));
        }
        Flow::PushTrap => {
            reached(instruction.target(0));
            reached(next);
        }
        Flow::Leave { .. } | Flow::Stop => {}
    }
}

/// For each word, whether code goes on there from elsewhere than the word before, or it is the
/// entry of a closure.
pub fn labels(code: &[i32]) -> Vec<bool> {
    let mut labels = vec![false; code.len()];
    for instruction in decode::instructions(code) {
        let mut add = |target: i64| {
            let label = usize::try_from(target)
                .ok()
                .and_then(|at| labels.get_mut(at));
            if target != instruction.next() as i64
                && let Some(label) = label
            {
                *label = true;
            }
        };
        successors(&instruction, &mut add);
        if of(&instruction).flow == Flow::Closures {
            closure_targets(&instruction).for_each(add);
        }
    }
    labels
}

/// Captured variables come from the accumulator, then the stack; CLOSUREREC pushes its functions.
fn closures(variables: u32, pushes: u32) -> Effect {
    Effect {
        pushes_first: 0,
        pops: variables.saturating_sub(1),
        pushes,
        flow: Flow::Closures,
    }
}

/// How many functions a CLOSURE or CLOSUREREC makes closures of.
pub fn closure_count(instruction: &Instruction) -> usize {
    match instruction.opcode {
        Opcode::ClosureRec => instruction.operands[0] as usize,
        _ => 1,
    }
}

/// Which operands of a CLOSURE or CLOSUREREC lead to functions.
pub fn closure_operands(instruction: &Instruction) -> Range<usize> {
    let first = match instruction.opcode {
        Opcode::Closure => 1,
        _ => 2,
    };
    first..first + closure_count(instruction)
}

/// The words that the closures of a CLOSURE or CLOSUREREC begin at.
pub fn closure_targets(instruction: &Instruction) -> impl Iterator<Item = i64> {
    (0..closure_count(instruction)).map(|index| match instruction.opcode {
        Opcode::Closure => instruction.target(1),
        _ => instruction.table_target(index),
    })
}

/// For an instruction that calls a closure: with how many arguments.
pub fn call_arity(opcode: Opcode, operands: &[i32]) -> Option<u32> {
    match opcode {
        Opcode::Apply1 | Opcode::AppTerm1 => Some(1),
        Opcode::Apply2 | Opcode::AppTerm2 => Some(2),
        Opcode::Apply3 | Opcode::AppTerm3 => Some(3),
        Opcode::Apply | Opcode::AppTerm => Some(operands[0] as u32),
        _ => None,
    }
}

/// Slots, from the top after the push, that an instruction looks at and leaves there.
pub fn slots_read(instruction: &Instruction) -> u32 {
    match instruction.opcode {
        Opcode::GetMethod | Opcode::GetDynMet => 1,
        _ => load::slot(instruction).map_or(0, |slot| slot + 1),
    }
}

/// Whether an instruction changes a slot and leaves it there.
pub fn assigns(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(opcode, Assign | OffsetSlot | PushOffsetSlot)
}

/// The smallest count that makes sense, for instructions where 0 does not.
pub fn least_count(opcode: Opcode) -> Option<i32> {
    use Opcode::*;
    match opcode {
        Apply | AppTerm | MakeBlock | MakeFloatBlock | CCallN | ClosureRec | AppTerm1 => Some(1),
        AppTerm2 => Some(2),
        AppTerm3 => Some(3),
        _ => None,
    }
}

/// For a primitive's call: its index and how many arguments it gets (6 for more than 5).
pub fn primitive(instruction: &Instruction) -> Option<(usize, u32)> {
    use Opcode::*;
    let arguments = match instruction.opcode {
        CCall1 => 1,
        CCall2 => 2,
        CCall3 => 3,
        CCall4 => 4,
        CCall5 => 5,
        CCallN => return Some((instruction.operands[1] as usize, 6)),
        _ => return None,
    };
    Some((instruction.operands[0] as usize, arguments))
}
