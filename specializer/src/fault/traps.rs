//! Traps in the places of a fault, by which tests find out whether any call can notice it: whether
//! it comes there, whether what is wrong there is another value, and whether that is read. Of
//! memory that is not written, another value shows who reads it.
//!
//! Invariant: in a call that no trap ends, the function does what it does without traps, and with
//! the fault: nothing wrong has run, or it gave the very values that are right.

use super::values;
use crate::ir::Type;
use crate::ir::residual::{Block, BlockData, Function, Inst, Target, Terminator, Value, Values};
use crate::op::{Const, LoadKind, Op, StoreKind};

/// What is wrong.
#[derive(Default)]
pub struct Sites {
    /// Where: any of these.
    pub places: Vec<Site>,
    /// Values of the sound function that others take the place of; none where it is not values that
    /// are wrong.
    pub values: Vec<Value>,
    /// What is taken for another thing there, if that can be compared.
    difference: Option<Difference>,
    /// Whether what is wrong is that the store in their only place is missing.
    is_missing_store: bool,
}

/// A place in a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Site {
    Block(Block),
    /// Before one of the block's instructions, by number, or behind the last.
    Inst(Block, usize),
    /// On the way out of the block to one of its targets, by number.
    Edge(Block, usize),
}

/// A value, and what a fault has in its place: another value, or what an instruction gives.
struct Difference {
    right: Value,
    wrong: Wrong,
}

enum Wrong {
    Value(Value),
    Result(Op, Values),
}

impl Sites {
    /// There was no such place.
    pub fn none() -> Self {
        Self::default()
    }

    pub fn block(block: Block) -> Self {
        vec![Site::Block(block)].into()
    }

    pub fn edge(from: Block, edge: usize) -> Self {
        vec![Site::Edge(from, edge)].into()
    }

    pub fn inst(block: Block, index: usize) -> Self {
        vec![Site::Inst(block, index)].into()
    }

    pub fn with_values(self, values: Vec<Value>) -> Self {
        Self { values, ..self }
    }

    /// In their only place, nothing is wrong where the two have the same bits.
    pub fn unless_same(self, right: Value, wrong: Value) -> Self {
        let wrong = Wrong::Value(wrong);
        let difference = Some(Difference { right, wrong });
        Self { difference, ..self }
    }

    /// In their only place, nothing is wrong where this, computed there, has the same bits.
    pub fn unless_result(self, right: Value, op: Op, args: Values) -> Self {
        let wrong = Wrong::Result(op, args);
        let difference = Some(Difference { right, wrong });
        Self { difference, ..self }
    }

    /// What `store` would write is not written: nothing is wrong where memory holds it.
    pub fn unless_stored(self, store: &Inst) -> Self {
        let Op::Store { kind, offset } = store.op else {
            return self;
        };
        let missing = Self {
            is_missing_store: true,
            ..self
        };
        let kind = match kind {
            StoreKind::I32Store => LoadKind::I32Load,
            StoreKind::I64Store => LoadKind::I64Load,
            StoreKind::F32Store => LoadKind::F32Load,
            StoreKind::F64Store => LoadKind::F64Load,
            StoreKind::I32Store8
            | StoreKind::I32Store16
            | StoreKind::I64Store8
            | StoreKind::I64Store16
            | StoreKind::I64Store32 => return missing,
        };
        let address = store.args[0];
        missing.unless_result(
            store.args[1],
            Op::Load { kind, offset },
            Values::from_slice(&[address]),
        )
    }
}

impl From<Vec<Site>> for Sites {
    fn from(places: Vec<Site>) -> Self {
        Self {
            places,
            ..Self::default()
        }
    }
}

/// A word of memory that the modules of tests leave alone, for [`super::Act::TrapReaders`], and the
/// one behind it.
const FLAG: u32 = 0x40;

/// What the flag is set to: no address behind that exists.
const SET: i32 = -8;

/// Lets the places trap, by a store beyond all memory. What the code means beside that stays as it
/// is, and so do the rules that it keeps: an `unreachable` would cut off blocks that others rely
/// on.
pub fn trap(function: &mut Function, sites: &Sites) {
    for &site in &sites.places {
        let mut code = Code::new(function);
        let address = code.set_if_wrong(sites, |code| code.constant(0));
        code.store(address, address, FLAG);
        let insts = code.insts;
        insert(function, site, insts);
    }
}

/// Lets what reads the values trap once one of the places has run: these set a flag, which is an
/// address to the readers. A block that reads them looks at it when it begins, and behind a place.
pub fn trap_readers(function: &mut Function, sites: &Sites) {
    if sites.values.is_empty() {
        return;
    }
    let readers = values::readers(function, &sites.values);
    for &place in &sites.places {
        let mut code = Code::new(function);
        let base = code.constant(0);
        let flag = code.set_if_wrong(sites, |code| code.flag(base));
        code.store(base, flag, FLAG);
        if let Site::Block(block) | Site::Inst(block, _) = place
            && readers.contains(&block)
        {
            code.trap_if_set();
        }
        let insts = code.insts;
        insert(function, place, insts);
    }
    for reader in readers {
        let mut code = Code::new(function);
        code.trap_if_set();
        let insts = code.insts;
        insert(function, Site::Block(reader), insts);
    }
}

/// Lets a store that would be missing write another value, which whoever reads it finds.
pub fn store_other(function: &mut Function, sites: &Sites) {
    let (true, &[Site::Inst(block, index)]) = (sites.is_missing_store, &sites.places[..]) else {
        return;
    };
    let right = function.blocks[block].insts[index].args[1];
    let mut code = Code::new(function);
    let wrong = code.inverted(right);
    let insts = code.insts;
    let store = index + insts.len();
    insert(function, Site::Inst(block, index), insts);
    function.blocks[block].insts[store].args[1] = wrong;
}

/// Instructions to be inserted into a function.
struct Code<'f> {
    function: &'f mut Function,
    insts: Vec<Inst>,
}

impl<'f> Code<'f> {
    fn new(function: &'f mut Function) -> Self {
        Self {
            function,
            insts: Vec::new(),
        }
    }

    /// [`SET`] where something is wrong, else `otherwise`.
    fn set_if_wrong(&mut self, sites: &Sites, otherwise: impl Fn(&mut Self) -> Value) -> Value {
        let set = self.constant(SET);
        let Some(Difference { right, wrong }) = &sites.difference else {
            return set;
        };
        let ty = self.function.value_type(*right);
        let wrong = match wrong {
            Wrong::Value(value) => *value,
            Wrong::Result(op, args) => self.result(*op, args, ty),
        };
        let mut both = [*right, wrong].map(|value| self.bits(value));
        if is_only_tested(self.function, *right) {
            both = both.map(|bits| self.result(Op::I32Eqz, &[bits], ty));
        }
        let differ = match ty {
            Type::I32 | Type::F32 => Op::I32Ne,
            Type::I64 | Type::F64 => Op::I64Ne,
        };
        let differ = self.result(differ, &both, Type::I32);
        let otherwise = otherwise(self);
        self.result(Op::Select, &[set, otherwise, differ], Type::I32)
    }

    /// An integer with the bits of a value.
    fn bits(&mut self, value: Value) -> Value {
        match self.function.value_type(value) {
            Type::I32 | Type::I64 => value,
            Type::F32 => self.result(Op::I32ReinterpretF32, &[value], Type::I32),
            Type::F64 => self.result(Op::I64ReinterpretF64, &[value], Type::I64),
        }
    }

    /// The value whose bits are all others.
    fn inverted(&mut self, value: Value) -> Value {
        let ty = self.function.value_type(value);
        let bits = self.bits(value);
        let (integer, ones, xor) = match ty {
            Type::I32 | Type::F32 => (Type::I32, Const::I32(-1), Op::I32Xor),
            Type::I64 | Type::F64 => (Type::I64, Const::I64(-1), Op::I64Xor),
        };
        let ones = self.result(Op::Const(ones), &[], integer);
        let inverted = self.result(xor, &[bits, ones], integer);
        match ty {
            Type::I32 | Type::I64 => inverted,
            Type::F32 => self.result(Op::F32ReinterpretI32, &[inverted], ty),
            Type::F64 => self.result(Op::F64ReinterpretI64, &[inverted], ty),
        }
    }

    fn constant(&mut self, value: i32) -> Value {
        self.result(Op::Const(Const::I32(value)), &[], Type::I32)
    }

    fn flag(&mut self, base: Value) -> Value {
        let load = Op::Load {
            kind: LoadKind::I32Load,
            offset: FLAG,
        };
        self.result(load, &[base], Type::I32)
    }

    fn trap_if_set(&mut self) {
        let base = self.constant(0);
        let flag = self.flag(base);
        self.store(flag, base, FLAG + 4);
    }

    fn store(&mut self, address: Value, value: Value, offset: u32) {
        let kind = StoreKind::I32Store;
        self.insts.push(Inst {
            op: Op::Store { kind, offset },
            args: Values::from_slice(&[address, value]),
            result: None,
        });
    }

    fn result(&mut self, op: Op, args: &[Value], ty: Type) -> Value {
        let result = self.function.new_value(ty);
        self.insts.push(Inst {
            op,
            args: Values::from_slice(args),
            result: Some(result),
        });
        result
    }
}

/// Whether all that is done with a value is to branch on it: then another that is not 0 either is
/// not wrong.
fn is_only_tested(function: &Function, value: Value) -> bool {
    let is_test = |block: &BlockData| match block.term {
        Terminator::Branch { cond, .. } => cond == value,
        _ => false,
    };
    let uses = |block: &BlockData| block.operands().filter(|&&used| used == value).count();
    let mut blocks = function.blocks.values();
    blocks.all(|block| uses(block) == usize::from(is_test(block)))
}

/// Puts instructions into a block, or into a block of their own on an edge.
fn insert(function: &mut Function, site: Site, insts: Vec<Inst>) {
    match site {
        Site::Block(block) => {
            function.blocks[block].insts.splice(0..0, insts);
        }
        Site::Inst(block, index) => {
            function.blocks[block].insts.splice(index..index, insts);
        }
        Site::Edge(from, edge) => {
            let block = function.blocks.next_key();
            let mut targets = function.blocks[from].term.targets_mut();
            let target = targets.nth(edge).expect("it is the block's edge");
            let args = Default::default();
            let goal = std::mem::replace(target, Target { block, args });
            drop(targets);
            function.blocks.push(BlockData {
                params: Vec::new(),
                insts,
                term: Terminator::Jump(goal),
            });
        }
    }
}
