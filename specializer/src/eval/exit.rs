//! How the evaluation of a block ends: the edges that leave it, in one order for both phases.

use std::ops::Range;

use smallvec::SmallVec;

use super::context::ContextId;
use crate::ir::Callee;
use crate::ir::generic::Block;

/// An edge to a (context, block) pair.
#[derive(Clone, Debug)]
pub struct Edge {
    pub context: ContextId,
    pub block: Block,
    /// Where its arguments are in [`super::transfer::Machine::args`].
    pub args: Range<usize>,
}

/// How a block ends. All edges share the cells at its end.
pub enum Exit<V> {
    Jump(Edge),
    Branch {
        cond: V,
        then: Edge,
        otherwise: Edge,
    },
    /// Behind a call that returns a number without its box.
    Returned {
        /// Whether it raised, which the way of this says to nobody else.
        raised: V,
        raises: Edge,
        returns: Edge,
    },
    /// Without a default, no other index is possible.
    Switch {
        index: V,
        targets: Vec<Edge>,
        default: Option<Edge>,
    },
    Return(SmallVec<[V; 2]>),
    TailCall {
        callee: Callee,
        args: SmallVec<[V; 4]>,
    },
    Unreachable,
}

impl<V> Exit<V> {
    /// Every edge, in order.
    pub fn edges(&self) -> impl Iterator<Item = &Edge> {
        let (one, two, many): (Option<&Edge>, Option<&Edge>, &[Edge]) = match self {
            Exit::Jump(edge) => (Some(edge), None, &[]),
            Exit::Branch {
                then, otherwise, ..
            }
            | Exit::Returned {
                raises: then,
                returns: otherwise,
                ..
            } => (Some(then), Some(otherwise), &[]),
            Exit::Switch {
                targets, default, ..
            } => (None, default.as_ref(), targets),
            Exit::Return(_) | Exit::TailCall { .. } | Exit::Unreachable => (None, None, &[]),
        };
        one.into_iter().chain(many).chain(two)
    }
}
