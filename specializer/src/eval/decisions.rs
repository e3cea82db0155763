//! What was decided of the calls of a request, to be decided alike whenever evaluation comes there
//! again: which are evaluated in place, and how far others are tried.
//!
//! Invariant: what was refused once stays refused, else two nodes could be evaluated in turn for
//! ever.

use super::abs::Abs;
use super::context::{ContextId, Contexts, ProgramPoint};
use super::node::NodeId;
use super::span::order;
use crate::hash::{FastMap, FastSet};
use crate::ir::Symbol;

/// What was decided so far.
#[derive(Default)]
pub struct Decisions {
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

impl Decisions {
    /// Whether a call may be evaluated in place, which takes `bytes` of `total`. One that is free
    /// where it is done again, as in a later round of a loop, takes none then.
    pub fn has_room(
        &mut self,
        contexts: &Contexts,
        call: (ContextId, NodeId, Symbol),
        is_free_again: bool,
        bytes: u32,
        total: u32,
    ) -> bool {
        if self.refused.contains(&call) {
            return false;
        }
        let (context, _, slot) = call;
        let place = (contexts.point(context), slot);
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

    /// Whether a trial may go on to a position: one that is not behind, as a jump may say its
    /// target twice, and not too many of them. What was refused once stays refused.
    pub fn may_try(
        &mut self,
        contexts: &mut Contexts,
        call: ContextId,
        context: ContextId,
        position: Abs,
    ) -> bool {
        let here = contexts.position(context).plus(0).map(order);
        let Some((kind, base, offset)) = position.plus(0).map(order) else {
            return false;
        };
        let goes_on = here.is_none_or(|here| here.0 == kind && here.1 == base && here.2 <= offset);
        if !goes_on {
            return false;
        }
        let next = contexts.push(call, position);
        let most = contexts.most_tried(call);
        let tried = self.tried.entry(call).or_default();
        tried.contains(&next) || tried.len() < most && tried.insert(next)
    }

    /// A node has the event of the beginning of a callee that is tried: whether no other one has.
    pub fn note_event(&mut self, call: ContextId, node: NodeId) -> bool {
        let known = self.events.entry(call).or_insert(Some(node));
        if *known != Some(node) {
            *known = None;
        }
        known.is_some()
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
        let mut decisions = Decisions::default();
        let mut has_room = |context, node, is_free_again| {
            decisions.has_room(
                &contexts,
                (context, NodeId(node), slot),
                is_free_again,
                6,
                10,
            )
        };
        assert!(has_room(loops, 1, false));
        assert!(has_room(loops, 2, true));
        // Another call, and the same in another way through the first round.
        assert!(!has_room(behind, 3, true));
        assert!(!has_room(loops, 4, false));
        assert!(!has_room(loops, 4, true), "what was refused stays so");
    }
}
