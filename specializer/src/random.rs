//! Random residual functions for property tests: valid by construction, of any shape of control
//! flow.
//!
//! The graph comes first; then each block's operands are chosen among the values that dominate it.
//! So that loops end, where each begins it counts its rounds, or reports to the host. Other blocks
//! may report too, so that a test can compare traces.

mod memory;
mod rounds;

use std::mem;

use crate::dominators::{Dominators, Order};
use crate::hash::FastSet;
use crate::index::Map;
use crate::ir::residual::{Block, BlockData, Function, Inst, Target, Terminator, Value, Values};
use crate::ir::{Callee, Func, Global, Sig, Signature, Type};
use crate::op::{Const, LoadKind, Op, StoreKind};
use fastrand::Rng;

/// `report(i32, i64) -> i64`: a function that the test provides.
pub const REPORT: Func = Func(0);
/// A mutable `i32` global.
pub const GLOBAL: Global = Global(0);

/// The types of [`REPORT`] and [`GLOBAL`].
pub struct Types;

fn signature() -> Signature {
    Signature {
        params: vec![Type::I32, Type::I64],
        results: vec![Type::I64],
    }
}

impl crate::op::Types for Types {
    fn function(&self, _: Func) -> Option<&Signature> {
        static REPORT_TYPE: std::sync::LazyLock<Signature> = std::sync::LazyLock::new(signature);
        Some(&REPORT_TYPE)
    }

    fn signature(&self, _: Sig) -> Option<&Signature> {
        None
    }

    fn global(&self, _: Global) -> Option<Type> {
        Some(Type::I32)
    }
}

/// The seeds that a test tries: `few`, or those that `make fuzz` names.
pub fn cases(few: u64) -> std::ops::Range<u64> {
    let number = |name, default| {
        std::env::var(name).map_or(default, |text| text.parse().expect("a number of cases"))
    };
    let first = number("BACTRIAN_FUZZ_FIRST", 0);
    first..first + number("BACTRIAN_FUZZ_CASES", few)
}

/// A function `(i32, i64) -> i64` of up to `max_blocks` blocks, and two for each loop that counts.
/// Half of them count where they can; half of them report only where they have to.
pub fn function(random: &mut Rng, max_blocks: usize) -> Function {
    let count = 1 + random.usize(..max_blocks);
    let [counts, stores, calls] = [(); 3].map(|()| random.bool());
    // Loops of one entry are rare where edges lead anywhere.
    let reach = if counts { 3 } else { count };
    let blocks = 0..count;
    let mut function = Function {
        signature: signature(),
        blocks: blocks
            .map(|block| graph_block(random, block, count, reach))
            .collect(),
        types: Map::default(),
    };
    let counting = match counts {
        true => rounds::count(&mut function),
        false => FastSet::default(),
    };
    let order = Order::new(&function);
    let dominators = Dominators::new(&function, &order);
    let reports = (function.blocks.keys())
        .map(|block| {
            let has_to = order.begins_loop(block) && !counting.contains(&block);
            has_to || calls && random.usize(..4) == 0
        })
        .collect();
    let count = function.blocks.len();
    let mut builder = Builder {
        random,
        function: &mut function,
        dominators: &dominators,
        insts: Vec::new(),
        available: Vec::new(),
        defined: Map::filled(Vec::new(), count),
        reports,
        counting,
        choices: match (calls, stores) {
            (true, _) => CHOICES.len(),
            (false, true) => CHOICES.len() - CALLS,
            (false, false) => CHOICES.len() - CALLS - STORES,
        },
        addresses: FastSet::default(),
        loads: Vec::new(),
    };
    for block in order.number.keys() {
        builder.params(block);
        if !order.reaches(block) {
            builder.function.blocks[block].term = Terminator::Unreachable;
        }
    }
    for &block in &order.blocks {
        builder.block(block);
    }
    function
}

/// Stands for an operand that is not yet chosen.
const HOLE: Value = Value(u32::MAX);

/// Most rounds of a loop that counts, a power of two.
const MOST_ROUNDS: i32 = 4;

/// The block of number `block` of `count` with its edges, which lead to any of the `reach` before
/// and after it, but for the entry; arguments and operands are filled in later.
fn graph_block(random: &mut Rng, block: usize, count: usize, reach: usize) -> BlockData {
    let mut target = || {
        let near = block.saturating_sub(reach).max(1)..count.min(block + reach + 1);
        let block = if count > 1 { random.usize(near) } else { 0 };
        jump_to(Block(block as u32))
    };
    let targets = [target(), target(), target(), target()];
    let [first, second, third, default] = targets;
    let term = match random.usize(..if count > 1 { 12 } else { 1 }) {
        0 | 1 => Terminator::Return(Values::new()),
        2..=4 => Terminator::Jump(first),
        5..=9 => Terminator::Branch {
            cond: HOLE,
            then: first,
            otherwise: second,
        },
        10 => Terminator::Switch {
            index: HOLE,
            targets: vec![first, second, third],
            default,
        },
        _ => Terminator::TailCall {
            callee: Callee::Direct(REPORT),
            args: Values::new(),
        },
    };
    block_with(term)
}

/// A jump whose arguments are chosen later.
fn jump_to(block: Block) -> Target {
    Target {
        block,
        args: Values::new(),
    }
}

/// A block of which only the end is there.
fn block_with(term: Terminator) -> BlockData {
    BlockData {
        term,
        ..BlockData::empty()
    }
}

/// Operators and the types of their operands; constants and offsets are chosen when one is.
const CHOICES: [(Op, &[Type]); 44] = {
    use Type::{F64, I32, I64};
    [
        (Op::Const(Const::I32(0)), &[]),
        (Op::Const(Const::I64(0)), &[]),
        (Op::I32Add, &[I32, I32]),
        (Op::I32Sub, &[I32, I32]),
        (Op::I32And, &[I32, I32]),
        (Op::I32Or, &[I32, I32]),
        (Op::I32Xor, &[I32, I32]),
        (Op::I32Shl, &[I32, I32]),
        (Op::I32LtS, &[I32, I32]),
        (Op::I32Eq, &[I32, I32]),
        (Op::I32Ne, &[I32, I32]),
        (Op::I32Eqz, &[I32]),
        (Op::I32DivU, &[I32, I32]),
        (Op::I64Add, &[I64, I64]),
        (Op::I64Sub, &[I64, I64]),
        (Op::I64Mul, &[I64, I64]),
        (Op::I64DivS, &[I64, I64]),
        (Op::I64RemU, &[I64, I64]),
        (Op::I64And, &[I64, I64]),
        (Op::I64Or, &[I64, I64]),
        (Op::I64Shl, &[I64, I64]),
        (Op::I64ShrS, &[I64, I64]),
        (Op::I64ShrU, &[I64, I64]),
        (Op::I64LtU, &[I64, I64]),
        (Op::I64Eq, &[I64, I64]),
        (Op::I64Ne, &[I64, I64]),
        (Op::I64Eqz, &[I64]),
        (Op::I32WrapI64, &[I64]),
        (Op::I64ExtendI32U, &[I32]),
        (Op::I64ExtendI32S, &[I32]),
        (Op::Select, &[I64, I64, I32]),
        (Op::Select, &[I32, I32, I32]),
        (Op::F64Add, &[F64, F64]),
        (Op::F64Mul, &[F64, F64]),
        (Op::F64Lt, &[F64, F64]),
        (Op::I64TruncSatF64S, &[F64]),
        (load(LoadKind::I64Load), &[I32]),
        (load(LoadKind::I32Load8U), &[I32]),
        (load(LoadKind::F64Load), &[I32]),
        (Op::GlobalGet(GLOBAL), &[]),
        (store(StoreKind::I64Store), &[I32, I64]),
        (store(StoreKind::F64Store), &[I32, F64]),
        (Op::GlobalSet(GLOBAL), &[I32]),
        (Op::Call(Callee::Direct(REPORT)), &[I32, I64]),
    ]
};

/// How many of the last change memory or a global, and how many behind these call.
const STORES: usize = 3;
const CALLS: usize = 1;

const fn load(kind: LoadKind) -> Op {
    Op::Load { kind, offset: 0 }
}

const fn store(kind: StoreKind) -> Op {
    Op::Store { kind, offset: 0 }
}

fn pick<T: Copy>(random: &mut Rng, items: &[T]) -> T {
    items[random.usize(..items.len())]
}

struct Builder<'f> {
    random: &'f mut Rng,
    function: &'f mut Function,
    dominators: &'f Dominators,
    /// The block that is under way, and the values that it may use.
    insts: Vec<Inst>,
    available: Vec<Value>,
    /// What is available at the end of a block that is done.
    defined: Map<Block, Vec<Value>>,
    /// Whether a block reports.
    reports: Map<Block, bool>,
    /// Where loops begin that count: their first parameter says how many rounds are left.
    counting: FastSet<Block>,
    /// How many of [`CHOICES`] there are for it.
    choices: usize,
    /// Values that accesses to memory take.
    addresses: FastSet<Value>,
    /// Loads so far.
    loads: Vec<Inst>,
}

impl Builder<'_> {
    fn params(&mut self, block: Block) {
        let counter = self.counting.contains(&block).then_some(Type::I32);
        let types: Vec<Type> = match block {
            Block::ENTRY => self.function.signature.params.clone(),
            _ => (0..self.random.usize(..4))
                .map(|_| pick(self.random, &[Type::I32, Type::I64, Type::I64, Type::F64]))
                .collect(),
        };
        let params = counter
            .into_iter()
            .chain(types)
            .map(|ty| self.function.new_value(ty))
            .collect();
        self.function.blocks[block].params = params;
    }

    fn block(&mut self, block: Block) {
        self.available = match self.dominators.parent[block] {
            Some(parent) => self.defined[parent].clone(),
            None => Vec::new(),
        };
        self.available.extend(&self.function.blocks[block].params);
        // Each type has a value in every block.
        for constant in [
            Const::I32(block.0 as i32),
            Const::I64(3),
            Const::F64(1.5_f64.to_bits()),
        ] {
            self.emit(Op::Const(constant), &[]);
        }
        if self.reports[block] {
            self.emit(Op::Call(Callee::Direct(REPORT)), &[Type::I32, Type::I64]);
        }
        self.load_again();
        for _ in 0..self.random.usize(..12) {
            self.random_inst();
        }
        let mut term = mem::replace(
            &mut self.function.blocks[block].term,
            Terminator::Unreachable,
        );
        match &mut term {
            Terminator::Branch { cond, .. } if self.counting.contains(&block) => {
                *cond = self.function.blocks[block].params[0];
            }
            Terminator::Branch { cond: operand, .. }
            | Terminator::Switch { index: operand, .. } => {
                *operand = self.operand(Type::I32);
            }
            Terminator::Return(results) => results.push(self.operand(Type::I64)),
            Terminator::TailCall { args, .. } => {
                args.extend([Type::I32, Type::I64].map(|ty| self.operand(ty)));
            }
            Terminator::Jump(_) | Terminator::Unreachable => {}
        }
        for target in term.targets_mut() {
            let params = self.function.blocks[target.block].params.clone();
            target.args = params
                .iter()
                .map(|&param| self.operand(self.function.types[param]))
                .collect();
            if self.counting.contains(&target.block) {
                let goes_back = self.dominators.dominates(target.block, block);
                let counter = if goes_back { params[0] } else { target.args[0] };
                target.args[0] = self.rounds(counter, goes_back);
            }
        }
        let data = &mut self.function.blocks[block];
        data.insts = mem::take(&mut self.insts);
        data.term = term;
        self.defined[block] = mem::take(&mut self.available);
    }

    fn random_inst(&mut self) {
        let small = pick(self.random, &[-1, 0, 1, 2, 3, 8, 31, 32, 255]);
        let offset = self.random.usize(..3) as u32 * 4;
        let (op, operands) = pick(self.random, &CHOICES[..self.choices]);
        let op = match op {
            Op::Const(Const::I32(_)) => Op::Const(Const::I32(small)),
            Op::Const(Const::I64(_)) => Op::Const(Const::I64(i64::from(small))),
            Op::Load { kind, .. } => Op::Load { kind, offset },
            Op::Store { kind, .. } => Op::Store { kind, offset },
            op => op,
        };
        let mut args = Values::new();
        match op {
            // Addresses stay within the memory: a load whose result is unused may go, trap and all.
            Op::Load { .. } | Op::Store { .. } => args.push(self.address()),
            // Functions that trap at once show little.
            Op::I32DivU | Op::I64DivS | Op::I64RemU if self.random.u8(..8) != 0 => {
                args.push(self.operand(operands[0]));
                let divisor = self.operand(operands[1]);
                let (or, one) = match operands[1] {
                    Type::I32 => (Op::I32Or, Const::I32(1)),
                    _ => (Op::I64Or, Const::I64(1)),
                };
                args.push(self.with_constant(or, divisor, one));
            }
            _ => {}
        }
        let rest = &operands[args.len()..];
        args.extend(rest.iter().map(|&ty| self.operand(ty)));
        self.push(op, args);
        if matches!(op, Op::Store { .. }) {
            self.load_again();
        }
    }

    /// The rounds that are left behind an edge to where a loop begins: one less than `counter`
    /// says, or some number that it gives.
    fn rounds(&mut self, counter: Value, goes_back: bool) -> Value {
        let mut with = |op, value, constant| self.with_constant(op, value, Const::I32(constant));
        match goes_back {
            true => with(Op::I32Sub, counter, 1),
            false => {
                let rounds = with(Op::I32And, counter, MOST_ROUNDS - 1);
                with(Op::I32Add, rounds, 1)
            }
        }
    }

    /// Adds an instruction whose last operand is a constant; its result.
    fn with_constant(&mut self, op: Op, value: Value, constant: Const) -> Value {
        let constant = self.result(Op::Const(constant), &[]);
        self.result(op, &[value, constant])
    }

    /// Adds an instruction; its result.
    fn result(&mut self, op: Op, args: &[Value]) -> Value {
        let result = self.push(op, args.iter().copied().collect());
        result.expect("the operator has a result")
    }

    /// Adds an instruction with random operands of these types.
    fn emit(&mut self, op: Op, operands: &[Type]) {
        let args = operands.iter().map(|&ty| self.operand(ty));
        let args = args.collect();
        self.push(op, args);
    }

    fn push(&mut self, op: Op, args: Values) -> Option<Value> {
        let result = match op {
            Op::Call(_) => Some(Type::I64),
            Op::GlobalGet(_) | Op::Intrinsic(_) => Some(Type::I32),
            Op::GlobalSet(_) | Op::Store { .. } => None,
            Op::Select => Some(self.function.types[args[0]]),
            Op::Const(value) => Some(value.ty()),
            Op::Load { kind, .. } => Some(kind.ty()),
            Op::Plain(plain) => Some(plain.result()),
            _ => unreachable!("an operator that the generator does not choose"),
        };
        let result = result.map(|ty| self.function.new_value(ty));
        self.available.extend(result);
        let inst = Inst { op, args, result };
        if matches!(op, Op::Load { .. }) {
            self.loads.push(inst.clone());
        }
        self.insts.push(inst);
        result
    }

    /// Some value of type `ty`, rather a recent one.
    fn operand(&mut self, ty: Type) -> Value {
        let typed: Vec<Value> = self
            .available
            .iter()
            .copied()
            .filter(|value| self.function.types[*value] == ty)
            .collect();
        let recent = if self.random.usize(..2) == 0 {
            typed.len().min(3)
        } else {
            typed.len()
        };
        typed[typed.len() - 1 - self.random.usize(..recent)]
    }
}
