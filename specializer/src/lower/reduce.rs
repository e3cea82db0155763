//! Makes control flow reducible: each cycle is entered through one block.
//!
//! Where a strongly connected region has several entries, all of their incoming edges go through a
//! new dispatch block instead, which takes a selector and what the entry takes, and switches.
//! Entries share its parameters, since it goes to one of them: there are as many of a type as the
//! entry with most of that type has, so what an edge passes does not grow with their number.
//! Definitions still dominate their uses: a path through the dispatch block that the original
//! function does not have would need an entry of the region that is reachable both with and without
//! its dominator. The dispatch block then heads the region; its inside is treated alike until no
//! region is left. A block is looked at once for each region that it lies in.
//!
//! The search for strongly connected regions is its own (Tarjan's, sixty lines): it runs on a part
//! of the function as it lies there, where petgraph would want a graph built for each region.
//!
//! Leaves out node splitting: irreducible code is rare here, and splitting can grow exponentially.

use std::borrow::Cow;

use crate::dominators::{Dominators, Order};
use crate::hash::{FastMap, FastSet};
use crate::index::Map;
use crate::ir::Type;
use crate::ir::residual::{Block, BlockData, Function, Inst, Target, Terminator, Value, Values};
use crate::op::{Const, Op};

/// The function itself if each of its cycles has one entry, else a reducible equivalent.
pub fn run(function: &Function) -> Cow<'_, Function> {
    let order = Order::new(function);
    let dominators = Dominators::new(function, &order);
    let reducible = order.blocks.iter().all(|&to| {
        let mut preds = order.preds.of(to).iter();
        preds.all(|&from| !order.retreats(from, to) || dominators.dominates(to, from))
    });
    if reducible {
        return Cow::Borrowed(function);
    }
    let preds = function.blocks.keys();
    let mut reduction = Reduction {
        function: function.clone(),
        preds: preds.map(|block| order.preds.of(block).to_vec()).collect(),
        search: Search::new(function),
    };
    let mut regions = vec![order.blocks];
    while let Some(region) = regions.pop() {
        for mut cycle in reduction.search.cycles(&reduction.function, &region) {
            let header = reduction.single_entry(&cycle);
            cycle.retain(|&block| block != header);
            regions.push(cycle);
        }
    }
    Cow::Owned(reduction.function)
}

/// A function whose cycles get one entry each, from the outermost to the innermost.
struct Reduction {
    function: Function,
    /// Blocks with an edge to each block.
    preds: Map<Block, Vec<Block>>,
    search: Search,
}

/// A block that switches between others.
struct Dispatcher<'a> {
    block: Block,
    /// In ascending order.
    entries: &'a [Block],
    /// For each entry, which of the dispatcher's parameters its own ones are.
    places: Vec<Vec<usize>>,
    /// Types of the dispatcher's parameters, of which the first is the selector.
    types: Vec<Type>,
}

impl Reduction {
    /// The block through which `cycle` is entered, made by redirecting edges if there are several.
    fn single_entry(&mut self, cycle: &[Block]) -> Block {
        let inside: FastSet<Block> = cycle.iter().copied().collect();
        let is_entry = |block: &Block| {
            let mut preds = self.preds[*block].iter();
            preds.any(|pred| !inside.contains(pred))
        };
        let mut entries: Vec<Block> = cycle.iter().copied().filter(is_entry).collect();
        entries.sort_unstable();
        match entries[..] {
            [header] => header,
            _ => self.dispatch(&entries),
        }
    }

    /// Adds a block that switches between `entries`, and sends all edges to them there.
    fn dispatch(&mut self, entries: &[Block]) -> Block {
        let dispatcher = Dispatcher::new(&self.function, entries);
        let sources = entries.iter();
        let sources = sources.flat_map(|&entry| std::mem::take(&mut self.preds[entry]));
        let mut sources: Vec<Block> = sources.collect();
        sources.sort_unstable();
        sources.dedup();
        for &source in &sources {
            dispatcher.redirect(&mut self.function, source);
        }
        for &entry in entries {
            self.preds[entry].push(dispatcher.block);
        }
        self.preds.push(sources);
        self.search.add_block();
        dispatcher.add_to(&mut self.function)
    }
}

impl<'a> Dispatcher<'a> {
    /// The one that will be the next block of `function`.
    fn new(function: &Function, entries: &'a [Block]) -> Self {
        let mut types = vec![Type::I32];
        let mut shared: FastMap<Type, Vec<usize>> = FastMap::default();
        let places = entries.iter().map(|&entry| {
            let mut counts: FastMap<Type, usize> = FastMap::default();
            let params = function.blocks[entry].params.iter().map(|&param| {
                let ty = function.types[param];
                let (count, shared) =
                    (counts.entry(ty).or_default(), shared.entry(ty).or_default());
                if *count == shared.len() {
                    shared.push(types.len());
                    types.push(ty);
                }
                *count += 1;
                shared[*count - 1]
            });
            params.collect()
        });
        Self {
            block: function.blocks.next_key(),
            entries,
            places: places.collect(),
            types,
        }
    }

    /// Sends the edges of `source` to the entries here.
    fn redirect(&self, function: &mut Function, source: Block) {
        // The terminator is taken out so that constants can be added to the block meanwhile.
        let taken = &mut function.blocks[source].term;
        let mut term = std::mem::replace(taken, Terminator::Unreachable);
        for target in term.targets_mut() {
            let Ok(selector) = self.entries.binary_search(&target.block) else {
                continue;
            };
            let mut given = vec![None; self.types.len()];
            given[0] = Some(constant(function, source, Const::I32(selector as i32)));
            for (&place, &arg) in self.places[selector].iter().zip(&target.args) {
                given[place] = Some(arg);
            }
            // The dispatcher's own parameter would take no code, but a register in all the region.
            let args = self.types.iter().zip(given).map(|(&ty, given)| {
                given.unwrap_or_else(|| constant(function, source, Const::from_bits(ty, 0)))
            });
            target.args = args.collect();
            target.block = self.block;
        }
        function.blocks[source].term = term;
    }

    fn add_to(self, function: &mut Function) -> Block {
        let types = self.types.iter();
        let params: Vec<Value> = types.map(|&ty| function.new_value(ty)).collect();
        let entries = self.entries.iter().zip(&self.places);
        let targets = entries
            .map(|(&entry, places)| Target::new(entry, places.iter().map(|&place| params[place])));
        let mut targets: Vec<Target> = targets.collect();
        let default = targets
            .pop()
            .expect("an irreducible cycle has two entries or more");
        let term = Terminator::Switch {
            index: params[0],
            targets,
            default,
        };
        function.blocks.push(BlockData {
            params,
            insts: Vec::new(),
            term,
        })
    }
}

fn constant(function: &mut Function, block: Block, value: Const) -> Value {
    let result = function.new_value(value.ty());
    function.blocks[block].insts.push(Inst {
        op: Op::Const(value),
        args: Values::new(),
        result: Some(result),
    });
    result
}

/// A search for strongly connected components (Tarjan's algorithm, with an explicit stack).
struct Search {
    index: Map<Block, u32>,
    low: Map<Block, u32>,
    next: u32,
    open: Vec<Block>,
    found: Vec<Vec<Block>>,
}

impl Search {
    /// The index of a block that is not in the region, or whose component is found.
    const OUTSIDE: u32 = u32::MAX;
    const UNSEEN: u32 = u32::MAX - 1;

    fn new(function: &Function) -> Self {
        Self {
            index: Map::filled_like(&function.blocks, Self::OUTSIDE),
            low: Map::filled_like(&function.blocks, 0),
            next: 0,
            open: Vec::new(),
            found: Vec::new(),
        }
    }

    fn add_block(&mut self) {
        self.index.push(Self::OUTSIDE);
        self.low.push(0);
    }

    /// The components of the graph that `region` induces, without those of a single block.
    fn cycles(&mut self, function: &Function, region: &[Block]) -> Vec<Vec<Block>> {
        for &block in region {
            self.index[block] = Self::UNSEEN;
        }
        self.next = 0;
        for &block in region {
            if self.index[block] == Self::UNSEEN {
                self.visit(function, block);
            }
        }
        std::mem::take(&mut self.found)
    }

    fn visit(&mut self, function: &Function, root: Block) {
        let mut stack = vec![self.open(function, root)];
        while let Some((block, pending)) = stack.last_mut() {
            let block = *block;
            match pending.pop() {
                Some(next) => match self.index[next] {
                    Self::OUTSIDE => {}
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

    fn open(&mut self, function: &Function, block: Block) -> (Block, Vec<Block>) {
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
            self.index[member] = Self::OUTSIDE;
        }
        if component.len() > 1 {
            self.found.push(component);
        }
    }
}
