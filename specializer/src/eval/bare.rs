//! Calls by name that pass numbers without their boxes.
//!
//! A request may say that a parameter is always a box of some kind, or what the function returns.
//! Calls by name then ask for the function's version for *bare* numbers ([`crate::ir::Numbers`]):
//! it has the same type, and the payload's bits are in the place of the pointer. As all bits may be
//! a payload, a word of memory says that a call has raised. The version that raises writes it, who
//! called clears it at once.
//!
//! The version of a function that was declined makes the boxes and calls the function itself
//! ([`boxing`]).
//!
//! Invariant: the word is 0 but between such a return and the test behind the call.

use smallvec::SmallVec;

use super::abs::{Abs, Fact};
use super::boxes::{Boxes, Boxing, Kind};
use super::calls::NamedCall;
use super::cells::Content;
use super::copy;
use super::exit::{Edge, Exit};
use super::transfer::{Machine, Phase};
use super::write::Writer;
use super::{Evaluation, Residual};
use crate::image::ReadLog;
use crate::ir::{Callee, Numbers, Parameter, Symbol, Terminator, Type, residual};
use crate::module::Module;
use crate::op::{Const, LoadKind, Op, StoreKind};
use crate::request::{Boxed, Request};

const LOAD_RAISED: Op = Op::Load {
    kind: LoadKind::I32Load,
    offset: 0,
};

const STORE_RAISED: Op = Op::Store {
    kind: StoreKind::I32Store,
    offset: 0,
};

impl Evaluation<'_> {
    /// The kind of boxes of which a parameter of the residual function is the payload.
    pub(super) fn bare_param(&self, param: Parameter) -> Option<Kind> {
        self.boxes.kind(self.request.bare_param(param)?.into())
    }

    /// Whether calls pass numbers without their boxes.
    fn passes_bare_numbers(&self) -> bool {
        let is_on = self.optimisations.bare_numbers && self.boxing == Boxing::Virtual;
        // Counters are by slot; large programs have no versions.
        is_on && !self.counts && self.inlining.usual.given > 0
    }
}

impl<'a, P: Phase> Machine<'a, P> {
    /// What is always boxed where this is called, if calls pass it without boxes.
    pub(super) fn bare(&mut self, callee: Callee) -> Option<&'a Boxed> {
        let evaluation = self.evaluation;
        let Callee::Slot { slot, .. } = callee else {
            return None;
        };
        if !evaluation.passes_bare_numbers() {
            return None;
        }
        let boxed = &evaluation.image.request(slot, self.reads)?.boxed;
        let params = boxed.params.iter().map(|&(_, kind)| kind);
        let mut kinds = params.chain(boxed.result);
        let are_known = kinds.all(|kind| evaluation.boxes.kind(kind.into()).is_some());
        (*boxed != Boxed::default() && are_known).then_some(boxed)
    }

    /// The callee's version for bare numbers, and the arguments as it takes them.
    pub(super) fn pass_bare(
        &mut self,
        bare: Option<&Boxed>,
        mut callee: Callee,
        args: &mut [P::Value],
    ) -> Callee {
        let (Some(bare), Callee::Slot { numbers, .. }) = (bare, &mut callee) else {
            return callee;
        };
        *numbers = Numbers::Bare;
        for &(param, kind) in &bare.params {
            let arg = &mut args[param.index()];
            *arg = self.bits(kind, *arg);
        }
        callee
    }

    /// The payload's bits of a box of the kind with this index.
    fn bits(&mut self, kind: u8, boxed: P::Value) -> P::Value {
        let kind = self.evaluation.boxes.kind(kind.into());
        let kind = kind.expect("who passes numbers knows the kinds");
        let boxed = match boxed.abs() {
            Abs::Fact(Fact::Box(known) | Fact::BoxAt(known)) if known == kind => boxed,
            _ => self.phase.existing_box(kind, boxed),
        };
        let boxed = self.phase.as_held(boxed);
        let payload = self.phase.payload(boxed);
        match kind.payload {
            Type::F64 => {
                let op = Op::I64ReinterpretF64;
                self.phase.emit(op, &[payload], Some(Type::I64))
            }
            _ => payload,
        }
    }

    /// A call that passes bare numbers, if this one does.
    pub(super) fn bare_call(&mut self, call: &NamedCall<P::Value>) -> Option<Exit<P::Value>> {
        let &NamedCall {
            site, inst, target, ..
        } = call;
        let bare = self.bare(call.callee)?;
        let is_last = self.is_last(call);
        if is_last && bare.result != self.evaluation.request.bare_result() {
            // It stays a call that can be made in tail position.
            return None;
        }
        let mut args: SmallVec<[P::Value; 4]> = call.args.into();
        let callee = self.giving(call.callee, &args);
        let callee = self.pass_bare(Some(bare), callee, &mut args);
        if is_last {
            self.sync_if_due();
            return Some(Exit::TailCall { callee, args });
        }
        Some(match bare.result {
            Some(kind) => self.call_bare(callee, &args, kind, |machine, result| {
                machine.set(inst.result, result);
                let context = match result.abs() {
                    raised @ Abs::Const(_) => {
                        machine.contexts.assume(machine.context, site, raised)
                    }
                    _ => machine.context,
                };
                machine.edge(context, target)
            }),
            None => {
                self.emit(Op::Call(callee), &args, inst.result);
                Exit::Jump(self.edge(self.context, target))
            }
        })
    }

    /// A call that returns a number of the kind with this index. `go_on` says where what the
    /// function returned leads, and where 0 does, which stands for an exception.
    pub(super) fn call_bare(
        &mut self,
        callee: Callee,
        args: &[P::Value],
        kind: u8,
        mut go_on: impl FnMut(&mut Self, P::Value) -> Edge,
    ) -> Exit<P::Value> {
        let kind = self.evaluation.boxes.kind(kind.into());
        let kind = kind.expect("who passes numbers knows the kinds");
        let bits = self.emit_value(Op::Call(callee), args, Some(Type::I64));
        let word = self.raised_word();
        let raised = self.emit_value(LOAD_RAISED, &[word], Some(Type::I32));
        let payload = match kind.payload {
            Type::F64 => self
                .phase
                .emit(Op::F64ReinterpretI64, &[bits], Some(Type::F64)),
            _ => bits,
        };
        self.args.clear();
        let nothing = self.phase.known(Abs::Const(Const::I64(0)));
        let raises = go_on(self, nothing);
        let number = self.phase.virtual_box(kind, payload);
        let returns = go_on(self, number);
        Exit::Returned {
            raised,
            raises,
            returns,
        }
    }

    fn raised_word(&mut self) -> P::Value {
        let word = Const::I32(self.evaluation.boxes.raised() as i32);
        self.phase.known(Abs::Const(word))
    }

    /// What a version for bare numbers returns for a box of this kind, or for 0.
    pub(super) fn bare_result(&mut self, kind: u8, result: P::Value) -> P::Value {
        let abs = result.abs();
        let word = self.raised_word();
        if abs == Abs::Const(Const::I64(0)) {
            let yes = self.phase.known(Abs::Const(Const::I32(1)));
            self.emit_value(STORE_RAISED, &[word, yes], None);
            return result;
        }
        if !abs.is_nonzero() {
            let raised = self.emit_value(Op::I64Eqz, &[result], Some(Type::I32));
            self.emit_value(STORE_RAISED, &[word, raised], None);
        }
        // Where it raised, this loads from the beginning of memory.
        self.bits(kind, result)
    }
}

impl Writer<'_> {
    /// The payload that a parameter of the function is.
    pub(super) fn bare_param(&mut self, param: Parameter, kind: Kind) -> residual::Value {
        let bits = self.function.param(param);
        match kind.payload {
            Type::F64 => self.value(Op::F64ReinterpretI64, &[bits], Type::F64),
            _ => bits,
        }
    }

    /// Who called knows that the call raised.
    pub(super) fn clear_raised(&mut self) {
        let no = self.value(Op::Const(Const::I32(0)), &[], Type::I32);
        self.store_raised(no);
    }

    fn store_raised(&mut self, raised: residual::Value) {
        let word = Op::Const(Const::I32(self.boxes().raised() as i32));
        let word = self.value(word, &[], Type::I32);
        self.inst(
            STORE_RAISED,
            residual::Values::from_slice(&[word, raised]),
            None,
        );
    }
}

/// The version for bare numbers of a function that was declined: it calls the function itself. None
/// if the request asks for something else.
pub fn boxing(request: &Request, module: &Module, boxes: &Boxes) -> Option<Residual> {
    if request.numbers != Numbers::Bare || request.given().is_some() {
        return None;
    }
    let kind = |kind: u8| boxes.kind(kind.into());
    let mut writer = Writer::new(request, module, boxes);
    let count = writer.function.signature.params.len() as u32;
    let args = (0..count).map(Parameter).map(|param| {
        let Some(kind) = request.bare_param(param).and_then(kind) else {
            return writer.function.param(param);
        };
        let payload = writer.bare_param(param, kind);
        copy::run(&mut writer, &boxes.maker(kind).body, &[payload])
    });
    let args: residual::Values = args.collect();
    let callee = Callee::Slot {
        sig: request.sig,
        slot: Symbol {
            base: request.anchor,
            offset: request.distance(request.anchor).wrapping_neg(),
        },
        given: None,
        numbers: Numbers::Boxed,
    };
    let term = match request.bare_result().and_then(kind) {
        None => Terminator::TailCall { callee, args },
        Some(kind) => {
            let result = writer.value(Op::Call(callee), &args, Type::I64);
            let raised = writer.value(Op::I64Eqz, &[result], Type::I32);
            writer.store_raised(raised);
            let address = writer.value(Op::I32WrapI64, &[result], Type::I32);
            // The payload's bits: a kind has no payload of another width.
            let load = Op::Load {
                kind: LoadKind::I64Load,
                offset: boxes.maker(kind).declared.offset,
            };
            let bits = writer.value(load, &[address], Type::I64);
            Terminator::Return(SmallVec::from_slice(&[bits]))
        }
    };
    writer.end(term);
    Some(Residual {
        function: writer.function,
        reloads: Vec::new(),
        log: ReadLog::new(),
        links: Vec::new(),
        contexts: 0,
        nodes: 0,
        unknown_positions: 0,
    })
}
