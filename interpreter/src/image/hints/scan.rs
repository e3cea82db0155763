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

/// Whether it is known of an instruction where what it takes goes.
pub fn follows_operands(instruction: &Instruction) -> bool {
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
