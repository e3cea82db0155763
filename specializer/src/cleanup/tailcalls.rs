//! Turns calls whose result is returned at once into tail calls.
//!
//! The types agree: the call's result is the function's result. Jumps to a return have become
//! returns before ([`super::threads`]). Leaves out calls of intrinsics.

use crate::ir::Callee;
use crate::ir::residual::{BlockData, Function, Terminator};
use crate::op::Op;

pub fn run(function: &mut Function) {
    for block in function.blocks.values_mut() {
        if let Some(callee) = returned_call(block) {
            let call = block.insts.pop().expect("the block ends in a call");
            block.term = Terminator::TailCall {
                callee,
                args: call.args,
            };
        }
    }
}

/// The callee of the block's last instruction, if that is a call and its result is what is
/// returned.
fn returned_call(block: &BlockData) -> Option<Callee> {
    let Terminator::Return(results) = &block.term else {
        return None;
    };
    let last = block.insts.last()?;
    match last.op {
        Op::Call(callee) if results.as_slice() == last.result.as_slice() => Some(callee),
        _ => None,
    }
}
