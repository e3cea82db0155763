//! Natural loops of a reducible function.
//!
//! Invariant: a loop's parent is the smallest loop around it, and a loop's number is greater than
//! those of the loops inside it. Leaves out irreducible loops: [`super::reduce`] has removed them.

use crate::dominators::{Dominators, Order};
use crate::index::{Map, index};
use crate::ir::residual::Block;

index!(/// A loop of a function.
    LoopId, "loop");

#[derive(Debug)]
pub struct Loop {
    pub header: Block,
    /// The smallest loop around this one.
    pub parent: Option<LoopId>,
}

#[derive(Debug)]
pub struct Loops {
    pub all: Map<LoopId, Loop>,
    /// The smallest loop that a block is in.
    pub of: Map<Block, Option<LoopId>>,
}

impl Loops {
    pub fn new(order: &Order, dominators: &Dominators) -> Self {
        let mut loops = Self {
            all: Map::default(),
            of: Map::filled(None, order.number.len()),
        };
        // The outermost loop found so far around each loop, by compressed paths.
        let mut outermost = Map::default();
        let mut pending = Vec::new();
        for &header in order.blocks.iter().rev() {
            let latches = order
                .preds
                .of(header)
                .iter()
                .filter(|&&pred| dominators.dominates(header, pred));
            pending.extend(latches);
            if !pending.is_empty() {
                loops.collect(header, order, &mut pending, &mut outermost);
            }
        }
        loops
    }

    /// Whether `block` is in loop `id`.
    pub fn contains(&self, id: LoopId, block: Block) -> bool {
        let mut current = self.of[block];
        while let Some(inner) = current {
            if inner >= id {
                return inner == id;
            }
            current = self.all[inner].parent;
        }
        false
    }

    /// The largest loop that `inside` is in and `outside` is not.
    pub fn left(&self, inside: Block, outside: Block) -> Option<LoopId> {
        let mut found = None;
        let mut current = self.of[inside];
        while let Some(id) = current {
            if self.contains(id, outside) {
                break;
            }
            found = Some(id);
            current = self.all[id].parent;
        }
        found
    }

    /// Adds the loop of `header`: whatever reaches the latches in `pending` without passing it.
    /// Inner loops are complete, so they are stepped over.
    fn collect(
        &mut self,
        header: Block,
        order: &Order,
        pending: &mut Vec<Block>,
        outermost: &mut Map<LoopId, LoopId>,
    ) {
        let id = self.all.push(Loop {
            header,
            parent: None,
        });
        outermost.push(id);
        self.of[header] = Some(id);
        while let Some(block) = pending.pop() {
            match self.of[block] {
                None => {
                    self.of[block] = Some(id);
                    pending.extend(order.preds.of(block));
                }
                Some(inner) => {
                    let inner = find(outermost, inner);
                    if inner != id {
                        outermost[inner] = id;
                        let inner = &mut self.all[inner];
                        inner.parent = Some(id);
                        pending.extend(order.preds.of(inner.header));
                    }
                }
            }
        }
    }
}

fn find(outermost: &mut Map<LoopId, LoopId>, mut id: LoopId) -> LoopId {
    while outermost[id] != id {
        let above = outermost[id];
        outermost[id] = outermost[above];
        id = above;
    }
    id
}
