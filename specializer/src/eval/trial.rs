//! Calls that are tried: their callee is evaluated in place as far as it has no effects, and called
//! where it goes beyond that.
//!
//! Many functions soon return: at the end of a list, at a leaf of a tree. Where such a one is too
//! long to be evaluated in place, or calls itself, the ways that lead to a return are, if the
//! interpreter says that there are any (`REQUEST_RETURNS_EARLY`). What such a way has computed when
//! it comes to an effect, a jump back, a choice of many or one position too many is thrown away:
//! all that it changed are cells, which are as they were before the call when that is made after
//! all. Memory may have got some of them, so they have to be the callee's own, as the flag
//! promises.
//!
//! In lockstep, the event of the callee's beginning waits for that of its end.

use smallvec::SmallVec;

use super::abs::Abs;
use super::calls::NamedCall;
use super::cells::{Cells, Content};
use super::context::{ContextId, Contexts, Extent};
use super::continuation::Continuation;
use super::exit::{Edge, Exit};
use super::span::order;
use super::transfer::{Machine, Phase};
use crate::ir::generic::{Block, BlockData, Inst};
use crate::ir::{Callee, Terminator};
use crate::op::{Intrinsic, Op};

/// How many positions of a callee are evaluated to try a call.
const MOST_TRIED: u8 = 64;

/// The same if the callee loops, and calls itself in tail position alone.
const MOST_TRIED_OF_LOOPS: u8 = 16;

/// Between how many ways a callee that is tried may choose at once.
const MOST_WAYS: u32 = 4;

/// Which parameter of an event is the stack pointer: what lies from there on belongs to the event.
const EVENT_STACK: usize = 2;

/// A call that is tried.
#[derive(Clone, PartialEq)]
pub struct Tried<V> {
    callee: Callee,
    args: SmallVec<[V; 4]>,
    /// Those before the call.
    cells: Cells<V>,
}

impl<P: Phase> Machine<'_, P> {
    /// The edge into the callee, if the call is tried.
    pub(super) fn try_call(&mut self, call: &NamedCall<P::Value>) -> Option<Exit<P::Value>> {
        let &NamedCall { slot, args, .. } = call;
        if !self.evaluation.optimisations.early_returns {
            return None;
        }
        let (request, limits) = self.callee_in_place(slot)?;
        let is_root = self.context == Contexts::ROOT;
        if !request.returns_early || is_root || self.is_last(call) {
            return None;
        }
        // The first round of a loop is not worth a copy.
        let most = match request.loops && !request.is_recursive {
            true => MOST_TRIED_OF_LOOPS,
            false => MOST_TRIED,
        };
        // Other calls follow one of a function that calls itself: what is in memory where both ways
        // meet is not stored again for them.
        if request.is_recursive || limits.stores_first {
            self.sync_if_due();
        }
        let extent = Extent::Trial { most };
        let context = self.contexts.call(self.context, self.node, slot, extent);
        let tried = Tried {
            callee: call.callee,
            args: args.into(),
            cells: self.cells.clone(),
        };
        self.note_continuation(context, call, Some(tried));
        Some(Exit::Jump(self.beginning(context, request, slot, args)))
    }

    /// Evaluates a block of a callee that is tried, if it may be.
    pub(super) fn try_block(
        &mut self,
        callee: ContextId,
        block: Block,
        data: &BlockData,
    ) -> Exit<P::Value> {
        let goes_on = match data.term {
            Terminator::Jump(_)
            | Terminator::Branch { .. }
            | Terminator::Switch { .. }
            | Terminator::Return(_) => true,
            Terminator::TailCall { .. } | Terminator::Unreachable => false,
        };
        let (switch, insts) = match data.insts.split_last() {
            Some((last, insts)) if last.op == Op::Intrinsic(Intrinsic::SpecializeRange) => {
                (Some(last), insts)
            }
            _ => (None, &data.insts[..]),
        };
        let mut insts = insts.iter();
        let is_free = goes_on && insts.clone().all(|inst| self.is_free_of_effects(inst.op));
        let ends = matches!(data.term, Terminator::Return(_));
        if !is_free || !insts.all(|inst| self.try_inst(callee, inst, ends)) {
            return self.give_up(callee);
        }
        match switch {
            None => self.terminator(&data.term),
            Some(switch) if self.is_narrow(switch) => self.specialize(block, switch, &data.term),
            Some(_) => self.give_up(callee),
        }
    }

    /// Whether a choice is one of a few: with more, the callee would choose again.
    fn is_narrow(&self, choice: &Inst) -> bool {
        let ways = self.ways(choice);
        ways.is_some_and(|ways| ways.end.wrapping_sub(ways.start) <= MOST_WAYS)
    }

    /// Evaluates an instruction without effects of a callee that is tried, unless it is where that
    /// goes too far; in the block that `ends` it, if that is so.
    fn try_inst(&mut self, callee: ContextId, inst: &Inst, ends: bool) -> bool {
        match inst.op {
            Op::Intrinsic(Intrinsic::LockstepEvent) if self.evaluation.lockstep_events => {
                let event = self.values_of(&inst.args);
                return self.try_event(callee, event, ends);
            }
            Op::Intrinsic(Intrinsic::ContextUpdate) => {
                let position = self.value(inst.args[0]).abs();
                // An event that has been does not wait.
                if ends
                    || !self
                        .decisions
                        .may_try(self.contexts, callee, self.context, position)
                {
                    return false;
                }
            }
            Op::Intrinsic(
                Intrinsic::CellsWrite | Intrinsic::CellsWrite8 | Intrinsic::CellsWrite32,
            ) if self.evaluation.lockstep_events => {
                let address = self.value(inst.args[0]).abs();
                if self.is_waited_for(callee, address) {
                    return false;
                }
            }
            _ => {}
        }
        self.inst(inst);
        true
    }

    /// Whether the event that waits shows the cell at this address: one that is not beyond the top
    /// of its stack. What is written before the first position is there before the event.
    fn is_waited_for(&mut self, callee: ContextId, address: Abs) -> bool {
        if self.contexts.is_beginning(self.context) {
            return false;
        }
        let grows_up = self.cells.window.grows_up;
        let Some(event) = &self.depends_on(callee).waiting else {
            return true;
        };
        let place = |address: Abs| address.plus(0).map(order);
        let places = place(address).zip(place(event[EVENT_STACK].abs()));
        let is_beyond = places.is_some_and(|(cell, top)| {
            let is_farther = match grows_up {
                false => cell.2 < top.2,
                true => cell.2 >= top.2,
            };
            (cell.0, cell.1) == (top.0, top.1) && is_farther
        });
        !is_beyond
    }

    /// An event: the one of the callee's beginning waits for that of its end; no other one may be
    /// between them. Returns whether that may be done: at the beginning, there is one node that has
    /// it.
    fn try_event(&mut self, callee: ContextId, event: SmallVec<[P::Value; 4]>, ends: bool) -> bool {
        if ends {
            let waiting = self.depends_on(callee).waiting.clone();
            return waiting.is_some_and(|waiting| {
                self.lockstep_event(&waiting);
                self.lockstep_event(&event);
                true
            });
        }
        // What waits stays: else its node and this one would be evaluated in turn for ever.
        if !self.contexts.is_beginning(self.context) {
            return false;
        }
        let is_only_one = self.decisions.note_event(callee, self.node);
        let event = is_only_one.then_some(event);
        let continuation = self.depends_on(callee);
        if continuation.waiting != event {
            continuation.waiting = event;
            let dependents = continuation.dependents().to_vec();
            self.outdated.extend(dependents);
        }
        is_only_one
    }

    /// What follows a call that is tried: what becomes of the node that is evaluated depends on it.
    fn depends_on(&mut self, callee: ContextId) -> &mut Continuation<P::Value> {
        let continuation = self.continuations.get_mut(&callee);
        let continuation = continuation.expect("a call that is tried goes on somewhere");
        continuation.note(self.node);
        continuation
    }

    /// Leaves a callee that was tried, to where it is called.
    pub(super) fn give_up(&mut self, callee: ContextId) -> Exit<P::Value> {
        self.depends_on(callee);
        self.cells = self.tried(callee).cells;
        self.args.clear();
        Exit::Jump(Edge {
            context: self.contexts.after_all(callee),
            block: Block::ENTRY,
            args: 0..0,
        })
    }

    /// Makes the call that was tried.
    pub(super) fn call_after_all(&mut self, context: ContextId) -> Exit<P::Value> {
        let Tried {
            callee, mut args, ..
        } = self.tried(context);
        let bare = self.bare(callee);
        let callee = self.giving(callee, &args);
        let callee = self.pass_bare(bare, callee, &mut args);
        let result = bare.and_then(|bare| bare.result);
        self.call_and_leave(context, callee, &args, result)
    }

    fn tried(&self, callee: ContextId) -> Tried<P::Value> {
        let tried = self.continuations[&callee].tried.clone();
        tried.expect("it is tried")
    }

    /// Whether nothing is changed by it but cells.
    fn is_free_of_effects(&self, op: Op) -> bool {
        match op {
            Op::Intrinsic(intrinsic) => matches!(
                intrinsic,
                Intrinsic::ContextUpdate
                    | Intrinsic::LockstepEvent
                    | Intrinsic::SpecializeActive
                    | Intrinsic::SpecializeInlined
                    | Intrinsic::SpecializeInSlot
                    | Intrinsic::SpecializeKnown
                    | Intrinsic::SafepointPassed
                    | Intrinsic::SafepointNeedless
                    | Intrinsic::AddressWithin
                    | Intrinsic::Nonzero
                    | Intrinsic::Immediate
                    | Intrinsic::BlockAddress
                    | Intrinsic::PointsTo
                    | Intrinsic::CellsRead
                    | Intrinsic::CellsRead8
                    | Intrinsic::CellsRead32
                    | Intrinsic::CellsWrite
                    | Intrinsic::CellsWrite8
                    | Intrinsic::CellsWrite32
                    | Intrinsic::CellsDropBelow
                    | Intrinsic::CellsDropAbove
                    | Intrinsic::BoxExists
                    | Intrinsic::BoxLiteral
                    | Intrinsic::BoxKind
            ),
            Op::Const(_)
            | Op::Plain(_)
            | Op::Select
            | Op::Load { .. }
            | Op::GlobalGet(_)
            | Op::SymbolAddress(_) => true,
            Op::Call(callee) => self.makes_virtual_box(callee),
            Op::Store { .. }
            | Op::GlobalSet(_)
            | Op::MemorySize
            | Op::MemoryGrow
            | Op::MemoryCopy
            | Op::MemoryFill
            | Op::Beyond(_) => false,
        }
    }
}
