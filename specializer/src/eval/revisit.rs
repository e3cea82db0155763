//! The fixpoint, evaluated once more, node by node: what `bactrian check` says is found out in it.

use super::abs::Abs;
use super::abstracted::Abstract;
use super::analyse::{Node, Params};
use super::exit::Exit;
use super::node::NodeId;
use super::transfer::Machine;
use crate::index::Map;
use crate::ir::generic::BlockData;

/// The nodes of a fixpoint, each a block, and the machine that evaluates them.
pub struct Revisit<'a> {
    pub machine: Machine<'a, Abstract>,
    pub nodes: &'a Map<NodeId, Node>,
    pub params: &'a Params,
}

impl<'a> Revisit<'a> {
    /// The nodes whose edges are those of the state that they are in.
    pub fn evaluated(&self) -> impl Iterator<Item = (NodeId, &'a Node)> + use<'a> {
        self.nodes.iter().filter(|(_, node)| node.is_evaluated())
    }

    pub fn block(&self, id: NodeId) -> &'a BlockData {
        &self.machine.evaluation.prepared.function.blocks[self.nodes[id].block]
    }

    /// Where an instruction of a node is.
    pub fn place(&self, id: NodeId, index: usize) -> usize {
        self.machine.evaluation.prepared.places[self.nodes[id].block].inst(index)
    }

    /// What is known of a parameter where a node begins.
    pub fn known(&self, id: NodeId, param: usize) -> Abs {
        self.params.of(&self.nodes[id])[param]
    }

    /// Where a node's block begins.
    pub fn beginning(&self, id: NodeId) -> usize {
        self.machine.evaluation.prepared.places[self.nodes[id].block].start
    }

    /// Evaluates a node. Its values stay in the machine.
    pub fn evaluate(&mut self, id: NodeId) -> Exit<Abs> {
        self.watch(id, |_, _| ())
    }

    /// The same; `look` is shown the machine as [`Machine::block_watched`] says.
    pub fn watch(&mut self, id: NodeId, look: impl FnMut(&Machine<Abstract>, usize)) -> Exit<Abs> {
        let node = &self.nodes[id];
        self.machine.node = id;
        self.machine.context = node.context;
        self.machine.cells.clone_from(&node.cells);
        let params = self.params.of(node);
        self.machine.block_watched(node.block, params, look)
    }
}
