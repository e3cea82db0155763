//! How an interpreter boxes floats, so that the evaluator can leave it for later or out.
//!
//! A module says which function makes one ([`annotations::BOX_EXPORT`]). A module that does not has
//! no virtual boxes.

use crate::ir::{Func, Signature, Terminator, Type, generic};
use crate::lift;
use crate::module::Module;

/// The function that makes boxes of floats.
pub struct Boxes {
    /// From an `f64`, makes a box that nobody writes into. Its result, an `i64`, is the address of
    /// the payload.
    pub make: Func,
    /// Its body.
    pub body: generic::Function,
}

impl Boxes {
    /// The function that the module says makes boxes.
    pub fn function(module: &Module) -> Option<Func> {
        let pointer = module.exported_address(annotations::BOX_EXPORT)?;
        let index = module.image_u32(pointer) as usize;
        let function = module.table.get(index).copied().flatten()?;
        let expected = Signature {
            params: vec![Type::F64],
            results: vec![Type::I64],
        };
        (module.signature(function) == Some(&expected)).then_some(function)
    }

    /// That of a module, if it names one and its code can be copied.
    pub fn find(module: &Module) -> Option<Self> {
        let make = Self::function(module)?;
        let body = lift::function(module, make).ok()?;
        let returns = |block: &generic::BlockData| {
            !matches!(
                block.term,
                Terminator::TailCall { .. } | Terminator::Switch { .. }
            )
        };
        body.blocks
            .values()
            .all(returns)
            .then_some(Self { make, body })
    }
}
