//! Makes control flow reducible: each cycle is entered through one block.
//!
//! Where a strongly connected region has several entries, all of their incoming edges go through a
//! new dispatch block instead, which takes a selector and every entry's parameters, and switches.
//! That keeps definitions dominating their uses: a path through the dispatch block that the
//! original function does not have would need an entry of the region that is reachable both with
//! and without its dominator. The dispatch block then heads the region; its inside is treated alike
//! until no region is left.
//!
//! The search for strongly connected regions is its own (Tarjan's, sixty lines): it runs on a part
//! of the function as it lies there, where petgraph would want a graph built for each region.
//!
//! Leaves out node splitting: irreducible code is rare here, and splitting can grow exponentially.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::dominators::{Dominators, Order};
use crate::index::Map;
use crate::ir::residual::Block;
use crate::ir::{Type, residual};
use crate::op::{Const, Op};

/// The function itself if each of its cycles has one entry, else a reducible equivalent.
pub fn run(function: &residual::Function) -> Cow<'_, residual::Function> {
    let order = Order::new(function);
    let dominators = Dominators::new(function, &order);
    let reducible = order.blocks.iter().all(|&to| {
        let mut preds = order.preds.of(to).iter();
        preds.all(|&from| !order.retreats(from, to) || dominators.dominates(to, from))
    });
    if reducible {
        return Cow::Borrowed(function);
    }
    let mut function = function.clone();
    let mut regions = vec![order.blocks];
    while let Some(region) = regions.pop() {
        for cycle in cycles(&function, &region) {
            let header = single_entry(&mut function, &cycle);
            regions.push(cycle.into_iter().filter(|&block| block != header).collect());
        }
    }
    Cow::Owned(function)
}

/// The block through which `cycle` is entered, made by redirecting edges if there are several.
fn single_entry(function: &mut residual::Function, cycle: &[Block]) -> Block {
    let inside: BTreeSet<Block> = cycle.iter().copied().collect();
    let mut entries = BTreeSet::new();
    for (block, data) in &function.blocks {
        if !inside.contains(&block) {
            entries.extend(
                data.term
                    .targets()
                    .map(|target| target.block)
                    .filter(|block| inside.contains(block)),
            );
        }
    }
    let entries: Vec<Block> = entries.into_iter().collect();
    match entries[..] {
        [header] => header,
        _ => dispatch(function, &entries),
    }
}

/// Adds a block that switches between `entries`, and sends all edges to them there.
fn dispatch(function: &mut residual::Function, entries: &[Block]) -> Block {
    let dispatcher = function.blocks.next_key();
    // Where each entry's parameters are among the dispatcher's, after the selector.
    let mut starts = Vec::new();
    let mut types = vec![Type::I32];
    for &entry in entries {
        starts.push(types.len());
        let params = &function.blocks[entry].params;
        types.extend(params.iter().map(|&param| function.types[param]));
    }
    for block in function.blocks.keys() {
        redirect(function, block, entries, &starts, &types, dispatcher);
    }
    let params: Vec<residual::Value> = types.iter().map(|&ty| function.new_value(ty)).collect();
    let mut targets: Vec<residual::Target> = (entries.iter().zip(&starts))
        .map(|(&entry, &start)| {
            let count = function.blocks[entry].params.len();
            residual::Target {
                block: entry,
                args: params[start..start + count].into(),
            }
        })
        .collect();
    let default = targets
        .pop()
        .expect("an irreducible cycle has two entries or more");
    let term = residual::Terminator::Switch {
        index: params[0],
        targets,
        default,
    };
    function.blocks.push(residual::BlockData {
        params,
        insts: Vec::new(),
        term,
    });
    dispatcher
}

/// Sends the edges of `block` to `entries` through the dispatcher, whose parameters have `types`.
fn redirect(
    function: &mut residual::Function,
    block: Block,
    entries: &[Block],
    starts: &[usize],
    types: &[Type],
    dispatcher: Block,
) {
    // The terminator is taken out so that constants can be added to the block meanwhile.
    let mut term = std::mem::replace(
        &mut function.blocks[block].term,
        residual::Terminator::Unreachable,
    );
    for target in term.targets_mut() {
        let Some(selector) = entries.iter().position(|&entry| entry == target.block) else {
            continue;
        };
        let (start, end) = (starts[selector], starts[selector] + target.args.len());
        let args = types.iter().enumerate().map(|(index, &ty)| match index {
            0 => constant(function, block, Const::I32(selector as i32)),
            _ if (start..end).contains(&index) => target.args[index - start],
            _ => constant(function, block, Const::from_bits(ty, 0)),
        });
        target.args = args.collect();
        target.block = dispatcher;
    }
    function.blocks[block].term = term;
}

fn constant(function: &mut residual::Function, block: Block, value: Const) -> residual::Value {
    let result = function.new_value(value.ty());
    let args = residual::Values::new();
    function.blocks[block].insts.push(residual::Inst {
        op: Op::Const(value),
        args,
        result: Some(result),
    });
    result
}

/// The strongly connected components of the graph that `region` induces, without those of a single
/// block (Tarjan's algorithm, with an explicit stack).
fn cycles(function: &residual::Function, region: &[Block]) -> Vec<Vec<Block>> {
    let mut search = Search {
        index: Map::filled_like(&function.blocks, Search::OUTSIDE),
        low: Map::filled_like(&function.blocks, 0),
        next: 0,
        open: Vec::new(),
        found: Vec::new(),
    };
    for &block in region {
        search.index[block] = Search::UNSEEN;
    }
    for &block in region {
        if search.index[block] == Search::UNSEEN {
            search.visit(function, block);
        }
    }
    search.found
}

struct Search {
    index: Map<Block, u32>,
    low: Map<Block, u32>,
    next: u32,
    open: Vec<Block>,
    found: Vec<Vec<Block>>,
}

impl Search {
    const OUTSIDE: u32 = u32::MAX;
    const UNSEEN: u32 = u32::MAX - 1;
    const CLOSED: u32 = u32::MAX - 2;

    fn visit(&mut self, function: &residual::Function, root: Block) {
        let mut stack = vec![self.open(function, root)];
        while let Some((block, pending)) = stack.last_mut() {
            let block = *block;
            match pending.pop() {
                Some(next) => match self.index[next] {
                    Self::OUTSIDE | Self::CLOSED => {}
                    Self::UNSEEN => stack.push(self.open(function, next)),
                    seen => self.low[block] = self.low[block].min(seen),
                },
                None => {
                    stack.pop();
                    let low = self.low[block];
                    if let Some((above, _)) = stack.last() {
                        self.low[*above] = self.low[*above].min(low);
                    }
                    self.close(block);
                }
            }
        }
    }

    fn open(&mut self, function: &residual::Function, block: Block) -> (Block, Vec<Block>) {
        self.index[block] = self.next;
        self.low[block] = self.next;
        self.next += 1;
        self.open.push(block);
        let term = &function.blocks[block].term;
        (block, term.targets().map(|target| target.block).collect())
    }

    /// Takes the component off the stack if `block` is its root.
    fn close(&mut self, block: Block) {
        if self.low[block] != self.index[block] {
            return;
        }
        let start = self
            .open
            .iter()
            .rposition(|&open| open == block)
            .expect("an open block is on the stack");
        let component = self.open.split_off(start);
        for &member in &component {
            self.index[member] = Self::CLOSED;
        }
        if component.len() > 1 {
            self.found.push(component);
        }
    }
}
