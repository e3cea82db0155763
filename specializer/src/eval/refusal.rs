//! Why a request is declined, and where in the interpreter the reason is.

use super::Declined;
use super::abs::Abs;
use super::blame::{Blame, Cause, known};
use super::growth::{self, Growth};
use super::node::NodeId;
use super::revisit::Revisit;
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
    pub(super) fn new(reason: Declined, site: Site, revisit: &mut Revisit) -> Self {
        let growth = match reason {
            Declined::Nodes(_) => growth::find(revisit),
            Declined::Framed(_) => growth::widest_frame(revisit),
            Declined::Rounds(_) => Some(still_changing(revisit, site)),
            _ => None,
        };
        let (detail, place, cause) = match (growth, site) {
            (Some(Growth { what, place, cause }), _) => (Some(what), Some(place), cause),
            (None, Site::Node(_)) => (None, None, None),
            (None, Site::Inst(id, index)) => {
                let place = revisit.place(id, index);
                (None, Some(place), unknown(revisit, id, index))
            }
        };
        Self {
            reason,
            detail,
            place,
            cause,
        }
    }
}

/// A node that is still to be evaluated again.
fn still_changing(revisit: &Revisit, site: Site) -> Growth {
    let (Site::Node(id) | Site::Inst(id, _)) = site;
    let contexts = &revisit.machine.contexts;
    let position = contexts.position(revisit.nodes[id].context);
    let at = match position.is_known() {
        true => format!(", at position {}", known(position)),
        false => String::new(),
    };
    Growth {
        what: format!("what is known still changes here{at}"),
        place: revisit.beginning(id),
        cause: None,
    }
}

/// Why an instruction does not know what it has to know.
fn unknown(revisit: &mut Revisit, id: NodeId, index: usize) -> Option<Cause> {
    let Inst { op, args, .. } = revisit.block(id).insts.get(index)?;
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
    revisit.watch(id, |machine, at| {
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
        _ => Some(Blame::new(revisit).of(id, asked)),
    }
}
