//! What an interpreter for weval says while it is specialized: `print` and `trace.line`.
//!
//! It is said in the emission, once for each node that code is made for. Leaves out what comes from
//! a store: nothing is evaluated then, and nothing is said.

use super::abs::{Abs, Fact};
use super::cells::Content;
use super::transfer::{Machine, Phase};
use super::weval::line_of;
use crate::ir::Symbol;
use crate::op::Const;

impl<P: Phase> Machine<'_, P> {
    /// `trace.line`: where the interpreter is, and at which position.
    pub(super) fn trace(&mut self, line: P::Value) {
        let position = self.contexts.position(self.context);
        self.say(|machine| {
            let (line, position) = (line_of(line), machine.shown(position));
            format!("trace: line {line}: position {position}")
        });
    }

    /// `print`: a message in memory, a line and a value.
    pub(super) fn print(&mut self, message: P::Value, line: P::Value, value: P::Value) {
        self.say(|machine| {
            let (line, value) = (line_of(line), machine.shown(value.abs()));
            let message = machine.message(message.abs());
            format!("print: line {line}: {message}: {value}")
        });
    }

    fn say(&mut self, what: impl FnOnce(&Self) -> String) {
        if self.said.is_none() {
            return;
        }
        let line = what(self);
        self.said.as_deref_mut().expect("just tested").push(line);
    }

    /// The text at an address, up to a NUL.
    fn message(&self, address: Abs) -> String {
        let address = match address {
            Abs::Const(Const::I32(address)) => address as u32,
            Abs::Symbol(symbol) => self.reads.bases.address(symbol),
            _ => return "(a message that is not known)".into(),
        };
        let image = &self.evaluation.module.image;
        let text = image.get(address as usize..).unwrap_or_default();
        let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
        String::from_utf8_lossy(text).into_owned()
    }

    /// What is known of a value, for people.
    fn shown(&self, value: Abs) -> String {
        let address = |symbol: Symbol| self.reads.bases.address(symbol);
        match value {
            Abs::Const(Const::I32(number)) => (number as u32).to_string(),
            Abs::Const(Const::I64(number)) => (number as u64).to_string(),
            Abs::Const(Const::F32(bits)) => f32::from_bits(bits).to_string(),
            Abs::Const(Const::F64(bits)) => f64::from_bits(bits).to_string(),
            Abs::Symbol(symbol) | Abs::Extended(symbol) => format!("{:#x}", address(symbol)),
            Abs::Slot(slot) => format!("the function in the slot at {:#x}", address(slot)),
            Abs::Offset { param, offset } => format!("parameter {} + {offset}", param.0),
            Abs::Fact(Fact::Pointer(word) | Fact::PointerAddress(word)) => {
                format!("the address of a word that is {:#x}", address(word))
            }
            Abs::Fact(_) | Abs::Dynamic => "not known".into(),
        }
    }
}
