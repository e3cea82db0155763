//! Which blocks dominate which: immediate dominators by Cooper, Harvey and Kennedy ("A Simple, Fast
//! Dominance Algorithm", 2001), then intervals of the dominator tree.
//!
//! Kept apart from [`crate::dominators`], so that the two cannot err together. Jumps to blocks that
//! do not exist are ignored here; rule V3 reports them.

use crate::index::Map;
use crate::ir::{Function, Stage};

pub(super) struct Dominance<S: Stage> {
    /// Where the dominator tree's preorder enters and leaves it; absent if unreachable.
    intervals: Map<S::Block, Option<(u32, u32)>>,
}

impl<S: Stage> Dominance<S> {
    pub fn of(function: &Function<S>) -> Self {
        let order = postorder(function);
        let dominators = immediate_dominators(function, &order);
        Self {
            intervals: intervals(function, &order, &dominators),
        }
    }

    /// Whether every path from the entry to `below` goes through `above`; true if there is no path.
    pub fn dominates(&self, above: S::Block, below: S::Block) -> bool {
        match (self.intervals[above], self.intervals[below]) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some((enter, leave)), Some((at, _))) => enter <= at && at < leave,
        }
    }
}

/// The blocks that are reached, in postorder.
fn postorder<S: Stage>(function: &Function<S>) -> Vec<S::Block> {
    let successors = |block: S::Block| -> Vec<S::Block> {
        let targets = function.blocks[block].term.targets();
        let targets = targets.map(|target| target.block);
        targets
            .filter(|&block| function.blocks.get(block).is_some())
            .collect()
    };
    let mut order = Vec::new();
    if function.blocks.is_empty() {
        return order;
    }
    let mut seen = Map::filled_like(&function.blocks, false);
    seen[S::ENTRY] = true;
    let mut pending = vec![(S::ENTRY, successors(S::ENTRY))];
    while let Some((block, rest)) = pending.last_mut() {
        match rest.pop() {
            Some(next) if seen[next] => {}
            Some(next) => {
                seen[next] = true;
                pending.push((next, successors(next)));
            }
            None => {
                order.push(*block);
                pending.pop();
            }
        }
    }
    order
}

/// By position in postorder: the position of the immediate dominator (of the entry: itself).
fn immediate_dominators<S: Stage>(function: &Function<S>, order: &[S::Block]) -> Vec<usize> {
    let mut positions = Map::filled_like(&function.blocks, usize::MAX);
    for (position, &block) in order.iter().enumerate() {
        positions[block] = position;
    }
    let mut predecessors = vec![Vec::new(); order.len()];
    for (position, &block) in order.iter().enumerate() {
        for target in function.blocks[block].term.targets() {
            if let Some(&to) = positions.get(target.block) {
                predecessors[to].push(position);
            }
        }
    }
    let mut dominators: Vec<Option<usize>> = vec![None; order.len()];
    if let Some(entry) = dominators.last_mut() {
        *entry = Some(order.len() - 1);
    }
    let mut changed = true;
    while changed {
        changed = false;
        for position in (0..order.len().saturating_sub(1)).rev() {
            let known = predecessors[position]
                .iter()
                .copied()
                .filter(|&from| dominators[from].is_some());
            let common = known.reduce(|first, second| intersect(&dominators, first, second));
            changed |= dominators[position] != common;
            dominators[position] = common;
        }
    }
    let reached =
        |dominator: Option<usize>| dominator.expect("the order holds reached blocks only");
    dominators.into_iter().map(reached).collect()
}

/// The closest common dominator of two positions.
fn intersect(dominators: &[Option<usize>], mut first: usize, mut second: usize) -> usize {
    let up = |position: usize| dominators[position].expect("only known positions are compared");
    while first != second {
        while first < second {
            first = up(first);
        }
        while second < first {
            second = up(second);
        }
    }
    first
}

/// Numbers the dominator tree in preorder: each subtree is an interval.
fn intervals<S: Stage>(
    function: &Function<S>,
    order: &[S::Block],
    dominators: &[usize],
) -> Map<S::Block, Option<(u32, u32)>> {
    let mut sizes = vec![1_u32; order.len()];
    for position in 0..order.len().saturating_sub(1) {
        sizes[dominators[position]] += sizes[position];
    }
    let mut intervals = Map::filled_like(&function.blocks, None);
    // Where the next child of each position begins.
    let mut next = vec![0_u32; order.len()];
    for position in (0..order.len()).rev() {
        let parent = dominators[position];
        let enter = if parent == position { 0 } else { next[parent] };
        next[parent] = enter + sizes[position];
        next[position] = enter + 1;
        intervals[order[position]] = Some((enter, enter + sizes[position]));
    }
    intervals
}
