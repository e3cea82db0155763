//! The residual function while it is written: names for values, code for known values, addresses of
//! cells.
//!
//! Invariant: a name is used only where its definition dominates. So the name of a known value
//! lasts for one block. Leaves out which blocks there are and how they are joined: see
//! [`super::emit`].

use super::abs::{Abs, Fact};
use super::boxes::Kind;
use super::cells::{Cell, Memory};
use super::copy;
use super::span::Span;
use super::transfer::Phase;
use super::value::{Literal, LiteralId, Val};
use super::{Boxes, Param};
use crate::hash::FastMap;
use crate::index::Map;
use crate::ir::residual::Block;
use crate::ir::{Parameter, Type, residual};
use crate::module::Module;
use crate::op::intrinsic::CELLS_REGION;
use crate::op::{Const, Effect, Intrinsic, LoadKind, Op};
use crate::request::Request;

/// Cells at known offsets from a parameter are addressed from `parameter - CELL_REACH_BELOW` by an
/// unsigned static offset of less than [`REACH`]. Sound because cells lie above the first 64 KiB, a
/// contract of the intrinsics: the subtraction never wraps.
const CELL_REACH_BELOW: i32 = 8192;
const REACH: u32 = 1 << 16;

/// What a collector finds where there is no box: an odd word, which is no address.
const NO_ADDRESS: Const = Const::I64(1);

/// A value that is loaded, and one defined earlier that equals it.
pub type Reload = (residual::Value, residual::Value);

/// Names that are valid in the current block.
#[derive(Default)]
pub struct Names {
    known: FastMap<Abs, residual::Value>,
    boxes: Made,
}

/// Pointers to boxes that were made since the last call.
pub type Made = FastMap<(Kind, residual::Value), residual::Value>;

/// The residual function being written, and the block at which.
pub struct Writer<'a> {
    pub function: residual::Function,
    /// Integers that are loaded again after a call, each with its name before that call.
    pub reloads: Vec<Reload>,
    current: Block,
    names: Names,
    literals: Vec<Literal>,
    boxes: &'a Boxes,
    /// By residual parameter: the base from which cells at offsets from it are addressed.
    cell_bases: Map<Parameter, Option<residual::Value>>,
    pub inst_count: usize,
}

impl<'a> Writer<'a> {
    pub fn new(request: &Request, module: &Module, boxes: &'a Boxes) -> Self {
        let signature = module.types[request.sig].clone();
        let signature = signature.expect("requests are checked to have a supported type");
        let function = residual::Function {
            signature,
            blocks: Map::default(),
            types: Map::default(),
        };
        let mut writer = Self {
            function,
            reloads: Vec::new(),
            current: Block::ENTRY,
            names: Names::default(),
            literals: Vec::new(),
            boxes,
            cell_bases: Map::default(),
            inst_count: 0,
        };
        let entry = writer.new_block();
        let types = writer.function.signature.params.clone();
        for &ty in &types {
            writer.param(entry, Abs::Dynamic, ty);
        }
        for (param, &ty) in (0..).map(Parameter).zip(&types) {
            let base = (ty == Type::I32).then(|| {
                let base = writer.cell_base(writer.function.param(param));
                // What an interpreter has in a frame, it also gets at by other addresses.
                let is_shared = request.params.contains(&Param::Frame(param));
                match is_shared {
                    true => base,
                    false => writer.within(base, CELLS_REGION),
                }
            });
            writer.cell_bases.push(base);
        }
        writer
    }

    pub fn boxes(&self) -> &'a Boxes {
        self.boxes
    }

    fn cell_base(&mut self, param: residual::Value) -> residual::Value {
        let size = self.value(Op::Const(Const::I32(CELL_REACH_BELOW)), &[], Type::I32);
        self.value(Op::I32Sub, &[param, size], Type::I32)
    }

    /// The address, which lies within this memory region.
    fn within(&mut self, address: residual::Value, region: u32) -> residual::Value {
        let region = self.known_name(Abs::Const(Const::I32(region as i32)));
        let op = Op::Intrinsic(Intrinsic::AddressWithin);
        self.value(op, &[address, region], Type::I32)
    }

    pub fn new_block(&mut self) -> Block {
        self.function.blocks.push(residual::BlockData::empty())
    }

    /// A target that is never reached.
    pub fn unreachable(&mut self) -> residual::Target {
        residual::Target::new(self.new_block(), [])
    }

    /// The value of a block's parameter; a residual parameter only if it is dynamic.
    pub fn param(&mut self, block: Block, abs: Abs, ty: Type) -> Val {
        if abs.is_known() {
            return Val::known(abs);
        }
        let value = self.function.new_value(abs.residual_type(ty));
        self.function.blocks[block].params.push(value);
        Val::named(abs, value)
    }

    /// Turns to a block that begins with these boxes.
    pub fn enter(&mut self, block: Block, boxes: Made) {
        self.current = block;
        self.names.known.clear();
        self.names.boxes = boxes;
    }

    /// The boxes that a block begins with which only the current one leads to.
    pub fn made(&self) -> Made {
        self.names.boxes.clone()
    }

    /// Goes on in another block, which only the current one leads to.
    pub fn go_on(&mut self, block: Block) {
        self.current = block;
    }

    /// Turns for a while to another block, which only the current one leads to.
    pub fn suspend(&mut self, block: Block) -> (Block, Names) {
        let names = Names {
            known: FastMap::default(),
            boxes: self.made(),
        };
        let names = std::mem::replace(&mut self.names, names);
        (std::mem::replace(&mut self.current, block), names)
    }

    pub fn resume(&mut self, (block, names): (Block, Names)) {
        self.current = block;
        self.names = names;
    }

    pub fn end(&mut self, term: residual::Terminator) {
        self.function.blocks[self.current].term = term;
    }

    pub fn inst(
        &mut self,
        op: Op,
        args: residual::Values,
        ty: Option<Type>,
    ) -> Option<residual::Value> {
        let result = ty.map(|ty| self.function.new_value(ty));
        self.function.blocks[self.current]
            .insts
            .push(residual::Inst { op, args, result });
        self.inst_count += 1;
        result
    }

    /// An instruction with a result of this type.
    pub fn value(&mut self, op: Op, args: &[residual::Value], ty: Type) -> residual::Value {
        let value = self.inst(op, residual::Values::from_slice(args), Some(ty));
        value.expect("it has a result")
    }

    pub fn names(&mut self, values: &[Val]) -> residual::Values {
        values.iter().map(|&value| self.name(value)).collect()
    }

    /// The residual name of a value; code for it, if it is known and has none.
    pub fn name(&mut self, value: Val) -> residual::Value {
        match (value.abs, value.residual) {
            (Abs::Fact(Fact::Box(kind)), Some(payload)) => self.pointer(kind, value, payload),
            (Abs::Fact(Fact::InBox { kind, offset }), Some(payload)) => {
                let pointer = self.pointer(kind, value, payload);
                let address = self.wrapped(pointer);
                self.displaced(address, offset)
            }
            (_, Some(name)) => name,
            (_, None) => self.known_name(value.abs),
        }
    }

    /// The name under which a value is passed where `abs` is known of it.
    pub fn name_as(&mut self, value: Val, abs: Abs) -> residual::Value {
        match (value.abs, abs, value.residual) {
            (from, to, Some(payload)) if from == to && to.is_virtual() => payload,
            (Abs::Fact(Fact::BoxAt(kind)), Abs::Fact(Fact::Box(to)), _) if kind == to => {
                self.open(kind, value)
            }
            _ => self.name(value),
        }
    }

    /// The name of what is known, in this block.
    fn known_name(&mut self, abs: Abs) -> residual::Value {
        if let Some(&name) = self.names.known.get(&abs) {
            return name;
        }
        let name = self.materialise(abs);
        self.names.known.insert(abs, name);
        name
    }

    /// The pointer to a virtual box: it is made now, unless it exists.
    fn pointer(&mut self, kind: Kind, value: Val, payload: residual::Value) -> residual::Value {
        self.made_pointer(kind, value, payload).unwrap_or_else(|| {
            let pointer = copy::run(self, &self.boxes.maker(kind).body, &[payload]);
            self.names.boxes.insert((kind, payload), pointer);
            pointer
        })
    }

    /// The pointer to a virtual box, if it exists.
    fn made_pointer(
        &self,
        kind: Kind,
        value: Val,
        payload: residual::Value,
    ) -> Option<residual::Value> {
        let made = || self.names.boxes.get(&(kind, payload)).copied();
        value.pointer.or_else(made)
    }

    /// The payload of an existing box.
    fn open(&mut self, kind: Kind, existing: Val) -> residual::Value {
        if let Some(literal) = existing.literal {
            let payload = self.literals[literal.index()].payload();
            return self.known_name(Abs::Const(payload));
        }
        let pointer = self.name(existing);
        let address = self.wrapped(pointer);
        let load = Op::Load {
            kind: kind.load(),
            offset: self.boxes.maker(kind).declared.offset,
        };
        self.value(load, &[address], kind.payload)
    }

    /// What an instruction gives that loads the payload of a literal, if it does.
    fn loaded_of_literal(&self, op: Op, args: &[Val]) -> Option<Const> {
        let (Op::Load { kind: load, offset }, [address]) = (op, args) else {
            return None;
        };
        let literal = self.literals[address.literal?.index()];
        let kind = literal.kind;
        let is_whole = load == kind.load() && offset == self.boxes.maker(kind).declared.offset;
        is_whole.then(|| literal.payload())
    }

    fn displaced(&mut self, address: residual::Value, offset: i32) -> residual::Value {
        if offset == 0 {
            return address;
        }
        let offset = self.known_name(Abs::Const(Const::I32(offset)));
        self.value(Op::I32Add, &[address, offset], Type::I32)
    }

    fn wrapped(&mut self, word: residual::Value) -> residual::Value {
        self.value(Op::I32WrapI64, &[word], Type::I32)
    }

    /// Code for what is known.
    fn materialise(&mut self, abs: Abs) -> residual::Value {
        match abs {
            Abs::Const(constant) => self.value(Op::Const(constant), &[], constant.ty()),
            Abs::Symbol(symbol) => self.value(Op::SymbolAddress(symbol), &[], Type::I32),
            Abs::Extended(symbol) => {
                let address = self.known_name(Abs::Symbol(symbol));
                self.value(Op::I64ExtendI32U, &[address], Type::I64)
            }
            Abs::Slot(slot) => {
                let address = self.known_name(Abs::Symbol(slot));
                let load = Op::Load {
                    kind: LoadKind::I32Load,
                    offset: 0,
                };
                self.value(load, &[address], Type::I32)
            }
            Abs::Offset { param, offset } => self.displaced(self.function.param(param), offset),
            Abs::Fact(_) | Abs::Dynamic => unreachable!("dynamic values have a name"),
        }
    }

    /// The address operand and static offset of the cell at `address`.
    fn cell_address(&mut self, address: Abs) -> (residual::Value, u32) {
        if let Abs::Offset { param, offset } = address
            && let Some(base) = self.cell_bases[param]
            && let Ok(offset) = u32::try_from(offset.wrapping_add(CELL_REACH_BELOW))
            && offset < REACH
        {
            return (base, offset);
        }
        (self.known_name(address), 0)
    }
}

impl Phase for Writer<'_> {
    type Value = Val;

    fn known(&mut self, abs: Abs) -> Val {
        Val::known(abs)
    }

    fn emit(&mut self, op: Op, args: &[Val], result: Option<Type>) -> Val {
        if let Some(payload) = self.loaded_of_literal(op, args) {
            return Val::dynamic(Some(self.known_name(Abs::Const(payload))));
        }
        let literal = match (op, args) {
            (Op::I32WrapI64, [pointer]) => pointer.literal,
            _ => None,
        };
        let args = self.names(args);
        let residual = self.inst(op, args, result);
        if op.effect() == Effect::Calls {
            // Boxes may have moved: those that were made for its arguments, too.
            self.names.boxes.clear();
        }
        Val {
            literal,
            ..Val::dynamic(residual)
        }
    }

    fn load_cell(&mut self, Span { address, width }: Span) -> Val {
        let (base, offset) = self.cell_address(address);
        let kind = width.load();
        let load = Op::Load { kind, offset };
        Val::dynamic(Some(self.value(load, &[base], width.ty())))
    }

    fn noting(&mut self, value: Val, known: Abs) -> Val {
        Val {
            abs: known,
            ..value
        }
    }

    fn virtual_box(&mut self, kind: Kind, payload: Val) -> Val {
        Val::named(Abs::Fact(Fact::Box(kind)), self.name(payload))
    }

    fn made_box(&mut self, kind: Kind, payload: Val) -> Val {
        let payload = self.name(payload);
        let pointer = copy::run(self, &self.boxes.maker(kind).body, &[payload]);
        Val::dynamic(Some(pointer))
    }

    fn existing_box(&mut self, kind: Kind, pointer: Val) -> Val {
        Val::named(Abs::Fact(Fact::BoxAt(kind)), self.name(pointer))
    }

    fn noting_payload(&mut self, existing: Val, bits: i64) -> Val {
        let Abs::Fact(Fact::BoxAt(kind)) = existing.abs else {
            return existing;
        };
        let literal = LiteralId::new(self.literals.len());
        self.literals.push(Literal { kind, bits });
        Val {
            literal,
            ..existing
        }
    }

    fn payload(&mut self, virtual_box: Val) -> Val {
        Val::dynamic(virtual_box.residual)
    }

    fn as_held(&mut self, value: Val) -> Val {
        match value.abs {
            Abs::Fact(Fact::BoxAt(kind)) => Val {
                pointer: value.residual,
                ..Val::named(Abs::Fact(Fact::Box(kind)), self.open(kind, value))
            },
            Abs::Fact(Fact::NonZero) => Val::dynamic(value.residual),
            _ => value,
        }
    }

    fn held(&mut self, cell: Cell<Val>) -> Val {
        let Cell { span, value, .. } = cell;
        let value = Val {
            is_placed: false,
            ..value
        };
        if cell.memory != Memory::Same && !cell.value.is_placed {
            return value;
        }
        match (value.abs, value.pointer) {
            (Abs::Fact(Fact::Box(_)), None) => Val {
                pointer: self.load_cell(span).residual,
                ..value
            },
            (Abs::Fact(Fact::Pointer(_)), _) if value.residual.is_none() => Val {
                residual: self.load_cell(span).residual,
                ..value
            },
            (Abs::Fact(Fact::Immediate), _) if value.residual.is_none() => {
                let reloaded = self.load_cell(span).residual;
                self.reloads.extend(reloaded.zip(value.before));
                Val {
                    residual: reloaded,
                    ..value
                }
            }
            _ => value,
        }
    }

    fn store_root(&mut self, span: Span, value: Val) -> Val {
        let (Abs::Fact(Fact::Box(kind)), Some(payload)) = (value.abs, value.residual) else {
            self.store_cell(span, value);
            return value;
        };
        let existing = self.made_pointer(kind, value, payload);
        let root = match existing {
            Some(_) => Val::dynamic(existing),
            None => Val::known(Abs::Const(NO_ADDRESS)),
        };
        self.store_cell(span, root);
        Val {
            is_placed: existing.is_some(),
            ..value
        }
    }

    fn store_cell(&mut self, span: Span, value: Val) {
        if value.is_placed {
            return;
        }
        let value = self.name(value);
        let (base, offset) = self.cell_address(span.address);
        let kind = span.width.store();
        let store = Op::Store { kind, offset };
        self.inst(store, residual::Values::from_slice(&[base, value]), None);
    }
}
