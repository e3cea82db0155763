//! Structured control flow from a reducible graph, by its dominator tree (Ramsey, "Beyond Relooper:
//! Recursive Translation of Unstructured Control Flow to Structured Control Flow", ICFP 2022), with
//! three changes: an explicit stack in place of recursion; blocks after a loop are placed behind
//! its `end`, so that a row of loops does not nest; and an `if` can serve as the `block` of its
//! join.
//!
//! Invariant: a loop's blocks are contiguous in the order of the steps, and a block comes after all
//! of its forward predecessors ([`super::locals`] relies on both).

use std::collections::HashMap;

use super::loops::Loops;
use crate::dominators::{Dominators, Order};
use crate::index::Map;
use crate::ir::residual::Block;
use crate::ir::{residual::Function, residual::Target, residual::Terminator};

/// What to emit next. Depths are label indices as in WebAssembly: 0 is the innermost frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    OpenBlock,
    OpenLoop,
    /// Takes the condition from the stack.
    OpenIf(Sense),
    Else,
    End,
    /// The block's instructions.
    Body(Block),
    /// The operand of the block's branch or switch.
    Condition(Block),
    /// The copies of the block's edge with this index (the order of [`Terminator::targets`]).
    Edge(Block, u32),
    Branch(u32),
    BranchIf(u32, Sense),
    BranchTable(Vec<u32>, u32),
    /// The block's return, tail call or trap.
    Leave(Block),
}

/// On what a conditional step acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    NotZero,
    Zero,
}

/// The steps of a reducible function.
pub fn run(
    function: &Function,
    order: &Order,
    dominators: &Dominators,
    loops: &Loops,
) -> Vec<Step> {
    let placement = Placement::new(function, order, dominators, loops);
    let mut structure = Structure {
        function,
        dominators,
        placement,
        depth: 0,
        label: Map::filled_like(&function.blocks, 0),
        work: vec![Work::Tree(Block::ENTRY)],
        steps: Vec::with_capacity(order.blocks.len() * 4),
    };
    while let Some(work) = structure.work.pop() {
        structure.step(work);
    }
    structure.steps
}

/// The blocks in the order in which their code is emitted.
pub fn blocks(steps: &[Step]) -> Vec<Block> {
    let body = |step: &Step| match step {
        Step::Body(block) => Some(*block),
        _ => None,
    };
    steps.iter().filter_map(body).collect()
}

/// In which frame each block goes.
struct Placement {
    /// Blocks behind the frame of a block's own code, the outermost first.
    joins: Map<Block, Vec<Block>>,
    /// Blocks behind the loop that a block heads, the outermost first.
    exits: Map<Block, Vec<Block>>,
    heads_loop: Map<Block, bool>,
    /// Whether the block is reached by label, or else put where its one jump is.
    labelled: Map<Block, bool>,
}

impl Placement {
    fn new(function: &Function, order: &Order, dominators: &Dominators, loops: &Loops) -> Self {
        let mut placement = Self {
            joins: Map::filled_like(&function.blocks, Vec::new()),
            exits: Map::filled_like(&function.blocks, Vec::new()),
            heads_loop: Map::filled_like(&function.blocks, false),
            labelled: Map::filled_like(&function.blocks, false),
        };
        for found in loops.all.values() {
            placement.heads_loop[found.header] = true;
        }
        let switched = switch_targets(function, order);
        // Later blocks first: an earlier one may jump to a later one, whose frame then is around
        // it.
        for &block in order.blocks.iter().rev() {
            let Some(parent) = dominators.parent[block] else {
                continue;
            };
            let forward = order
                .preds
                .of(block)
                .iter()
                .filter(|&&pred| !order.retreats(pred, block));
            if let Some(id) = loops.left(parent, block) {
                let header = loops.all[id].header;
                placement.exits[header].push(block);
                placement.labelled[block] = true;
            } else if switched[block] || forward.count() > 1 {
                placement.joins[parent].push(block);
                placement.labelled[block] = true;
            }
        }
        placement
    }
}

fn switch_targets(function: &Function, order: &Order) -> Map<Block, bool> {
    let mut switched = Map::filled_like(&function.blocks, false);
    for &block in &order.blocks {
        let term = &function.blocks[block].term;
        if let Terminator::Switch { .. } = term {
            for target in term.targets() {
                switched[target.block] = true;
            }
        }
    }
    switched
}

/// What remains to be done, innermost last.
#[derive(Clone, Copy)]
enum Work {
    /// A block and what it dominates.
    Tree(Block),
    /// One edge of a block: its copies, and the jump.
    Arm(Block, u32),
    /// The second arm of an `if` whose end has this label.
    Else(Block),
    /// The end of a frame, and the block that follows it if the frame is that block's label.
    End(Option<Block>),
}

struct Structure<'f> {
    function: &'f Function,
    dominators: &'f Dominators,
    placement: Placement,
    /// Number of open frames.
    depth: u32,
    /// How many frames are around the frame that is a block's label.
    label: Map<Block, u32>,
    work: Vec<Work>,
    steps: Vec<Step>,
}

impl Structure<'_> {
    fn step(&mut self, work: Work) {
        match work {
            Work::Tree(block) => self.tree(block),
            Work::Arm(block, edge) => {
                self.steps.push(Step::Edge(block, edge));
                self.go_to(self.target(block, edge).block);
            }
            Work::Else(_) => self.steps.push(Step::Else),
            Work::End(_) => {
                self.depth -= 1;
                self.steps.push(Step::End);
            }
        }
    }

    fn tree(&mut self, block: Block) {
        for exit in std::mem::take(&mut self.placement.exits[block]) {
            self.open_label(Step::OpenBlock, exit);
        }
        if self.placement.heads_loop[block] {
            self.open(Step::OpenLoop, None);
            self.label[block] = self.depth - 1;
            self.placement.labelled[block] = true;
        }
        self.steps.push(Step::Body(block));
        let mut joins = std::mem::take(&mut self.placement.joins[block]);
        let innermost = match self.function.blocks[block].term {
            Terminator::Branch { .. } if self.branch_joins(block) => joins.pop(),
            _ => None,
        };
        for join in joins {
            self.open_label(Step::OpenBlock, join);
        }
        self.terminator(block, innermost);
    }

    /// Whether an `if` can be the label of the innermost join after `block`: one arm holds code.
    fn branch_joins(&self, block: Block) -> bool {
        !self.bare(block, 0) || !self.bare(block, 1)
    }

    fn terminator(&mut self, block: Block, join: Option<Block>) {
        match &self.function.blocks[block].term {
            Terminator::Jump(_) => self.work.push(Work::Arm(block, 0)),
            Terminator::Branch { .. } => match join {
                Some(join) => self.branch_to_join(block, join),
                None => self.branch(block),
            },
            Terminator::Switch { .. } => self.switch(block),
            Terminator::Return(_) | Terminator::TailCall { .. } | Terminator::Unreachable => {
                self.steps.push(Step::Leave(block));
            }
        }
    }

    /// A branch whose `if` is the label of `join`, the innermost join after it.
    fn branch_to_join(&mut self, block: Block, join: Block) {
        let is_join = |edge| self.bare(block, edge) && self.target(block, edge).block == join;
        let (first, second, sense) = match is_join(0) {
            true => (1, 0, Sense::Zero),
            false => (0, 1, Sense::NotZero),
        };
        let other_is_join = is_join(second);
        // An arm that is a bare jump elsewhere needs no frame.
        for (edge, sense) in [(0, Sense::NotZero), (1, Sense::Zero)] {
            let elsewhere = self.bare(block, edge) && self.target(block, edge).block != join;
            if elsewhere && !other_is_join {
                self.open_label(Step::OpenBlock, join);
                self.branch_if(block, edge, sense);
                self.work.push(Work::Arm(block, 1 - edge));
                return;
            }
        }
        self.steps.push(Step::Condition(block));
        self.open_label(Step::OpenIf(sense), join);
        if !other_is_join {
            self.work.push(Work::Arm(block, second));
            self.work.push(Work::Else(join));
        }
        self.work.push(Work::Arm(block, first));
    }

    /// A branch none of whose arms is followed by a join of its own.
    fn branch(&mut self, block: Block) {
        let falls =
            |edge| self.bare(block, edge) && self.falls_through(self.target(block, edge).block);
        let bare = match (self.bare(block, 0), self.bare(block, 1)) {
            (true, true) if falls(0) => Some((1, Sense::Zero)),
            (true, _) => Some((0, Sense::NotZero)),
            (false, true) => Some((1, Sense::Zero)),
            (false, false) => None,
        };
        if let Some((edge, sense)) = bare {
            self.branch_if(block, edge, sense);
            self.work.push(Work::Arm(block, 1 - edge));
            return;
        }
        // The smaller arm goes inside, so that frames nest logarithmically.
        let (inner, sense) = match self.weight(block, 0) <= self.weight(block, 1) {
            true => (0, Sense::NotZero),
            false => (1, Sense::Zero),
        };
        self.steps.push(Step::Condition(block));
        self.work.push(Work::Arm(block, 1 - inner));
        self.open(Step::OpenIf(sense), None);
        self.work.push(Work::Arm(block, inner));
    }

    fn branch_if(&mut self, block: Block, edge: u32, sense: Sense) {
        self.steps.push(Step::Condition(block));
        let depth = self.depth_of(self.target(block, edge).block);
        self.steps.push(Step::BranchIf(depth, sense));
    }

    /// Writes a table of labels. An edge with copies gets a frame, and the copies come behind its
    /// end; edges that are alike share one.
    fn switch(&mut self, block: Block) {
        let targets: Vec<_> = self.function.blocks[block].term.targets().collect();
        let mut labels = Vec::with_capacity(targets.len());
        let mut framed = HashMap::new();
        for (edge, target) in (0..).zip(&targets) {
            let label = match self.bare(block, edge) {
                true => self.label[target.block],
                false => *framed
                    .entry((target.block, &target.args))
                    .or_insert_with(|| {
                        self.work.push(Work::Arm(block, edge));
                        self.open(Step::OpenBlock, None);
                        self.depth - 1
                    }),
            };
            labels.push(label);
        }
        let mut labels: Vec<_> = labels.iter().map(|label| self.depth - 1 - label).collect();
        let default = labels.pop().expect("a switch has a default");
        self.steps.push(Step::Condition(block));
        self.steps.push(Step::BranchTable(labels, default));
    }

    fn go_to(&mut self, block: Block) {
        if !self.placement.labelled[block] {
            self.work.push(Work::Tree(block));
        } else if !self.falls_through(block) {
            let depth = self.depth_of(block);
            self.steps.push(Step::Branch(depth));
        }
    }

    /// Whether leaving the code emitted so far at its end leads to `block`.
    fn falls_through(&self, block: Block) -> bool {
        for work in self.work.iter().rev() {
            match *work {
                Work::End(None) => {}
                Work::End(Some(next)) | Work::Else(next) => return next == block,
                Work::Tree(_) | Work::Arm(..) => return false,
            }
        }
        false
    }

    fn open(&mut self, step: Step, follows: Option<Block>) {
        self.steps.push(step);
        self.depth += 1;
        self.work.push(Work::End(follows));
    }

    /// Opens a frame whose end is the label of `block`, which comes right after it.
    fn open_label(&mut self, step: Step, block: Block) {
        self.label[block] = self.depth;
        self.work.push(Work::Tree(block));
        self.open(step, Some(block));
    }

    fn depth_of(&self, block: Block) -> u32 {
        self.depth - 1 - self.label[block]
    }

    fn target(&self, block: Block, edge: u32) -> &Target {
        let mut targets = self.function.blocks[block].term.targets();
        targets
            .nth(edge as usize)
            .expect("an edge's index is below the number of targets")
    }

    /// Whether the edge is nothing but a jump to a label.
    fn bare(&self, block: Block, edge: u32) -> bool {
        let target = self.target(block, edge);
        target.args.is_empty() && self.placement.labelled[target.block]
    }

    /// How much code is put where the edge is.
    fn weight(&self, block: Block, edge: u32) -> u32 {
        let target = self.target(block, edge).block;
        match self.placement.labelled[target] {
            true => 0,
            false => self.dominators.size[target],
        }
    }
}
