//! One instruction of the code as a slice of words.
//!
//! Invariant: the slice lies within the code. Whether its operands make sense is the verifier's
//! question.

use super::error::{CodeProblem, ImageError};
use super::opcode::Opcode;

/// An instruction and its operands.
#[derive(Clone, Copy, Debug)]
pub struct Instruction<'a> {
    pub opcode: Opcode,
    /// Word index of the opcode.
    pub position: usize,
    /// All operands, the jump tables of SWITCH and CLOSUREREC included.
    pub operands: &'a [i32],
}

impl Instruction<'_> {
    /// Word index of the next instruction.
    pub fn next(&self) -> usize {
        self.position + 1 + self.operands.len()
    }

    /// The word that operand `index`, a jump, leads to.
    pub fn target(&self, index: usize) -> i64 {
        self.target_from(index, index)
    }

    /// Where jump `index` of a SWITCH or CLOSUREREC leads: these count from the table's start.
    pub fn table_target(&self, index: usize) -> i64 {
        let table = if self.opcode == Opcode::Switch { 1 } else { 2 };
        self.target_from(table, table + index)
    }

    fn target_from(&self, origin: usize, operand: usize) -> i64 {
        self.position as i64 + 1 + origin as i64 + i64::from(self.operands[operand])
    }
}

/// The instructions one after the other, up to the first that is none.
pub fn instructions(code: &[i32]) -> impl Iterator<Item = Instruction<'_>> {
    let first = instruction(code, 0).ok();
    std::iter::successors(first, |last| instruction(code, last.next()).ok())
}

/// The instruction at word `position`.
pub fn instruction(code: &[i32], position: usize) -> Result<Instruction<'_>, ImageError> {
    let error = |problem| ImageError::Code { position, problem };
    let end = || error(CodeProblem::End);
    let word = *code.get(position).ok_or_else(end)?;
    let opcode = Opcode::from_word(word).ok_or_else(|| error(CodeProblem::Opcode(word)))?;
    let first = |count: usize| code.get(position + 1..position + 1 + count).ok_or_else(end);
    let fixed = opcode.operands().len();
    let extra = match opcode {
        Opcode::Switch => {
            let sizes = first(1)?[0] as u32 as usize;
            (sizes & 0xffff) + (sizes >> 16)
        }
        Opcode::ClosureRec => {
            usize::try_from(first(1)?[0]).map_err(|_| error(CodeProblem::OperandRange(-1)))?
        }
        _ => 0,
    };
    Ok(Instruction {
        opcode,
        position,
        operands: first(fixed + extra)?,
    })
}
