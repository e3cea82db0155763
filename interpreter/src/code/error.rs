//! Why a file is not a bytecode program that can be run, and where that shows.

use super::CODE_WORD;
use std::fmt;

/// A file was rejected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ImageError {
    /// The file has no trailer of a bytecode executable.
    NoTrailer,
    /// The trailer's magic number is that of another version.
    Magic([u8; 12]),
    /// The section table or a section does not fit in the file: name, offset in the file.
    Truncated { section: String, offset: usize },
    /// A section that every program has is missing.
    Missing { section: &'static str },
    /// The CODE section's length is not a multiple of four.
    OddCode { length: usize },
    /// The code at this word is malformed.
    Code {
        position: usize,
        problem: CodeProblem,
    },
    /// The DATA section at this offset in the file.
    Data { offset: usize, problem: String },
    /// More primitives than the table holds.
    TooManyPrimitives { count: usize },
    /// The guest's memory is exhausted.
    OutOfMemory,
}

/// What is wrong with an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CodeProblem {
    /// The word is no instruction.
    Opcode(i32),
    /// The instruction's operands, or the next instruction, are beyond the end.
    End,
    /// An operand is out of its range.
    OperandRange(i32),
    /// A jump leads out of the code.
    JumpRange(i64),
    /// A jump leads into the middle of an instruction.
    JumpInside,
    /// Two paths reach this place with different stacks.
    StackMismatch,
    /// The instruction needs more of the stack than its function owns.
    StackUnderflow,
    /// RETURN or APPTERM does not leave with the stack its function began with.
    StackLeft,
    /// The top of the stack is not the trap frame, or the instruction destroys one.
    TrapFrame,
    /// Two functions share an instruction.
    Shared,
    /// GRAB not at an entry, RESTART not before a GRAB, or a call at an entry.
    Entry,
    /// A function with a number of parameters that an entry cannot describe.
    Arity(i64),
    /// A primitive is called with a number of arguments that is not its own.
    PrimitiveArity(u32),
}

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTrailer => write!(f, "not a bytecode executable"),
            Self::Magic(magic) => {
                write!(
                    f,
                    "bytecode of another version of OCaml ({}): compile it with OCaml 4.13",
                    magic.escape_ascii()
                )
            }
            Self::Truncated { section, offset } => {
                write!(f, "section {section} at offset {offset} is truncated")
            }
            Self::Missing { section } => write!(f, "there is no section {section}"),
            Self::OddCode { length } => {
                write!(f, "section CODE: {length} bytes are no multiple of 4")
            }
            Self::Code { position, problem } => {
                write!(
                    f,
                    "section CODE, offset {}: {problem}",
                    position * CODE_WORD as usize
                )
            }
            Self::Data { offset, problem } => {
                write!(f, "section DATA at offset {offset}: {problem}")
            }
            Self::TooManyPrimitives { count } => {
                write!(f, "section PRIM: {count} primitives are too many")
            }
            Self::OutOfMemory => write!(f, "out of memory"),
        }
    }
}

impl fmt::Display for CodeProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Opcode(word) => write!(f, "{word} is no instruction"),
            Self::End => write!(f, "the code ends within a function"),
            Self::OperandRange(word) => write!(f, "operand {word} is out of range"),
            Self::JumpRange(to) => write!(f, "jump to word {to}, out of the code"),
            Self::JumpInside => write!(f, "jump into an instruction"),
            Self::StackMismatch => write!(f, "the stack differs between two paths"),
            Self::StackUnderflow => write!(f, "stack underflow"),
            Self::StackLeft => write!(f, "a function leaves with another stack than it began with"),
            Self::TrapFrame => write!(f, "misplaced trap frame"),
            Self::Shared => write!(f, "two functions share code"),
            Self::Entry => write!(f, "misplaced function entry"),
            Self::Arity(arity) => write!(f, "a function with {arity} parameters"),
            Self::PrimitiveArity(index) => {
                write!(f, "primitive {index} has another number of parameters")
            }
        }
    }
}

impl std::error::Error for ImageError {}
