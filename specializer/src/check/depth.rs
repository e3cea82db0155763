//! Whether pushes and pops of positions are in balance in an interpreter's code, whatever the
//! program: on each way round a loop, as many.
//!
//! For each block the depths that it can have, counted from the function's beginning; `update`
//! where there is no position makes one. Depths may differ between ways (an interpreter can leave a
//! position below for a version of its own), but not grow without end. Conditions are not looked
//! at: a push and a pop behind the same test are ways of their own. In a function that pushes
//! nothing, each pop is one too many, also of what an update made.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
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

pub fn unbalanced(function: &Function, places: &Places) -> Vec<Unbalanced> {
    let mut depths = Map::filled_like(&function.blocks, 0_u32);
    depths[Block::ENTRY] = 1;
    let mut work = vec![Block::ENTRY];
    let mut insts = function.blocks.values().flat_map(|data| &data.insts);
    let pushes = insts.any(|inst| inst.op == Op::Intrinsic(Intrinsic::ContextPush));
    let mut found = BTreeMap::new();
    while let Some(block) = work.pop() {
        let data = &function.blocks[block];
        let mut out = 0;
        for depth in (0..DEEP).filter(|depth| depths[block] >> depth & 1 != 0) {
            let mut depth = depth;
            for (index, inst) in data.insts.iter().enumerate() {
                match step(inst, depth, pushes) {
                    Ok(next) => depth = next,
                    Err(kind) => {
                        found.insert(places[block].inst(index), kind);
                    }
                }
            }
            out |= 1 << depth;
        }
        for target in data.term.targets() {
            let known = &mut depths[target.block];
            if *known | out != *known {
                *known |= out;
                work.push(target.block);
            }
        }
    }
    let found = found.into_iter();
    found
        .map(|(place, kind)| Unbalanced { kind, place })
        .collect()
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
