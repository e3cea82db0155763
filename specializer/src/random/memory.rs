//! Accesses to memory: at few addresses, and again where something may have changed.

use super::{Builder, GLOBAL, pick};
use crate::ir::Type;
use crate::ir::residual::{Inst, Value};
use crate::op::{Const, Intrinsic, Op};

impl Builder<'_> {
    /// Loads once more what was loaded before, if anything was, and adds it to the global, so that
    /// it shows at the end: a store on the way may have changed it.
    pub fn load_again(&mut self) {
        let loads = self.loads.iter();
        let loads = loads.filter(|load| self.available.contains(&load.args[0]));
        let loads: Vec<_> = loads.cloned().collect();
        let Some(Inst { op, args, .. }) = self.random.choice(loads) else {
            return;
        };
        let mut number = self.result(op, &args);
        let conversions: &[Op] = match self.function.types[number] {
            Type::F64 => &[Op::I64ReinterpretF64, Op::I32WrapI64],
            Type::I64 => &[Op::I32WrapI64],
            _ => &[],
        };
        for &conversion in conversions {
            number = self.result(conversion, &[number]);
        }
        let sum = self.result(Op::GlobalGet(GLOBAL), &[]);
        let sum = self.result(Op::I32Add, &[sum, number]);
        self.push(Op::GlobalSet(GLOBAL), [sum].into_iter().collect());
    }

    /// An address within the memory, of which its region may be said: the first region's are less
    /// than 0x100 with any offset, the second's are not.
    pub fn address(&mut self) -> Value {
        let known = self
            .available
            .iter()
            .filter(|value| self.addresses.contains(value));
        let known: Vec<Value> = known.copied().collect();
        if !known.is_empty() && self.random.u8(..4) != 0 {
            return pick(self.random, &known);
        }
        let address = self.new_address();
        self.addresses.insert(address);
        address
    }

    fn new_address(&mut self) -> Value {
        let address = self.operand(Type::I32);
        let (region, is_displaced) = (self.random.u8(..3), self.random.bool());
        let mut with = |op, value, constant| self.with_constant(op, value, Const::I32(constant));
        if region == 0 {
            return with(Op::I32And, address, 0x118);
        }
        let mut start = with(Op::I32And, address, 0x18);
        if region == 2 {
            start = with(Op::I32Or, start, 0x100);
        }
        if is_displaced {
            start = with(Op::I32Add, start, 8);
        }
        let within = Op::Intrinsic(Intrinsic::AddressWithin);
        with(within, start, region.into())
    }
}
