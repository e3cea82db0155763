//! Calls that are evaluated in place: a call through a request's slot goes on in the function that
//! the request specializes, with what the caller knows.
//!
//! The callee's nodes are in contexts of their own, one for each node that calls. So the call
//! dominates them, and they may use the caller's values. Its returns lead to what follows the call;
//! its tail calls, unless they are evaluated in place as well, become calls that return there.
//! Cells go in and come out as they are: a sync that was due before the call is not done. What
//! returns a constant keeps a way of its own for a while.
//!
//! Small functions are taken, and larger ones that are given a function which is known; up to a
//! total for each request. A short one that is in a loop's first rounds and in its later ones
//! counts once. A function that calls itself is taken within itself, once. How much is taken
//! depends on the size of the whole program, and on what a profile says of the callee
//! ([`Inlining`]).

use smallvec::{SmallVec, smallvec};

use super::Evaluation;
use super::abs::Abs;
use super::calls::NamedCall;
use super::cells::Reader;
use super::context::{ContextId, Contexts, Extent};
use super::exit::{Edge, Exit};
use super::given::given_function;
use super::transfer::{Machine, Phase};
use crate::ir::generic::Block;
use crate::ir::{Callee, Given, Symbol, Type};
use crate::op::Op;
use crate::request::{Heat, Param, Request};

/// The longest callee, in bytes of code, that counts once for all rounds of a loop that are split
/// off: an operator that is a function. Of longer ones copies cost more than they are worth.
const FREE_IN_LATER_ROUNDS: u32 = 128;

/// How much is evaluated in place, depending on the callee.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Inlining {
    pub usual: Limits,
    /// For callees that a profile calls hot.
    pub hot: Limits,
}

/// Limits of calls in place: bytes of code, but for the last two.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Limits {
    /// The callee's, wherever it is called.
    pub anywhere: u32,
    /// The callee's, in a request whose code loops.
    pub in_loops: u32,
    /// The callee's, where it is assumed.
    pub guessed: u32,
    /// The callee's, if it loops and is given a function that is known.
    pub applying: u32,
    /// The callee's, if it has a version for a function that it is given.
    pub given: u32,
    /// The callee's, within itself.
    pub recursive: u32,
    /// All such calls in one request; or as much as its own code, if that is longer.
    pub total: u32,
    /// All calls of a request within itself.
    pub total_recursive: u32,
    /// How many such calls may be within each other.
    pub depth: usize,
    /// Whether cells are stored before any call that is tried: shorter, as they are not stored
    /// again for the next one.
    pub stores_first: bool,
}

impl Inlining {
    /// Programs with more code than that, in bytes, are large.
    const LARGE: u64 = 1 << 20;

    /// For a program whose requests have `bytes` of code, without what is cold. A copy costs what
    /// compiling it costs, which a small program can afford.
    pub fn for_program(bytes: u64) -> Self {
        match bytes <= Self::LARGE {
            true => Self {
                usual: Limits::MEDIUM,
                hot: Limits::HIGH,
            },
            false => Self {
                usual: Limits::LOW,
                hot: Limits::MEDIUM,
            },
        }
    }

    /// The limits for a callee, if it may be evaluated in place.
    pub fn of(&self, callee: &Request) -> Option<Limits> {
        match callee.heat {
            Heat::Cold => None,
            Heat::Usual => Some(self.usual),
            Heat::Hot => Some(self.hot),
        }
    }
}

impl Limits {
    /// What is longer is never evaluated in place.
    pub fn longest(&self) -> u32 {
        let lengths = [
            self.anywhere,
            self.in_loops,
            self.guessed,
            self.applying,
            self.recursive,
        ];
        lengths.into_iter().fold(0, u32::max)
    }

    const LOW: Self = Self {
        anywhere: 64,
        in_loops: 256,
        given: 0,
        recursive: 0,
        total: 2048,
        stores_first: true,
        ..Self::MEDIUM
    };

    const MEDIUM: Self = Self {
        anywhere: 256,
        in_loops: 1024,
        guessed: 128,
        applying: 1024,
        given: 4096,
        recursive: 512,
        total: 8192,
        total_recursive: 1536,
        depth: 8,
        stores_first: false,
    };

    const HIGH: Self = Self {
        anywhere: 512,
        in_loops: 2048,
        guessed: 256,
        applying: 2048,
        total: 16384,
        ..Self::MEDIUM
    };
}

/// A call that may be evaluated in place.
struct Call<'a> {
    slot: Symbol,
    callee: &'a Request,
    limits: Limits,
    /// A function that the callee is given and that is known here.
    given: Option<Given>,
}

impl<'a, P: Phase> Machine<'a, P> {
    /// The edge into the callee, if the call is evaluated in place.
    pub(super) fn inline_call(&mut self, call: &NamedCall<P::Value>) -> Option<Exit<P::Value>> {
        let (callee, edge) = self.enter(call.slot, call.args)?;
        self.note_continuation(callee, call, None);
        Some(Exit::Jump(edge))
    }

    /// The same for a tail call: the callee returns where its caller would.
    pub(super) fn inline_tail_call(
        &mut self,
        callee: Callee,
        args: &[P::Value],
    ) -> Option<Exit<P::Value>> {
        let Callee::Slot { slot, .. } = callee else {
            return None;
        };
        let (_, edge) = self.enter(slot, args)?;
        Some(Exit::Jump(edge))
    }

    /// Where a tail call leads that is one.
    pub(super) fn tail_call(
        &mut self,
        callee: Callee,
        mut args: SmallVec<[P::Value; 4]>,
    ) -> Exit<P::Value> {
        let continuation = self.continuation();
        let bare = self.bare(callee);
        let is_last = self.returns_on(self.context);
        let own = self.evaluation.request.bare_result();
        let bare = bare.filter(|bare| !is_last || bare.result == own);
        let callee = self.giving(callee, &args);
        let callee = self.pass_bare(bare, callee, &mut args);
        let result = bare.and_then(|bare| bare.result);
        if is_last && result == own && (continuation.is_none() || bare.is_some()) {
            self.sync_if_due();
            return Exit::TailCall { callee, args };
        }
        match continuation {
            Some(continuation) => self.call_and_leave(continuation, callee, &args, result),
            None => {
                let result = &self.evaluation.prepared.function.signature.results;
                let ty = result.first().copied();
                let result = self.emit_value(Op::Call(callee), &args, ty);
                self.leave(&[result])
            }
        }
    }

    /// A call whose result, perhaps a number of a kind without its box, is what the callee of a
    /// call in place returns.
    pub(super) fn call_and_leave(
        &mut self,
        continuation: ContextId,
        callee: Callee,
        args: &[P::Value],
        result: Option<u8>,
    ) -> Exit<P::Value> {
        match result {
            Some(kind) => self.call_bare(callee, args, kind, |machine, result| {
                machine.leave_call(continuation, result)
            }),
            None => {
                let result = self.emit_value(Op::Call(callee), args, Some(Type::I64));
                self.args.clear();
                Exit::Jump(self.leave_call(continuation, result))
            }
        }
    }

    /// Where returning these values leads.
    pub(super) fn leave(&mut self, values: &[P::Value]) -> Exit<P::Value> {
        match self.continuation() {
            Some(callee) => {
                self.args.clear();
                Exit::Jump(self.leave_call(callee, values[0]))
            }
            None => {
                self.sync_if_due();
                match self.evaluation.request.bare_result() {
                    Some(kind) => Exit::Return(smallvec![self.bare_result(kind, values[0])]),
                    None => Exit::Return(values.into()),
                }
            }
        }
    }

    /// Whether the function under evaluation runs within another.
    pub(super) fn is_inlined(&self) -> bool {
        self.contexts.calls(self.context).next().is_some()
    }

    /// The callee of calls through `slot`, and its limits, if it is such that it may be evaluated
    /// in place here.
    pub(super) fn callee_in_place(&mut self, slot: Symbol) -> Option<(&'a Request, Limits)> {
        let evaluation = self.evaluation;
        if !evaluation.optimisations.inlining {
            return None;
        }
        let callee = evaluation.image.request(slot, self.reads)?;
        let limits = evaluation.inlining.of(callee)?;
        let results = &evaluation.prepared.function.signature.results;
        let fits = callee.function == evaluation.request.function
            && results[..] == [Type::I64]
            && self.contexts.calls(self.context).count() < limits.depth;
        fits.then_some((callee, limits))
    }

    /// The callee's context, and the edge to its beginning, if calls through `slot` are evaluated
    /// in place here.
    fn enter(&mut self, slot: Symbol, args: &[P::Value]) -> Option<(ContextId, Edge)> {
        if self.calls_by_name() {
            return None;
        }
        let (callee, limits) = self.callee_in_place(slot)?;
        let call = Call {
            slot,
            callee,
            limits,
            given: given_function(slot, callee, args),
        };
        if !self.is_within_budgets(&call) {
            return None;
        }
        let context = self
            .contexts
            .call(self.context, self.node, slot, Extent::Whole);
        let edge = self.beginning(context, callee, slot, args);
        Some((context, edge))
    }

    /// The edge to the beginning of the callee, whose context this is.
    pub(super) fn beginning(
        &mut self,
        context: ContextId,
        callee: &Request,
        slot: Symbol,
        args: &[P::Value],
    ) -> Edge {
        let start = self.args.len();
        for &param in &callee.params {
            let value = match param {
                Param::Pass(param)
                | Param::Frame(param)
                | Param::Given(param, _)
                | Param::Buffer(param, _) => args[param.index()],
                Param::Const(constant) => self.phase.known(Abs::Const(constant)),
                Param::Pointer(base) => {
                    let distance = callee.distance(base);
                    let address = Abs::Symbol(slot).plus(distance);
                    self.phase.known(address.expect("a symbol is an address"))
                }
            };
            self.args.push(value);
        }
        self.cells.sync_due = Reader::Nobody;
        self.cells.is_shared = false;
        Edge {
            context,
            block: Block::ENTRY,
            args: start..self.args.len(),
        }
    }

    /// Whether one of the functions under evaluation repeats itself.
    fn is_in_loop(&self) -> bool {
        let Evaluation { request, image, .. } = self.evaluation;
        let mut callers = self.contexts.calls(self.context);
        let loops = |slot| {
            image
                .slot(self.reads.bases.address(slot))
                .is_some_and(|caller| caller.loops)
        };
        request.loops || callers.any(|(_, slot)| loops(slot))
    }

    /// Whether this call is evaluated in place: it was before, or the budgets still allow it.
    fn is_within_budgets(&mut self, call: &Call) -> bool {
        let &Call {
            slot,
            callee,
            limits,
            given,
        } = call;
        let known = self.contexts.find_call(self.context, self.node, slot);
        if known.is_some() {
            return true;
        }
        let evaluation = self.evaluation;
        let address = self.reads.bases.address(slot);
        // A function that calls itself before its first position begins again: on a slow path.
        if self.context == Contexts::ROOT && address == evaluation.request.slot {
            return false;
        }
        let is_again = |(_, outer)| outer == slot;
        let (longest, total) = if address == evaluation.request.slot {
            (limits.recursive, limits.total_recursive)
        } else if callee.is_recursive {
            return false;
        } else {
            let longest = match (given, self.contexts.last_assumed(self.context)) {
                (Some(_), _) if callee.loops => limits.applying,
                (_, Some(_)) => limits.guessed,
                (_, None) if self.is_in_loop() => limits.in_loops,
                (_, None) => limits.anywhere,
            };
            (longest, limits.total.max(evaluation.request.code_len))
        };
        let call = (self.context, self.node, slot);
        let is_free = self.is_later_round && callee.code_len <= FREE_IN_LATER_ROUNDS;
        callee.code_len <= longest
            && !self.contexts.calls(self.context).any(is_again)
            && self
                .decisions
                .has_room(self.contexts, call, is_free, callee.code_len, total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Map;
    use crate::ir::{Base, Func, Numbers, Sig};
    use crate::request::Boxed;

    /// A request for code that a profile calls so.
    fn request(heat: Heat) -> Request {
        Request {
            function: Func(0),
            slot: 0,
            generic: Func(0),
            sig: Sig(0),
            globals: Vec::new(),
            params: Vec::new(),
            bases: Map::default(),
            anchor: Base(0),
            code: 0,
            code_len: 8,
            is_recursive: false,
            loops: false,
            returns_early: false,
            boxed: Boxed::default(),
            numbers: Numbers::Boxed,
            name: None,
            heat,
            callees: std::collections::BTreeMap::new(),
        }
    }

    #[test]
    fn larger_callees_are_taken_where_they_are_hot_and_none_where_they_are_cold() {
        for bytes in [0, 1 << 20, 1 << 21] {
            let inlining = Inlining::for_program(bytes);
            assert_eq!(inlining.of(&request(Heat::Cold)), None);
            let limits = |heat| inlining.of(&request(heat)).expect("it may be taken");
            let (usual, hot) = (limits(Heat::Usual), limits(Heat::Hot));
            assert!(hot.anywhere > usual.anywhere && hot.total > usual.total);
        }
    }
}
