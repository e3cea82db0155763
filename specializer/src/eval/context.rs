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
use crate::hash::{FastMap, FastSet};
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
    /// Bytes of code that are evaluated in place of calls, and where these are.
    inlined: u32,
    counted: FastSet<(ProgramPoint, Symbol)>,
    /// Calls that are not evaluated in place, as that would have been too many bytes: they stay so.
    refused: FastSet<(ContextId, NodeId, Symbol)>,
    /// Positions in each callee of which a call is tried.
    tried: FastMap<ContextId, FastSet<ContextId>>,
    /// The node that has the event of its beginning; none if several have one.
    events: FastMap<ContextId, Option<NodeId>>,
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
            inlined: 0,
            counted: FastSet::default(),
            refused: FastSet::default(),
            tried: FastMap::default(),
            events: FastMap::default(),
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

    /// A node has the event of the beginning of a callee that is tried: whether no other one has.
    pub fn note_event(&mut self, call: ContextId, node: NodeId) -> bool {
        let known = self.events.entry(call).or_insert(Some(node));
        if *known != Some(node) {
            *known = None;
        }
        known.is_some()
    }

    /// Whether a trial may go on to a position: one that is not behind, as a jump may say its
    /// target twice, and not too many of them. What was refused once stays refused.
    pub fn may_try(&mut self, call: ContextId, context: ContextId, position: Abs) -> bool {
        let here = self.position(context).plus(0).map(order);
        let Some((kind, base, offset)) = position.plus(0).map(order) else {
            return false;
        };
        let goes_on = here.is_none_or(|here| here.0 == kind && here.1 == base && here.2 <= offset);
        if !goes_on {
            return false;
        }
        let next = self.push(call, position);
        let most = match self.of(call) {
            Context::Call {
                extent: Extent::Trial { most },
                ..
            } => usize::from(most),
            _ => 0,
        };
        let tried = self.tried.entry(call).or_default();
        tried.contains(&next) || tried.len() < most && tried.insert(next)
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

    /// Whether a call may be evaluated in place, which takes `bytes` of `total`. One that is free
    /// where it is done again, as in a later round of a loop, takes none then.
    pub fn has_room(
        &mut self,
        call: (ContextId, NodeId, Symbol),
        is_free_again: bool,
        bytes: u32,
        total: u32,
    ) -> bool {
        if self.refused.contains(&call) {
            return false;
        }
        let (context, _, slot) = call;
        let place = (self.point(context), slot);
        if is_free_again && self.counted.contains(&place) {
            return true;
        }
        if self.inlined + bytes > total {
            self.refused.insert(call);
            return false;
        }
        self.inlined += bytes;
        self.counted.insert(place);
        true
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Base;
    use crate::op::Const;

    #[test]
    fn calls_in_later_rounds_take_room_once() {
        let mut contexts = Contexts::new();
        let mut at = |position| contexts.push(Contexts::ROOT, Abs::Const(Const::I32(position)));
        let (loops, behind) = (at(10), at(20));
        let slot = Symbol {
            base: Base(0),
            offset: 0,
        };
        let mut has_room = |context, node, is_free_again| {
            contexts.has_room((context, NodeId(node), slot), is_free_again, 6, 10)
        };
        assert!(has_room(loops, 1, false));
        assert!(has_room(loops, 2, true));
        // Another call, and the same in another way through the first round.
        assert!(!has_room(behind, 3, true));
        assert!(!has_room(loops, 4, false));
        assert!(!has_room(loops, 4, true), "what was refused stays so");
    }
}
