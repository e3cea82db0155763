//! What weval's intrinsics do to a state.
//!
//! What weval takes for granted and does not hold is a reason to decline, or where memory can stand
//! in, memory does: an index that is not known reads and writes the word at the address.

use super::Declined;
use super::abs::Abs;
use super::cells::Content;
use super::context::Contexts;
use super::frame::Entry;
use super::transfer::{Machine, Phase};
use crate::image::Location;
use crate::ir::{Parameter, Symbol, generic};
use crate::op::intrinsic::{CELL_LOAD, CELL_STORE};
use crate::op::{Const, Intrinsic, Op};
use crate::request::Numbered;

impl<P: Phase> Machine<'_, P> {
    /// The place where what is known lies of the bytes that a parameter points to.
    pub(super) fn in_buffer(&self, param: Parameter, offset: i32) -> Option<Location> {
        let base = self.evaluation.request.buffer(param)?;
        // What lies before the bytes is not known, nor where that is.
        (offset >= 0).then_some(Location::Relative(Symbol { base, offset }))
    }

    pub(super) fn weval(
        &mut self,
        intrinsic: Intrinsic,
        result: Option<generic::Value>,
        args: &[P::Value],
    ) {
        match (intrinsic, args) {
            (Intrinsic::WevalGlobal, &[index]) => self.specialization_global(index, result),
            (Intrinsic::WevalReadRegister, &[number]) => self.read_register(number, result),
            (Intrinsic::WevalWriteRegister, &[number, value]) => match number.abs() {
                Abs::Const(Const::I64(number)) => {
                    let value = self.phase.as_held(value);
                    self.cells.frame.set_register(number, value);
                }
                _ => self.refuse(Declined::UnknownRegister),
            },
            (Intrinsic::WevalPush, &[address, value]) => {
                let entry = self.entry(address, value);
                self.cells.frame.push(entry);
            }
            (Intrinsic::WevalPop, &[address]) => {
                let entry = self.cells.frame.pop();
                self.read(entry, address, result);
            }
            (Intrinsic::WevalReadStack, &[address, index]) => {
                let index = self.index(index);
                let entry = index.and_then(|index| self.cells.frame.below_top(index).copied());
                self.read(entry, address, result);
            }
            (Intrinsic::WevalWriteStack, &[address, index, value]) => {
                self.write_stack(address, index, value)
            }
            (Intrinsic::WevalReadLocal, &[address, index]) => {
                let index = self.index(index);
                let entry = index.and_then(|index| self.cells.frame.local(index));
                self.read(entry, address, result);
            }
            (Intrinsic::WevalWriteLocal, &[address, index, value]) => match self.index(index) {
                Some(index) => {
                    let entry = self.entry(address, value);
                    self.cells.frame.set_local(index, entry);
                }
                None => self.emit(CELL_STORE, &[address, value], None),
            },
            (Intrinsic::WevalSync, _) => self.sync_frame(),
            (Intrinsic::WevalAssertConst, &[value, line]) if !value.abs().is_known() => {
                self.refuse(Declined::NotConstant(line_of(line)));
            }
            (Intrinsic::WevalAssertSpecialized, &[line]) if self.context == Contexts::ROOT => {
                self.refuse(Declined::NotSpecialized(line_of(line)));
            }
            (Intrinsic::WevalAbort, &[line, fatal]) if fatal.abs().as_u32() != Some(0) => {
                self.refuse(Declined::Aborted(line_of(line)));
            }
            (Intrinsic::WevalTrace, &[line]) => self.trace(line),
            (Intrinsic::WevalPrint, &[message, line, value]) => self.print(message, line, value),
            _ => {}
        }
    }

    /// The value of an entry; that of the word in memory, if there is none.
    fn read(
        &mut self,
        entry: Option<Entry<P::Value>>,
        address: P::Value,
        result: Option<generic::Value>,
    ) {
        match entry {
            Some(entry) => self.set(result, entry.value),
            None => self.emit(CELL_LOAD, &[address], result),
        }
    }

    /// Brings memory up to date with stack and locals, and forgets them.
    fn sync_frame(&mut self) {
        for Entry { address, value } in self.cells.frame.take() {
            self.emit(CELL_STORE, &[address, value], None);
        }
    }

    /// The index, if it is known; else all is in memory.
    fn index(&mut self, index: P::Value) -> Option<u32> {
        let index = index.abs().as_u32();
        if index.is_none() {
            self.sync_frame();
        }
        index
    }

    fn entry(&mut self, address: P::Value, value: P::Value) -> Entry<P::Value> {
        let value = self.phase.as_held(value);
        Entry { address, value }
    }

    fn write_stack(&mut self, address: P::Value, index: P::Value, value: P::Value) {
        let index = self.index(index);
        let entry = self.entry(address, value);
        let is_empty = self.cells.frame.is_stack_empty();
        match index.and_then(|index| self.cells.frame.below_top(index)) {
            Some(there) => *there = entry,
            None if index == Some(0) && is_empty => self.cells.frame.push(entry),
            None => self.emit(CELL_STORE, &[address, value], None),
        }
    }

    fn read_register(&mut self, number: P::Value, result: Option<generic::Value>) {
        let register = match number.abs() {
            Abs::Const(Const::I64(number)) => self.cells.frame.register(number),
            _ => None,
        };
        match register {
            Some(value) => self.set(result, value),
            None => self.refuse_for(Declined::UnknownRegister, result),
        }
    }

    fn specialization_global(&mut self, index: P::Value, result: Option<generic::Value>) {
        let globals = &self.evaluation.request.globals;
        let index = index.abs().as_u32();
        match index.and_then(|index| *globals.get(index as usize)?) {
            Some(Numbered::Constant(bits)) => self.set_known(result, Abs::Const(Const::I64(bits))),
            Some(Numbered::Pointer(base)) => {
                self.set_known(result, Abs::Extended(Symbol { base, offset: 0 }))
            }
            None => self.refuse_for(Declined::UnknownGlobal, result),
        }
    }

    /// The request is declined, if this is still so once the analysis has ended.
    fn refuse(&mut self, reason: Declined) {
        self.refused.get_or_insert(reason);
    }

    /// The same, and something takes the place of a result.
    fn refuse_for(&mut self, reason: Declined, result: Option<generic::Value>) {
        self.refuse(reason);
        self.emit(Op::Const(Const::I64(0)), &[], result);
    }
}

/// A line in the interpreter's source, 0 if it is not known.
pub(super) fn line_of<V: Content>(line: V) -> u32 {
    line.abs().as_u32().unwrap_or(0)
}
