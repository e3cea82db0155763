//! How the evaluation of a block ends: the edges that leave it, in one order for both phases.

use std::ops::Range;

use smallvec::SmallVec;

use super::cells::Content;
use super::context::ContextId;
use super::transfer::{Machine, Phase};
use crate::ir::generic::{self, Block};
use crate::ir::{Callee, Terminator};

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
        /// Whether it raised: read from a word of memory, which the edge `raises` clears.
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

impl<P: Phase> Machine<'_, P> {
    pub(super) fn edge(&mut self, context: ContextId, target: &generic::Target) -> Edge {
        let start = self.args.len();
        for &arg in &target.args {
            self.args.push(self.value(arg));
        }
        Edge {
            context,
            block: target.block,
            args: start..self.args.len(),
        }
    }

    /// Where residual code looks at a value, a box is made that was virtual, and that may ask for a
    /// safepoint.
    fn looks_at(&mut self, value: P::Value) {
        self.cells.polled &= !value.abs().is_virtual();
    }

    pub(super) fn terminator(&mut self, term: &generic::Terminator) -> Exit<P::Value> {
        let context = self.context;
        match term {
            Terminator::Jump(target) => Exit::Jump(self.edge(context, target)),
            Terminator::Branch {
                cond,
                then,
                otherwise,
            } => {
                let cond = self.value(*cond);
                match cond.abs().as_condition() {
                    Some(true) => Exit::Jump(self.edge(context, then)),
                    Some(false) => Exit::Jump(self.edge(context, otherwise)),
                    None => {
                        self.looks_at(cond);
                        Exit::Branch {
                            cond,
                            then: self.edge(context, then),
                            otherwise: self.edge(context, otherwise),
                        }
                    }
                }
            }
            Terminator::Switch {
                index,
                targets,
                default,
            } => {
                let index = self.value(*index);
                match index.abs().as_u32() {
                    Some(known) => Exit::Jump(
                        self.edge(context, targets.get(known as usize).unwrap_or(default)),
                    ),
                    None => {
                        self.looks_at(index);
                        Exit::Switch {
                            index,
                            targets: targets
                                .iter()
                                .map(|target| self.edge(context, target))
                                .collect(),
                            default: Some(self.edge(context, default)),
                        }
                    }
                }
            }
            Terminator::Return(values) => {
                let values = self.values_of(values);
                self.leave(&values)
            }
            Terminator::TailCall { callee, args } => {
                let (callee, args) = self.callee(*callee, self.values_of(args));
                match self.inline_tail_call(callee, &args) {
                    Some(exit) => exit,
                    None => self.tail_call(callee, args),
                }
            }
            Terminator::Unreachable => {
                self.sync_if_due();
                Exit::Unreachable
            }
        }
    }
}
