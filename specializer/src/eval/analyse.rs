//! Phase one: the fixpoint. Which nodes are reached, in which state, and where each one leads.
//!
//! A node is a block in a context, with the known values of the parameters that decide positions;
//! there may be one more for later rounds of a loop ([`super::rounds`]). Blocks to which it alone
//! leads, by a jump that is known, belong to it ([`super::Prepared::continues`]).
//! Nodes are evaluated in the order of their positions, as bytecode is mostly laid out forwards:
//! all forward edges into a join have arrived before the join is evaluated, and only loops cause a
//! second round.
//!
//! Invariant: the state of a join only rises. Its parameters and cells go from known to dynamic,
//! its cells from absent to cached and from clean to dirty. Once for each loop it falls, where its
//! cells are settled ([`super::settled`]). A node with one edge into it has the state of that edge.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use smallvec::SmallVec;

use super::abs::Abs;
use super::abstracted::Abstract;
use super::cells::Cells;
use super::context::{ContextId, Contexts, ProgramPoint};
use super::decisions::Decisions;
use super::node::NodeId;
use super::rounds::{self, Rounds, RoundsId};
use super::settled::Settled;
use super::transfer::Machine;
use super::{Declined, Evaluation};
use crate::hash::FastMap;
use crate::image::Reads;
use crate::index::Map;
use crate::ir::generic::Block;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Key {
    context: ContextId,
    block: Block,
    positions: SmallVec<[Abs; 4]>,
    rounds: RoundsId,
}

/// An edge, by the node it leaves and its number there.
type Source = (NodeId, usize);

/// A reached node.
pub struct Node {
    pub context: ContextId,
    pub block: Block,
    /// Where [`Params`] have what is known of the block's parameters at its start.
    params: Range<usize>,
    /// What is known of cells there.
    pub cells: Cells<Abs>,
    /// Where its edges lead, in order.
    pub successors: SmallVec<[NodeId; 2]>,
    /// How many edges of nodes lead here.
    entries: u32,
    /// Whether edges from different places led here at some time. The state of a join may be above
    /// that of each edge into it.
    pub is_join: bool,
    source: Source,
    rounds: RoundsId,
    queued: bool,
    settled: Settled,
    /// Whether the next state to arrive takes the place of what is known.
    is_outdated: bool,
}

/// What is known of parameters at the starts of nodes, all in one place: there are many nodes, and
/// most have few parameters.
#[derive(Default)]
pub struct Params(Vec<Abs>);

impl Params {
    pub fn of(&self, node: &Node) -> &[Abs] {
        &self.0[node.params.clone()]
    }

    fn add(&mut self, params: &[Abs]) -> Range<usize> {
        let start = self.0.len();
        self.0.extend_from_slice(params);
        start..self.0.len()
    }
}

/// How much the frames of nodes may hold, as a multiple of how many nodes there may be: a stack
/// that grows from node to node takes memory as the square of its depth.
const MOST_FRAMED: usize = 8;

/// How many nodes are looked at to find loops, as a multiple of those that there are.
const MOST_LOOKS: usize = 4;

/// The fixpoint.
pub struct Analysis {
    pub nodes: Map<NodeId, Node>,
    pub params: Params,
    pub contexts: Contexts,
    pub decisions: Decisions,
}

/// Place in the queue: position, then reverse postorder of blocks.
type Priority = (ProgramPoint, u32, NodeId);

/// All that a request's evaluation comes to. Up to `height` first rounds of loops may have nodes of
/// their own.
pub fn run(
    evaluation: &Evaluation,
    height: usize,
    reads: &mut Reads,
) -> Result<Analysis, Declined> {
    let (analysis, ended) = explore(evaluation, height, reads);
    ended.map_err(|(reason, _)| reason)?;
    Ok(analysis)
}

/// The same as far as the budgets reach; then also why it ended, and before which node.
pub fn explore(
    evaluation: &Evaluation,
    height: usize,
    reads: &mut Reads,
) -> (Analysis, Result<(), (Declined, NodeId)>) {
    let (mut contexts, mut decisions) = (Contexts::new(), Decisions::default());
    let mut fixpoint = Fixpoint {
        evaluation,
        nodes: Map::default(),
        params: Params::default(),
        ids: FastMap::default(),
        framed: 0,
        rounds: Rounds::new(height),
        queue: BinaryHeap::new(),
        looks: 0,
        marks: Vec::new(),
        last_mark: 0,
    };
    let entry: Vec<Abs> = evaluation.entry().map(|(_, known)| known).collect();
    fixpoint.arrive(Arrival {
        source: (NodeId(u32::MAX), 0),
        context: Contexts::ROOT,
        contexts: &contexts,
        block: Block::ENTRY,
        args: &entry,
        cells: &Cells::new(evaluation.window()),
    });
    let mut machine = Machine::new(evaluation, &mut contexts, &mut decisions, reads, Abstract);
    let (mut evaluations, mut ended) = (0, Ok(()));
    while let Some(Reverse((_, _, id))) = fixpoint.queue.pop() {
        evaluations += 1;
        if let Err(reason) = fixpoint.check_budgets(evaluations) {
            ended = Err((reason, id));
            break;
        }
        fixpoint.nodes[id].queued = false;
        let node = &fixpoint.nodes[id];
        machine.node = id;
        machine.is_later_round = node.rounds != RoundsId::FIRST;
        machine.context = node.context;
        machine.cells.clone_from(&node.cells);
        let exit = machine.block(node.block, fixpoint.params.of(node));
        let edges = exit.edges().enumerate();
        let successors = edges.map(|(number, edge)| {
            fixpoint.arrive(Arrival {
                source: (id, number),
                context: edge.context,
                contexts: machine.contexts,
                block: edge.block,
                args: &machine.args[edge.args.clone()],
                cells: &machine.cells,
            })
        });
        let successors = successors.collect();
        fixpoint.lead(id, successors);
        for node in machine.outdated.drain(..) {
            fixpoint.queue(node, machine.contexts);
        }
    }
    let analysis = Analysis {
        nodes: fixpoint.nodes,
        params: fixpoint.params,
        contexts,
        decisions,
    };
    (analysis, ended)
}

/// A state on its way into a node.
struct Arrival<'a> {
    source: Source,
    context: ContextId,
    contexts: &'a Contexts,
    block: Block,
    args: &'a [Abs],
    cells: &'a Cells<Abs>,
}

struct Fixpoint<'a> {
    evaluation: &'a Evaluation<'a>,
    nodes: Map<NodeId, Node>,
    params: Params,
    ids: FastMap<Key, NodeId>,
    /// What the frames of all nodes held when they were made.
    framed: usize,
    rounds: Rounds,
    queue: BinaryHeap<Reverse<Priority>>,
    /// Nodes that were looked at to find loops.
    looks: usize,
    /// The last of the searches for loops that came to each node, by numbers.
    marks: Vec<u32>,
    last_mark: u32,
}

impl Fixpoint<'_> {
    fn check_budgets(&self, evaluations: usize) -> Result<(), Declined> {
        let budgets = self.evaluation.budgets;
        let nodes = budgets.nodes_for(self.evaluation.request.code_len);
        if self.nodes.len() > nodes {
            return Err(Declined::Nodes(nodes));
        }
        if self.framed > MOST_FRAMED * nodes {
            return Err(Declined::Framed(MOST_FRAMED * nodes));
        }
        if evaluations > budgets.rounds as usize * self.nodes.len() {
            return Err(Declined::Rounds(budgets.rounds));
        }
        Ok(())
    }

    /// Joins a state into the node that the edge leads to; queues the node if that changed it.
    fn arrive(&mut self, arrival: Arrival) -> NodeId {
        let prepared = self.evaluation.prepared;
        // Where the position is lost, so is the reason to tell states apart.
        let keyed: &[usize] = match arrival.contexts.is_lost(arrival.context) {
            true => &[],
            false => &prepared.keyed[arrival.block],
        };
        let positions = keyed.iter().map(|&index| arrival.args[index]).collect();
        let mut key = Key {
            context: arrival.context,
            block: arrival.block,
            positions,
            rounds: self.rounds_of(&arrival),
        };
        let mut known = self.ids.get(&key).copied();
        if let Some(rounds) = known.and_then(|id| self.later_rounds(id, &arrival)) {
            key.rounds = rounds;
            known = self.ids.get(&key).copied();
        }
        let Some(id) = known else {
            let params = self.params.add(arrival.args);
            let id = self.nodes.push(Node::new(&arrival, params, key.rounds));
            self.ids.insert(key, id);
            self.framed += arrival.cells.frame.len();
            self.queue(id, arrival.contexts);
            return id;
        };
        let ends_round = self.ends_round(id, &arrival);
        let is_settled = ends_round && self.settle(id, &arrival);
        if self.nodes[id].arrive(&arrival, ends_round, &mut self.params) || is_settled {
            self.queue(id, arrival.contexts);
        }
        id
    }

    /// Whether an edge ends a round of a loop that begins with a node; false where that does not
    /// matter to its cells, or would take long to find out.
    fn ends_round(&mut self, id: NodeId, arrival: &Arrival) -> bool {
        let (node, source) = (&self.nodes[id], arrival.source.0);
        // What arrives before a node has been evaluated comes from before it.
        let is_before = node.successors.is_empty() && source != id;
        let is_on = self.evaluation.optimisations.settled_loops;
        if !is_on || is_before || !node.settled.matters(&node.cells, arrival.cells) {
            return false;
        }
        if let Some(known) = node.settled.ends_round(source) {
            return known;
        }
        if self.looks > MOST_LOOKS * self.nodes.len() {
            return false;
        }
        let ends_round = self.cycle(id, source).is_some();
        self.nodes[id].settled.note(source, ends_round);
        ends_round
    }

    /// A round of the loop that begins with a node has ended: if it is the first, decides which
    /// cells are settled, and has the loop evaluated anew if there are any.
    fn settle(&mut self, head: NodeId, arrival: &Arrival) -> bool {
        if std::mem::replace(&mut self.nodes[head].settled.is_decided, true) {
            return false;
        }
        let Some(cycle) = self.cycle(head, arrival.source.0) else {
            return false;
        };
        if self.has_ways_in(head, &cycle) {
            return false;
        }
        let Node { settled, cells, .. } = &mut self.nodes[head];
        if !settled.settle(cells, arrival.cells) {
            return false;
        }
        for id in cycle.into_iter().filter(|&id| id != head) {
            self.nodes[id].is_outdated = true;
        }
        true
    }

    /// Whether edges from outside of a loop lead into it past its head. Looks at the loop only:
    /// there may be thousands of loops.
    fn has_ways_in(&self, head: NodeId, cycle: &[NodeId]) -> bool {
        let mut inside: Vec<NodeId> = cycle.iter().copied().filter(|&id| id != head).collect();
        inside.sort_unstable();
        let is_inside = |id: &&NodeId| inside.binary_search(*id).is_ok();
        let edges = cycle.iter().flat_map(|&id| &self.nodes[id].successors);
        let own = edges.filter(is_inside).count();
        let entries = inside.iter().map(|&id| self.nodes[id].entries as usize);
        entries.sum::<usize>() != own
    }

    /// A node has been evaluated: its edges take the place of those that it had.
    fn lead(&mut self, id: NodeId, successors: SmallVec<[NodeId; 2]>) {
        for &next in &successors {
            self.nodes[next].entries += 1;
        }
        for next in std::mem::replace(&mut self.nodes[id].successors, successors) {
            self.nodes[next].entries -= 1;
        }
    }

    /// The loops in whose later rounds an edge goes on.
    fn rounds_of(&self, arrival: &Arrival) -> RoundsId {
        match self.nodes.get(arrival.source.0) {
            Some(source) if source.rounds != RoundsId::FIRST => {
                let point = arrival.contexts.point(arrival.context);
                self.rounds.at(source.rounds, &point)
            }
            _ => RoundsId::FIRST,
        }
    }

    /// The same with the loop that an edge to this node goes round, if its first round is split off
    /// here.
    fn later_rounds(&mut self, id: NodeId, arrival: &Arrival) -> Option<RoundsId> {
        let (node, head) = (&self.nodes[id], arrival.context);
        let known = (self.params.of(node), &node.cells);
        if !self.rounds.may_split(node.rounds, head)
            || !rounds::brings_box(known, (arrival.args, arrival.cells))
        {
            return None;
        }
        let first = node.rounds;
        let cycle = self.cycle(id, arrival.source.0)?;
        let points = cycle
            .iter()
            .map(|&id| arrival.contexts.point(self.nodes[id].context));
        let extent = [points.clone().min()?, points.max()?];
        let (rounds, is_longer) = self.rounds.split(first, head, extent);
        if is_longer {
            let is_inside = |&id: &NodeId| self.rounds.is_in(self.nodes[id].rounds, head);
            let inside: Vec<NodeId> = self.nodes.keys().filter(is_inside).collect();
            for id in inside {
                self.queue(id, arrival.contexts);
            }
        }
        Some(rounds)
    }

    /// The nodes on ways from `head` to `source`, if there are any: a loop with an edge from there
    /// to `head`.
    fn cycle(&mut self, head: NodeId, source: NodeId) -> Option<Vec<NodeId>> {
        let [ahead, behind] = [self.last_mark + 1, self.last_mark + 2];
        self.last_mark = behind;
        self.marks.resize(self.nodes.len(), 0);
        self.marks[head.index()] = ahead;
        let mut stack = vec![head];
        // What edges lead to, and what they leave.
        let mut edges = Vec::new();
        while let Some(id) = stack.pop() {
            self.looks += 1;
            for &next in &self.nodes[id].successors {
                edges.push((next, id));
                if std::mem::replace(&mut self.marks[next.index()], ahead) != ahead {
                    stack.push(next);
                }
            }
        }
        if self.marks[source.index()] != ahead {
            return None;
        }
        edges.sort_unstable();
        self.marks[head.index()] = behind;
        let mut cycle = vec![head];
        stack.push(source);
        while let Some(id) = stack.pop() {
            if std::mem::replace(&mut self.marks[id.index()], behind) == ahead {
                cycle.push(id);
                let first = edges.partition_point(|edge| edge.0 < id);
                let before = edges[first..].iter().take_while(|edge| edge.0 == id);
                stack.extend(before.map(|edge| edge.1));
            }
        }
        Some(cycle)
    }

    fn queue(&mut self, id: NodeId, contexts: &Contexts) {
        let node = &mut self.nodes[id];
        if !std::mem::replace(&mut node.queued, true) {
            let order = self.evaluation.prepared.order[node.block];
            let point = contexts.point(node.context);
            self.queue.push(Reverse((point, order, id)));
        }
    }
}

impl Node {
    fn new(arrival: &Arrival, params: Range<usize>, rounds: RoundsId) -> Self {
        Self {
            context: arrival.context,
            block: arrival.block,
            params,
            cells: arrival.cells.clone(),
            successors: SmallVec::new(),
            entries: 0,
            is_join: false,
            source: arrival.source,
            rounds,
            queued: false,
            settled: Settled::default(),
            is_outdated: false,
        }
    }

    /// Whether its edges are those of the state that it is in.
    pub fn is_evaluated(&self) -> bool {
        !self.queued
    }

    /// Takes the state of an edge into account, which may end a round of a loop. Returns whether
    /// that changed anything. A node that is no join has the state of its one edge.
    fn arrive(&mut self, arrival: &Arrival, ends_round: bool, params: &mut Params) -> bool {
        let Arrival { args, cells, .. } = arrival;
        let params = &mut params.0[self.params.clone()];
        let cells = &self.settled.brought(&self.cells, cells, ends_round);
        self.is_join |= arrival.source != self.source;
        if std::mem::take(&mut self.is_outdated) {
            params.copy_from_slice(args);
            self.cells.clone_from(cells);
            return true;
        }
        if !self.is_join {
            let changed = params != *args || self.cells != **cells;
            params.copy_from_slice(args);
            self.cells.clone_from(cells);
            return changed;
        }
        let mut changed = self.cells.join(cells);
        for (mine, &theirs) in params.iter_mut().zip(*args) {
            let joined = mine.join(theirs, cells.window.frames);
            if joined.needs_box_of(*mine) || joined.needs_box_of(theirs) {
                changed |= std::mem::take(&mut self.cells.polled);
            }
            changed |= joined != *mine;
            *mine = joined;
        }
        changed
    }
}
