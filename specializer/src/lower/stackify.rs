//! Turns each block into stack code: which results stay on WebAssembly's operand stack, which go
//! through a local, which are computed again where they are used (constants).
//!
//! A result stays on the stack if its only use in evaluation order can take the place of its
//! definition: every instruction that it would move past commutes with it, or is part of the same
//! expression and evaluated later. A result with more uses may stay for the first one
//! (`local.tee`). Code is built backwards, from the last use to the first, with an explicit stack:
//! expressions can be as long as a block.
//!
//! Invariant: within a block each item list leaves exactly its operands on the stack, and a local
//! is written before it is read. Jump arguments are all pushed before the first parameter is set,
//! which makes the copies of an edge parallel. Leaves out moving code across blocks, but for
//! operands that only one arm of a branch needs.

use std::ops::Range;

use crate::dominators::Order;
use crate::index::Map;
use crate::ir::residual::Block;
use crate::ir::{
    residual, residual::Function, residual::Target, residual::Terminator, residual::Value,
};
use crate::op::{Effect, Op};

/// A piece of stack code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// The operator of this instruction of this block.
    Op(Block, u32),
    Get(Value),
    Set(Value),
    Tee(Value),
    Drop,
    /// Half of a copy from the first value to the parameter: nothing if they share a local.
    CopyGet(Value, Value),
    /// The other half.
    CopySet(Value, Value),
}

/// Stack code of a function.
#[derive(Debug, Default)]
pub struct Code {
    pub items: Vec<Item>,
    pub blocks: Map<Block, BlockCode>,
    /// Copies of the edges, which [`BlockCode::edges`] indexes.
    edges: Vec<Range<u32>>,
}

/// Where a block's code is in [`Code::items`].
#[derive(Clone, Debug, Default)]
pub struct BlockCode {
    pub all: Range<u32>,
    body: Range<u32>,
    condition: Range<u32>,
    edges: u32,
}

impl Code {
    /// The instructions of a block that do not belong to its terminator.
    pub fn body(&self, block: Block) -> &[Item] {
        self.slice(&self.blocks[block].body)
    }

    /// The operands of a block's terminator, but for those of its edges.
    pub fn condition(&self, block: Block) -> &[Item] {
        self.slice(&self.blocks[block].condition)
    }

    /// The copies of an edge.
    pub fn edge(&self, block: Block, edge: u32) -> &[Item] {
        self.slice(&self.edges[(self.blocks[block].edges + edge) as usize])
    }

    /// Everything in a block.
    pub fn block(&self, block: Block) -> &[Item] {
        self.slice(&self.blocks[block].all)
    }

    fn slice(&self, range: &Range<u32>) -> &[Item] {
        &self.items[range.start as usize..range.end as usize]
    }
}

/// Stack code of the function's reachable blocks.
pub fn run(function: &Function, order: &Order) -> Code {
    let mut stackifier = Stackifier {
        function,
        definition: Map::filled_like(&function.types, Definition::Parameter),
        uses: Map::filled_like(&function.types, 0),
        remaining: Map::filled_like(&function.types, 0),
        code: Code {
            blocks: Map::filled_like(&function.blocks, BlockCode::default()),
            ..Code::default()
        },
        reversed: Vec::new(),
        pending: Vec::new(),
        before: Vec::new(),
        placed: Vec::new(),
        tree: Tree::default(),
        block: Block::ENTRY,
    };
    for &block in &order.blocks {
        stackifier.survey(block);
    }
    for &block in &order.blocks {
        stackifier.run_block(block);
    }
    stackifier.code
}

/// Where a value comes from.
#[derive(Clone, Copy)]
enum Definition {
    Parameter,
    Inst(Block, u32),
    /// An instruction that is as cheap as a local: repeated at each use.
    Repeated(Block, u32),
}

/// Kinds of effects that order instructions.
const CLASSES: usize = 6;
const ORDERED: [Effect; CLASSES] = [
    Effect::Traps,
    Effect::Reads,
    Effect::Writes,
    Effect::ReadsGlobal,
    Effect::WritesGlobal,
    Effect::Calls,
];

/// The expression being built: how many instructions of each class it holds, and the first of them.
#[derive(Default)]
struct Tree {
    root: u32,
    count: [u32; CLASSES],
    first: [u32; CLASSES],
    /// Whether only one of several arms evaluates what is now being placed.
    in_arm: bool,
}

struct Stackifier<'f> {
    function: &'f Function,
    definition: Map<Value, Definition>,
    /// Uses in all of the function.
    uses: Map<Value, u32>,
    /// Uses by the current block that have not been placed.
    remaining: Map<Value, u32>,
    code: Code,
    /// The current block's code, last item first.
    reversed: Vec<Item>,
    /// Operands yet to be placed, the last one first.
    pending: Vec<Value>,
    /// By instruction of the current block: how many of each class come before it.
    before: Vec<[u32; CLASSES]>,
    /// By instruction of the current block: whether it is part of an expression already.
    placed: Vec<bool>,
    tree: Tree,
    block: Block,
}

impl Stackifier<'_> {
    fn survey(&mut self, block: Block) {
        let data = &self.function.blocks[block];
        for (index, inst) in data.insts.iter().enumerate() {
            if let Some(result) = inst.result {
                self.definition[result] = match inst.op {
                    Op::Const(_) | Op::SymbolAddress(_) => {
                        Definition::Repeated(block, index as u32)
                    }
                    _ => Definition::Inst(block, index as u32),
                };
            }
            for arg in &inst.args {
                self.uses[*arg] += 1;
            }
        }
        for arg in data.term.operands() {
            self.uses[*arg] += 1;
        }
    }

    fn run_block(&mut self, block: Block) {
        let function = self.function;
        let data = &function.blocks[block];
        self.block = block;
        self.prepare(data);
        let start = self.code.items.len() as u32;
        self.start_tree(data.insts.len() as u32);
        let edges = self.place_edges(&data.term);
        self.tree.in_arm = false;
        let before_condition = self.reversed.len() as u32;
        for &operand in data.term.own_operands().iter().rev() {
            self.place(operand);
        }
        let before_body = self.reversed.len() as u32;
        for index in (0..data.insts.len()).rev() {
            self.place_root(index, &data.insts[index]);
        }
        let end = start + self.reversed.len() as u32;
        self.code.items.extend(self.reversed.drain(..).rev());
        self.code.blocks[block] = BlockCode {
            all: start..end,
            body: start..end - before_body,
            condition: end - before_body..end - before_condition,
            edges: self.code.edges.len() as u32,
        };
        self.code.edges.extend(
            edges
                .into_iter()
                .rev()
                .map(|range| end - range.end..end - range.start),
        );
    }

    fn prepare(&mut self, data: &residual::BlockData) {
        self.before.clear();
        let mut count = [0; CLASSES];
        for inst in &data.insts {
            self.before.push(count);
            if let Some(class) = class(inst.op.effect()) {
                count[class] += 1;
            }
            for arg in &inst.args {
                self.remaining[*arg] += 1;
            }
        }
        self.before.push(count);
        for arg in data.term.operands() {
            self.remaining[*arg] += 1;
        }
        self.placed.clear();
        self.placed.resize(data.insts.len(), false);
    }

    /// Places the copies of each edge, the last edge first; gives their ranges in reversed order.
    fn place_edges(&mut self, term: &Terminator) -> Vec<Range<u32>> {
        let targets: smallvec::SmallVec<[&Target; 2]> = term.targets().collect();
        self.tree.in_arm = targets.len() > 1;
        let mut ranges = Vec::with_capacity(targets.len());
        for target in targets.into_iter().rev() {
            let start = self.reversed.len() as u32;
            self.place_copies(target);
            ranges.push(start..self.reversed.len() as u32);
        }
        ranges
    }

    fn place_copies(&mut self, target: &Target) {
        let function = self.function;
        let params = &function.blocks[target.block].params;
        let sets = self.reversed.len();
        self.reversed
            .extend(params.iter().map(|&param| Item::Set(param)));
        for (index, &arg) in target.args.iter().enumerate().rev() {
            self.place(arg);
            if self.reversed.last() == Some(&Item::Get(arg)) {
                // What is pushed by a read of a local alone is a copy, which may turn out to be
                // none.
                *self.reversed.last_mut().expect("an item was just seen") =
                    Item::CopyGet(arg, params[index]);
                self.reversed[sets + index] = Item::CopySet(arg, params[index]);
            }
        }
    }

    /// Places an instruction that no expression has taken in, as a statement.
    fn place_root(&mut self, index: usize, inst: &residual::Inst) {
        if self.placed[index] {
            return;
        }
        match inst.result.map(|result| (result, self.uses[result])) {
            Some((_, 0)) if inst.op.effect().removable() => {
                for arg in &inst.args {
                    self.uses[*arg] -= 1;
                    self.remaining[*arg] -= 1;
                }
                return;
            }
            Some((result, _)) if matches!(self.definition[result], Definition::Repeated(..)) => {
                return;
            }
            Some((_, 0)) => self.reversed.push(Item::Drop),
            Some((result, _)) => self.reversed.push(Item::Set(result)),
            None => {}
        }
        self.start_tree(index as u32);
        self.reversed.push(Item::Op(self.block, index as u32));
        self.pending.extend(&inst.args);
        self.place_pending();
    }

    fn start_tree(&mut self, root: u32) {
        self.tree = Tree {
            root,
            first: [root; CLASSES],
            ..Tree::default()
        };
    }

    fn place(&mut self, value: Value) {
        self.pending.push(value);
        self.place_pending();
    }

    fn place_pending(&mut self) {
        while let Some(value) = self.pending.pop() {
            self.remaining[value] -= 1;
            match self.definition[value] {
                Definition::Repeated(block, index) => self.reversed.push(Item::Op(block, index)),
                Definition::Inst(block, index)
                    if block == self.block && self.stays(value, index) =>
                {
                    if self.uses[value] > 1 {
                        self.reversed.push(Item::Tee(value));
                    }
                    self.take_in(index);
                }
                Definition::Inst(..) | Definition::Parameter => {
                    self.reversed.push(Item::Get(value))
                }
            }
        }
    }

    /// Whether the definition of `value`, at `index` of this block, can be placed here.
    fn stays(&self, value: Value, index: u32) -> bool {
        if self.remaining[value] > 0 {
            return false;
        }
        let effect = self.function.blocks[self.block].insts[index as usize]
            .op
            .effect();
        if self.tree.in_arm && (self.uses[value] > 1 || !effect.removable()) {
            return false;
        }
        let between = |class: usize| {
            self.before[self.tree.root as usize][class] - self.before[index as usize + 1][class]
        };
        effect == Effect::Pure
            || (0..CLASSES).all(|class| {
                effect.commutes(ORDERED[class])
                    || between(class) == self.tree.count[class] && self.tree.first[class] > index
            })
    }

    fn take_in(&mut self, index: u32) {
        let function = self.function;
        let inst = &function.blocks[self.block].insts[index as usize];
        if let Some(class) = class(inst.op.effect()) {
            self.tree.count[class] += 1;
            self.tree.first[class] = self.tree.first[class].min(index);
        }
        self.placed[index as usize] = true;
        self.reversed.push(Item::Op(self.block, index));
        self.pending.extend(&inst.args);
    }
}

fn class(effect: Effect) -> Option<usize> {
    ORDERED.iter().position(|&ordered| ordered == effect)
}
