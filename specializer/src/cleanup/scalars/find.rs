//! Finds the blocks that a function allocates, and all uses of their addresses.

use smallvec::SmallVec;

use crate::allocator::{Allocator, HEADER};
use crate::cleanup::constants::{self, ByValue};
use crate::dominators::Order;
use crate::hash::FastMap;
use crate::index::Map;
use crate::ir::residual::{Block, Function, Inst, Value};
use crate::ir::{Callee, Func};
use crate::op::{Const, Intrinsic, LoadKind, Op, StoreKind};

/// An instruction, or what ends a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Point {
    pub block: Block,
    pub index: usize,
}

/// A value that is computed from a block's address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The address plus so many bytes, an `i32`.
    Address(i32),
    /// The address as an `i64`.
    Word,
}

/// A block that is allocated here.
pub struct Fresh {
    pub at: Point,
    pub allocate: Func,
    /// The operands of the call.
    pub bytes: Value,
    pub header: Value,
    /// What the header is.
    word: i64,
    /// The address, and what is computed from it.
    parts: FastMap<Value, Part>,
    /// The instructions that compute it.
    pub computed_at: Vec<Point>,
    pub stores: Vec<Store>,
    pub loads: Vec<Load>,
    /// Tests of the address that come out the same for any.
    pub tests: Vec<(Value, Const)>,
    /// Uses that hand the address on, in reverse postorder.
    pub escapes: Vec<Point>,
    /// Blocks, by number, whose addresses are stored in it.
    pub holds: Vec<usize>,
}

pub struct Store {
    pub at: Point,
    /// Bytes from the block's address.
    pub displacement: i32,
    pub kind: StoreKind,
    pub value: Value,
}

pub struct Load {
    pub at: Point,
    displacement: i32,
    kind: LoadKind,
    pub result: Value,
}

/// What a load gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Field {
    Const(Const),
    Value(Value),
    /// The bits of the value as another type.
    Bits(Op, Value),
}

impl Fresh {
    pub fn part(&self, value: Value) -> Option<Part> {
        self.parts.get(&value).copied()
    }
}

/// What is stored in a block.
pub struct Fields<'f> {
    /// What the header is.
    word: i64,
    /// By displacement.
    stores: FastMap<i32, StoresAt<'f>>,
}

/// The stores at one displacement.
struct StoresAt<'f> {
    first: &'f Store,
    is_only: bool,
    /// Bytes of the widest.
    width: u32,
}

impl<'f> Fields<'f> {
    pub fn of(fresh: &'f Fresh) -> Self {
        let mut stores: FastMap<i32, StoresAt<'f>> = FastMap::default();
        for store in &fresh.stores {
            let width = store.kind.width();
            let known = stores.entry(store.displacement);
            let known = known.and_modify(|known| {
                known.is_only = false;
                known.width = known.width.max(width);
            });
            known.or_insert(StoresAt {
                first: store,
                is_only: true,
                width,
            });
        }
        Self {
            word: fresh.word,
            stores,
        }
    }

    /// What the load gives, if it is the same each time: a part of the header, or the one value
    /// that is ever stored there, and is stored before.
    pub fn given_by(&self, load: &Load, is_before: impl Fn(Point, Point) -> bool) -> Option<Field> {
        let (from, width) = (load.displacement, load.kind.width() as i32);
        if from < 0 {
            let start = (from + HEADER as i32) as usize;
            let bytes = self.word.to_le_bytes();
            let read = bytes.get(start..start + width as usize)?;
            return Some(Field::Const(load.kind.value(read)));
        }
        let stores = self.stores.get(&from)?;
        let reaches = |before: i32| {
            let other = self.stores.get(&(from - before));
            other.is_some_and(|other| other.width as i32 > before)
        };
        let is_met = (1..8).any(reaches)
            || (1..width).any(|behind| self.stores.contains_key(&from.wrapping_add(behind)));
        let store = stores.first;
        if !stores.is_only || is_met || !is_before(store.at, load.at) {
            return None;
        }
        match (store.kind, load.kind) {
            (StoreKind::I64Store, LoadKind::I64Load)
            | (StoreKind::F64Store, LoadKind::F64Load)
            | (StoreKind::I32Store, LoadKind::I32Load)
            | (StoreKind::F32Store, LoadKind::F32Load) => Some(Field::Value(store.value)),
            (StoreKind::I64Store, LoadKind::F64Load) => {
                Some(Field::Bits(Op::F64ReinterpretI64, store.value))
            }
            (StoreKind::F64Store, LoadKind::I64Load) => {
                Some(Field::Bits(Op::I64ReinterpretF64, store.value))
            }
            // The address of code in a closure.
            (StoreKind::I64Store, LoadKind::I32Load) => {
                Some(Field::Bits(Op::I32WrapI64, store.value))
            }
            _ => None,
        }
    }
}

/// Whether a function allocates blocks at all.
pub fn allocates(function: &Function, allocator: &Allocator) -> bool {
    let mut insts = function.blocks.values().flat_map(|block| &block.insts);
    insts.any(|inst| inst.op == Op::Call(Callee::Direct(allocator.allocate)))
}

pub struct Finder<'f> {
    function: &'f Function,
    allocator: &'f Allocator,
    constants: ByValue,
    /// By value: the block it is computed from, and how.
    parts: Map<Value, Option<(usize, Part)>>,
    found: Vec<Fresh>,
}

impl<'f> Finder<'f> {
    pub fn new(function: &'f Function, allocator: &'f Allocator) -> Self {
        Self {
            function,
            allocator,
            constants: constants::by_value(function),
            parts: Map::filled_like(&function.types, None),
            found: Vec::new(),
        }
    }

    /// The blocks, each with its uses.
    pub fn run(mut self, order: &Order) -> Vec<Fresh> {
        for &block in &order.blocks {
            let data = &self.function.blocks[block];
            for (index, inst) in data.insts.iter().enumerate() {
                self.inst(Point { block, index }, inst);
            }
            if !self.found.is_empty() {
                let index = data.insts.len();
                let operands: SmallVec<[Value; 8]> = data.term.operands().copied().collect();
                self.escape(Point { block, index }, &operands);
            }
        }
        self.found
    }

    fn inst(&mut self, at: Point, inst: &Inst) {
        if let Some(fresh) = self.allocation(at, inst) {
            return self.found.push(fresh);
        }
        if self.found.is_empty() {
            return;
        }
        let part =
            |finder: &Self, index: usize| inst.args.get(index).and_then(|&arg| finder.parts[arg]);
        match (inst.op, part(self, 0), part(self, 1)) {
            (_, None, None) if inst.args.len() <= 2 => {}
            (Op::Load { kind, offset }, Some((number, Part::Address(displacement))), _) => {
                self.found[number].loads.push(Load {
                    at,
                    displacement: displacement.wrapping_add(offset as i32),
                    kind,
                    result: inst.result.expect("a load has a result"),
                });
            }
            (Op::Store { kind, offset }, Some((number, Part::Address(displacement))), held)
                if displacement.wrapping_add(offset as i32) >= 0 =>
            {
                self.found[number].stores.push(Store {
                    at,
                    displacement: displacement.wrapping_add(offset as i32),
                    kind,
                    value: inst.args[1],
                });
                if let Some((held, _)) = held {
                    self.found[held].escapes.push(at);
                    self.found[number].holds.push(held);
                }
            }
            (op, Some((number, part)), None) if self.computes(at, inst, op, number, part) => {}
            _ => self.escape(at, &inst.args),
        }
    }

    /// Notes what the instruction computes from a part of a block, if that is another part, or the
    /// same for each block.
    fn computes(&mut self, at: Point, inst: &Inst, op: Op, number: usize, part: Part) -> bool {
        let constant = inst.args.get(1).and_then(|&arg| self.constants[arg]);
        let computed = match (op, part, constant) {
            (Op::I32Add, Part::Address(from), Some(Const::I32(by))) => {
                Ok(Part::Address(from.wrapping_add(by)))
            }
            (Op::Intrinsic(Intrinsic::AddressWithin), address @ Part::Address(_), _) => Ok(address),
            (Op::I64ExtendI32U, Part::Address(0), None) => Ok(Part::Word),
            (Op::I32WrapI64, Part::Word, None) => Ok(Part::Address(0)),
            (Op::I64And, Part::Word, Some(Const::I64(1))) => Err(Const::I64(0)),
            (Op::I64Eqz, Part::Word, None) | (Op::I32Eqz, Part::Address(0), None) => {
                Err(Const::I32(0))
            }
            (Op::I64Eq, Part::Word, Some(Const::I64(other))) if is_no_address(other) => {
                Err(Const::I32(0))
            }
            (Op::I64Ne, Part::Word, Some(Const::I64(other))) if is_no_address(other) => {
                Err(Const::I32(1))
            }
            _ => return false,
        };
        let result = inst.result.expect("a computation has a result");
        let fresh = &mut self.found[number];
        fresh.computed_at.push(at);
        match computed {
            Ok(part) => {
                fresh.parts.insert(result, part);
                self.parts[result] = Some((number, part));
            }
            Err(constant) => fresh.tests.push((result, constant)),
        }
        true
    }

    fn escape(&mut self, at: Point, operands: &[Value]) {
        for &operand in operands {
            if let Some((number, _)) = self.parts[operand] {
                let escapes = &mut self.found[number].escapes;
                if escapes.last() != Some(&at) {
                    escapes.push(at);
                }
            }
        }
    }

    fn allocation(&mut self, at: Point, inst: &Inst) -> Option<Fresh> {
        let allocate = self.allocator.allocate;
        if inst.op != Op::Call(Callee::Direct(allocate)) {
            return None;
        }
        let [bytes, header] = inst.args[..] else {
            return None;
        };
        let (Some(Const::I32(_)), Some(Const::I64(word))) =
            (self.constants[bytes], self.constants[header])
        else {
            return None;
        };
        let result = inst.result?;
        let address = Part::Address(0);
        self.parts[result] = Some((self.found.len(), address));
        Some(Fresh {
            at,
            allocate,
            bytes,
            header,
            word,
            parts: [(result, address)].into_iter().collect(),
            computed_at: vec![at],
            stores: Vec::new(),
            loads: Vec::new(),
            tests: Vec::new(),
            escapes: Vec::new(),
            holds: Vec::new(),
        })
    }
}

/// Whether the address of a block, which is even and not 0, is never this.
fn is_no_address(word: i64) -> bool {
    word & 1 == 1 || word == 0
}
