//! Second step of lifting: locals become parameters and arguments.
//!
//! Classic backward liveness over bit sets, iterated over blocks in postorder until nothing changes
//! (as often as loops nest, in practice). Before it, jumps to blocks that only jump on with the
//! same stack are redirected, and blocks are renumbered in reverse postorder.
//!
//! The bit sets are rows of one allocation, used in four lines: a crate of them would allocate a
//! set for each block.

use super::translate::{BlockLocals, Draft};
use super::{Places, Reason};
use crate::graph::{positions, reverse_postorder};
use crate::index::Map;
use crate::ir::Type;
use crate::ir::generic::{Block, BlockData, Function, Inst, Terminator, Value, Values};
use crate::op::{Const, Op};

/// Values that blocks may have for locals, and jumps pass on.
const MOST_VALUES: usize = 1 << 23;

/// Words that bit sets may have.
const MOST_WORDS: usize = 1 << 25;

/// Completes `draft`.
pub(super) fn run(mut draft: Draft) -> Result<(Function, Places), Reason> {
    skip_forwarders(&mut draft);
    let blocks = &draft.function.blocks;
    // The last target is visited first, so that the first ends up nearest to its block.
    let last_first = |block: Block| {
        blocks[block]
            .term
            .targets()
            .rev()
            .map(|target| target.block)
    };
    let order = reverse_postorder(Block::ENTRY, blocks.len(), last_first);
    renumber(&mut draft, &order);
    let words = draft.types.len().div_ceil(64) * draft.function.blocks.len();
    if words > MOST_WORDS {
        return Err(Reason::Values(words * 64));
    }
    let live = Liveness::solve(&draft);
    let values = live.values(&draft);
    if values > MOST_VALUES {
        return Err(Reason::Values(values));
    }
    add_params(&mut draft, &live);
    add_arguments(&mut draft, &live);
    Ok((draft.function, draft.places))
}

/// Redirects jumps to blocks that do nothing but jump on.
fn skip_forwarders(draft: &mut Draft) {
    let next: Map<Block, Option<Block>> = (draft.function.blocks.values())
        .zip(draft.locals.values())
        .map(|(block, locals)| forwards(block, locals))
        .collect();
    let end = ends(&next);
    for block in draft.function.blocks.values_mut() {
        for target in block.term.targets_mut() {
            target.block = end[target.block];
        }
    }
}

/// Where one comes to from each block by going on to the next one. A cycle, which is an endless
/// loop, is left nowhere.
fn ends(next: &Map<Block, Option<Block>>) -> Map<Block, Block> {
    let mut ends: Map<Block, Option<Block>> = Map::filled_like(next, None);
    let mut way = Vec::new();
    for start in next.keys() {
        let mut block = start;
        let end = loop {
            if let Some(end) = ends[block] {
                break end;
            }
            // Who comes by again ends here.
            ends[block] = Some(block);
            match next[block] {
                Some(further) => {
                    way.push(block);
                    block = further;
                }
                None => break block,
            }
        };
        way.drain(..).for_each(|passed| ends[passed] = Some(end));
    }
    let ends = ends.into_values();
    ends.map(|end| end.expect("each block was a start"))
        .collect()
}

/// Where an empty block that passes all its parameters on jumps to.
fn forwards(block: &BlockData, locals: &BlockLocals) -> Option<Block> {
    match &block.term {
        Terminator::Jump(target)
            if block.insts.is_empty()
                && locals.ends.is_empty()
                && target.args[..] == block.params[..] =>
        {
            Some(target.block)
        }
        _ => None,
    }
}

/// Puts blocks into `order`, dropping the others.
fn renumber(draft: &mut Draft, order: &[Block]) {
    let numbers = positions(order, draft.function.blocks.len());
    let mut blocks = std::mem::take(&mut draft.function.blocks);
    let mut locals = std::mem::take(&mut draft.locals);
    let mut places = std::mem::take(&mut draft.places);
    for &block in order {
        let mut data = std::mem::replace(&mut blocks[block], BlockData::empty());
        for target in data.term.targets_mut() {
            target.block = Block(numbers[target.block]);
        }
        draft.function.blocks.push(data);
        draft.locals.push(std::mem::take(&mut locals[block]));
        draft.places.push(std::mem::take(&mut places[block]));
    }
}

/// The locals that are live at the start of each block.
struct Liveness {
    /// Words of 64 locals per block.
    words: usize,
    /// The words of all blocks.
    sets: Vec<u64>,
}

impl Liveness {
    fn solve(draft: &Draft) -> Self {
        let words = draft.types.len().div_ceil(64);
        let count = draft.function.blocks.len();
        let mut live = Self {
            words,
            sets: vec![0; words * count],
        };
        let kept = live.kept(draft);
        for (block, locals) in &draft.locals {
            for &(local, _) in &locals.reads {
                let at = live.row(block) + local / 64;
                live.sets[at] |= 1 << (local % 64);
            }
        }
        while draft.locals.keys().rev().fold(false, |changed, block| {
            live.transfer(draft, &kept, block) | changed
        }) {}
        live
    }

    /// Where a block's words begin.
    fn row(&self, block: Block) -> usize {
        block.index() * self.words
    }

    /// For each block, the locals that it leaves alone.
    fn kept(&self, draft: &Draft) -> Vec<u64> {
        let mut kept = vec![u64::MAX; self.sets.len()];
        for (block, locals) in &draft.locals {
            for &(local, _) in &locals.ends {
                kept[self.row(block) + local / 64] &= !(1 << (local % 64));
            }
        }
        kept
    }

    /// Adds to a block's live locals those that its successors need and it does not write. Returns
    /// whether that changed them.
    fn transfer(&mut self, draft: &Draft, kept: &[u64], block: Block) -> bool {
        let mut changed = false;
        for target in draft.function.blocks[block].term.targets() {
            for word in 0..self.words {
                let at = self.row(block) + word;
                let through = self.sets[self.row(target.block) + word] & kept[at];
                changed |= through & !self.sets[at] != 0;
                self.sets[at] |= through;
            }
        }
        changed
    }

    /// How many parameters and arguments there will be.
    fn values(&self, draft: &Draft) -> usize {
        let counts: Map<Block, usize> = (draft.function.blocks.keys())
            .map(|block| {
                let words = &self.sets[self.row(block)..][..self.words];
                words.iter().map(|word| word.count_ones() as usize).sum()
            })
            .collect();
        let blocks = draft.function.blocks.values();
        let targets = blocks.flat_map(|block| block.term.targets());
        let arguments: usize = targets.map(|target| counts[target.block]).sum();
        counts.values().sum::<usize>() + arguments
    }

    /// The live-in locals of `block`, ascending.
    fn locals(&self, block: Block) -> impl Iterator<Item = usize> {
        let words = &self.sets[self.row(block)..][..self.words];
        words.iter().enumerate().flat_map(|(word, &bits)| {
            let mut rest = bits;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(word * 64 + bit)
            })
        })
    }
}

/// Gives each block a parameter for each live-in local. In the entry block, which has its
/// parameters, live-in locals are those that were not set yet: zero.
fn add_params(draft: &mut Draft, live: &Liveness) {
    let mut known: Vec<Option<Value>> = vec![None; draft.types.len()];
    for block in draft.function.blocks.keys() {
        for &(local, value) in &draft.locals[block].reads {
            known[local] = Some(value);
        }
        for local in live.locals(block) {
            let ty = draft.types[local];
            if block == Block::ENTRY {
                let zero = append_zero(&mut draft.function, ty);
                draft.locals[block].ends.push((local, zero));
                continue;
            }
            let value = match known[local].take() {
                Some(value) => value,
                None => {
                    let value = draft.function.new_value(ty);
                    draft.locals[block].ends.push((local, value));
                    value
                }
            };
            draft.function.blocks[block].params.push(value);
        }
    }
}

fn append_zero(function: &mut Function, ty: Type) -> Value {
    let value = function.new_value(ty);
    let op = Op::Const(Const::from_bits(ty, 0));
    let inst = Inst {
        op,
        args: Values::new(),
        result: Some(value),
    };
    function.blocks[Block::ENTRY].insts.push(inst);
    value
}

/// Passes to each target the contents of its live-in locals.
fn add_arguments(draft: &mut Draft, live: &Liveness) {
    let mut contents: Vec<Option<Value>> = vec![None; draft.types.len()];
    for (block, locals) in (draft.function.blocks.values_mut()).zip(draft.locals.values()) {
        for &(local, value) in &locals.ends {
            contents[local] = Some(value);
        }
        for target in block.term.targets_mut() {
            let values = live.locals(target.block);
            target.args.extend(values.map(|local| {
                contents[local].expect("what a successor needs is set or live here as well")
            }));
        }
        for &(local, _) in &locals.ends {
            contents[local] = None;
        }
    }
}
