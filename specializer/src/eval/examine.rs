//! Looks for misuse of the intrinsics in what a request makes of the interpreter.
//!
//! The fixpoint is evaluated once more, node by node, and each instruction is looked at with what
//! is known where it stands. So a remark is about the program of the request: what it does not
//! reach is not looked at.
//!
//! Leaves out calls that are given no address of the stack: whether their callee reads cells by
//! another way (a collector's roots, a global) cannot be told here.

use std::collections::BTreeMap;

use super::abs::Abs;
use super::abstracted::Abstract;
use super::analyse::{self, Analysis, Node};
use super::blame::{Blame, Cause};
use super::cells::{Cell, Memory, Reader};
use super::choices;
use super::frame::Entry;
use super::node::NodeId;
use super::refusal::{Refusal, Site};
use super::revisit::Revisit;
use super::span::{self, Span};
use super::transfer::Machine;
use super::{Declined, Evaluation};
use crate::image::Reads;
use crate::index::Map;
use crate::ir::Terminator;
use crate::ir::generic::{self, Block, Value};
use crate::op::intrinsic::NAMED_REGIONS;
use crate::op::{Const, Effect, Intrinsic, Op};

/// What is said of a place in the interpreter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Remark {
    /// `context.update` or `context.push` gets what is not known.
    Unknown(Intrinsic),
    /// A call is given an address of the stack while memory has not got all that this brings there.
    Unsynced(Intrinsic),
    /// A call that `cells.invalidate` follows, while memory has not got all cells.
    Forgotten,
    /// A plain load reads what memory has not got, and what this brings there.
    PlainLoad(Intrinsic),
    /// A plain store writes a cell that is cached.
    PlainStore,
    /// A store to memory that is declared constant.
    ConstantStore,
    /// A cell at an address that is not known.
    NoCell(Intrinsic),
    /// A switch that is not decided, and that multiplies a request beyond its budgets.
    Undecided,
    /// A version is asked for, for bounds or a guess that is not known.
    NoVersion(Intrinsic),
    /// Bounds with more values than there may be.
    FanOut(Intrinsic),
    /// A lower bound that is above the upper one.
    Reversed(Intrinsic),
    /// Bounds without a value between them.
    Empty(Intrinsic),
    /// A region that is not known, or that there is not.
    NoRegion,
    /// A kind of box that is not known, or that there is not.
    NoKind,
}

/// Remarks by place, an offset in the module's bytes; for each how often it was made, of how many
/// times that evaluation came there, and why a position or an address was not known the first time.
pub type Remarks = BTreeMap<Key, Count>;

type Key = (usize, Remark);

#[derive(Clone, Debug, Default)]
pub struct Count {
    pub made: usize,
    pub of: usize,
    pub cause: Option<Cause>,
}

/// How many ways a switch has at least, of which it is said that it is not decided.
const MANY_WAYS: usize = 4;

/// Remarks on what this request makes of the interpreter. Calls must not be evaluated in place. Of
/// a request that is declined, no more than where positions were lost and which switch multiplies
/// it, as far as evaluation came.
pub fn examine(evaluation: &Evaluation, remarks: &mut Remarks) -> Result<(), Refusal> {
    assert!(
        !evaluation.optimisations.inlining && evaluation.apart,
        "each request and each block is examined by itself"
    );
    let mut explored = None;
    let mut ended_at = Site::Node(NodeId::ENTRY);
    let evaluated = super::attempts(evaluation, |height| {
        let mut reads = Reads::new(evaluation.request);
        let (analysis, ended) = analyse::explore(evaluation, height, &mut reads);
        explored = Some((analysis, reads));
        ended.map_err(|(reason, id)| {
            ended_at = Site::Node(id);
            reason
        })
    });
    let (mut analysis, mut reads) = explored.expect("there is an attempt");
    let Analysis {
        nodes,
        params,
        contexts,
        decisions,
    } = &mut analysis;
    let mut revisit = Revisit {
        machine: Machine::new(evaluation, contexts, decisions, &mut reads, Abstract),
        nodes,
        params,
    };
    let mut look = Look {
        remarks,
        is_whole: evaluated.is_ok(),
        ended_at,
        visits: BTreeMap::new(),
        lost: Vec::new(),
    };
    look.at_all(&mut revisit);
    if let Err(Declined::Nodes(_) | Declined::Framed(_) | Declined::Rounds(_)) = evaluated {
        look.for_undecided(&revisit);
    }
    let ended_at = look.ended_at;
    let refused = evaluated.err().or(revisit.machine.refused.clone());
    look.blame(&mut revisit);
    match refused {
        Some(reason) => Err(Refusal::new(reason, ended_at, &mut revisit)),
        None => Ok(()),
    }
}

/// A look at the nodes that evaluation came to.
struct Look<'a> {
    remarks: &'a mut Remarks,
    /// Whether they are all nodes of the request, in their last state.
    is_whole: bool,
    /// Where evaluation ended; of a whole request, the last place before it is refused after all.
    ended_at: Site,
    /// How often evaluation came to where a position is given.
    visits: BTreeMap<Key, usize>,
    /// Where something has to be known that was lost: the node, and the value.
    lost: Vec<(Key, NodeId, Value)>,
}

impl Look<'_> {
    fn at_all(&mut self, revisit: &mut Revisit) {
        let nodes = revisit.nodes;
        for (id, _) in revisit.evaluated() {
            revisit.watch(id, |machine, index| self.at(machine, nodes, (id, index)));
        }
        for (key, visits) in std::mem::take(&mut self.visits) {
            if let Some(count) = self.remarks.get_mut(&key) {
                count.of += visits;
            }
        }
    }

    /// At an instruction of a node, or at what ends its block, where the machine is.
    fn at(
        &mut self,
        machine: &Machine<Abstract>,
        nodes: &Map<NodeId, Node>,
        (id, index): (NodeId, usize),
    ) {
        if self.is_whole && machine.refused.is_none() {
            self.ended_at = Site::Inst(id, index);
        }
        let prepared = machine.evaluation.prepared;
        let block = nodes[id].block;
        let generic::BlockData { insts, term, .. } = &prepared.function.blocks[block];
        let places = &prepared.places[block];
        let Some(inst) = insts.get(index) else {
            if self.is_whole
                && let Some(sync) = machine.sync_missing_before(term)
            {
                self.note((places.end, Remark::Unsynced(sync)));
            }
            return;
        };
        let place = places.inst(index);
        if let Op::Intrinsic(intrinsic @ (Intrinsic::ContextUpdate | Intrinsic::ContextPush)) =
            inst.op
            && !machine.contexts.is_lost(machine.context)
        {
            let key = (place, Remark::Unknown(intrinsic));
            *self.visits.entry(key).or_default() += 1;
        }
        let Some(remark) = machine.remark(inst.op, &inst.args) else {
            return;
        };
        let is_said = match remark {
            Remark::Unknown(_) => true,
            Remark::Forgotten => {
                self.is_whole && is_followed(machine.evaluation, nodes, (id, index + 1))
            }
            _ => self.is_whole,
        };
        if !is_said {
            return;
        }
        let is_first = self.note((place, remark));
        if is_first && matches!(remark, Remark::Unknown(_) | Remark::NoCell(_)) {
            self.lost.push(((place, remark), id, inst.args[0]));
        }
    }

    /// For the switch that multiplies the request, if there is one.
    fn for_undecided(&mut self, revisit: &Revisit) {
        let Some((place, id, index)) = undecided(revisit) else {
            return;
        };
        let key = (place, Remark::Undecided);
        if self.note(key) {
            self.lost.push((key, id, index));
        }
    }

    /// Says why what is lost is not known.
    fn blame(self, revisit: &mut Revisit) {
        if self.lost.is_empty() {
            return;
        }
        let mut blame = Blame::new(revisit);
        for (key, node, value) in self.lost {
            let cause = blame.of(node, value);
            self.remarks.entry(key).or_default().cause = Some(cause);
        }
    }

    /// Makes a remark; whether it is the first of its kind there.
    fn note(&mut self, key: Key) -> bool {
        let count = self.remarks.entry(key).or_default();
        count.made += 1;
        count.made == 1
    }
}

/// Of a request that goes beyond its budgets, the switch that leads to most of its nodes: a table
/// of labels that is no constant memory, say. Its place, one of its nodes, and what it looks at.
fn undecided(revisit: &Revisit) -> Option<(usize, NodeId, Value)> {
    let prepared = revisit.machine.evaluation.prepared;
    let mut ways: BTreeMap<Block, (usize, NodeId)> = BTreeMap::new();
    for (id, node) in revisit.nodes.iter() {
        let is_switch = matches!(revisit.block(id).term, Terminator::Switch { .. });
        if is_switch && node.successors.len() >= MANY_WAYS {
            ways.entry(node.block).or_insert((0, id)).0 += node.successors.len();
        }
    }
    let (block, (count, id)) = ways.into_iter().max_by_key(|(_, (count, _))| *count)?;
    // All nodes come from somewhere: one that leads to few is not what multiplies them.
    let multiplies = count * 4 > revisit.nodes.len();
    match revisit.block(id).term {
        Terminator::Switch { index, .. } if multiplies => {
            Some((prepared.places[block].end, id, index))
        }
        _ => None,
    }
}

/// Whether `cells.invalidate` comes next, from an instruction of a node on: with only what is
/// computed, and jumps, before it.
fn is_followed(
    evaluation: &Evaluation,
    nodes: &Map<NodeId, Node>,
    (mut id, mut from): (NodeId, usize),
) -> bool {
    // A loop of nothing but jumps has no more nodes than there are.
    for _ in 0..nodes.len() {
        let node = &nodes[id];
        for inst in &evaluation.prepared.function.blocks[node.block].insts[from..] {
            match (inst.op, inst.op.effect()) {
                (Op::Intrinsic(Intrinsic::CellsInvalidate), _) => return true,
                (_, Effect::Pure) => {}
                _ => return false,
            }
        }
        let &[next] = &node.successors[..] else {
            return false;
        };
        (id, from) = (next, 0);
    }
    false
}

impl Machine<'_, Abstract> {
    /// What is to be said of the instruction that comes next.
    fn remark(&self, op: Op, args: &[Value]) -> Option<Remark> {
        let arg = |index: usize| self.value(args[index]);
        match op {
            Op::Intrinsic(intrinsic) => self.remark_on(intrinsic, &arg),
            Op::Call(_) if let Some(sync) = self.sync_missing_for_any(args) => {
                Some(Remark::Unsynced(sync))
            }
            Op::Call(_) => {
                let is_due = self.cells.sync_due != Reader::Nobody;
                let is_stale = self.cells.iter().any(|cell| cell.memory == Memory::Stale);
                (!is_due && is_stale).then_some(Remark::Forgotten)
            }
            Op::Load { kind, offset } => self
                .sync_missing_at(arg(0), offset, kind.width())
                .map(Remark::PlainLoad),
            Op::Store { kind, offset } if self.is_in_constant(arg(0), offset, kind.width()) => {
                Some(Remark::ConstantStore)
            }
            Op::Store { kind, offset } => {
                let mut cells = self.touched(arg(0), offset, kind.width());
                cells.next().map(|_| Remark::PlainStore)
            }
            _ => None,
        }
    }

    fn remark_on(&self, intrinsic: Intrinsic, arg: &impl Fn(usize) -> Abs) -> Option<Remark> {
        let number = |index: usize| match arg(index) {
            Abs::Const(Const::I32(number)) => Some(number),
            _ => None,
        };
        match intrinsic {
            // Where the position was lost before, that is what is to be said.
            _ if self.contexts.is_lost(self.context) => None,
            Intrinsic::ContextUpdate | Intrinsic::ContextPush => {
                (!arg(0).is_known()).then_some(Remark::Unknown(intrinsic))
            }
            Intrinsic::CellsRead
            | Intrinsic::CellsRead8
            | Intrinsic::CellsRead32
            | Intrinsic::CellsWrite
            | Intrinsic::CellsWrite8
            | Intrinsic::CellsWrite32
            | Intrinsic::CellsDropBelow
            | Intrinsic::CellsDropAbove => {
                let is_known = arg(0).plus(0).is_some();
                (!is_known).then_some(Remark::NoCell(intrinsic))
            }
            Intrinsic::SpecializeGuess | Intrinsic::SpecializeGuessByName => {
                let asks = !arg(0).is_known() && !arg(1).is_known();
                asks.then_some(Remark::NoVersion(intrinsic))
            }
            Intrinsic::SpecializeValue
            | Intrinsic::SpecializeRange
            | Intrinsic::WevalSpecialize => match (number(1), number(2)) {
                (Some(low), Some(high)) => {
                    self.remark_on_bounds(intrinsic, low as u32, high as u32)
                }
                _ => Some(Remark::NoVersion(intrinsic)),
            },
            Intrinsic::AddressWithin => {
                let region = number(1).map(|region| region as u32);
                let is_one = region.is_some_and(|region| NAMED_REGIONS.contains(&region));
                (!is_one).then_some(Remark::NoRegion)
            }
            Intrinsic::BoxExists | Intrinsic::BoxLiteral => {
                let kind = number(1).map(|kind| kind as u32);
                let is_one = kind.is_some_and(|kind| self.evaluation.boxes.is_listed(kind));
                (!is_one).then_some(Remark::NoKind)
            }
            _ => None,
        }
    }

    fn remark_on_bounds(&self, intrinsic: Intrinsic, low: u32, high: u32) -> Option<Remark> {
        let end = choices::end(Op::Intrinsic(intrinsic), high);
        let values = end.and_then(|end| end.checked_sub(low));
        match values {
            _ if low > high => Some(Remark::Reversed(intrinsic)),
            Some(0) => Some(Remark::Empty(intrinsic)),
            Some(values) if values <= self.evaluation.budgets.fan_out => None,
            Some(_) | None => Some(Remark::FanOut(intrinsic)),
        }
    }

    /// What would bring to memory what a plain access reads and memory lacks, and will not get by
    /// the next instruction.
    fn sync_missing_at(&self, address: Abs, offset: u32, bytes: u32) -> Option<Intrinsic> {
        let is_due = self.cells.sync_due != Reader::Nobody;
        let mut cells = self.touched(address, offset, bytes);
        if !is_due && cells.any(|cell| cell.memory == Memory::Stale) {
            return Some(Intrinsic::CellsSync);
        }
        let mut entries = self.cells.frame.entries().filter_map(Entry::span);
        let is_read = entries.any(|span| self.is_touched(span, address, offset, bytes));
        is_read.then_some(Intrinsic::WevalSync)
    }

    /// Whether a plain access is one of memory that is declared constant, slots in it included.
    fn is_in_constant(&self, address: Abs, offset: u32, bytes: u32) -> bool {
        let base = match address {
            Abs::Const(Const::I32(address)) => address as u32,
            Abs::Symbol(symbol) => self.reads.bases.address(symbol),
            _ => return false,
        };
        let image = self.evaluation.image;
        let start = base.wrapping_add(offset);
        (0..bytes).any(|byte| image.is_constant(start.wrapping_add(byte), 1))
    }

    /// The cells that a plain access touches.
    fn touched(&self, address: Abs, offset: u32, bytes: u32) -> impl Iterator<Item = &Cell<Abs>> {
        let cells = self.cells.iter();
        cells.filter(move |cell| self.is_touched(cell.span, address, offset, bytes))
    }

    /// Whether a plain access touches a cell. In a frame, accesses are cells themselves.
    fn is_touched(&self, cell: Span, address: Abs, offset: u32, bytes: u32) -> bool {
        let address = address.plus(offset as i32);
        let address = address.filter(|&address| !self.evaluation.is_in_frame(address));
        let (stack, cell) = cell.extent();
        address.is_some_and(|address| {
            let (kind, base, start) = span::order(address);
            stack == (kind, base) && start < cell.end && cell.start < start + i64::from(bytes)
        })
    }

    /// What is missing before a tail call that ends a block and is given an address of the stack
    /// while memory lacks something of it. Nothing comes behind such a call: a cell that it does
    /// not bring to memory is lost.
    fn sync_missing_before(&self, term: &generic::Terminator) -> Option<Intrinsic> {
        match term {
            Terminator::TailCall { args, .. } => self.sync_missing_for_any(args),
            _ => None,
        }
    }

    fn sync_missing_for_any(&self, args: &[Value]) -> Option<Intrinsic> {
        args.iter()
            .find_map(|&arg| self.sync_missing_for(self.value(arg)))
    }

    /// What would bring to memory what it lacks of a stack, if an address is one of the stack (the
    /// same parameter plus a constant).
    fn sync_missing_for(&self, address: Abs) -> Option<Intrinsic> {
        let Abs::Offset { param, .. } = address else {
            return None;
        };
        let is_same = |address| matches!(address, Abs::Offset { param: of, .. } if of == param);
        let is_due = self.cells.sync_due != Reader::Nobody;
        let mut cells = self.cells.iter();
        if !is_due && cells.any(|cell| cell.memory == Memory::Stale && is_same(cell.span.address)) {
            return Some(Intrinsic::CellsSync);
        }
        let mut entries = self.cells.frame.entries();
        let is_lacking = entries.any(|entry| is_same(entry.address));
        is_lacking.then_some(Intrinsic::WevalSync)
    }
}
