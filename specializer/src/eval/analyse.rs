//! Phase one: the fixpoint. Which nodes are reached, in which state, and where each one leads.
//!
//! A node is a block in a context, with the known values of the parameters that decide positions. States
//! only rise: parameters and cells go from known to dynamic, cells become cached or dirty. Nodes are
//! evaluated in the order of their positions (bytecode is mostly laid out forwards), so that all
//! forward edges into a join have arrived before it is evaluated; only loops cause a second round.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use smallvec::SmallVec;

use super::abs::Abs;
use super::cells::{Cells, order};
use super::context::{ContextId, Contexts};
use super::transfer::{Edge, Machine, Phase};
use super::{Declined, Evaluation};
use crate::image::ReadLog;
use crate::ir::{Block, Type};
use crate::op::Op;

/// A node: (context, block, position).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct NodeId(pub u32);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Key {
    context: ContextId,
    block: Block,
    positions: SmallVec<[Abs; 2]>,
}

/// An edge, by the node it leaves and its number there.
type Source = (NodeId, usize);

/// A reached node.
pub struct Node {
    pub context: ContextId,
    pub block: Block,
    /// What is known at its start: of the block's parameters, and of cells.
    pub params: Vec<Abs>,
    pub cells: Cells<Abs>,
    /// Where its edges lead, in order.
    pub successors: Vec<NodeId>,
    /// Whether edges from different places ever led here: then its state may be above any one of theirs.
    pub is_join: bool,
    source: Source,
    queued: bool,
}

/// The fixpoint.
pub struct Analysis {
    pub nodes: Vec<Node>,
    pub contexts: Contexts,
}

/// Place in the queue: position, then reverse postorder of blocks.
type Priority = ((u32, u32, i64), u32, NodeId);

struct Abstract;

impl Phase for Abstract {
    type Value = Abs;

    fn known(&mut self, abs: Abs) -> Abs {
        abs
    }

    fn emit(&mut self, _: Op, _: &[Abs], _: Option<Type>) -> Abs {
        Abs::Dynamic
    }

    fn load_cell(&mut self, _: Abs) -> Abs {
        Abs::Dynamic
    }

    fn store_cell(&mut self, _: Abs, _: Abs) {}
}

pub fn run(evaluation: &Evaluation, log: &mut ReadLog) -> Result<Analysis, Declined> {
    let mut contexts = Contexts::new();
    let mut fixpoint = Fixpoint {
        evaluation,
        nodes: Vec::new(),
        ids: HashMap::new(),
        queue: BinaryHeap::new(),
    };
    let entry: Vec<Abs> = evaluation.entry().map(|(_, known)| known).collect();
    let root = Edge {
        context: Contexts::ROOT,
        block: Block(0),
        args: entry.into(),
    };
    fixpoint.arrive(
        (NodeId(u32::MAX), 0),
        &root,
        Abs::Dynamic,
        &Cells::default(),
    );
    let mut machine = Machine::new(evaluation, &mut contexts, log, Abstract);
    let mut evaluations = 0;
    while let Some(Reverse((_, _, id))) = fixpoint.queue.pop() {
        evaluations += 1;
        fixpoint.check_budgets(evaluations)?;
        let node = &mut fixpoint.nodes[id.0 as usize];
        node.queued = false;
        machine.context = node.context;
        machine.cells.clone_from(&node.cells);
        let exit = machine.block(node.block, &node.params);
        let edges = exit.edges().enumerate();
        let successors = edges.map(|(number, edge)| {
            let position = machine.contexts.position(edge.context);
            fixpoint.arrive((id, number), edge, position, &machine.cells)
        });
        let successors = successors.collect();
        fixpoint.nodes[id.0 as usize].successors = successors;
    }
    Ok(Analysis {
        nodes: fixpoint.nodes,
        contexts,
    })
}

struct Fixpoint<'a> {
    evaluation: &'a Evaluation<'a>,
    nodes: Vec<Node>,
    ids: HashMap<Key, NodeId>,
    queue: BinaryHeap<Reverse<Priority>>,
}

impl Fixpoint<'_> {
    fn check_budgets(&self, evaluations: usize) -> Result<(), Declined> {
        let budgets = self.evaluation.budgets;
        let nodes =
            budgets.nodes + budgets.nodes_per_byte * self.evaluation.request.code_len as usize;
        if self.nodes.len() > nodes {
            return Err(Declined::Nodes(nodes));
        }
        if evaluations > budgets.rounds * self.nodes.len() {
            return Err(Declined::Rounds(budgets.rounds));
        }
        Ok(())
    }

    /// Joins a state into the node that the edge leads to; queues the node if that changed it.
    fn arrive(
        &mut self,
        source: Source,
        edge: &Edge<Abs>,
        position: Abs,
        cells: &Cells<Abs>,
    ) -> NodeId {
        let prepared = self.evaluation.prepared;
        // Where the position is lost, so is the reason to tell states apart.
        let lost = !position.is_known() && edge.context != Contexts::ROOT;
        let keyed: &[usize] = if lost {
            &[]
        } else {
            &prepared.keyed[edge.block.index()]
        };
        let positions = keyed.iter().map(|&index| edge.args[index]).collect();
        let next = NodeId(self.nodes.len() as u32);
        let id = *self
            .ids
            .entry(Key {
                context: edge.context,
                block: edge.block,
                positions,
            })
            .or_insert(next);
        if id == next {
            self.nodes.push(Node::new(source, edge, cells));
        } else if !self.nodes[id.0 as usize].arrive(source, &edge.args, cells) {
            return id;
        }
        if !std::mem::replace(&mut self.nodes[id.0 as usize].queued, true) {
            let place = position.plus(0).map_or((u32::MAX, 0, 0), order);
            self.queue
                .push(Reverse((place, prepared.order[edge.block.index()], id)));
        }
        id
    }
}

impl Node {
    fn new(source: Source, edge: &Edge<Abs>, cells: &Cells<Abs>) -> Self {
        Self {
            context: edge.context,
            block: edge.block,
            params: edge.args.to_vec(),
            cells: cells.clone(),
            successors: Vec::new(),
            is_join: false,
            source,
            queued: false,
        }
    }

    /// Takes the state of an edge into account; whether that changed anything. What has come from one
    /// place only follows that place exactly.
    fn arrive(&mut self, source: Source, args: &[Abs], cells: &Cells<Abs>) -> bool {
        self.is_join |= source != self.source;
        if !self.is_join {
            let changed = self.params != args || self.cells != *cells;
            self.params.copy_from_slice(args);
            self.cells.clone_from(cells);
            return changed;
        }
        let mut changed = self.cells.join(cells);
        for (mine, &theirs) in self.params.iter_mut().zip(args) {
            let joined = mine.join(theirs);
            changed |= joined != *mine;
            *mine = joined;
        }
        changed
    }
}
