//! Phase two: writes the residual function that the fixpoint describes.
//!
//! Each reached node is evaluated once more, now with values that name residual code. A node with
//! one edge into it takes over its predecessor's values (and, after a plain jump, its block); a
//! join gets a block with a parameter for each parameter and cached cell that is dynamic there. An
//! edge into a join stores what the join no longer caches and reloads what only it lacks.
//!
//! Known values are written where they are needed; [`crate::cleanup`] removes what turns out
//! unused.

use super::abs::{Abs, Fact};
use super::analyse::{Analysis, Node, Params};
use super::cells::{Cell, Cells, Memory};
use super::exit::{Edge, Exit};
use super::frame::Entry;
use super::node::NodeId;
use super::transfer::{Machine, Phase};
use super::value::Val;
use super::write::{Made, Reload, Writer};
use super::{Declined, Evaluation};
use crate::graph::reverse_postorder;
use crate::image::Reads;
use crate::index::Map;
use crate::ir::residual::Block;
use crate::ir::{Terminator, residual};
use crate::op::intrinsic::CELL_STORE;
use crate::request::Param;

pub fn run(
    evaluation: &Evaluation,
    analysis: &mut Analysis,
    reads: &mut Reads,
    said: &mut Vec<String>,
) -> Result<(residual::Function, Vec<Reload>), Declined> {
    let Analysis {
        nodes,
        params,
        contexts,
        decisions,
    } = analysis;
    let writer = Writer::new(evaluation.request, evaluation.module, evaluation.boxes);
    let starts = nodes.values().map(|_| None).collect();
    let mut machine = Machine::new(evaluation, contexts, decisions, reads, writer);
    machine.said = Some(said);
    let mut emission = Emission {
        nodes,
        params,
        starts,
        machine,
    };
    emission.entry();
    let successors = |id: NodeId| nodes[id].successors.iter().copied();
    for id in reverse_postorder(NodeId::ENTRY, nodes.len(), successors) {
        emission.chain(id);
        if emission.machine.phase.inst_count > evaluation.budgets.insts as usize {
            return Err(Declined::Insts(evaluation.budgets.insts));
        }
    }
    if let Some(reason) = emission.machine.refused {
        return Err(reason);
    }
    let writer = emission.machine.phase;
    Ok((writer.function, writer.reloads))
}

/// Where a node's code begins, and in which state.
#[derive(Clone)]
struct Start {
    block: Block,
    params: Vec<Val>,
    cells: Cells<Val>,
    boxes: Made,
}

impl Node {
    /// Whether a state is the one that the analysis found here.
    fn agrees(&self, known: &[Abs], params: &[Val], cells: &Cells<Val>) -> bool {
        let params = params.iter().map(|param| param.abs);
        params.eq(known.iter().copied()) && cells.map(|value, _| value.abs) == self.cells
    }
}

struct Emission<'a> {
    nodes: &'a Map<NodeId, Node>,
    params: &'a Params,
    /// The start of a node, from when an edge to it is written until its own code is.
    starts: Map<NodeId, Option<Start>>,
    machine: Machine<'a, Writer<'a>>,
}

impl Emission<'_> {
    fn entry(&mut self) {
        let evaluation = self.machine.evaluation;
        let phase = &mut self.machine.phase;
        let params = evaluation.entry().map(|(param, abs)| match (param, abs) {
            (Param::Pass(param), Abs::Fact(Fact::Box(kind))) => {
                Val::named(abs, phase.bare_param(param, kind))
            }
            (
                Param::Pass(param)
                | Param::Frame(param)
                | Param::Given(param, _)
                | Param::Buffer(param, _),
                _,
            ) => Val::named(abs, phase.function.param(param)),
            (Param::Const(_) | Param::Pointer(_), _) => Val::known(abs),
        });
        let params = params.collect();
        self.starts[NodeId::ENTRY] = Some(Start {
            block: Block::ENTRY,
            params,
            cells: Cells::new(evaluation.window()),
            boxes: Made::default(),
        });
    }

    /// Writes a node, and those that follow it in the same residual block.
    fn chain(&mut self, id: NodeId) {
        let Some(start) = self.start(id) else { return };
        self.machine.phase.enter(start.block, start.boxes);
        let (mut id, mut params) = (id, start.params);
        self.machine.cells = start.cells;
        loop {
            let node = &self.nodes[id];
            self.machine.node = id;
            self.machine.context = node.context;
            assert!(
                !self.machine.evaluation.verify
                    || node.agrees(self.params.of(node), &params, &self.machine.cells),
                "phases agree on {id:?}"
            );
            let exit = self.machine.block(node.block, &params);
            assert_eq!(
                exit.edges().count(),
                node.successors.len(),
                "phases agree on the edges of {id:?}"
            );
            let Exit::Jump(edge) = exit else {
                return self.finish(node, exit);
            };
            let target = node.successors[0];
            if self.nodes[target].is_join {
                let args = self.join_args(target, &edge);
                let block = self.join_block(target);
                let target = residual::Target { block, args };
                return self.machine.phase.end(Terminator::Jump(target));
            }
            params.clear();
            params.extend_from_slice(&self.machine.args[edge.args]);
            id = target;
        }
    }

    /// Takes the start of a node that is to be written, if it was not written with its predecessor.
    fn start(&mut self, id: NodeId) -> Option<Start> {
        if !self.nodes[id].is_join {
            return self.starts[id].take();
        }
        self.join_block(id);
        self.starts[id].clone()
    }

    /// Ends the current block with anything but a plain jump.
    fn finish(&mut self, node: &Node, exit: Exit<Val>) {
        let term = match exit {
            Exit::Jump(_) => unreachable!("jumps continue the chain"),
            Exit::Branch {
                cond,
                then,
                otherwise,
            } => {
                let cond = self.machine.phase.name(cond);
                let then = self.target(node.successors[0], &then);
                let otherwise = self.target(node.successors[1], &otherwise);
                Terminator::Branch {
                    cond,
                    then,
                    otherwise,
                }
            }
            Exit::Returned {
                raised,
                raises,
                returns,
            } => {
                let cond = self.machine.phase.name(raised);
                let block = self.machine.phase.new_block();
                let outer = self.machine.phase.suspend(block);
                self.machine.phase.clear_raised();
                let then = self.target(node.successors[0], &raises);
                self.machine.phase.end(Terminator::Jump(then));
                self.machine.phase.resume(outer);
                let otherwise = self.target(node.successors[1], &returns);
                Terminator::Branch {
                    cond,
                    then: residual::Target::new(block, []),
                    otherwise,
                }
            }
            Exit::Switch {
                index,
                targets,
                default,
            } => {
                let index = self.machine.phase.name(index);
                let edges = node.successors.iter().zip(targets.iter().chain(&default));
                let mut targets: Vec<_> = edges.map(|(&id, edge)| self.target(id, edge)).collect();
                // Where there is none, no index is greater than the last one.
                let default = targets
                    .pop()
                    .unwrap_or_else(|| self.machine.phase.unreachable());
                Terminator::Switch {
                    index,
                    targets,
                    default,
                }
            }
            Exit::Return(values) => Terminator::Return(self.machine.phase.names(&values)),
            Exit::TailCall { callee, args } => Terminator::TailCall {
                callee,
                args: self.machine.phase.names(&args),
            },
            Exit::Unreachable => Terminator::Unreachable,
        };
        self.machine.phase.end(term);
    }

    /// The residual target of one of several edges.
    fn target(&mut self, id: NodeId, edge: &Edge) -> residual::Target {
        if !self.nodes[id].is_join {
            let block = self.machine.phase.new_block();
            let start = Start {
                block,
                params: self.machine.args[edge.args.clone()].to_vec(),
                cells: self.machine.cells.clone(),
                boxes: self.machine.phase.made(),
            };
            self.starts[id] = Some(start);
            return residual::Target::new(block, []);
        }
        let block = self.join_block(id);
        if !self.edge_needs_code(id, edge) {
            return residual::Target {
                block,
                args: self.join_args(id, edge),
            };
        }
        let between = self.machine.phase.new_block();
        let outer = self.machine.phase.suspend(between);
        let args = self.join_args(id, edge);
        self.machine
            .phase
            .end(Terminator::Jump(residual::Target { block, args }));
        self.machine.phase.resume(outer);
        residual::Target::new(between, [])
    }

    /// Whether an edge from here to the join stores or reloads cells, or makes or opens boxes.
    fn edge_needs_code(&self, id: NodeId, edge: &Edge) -> bool {
        let node = &self.nodes[id];
        let (here, there) = (&self.machine.cells, &node.cells);
        let stores = here.iter().any(|cell| is_stored(cell, there));
        let incoming = &self.machine.args[edge.args.clone()];
        let mut params = self.params.of(node).iter().zip(incoming);
        let frame = &here.frame;
        let framed = frame.values_for(&there.frame).into_iter();
        let mut framed = framed.zip(there.frame.values());
        stores
            || frame.lacking(&there.frame).next().is_some()
            || framed.any(|(arg, known)| arg.is_reformed(known))
            || params.any(|(&known, arg)| arg.is_reformed(known))
            || there.iter().any(|cell| match here.get(cell.span) {
                Some(arg) => arg.value.is_reformed(cell.value),
                None => true,
            })
    }

    /// Arguments for a join's block; stores and reloads cells where the join asks for it.
    fn join_args(&mut self, id: NodeId, edge: &Edge) -> residual::Values {
        let node = &self.nodes[id];
        let Machine {
            phase, cells, args, ..
        } = &mut self.machine;
        let incoming = &args[edge.args.clone()];
        for cell in cells.iter() {
            if is_stored(cell, &node.cells) {
                phase.store_cell(cell.span, cell.value);
            }
        }
        for Entry { address, value } in cells.frame.lacking(&node.cells.frame) {
            phase.emit(CELL_STORE, &[address, value], None);
        }
        let mut args = residual::Values::new();
        for (&known, &arg) in self.params.of(node).iter().zip(incoming) {
            if !known.is_known() {
                args.push(phase.name_as(arg, known));
            }
        }
        for cell in node.cells.iter().filter(|cell| !cell.value.is_known()) {
            let value = match cells.get(cell.span) {
                Some(&here) => phase.held(here),
                None => phase.load_cell(cell.span),
            };
            args.push(phase.name_as(value, cell.value));
        }
        let framed = cells.frame.values_for(&node.cells.frame);
        for (value, known) in framed.into_iter().zip(node.cells.frame.values()) {
            if !known.is_known() {
                args.push(phase.name_as(value, known));
            }
        }
        args
    }

    /// The residual block of a join.
    fn join_block(&mut self, id: NodeId) -> Block {
        if let Some(start) = &self.starts[id] {
            return start.block;
        }
        let node = &self.nodes[id];
        let phase = &mut self.machine.phase;
        let block = phase.new_block();
        let types = &self.machine.evaluation.prepared.function;
        let generic = &types.blocks[node.block].params;
        let known = self.params.of(node).iter();
        let params = known
            .zip(generic)
            .map(|(&abs, &param)| phase.param(block, abs, types.value_type(param)));
        let params = params.collect();
        let cells = &node.cells;
        let cells = cells.map(|known, ty| phase.param(block, known, ty));
        self.starts[id] = Some(Start {
            block,
            params,
            cells,
            boxes: Made::default(),
        });
        block
    }
}

/// Whether an edge has to store a cell: the join there does not cache it, or has it in memory as
/// well.
fn is_stored(cell: &Cell<Val>, there: &Cells<Abs>) -> bool {
    let joined = there.get(cell.span);
    cell.memory != Memory::Same && joined.is_none_or(|joined| joined.memory == Memory::Same)
}
