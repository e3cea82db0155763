//! Where values of interest are in the accumulator and on the stack, instruction by instruction.

use crate::code::decode::Instruction;
use crate::code::effect::{self, Flow};
use crate::code::load;
use crate::code::opcode::Opcode;

/// Where values of interest are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Values {
    pub accu: bool,
    /// Bit by bit, the slots from the top of the stack on.
    slots: u64,
}

impl Values {
    pub const NONE: Self = Self {
        accu: false,
        slots: 0,
    };
    pub const ACCU: Self = Self {
        accu: true,
        slots: 0,
    };

    pub fn at(self, slot: u32) -> bool {
        self.slots.checked_shr(slot).unwrap_or(0) & 1 == 1
    }

    /// Whether one is argument `index` of a primitive that is called now.
    pub fn is_argument(self, index: u32) -> bool {
        match index.checked_sub(1) {
            None => self.accu,
            Some(slot) => self.at(slot),
        }
    }

    /// Where they are after an instruction, but for what it makes.
    pub fn after(mut self, instruction: &Instruction) -> Self {
        let effect = effect::of(instruction);
        if effect.pushes_first > 0 {
            self.slots = self.slots << 1 | u64::from(self.accu);
        }
        let assigned = match instruction.opcode {
            Opcode::Assign => Some(self.accu),
            Opcode::OffsetSlot | Opcode::PushOffsetSlot => Some(false),
            _ => None,
        };
        if let Some(is_here) = assigned {
            let bit = |word: u64| word.checked_shl(instruction.operands[0] as u32);
            self.slots &= !bit(1).unwrap_or(0);
            self.slots |= bit(is_here.into()).unwrap_or(0);
        }
        self.accu = match load::slot(instruction) {
            Some(slot) => self.at(slot),
            None => self.accu && keeps_accu(instruction.opcode),
        };
        self.slots = self.slots.checked_shr(effect.pops).unwrap_or(0);
        self.slots = self.slots.checked_shl(effect.pushes).unwrap_or(0);
        self
    }

    /// Where they are at the next instruction, if this one goes on there with the same stack.
    pub fn at_next(self, instruction: &Instruction) -> Self {
        match effect::of(instruction).flow {
            Flow::Next | Flow::Closures | Flow::Branch { .. } => self.after(instruction),
            Flow::Jump { .. }
            | Flow::Switch
            | Flow::PushTrap
            | Flow::PopTrap
            | Flow::Leave { .. }
            | Flow::Stop => Self::NONE,
        }
    }
}

fn keeps_accu(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        Push | Pop | CheckSignals | Event | Branch | BranchIf | BranchIfNot
    )
}
