//! What one look at each instruction tells.

use super::state::Known;
use crate::code::decode;
use crate::code::effect::{self, Flow};
use crate::code::opcode::Opcode;
use std::collections::HashMap;

/// The globals that the code sets.
pub fn globals_set(code: &[i32]) -> HashMap<i32, Known> {
    let sets = decode::instructions(code).filter(|made| made.opcode == Opcode::SetGlobal);
    sets.map(|set| (set.operands[0], Known::UNREACHED))
        .collect()
}

/// By function: how many instructions make closures of it.
pub fn count_sites(code: &[i32], numbers: &HashMap<usize, usize>) -> Vec<u32> {
    let mut sites = vec![0; numbers.len()];
    for instruction in decode::instructions(code) {
        if let Flow::Closures = effect::of(&instruction).flow {
            for target in effect::closure_targets(&instruction) {
                let number = usize::try_from(target).ok().and_then(|at| numbers.get(&at));
                if let Some(&number) = number {
                    sites[number] += 1;
                }
            }
        }
    }
    sites
}

/// The instructions that bring a closure from elsewhere.
pub const LOADS: &[Opcode] = {
    use Opcode::*;
    &[
        EnvAcc1,
        EnvAcc2,
        EnvAcc3,
        EnvAcc4,
        EnvAcc,
        PushEnvAcc1,
        PushEnvAcc2,
        PushEnvAcc3,
        PushEnvAcc4,
        PushEnvAcc,
        OffsetClosureM3,
        OffsetClosure0,
        OffsetClosure3,
        OffsetClosure,
        PushOffsetClosureM3,
        PushOffsetClosure0,
        PushOffsetClosure3,
        PushOffsetClosure,
        GetGlobalField,
        PushGetGlobalField,
    ]
};

/// Where the closures of one function are: its number, and its place among those that share a
/// block.
#[derive(Clone, Copy, Default)]
pub struct Group {
    /// The CLOSUREREC instruction.
    pub site: usize,
    pub index: usize,
}
