//! Finds out what makes the nodes of a request too many: which part of their names has the most
//! values, and which instruction gives these.
//!
//! All nodes of one block differ in their contexts and in the parameters that decide positions. Of
//! the block that has the most nodes, the part with the most values is to blame: positions, a stack
//! of them that only grows, outcomes of specializations, or a variable of which positions are made.

use std::collections::{BTreeMap, BTreeSet};

use super::abs::Abs;
use super::blame::{Blame, Cause, some_of};
use super::node::NodeId;
use super::revisit::Revisit;
use crate::ir::generic::{Block, Value};
use crate::op::{Intrinsic, Op};

/// What grows.
pub struct Growth {
    pub what: String,
    pub place: usize,
    /// Where that is computed.
    pub cause: Option<Cause>,
}

/// Stacks of positions that no interpreter has on purpose.
const DEEP: usize = 16;

/// What the nodes of one block differ in.
enum Part {
    /// Positions that `context.push` puts on others.
    Stack,
    Positions,
    /// A parameter of the block.
    Param(usize),
    /// Outcomes of the specialization at the end of this block.
    Outcomes(Block),
}

/// Positions that an instruction was given, and where it was given the last one.
struct Given {
    intrinsic: Intrinsic,
    positions: BTreeSet<Abs>,
    last: (NodeId, Value),
}

/// What of the nodes' names has the most values.
pub fn find(revisit: &mut Revisit) -> Option<Growth> {
    let crowd = largest_crowd(revisit);
    let last = *crowd.last()?;
    match most_values(revisit, &crowd) {
        Part::Stack => positions(revisit, |intrinsic| intrinsic == Intrinsic::ContextPush),
        Part::Positions => positions(revisit, |_| true),
        Part::Param(param) => {
            let values = crowd.iter().map(|&id| revisit.known(id, param));
            let values: BTreeSet<Abs> = values.collect();
            let value = revisit.block(last).params[param];
            Some(Growth {
                what: format!(
                    "here a variable of which positions are made has {} values: {}",
                    values.len(),
                    some_of(&values)
                ),
                place: revisit.beginning(last),
                cause: Blame::new(revisit).origin(last, value),
            })
        }
        Part::Outcomes(site) => {
            let prepared = revisit.machine.evaluation.prepared;
            let insts = &prepared.function.blocks[site].insts;
            let last = insts.len().checked_sub(1)?;
            let Op::Intrinsic(intrinsic) = insts[last].op else {
                return None;
            };
            let name = intrinsic.name();
            Some(Growth {
                what: format!("the outcomes of `{name}` are too many, with those before it"),
                place: prepared.places[site].inst(last),
                cause: None,
            })
        }
    }
}

/// Where the most is kept out of memory at once.
pub fn widest_frame(revisit: &mut Revisit) -> Option<Growth> {
    let mut widest: Option<(usize, Intrinsic, (NodeId, usize))> = None;
    for (id, _) in revisit.evaluated() {
        let insts = &revisit.block(id).insts;
        revisit.watch(id, |machine, index| {
            let Some(Op::Intrinsic(
                intrinsic @ (Intrinsic::WevalPush
                | Intrinsic::WevalWriteRegister
                | Intrinsic::WevalWriteLocal),
            )) = insts.get(index).map(|inst| inst.op)
            else {
                return;
            };
            let count = machine.cells.frame.len() + 1;
            if widest.is_none_or(|(most, ..)| count > most) {
                widest = Some((count, intrinsic, (id, index)));
            }
        });
    }
    let (count, intrinsic, (id, index)) = widest?;
    let name = intrinsic.name();
    Some(Growth {
        what: format!("with what `{name}` writes here there are {count} at once"),
        place: revisit.place(id, index),
        cause: None,
    })
}

/// The nodes of the block that has the most.
fn largest_crowd(revisit: &Revisit) -> Vec<NodeId> {
    let mut crowds: BTreeMap<Block, Vec<NodeId>> = BTreeMap::new();
    for (id, node) in revisit.evaluated() {
        crowds.entry(node.block).or_default().push(id);
    }
    let crowds = crowds.into_values();
    crowds.max_by_key(Vec::len).unwrap_or_default()
}

fn most_values(revisit: &Revisit, crowd: &[NodeId]) -> Part {
    let contexts = &*revisit.machine.contexts;
    let context = |id: NodeId| revisit.nodes[id].context;
    let count = |part: &dyn Fn(NodeId) -> Abs| {
        let values: BTreeSet<Abs> = crowd.iter().map(|&id| part(id)).collect();
        values.len()
    };
    let deepest = crowd.last().map_or(0, |&id| contexts.depth(context(id)));
    if deepest > DEEP {
        return Part::Stack;
    }
    let positions = count(&|id| contexts.position(context(id)));
    let (mut most, mut part) = (positions, Part::Positions);
    let block = revisit.nodes[crowd[0]].block;
    for &param in &revisit.machine.evaluation.prepared.keyed[block] {
        let values = count(&|id| revisit.known(id, param));
        if values > most {
            (most, part) = (values, Part::Param(param));
        }
    }
    let mut outcomes = BTreeMap::new();
    for context in crowd.iter().map(|&id| context(id)) {
        if let Some(site) = contexts.last_assumed(context) {
            let before = contexts.without_assumptions(context);
            let (_, count) = outcomes.entry(before).or_insert((site, 0));
            *count += 1;
        }
    }
    match outcomes.into_values().max_by_key(|&(_, count)| count) {
        Some((site, count)) if count > most => Part::Outcomes(site),
        _ => part,
    }
}

/// The instruction that is given the most positions, of those that are chosen.
fn positions(revisit: &mut Revisit, chosen: impl Fn(Intrinsic) -> bool) -> Option<Growth> {
    let mut given: BTreeMap<usize, Given> = BTreeMap::new();
    for (id, node) in revisit.evaluated() {
        let insts = &revisit.block(id).insts;
        let places = &revisit.machine.evaluation.prepared.places[node.block];
        revisit.watch(id, |machine, index| {
            let Some(inst) = insts.get(index) else { return };
            let Op::Intrinsic(intrinsic @ (Intrinsic::ContextUpdate | Intrinsic::ContextPush)) =
                inst.op
            else {
                return;
            };
            let last = (id, inst.args[0]);
            let here = given.entry(places.inst(index)).or_insert(Given {
                intrinsic,
                positions: BTreeSet::new(),
                last,
            });
            if here.positions.insert(machine.value(inst.args[0])) {
                here.last = last;
            }
        });
    }
    let given = given
        .into_iter()
        .filter(|(_, given)| chosen(given.intrinsic));
    let (place, most) = given.max_by_key(|(_, given)| given.positions.len())?;
    let name = most.intrinsic.name();
    let (count, some) = (most.positions.len(), some_of(&most.positions));
    let what = match most.intrinsic {
        Intrinsic::ContextPush => format!(
            "positions that `{name}` puts here pile up: no `context.pop` takes them ({count} \
             different: {some})"
        ),
        _ => format!("the position that `{name}` gets here has {count} values: {some}"),
    };
    let (id, value) = most.last;
    Some(Growth {
        what,
        place,
        cause: Blame::new(revisit).origin(id, value),
    })
}
