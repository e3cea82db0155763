//! Why a request is declined, and where in the interpreter the reason is.

use super::Declined;
use super::abs::Abs;
use super::abstracted::Abstract;
use super::analyse::{Node, Params};
use super::blame::{Blame, Cause, known};
use super::examine::enter;
use super::growth::{self, Growth};
use super::node::NodeId;
use super::transfer::Machine;
use crate::index::Map;
use crate::ir::generic::Inst;
use crate::op::{Const, Intrinsic, Op};

/// Why a request is declined, for `bactrian check`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    pub reason: Declined,
    /// More about it.
    pub detail: Option<String>,
    /// Where that is, an offset in the module's bytes.
    pub place: Option<usize>,
    pub cause: Option<Cause>,
}

/// Where evaluation was when a reason came up.
#[derive(Clone, Copy)]
pub enum Site {
    /// Before an instruction of a node, by its number.
    Inst(NodeId, usize),
    /// Before a node.
    Node(NodeId),
}

impl Refusal {
    pub(super) fn new(
        reason: Declined,
        site: Site,
        machine: &mut Machine<'_, Abstract>,
        nodes: &Map<NodeId, Node>,
        params: &Params,
    ) -> Self {
        let growth = match reason {
            Declined::Nodes(_) => growth::find(machine, nodes, params),
            Declined::Framed(_) => growth::widest_frame(machine, nodes, params),
            Declined::Rounds(_) => Some(unsettled(machine, nodes, site)),
            _ => None,
        };
        if let Some(Growth { what, place, cause }) = growth {
            return Self {
                reason,
                detail: Some(what),
                place: Some(place),
                cause,
            };
        }
        match site {
            Site::Node(_) => Self {
                reason,
                detail: None,
                place: None,
                cause: None,
            },
            Site::Inst(id, index) => Self {
                reason,
                detail: None,
                place: Some(machine.place(&nodes[id], index)),
                cause: unknown(machine, nodes, params, (id, index)),
            },
        }
    }
}

/// A node that is still to be evaluated again.
fn unsettled(machine: &Machine<'_, Abstract>, nodes: &Map<NodeId, Node>, site: Site) -> Growth {
    let (Site::Node(id) | Site::Inst(id, _)) = site;
    let node = &nodes[id];
    let position = machine.contexts.position(node.context);
    let at = match position.is_known() {
        true => format!(", at position {}", known(position)),
        false => String::new(),
    };
    Growth {
        what: format!("what is known still changes here{at}"),
        place: machine.evaluation.prepared.places[node.block].start,
        cause: None,
    }
}

/// Why an instruction does not know what it has to know.
fn unknown(
    machine: &mut Machine<'_, Abstract>,
    nodes: &Map<NodeId, Node>,
    params: &Params,
    (id, index): (NodeId, usize),
) -> Option<Cause> {
    let insts = &machine.evaluation.prepared.function.blocks[nodes[id].block].insts;
    let Inst { op, args, .. } = insts.get(index)?;
    let Op::Intrinsic(intrinsic) = *op else {
        return None;
    };
    let asked = match intrinsic {
        Intrinsic::WevalReadRegister
        | Intrinsic::WevalWriteRegister
        | Intrinsic::WevalAssertConst
        | Intrinsic::WevalGlobal => args[0],
        _ => return None,
    };
    let mut value = None;
    enter(machine, id, &nodes[id]);
    machine.block_watched(nodes[id].block, params.of(&nodes[id]), |machine, at| {
        if at == index {
            value = Some(machine.value(asked));
        }
    });
    match value? {
        Abs::Const(Const::I64(number)) if intrinsic == Intrinsic::WevalReadRegister => {
            Some(Cause {
                what: format!("register {number} is not written on each way that leads there"),
                place: None,
            })
        }
        known if known.is_known() => None,
        _ => Some(Blame::new(machine, nodes, params).of(id, asked)),
    }
}
