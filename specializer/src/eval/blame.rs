//! Finds out why a value is not known: follows it backwards, through the nodes of the fixpoint, to
//! the instruction that made it unknown.

use std::collections::BTreeSet;

use super::abs::Abs;
use super::node::NodeId;
use super::revisit::Revisit;
use crate::index::Map;
use crate::ir::generic::{Inst, Target, Value};
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
    revisit: &'b mut Revisit<'a>,
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
    pub fn new(revisit: &'b mut Revisit<'a>) -> Self {
        let mut incoming = Map::filled_like(revisit.nodes, Vec::new());
        for (source, node) in revisit.evaluated() {
            let exit = revisit.evaluate(source);
            for (edge, &target) in exit.edges().zip(&node.successors) {
                let args = revisit.machine.args[edge.args.clone()].to_vec();
                incoming[target].push(Incoming { source, args });
            }
        }
        Self { revisit, incoming }
    }

    /// The instruction of a node's block that makes a value, and its number there; none makes a
    /// parameter.
    fn definition(&self, id: NodeId, value: Value) -> Option<(usize, &'a Inst)> {
        let insts = self.revisit.block(id).insts.iter().enumerate();
        insts.rev().find(|(_, inst)| inst.result == Some(value))
    }

    /// Which parameter of a node's block a value is.
    fn param(&self, id: NodeId, value: Value) -> Option<usize> {
        let params = &self.revisit.block(id).params;
        params.iter().position(|&param| param == value)
    }

    /// Why the value is not known where the node is evaluated.
    pub fn of(&mut self, mut id: NodeId, mut value: Value) -> Cause {
        let mut seen = BTreeSet::new();
        // Where it was loaded, if the address is what is followed.
        let mut loaded = None;
        while seen.insert((id, value)) {
            if let Some((index, inst)) = self.definition(id, value) {
                let place = self.revisit.place(id, index);
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
            let param = self.param(id, value);
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
            if let Some((index, inst)) = self.definition(id, value) {
                let what = match inst.op {
                    Op::Load { .. } => "it is loaded from constant memory".into(),
                    Op::Const(_) => "it is a constant".into(),
                    Op::Intrinsic(intrinsic) => format!("`{}` gives it", intrinsic.name()),
                    _ => "it is computed".into(),
                };
                let place = Some(self.revisit.place(id, index));
                return Some(Cause { what, place });
            }
            let param = self.param(id, value)?;
            let known = self.revisit.known(id, param);
            let mut incoming = self.incoming[id].iter();
            let edge = incoming.find(|edge| edge.args[param] == known)?.clone();
            (id, value) = (edge.source, self.brought(id, &edge, param));
        }
        None
    }

    /// The operand that makes the result of an instruction unknown; or why it is.
    fn before(&mut self, id: NodeId, index: usize, inst: &Inst) -> Result<Value, Cause> {
        let place = self.revisit.place(id, index);
        let mut known = Vec::new();
        self.revisit.watch(id, |machine, at| {
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
            Op::Intrinsic(
                Intrinsic::CellsRead | Intrinsic::CellsRead8 | Intrinsic::CellsRead32,
            ) => from("it is read from a cell"),
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
        let incoming = &self.incoming[id];
        if id == NodeId::ENTRY && !self.revisit.known(id, param).is_known() {
            return Err(Cause {
                what: format!("parameter {param} of the request is not known"),
                place: None,
            });
        }
        let unknown = incoming.iter().find(|edge| !edge.args[param].is_known());
        if let Some(edge) = unknown.cloned() {
            return Ok((edge.source, self.brought(id, &edge, param)));
        }
        let brought: BTreeSet<Abs> = incoming.iter().map(|edge| edge.args[param]).collect();
        Err(Cause {
            what: format!("it joins {}", some_of(&brought)),
            place: Some(self.revisit.beginning(id)),
        })
    }

    /// The generic value that an edge into a node gives its parameter.
    fn brought(&mut self, id: NodeId, edge: &Incoming, param: usize) -> Value {
        self.revisit.evaluate(edge.source);
        let machine = &self.revisit.machine;
        let block = self.revisit.nodes[id].block;
        let term = &self.revisit.block(edge.source).term;
        let fits = |target: &&Target| {
            let values = target.args.iter().map(|&arg| machine.value(arg));
            target.block == block && values.eq(edge.args.iter().copied())
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
