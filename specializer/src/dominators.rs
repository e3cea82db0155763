//! Order of blocks and dominance, shared by cleanup and lowering.
//!
//! Dominators are computed by Semi-NCA (Georgiadis, "Linear-Time Algorithms for Dominators and
//! Related Problems", 2005), whose path compression keeps a block that thousands of blocks jump to
//! (the exit of every raise) from costing quadratic time. Nothing here recurses.
//!
//! Leaves out: blocks that the entry does not reach. They have no number and no dominator.

use std::iter;

use crate::graph::{UNREACHED, positions, reverse_postorder};
use crate::hash::FastSet;
use crate::index::Map;
use crate::ir::residual::{Block, Function, Terminator};

/// Lists indexed by block, in one allocation.
#[derive(Debug)]
pub struct Adjacency {
    starts: Vec<u32>,
    items: Vec<Block>,
}

impl Adjacency {
    pub fn of(&self, key: Block) -> &[Block] {
        &self.items[self.starts[key.index()] as usize..self.starts[key.index() + 1] as usize]
    }

    /// The targets of each block of `function`, in order.
    fn successors(function: &Function) -> Self {
        let mut starts = Vec::with_capacity(function.blocks.len() + 1);
        let mut items = Vec::with_capacity(function.blocks.len() * 2);
        for block in function.blocks.values() {
            starts.push(items.len() as u32);
            match &block.term {
                Terminator::Jump(target) => items.push(target.block),
                Terminator::Branch {
                    then, otherwise, ..
                } => items.extend([then.block, otherwise.block]),
                Terminator::Switch { .. } => {
                    items.extend(block.term.targets().map(|target| target.block))
                }
                Terminator::Return(_) | Terminator::TailCall { .. } | Terminator::Unreachable => {}
            }
        }
        starts.push(items.len() as u32);
        Self { starts, items }
    }

    /// The blocks to which edges lead from `from` through blocks that are inside, these among
    /// them, each once.
    pub fn walk(
        &self,
        from: &[Block],
        is_inside: impl Fn(Block) -> bool,
    ) -> impl Iterator<Item = Block> {
        let (mut work, mut seen) = (from.to_vec(), FastSet::default());
        iter::from_fn(move || {
            loop {
                let block = work.pop()?;
                if is_inside(block) && seen.insert(block) {
                    work.extend(self.of(block));
                    return Some(block);
                }
            }
        })
    }

    /// The edges that leave `blocks`, turned round.
    fn reversed(&self, blocks: &[Block]) -> Self {
        let mut starts = vec![0_u32; self.starts.len() + 1];
        // Counted one place further on, so that filling moves each start to where it belongs.
        for &block in blocks {
            for to in self.of(block) {
                starts[to.index() + 2] += 1;
            }
        }
        for key in 2..starts.len() {
            starts[key] += starts[key - 1];
        }
        let mut items = vec![Block::ENTRY; starts[starts.len() - 1] as usize];
        for &block in blocks {
            for to in self.of(block) {
                let next = &mut starts[to.index() + 1];
                items[*next as usize] = block;
                *next += 1;
            }
        }
        starts.pop();
        Self { starts, items }
    }
}

/// Reachable blocks in reverse postorder, and edges between them.
#[derive(Debug)]
pub struct Order {
    /// Reachable blocks; the entry is first, and each block comes after its forward predecessors.
    pub blocks: Vec<Block>,
    /// A block's position in `blocks`, or [`UNREACHED`].
    pub number: Map<Block, u32>,
    /// Reachable predecessors, one entry an edge.
    pub preds: Adjacency,
    /// Targets of each block's terminator, in order.
    pub succs: Adjacency,
}

impl Order {
    pub fn new(function: &Function) -> Self {
        let succs = Adjacency::successors(function);
        // The last successor is visited first, so that the first ends up nearest to its block.
        let last_first = |block| succs.of(block).iter().rev().copied();
        let blocks = reverse_postorder(Block::ENTRY, function.blocks.len(), last_first);
        let number = positions(&blocks, function.blocks.len());
        let preds = succs.reversed(&blocks);
        Self {
            blocks,
            number,
            preds,
            succs,
        }
    }

    pub fn reaches(&self, block: Block) -> bool {
        self.number[block] != UNREACHED
    }

    /// Whether the edge goes back, or to its own block.
    pub fn retreats(&self, from: Block, to: Block) -> bool {
        self.number[to] <= self.number[from]
    }

    /// Whether an edge goes back to the block.
    pub fn begins_loop(&self, block: Block) -> bool {
        let mut preds = self.preds.of(block).iter();
        preds.any(|&pred| self.retreats(pred, block))
    }

    /// The blocks of the loop that begins at `head`, that first: those from which a jump back leads
    /// there. Nothing if there is another way into them, or if they are more than `most`.
    pub fn blocks_of_loop(
        &self,
        dominators: &Dominators,
        head: Block,
        most: usize,
    ) -> Option<Vec<Block>> {
        let mut blocks = vec![head];
        let backs = self.preds.of(head).iter().copied();
        let backs: Vec<Block> = backs.filter(|&pred| self.retreats(pred, head)).collect();
        for block in self.preds.walk(&backs, |block| block != head) {
            if blocks.len() >= most || !dominators.dominates(head, block) {
                return None;
            }
            blocks.push(block);
        }
        Some(blocks)
    }
}

/// The dominator tree over reachable blocks.
#[derive(Debug)]
pub struct Dominators {
    /// The immediate dominator; absent for the entry and for what is not reachable.
    pub parent: Map<Block, Option<Block>>,
    /// Blocks in the subtree, the block itself included.
    pub size: Map<Block, u32>,
    /// Position in a preorder of the tree.
    enter: Map<Block, u32>,
}

impl Dominators {
    pub fn new(function: &Function, order: &Order) -> Self {
        let parent = SemiNca::new(order).run(order);
        // A dominator comes before what it dominates in reverse postorder.
        let mut size = Map::filled_like(&function.blocks, 1_u32);
        for &block in order.blocks.iter().rev() {
            if let Some(dominator) = parent[block] {
                size[dominator] += size[block];
            }
        }
        let mut enter = Map::filled_like(&function.blocks, 0_u32);
        let mut next = Map::filled_like(&function.blocks, 1_u32);
        for &block in &order.blocks {
            if let Some(dominator) = parent[block] {
                enter[block] = enter[dominator] + next[dominator];
                next[dominator] += size[block];
            }
        }
        Self {
            parent,
            size,
            enter,
        }
    }

    /// Whether each path from the entry to `below` passes through `above` (both reachable).
    pub fn dominates(&self, above: Block, below: Block) -> bool {
        (self.enter[above]..self.enter[above] + self.size[above]).contains(&self.enter[below])
    }
}

/// The state of Semi-NCA. Blocks are named by their number in a depth-first preorder.
struct SemiNca {
    vertex: Vec<Block>,
    preorder: Map<Block, u32>,
    parent: Vec<u32>,
    /// Forest of the path compression: starts as `parent`.
    ancestor: Vec<u32>,
    label: Vec<u32>,
    semi: Vec<u32>,
    path: Vec<u32>,
}

impl SemiNca {
    fn new(order: &Order) -> Self {
        let mut preorder = Map::filled_like(&order.number, UNREACHED);
        let (mut vertex, mut parent) = (Vec::with_capacity(order.blocks.len()), Vec::new());
        let mut stack = vec![(Block::ENTRY, 0)];
        while let Some((block, from)) = stack.pop() {
            if preorder[block] != UNREACHED {
                continue;
            }
            let number = vertex.len() as u32;
            preorder[block] = number;
            vertex.push(block);
            parent.push(from);
            stack.extend(order.succs.of(block).iter().map(|&next| (next, number)));
        }
        let numbers: Vec<u32> = (0..vertex.len() as u32).collect();
        Self {
            vertex,
            preorder,
            ancestor: parent.clone(),
            parent,
            label: numbers.clone(),
            semi: numbers,
            path: Vec::new(),
        }
    }

    fn run(mut self, order: &Order) -> Map<Block, Option<Block>> {
        for number in (1..self.vertex.len()).rev() {
            let mut semi = self.parent[number];
            for pred in order.preds.of(self.vertex[number]) {
                let label = self.evaluate(self.preorder[*pred], number as u32 + 1);
                semi = semi.min(self.semi[label as usize]);
            }
            self.semi[number] = semi;
        }
        let mut dominators = Map::filled_like(&self.preorder, None);
        for number in 1..self.vertex.len() {
            let mut candidate = self.parent[number];
            while candidate > self.semi[number] {
                candidate = self.parent[candidate as usize];
            }
            // From here on `parent` of this number is its dominator.
            self.parent[number] = candidate;
            dominators[self.vertex[number]] = Some(self.vertex[candidate as usize]);
        }
        dominators
    }

    /// The vertex of least semidominator on the path up from `vertex` through linked vertices,
    /// which are those from `linked` on. Compresses that path.
    fn evaluate(&mut self, vertex: u32, linked: u32) -> u32 {
        let mut top = vertex;
        while self.ancestor[top as usize] >= linked {
            self.path.push(top);
            top = self.ancestor[top as usize];
        }
        let (root, mut best) = (self.ancestor[top as usize], self.label[top as usize]);
        while let Some(lower) = self.path.pop() {
            let label = &mut self.label[lower as usize];
            if self.semi[best as usize] < self.semi[*label as usize] {
                *label = best;
            } else {
                best = *label;
            }
            self.ancestor[lower as usize] = root;
        }
        self.label[vertex as usize]
    }
}
