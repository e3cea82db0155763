//! Finds out why a value is not known: follows it backwards, through the nodes of the fixpoint, to
//! the instruction that made it unknown.

use std::collections::BTreeSet;

use super::abs::Abs;
use super::abstracted::Abstract;
use super::analyse::{Node, Params};
use super::examine::enter;
use super::node::NodeId;
use super::transfer::Machine;
use crate::index::Map;
use crate::ir::generic::{Block, Inst, Target, Value};
use crate::op::{Const, Intrinsic, Op};

/// Why a value is not known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cause {
    pub what: String,
    /// Where that is, an offset in the module's bytes.
    pub place: Option<usize>,
}

/// Blames, with what they share.
pub struct Blame<'b, 'a> {
    machine: &'b mut Machine<'a, Abstract>,
    nodes: &'b Map<NodeId, Node>,
    params: &'b Params,
    /// The edges into each node.
    incoming: Map<NodeId, Vec<Incoming>>,
}

/// An edge into a node: where it comes from, and what it brings.
#[derive(Clone)]
struct Incoming {
    source: NodeId,
    args: Vec<Abs>,
}

impl<'b, 'a> Blame<'b, 'a> {
    pub fn new(
        machine: &'b mut Machine<'a, Abstract>,
        nodes: &'b Map<NodeId, Node>,
        params: &'b Params,
    ) -> Self {
        let mut incoming = Map::filled_like(nodes, Vec::new());
        for (source, node) in nodes.iter().filter(|(_, node)| node.is_evaluated()) {
            enter(machine, source, node);
            let exit = machine.block(node.block, params.of(node));
            for (edge, &target) in exit.edges().zip(&node.successors) {
                let args = machine.args[edge.args.clone()].to_vec();
                incoming[target].push(Incoming { source, args });
            }
        }
        Self {
            machine,
            nodes,
            params,
            incoming,
        }
    }

    /// The instruction of a node's block that makes a value, and its number there; none makes a
    /// parameter.
    fn definition(&self, node: &Node, value: Value) -> Option<(usize, &'a Inst)> {
        let insts = self.machine.evaluation.prepared.function.blocks[node.block]
            .insts
            .iter();
        insts
            .enumerate()
            .rev()
            .find(|(_, inst)| inst.result == Some(value))
    }

    /// Why the value is not known where the node is evaluated.
    pub fn of(&mut self, mut id: NodeId, mut value: Value) -> Cause {
        let mut seen = BTreeSet::new();
        // Where it was loaded, if the address is what is followed.
        let mut loaded = None;
        while seen.insert((id, value)) {
            let node = &self.nodes[id];
            let data = &self.machine.evaluation.prepared.function.blocks[node.block];
            if let Some((index, inst)) = self.definition(node, value) {
                let place = self.machine.place(node, index);
                match self.before(id, index, inst) {
                    Err(_) if matches!(inst.op, Op::GlobalGet(_)) && loaded.is_some() => {
                        return Cause {
                            what: "it is loaded from the compiler's own stack, as its address was \
                                   taken,"
                                .into(),
                            place: loaded,
                        };
                    }
                    Ok(operand) => {
                        if matches!(inst.op, Op::Load { .. }) {
                            loaded = Some(place);
                        }
                        value = operand;
                    }
                    Err(cause) => return cause,
                }
                continue;
            }
            let param = data.params.iter().position(|&param| param == value);
            let param = param.expect("generic functions are in maximal SSA");
            match self.behind(id, param) {
                Ok(brought) => (id, value) = brought,
                Err(cause) => return cause,
            }
        }
        Cause {
            what: "it depends on itself, round a loop".into(),
            place: None,
        }
    }

    /// What gives a value that is known where the node is evaluated, if that can be told.
    pub fn origin(&mut self, mut id: NodeId, mut value: Value) -> Option<Cause> {
        let mut seen = BTreeSet::new();
        while seen.insert((id, value)) {
            let node = &self.nodes[id];
            let data = &self.machine.evaluation.prepared.function.blocks[node.block];
            if let Some((index, inst)) = self.definition(node, value) {
                let what = match inst.op {
                    Op::Load { .. } => "it is loaded from constant memory".into(),
                    Op::Const(_) => "it is a constant".into(),
                    Op::Intrinsic(intrinsic) => format!("`{}` gives it", intrinsic.name()),
                    _ => "it is computed".into(),
                };
                let place = Some(self.machine.place(node, index));
                return Some(Cause { what, place });
            }
            let param = data.params.iter().position(|&param| param == value)?;
            let known = self.params.of(node)[param];
            let mut incoming = self.incoming[id].iter();
            let edge = incoming.find(|edge| edge.args[param] == known)?;
            let (source, args) = (edge.source, edge.args.clone());
            (id, value) = (source, self.brought(source, node.block, &args, param));
        }
        None
    }

    /// The operand that makes the result of an instruction unknown; or why it is.
    fn before(&mut self, id: NodeId, index: usize, inst: &Inst) -> Result<Value, Cause> {
        let node = &self.nodes[id];
        let place = self.machine.place(node, index);
        enter(self.machine, id, node);
        let mut known = Vec::new();
        self.machine
            .block_watched(node.block, self.params.of(node), |machine, at| {
                if at == index {
                    known = inst.args.iter().map(|&arg| machine.value(arg)).collect();
                }
            });
        let unknown = known.iter().position(|abs| !abs.is_known());
        let from = |what: &str| {
            Err(Cause {
                what: what.into(),
                place: Some(place),
            })
        };
        match inst.op {
            Op::Load { .. } => match unknown {
                None => from("it is loaded from memory that may change"),
                Some(index) => Ok(inst.args[index]),
            },
            Op::Call(_) => from("it is the result of a call"),
            Op::Intrinsic(Intrinsic::CellsRead) => from("it is read from a cell"),
            Op::GlobalGet(_) => from("it is a global that may change"),
            _ => match unknown {
                Some(index) => Ok(inst.args[index]),
                None => from("it is computed by what is not evaluated"),
            },
        }
    }

    /// The value that an edge brings, if it is what makes a block's parameter unknown; or why it
    /// is.
    fn behind(&mut self, id: NodeId, param: usize) -> Result<(NodeId, Value), Cause> {
        let node = &self.nodes[id];
        let incoming = &self.incoming[id];
        if id == NodeId::ENTRY && !self.params.of(node)[param].is_known() {
            return Err(Cause {
                what: format!("parameter {param} of the request is not known"),
                place: None,
            });
        }
        let unknown = incoming.iter().find(|edge| !edge.args[param].is_known());
        if let Some(edge) = unknown {
            let source = edge.source;
            let args = edge.args.clone();
            return Ok((source, self.brought(source, node.block, &args, param)));
        }
        let brought: BTreeSet<Abs> = incoming.iter().map(|edge| edge.args[param]).collect();
        let place = self.machine.evaluation.prepared.places[node.block].start;
        Err(Cause {
            what: format!("it joins {}", some_of(&brought)),
            place: Some(place),
        })
    }

    /// The generic value that an edge with these arguments gives a block's parameter.
    fn brought(&mut self, source: NodeId, block: Block, args: &[Abs], param: usize) -> Value {
        let node = &self.nodes[source];
        enter(self.machine, source, node);
        self.machine.block(node.block, self.params.of(node));
        let term = &self.machine.evaluation.prepared.function.blocks[node.block].term;
        let fits = |target: &&Target| {
            let values = target.args.iter().map(|&arg| self.machine.value(arg));
            target.block == block && values.eq(args.iter().copied())
        };
        let target = term.targets().find(fits);
        // A value specialization leaves another result than the last one here.
        let target = target.or_else(|| term.targets().find(|target| target.block == block));
        target.expect("an edge has a target").args[param]
    }
}

/// The first of some known values, for people.
pub fn some_of(values: &BTreeSet<Abs>) -> String {
    let shown: Vec<_> = values.iter().take(4).map(|&abs| known(abs)).collect();
    let more = match values.len() > shown.len() {
        true => ", …",
        false => "",
    };
    shown.join(", ") + more
}

/// A known value, for people.
pub fn known(abs: Abs) -> String {
    match abs {
        Abs::Const(Const::I32(number)) => number.to_string(),
        Abs::Const(Const::I64(number)) => number.to_string(),
        Abs::Symbol(symbol) | Abs::Extended(symbol) => format!("code{:+}", symbol.offset),
        Abs::Offset { offset, .. } => format!("a parameter{offset:+}"),
        other => format!("{other:?}"),
    }
}
