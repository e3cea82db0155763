//! Copies of a loop's blocks, and what a second definition of their values asks for.
//!
//! Who copies blocks leads edges to the copies as it likes, then has [`Copies::mend`] see to the
//! values: where both definitions of one meet, it becomes a parameter.

use std::collections::HashSet;

use crate::dominators::Order;
use crate::hash::FastMap;
use crate::index::Map;
use crate::ir::residual::{Block, BlockData, Function, Inst, Terminator, Value};

/// Most blocks after a loop that may need values of it, each counted once a value: mending looks at
/// all of them.
const MOST_PLACES: usize = 4096;

/// Whether few blocks after a loop need values of its blocks.
pub fn are_needed_little(function: &Function, order: &Order, blocks: &[Block]) -> bool {
    let mut users: Map<Value, Option<Vec<Block>>> = Map::filled_like(&function.types, None);
    for &block in blocks {
        for value in defined(&function.blocks[block]) {
            users[value] = Some(Vec::new());
        }
    }
    for &block in order.blocks.iter().filter(|block| !blocks.contains(block)) {
        for &arg in used(&function.blocks[block]) {
            if let Some(users) = &mut users[arg] {
                users.push(block);
            }
        }
    }
    let mut count = 0;
    users.values().flatten().all(|users| {
        count += places(order, users, blocks, MOST_PLACES).len();
        count <= MOST_PLACES
    })
}

/// The blocks on whose entry a value is needed that `users` use, the first `most` of them; `homes`
/// define it.
fn places(order: &Order, users: &[Block], homes: &[Block], most: usize) -> Vec<Block> {
    let (mut places, mut seen) = (Vec::new(), HashSet::new());
    let mut work = users.to_vec();
    while let Some(block) = work.pop() {
        if !homes.contains(&block) && seen.insert(block) {
            places.push(block);
            work.extend(order.preds.of(block));
            if places.len() > most {
                break;
            }
        }
    }
    places
}

/// Copies of blocks, and of the values that they define.
pub struct Copies {
    blocks: FastMap<Block, Block>,
    values: FastMap<Value, Value>,
    /// The values with their copies, each with the block that defines it.
    twins: Vec<[(Block, Value); 2]>,
}

impl Copies {
    /// Copies `blocks`. Jumps among the copies stay among them, but for those to `head`.
    pub fn new(function: &mut Function, blocks: &[Block], head: Block) -> Self {
        let mut copies = Self {
            blocks: FastMap::default(),
            values: FastMap::default(),
            twins: Vec::new(),
        };
        for &block in blocks {
            let copy = function.blocks.push(BlockData::empty());
            copies.blocks.insert(block, copy);
            for value in defined(&function.blocks[block]).collect::<Vec<_>>() {
                let twin = function.new_value(function.value_type(value));
                copies.values.insert(value, twin);
                copies.twins.push([(block, value), (copy, twin)]);
            }
        }
        for &block in blocks {
            let data = &function.blocks[block];
            let params = data.params.iter();
            let copy = BlockData {
                params: params.map(|&param| copies.value(param)).collect(),
                insts: data.insts.iter().map(|inst| copies.inst(inst)).collect(),
                term: copies.terminator(&data.term, head),
            };
            function.blocks[copies.blocks[&block]] = copy;
        }
        copies
    }

    /// The copy of `block`, which was copied.
    pub fn of(&self, block: Block) -> Block {
        self.blocks[&block]
    }

    fn value(&self, value: Value) -> Value {
        self.values.get(&value).copied().unwrap_or(value)
    }

    fn inst(&self, inst: &Inst) -> Inst {
        Inst {
            op: inst.op,
            args: inst.args.iter().map(|&arg| self.value(arg)).collect(),
            result: inst.result.map(|result| self.value(result)),
        }
    }

    fn terminator(&self, term: &Terminator, head: Block) -> Terminator {
        let mut copy = term.clone();
        copy.for_each_operand_mut(|operand| *operand = self.value(*operand));
        let others = copy.targets_mut().filter(|target| target.block != head);
        for target in others {
            target.block = *self.blocks.get(&target.block).unwrap_or(&target.block);
        }
        copy
    }

    /// Has each use of a value that was copied see the definition that reaches it. Blocks that the
    /// entry does not reach are left alone.
    pub fn mend(&self, function: &mut Function) {
        let order = Order::new(function);
        let mut numbers: Map<Value, Option<usize>> = Map::filled_like(&function.types, None);
        for (number, twins) in self.twins.iter().enumerate() {
            twins
                .iter()
                .for_each(|&(_, value)| numbers[value] = Some(number));
        }
        let mut users: Vec<Vec<Block>> = vec![Vec::new(); self.twins.len()];
        for &block in &order.blocks {
            for &arg in used(&function.blocks[block]) {
                if let Some(number) = numbers[arg]
                    && users[number].last() != Some(&block)
                {
                    users[number].push(block);
                }
            }
        }
        let twins = self.twins.iter().zip(&users);
        let reaching: Vec<Reaching> = twins
            .map(|(&twins, users)| Reaching::new(function, &order, twins, users))
            .collect();
        for &block in &order.blocks {
            let rename = |arg: &mut Value| {
                if let Some(&Some(number)) = numbers.get(*arg) {
                    *arg = reaching[number].at(block);
                }
            };
            let data = &mut function.blocks[block];
            let args = data.insts.iter_mut().flat_map(|inst| &mut inst.args);
            args.for_each(rename);
            data.term.for_each_operand_mut(rename);
        }
        for reaching in reaching {
            reaching.pass(function, &order);
        }
    }
}

/// What a value with two definitions is in the blocks that need it.
struct Reaching {
    /// For each block, the one whose definition of the value reaches it: it is defined twice, and
    /// is a parameter where definitions meet.
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
        twins: [(Block, Value); 2],
        users: &[Block],
    ) -> Self {
        let homes = twins.map(|(block, _)| block);
        let sources = sources(order, homes, users);
        let mut defined: FastMap<Block, Value> = twins.into_iter().collect();
        let mut meetings: Vec<Block> = sources.values().copied().collect();
        meetings.sort_unstable();
        meetings.dedup();
        meetings.retain(|block| !homes.contains(block));
        for &block in &meetings {
            let param = function.new_value(function.value_type(twins[0].1));
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
/// of `homes`, or one where the definitions meet.
fn sources(order: &Order, homes: [Block; 2], users: &[Block]) -> FastMap<Block, Block> {
    let mut places = places(order, users, &homes, usize::MAX);
    places.sort_unstable_by_key(|&block| order.number[block]);
    let mut sources: FastMap<Block, Block> = homes.map(|home| (home, home)).into_iter().collect();
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

/// The values that a block defines.
fn defined(data: &BlockData) -> impl Iterator<Item = Value> {
    let results = data.insts.iter().filter_map(|inst| inst.result);
    data.params.iter().copied().chain(results)
}

/// The values that a block uses.
fn used(data: &BlockData) -> impl Iterator<Item = &Value> {
    let args = data.insts.iter().flat_map(|inst| &inst.args);
    args.chain(data.term.operands())
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
