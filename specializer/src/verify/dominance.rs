//! Which blocks dominate which: immediate dominators by Cooper, Harvey and Kennedy ("A Simple, Fast
//! Dominance Algorithm", 2001), then intervals of the dominator tree.
//!
//! Kept apart from the lowering's dominators, so that the two cannot err together. Jumps to blocks
//! that do not exist are ignored here; rule V3 reports them.

use crate::ir::{Block, Function};

pub(super) struct Dominance {
    /// By block: where the dominator tree's preorder enters and leaves it; absent if unreachable.
    intervals: Vec<Option<(u32, u32)>>,
}

impl Dominance {
    pub fn of<V>(function: &Function<V>) -> Self {
        let order = postorder(function);
        let dominators = immediate_dominators(function, &order);
        Self {
            intervals: intervals(function.blocks.len(), &order, &dominators),
        }
    }

    /// Whether every path from the entry to `below` goes through `above`. So it does if there is
    /// none.
    pub fn dominates(&self, above: Block, below: Block) -> bool {
        match (self.intervals[above.index()], self.intervals[below.index()]) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some((enter, leave)), Some((at, _))) => enter <= at && at < leave,
        }
    }
}

/// The blocks that are reached, in postorder.
fn postorder<V>(function: &Function<V>) -> Vec<usize> {
    let successors = |block: usize| -> Vec<usize> {
        let targets = function.blocks[block]
            .term
            .targets()
            .map(|target| target.block.index());
        targets
            .filter(|&block| block < function.blocks.len())
            .collect()
    };
    let mut order = Vec::new();
    if function.blocks.is_empty() {
        return order;
    }
    let mut seen = vec![false; function.blocks.len()];
    seen[0] = true;
    let mut pending = vec![(0, successors(0))];
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
fn immediate_dominators<V>(function: &Function<V>, order: &[usize]) -> Vec<usize> {
    let mut positions = vec![usize::MAX; function.blocks.len()];
    for (position, &block) in order.iter().enumerate() {
        positions[block] = position;
    }
    let mut predecessors = vec![Vec::new(); order.len()];
    for (position, &block) in order.iter().enumerate() {
        for target in function.blocks[block].term.targets() {
            if let Some(&to) = positions.get(target.block.index()) {
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
fn intervals(blocks: usize, order: &[usize], dominators: &[usize]) -> Vec<Option<(u32, u32)>> {
    let mut sizes = vec![1_u32; order.len()];
    for position in 0..order.len().saturating_sub(1) {
        sizes[dominators[position]] += sizes[position];
    }
    let mut intervals = vec![None; blocks];
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
