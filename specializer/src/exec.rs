//! Executes functions of both stages over a small memory: the reference that tests compare
//! transformations with, without a WebAssembly engine.
//!
//! An intrinsic means what its table says it means in generic code: cells are memory, hints
//! are nothing. Where WebAssembly leaves a NaN to the engine, the canonical one is taken.
//!
//! Leaves out the host: calls, symbol addresses and lockstep events go to a [`Host`]. Every block
//! costs fuel, so that endless loops end.

#[cfg(test)]
mod tests;

use crate::index::Map;
use crate::ir::{Callee, Function, Global, Inst, Stage, Symbol, Target, Terminator};
use crate::op::intrinsic::{self, Meaning};
use crate::op::{Beyond, Const, Intrinsic, LoadKind, Op, Outcome, StoreKind};

/// Bytes of a WebAssembly page.
const PAGE: usize = 1 << 16;

/// What execution changes besides values.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct State {
    /// Of any length; `memory.size` counts whole pages.
    pub memory: Vec<u8>,
    /// The memories above it.
    pub others: Vec<Vec<u8>>,
    pub globals: Map<Global, Const>,
    /// Blocks that may still be entered.
    pub fuel: u64,
    /// Bound of `memory.grow`, in pages.
    pub max_pages: usize,
}

/// Why execution ended early.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Stop {
    #[error("trap: unreachable executed")]
    Unreachable,
    #[error("trap: memory access out of bounds")]
    OutOfBounds,
    #[error("trap: division by zero, or a number that does not fit its type")]
    Arithmetic,
    #[error("trap: {0}")]
    Call(&'static str),
    #[error("out of fuel")]
    Fuel,
}

/// What is outside of the function.
pub trait Host {
    /// Performs a call; `args` end with the table index if `callee` is indirect.
    fn call(
        &mut self,
        state: &mut State,
        callee: Callee,
        args: &[Const],
    ) -> Result<Option<Const>, Stop>;

    /// Where a relocatable address is.
    fn address(&mut self, symbol: Symbol) -> u32;

    /// Takes note of a lockstep event.
    fn event(&mut self, _state: &State, _operands: &[Const]) {}
}

/// A host in which calls trap and all bases are 0.
pub struct NoHost;

impl Host for NoHost {
    fn call(&mut self, _: &mut State, _: Callee, _: &[Const]) -> Result<Option<Const>, Stop> {
        Err(Stop::Call("there is nothing to call"))
    }

    fn address(&mut self, symbol: Symbol) -> u32 {
        symbol.offset as u32
    }
}

/// Runs `function`, which must have been verified, and returns its result.
///
/// # Panics
/// If `args` do not fit the signature, or the function is not valid.
pub fn run<S: Stage>(
    function: &Function<S>,
    args: &[Const],
    state: &mut State,
    host: &mut dyn Host,
) -> Result<Option<Const>, Stop> {
    let values = Map::filled_like(&function.types, None);
    let mut frame = Frame {
        function,
        values,
        state,
        host,
    };
    frame.enter(S::ENTRY, args);
    frame.run()
}

struct Frame<'a, S: Stage> {
    function: &'a Function<S>,
    values: Map<S::Value, Option<Const>>,
    state: &'a mut State,
    host: &'a mut dyn Host,
}

impl<S: Stage> Frame<'_, S> {
    fn run(&mut self) -> Result<Option<Const>, Stop> {
        let mut block = S::ENTRY;
        loop {
            self.state.fuel = self.state.fuel.checked_sub(1).ok_or(Stop::Fuel)?;
            let data = &self.function.blocks[block];
            for inst in &data.insts {
                self.inst(inst)?;
            }
            let target = match &data.term {
                Terminator::Jump(target) => target,
                term @ (Terminator::Branch { .. } | Terminator::Switch { .. }) => term
                    .way(|operand| Some(self.index(operand)))
                    .expect("its operand has a value"),
                Terminator::Return(values) => {
                    return Ok(values.first().map(|&value| self.value(value)));
                }
                Terminator::TailCall { callee, args } => {
                    return self.host.call(self.state, *callee, &self.operands(args));
                }
                Terminator::Unreachable => return Err(Stop::Unreachable),
            };
            block = self.jump(target);
        }
    }

    fn jump(&mut self, target: &Target<S>) -> S::Block {
        let args = self.operands(&target.args);
        self.enter(target.block, &args);
        target.block
    }

    /// Gives a block's parameters their values.
    fn enter(&mut self, block: S::Block, args: &[Const]) {
        let params = &self.function.blocks[block].params;
        assert_eq!(
            params.len(),
            args.len(),
            "a block gets an argument for each parameter"
        );
        for (param, &arg) in params.iter().zip(args) {
            assert_eq!(
                arg.ty(),
                self.function.value_type(*param),
                "an argument has its parameter's type"
            );
            self.values[*param] = Some(arg);
        }
    }

    fn value(&self, value: S::Value) -> Const {
        self.values[value].expect("verified: a value is defined before it is used")
    }

    fn operands(&self, values: &[S::Value]) -> Vec<Const> {
        values.iter().map(|&value| self.value(value)).collect()
    }

    /// The value of an `i32`, unsigned.
    fn index(&self, value: S::Value) -> u32 {
        address(self.value(value))
    }

    fn inst(&mut self, inst: &Inst<S>) -> Result<(), Stop> {
        let operands = self.operands(&inst.args);
        let result = match inst.op.evaluate(&operands) {
            Some(Outcome::Value(value) | Outcome::AnyNan(value)) => Some(value),
            Some(Outcome::Trap) => return Err(Stop::Arithmetic),
            None => self.effect(inst.op, &operands)?,
        };
        if let Some(value) = inst.result {
            self.values[value] = result;
        }
        Ok(())
    }

    /// Operators that are more than a function of their operands.
    fn effect(&mut self, op: Op, operands: &[Const]) -> Result<Option<Const>, Stop> {
        let state = &mut *self.state;
        Ok(match op {
            Op::Const(_) | Op::Plain(_) | Op::Select => unreachable!("these evaluate"),
            Op::Load { kind, offset } => Some(state.load(kind, operands[0], offset)?),
            Op::Store { kind, offset } => {
                state.store(kind, operands[0], offset, operands[1])?;
                None
            }
            Op::Call(callee) => self.host.call(state, callee, operands)?,
            Op::GlobalGet(global) => Some(state.globals[global]),
            Op::GlobalSet(global) => {
                state.globals[global] = operands[0];
                None
            }
            Op::MemorySize => Some(Const::I32((state.memory.len() / PAGE) as i32)),
            Op::MemoryGrow => Some(Const::I32(state.grow(address(operands[0]) as usize))),
            Op::MemoryCopy => {
                state.copy(operands)?;
                None
            }
            Op::MemoryFill => {
                state.fill(operands)?;
                None
            }
            Op::Beyond(beyond) => state.beyond(beyond, operands)?,
            Op::SymbolAddress(symbol) => Some(Const::I32(self.host.address(symbol) as i32)),
            Op::Intrinsic(intrinsic) => self.intrinsic(intrinsic, operands)?,
        })
    }

    fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        operands: &[Const],
    ) -> Result<Option<Const>, Stop> {
        if intrinsic == Intrinsic::LockstepEvent {
            self.host.event(self.state, operands);
        }
        match intrinsic.meaning() {
            Meaning::Nothing => Ok(None),
            Meaning::First => Ok(Some(operands[0])),
            Meaning::Zero => Ok(Some(Const::I32(0))),
            Meaning::Load | Meaning::Store => {
                let accessed = intrinsic::accessed(intrinsic, operands);
                self.effect(intrinsic::access(intrinsic), &accessed)
            }
            Meaning::Trap => Err(Stop::Unreachable),
        }
    }
}

/// The value of an `i32`, unsigned.
fn address(value: Const) -> u32 {
    match value {
        Const::I32(value) => value as u32,
        Const::I64(_) | Const::F32(_) | Const::F64(_) => {
            panic!("verified: addresses are i32, not {value:?}")
        }
    }
}

impl State {
    /// A state with zeroed memory.
    pub fn new(memory: usize, globals: Vec<Const>, fuel: u64) -> Self {
        Self {
            memory: vec![0; memory],
            others: Vec::new(),
            globals: globals.into(),
            fuel,
            max_pages: 4,
        }
    }

    /// The `len` bytes at `base + offset`.
    fn bytes(&mut self, base: u32, offset: u32, len: u32) -> Result<&mut [u8], Stop> {
        let start = u64::from(base) + u64::from(offset);
        let end = start + u64::from(len);
        if end > self.memory.len() as u64 {
            return Err(Stop::OutOfBounds);
        }
        Ok(&mut self.memory[start as usize..end as usize])
    }

    /// Runs the operator of memory 0 that means the same with the other memory in its place. A
    /// memory that is not there is empty.
    fn beyond(&mut self, beyond: Beyond, operands: &[Const]) -> Result<Option<Const>, Stop> {
        match beyond {
            Beyond::Load {
                memory,
                kind,
                offset,
            } => self.within(memory, |state| {
                state.load(kind, operands[0], offset).map(Some)
            }),
            Beyond::Store {
                memory,
                kind,
                offset,
            } => self.within(memory, |state| {
                state.store(kind, operands[0], offset, operands[1])?;
                Ok(None)
            }),
            Beyond::Size(memory) => self.within(memory, |state| {
                Ok(Some(Const::I32((state.memory.len() / PAGE) as i32)))
            }),
            Beyond::Grow(memory) => self.within(memory, |state| {
                Ok(Some(Const::I32(state.grow(address(operands[0]) as usize))))
            }),
            Beyond::Fill(memory) => self.within(memory, |state| {
                state.fill(operands)?;
                Ok(None)
            }),
            Beyond::Copy { to, from } => {
                let [start, source, len] = [0, 1, 2].map(|index| address(operands[index]));
                let bytes = self.within(from, |state| Ok(state.bytes(source, 0, len)?.to_vec()))?;
                self.within(to, |state| {
                    state.bytes(start, 0, len)?.copy_from_slice(&bytes);
                    Ok(None)
                })
            }
        }
    }

    /// Does `work` with the memory of this number in the place of memory 0.
    fn within<T>(&mut self, memory: u32, work: impl FnOnce(&mut Self) -> T) -> T {
        let Some(index) = (memory as usize).checked_sub(1) else {
            return work(self);
        };
        if self.others.len() <= index {
            self.others.resize(index + 1, Vec::new());
        }
        std::mem::swap(&mut self.memory, &mut self.others[index]);
        let done = work(self);
        std::mem::swap(&mut self.memory, &mut self.others[index]);
        done
    }

    fn load(&mut self, kind: LoadKind, base: Const, offset: u32) -> Result<Const, Stop> {
        Ok(kind.value(self.bytes(address(base), offset, kind.width())?))
    }

    fn store(
        &mut self,
        kind: StoreKind,
        base: Const,
        offset: u32,
        value: Const,
    ) -> Result<(), Stop> {
        let bytes = self.bytes(address(base), offset, kind.width())?;
        bytes.copy_from_slice(&kind.bytes(value)[..kind.width() as usize]);
        Ok(())
    }

    /// The size before, in pages, or -1.
    fn grow(&mut self, pages: usize) -> i32 {
        let before = self.memory.len() / PAGE;
        if before + pages > self.max_pages {
            return -1;
        }
        self.memory.resize(self.memory.len() + pages * PAGE, 0);
        before as i32
    }

    fn copy(&mut self, operands: &[Const]) -> Result<(), Stop> {
        let [to, from, len] = [0, 1, 2].map(|index| address(operands[index]));
        self.bytes(to, 0, len)?;
        self.bytes(from, 0, len)?;
        self.memory
            .copy_within(from as usize..from as usize + len as usize, to as usize);
        Ok(())
    }

    fn fill(&mut self, operands: &[Const]) -> Result<(), Stop> {
        let [to, byte, len] = [0, 1, 2].map(|index| address(operands[index]));
        self.bytes(to, 0, len)?.fill(byte as u8);
        Ok(())
    }
}
