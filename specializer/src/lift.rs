//! Lifts WebAssembly functions to maximal SSA.
//!
//! Two steps: [`translate`] (with [`control`]) runs the operators over a symbolic stack and cuts
//! the body into blocks whose parameters are the operand stack; [`locals`] finds which locals are
//! live where and adds them to parameters and arguments.
//!
//! Invariant: a block's parameters are exactly the operand-stack values at its start (all of them,
//! from the bottom) and, after those, its live-in locals in order of index. Blocks are in reverse
//! postorder. Unreachable code is dropped.
//!
//! Leaves out what [`crate::ir`] leaves out, and functions whose blocks would have millions of
//! parameters, as these are as many as blocks and locals multiplied: such a function is
//! [`Unsupported`].

mod control;
mod locals;
mod translate;

#[cfg(test)]
mod programs;
#[cfg(test)]
mod tests;

use wasmparser::{BinaryReaderError, ValType};

use crate::index::Map;
use crate::ir::generic::Block;
use crate::ir::{Func, generic};
use crate::module::Module;

/// Why a function cannot be lifted, and where.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be specialized: offset {offset:#x}: {reason}", self.title())]
pub struct Unsupported {
    pub func: Func,
    /// As the name section has it.
    pub name: Option<String>,
    /// In the module's bytes.
    pub offset: usize,
    pub reason: Reason,
}

impl Unsupported {
    /// Whether the function is valid for all that is known, and only uses what lifting does not
    /// know: it can be linked as it is.
    pub fn can_stay_generic(&self) -> bool {
        match self.reason {
            Reason::Type { .. } | Reason::Types | Reason::Operator { .. } | Reason::Values(_) => {
                true
            }
            Reason::NoBody | Reason::Intrinsic(_) | Reason::Malformed(_) | Reason::Invalid(_) => {
                false
            }
        }
    }

    fn title(&self) -> String {
        match &self.name {
            Some(name) => format!("the interpreter's function `{name}` ({})", self.func),
            None => format!("the interpreter's function {}", self.func),
        }
    }
}

/// What stands in the way of lifting.
#[derive(Debug, thiserror::Error)]
pub enum Reason {
    #[error("there is no body to lift: the function is imported or does not exist")]
    NoBody,
    #[error("{what} is of type {ty}, and only i32, i64, f32 and f64 are known")]
    Type { what: &'static str, ty: ValType },
    #[error("types other than i32, i64, f32 and f64, or several results")]
    Types,
    #[error("operator {operator} of proposal `{proposal}`")]
    Operator {
        operator: String,
        proposal: &'static str,
    },
    #[error("too many locals live on in too many blocks: {0} values would be passed on")]
    Values(usize),
    #[error("there is no intrinsic `{0}` with this signature")]
    Intrinsic(String),
    #[error("malformed: {0}")]
    Malformed(#[from] BinaryReaderError),
    #[error("not valid: {0}")]
    Invalid(&'static str),
}

/// Where the instructions of a lifted function are, by block: offsets in the module's bytes.
pub type Places = Map<Block, BlockPlaces>;

/// Where one block is.
#[derive(Clone, Debug, Default)]
pub struct BlockPlaces {
    pub start: usize,
    /// Of each instruction, but for constants that lifting adds at the end.
    pub insts: Vec<usize>,
    /// Of what ends it.
    pub end: usize,
}

impl BlockPlaces {
    /// Where the instruction of this number is.
    pub fn inst(&self, index: usize) -> usize {
        self.insts.get(index).copied().unwrap_or(self.start)
    }

    /// What it has from the instruction of this number on, taken out.
    pub fn split_off(&mut self, index: usize) -> Self {
        let start = self.inst(index);
        let insts = self.insts.split_off(index.min(self.insts.len()));
        let end = std::mem::replace(&mut self.end, start);
        Self { start, insts, end }
    }
}

/// Lifts `func`. The module need not have been validated: what lifting relies on is checked here,
/// the rest by [`crate::verify`].
pub fn function(module: &Module<'_>, func: Func) -> Result<generic::Function, Unsupported> {
    let (function, _) = with_places(module, func)?;
    Ok(function)
}

/// The same, and where everything was.
pub fn with_places(
    module: &Module<'_>,
    func: Func,
) -> Result<(generic::Function, Places), Unsupported> {
    let draft = translate::run(module, func)?;
    locals::run(draft).map_err(|reason| Unsupported {
        func,
        name: module.name(func),
        offset: module.body(func).map_or(0, |body| body.range().start),
        reason,
    })
}
