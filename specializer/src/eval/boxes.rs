//! How an interpreter boxes numbers, so that the evaluator can leave it for later or out.
//!
//! A module lists its kinds of boxes ([`annotations::BoxTable`]), each with the function that makes
//! one. A module that does not has no virtual boxes.
//!
//! Invariant: a kind that the evaluator knows is one of the module's, and its function can be
//! copied.

use std::mem::{offset_of, size_of};

use annotations::{BoxKind, BoxTable, MAX_BOX_KINDS};

use super::abs::{Abs, Fact};
use super::cells::Content;
use super::transfer::{Machine, Phase};
use crate::ir::{Callee, Func, Terminator, Type, generic};
use crate::lift;
use crate::module::Module;
use crate::op::{Const, LoadKind, Op, intrinsic};

/// A kind of boxes: its index in the module's table, and the type of the payload.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct Kind {
    pub index: u8,
    pub payload: Type,
}

impl Kind {
    /// The load of a whole payload.
    pub fn load(self) -> LoadKind {
        match self.payload {
            Type::I32 => LoadKind::I32Load,
            Type::I64 => LoadKind::I64Load,
            Type::F32 => LoadKind::F32Load,
            Type::F64 => LoadKind::F64Load,
        }
    }
}

/// How residual code boxes numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Boxing {
    /// Where somebody looks at the box, if at all.
    Virtual,
    /// Where generic code does, by a copy of the function.
    InPlace,
    /// Where generic code does, by its calls.
    Called,
}

/// What the module says of a kind of boxes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Declared {
    /// From a payload, makes a box that nobody writes into. Its result, an `i64`, is the address of
    /// the box.
    pub make: Func,
    pub payload: Type,
    /// Where the payload lies in the box.
    pub offset: u32,
}

/// How boxes of one kind are made.
pub struct Maker {
    pub declared: Declared,
    /// The function's body.
    pub body: generic::Function,
}

/// Where the word is in the table.
const RAISED: u32 = offset_of!(BoxTable, raised) as u32;

/// The kinds of boxes that may be virtual, by their indices; absent where one may not.
pub struct Boxes {
    kinds: Vec<Option<Maker>>,
    /// Address of the word by which residual functions say that they raised, if kinds are listed.
    raised: Option<u32>,
}

/// Where the module lists kinds.
fn table(module: &Module) -> Option<u32> {
    module.exported_address(annotations::BOX_EXPORT)
}

impl Boxes {
    /// The kinds that the module lists, by their indices; absent where one is not as it should be.
    pub fn declared(module: &Module) -> Vec<Option<Declared>> {
        let Some(table) = table(module) else {
            return Vec::new();
        };
        let word = |at: u32, field: usize| module.image_u32(at.wrapping_add(field as u32));
        let count = word(table, offset_of!(BoxTable, count));
        if count > MAX_BOX_KINDS {
            return Vec::new();
        }
        let kinds = table.wrapping_add(offset_of!(BoxTable, kinds) as u32);
        let kind = |index: u32| {
            let kind = kinds.wrapping_add(index * size_of::<BoxKind>() as u32);
            let make = word(kind, offset_of!(BoxKind, make)) as usize;
            let make = module.table.get(make).copied().flatten()?;
            let signature = module.signature(make)?;
            let &[payload @ (Type::I64 | Type::F64)] = &signature.params[..] else {
                return None;
            };
            (signature.results[..] == [Type::I64]).then_some(Declared {
                make,
                payload,
                offset: word(kind, offset_of!(BoxKind, offset)),
            })
        };
        (0..count).map(kind).collect()
    }

    /// Whether the module lists a kind of this number.
    pub fn is_listed(&self, kind: u32) -> bool {
        (kind as usize) < self.kinds.len()
    }

    /// Those of a module whose functions can be copied.
    pub fn find(module: &Module) -> Self {
        let declared = Self::declared(module).into_iter();
        let maker = |declared: Declared| {
            let body = lift::function(module, declared.make).ok()?;
            let is_plain = |inst: &generic::Inst| match inst.op {
                Op::Intrinsic(intrinsic) => intrinsic::is_residual(intrinsic),
                _ => true,
            };
            let is_simple = |block: &generic::BlockData| {
                let is_other = matches!(
                    block.term,
                    Terminator::TailCall { .. } | Terminator::Switch { .. }
                );
                !is_other && block.insts.iter().all(is_plain)
            };
            let can_be_copied = body.blocks.values().all(is_simple);
            can_be_copied.then_some(Maker { declared, body })
        };
        Self {
            kinds: declared.map(|declared| maker(declared?)).collect(),
            raised: table(module).map(|table| table.wrapping_add(RAISED)),
        }
    }

    /// Address of the word by which residual functions say that they raised. There is a kind.
    pub fn raised(&self) -> u32 {
        self.raised.expect("a table lists the kinds")
    }

    /// The kind with this index.
    pub fn kind(&self, index: u32) -> Option<Kind> {
        let maker = self.kinds.get(index as usize)?.as_ref()?;
        Some(Kind {
            index: index as u8,
            payload: maker.declared.payload,
        })
    }

    /// The kind of the boxes that a callee makes.
    fn made_by(&self, callee: Callee) -> Option<Kind> {
        let Callee::Direct(function) = callee else {
            return None;
        };
        let makes = |maker: &Option<Maker>| {
            let maker = maker.as_ref();
            maker.is_some_and(|maker| maker.declared.make == function)
        };
        self.kind(self.kinds.iter().position(makes)? as u32)
    }

    /// How boxes of a kind are made.
    pub fn maker(&self, kind: Kind) -> &Maker {
        let maker = self.kinds.get(usize::from(kind.index));
        let maker = maker.and_then(Option::as_ref);
        maker.expect("a kind is one of the module's")
    }
}

/// What the transfer function does with boxes.
impl<P: Phase> Machine<'_, P> {
    /// What a call gives that makes a box; nothing if it is to stay a call.
    pub(super) fn boxed(&mut self, callee: Callee, payload: Option<&P::Value>) -> Option<P::Value> {
        let &payload = payload?;
        let kind = self.evaluation.boxes.made_by(callee)?;
        match self.evaluation.boxing {
            Boxing::Virtual => Some(self.phase.virtual_box(kind, payload)),
            Boxing::InPlace => {
                self.cells.polled = false;
                Some(self.phase.made_box(kind, payload))
            }
            Boxing::Called => None,
        }
    }

    /// Whether a call does nothing but to make a box that is virtual.
    pub(super) fn makes_virtual_box(&self, callee: Callee) -> bool {
        let evaluation = self.evaluation;
        evaluation.boxing == Boxing::Virtual && evaluation.boxes.made_by(callee).is_some()
    }

    /// `box.exists`.
    pub(super) fn box_exists(&mut self, value: P::Value, kind: P::Value) -> P::Value {
        let kind = match self.evaluation.boxing {
            Boxing::Virtual => kind.abs().as_u32(),
            Boxing::InPlace | Boxing::Called => None,
        };
        let kind = kind.and_then(|index| self.evaluation.boxes.kind(index));
        match (value.abs(), kind) {
            (Abs::Fact(Fact::Box(_) | Fact::BoxAt(_)), _) | (_, None) => value,
            (_, Some(kind)) => self.phase.existing_box(kind, value),
        }
    }

    /// `box.kind`.
    pub(super) fn box_kind(&mut self, value: P::Value, result: Option<generic::Value>) {
        let answer = match value.abs().fact() {
            Some(Fact::Box(kind) | Fact::BoxAt(kind)) => 1 + i32::from(kind.index),
            _ => 0,
        };
        self.set_known(result, Abs::Const(Const::I32(answer)));
    }

    /// A pure operator on a box, or on an address in one; false if it is nothing special.
    pub(super) fn pure_of_box(
        &mut self,
        op: Op,
        result: Option<generic::Value>,
        args: &[P::Value],
    ) -> bool {
        let (place, moved) = match (op, args) {
            (Op::I32WrapI64, &[place]) => (place, 0),
            (Op::I32Add, &[place, by]) | (Op::I32Add, &[by, place])
                if let Abs::Const(Const::I32(by)) = by.abs() =>
            {
                (place, by)
            }
            (Op::I32Sub, &[place, by]) if let Abs::Const(Const::I32(by)) = by.abs() => {
                (place, by.wrapping_neg())
            }
            _ => return false,
        };
        let fact = match (op, place.abs()) {
            (Op::I32WrapI64, Abs::Fact(Fact::Box(kind))) => Fact::InBox { kind, offset: 0 },
            (_, Abs::Fact(Fact::InBox { kind, offset })) => Fact::InBox {
                kind,
                offset: offset.wrapping_add(moved),
            },
            _ => return false,
        };
        let address = self.phase.noting(place, Abs::Fact(fact));
        self.set(result, address);
        true
    }

    /// A load, at `offset` bytes in a virtual box, that gives what follows from the payload alone;
    /// false if it gives anything else.
    pub(super) fn load_payload(
        &mut self,
        load: LoadKind,
        offset: i64,
        result: Option<generic::Value>,
        (kind, address): (Kind, P::Value),
    ) -> bool {
        let boxes = self.evaluation.boxes;
        if offset != i64::from(boxes.maker(kind).declared.offset) {
            return false;
        }
        let converted = match (kind.payload, load) {
            (_, load) if load == kind.load() => None,
            (Type::F64, LoadKind::I64Load) => Some(Op::I64ReinterpretF64),
            (Type::I64, LoadKind::F64Load) => Some(Op::F64ReinterpretI64),
            (Type::I64, LoadKind::I32Load) => Some(Op::I32WrapI64),
            _ => return false,
        };
        let payload = self.phase.payload(address);
        match converted {
            None => self.set(result, payload),
            Some(op) => self.emit(op, &[payload], result),
        }
        true
    }
}
