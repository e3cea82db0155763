//! How an interpreter boxes floats, so that the evaluator can leave it for later or out.
//!
//! A module says which function makes one ([`annotations::BOX_EXPORT`]). A module that does not has
//! no virtual boxes.

use super::abs::{Abs, Fact};
use super::cells::Content;
use super::transfer::{Machine, Phase};
use crate::ir::{Callee, Func, Signature, Terminator, Type, generic};
use crate::lift;
use crate::module::Module;
use crate::op::{LoadKind, Op};

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

/// What the transfer function does with boxes.
impl<P: Phase> Machine<'_, P> {
    /// Whether a call makes a box that may be virtual.
    pub(super) fn makes_box(&self, callee: Callee) -> bool {
        let boxes = self.evaluation.boxes();
        boxes.is_some_and(|boxes| callee == Callee::Direct(boxes.make))
    }

    /// `box.exists`.
    pub(super) fn existing_box(&mut self, value: P::Value, result: Option<generic::Value>) {
        let value = match value.abs() {
            Abs::Fact(Fact::Box | Fact::BoxAt) => value,
            _ if self.evaluation.boxes().is_none() => value,
            _ => self.phase.existing_box(value),
        };
        self.set(result, value);
    }

    /// A pure operator whose first operand is a box; false if it is nothing special.
    pub(super) fn pure_of_box(
        &mut self,
        op: Op,
        result: Option<generic::Value>,
        args: &[P::Value],
    ) -> bool {
        let is_box = args.first().map(|arg| arg.abs()) == Some(Abs::Fact(Fact::Box));
        if op != Op::I32WrapI64 || !is_box {
            return false;
        }
        let address = self.phase.box_address(args[0]);
        self.set(result, address);
        true
    }

    /// A load of the whole payload of a virtual box; false if it loads something else.
    pub(super) fn load_payload(
        &mut self,
        kind: LoadKind,
        result: Option<generic::Value>,
        address: P::Value,
    ) -> bool {
        match kind {
            LoadKind::F64Load => {
                let payload = self.phase.payload(address);
                self.set(result, payload);
            }
            LoadKind::I64Load => {
                let payload = self.phase.payload(address);
                self.emit(Op::I64ReinterpretF64, &[payload], result);
            }
            _ => return false,
        }
        true
    }
}
