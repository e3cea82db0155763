//! Whom calls call; and calls by name that end a block, with the ways in which they are evaluated:
//! the callee in place ([`super::inline`]), as much of it as has no effects ([`super::trial`]), or
//! a call of its version for bare numbers ([`super::bare`]).

use smallvec::SmallVec;

use super::Evaluation;
use super::abs::Abs;
use super::cells::Content;
use super::exit::Exit;
use super::transfer::{Machine, Phase};
use crate::ir::generic::{Block, Inst, Target};
use crate::ir::{Callee, Numbers, Sig, Symbol};

/// A call by name that ends a block.
pub struct NamedCall<'c, V> {
    /// The block.
    pub site: Block,
    pub inst: &'c Inst,
    pub callee: Callee,
    /// The callee's.
    pub slot: Symbol,
    pub args: &'c [V],
    /// Where the block goes on.
    pub target: &'c Target,
}

impl<'c, V: Content> NamedCall<'c, V> {
    /// The call `inst` at the end of `site`, if it calls the function in a slot.
    pub fn new(
        site: Block,
        inst: &'c Inst,
        callee: Callee,
        args: &'c [V],
        target: &'c Target,
    ) -> Option<Self> {
        let Callee::Slot { slot, .. } = callee else {
            return None;
        };
        Some(Self {
            site,
            inst,
            callee,
            slot,
            args,
            target,
        })
    }
}

impl<P: Phase> Machine<'_, P> {
    /// A call's callee and its arguments. If it is indirect, the last operand is an index in a
    /// table: where that is known, the call is a direct one of what is there.
    pub(super) fn callee(
        &self,
        callee: Callee,
        mut args: SmallVec<[P::Value; 4]>,
    ) -> (Callee, SmallVec<[P::Value; 4]>) {
        let known = match (callee, args.last()) {
            (Callee::Indirect { sig, table }, Some(index)) if table.0 == 0 => {
                self.in_table(index.abs(), sig)
            }
            _ => None,
        };
        if known.is_some() {
            args.pop();
        }
        (known.unwrap_or(callee), args)
    }

    /// The function at an index of the first table, if it is known and calling it with type `sig`
    /// cannot trap.
    fn in_table(&self, index: Abs, sig: Sig) -> Option<Callee> {
        let Evaluation { image, module, .. } = self.evaluation;
        let alike = &module.first_alike;
        match index {
            Abs::Slot(slot) if self.evaluation.optimisations.direct_calls => {
                let request = image.slot(self.reads.bases.address(slot))?;
                (alike[request.sig] == alike[sig]).then_some(Callee::Slot {
                    sig,
                    slot,
                    given: None,
                    numbers: Numbers::Boxed,
                })
            }
            _ => {
                let function = (*module.table.get(index.as_u32()? as usize)?)?;
                let has_type = alike[module.functions[function]] == alike[sig];
                has_type.then_some(Callee::Direct(function))
            }
        }
    }

    /// How the call ends its block; nothing if it is a call like any other.
    pub(super) fn call_by_name(&mut self, call: &NamedCall<P::Value>) -> Option<Exit<P::Value>> {
        self.inline_call(call)
            .or_else(|| self.try_call(call))
            .or_else(|| self.bare_call(call))
    }

    /// Whether the request's function returns what this call returns.
    pub(super) fn is_last(&self, call: &NamedCall<P::Value>) -> bool {
        let args = call.target.args.iter();
        let is_result = args.map(|&arg| Some(arg) == call.inst.result);
        self.hands_on(call.target.block, is_result.collect()) && self.returns_on(self.context)
    }
}
