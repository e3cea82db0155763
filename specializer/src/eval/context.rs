//! Contexts: the interpreter position, and the assumed values, for which code is evaluated.
//!
//! A context is a stack of positions, which `context.push`, `context.pop` and `context.update`
//! change. On top of the last position are the outcomes of the value specializations since; below
//! it may be what a call that was evaluated in place returned, for a while. Such a call begins a
//! stack of its own, on top of the caller's.
//!
//! Invariant: contexts are interned, so equal ones have equal ids.

use std::cmp::Ordering;
use std::collections::hash_map::Entry;

use smallvec::SmallVec;

use super::abs::Abs;
use super::node::NodeId;
use super::span::order;
use crate::hash::FastMap;
use crate::index::{Map, index};
use crate::ir::Symbol;
use crate::ir::generic::Block;

index!(/// An interned context.
    ContextId, "cx");

/// One step from a context to another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Context {
    Root,
    /// At a position, above an outer context.
    At {
        outer: ContextId,
        position: Abs,
    },
    /// Where the specialization at the end of `site` had this outcome.
    Assuming {
        outer: ContextId,
        site: Block,
        value: Abs,
    },
    /// What a call that was evaluated in place returned, for so many positions more.
    Outcome {
        outer: ContextId,
        value: Abs,
        left: u8,
    },
    /// In what the node `caller` calls through this slot at its end.
    Call {
        outer: ContextId,
        caller: NodeId,
        slot: Symbol,
        extent: Extent,
    },
    /// Where a call that was tried is made after all.
    AfterAll {
        outer: ContextId,
    },
}

impl Context {
    /// The one that it is a step from.
    fn outer(self) -> Option<ContextId> {
        match self {
            Self::Root => None,
            Self::At { outer, .. }
            | Self::Assuming { outer, .. }
            | Self::Outcome { outer, .. }
            | Self::AfterAll { outer }
            | Self::Call { outer, .. } => Some(outer),
        }
    }
}

/// How much of a callee is evaluated in place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Extent {
    Whole,
    /// Ways to a return that have no effects, so many positions of them at most: see
    /// [`super::trial`].
    Trial {
        most: u8,
    },
}

/// Where a context is in the program: the positions of the calls it is in, and its own. Orders
/// what is called before what follows the call.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ProgramPoint(SmallVec<[(u32, u32, i64); 2]>);

impl Ord for ProgramPoint {
    fn cmp(&self, other: &Self) -> Ordering {
        let differ = self.0.iter().zip(&other.0).map(|(a, b)| a.cmp(b));
        let deeper_first = other.0.len().cmp(&self.0.len());
        differ
            .fold(Ordering::Equal, Ordering::then)
            .then(deeper_first)
    }
}

impl PartialOrd for ProgramPoint {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl ProgramPoint {
    /// Before all that is in the same call, and behind it.
    pub fn whole_call(&self) -> [Self; 2] {
        let at = |position: (u32, u32, i64)| {
            let mut point = self.0.clone();
            if let Some(last) = point.last_mut() {
                *last = position;
            }
            Self(point)
        };
        [at((0, 0, i64::MIN)), at((u32::MAX, u32::MAX, i64::MAX))]
    }
}

/// For how many positions it is known what a call returned.
const OUTCOME_POSITIONS: u8 = 3;

/// A context, and what is often asked of it.
#[derive(Clone, Copy)]
struct Interned {
    context: Context,
    /// The context in which the innermost call that it is in begins.
    call: Option<ContextId>,
    /// The innermost position.
    position: Abs,
}

/// All contexts of one request.
pub struct Contexts {
    contexts: Map<ContextId, Interned>,
    ids: FastMap<Context, ContextId>,
}

impl Contexts {
    pub const ROOT: ContextId = ContextId(0);

    pub fn new() -> Self {
        let root = Interned {
            context: Context::Root,
            call: None,
            position: Abs::Dynamic,
        };
        Self {
            contexts: vec![root].into(),
            ids: FastMap::from_iter([(Context::Root, Self::ROOT)]),
        }
    }

    pub fn len(&self) -> usize {
        self.contexts.len()
    }

    /// How many of them stand for a position that is not known.
    pub fn unknown_positions(&self) -> usize {
        let positions = self.contexts.values().filter_map(|interned| {
            let Context::At { position, .. } = interned.context else {
                return None;
            };
            Some(position)
        });
        positions.filter(|position| !position.is_known()).count()
    }

    pub fn push(&mut self, context: ContextId, position: Abs) -> ContextId {
        self.intern(Context::At {
            outer: context,
            position,
        })
    }

    /// That of the callee, where the node `caller` in `context` calls through `slot`.
    pub fn call(
        &mut self,
        context: ContextId,
        caller: NodeId,
        slot: Symbol,
        extent: Extent,
    ) -> ContextId {
        self.intern(Context::Call {
            outer: context,
            caller,
            slot,
            extent,
        })
    }

    /// Where the call of the callee with this context is made after all.
    pub fn after_all(&mut self, call: ContextId) -> ContextId {
        self.intern(Context::AfterAll { outer: call })
    }

    /// The callee's context, where a call is made after all.
    pub fn called_after_all(&self, context: ContextId) -> Option<ContextId> {
        match self.of(context) {
            Context::AfterAll { outer } => Some(outer),
            _ => None,
        }
    }

    /// The callee's context, within a callee of which a call is tried.
    pub fn trial(&self, context: ContextId) -> Option<ContextId> {
        let call = self.contexts[context].call?;
        match self.of(call) {
            Context::Call {
                extent: Extent::Trial { .. },
                ..
            } => Some(call),
            _ => None,
        }
    }

    /// In how many positions at most a call is tried of the callee with this context.
    pub fn most_tried(&self, call: ContextId) -> usize {
        match self.of(call) {
            Context::Call {
                extent: Extent::Trial { most },
                ..
            } => usize::from(most),
            _ => 0,
        }
    }

    /// That of a call, if there is one already and it is evaluated as a whole.
    pub fn find_call(&self, context: ContextId, caller: NodeId, slot: Symbol) -> Option<ContextId> {
        let call = Context::Call {
            outer: context,
            caller,
            slot,
            extent: Extent::Whole,
        };
        self.ids.get(&call).copied()
    }

    /// The calls that `context` is in, innermost first: the callee's context and the slot.
    pub fn calls(&self, context: ContextId) -> impl Iterator<Item = (ContextId, Symbol)> {
        let mut next = Some(context);
        std::iter::from_fn(move || {
            let call = self.contexts[next?].call?;
            let Context::Call { outer, slot, .. } = self.of(call) else {
                unreachable!("a call's context is one")
            };
            next = Some(outer);
            Some((call, slot))
        })
    }

    /// How many positions are on the stack.
    pub fn depth(&self, context: ContextId) -> usize {
        let all = std::iter::successors(Some(context), |&context| self.of(context).outer());
        all.filter(|&context| matches!(self.of(context), Context::At { .. }))
            .count()
    }

    /// The block with the specialization whose outcome was assumed last, since the last position.
    pub fn last_assumed(&self, context: ContextId) -> Option<Block> {
        match self.of(context) {
            Context::Assuming { site, .. } => Some(site),
            _ => None,
        }
    }

    /// The context of the last position, before anything was assumed.
    pub fn without_assumptions(&self, mut context: ContextId) -> ContextId {
        while let Context::Assuming { outer, .. } = self.of(context) {
            context = outer;
        }
        context
    }

    /// Whether no position was given yet: at the request's beginning, or at a callee's.
    pub fn is_beginning(&self, context: ContextId) -> bool {
        matches!(self.of(context), Context::Root | Context::Call { .. })
    }

    /// Whether the position that was given is not known.
    pub fn is_lost(&self, context: ContextId) -> bool {
        !self.position(context).is_known() && !self.is_beginning(context)
    }

    pub fn point(&self, context: ContextId) -> ProgramPoint {
        let mut point = SmallVec::new();
        let mut next = Some(context);
        while let Some(context) = next {
            let position = self.position(context).plus(0);
            point.push(position.map_or((u32::MAX, 0, 0), order));
            let call = self.contexts[context].call;
            next = call.and_then(|call| self.of(call).outer());
        }
        point.reverse();
        ProgramPoint(point)
    }

    fn of(&self, context: ContextId) -> Context {
        self.contexts[context].context
    }

    /// The context below the innermost position.
    pub fn pop(&self, mut context: ContextId) -> ContextId {
        loop {
            match self.of(context) {
                Context::Root | Context::Call { .. } | Context::AfterAll { .. } => return context,
                Context::At { outer, .. } => return outer,
                Context::Assuming { outer, .. } | Context::Outcome { outer, .. } => context = outer,
            }
        }
    }

    /// The same stack with another innermost position.
    pub fn update(&mut self, context: ContextId, position: Abs) -> ContextId {
        let mut outer = self.pop(context);
        if let Context::Outcome {
            outer: below,
            value,
            left,
        } = self.of(outer)
            && self.position(context) != position
        {
            outer = match left {
                0 => below,
                _ => self.intern(Context::Outcome {
                    outer: below,
                    value,
                    left: left - 1,
                }),
            };
        }
        self.push(outer, position)
    }

    /// `context`, where a call that was evaluated in place returned this: a context of its own for
    /// the next few positions.
    pub fn outcome(&mut self, context: ContextId, value: Abs) -> ContextId {
        let context = self.without_outcome(context);
        let Context::At { outer, position } = self.of(context) else {
            return context;
        };
        let left = OUTCOME_POSITIONS;
        let outer = self.intern(Context::Outcome { outer, value, left });
        self.push(outer, position)
    }

    /// The same context whatever the last call returned.
    pub fn without_outcome(&mut self, context: ContextId) -> ContextId {
        match self.of(context) {
            Context::At { outer, position } => match self.of(outer) {
                Context::Outcome { outer, .. } => self.push(outer, position),
                _ => context,
            },
            _ => context,
        }
    }

    /// `context`, where the value specialization at the end of `site` had the outcome `value`.
    /// `Dynamic` is the outcome "none of those guessed".
    pub fn assume(&mut self, context: ContextId, site: Block, value: Abs) -> ContextId {
        self.intern(Context::Assuming {
            outer: context,
            site,
            value,
        })
    }

    /// The innermost position.
    pub fn position(&self, context: ContextId) -> Abs {
        self.contexts[context].position
    }

    fn intern(&mut self, context: Context) -> ContextId {
        let new = match self.ids.entry(context) {
            Entry::Occupied(known) => return *known.get(),
            Entry::Vacant(new) => new,
        };
        let outer = context.outer().unwrap_or(Self::ROOT);
        let Interned { call, position, .. } = self.contexts[outer];
        let (call, position) = match context {
            Context::At { position, .. } => (call, position),
            Context::Assuming { .. } | Context::Outcome { .. } => (call, position),
            Context::Root | Context::AfterAll { .. } => (call, Abs::Dynamic),
            Context::Call { .. } => (Some(self.contexts.next_key()), Abs::Dynamic),
        };
        let id = self.contexts.push(Interned {
            context,
            call,
            position,
        });
        *new.insert(id)
    }
}
