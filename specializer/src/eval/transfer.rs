//! The transfer function: what one generic block does to a state, in some context.
//!
//! Written once, and run in two phases: the analysis ([`super::analyse`]) runs it with values that
//! are only abstract, the emission ([`super::emit`]) with values that also name residual code. What
//! differs is behind [`Phase`]. As both follow the same states, the residual code is exactly what
//! the analysis found to be reached.

use smallvec::SmallVec;

use super::abs::{self, Abs, Fact};
use super::boxes::Kind;
use super::calls::NamedCall;
use super::cells::{Cell, Cells, Content, Reader};
use super::context::{ContextId, Contexts};
use super::continuation::Continuation;
use super::decisions::Decisions;
use super::exit::Exit;
use super::facts::may_ask_for_safepoint;
use super::node::NodeId;
use super::prepare::Prepared;
use super::span::Span;
use super::{Declined, Evaluation};
use crate::hash::FastMap;
use crate::image::{Image, Loaded, Location, Reads};
use crate::ir::generic::Block;
use crate::ir::{Callee, Terminator, Type, generic};
use crate::op::{Const, Effect, Intrinsic, LoadKind, Op};

/// What a phase does with the residual side of evaluation.
pub trait Phase {
    type Value: Content;

    /// The value of something known.
    fn known(&mut self, abs: Abs) -> Self::Value;

    /// A residual instruction, with a dynamic result of type `result` if it has one.
    fn emit(&mut self, op: Op, args: &[Self::Value], result: Option<Type>) -> Self::Value;

    /// A residual load of this cell.
    fn load_cell(&mut self, span: Span) -> Self::Value;

    /// A residual store to this cell.
    fn store_cell(&mut self, span: Span, value: Self::Value);

    /// The same for a collector, which need not find a box that is not made. The value, with what
    /// is known of where it is.
    fn store_root(&mut self, span: Span, value: Self::Value) -> Self::Value;

    /// The same value, of which this is known.
    fn noting(&mut self, value: Self::Value, known: Abs) -> Self::Value;

    /// A box of this payload, not made yet.
    fn virtual_box(&mut self, kind: Kind, payload: Self::Value) -> Self::Value;

    /// A box of this payload, made here.
    fn made_box(&mut self, kind: Kind, payload: Self::Value) -> Self::Value;

    /// The box that this pointer leads to.
    fn existing_box(&mut self, kind: Kind, pointer: Self::Value) -> Self::Value;

    /// The same box, the bits of whose payload are known.
    fn noting_payload(&mut self, existing: Self::Value, bits: i64) -> Self::Value;

    /// The payload of a virtual box, which is given by itself or by an address in it.
    fn payload(&mut self, virtual_box: Self::Value) -> Self::Value;

    /// The value as cells hold it: of a box, the payload.
    fn as_held(&mut self, value: Self::Value) -> Self::Value;

    /// The value of a cached cell. A box in one that memory has exists.
    fn held(&mut self, cell: Cell<Self::Value>) -> Self::Value;
}

/// Evaluates one block at a time.
pub struct Machine<'a, P: Phase> {
    pub evaluation: &'a Evaluation<'a>,
    pub contexts: &'a mut Contexts,
    pub decisions: &'a mut Decisions,
    pub reads: &'a mut Reads,
    pub phase: P,
    pub cells: Cells<P::Value>,
    /// The arguments of the edges of the last block evaluated.
    pub args: Vec<P::Value>,
    /// Those of the block before, within a node.
    brought: Vec<P::Value>,
    pub context: ContextId,
    /// The node that is evaluated, and whether it is in a later round of a loop, as far as that is
    /// known in this phase.
    pub node: NodeId,
    pub is_later_round: bool,
    /// What follows calls that are evaluated in place, by the callee's context; and nodes that
    /// return to where something has changed since.
    pub(super) continuations: FastMap<ContextId, Continuation<P::Value>>,
    pub outdated: Vec<NodeId>,
    /// Why the request is to be declined, as far as it is known in this phase.
    pub refused: Option<Declined>,
    /// What the interpreter says, where anybody listens.
    pub said: Option<&'a mut Vec<String>>,
    /// The function whose block is evaluated: the request's, or a small one that it calls.
    pub(super) prepared: &'a Prepared,
    /// The current block's values, by their numbers within it.
    pub(super) values: Vec<Option<P::Value>>,
    /// How many small functions are evaluated within each other.
    pub(super) depth: usize,
}

impl<'a, P: Phase> Machine<'a, P> {
    pub fn new(
        evaluation: &'a Evaluation<'a>,
        contexts: &'a mut Contexts,
        decisions: &'a mut Decisions,
        reads: &'a mut Reads,
        phase: P,
    ) -> Self {
        let values = vec![None; evaluation.prepared.widest];
        Self {
            evaluation,
            contexts,
            decisions,
            reads,
            phase,
            cells: Cells::default(),
            args: Vec::new(),
            brought: Vec::new(),
            context: Contexts::ROOT,
            node: NodeId::ENTRY,
            is_later_round: false,
            continuations: FastMap::default(),
            outdated: Vec::new(),
            refused: None,
            said: None,
            prepared: evaluation.prepared,
            values,
            depth: 0,
        }
    }

    /// Evaluates the node that begins with `block` and `params`, from the machine's context and
    /// cells: this block, and those that continue it where it is known which one does. What comes
    /// in another context may come from elsewhere, too.
    pub fn block(&mut self, block: Block, params: &[P::Value]) -> Exit<P::Value> {
        let context = self.context;
        if let Some(callee) = self.contexts.called_after_all(context) {
            return self.call_after_all(callee);
        }
        let mut exit = self.block_watched(block, params, |_, _| ());
        while let Exit::Jump(edge) = &exit
            && edge.context == context
            && self.evaluation.goes_on_in(edge.block)
        {
            let mut params = std::mem::take(&mut self.brought);
            std::mem::swap(&mut self.args, &mut params);
            exit = self.block_watched(edge.block, &params[edge.args.clone()], |_, _| ());
            self.brought = params;
        }
        exit
    }

    /// Evaluates one block; `look` is shown the machine before each instruction, by its number, and
    /// before what ends the block, unless the last instruction decides that.
    pub(super) fn block_watched(
        &mut self,
        block: Block,
        params: &[P::Value],
        mut look: impl FnMut(&Self, usize),
    ) -> Exit<P::Value> {
        self.args.clear();
        let data = &self.prepared.function.blocks[block];
        for (&param, &value) in data.params.iter().zip(params) {
            self.values[self.prepared.local[param] as usize] = Some(value);
        }
        if let Some(callee) = self.contexts.trial(self.context) {
            return self.try_block(callee, block, data);
        }
        let Some((last, insts)) = data.insts.split_last() else {
            look(self, 0);
            return self.terminator(&data.term);
        };
        for (index, inst) in insts.iter().enumerate() {
            look(self, index);
            self.inst(inst);
        }
        look(self, insts.len());
        match (last.op, &data.term) {
            (Op::Intrinsic(intrinsic), term) if intrinsic.fans_out() => {
                self.specialize(block, last, term)
            }
            (Op::Call(callee), Terminator::Jump(target)) => {
                let (callee, args) = self.callee(callee, self.values_of(&last.args));
                let call = NamedCall::new(block, last, callee, &args, target);
                if let Some(exit) = call.and_then(|call| self.call_by_name(&call)) {
                    return exit;
                }
                self.call(callee, last.result, args);
                self.terminator(&data.term)
            }
            (_, term) => {
                self.inst(last);
                look(self, data.insts.len());
                self.terminator(term)
            }
        }
    }

    pub(super) fn values_of(&self, values: &[generic::Value]) -> SmallVec<[P::Value; 4]> {
        values.iter().map(|&value| self.value(value)).collect()
    }

    pub(super) fn value(&self, value: generic::Value) -> P::Value {
        self.values[self.prepared.local[value] as usize]
            .expect("generic functions are in maximal SSA")
    }

    pub(super) fn set(&mut self, result: Option<generic::Value>, value: P::Value) {
        if let Some(result) = result {
            self.values[self.prepared.local[result] as usize] = Some(value);
        }
    }

    pub(super) fn set_known(&mut self, result: Option<generic::Value>, abs: Abs) {
        let value = self.phase.known(abs);
        self.set(result, value);
    }

    pub(super) fn inst(&mut self, inst: &generic::Inst) {
        let args = self.values_of(&inst.args);
        match inst.op {
            Op::Intrinsic(intrinsic) => self.intrinsic(intrinsic, inst.result, &args),
            Op::Const(constant) => self.set_known(inst.result, Abs::Const(constant)),
            Op::Load { kind, offset } => self.load(kind, offset, inst, args),
            Op::Call(callee) => {
                let (callee, args) = self.callee(callee, args);
                self.call(callee, inst.result, args);
            }
            Op::GlobalGet(global) => match self.evaluation.constant_global(global) {
                Some(constant) => self.set_known(inst.result, Abs::Const(constant)),
                None => self.emit(inst.op, &args, inst.result),
            },
            Op::Plain(_) | Op::Select => self.pure(inst.op, inst.result, &args),
            Op::Store { kind, offset } if self.store_to_frame(kind, offset, &args) => {}
            Op::Store { .. } => {
                let args = self.accessing(inst, args);
                self.emit(inst.op, &args, None);
            }
            Op::MemoryCopy | Op::MemoryFill => self.copy_or_fill(inst.op, &args),
            Op::Beyond(beyond) if beyond.meets_first() => self.copy_or_fill(inst.op, &args),
            Op::Beyond(_)
            | Op::GlobalSet(_)
            | Op::MemorySize
            | Op::MemoryGrow
            | Op::SymbolAddress(_) => self.emit(inst.op, &args, inst.result),
        }
    }

    pub(super) fn emit(&mut self, op: Op, args: &[P::Value], result: Option<generic::Value>) {
        let ty = result.map(|result| self.prepared.function.value_type(result));
        let value = self.emit_value(op, args, ty);
        self.set(result, value);
    }

    /// Before a call for which the cells were synced, they are; after it, what they hold may have
    /// changed. This must not wait for `cells.invalidate`: what comes first may be a join with a
    /// path on which the call was evaluated in place, and nothing was synced.
    pub(super) fn emit_value(&mut self, op: Op, args: &[P::Value], ty: Option<Type>) -> P::Value {
        if op.effect() != Effect::Pure {
            self.sync_if_due();
        }
        if may_ask_for_safepoint(op, args) {
            self.cells.polled = false;
        }
        let value = self.phase.emit(op, args, ty);
        if self.cells.is_shared && op.effect() == Effect::Calls {
            let evaluation = self.evaluation;
            self.invalidate(|address| evaluation.is_in_frame(address));
        }
        value
    }

    fn pure(&mut self, op: Op, result: Option<generic::Value>, args: &[P::Value]) {
        if self.pure_of_box(op, result, args) || self.half_of_known(op, result, args) {
            return;
        }
        if args.iter().any(|arg| arg.abs() != Abs::Dynamic) {
            let known: SmallVec<[Abs; 4]> = args.iter().map(|arg| arg.abs()).collect();
            let value = abs::fold(op, &known).or_else(|| self.comparison(op, &known));
            if let Some(value) = value {
                if value.is_known() {
                    return self.set_known(result, value);
                }
                // A select whose condition is known gives one of its operands.
                let chosen = args[usize::from(known[2].as_condition() == Some(false))];
                return self.set(result, chosen);
            }
        }
        if self.may_give_framed(op, args) {
            return self.emit_framed(op, args, result);
        }
        self.emit(op, args, result);
    }

    /// The outcome of comparing two addresses that are known to be different.
    fn comparison(&self, op: Op, args: &[Abs]) -> Option<Abs> {
        let &[Abs::Symbol(a), Abs::Symbol(b)] = args else {
            return None;
        };
        let is_one = matches!(op, Op::I32Eq | Op::I32Ne) && self.reads.bases.differ(a, b);
        is_one.then(|| Abs::truth(op == Op::I32Ne))
    }

    fn load(
        &mut self,
        kind: LoadKind,
        offset: u32,
        inst: &generic::Inst,
        args: SmallVec<[P::Value; 4]>,
    ) {
        let result = inst.result;
        if self.load_from_frame(kind, offset, args[0], result) {
            return;
        }
        let location = match args[0].abs() {
            Abs::Const(Const::I32(address)) => Some(Location::Absolute(address as u32)),
            Abs::Symbol(symbol) => Some(Location::Relative(symbol)),
            Abs::Offset { param, offset } => self.in_buffer(param, offset),
            Abs::Fact(Fact::InBox {
                kind: of,
                offset: at,
            }) if self.load_payload(
                kind,
                i64::from(at) + i64::from(offset),
                result,
                (of, args[0]),
            ) =>
            {
                return;
            }
            Abs::Fact(Fact::PointerAddress(word)) if offset == 0 && kind == LoadKind::I32Load => {
                return self.set_known(result, Abs::Symbol(word));
            }
            Abs::Const(_) | Abs::Extended(_) | Abs::Slot(_) | Abs::Fact(_) | Abs::Dynamic => None,
        };
        let image: &Image = self.evaluation.image;
        match location.and_then(|location| image.load(location, offset, kind, self.reads)) {
            Some(Loaded::Const(constant)) => self.set_known(result, Abs::Const(constant)),
            Some(Loaded::Slot(slot)) => self.set_known(result, Abs::Slot(slot)),
            Some(Loaded::Link(symbol)) => self.set_known(result, Abs::Symbol(symbol)),
            None => {
                let args = self.accessing(inst, args);
                self.emit(inst.op, &args, result);
            }
        }
    }

    fn call(
        &mut self,
        callee: Callee,
        result: Option<generic::Value>,
        args: SmallVec<[P::Value; 4]>,
    ) {
        if let Some(made) = self.boxed(callee, args.first()) {
            return self.set(result, made);
        }
        if let Some(value) = self.in_place(callee, &args) {
            return self.set(result, value);
        }
        let callee = self.giving(callee, &args);
        self.emit(Op::Call(callee), &args, result);
    }

    pub(super) fn lockstep_event(&mut self, event: &[P::Value]) {
        self.sync();
        self.emit(Op::Intrinsic(Intrinsic::LockstepEvent), event, None);
    }

    fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        result: Option<generic::Value>,
        args: &[P::Value],
    ) {
        match intrinsic {
            Intrinsic::ContextUpdate => {
                self.context = self.contexts.update(self.context, args[0].abs())
            }
            Intrinsic::ContextPush => {
                self.context = self.contexts.push(self.context, args[0].abs())
            }
            Intrinsic::ContextPop => self.context = self.contexts.pop(self.context),
            Intrinsic::SpecializeActive => self.set_known(result, Abs::truth(true)),
            Intrinsic::SpecializeInlined => {
                let is_inlined = self.is_inlined() && !self.evaluation.lockstep_events;
                self.set_known(result, Abs::truth(is_inlined));
            }
            Intrinsic::SpecializeInSlot => {
                let in_slot = !self.is_inlined() && self.evaluation.request.version().is_of_slot();
                self.set_known(result, Abs::truth(in_slot));
            }
            Intrinsic::SpecializeKnown => {
                let is_known = args[0].abs().is_known();
                self.set_known(result, Abs::truth(is_known));
            }
            Intrinsic::SafepointPassed => self.cells.polled = true,
            Intrinsic::SafepointNeedless => {
                let is_on = self.evaluation.optimisations.safepoints;
                let needless = self.cells.polled && is_on && !self.evaluation.lockstep_events;
                self.set_known(result, Abs::truth(needless));
            }
            Intrinsic::AddressWithin => self.address_within(args, result),
            Intrinsic::Nonzero => self.note(args[0], Fact::NonZero, result),
            Intrinsic::Immediate => self.note(args[0], Fact::Immediate, result),
            Intrinsic::BlockAddress => self.note(args[0], Fact::Address, result),
            Intrinsic::PointsTo => self.points_to(args[0], args[1], result),
            Intrinsic::CellsRead | Intrinsic::CellsRead8 | Intrinsic::CellsRead32 => {
                self.read_cell(intrinsic, args[0], result);
            }
            Intrinsic::CellsWrite | Intrinsic::CellsWrite8 | Intrinsic::CellsWrite32 => {
                self.write_cell(intrinsic, args[0], args[1]);
            }
            Intrinsic::CellsDropBelow | Intrinsic::CellsDropAbove | Intrinsic::CellsForget => {
                self.drop_cells(intrinsic, args);
            }
            Intrinsic::BoxExists => {
                let value = self.box_exists(args[0], args[1]);
                self.set(result, value);
            }
            Intrinsic::BoxLiteral => {
                let mut value = self.box_exists(args[0], args[1]);
                if let Abs::Const(Const::I64(payload)) = args[2].abs()
                    && self.evaluation.optimisations.literals
                {
                    value = self.phase.noting_payload(value, payload);
                }
                self.set(result, value);
            }
            Intrinsic::BoxKind => self.box_kind(args[0], result),
            Intrinsic::CellsSync => self.sync_for(Reader::Anybody),
            Intrinsic::CellsSyncRoots => self.sync_for(Reader::Collector),
            Intrinsic::CellsInvalidate => {
                self.sync_if_due();
                self.cells.is_shared = false;
                self.invalidate(|_| false);
            }
            Intrinsic::ProfileCallee => self.profile_callee(args, result),
            Intrinsic::LockstepEvent => {
                if self.evaluation.lockstep_events {
                    self.lockstep_event(args);
                }
            }
            Intrinsic::WevalGlobal
            | Intrinsic::WevalReadRegister
            | Intrinsic::WevalWriteRegister
            | Intrinsic::WevalPush
            | Intrinsic::WevalPop
            | Intrinsic::WevalReadStack
            | Intrinsic::WevalWriteStack
            | Intrinsic::WevalReadLocal
            | Intrinsic::WevalWriteLocal
            | Intrinsic::WevalSync
            | Intrinsic::WevalAssertConst
            | Intrinsic::WevalAssertSpecialized
            | Intrinsic::WevalAbort
            | Intrinsic::WevalTrace
            | Intrinsic::WevalPrint
            | Intrinsic::WevalBucket
            | Intrinsic::WevalReachable => self.weval(intrinsic, result, args),
            Intrinsic::SpecializeValue
            | Intrinsic::SpecializeRange
            | Intrinsic::SpecializeGuess
            | Intrinsic::SpecializeGuessByName
            | Intrinsic::WevalSpecialize => {
                unreachable!("preparation puts specializations at the ends of blocks")
            }
        }
    }
}
