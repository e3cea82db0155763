//! Removes block parameters that are always the same value.
//!
//! Optimistic: each parameter is assumed redundant until two different values reach it, so
//! parameters that only feed each other around loops go together. A parameter whose arguments all
//! stand for one value (or for itself) is replaced by that value, whose definition then dominates
//! all of the block's predecessors and so the block. Two parameters of a block that receive equal
//! arguments on each edge become one.
//!
//! Leaves out partitions of congruent parameters across blocks.

use std::collections::VecDeque;

use super::rename::Renaming;
use crate::dominators::Order;
use crate::hash::FastMap;
use crate::index::Map;
use crate::ir::residual::{Block, Function, Value};

pub fn run(function: &mut Function) {
    let order = Order::new(function);
    let flow = Flow::new(function, &order, &function.types.keys().collect());
    let mut stands_for = flow.solve();
    merge_equal(function, &order, &flow, &mut stands_for);
    remove(function, &order, &stands_for);
}

/// What a parameter stands for before any argument has been seen.
const UNKNOWN: Value = Value(u32::MAX);

/// Which arguments reach which parameters.
pub struct Flow {
    /// Parameters of reachable blocks but the entry, in reverse postorder.
    params: Vec<Value>,
    /// By value: where its arguments start in `args`. They end where those of the next value start;
    /// values that are no parameters have none.
    starts: Vec<u32>,
    /// Arguments, in the order of the block's predecessor edges.
    args: Vec<Value>,
    /// (argument, parameter) pairs by argument, where the argument is a parameter.
    feeds: Vec<(Value, Value)>,
    feeds_start: Vec<u32>,
}

impl Flow {
    /// With `equal[argument]` for each argument.
    pub fn new(function: &Function, order: &Order, equal: &Map<Value, Value>) -> Self {
        let values = function.types.len();
        let mut is_param = Map::filled_like(&function.types, false);
        let mut params = Vec::new();
        let mut starts = vec![0_u32; values + 1];
        for &block in order.blocks.iter().skip(1) {
            let edges = order.preds.of(block).len() as u32;
            for &param in &function.blocks[block].params {
                params.push(param);
                is_param[param] = true;
                starts[param.index() + 1] = edges;
            }
        }
        sum(&mut starts);
        let mut next = starts.clone();
        let mut args = vec![UNKNOWN; starts[values] as usize];
        let mut feeds = Vec::new();
        for_each_argument(function, order, |param, arg| {
            let arg = equal[arg];
            args[next[param.index()] as usize] = arg;
            next[param.index()] += 1;
            if is_param[arg] {
                feeds.push((arg, param));
            }
        });
        feeds.sort_unstable();
        let mut feeds_start = vec![0_u32; values + 1];
        for (arg, _) in &feeds {
            feeds_start[arg.index() + 1] += 1;
        }
        sum(&mut feeds_start);
        Self {
            params,
            starts,
            args,
            feeds,
            feeds_start,
        }
    }

    fn args(&self, param: Value) -> &[Value] {
        &self.args[self.starts[param.index()] as usize..self.starts[param.index() + 1] as usize]
    }

    /// For each value the one that it stands for.
    pub fn solve(&self) -> Map<Value, Value> {
        let mut stands_for: Map<Value, Value> =
            (0..self.starts.len() as u32 - 1).map(Value).collect();
        let mut queued = Map::filled_like(&stands_for, false);
        for &param in &self.params {
            stands_for[param] = UNKNOWN;
            queued[param] = true;
        }
        let mut queue: VecDeque<Value> = self.params.iter().copied().collect();
        while let Some(param) = queue.pop_front() {
            queued[param] = false;
            let now = self.meet(param, &stands_for);
            // A parameter found to differ stays so: that bounds the number of rounds.
            if now == stands_for[param] || stands_for[param] == param {
                continue;
            }
            stands_for[param] = now;
            let (start, end) = (
                self.feeds_start[param.index()],
                self.feeds_start[param.index() + 1],
            );
            for &(_, fed) in &self.feeds[start as usize..end as usize] {
                if !std::mem::replace(&mut queued[fed], true) {
                    queue.push_back(fed);
                }
            }
        }
        stands_for
    }

    fn meet(&self, param: Value, stands_for: &Map<Value, Value>) -> Value {
        let mut common = UNKNOWN;
        for arg in self.args(param) {
            let value = stands_for[*arg];
            if value == UNKNOWN || value == param || value == common {
                continue;
            }
            if common != UNKNOWN {
                return param;
            }
            common = value;
        }
        common
    }
}

fn sum(counts: &mut [u32]) {
    for index in 1..counts.len() {
        counts[index] += counts[index - 1];
    }
}

/// Visits each (parameter, argument) pair; a parameter's arguments come in the order of its block's
/// predecessor edges.
fn for_each_argument(function: &Function, order: &Order, mut visit: impl FnMut(Value, Value)) {
    for block in &order.blocks {
        for target in function.blocks[*block].term.targets() {
            let params = &function.blocks[target.block].params;
            for (&param, &arg) in params.iter().zip(&target.args) {
                visit(param, arg);
            }
        }
    }
}

/// Lets a parameter stand for an earlier one of its block if both get equal arguments. An edge that
/// gives each of the two its own value counts as equal.
fn merge_equal(
    function: &Function,
    order: &Order,
    flow: &Flow,
    stands_for: &mut Map<Value, Value>,
) {
    let mut seen: FastMap<Vec<Value>, Value> = FastMap::default();
    let mut merged = Map::filled_like(stands_for, None);
    for &block in order.blocks.iter().skip(1) {
        let kept = function.blocks[block].params.iter().copied();
        let kept: Vec<Value> = kept.filter(|param| stands_for[*param] == *param).collect();
        if kept.len() < 2 {
            continue;
        }
        seen.clear();
        for param in kept {
            let own = |arg: &Value| match stands_for[*arg] {
                value if value == param => UNKNOWN,
                value => value,
            };
            let first = *seen
                .entry(flow.args(param).iter().map(own).collect())
                .or_insert(param);
            merged[param] = (first != param).then_some(first);
        }
    }
    for value in stands_for.values_mut().filter(|value| **value != UNKNOWN) {
        *value = merged[*value].unwrap_or(*value);
    }
}

/// Replaces parameters by what they stand for.
pub fn remove(function: &mut Function, order: &Order, stands_for: &Map<Value, Value>) {
    let mut renaming = Renaming::new(function);
    let redundant = |param: &Value| stands_for[*param] != *param;
    let mut shrinks = Map::filled_like(&function.blocks, false);
    for &block in order.blocks.iter().skip(1) {
        for param in function.blocks[block]
            .params
            .iter()
            .filter(|param| redundant(param))
        {
            assert!(
                stands_for[*param] != UNKNOWN,
                "a reachable block's parameter gets a value"
            );
            renaming.replace(*param, stands_for[*param]);
            shrinks[block] = true;
        }
    }
    retain_params(function, order, &shrinks, |param| !redundant(&param));
    renaming.apply(function);
}

/// Keeps those parameters of the blocks in `shrinks` that satisfy `keep`, with their arguments.
pub fn retain_params(
    function: &mut Function,
    order: &Order,
    shrinks: &Map<Block, bool>,
    keep: impl Fn(Value) -> bool,
) {
    for &from in &order.blocks {
        let mut term = std::mem::replace(
            &mut function.blocks[from].term,
            crate::ir::residual::Terminator::Unreachable,
        );
        for target in term.targets_mut().filter(|target| shrinks[target.block]) {
            let mut params = function.blocks[target.block].params.iter();
            target.args.retain(|_| {
                keep(
                    *params
                        .next()
                        .expect("an edge has an argument for each parameter"),
                )
            });
        }
        function.blocks[from].term = term;
    }
    for &block in order
        .blocks
        .iter()
        .filter(|block: &&Block| shrinks[**block])
    {
        function.blocks[block].params.retain(|&param| keep(param));
    }
}
