//! Copies of a loop's blocks, and what a second definition of their values asks for.
//!
//! Who copies blocks leads edges to the copies as it likes, then has [`Copies::mend`] see to the
//! values: where both definitions of one meet, it becomes a parameter.

use std::num::NonZero;

use crate::dominators::{Dominators, Order};
use crate::hash::{FastMap, FastSet};
use crate::index::Map;
use crate::ir::residual::{Block, BlockData, Function, Inst, Value};
use crate::ir::{Naming, Residual};

/// Most blocks after a loop that may need values of it, each counted once a value: mending looks at
/// all of them.
const MOST_PLACES: usize = 4096;

/// Whether few blocks after a loop need values of its blocks.
pub fn are_needed_little(function: &Function, order: &Order, blocks: &[Block]) -> bool {
    let blocks: FastSet<Block> = blocks.iter().copied().collect();
    let is_after = |block: Block| !blocks.contains(&block);
    let mut numbers: Map<Value, Option<NonZero<u32>>> = Map::filled_like(&function.types, None);
    let mut users: Vec<Vec<Block>> = Vec::new();
    for &block in order.blocks.iter().filter(|block| blocks.contains(block)) {
        for value in function.blocks[block].defined() {
            users.push(Vec::new());
            numbers[value] = NonZero::new(users.len() as u32);
        }
    }
    for &block in order.blocks.iter().filter(|&&block| is_after(block)) {
        for &arg in function.blocks[block].operands() {
            if let Some(number) = numbers[arg] {
                users[number.get() as usize - 1].push(block);
            }
        }
    }
    let places = users
        .iter()
        .flat_map(|users| order.preds.walk(users, is_after));
    places.take(MOST_PLACES + 1).count() <= MOST_PLACES
}

/// Blocks and instructions of a short loop.
const MOST_BLOCKS: usize = 64;
const MOST_INSTS: usize = 320;

/// The blocks of the loop that begins here, the head first, if it is short and has no loop within.
pub fn short_loop(
    function: &Function,
    order: &Order,
    dominators: &Dominators,
    head: Block,
) -> Option<Vec<Block>> {
    let blocks = order.blocks_of_loop(dominators, head, MOST_BLOCKS)?;
    let is_innermost = !blocks[1..].iter().any(|&block| order.begins_loop(block));
    let insts = blocks
        .iter()
        .map(|&block| function.blocks[block].insts.len());
    (is_innermost && insts.sum::<usize>() <= MOST_INSTS).then_some(blocks)
}

/// Copies of blocks, and of the values that they define.
pub struct Copies {
    blocks: FastMap<Block, Block>,
    values: FastMap<Value, Value>,
    /// The values with their copies, each with the block that defines it.
    twins: Vec<[(Block, Value); 2]>,
}

impl Copies {
    /// Copies `blocks`. Jumps among the copies stay among them.
    pub fn new(function: &mut Function, blocks: &[Block]) -> Self {
        let mut copies = Self {
            blocks: FastMap::default(),
            values: FastMap::default(),
            twins: Vec::new(),
        };
        for &block in blocks {
            let copy = function.blocks.push(BlockData::empty());
            copies.blocks.insert(block, copy);
            for value in function.blocks[block].defined().collect::<Vec<_>>() {
                let twin = function.new_value(function.value_type(value));
                copies.values.insert(value, twin);
                copies.twins.push([(block, value), (copy, twin)]);
            }
        }
        for &block in blocks {
            let data = &function.blocks[block];
            let insts = data.insts.iter();
            let copy = BlockData {
                params: copies.values(&data.params).into_vec(),
                insts: insts.map(|inst| copies.inst(inst)).collect(),
                term: copies.terminator(&data.term),
            };
            function.blocks[copies.blocks[&block]] = copy;
        }
        copies
    }

    /// The copy of `block`, which was copied.
    pub fn of(&self, block: Block) -> Block {
        self.blocks[&block]
    }

    fn inst(&mut self, inst: &Inst) -> Inst {
        Inst {
            op: inst.op,
            args: self.values(&inst.args),
            result: inst.result.map(|result| self.value(result)),
        }
    }

    /// As [`mend`], for the values that were copied.
    pub fn mend(&self, function: &mut Function, order: &Order) {
        mend(function, order, &self.twins);
    }
}

/// Has each use of a value that is defined several times, in these blocks and under these names,
/// see the definition that reaches it. Blocks that `order` does not reach are left alone.
pub fn mend<D: AsRef<[(Block, Value)]>>(function: &mut Function, order: &Order, values: &[D]) {
    let mut numbers: Map<Value, Option<usize>> = Map::filled_like(&function.types, None);
    for (number, definitions) in values.iter().enumerate() {
        let definitions = definitions.as_ref().iter();
        definitions.for_each(|&(_, name)| numbers[name] = Some(number));
    }
    let mut users: Vec<Vec<Block>> = vec![Vec::new(); values.len()];
    for &block in &order.blocks {
        for &arg in function.blocks[block].operands() {
            if let Some(number) = numbers[arg]
                && users[number].last() != Some(&block)
            {
                users[number].push(block);
            }
        }
    }
    let values = values.iter().zip(&users);
    let reaching: Vec<Reaching> = values
        .map(|(definitions, users)| Reaching::new(function, order, definitions.as_ref(), users))
        .collect();
    for &block in &order.blocks {
        function.blocks[block].for_each_operand_mut(|arg| {
            if let Some(number) = numbers[*arg] {
                *arg = reaching[number].at(block);
            }
        });
    }
    for reaching in reaching {
        reaching.pass(function, order);
    }
}

impl Naming<Residual, Residual> for Copies {
    fn block(&mut self, block: Block) -> Block {
        self.blocks.get(&block).copied().unwrap_or(block)
    }

    fn value(&mut self, value: Value) -> Value {
        self.values.get(&value).copied().unwrap_or(value)
    }
}

/// What a value with several definitions is in the blocks that need it.
struct Reaching {
    /// For each block, the one whose definition of the value reaches it: one of several, or the
    /// parameter where definitions meet.
    sources: FastMap<Block, Block>,
    defined: FastMap<Block, Value>,
    /// The blocks with such a parameter.
    meetings: Vec<Block>,
}

impl Reaching {
    /// Adds the parameters.
    fn new(
        function: &mut Function,
        order: &Order,
        definitions: &[(Block, Value)],
        users: &[Block],
    ) -> Self {
        let mut defined: FastMap<Block, Value> = definitions.iter().copied().collect();
        let sources = sources(order, &defined, users);
        let mut meetings: Vec<Block> = sources.values().copied().collect();
        meetings.sort_unstable();
        meetings.dedup();
        meetings.retain(|block| !defined.contains_key(block));
        for &block in &meetings {
            let param = function.new_value(function.value_type(definitions[0].1));
            function.blocks[block].params.push(param);
            defined.insert(block, param);
        }
        Self {
            sources,
            defined,
            meetings,
        }
    }

    /// The value at the end of a block that needs or defines it.
    fn at(&self, block: Block) -> Value {
        self.defined[&self.sources[&block]]
    }

    /// Gives the parameters their values.
    fn pass(&self, function: &mut Function, order: &Order) {
        for &block in &self.meetings {
            let mut preds = order.preds.of(block).to_vec();
            preds.sort_unstable();
            preds.dedup();
            for pred in preds {
                let targets = function.blocks[pred].term.targets_mut();
                let targets = targets.filter(|target| target.block == block);
                targets.for_each(|target| target.args.push(self.at(pred)));
            }
        }
    }
}

/// The block whose definition of a value reaches each block that needs it, as `users` use it: one
/// where it is `defined`, or one where the definitions meet.
fn sources(
    order: &Order,
    defined: &FastMap<Block, Value>,
    users: &[Block],
) -> FastMap<Block, Block> {
    let places = order
        .preds
        .walk(users, |block| !defined.contains_key(&block));
    let mut places: Vec<Block> = places.collect();
    places.sort_unstable_by_key(|&block| order.number[block]);
    let mut sources: FastMap<Block, Block> = defined.keys().map(|&home| (home, home)).collect();
    loop {
        let mut is_done = true;
        for &block in &places {
            // Where definitions have met once, they do for good.
            let met = sources
                .get(&block)
                .copied()
                .filter(|&source| source == block);
            let preds = order.preds.of(block).iter();
            let met = preds
                .filter_map(|pred| sources.get(pred).copied())
                .chain(met);
            let source = met.reduce(|one, other| if one == other { one } else { block });
            let source = source.expect("a definition comes before each use");
            is_done &= sources.insert(block, source) == Some(source);
        }
        if is_done {
            return sources;
        }
    }
}

/// New values for a block that has the parameters of this one.
pub fn params_like(function: &mut Function, block: Block) -> Vec<Value> {
    let types = function.blocks[block].params.iter();
    let types: Vec<_> = types.map(|&param| function.value_type(param)).collect();
    types.into_iter().map(|ty| function.new_value(ty)).collect()
}

/// Leads the jumps from elsewhere into a loop of these blocks, the head first, to `entrance`.
pub fn enter(function: &mut Function, order: &Order, blocks: &[Block], entrance: Block) {
    let enters = order.preds.of(blocks[0]).iter();
    for &block in enters.filter(|block| !blocks.contains(block)) {
        lead(&mut function.blocks[block], |to| {
            if to == blocks[0] { entrance } else { to }
        });
    }
}

/// Leads the jumps of a block elsewhere.
pub fn lead(data: &mut BlockData, elsewhere: impl Fn(Block) -> Block) {
    for target in data.term.targets_mut() {
        target.block = elsewhere(target.block);
    }
}
