//! Keeps integers that never change in a loop in SSA values there.
//!
//! The evaluator loads integers again after calls: a value that lives on over a call takes a
//! register that each activation saves and restores, even if only a slow path has that call. In a
//! loop an integer that never changes would become a parameter for that, and what is computed of it
//! would be computed in each round. So what is loaded again there is replaced by what was before.

use super::params::{self, Flow};
use super::rename::Renaming;
use crate::dominators::Order;
use crate::eval::Reload;
use crate::index::Map;
use crate::ir::residual::{Block, Function, Value};

pub fn run(function: &mut Function, reloads: &[Reload]) {
    if reloads.is_empty() {
        return;
    }
    let order = Order::new(function);
    let blocks = order.blocks.iter().copied();
    let headers: Vec<Block> = blocks.filter(|&block| order.begins_loop(block)).collect();
    if headers.is_empty() {
        return;
    }
    let itself: Map<Value, Value> = function.types.keys().collect();
    let mut equal = itself.clone();
    // What was before is defined before, and so comes first.
    for &(loaded, before) in reloads {
        equal[loaded] = equal[before];
    }
    let apart = Flow::new(function, &order, &itself).solve();
    let together = Flow::new(function, &order, &equal).solve();
    let mut is_unchanged = Map::filled_like(&itself, false);
    for &header in &headers {
        for &param in &function.blocks[header].params {
            // A parameter only because of what is loaded again.
            is_unchanged[together[param]] |= apart[param] == param && together[param] != param;
        }
    }
    let in_loop = defined_in_loops(function, &order, &headers);
    let is_needless =
        |&&(loaded, _): &&Reload| in_loop[loaded] && is_unchanged[together[equal[loaded]]];
    let mut needless = reloads.iter().filter(is_needless).peekable();
    if needless.peek().is_none() {
        return;
    }
    let mut kept = itself;
    let mut renaming = Renaming::new(function);
    for &(loaded, before) in needless {
        kept[loaded] = kept[before];
        renaming.replace(loaded, before);
    }
    let stands_for = Flow::new(function, &order, &kept).solve();
    renaming.apply(function);
    params::remove(function, &order, &stands_for);
}

/// Values of the blocks from a header to one that goes back to it, in reverse postorder: a few may
/// be in no loop.
fn defined_in_loops(function: &Function, order: &Order, headers: &[Block]) -> Map<Value, bool> {
    let mut in_loop = Map::filled_like(&function.types, false);
    let mut end = 0;
    let mut headers = headers.iter().peekable();
    for (number, &block) in (0..).zip(&order.blocks) {
        if headers.next_if_eq(&&block).is_some() {
            let last = order.preds.of(block).iter().map(|&pred| order.number[pred]);
            end = end.max(last.max().unwrap_or(0));
        }
        if number <= end {
            let block = &function.blocks[block];
            for result in block.insts.iter().filter_map(|inst| inst.result) {
                in_loop[result] = true;
            }
        }
    }
    in_loop
}
