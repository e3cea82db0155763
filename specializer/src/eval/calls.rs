//! Calls by name that end a block, and the ways in which they are evaluated: the callee in place
//! ([`super::inline`]), as much of it as has no effects ([`super::trial`]), or a call of its
//! version for bare numbers ([`super::bare`]).

use super::cells::Content;
use super::exit::Exit;
use super::transfer::{Machine, Phase};
use crate::ir::generic::{Block, Inst, Target};
use crate::ir::{Callee, Symbol};

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
    /// The call `inst` at the end of `site`, if what it calls through the table is known to be
    /// `callee`, the function in a slot. Of the operands, the last one is the index in the table.
    pub fn new(
        site: Block,
        inst: &'c Inst,
        callee: Callee,
        operands: &'c [V],
        target: &'c Target,
    ) -> Option<Self> {
        let Callee::Slot { slot, .. } = callee else {
            return None;
        };
        let (_, args) = operands.split_last()?;
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
