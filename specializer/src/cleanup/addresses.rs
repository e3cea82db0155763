//! Takes out what is said of addresses (`address.within`): from here on, nobody asks.

use super::rename::Renaming;
use crate::ir::residual::Function;
use crate::op::{Intrinsic, Op};

pub fn run(function: &mut Function) {
    let mut renaming = Renaming::new(function);
    for data in function.blocks.values_mut() {
        data.insts.retain(|inst| match (inst.op, inst.result) {
            (Op::Intrinsic(Intrinsic::AddressWithin), Some(result)) => {
                renaming.replace(result, inst.args[0]);
                false
            }
            _ => true,
        });
    }
    renaming.apply(function);
}
