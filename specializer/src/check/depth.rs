//! Whether pushes and pops of positions are in balance in an interpreter's code, whatever the
//! program: on each way round a loop, as many.
//!
//! For each block the depths that it can have, counted from the function's beginning; `update`
//! where there is no position makes one. Depths may differ between ways (an interpreter can leave a
//! position below for a version of its own), but not grow without end. Conditions are not looked
//! at: a push and a pop behind the same test are ways of their own. In a function that pushes
//! nothing, each pop is one too many, also of what an update made.
//!
//! Of a way round that grows, the push to blame is the last one before the depth is more than
//! another way has there: a pop takes what was pushed last, but it may be meant for a push before.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

use crate::index::Map;
use crate::ir::generic::{Block, Function, Inst};
use crate::lift::Places;
use crate::op::{Intrinsic, Op};

/// A push or a pop that is one too many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unbalanced {
    pub kind: Kind,
    pub place: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A pop where nothing was pushed.
    Pop,
    /// A push that some way round never takes back.
    Push,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Pop => "`context.pop` comes where nothing was pushed, by some way",
            Kind::Push => {
                "the position that `context.push` puts is not popped on some way round: \
                 positions pile up"
            }
        })
    }
}

/// Depths that no interpreter has on purpose.
const DEEP: u32 = 16;

/// Where ways round begin when they are looked at by themselves: in the middle.
const MIDDLE: u32 = DEEP / 2;

/// An instruction: its block, and its number there.
type Site = (Block, usize);

/// The beginning of a block, at a depth.
type State = (Block, u32);

pub fn unbalanced(function: &Function, places: &Places) -> Vec<Unbalanced> {
    let mut insts = function.blocks.values().flat_map(|data| &data.insts);
    let pushes = insts.any(|inst| inst.op == Op::Intrinsic(Intrinsic::ContextPush));
    let mut walk = Walk {
        function,
        pushes,
        settled: BTreeSet::new(),
    };
    let mut found = BTreeMap::new();
    for (block, index) in walk.from((Block::ENTRY, 0), Round::Each).pops {
        found.insert(places[block].inst(index), Kind::Pop);
    }
    while let Some((block, index)) = walk.growing() {
        found.insert(places[block].inst(index), Kind::Push);
        walk.settled.insert((block, index));
    }
    let found = found.into_iter();
    found
        .map(|(place, kind)| Unbalanced { kind, place })
        .collect()
}

/// How often ways come to where they begin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Round {
    Each,
    First,
}

struct Walk<'f> {
    function: &'f Function,
    /// Whether anything is pushed.
    pushes: bool,
    /// Pushes that are found already: they count as if they were popped.
    settled: BTreeSet<Site>,
}

/// What a walk has found.
struct Ways {
    /// The depths of each block, a bit each.
    depths: Map<Block, u32>,
    before: BTreeMap<State, State>,
    /// Pops where nothing was pushed.
    pops: BTreeSet<Site>,
    /// The first push that is too deep, and the state of its block.
    too_deep: Option<(State, Site)>,
}

impl Walk<'_> {
    /// All states that come after this one, the nearest first.
    fn from(&self, start: State, round: Round) -> Ways {
        let mut ways = Ways {
            depths: Map::filled_like(&self.function.blocks, 0),
            before: BTreeMap::new(),
            pops: BTreeSet::new(),
            too_deep: None,
        };
        ways.depths[start.0] = 1 << start.1;
        let mut queue = VecDeque::from([start]);
        while let Some(state) = queue.pop_front() {
            let depth = self.through(state, &mut ways);
            for target in self.function.blocks[state.0].term.targets() {
                let next = (target.block, depth);
                let is_first = ways.depths[next.0] >> depth & 1 == 0;
                if is_first && !(round == Round::First && next.0 == start.0) {
                    ways.depths[next.0] |= 1 << depth;
                    ways.before.insert(next, state);
                    queue.push_back(next);
                }
            }
        }
        ways
    }

    /// The depth at the end of a block.
    fn through(&self, (block, mut depth): State, ways: &mut Ways) -> u32 {
        let start = (block, depth);
        for (index, inst) in self.function.blocks[block].insts.iter().enumerate() {
            let site = (block, index);
            match step(inst, depth, self.pushes) {
                _ if self.settled.contains(&site) => {}
                Ok(next) => depth = next,
                Err(Kind::Pop) => {
                    ways.pops.insert(site);
                }
                Err(Kind::Push) => {
                    ways.too_deep.get_or_insert((start, site));
                }
            }
        }
        depth
    }

    /// A push that some way round never takes back.
    fn growing(&self) -> Option<Site> {
        let ways = self.from((Block::ENTRY, 0), Round::Each);
        let (state, site) = ways.too_deep?;
        let mut path = vec![state];
        while let Some(&before) = ways.before.get(path.last().expect("it has one")) {
            path.push(before);
        }
        path.reverse();
        let left = last_round(&path).and_then(|round| self.left_by(round));
        Some(left.unwrap_or(site))
    }

    /// The push that a way round leaves.
    fn left_by(&self, round: &[State]) -> Option<Site> {
        let (head, depth) = round[0];
        let once = self.from((head, MIDDLE), Round::First);
        let mut pushed = Vec::new();
        for states in round.windows(2) {
            let (block, (next, deep)) = (states[0].0, states[1]);
            for (index, inst) in self.function.blocks[block].insts.iter().enumerate() {
                match inst.op {
                    _ if self.settled.contains(&(block, index)) => {}
                    Op::Intrinsic(Intrinsic::ContextPush) => pushed.push((block, index)),
                    Op::Intrinsic(Intrinsic::ContextPop) => {
                        pushed.pop();
                    }
                    _ => {}
                }
            }
            let least = once.depths[next].trailing_zeros();
            if deep + MIDDLE > least + depth {
                return pushed.last().copied();
            }
        }
        None
    }
}

/// The last round of a path that comes back deeper, from where the loop begins: blocks are in
/// reverse postorder.
fn last_round(path: &[State]) -> Option<&[State]> {
    let round_to = |end: usize| {
        let (block, depth) = path[end];
        let mut before = path[..end].iter();
        let start = before.rposition(|&(other, there)| other == block && there < depth)?;
        Some(&path[start..=end])
    };
    let round = (0..path.len()).rev().find_map(round_to)?;
    let head = round.iter().map(|(block, _)| *block).min()?;
    let end = path.iter().rposition(|&(block, _)| block == head)?;
    round_to(end).or(Some(round))
}

/// The depth after an instruction of a function that pushes positions, or does not.
fn step(inst: &Inst, depth: u32, pushes: bool) -> Result<u32, Kind> {
    let Op::Intrinsic(intrinsic) = inst.op else {
        return Ok(depth);
    };
    match intrinsic {
        Intrinsic::ContextUpdate => Ok(depth.max(1)),
        Intrinsic::ContextPush if depth + 1 == DEEP => Err(Kind::Push),
        Intrinsic::ContextPush => Ok(depth + 1),
        Intrinsic::ContextPop if !pushes => Err(Kind::Pop),
        Intrinsic::ContextPop => depth.checked_sub(1).ok_or(Kind::Pop),
        _ => Ok(depth),
    }
}
