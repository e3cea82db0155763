//! Random residual functions for property tests: valid by construction, of any shape of control
//! flow.
//!
//! The graph comes first; then each block's operands are chosen among the values that dominate it.
//! Blocks report to the host, at least one in each loop, so that a test can compare traces and end
//! loops.

use crate::dominators::{Dominators, Order};
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

/// A function `(i32, i64) -> i64` of up to `max_blocks` blocks.
pub fn function(random: &mut Rng, max_blocks: usize) -> Function {
    let count = 1 + random.usize(..max_blocks);
    let mut function = Function {
        signature: signature(),
        blocks: (0..count).map(|_| graph_block(random, count)).collect(),
        types: Map::default(),
    };
    let order = Order::new(&function);
    let dominators = Dominators::new(&function, &order);
    let reports = (function.blocks.keys())
        .map(|block| order.begins_loop(block) || random.usize(..3) == 0)
        .collect();
    let mut builder = Builder {
        random,
        function: &mut function,
        defined: Map::filled(Vec::new(), count),
        reports,
    };
    for block in order.number.keys() {
        builder.params(block);
        if !order.reaches(block) {
            builder.function.blocks[block].term = Terminator::Unreachable;
        }
    }
    for &block in &order.blocks {
        let available = match dominators.parent[block] {
            Some(parent) => builder.defined[parent].clone(),
            None => Vec::new(),
        };
        builder.block(block, available);
    }
    function
}

/// A block with its edges; arguments and operands are filled in later.
fn graph_block(random: &mut Rng, count: usize) -> BlockData {
    let hole = Value(u32::MAX);
    let mut target = || {
        let block = if count > 1 {
            1 + random.usize(..count - 1)
        } else {
            0
        };
        Target {
            block: Block(block as u32),
            args: Values::new(),
        }
    };
    let targets = [target(), target(), target(), target()];
    let [first, second, third, default] = targets;
    let term = match random.usize(..if count > 1 { 12 } else { 1 }) {
        0 | 1 => Terminator::Return(Values::new()),
        2..=4 => Terminator::Jump(first),
        5..=9 => Terminator::Branch {
            cond: hole,
            then: first,
            otherwise: second,
        },
        10 => Terminator::Switch {
            index: hole,
            targets: vec![first, second, third],
            default,
        },
        _ => Terminator::TailCall {
            callee: Callee::Direct(REPORT),
            args: Values::new(),
        },
    };
    BlockData {
        params: Vec::new(),
        insts: Vec::new(),
        term,
    }
}

fn pick<T: Copy>(random: &mut Rng, items: &[T]) -> T {
    items[random.usize(..items.len())]
}

struct Builder<'f> {
    random: &'f mut Rng,
    function: &'f mut Function,
    /// What is available at a block's end.
    defined: Map<Block, Vec<Value>>,
    /// Whether a block reports.
    reports: Map<Block, bool>,
}

impl Builder<'_> {
    fn params(&mut self, block: Block) {
        let types = match block {
            Block::ENTRY => self.function.signature.params.clone(),
            _ => (0..self.random.usize(..4))
                .map(|_| pick(self.random, &[Type::I32, Type::I64, Type::I64, Type::F64]))
                .collect(),
        };
        let params = types
            .into_iter()
            .map(|ty| self.function.new_value(ty))
            .collect();
        self.function.blocks[block].params = params;
    }

    fn block(&mut self, block: Block, mut available: Vec<Value>) {
        available.extend(&self.function.blocks[block].params);
        let mut insts = Vec::new();
        // Each type has a value in every block.
        for constant in [
            Const::I32(block.0 as i32),
            Const::I64(3),
            Const::F64(1.5_f64.to_bits()),
        ] {
            self.emit(&mut insts, &mut available, Op::Const(constant), &[]);
        }
        if self.reports[block] {
            self.emit(
                &mut insts,
                &mut available,
                Op::Call(Callee::Direct(REPORT)),
                &[Type::I32, Type::I64],
            );
        }
        for _ in 0..self.random.usize(..12) {
            self.random_inst(&mut insts, &mut available);
        }
        let mut term = std::mem::replace(
            &mut self.function.blocks[block].term,
            Terminator::Unreachable,
        );
        match &mut term {
            Terminator::Branch { cond: operand, .. }
            | Terminator::Switch { index: operand, .. } => {
                *operand = self.operand(&available, Type::I32);
            }
            Terminator::Return(results) => results.push(self.operand(&available, Type::I64)),
            Terminator::TailCall { args, .. } => {
                args.extend([Type::I32, Type::I64].map(|ty| self.operand(&available, ty)));
            }
            Terminator::Jump(_) | Terminator::Unreachable => {}
        }
        for target in term.targets_mut() {
            let params = self.function.blocks[target.block].params.clone();
            let types = params.iter().map(|param| self.function.types[*param]);
            target.args = types
                .collect::<Vec<_>>()
                .into_iter()
                .map(|ty| self.operand(&available, ty))
                .collect();
        }
        let data = &mut self.function.blocks[block];
        data.insts = insts;
        data.term = term;
        self.defined[block] = available;
    }

    fn random_inst(&mut self, insts: &mut Vec<Inst>, available: &mut Vec<Value>) {
        use Type::{F64, I32, I64};
        let offset = self.random.usize(..3) as u32 * 4;
        let small = pick(self.random, &[-1, 0, 1, 2, 3, 8, 31, 32, 255]);
        let choices: [(Op, &[Type]); 39] = [
            (Op::Const(Const::I32(small)), &[]),
            (Op::Const(Const::I64(i64::from(small))), &[]),
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
            (Op::F64Lt, &[F64, F64]),
            (Op::I64TruncSatF64S, &[F64]),
            (
                Op::Load {
                    kind: LoadKind::I64Load,
                    offset,
                },
                &[I32],
            ),
            (
                Op::Load {
                    kind: LoadKind::I32Load8U,
                    offset,
                },
                &[I32],
            ),
            (
                Op::Store {
                    kind: StoreKind::I64Store,
                    offset,
                },
                &[I32, I64],
            ),
            (Op::GlobalGet(GLOBAL), &[]),
            (Op::GlobalSet(GLOBAL), &[I32]),
            (Op::Call(Callee::Direct(REPORT)), &[I32, I64]),
        ];
        let (op, operands) = pick(self.random, &choices);
        if let Op::Load { .. } | Op::Store { .. } = op {
            // Addresses stay within the memory: a load whose result is unused may go, trap and all.
            let masked = self.mask(insts, available);
            self.access(insts, available, op, masked);
            return;
        }
        self.emit(insts, available, op, operands);
    }

    fn mask(&mut self, insts: &mut Vec<Inst>, available: &mut Vec<Value>) -> Value {
        let address = self.operand(available, Type::I32);
        self.emit(insts, available, Op::Const(Const::I32(0xff)), &[]);
        let mask = available[available.len() - 1];
        let result = self.function.new_value(Type::I32);
        let args = Values::from_slice(&[address, mask]);
        insts.push(Inst {
            op: Op::I32And,
            args,
            result: Some(result),
        });
        available.push(result);
        result
    }

    fn access(
        &mut self,
        insts: &mut Vec<Inst>,
        available: &mut Vec<Value>,
        op: Op,
        address: Value,
    ) {
        let mut args = Values::from_slice(&[address]);
        let result = match op {
            Op::Load { kind, .. } => Some(self.function.new_value(kind.ty())),
            _ => {
                args.push(self.operand(available, Type::I64));
                None
            }
        };
        available.extend(result);
        insts.push(Inst { op, args, result });
    }

    fn emit(
        &mut self,
        insts: &mut Vec<Inst>,
        available: &mut Vec<Value>,
        op: Op,
        operands: &[Type],
    ) {
        let args: Values = operands
            .iter()
            .map(|&ty| self.operand(available, ty))
            .collect();
        let result = match op {
            Op::Call(_) => Some(Type::I64),
            Op::GlobalGet(_) => Some(Type::I32),
            Op::GlobalSet(_) | Op::Store { .. } => None,
            Op::Select => operands.first().copied(),
            Op::Const(value) => Some(value.ty()),
            Op::Load { kind, .. } => Some(kind.ty()),
            Op::Plain(plain) => Some(plain.result()),
            _ => unreachable!("an operator that the generator does not choose"),
        };
        let result = result.map(|ty| self.function.new_value(ty));
        available.extend(result);
        insts.push(Inst { op, args, result });
    }

    /// Some value of type `ty`, rather a recent one.
    fn operand(&mut self, available: &[Value], ty: Type) -> Value {
        let typed: Vec<Value> = available
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
