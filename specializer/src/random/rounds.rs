//! Loops that end by themselves: where each begins, a number of rounds is asked for.

use std::mem;

use super::{HOLE, block_with, jump_to};
use crate::dominators::{Dominators, Order};
use crate::hash::FastSet;
use crate::ir::residual::{Block, Function, Terminator, Values};

/// Has each loop of one entry end the function after some rounds: its first block asks for that
/// before all else. Returns these blocks.
pub fn count(function: &mut Function) -> FastSet<Block> {
    let order = Order::new(function);
    let dominators = Dominators::new(function, &order);
    let mut counting = FastSet::default();
    for &head in &order.blocks {
        let has_one_entry = || {
            order
                .blocks_of_loop(&dominators, head, usize::MAX)
                .is_some()
        };
        if !order.begins_loop(head) || !has_one_entry() {
            continue;
        }
        counting.insert(head);
        let ends = Terminator::Return(Values::new());
        let end = function.blocks.push(block_with(ends));
        let body = Block(function.blocks.len() as u32);
        let asks = Terminator::Branch {
            cond: HOLE,
            then: jump_to(body),
            otherwise: jump_to(end),
        };
        let term = mem::replace(&mut function.blocks[head].term, asks);
        function.blocks.push(block_with(term));
    }
    counting
}
