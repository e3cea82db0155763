//! What one look at each instruction tells.

use super::state::Known;
use crate::code::decode;
use crate::code::effect::{self, Flow};
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

/// Whether the instruction brings a closure from elsewhere.
pub fn loads(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        EnvAcc1
            | EnvAcc2
            | EnvAcc3
            | EnvAcc4
            | EnvAcc
            | PushEnvAcc1
            | PushEnvAcc2
            | PushEnvAcc3
            | PushEnvAcc4
            | PushEnvAcc
            | OffsetClosureM3
            | OffsetClosure0
            | OffsetClosure3
            | OffsetClosure
            | PushOffsetClosureM3
            | PushOffsetClosure0
            | PushOffsetClosure3
            | PushOffsetClosure
            | GetGlobalField
            | PushGetGlobalField
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
pub fn keeps(opcode: Opcode) -> bool {
    use Opcode::*;
    let others = matches!(
        opcode,
        Acc0 | Acc1
            | Acc2
            | Acc3
            | Acc4
            | Acc5
            | Acc6
            | Acc7
            | Acc
            | Push
            | PushAcc0
            | PushAcc1
            | PushAcc2
            | PushAcc3
            | PushAcc4
            | PushAcc5
            | PushAcc6
            | PushAcc7
            | PushAcc
            | Pop
            | PushRetAddr
            | GetGlobal
            | PushGetGlobal
            | SetGlobal
            | Atom0
            | Atom
            | PushAtom0
            | PushAtom
            | MakeBlock1
            | MakeBlock2
            | MakeBlock3
            | MakeBlock
            | GetField0
            | GetField1
            | GetField2
            | GetField3
            | GetField
            | Const0
            | Const1
            | Const2
            | Const3
            | ConstInt
            | PushConst0
            | PushConst1
            | PushConst2
            | PushConst3
            | PushConstInt
            | Restart
            | Grab
            | CheckSignals
            | Event
    );
    others || loads(opcode)
}
