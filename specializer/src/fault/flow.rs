//! Wrong control flow, and wrong values on its edges.

use std::collections::HashMap;

use super::{Place, Sites};
use crate::index::Map;
use crate::ir::Terminator;
use crate::ir::residual::{Function, Target, Value};
use crate::op::Effect;

/// Exchanges two neighbours among a jump's arguments that have one type.
pub fn swap_arguments(function: &mut Function, mut place: Place) -> Sites {
    let types = &function.types;
    let mut params = Map::filled_like(&function.blocks, Vec::new());
    for (id, block) in &function.blocks {
        params[id] = block.params.clone();
    }
    for (id, block) in &mut function.blocks {
        for (edge, target) in block.term.targets_mut().enumerate() {
            for first in 1..target.args.len() {
                let [one, other] = [target.args[first - 1], target.args[first]];
                let alike = types[one] == types[other] && one != other;
                if alike && place.here() {
                    target.args.swap(first - 1, first);
                    let params = &params[target.block][first - 1..=first];
                    return Sites::edge(id, edge)
                        .with_values(params.to_vec())
                        .unless_same(one, other);
                }
            }
        }
    }
    Sites::none()
}

pub fn swap_edge(function: &mut Function, mut place: Place) -> Sites {
    for (id, block) in &mut function.blocks {
        if let Terminator::Branch {
            then, otherwise, ..
        } = &mut block.term
            && then != otherwise
            && place.here()
        {
            std::mem::swap(then, otherwise);
            return Sites::block(id);
        }
    }
    Sites::none()
}

/// Leads a jump past a block that does something and jumps on.
pub fn skip_block(function: &mut Function, mut place: Place) -> Sites {
    for from in function.blocks.keys() {
        for edge in 0..function.blocks[from].term.targets().count() {
            let target = function.blocks[from].term.targets().nth(edge);
            let Some(past) = past(function, target.expect("edges were counted")) else {
                continue;
            };
            if place.here() {
                let mut targets = function.blocks[from].term.targets_mut();
                *targets.nth(edge).expect("edges were counted") = past;
                return Sites::edge(from, edge);
            }
        }
    }
    Sites::none()
}

/// Where a jump goes after the block that it goes to, if that block has an effect and one way out.
fn past(function: &Function, target: &Target) -> Option<Target> {
    let block = &function.blocks[target.block];
    let Terminator::Jump(next) = &block.term else {
        return None;
    };
    let acts = |effect: Effect| !effect.removable();
    if next.block == target.block || !block.insts.iter().any(|inst| acts(inst.op.effect())) {
        return None;
    }
    let given: HashMap<Value, Value> = (block.params.iter().copied())
        .zip(target.args.iter().copied())
        .collect();
    let results: Vec<Value> = block.insts.iter().filter_map(|inst| inst.result).collect();
    let args = next.args.iter().map(|arg| match given.get(arg) {
        Some(&value) => Some(value),
        None => (!results.contains(arg)).then_some(*arg),
    });
    Some(Target {
        block: next.block,
        args: args.collect::<Option<_>>()?,
    })
}
