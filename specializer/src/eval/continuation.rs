//! What follows calls that are evaluated in place.
//!
//! A continuation is found by the callee's context. It belongs to the node that calls, so its
//! values are known wherever the callee returns.

use smallvec::SmallVec;

use super::abs::Abs;
use super::calls::NamedCall;
use super::cells::Content;
use super::context::ContextId;
use super::exit::Edge;
use super::node::NodeId;
use super::transfer::{Machine, Phase};
use super::trial::Tried;
use crate::ir::generic::Block;
use crate::ir::{Terminator, generic};
use crate::op::Const;

/// How many blocks in a row may lead to a return.
const MOST_JUMPS: usize = 8;

/// What follows a call that is evaluated in place.
pub struct Continuation<V> {
    /// The block that calls, and its context.
    site: Block,
    context: ContextId,
    block: Block,
    /// Its arguments; absent where one is the call's result.
    args: SmallVec<[Option<V>; 8]>,
    /// The nodes that return here, or of which it depends otherwise where they lead.
    dependents: Vec<NodeId>,
    /// What the call is, if it is tried.
    pub(super) tried: Option<Tried<V>>,
    /// The event of the callee's beginning, if it is tried and one node has it.
    pub(super) waiting: Option<SmallVec<[V; 4]>>,
}

impl<V> Continuation<V> {
    /// A node depends on it.
    pub(super) fn note(&mut self, node: NodeId) {
        if !self.dependents.contains(&node) {
            self.dependents.push(node);
        }
    }

    pub(super) fn dependents(&self) -> &[NodeId] {
        &self.dependents
    }
}

impl<P: Phase> Machine<'_, P> {
    /// Notes what follows a call whose callee has this context.
    pub(super) fn note_continuation(
        &mut self,
        callee: ContextId,
        call: &NamedCall<P::Value>,
        tried: Option<Tried<P::Value>>,
    ) {
        let args = call.target.args.iter().map(|&arg| {
            let is_result = Some(arg) == call.inst.result;
            (!is_result).then(|| self.value(arg))
        });
        let args: SmallVec<_> = args.collect();
        let context = self.contexts.without_outcome(self.context);
        let known = self.continuations.entry(callee);
        let continuation = known.or_insert_with(|| Continuation {
            site: call.site,
            context,
            block: call.target.block,
            args: args.clone(),
            dependents: Vec::new(),
            tried: tried.clone(),
            waiting: None,
        });
        if continuation.args != args || continuation.tried != tried {
            continuation.args = args;
            continuation.tried = tried;
            self.outdated.extend_from_slice(&continuation.dependents);
        }
    }

    /// Where returning this leads from the call in place whose callee has this context.
    pub(super) fn leave_call(&mut self, callee: ContextId, result: P::Value) -> Edge {
        let node = self.node;
        let continuation = self.continuations.get_mut(&callee);
        let continuation = continuation.expect("who looked for it found it");
        continuation.note(node);
        let start = self.args.len();
        let args = continuation.args.iter();
        self.args
            .extend(args.map(|arg| arg.map_or(result, P::Value::moved)));
        let (block, mut context) = (continuation.block, continuation.context);
        // Whether it raised is known, and stays so; what else it is stays known for a while.
        if result.abs() == Abs::Const(Const::I64(0)) {
            let site = continuation.site;
            context = self.contexts.assume(context, site, result.abs());
        } else if result.abs().is_known() && self.evaluation.optimisations.outcomes {
            context = self.contexts.outcome(context, result.abs());
        }
        Edge {
            context,
            block,
            args: start..self.args.len(),
        }
    }

    /// The callee's context of the call that a return here returns from, if that is evaluated in
    /// place.
    pub(super) fn continuation(&self) -> Option<ContextId> {
        self.continuation_of(self.context)
    }

    fn continuation_of(&self, context: ContextId) -> Option<ContextId> {
        let mut calls = self.contexts.calls(context).map(|(callee, _)| callee);
        calls.find(|callee| self.continuations.contains_key(callee))
    }

    /// Whether what is returned in this context, the request's function returns as it is.
    pub(super) fn returns_on(&self, mut context: ContextId) -> bool {
        while let Some(callee) = self.continuation_of(context) {
            let continuation = &self.continuations[&callee];
            let is_result = continuation.args.iter().map(Option::is_none).collect();
            if !self.hands_on(continuation.block, is_result) {
                return false;
            }
            context = continuation.context;
        }
        true
    }

    /// Whether a block only returns its parameter of which this says so, if by way of others.
    pub(super) fn hands_on(&self, mut block: Block, mut is_result: SmallVec<[bool; 8]>) -> bool {
        let blocks = &self.evaluation.prepared.function.blocks;
        for _ in 0..MOST_JUMPS {
            let data = &blocks[block];
            if !data.insts.is_empty() {
                return false;
            }
            let is_it = |value: &generic::Value| {
                let place = data.params.iter().position(|param| param == value);
                place.is_some_and(|place| is_result[place])
            };
            match &data.term {
                Terminator::Return(values) => {
                    return matches!(&values[..], [value] if is_it(value));
                }
                Terminator::Jump(target) => {
                    is_result = target.args.iter().map(is_it).collect();
                    block = target.block;
                }
                Terminator::Branch { .. }
                | Terminator::Switch { .. }
                | Terminator::TailCall { .. }
                | Terminator::Unreachable => return false,
            }
        }
        false
    }
}
