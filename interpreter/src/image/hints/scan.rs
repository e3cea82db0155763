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
pub fn loads_from_elsewhere(instruction: &Instruction) -> bool {
    matches!(
        load::of(instruction),
        Some(Load::Variable(_) | Load::Closure(_) | Load::GlobalField { .. })
    )
}

/// Where the closures of one function are among those that share a block.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Group {
    /// The CLOSUREREC instruction.
    pub site: usize,
    pub index: usize,
}

/// The variables that the closures of one function capture.
#[derive(Clone, Default)]
pub struct Captured {
    /// The index of the first one from the closure.
    first: usize,
    variables: Vec<Known>,
}

impl Captured {
    pub fn get(&self, index: usize) -> Known {
        let index = index.checked_sub(self.first);
        let variable = index.and_then(|index| self.variables.get(index));
        variable.copied().unwrap_or(Known::UNREACHED)
    }

    /// `count` variables from index `first` on.
    pub fn reach(&mut self, first: usize, count: usize) -> &mut [Known] {
        if self.variables.is_empty() {
            self.first = first;
        }
        let before = self.first.saturating_sub(first);
        self.variables.splice(..0, vec![Known::UNREACHED; before]);
        self.first -= before;
        let start = first - self.first;
        let len = self.variables.len().max(start + count);
        self.variables.resize(len, Known::UNREACHED);
        &mut self.variables[start..start + count]
    }
}

/// The number of calls in a function's code, if all else that it does is to load, and to move on
/// the stack.
pub fn calls_alone(code: &[i32]) -> Option<usize> {
    use Opcode::*;
    decode::instructions(code).try_fold(0, |calls, instruction| {
        let is_call = effect::call_arity(instruction.opcode, instruction.operands).is_some();
        let moves = load::of(&instruction).is_some()
            || matches!(
                instruction.opcode,
                Push | Pop | PushRetAddr | Return | Event
            );
        (is_call || moves).then_some(calls + usize::from(is_call))
    })
}

/// What an instruction does with what it takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// It is known where each goes.
    Follows,
    /// It puts some into a slot or a field, or looks at what they are.
    Stores,
    /// It looks at addresses.
    Compares,
    /// A primitive does anything.
    Hands,
    /// Anything else.
    Loses,
}

pub fn use_of(instruction: &Instruction) -> Use {
    use Opcode::*;
    match instruction.opcode {
        Push | Pop | PushRetAddr | SetGlobal | MakeBlock1 | MakeBlock2 | MakeBlock3 | MakeBlock
        | Restart | Grab | CheckSignals | Event => Use::Follows,
        _ if load::of(instruction).is_some() => Use::Follows,
        Assign | SetField0 | SetField1 | SetField2 | SetField3 | SetField | OffsetRef
        | SetVectItem | GetVectItem | VectLength | IsInt => Use::Stores,
        Eq | Neq => Use::Compares,
        CCall1 | CCall2 | CCall3 | CCall4 | CCall5 | CCallN => Use::Hands,
        _ => Use::Loses,
    }
}

/// Whether the instruction gives integers. An array of floats is another thing: what reads elements
/// of arrays reads its, too.
pub fn gives_data(instruction: &Instruction) -> bool {
    use Opcode::*;
    matches!(
        instruction.opcode,
        SetFloatField
            | VectLength
            | GetBytesChar
            | GetStringChar
            | SetBytesChar
            | BoolNot
            | IsInt
            | Eq
            | Neq
            | LtInt
            | LeInt
            | GtInt
            | GeInt
            | UltInt
            | UgeInt
    )
}

#[cfg(test)]
mod tests {
    use super::super::state::Seen;
    use super::*;

    #[test]
    fn captured_variables_keep_their_indices_where_others_come_before() {
        let integer = |n| Known::certain(Seen::Integer(n));
        let mut captured = Captured::default();
        captured
            .reach(100, 2)
            .copy_from_slice(&[integer(1), integer(2)]);
        captured.reach(98, 1).copy_from_slice(&[integer(3)]);
        assert_eq!(captured.reach(101, 3)[0], integer(2));
        let seen = [97, 98, 99, 100, 101, 102, 104].map(|index| captured.get(index));
        let none = Known::UNREACHED;
        assert_eq!(
            seen,
            [none, integer(3), none, integer(1), integer(2), none, none]
        );
        assert_eq!(captured.variables.len(), 6);
    }
}
