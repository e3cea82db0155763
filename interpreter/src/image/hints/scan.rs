//! What one look at each instruction tells.

use super::state::Known;
use crate::code::decode::{self, Instruction};
use crate::code::effect::{self, Flow};
use crate::code::load::{self, Load};
use crate::code::opcode::Opcode;
use crate::image::by_word::ByWord;
use rustc_hash::FxHashMap;

/// The globals that the code sets.
pub fn globals_set(code: &[i32]) -> FxHashMap<i32, Known> {
    let sets = decode::instructions(code).filter(|made| made.opcode == Opcode::SetGlobal);
    sets.map(|set| (set.operands[0], Known::UNREACHED))
        .collect()
}

/// By function: how many instructions make closures of it.
pub fn count_sites(code: &[i32], numbers: &ByWord<usize>, count: usize) -> Vec<u32> {
    let mut sites = vec![0; count];
    for instruction in decode::instructions(code) {
        if let Flow::Closures = effect::of(&instruction).flow {
            for target in effect::closure_targets(&instruction) {
                let number = usize::try_from(target).ok().and_then(|at| numbers.get(at));
                if let Some(&number) = number {
                    sites[number] += 1;
                }
            }
        }
    }
    sites
}

/// Whether the instruction brings what another function, or another activation, made.
pub fn loads(instruction: &Instruction) -> bool {
    matches!(
        load::of(instruction),
        Some(Load::Variable(_) | Load::Closure(_) | Load::GlobalField { .. })
    )
}

/// Where the closures of one function are: its number, and its place among those that share a
/// block.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Group {
    /// The CLOSUREREC instruction.
    pub site: usize,
    pub index: usize,
}

/// Whether it is known of an instruction where what it takes goes.
pub fn keeps(instruction: &Instruction) -> bool {
    use Opcode::*;
    let others = matches!(
        instruction.opcode,
        Push | Pop
            | PushRetAddr
            | SetGlobal
            | MakeBlock1
            | MakeBlock2
            | MakeBlock3
            | MakeBlock
            | Restart
            | Grab
            | CheckSignals
            | Event
    );
    others || load::of(instruction).is_some()
}
