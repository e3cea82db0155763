//! Functions that may soon return: a short way from their beginning to RETURN that has no effects.
//!
//! Compiled code takes such ways before it calls the function. They may lead past primitives that
//! the interpreter does itself in the usual case (see [`crate::interp::shortcut`]): in others, the
//! function is called.

use crate::code::Entry;
use crate::code::decode::{self, Instruction};
use crate::code::effect;
use crate::code::load;
use crate::code::opcode::Opcode;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// Instructions of such a way, at most.
const LONGEST_WAY: usize = 24;

/// Whether the function of this entry, in verified `code`, may return before it allocates, stores,
/// raises or calls. `computes` says of the primitive with an index that calls of it mostly do none
/// of these.
pub fn returns(code: &[i32], entry: &Entry, computes: impl Fn(usize) -> bool) -> bool {
    // The places that can be reached, by the number of instructions before them.
    let mut places = VecDeque::from([(entry.position, 0)]);
    let mut seen = FxHashSet::from_iter([entry.position]);
    while let Some((position, length)) = places.pop_front() {
        let Ok(instruction) = decode::instruction(code, position) else {
            continue;
        };
        if instruction.opcode == Opcode::Return {
            return true;
        }
        let is_free = match effect::primitive(&instruction) {
            Some((index, _)) => computes(index),
            None => is_free_of_effects(&instruction),
        };
        if length == LONGEST_WAY || !is_free {
            continue;
        }
        effect::successors(&instruction, |target| {
            if let Ok(target) = usize::try_from(target)
                && target > position
                && seen.insert(target)
            {
                places.push_back((target, length + 1));
            }
        });
    }
    false
}

/// Whether all that an instruction does, which calls no primitive, is to compute, to load, to jump,
/// or to move on the stack.
fn is_free_of_effects(instruction: &Instruction) -> bool {
    use Opcode::*;
    let others = matches!(
        instruction.opcode,
        Push | Pop
            | VectLength
            | GetVectItem
            | GetBytesChar
            | GetStringChar
            | Branch
            | BranchIf
            | BranchIfNot
            | Switch
            | BoolNot
            | NegInt
            | AddInt
            | SubInt
            | MulInt
            | AndInt
            | OrInt
            | XorInt
            | LslInt
            | LsrInt
            | AsrInt
            | Eq
            | Neq
            | LtInt
            | LeInt
            | GtInt
            | GeInt
            | OffsetInt
            | IsInt
            | Beq
            | Bneq
            | BltInt
            | BleInt
            | BgtInt
            | BgeInt
            | UltInt
            | UgeInt
            | BultInt
            | BugeInt
            | Grab
            | Event
    );
    others || load::of(instruction).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::assemble::assemble;

    /// The index of a primitive that computes.
    const COMPUTES: usize = 3;

    /// Whether a function of one parameter with this body may soon return.
    fn returns_early(body: &str) -> bool {
        let code = assemble(body);
        let entry = Entry {
            position: 0,
            arity: 1,
            end: code.len(),
        };
        returns(&code, &entry, |index| index == COMPUTES)
    }

    #[test]
    fn one_short_way_without_effects_is_enough() {
        let rest = "more: Acc0; MakeBlock1 0; Return 1";
        assert!(returns_early(&format!(
            "Acc0; BranchIf @more; Const0; Return 1; {rest}"
        )));
        assert!(returns_early(
            "Acc0; Switch 65537 @leaf @node; node: MakeBlock1 0; Return 1; leaf: Const1; Return 1"
        ));
        assert!(!returns_early(rest));
        assert!(!returns_early(&format!(
            "Acc0; MakeBlock1 0; Acc0; BranchIf @more; Return 1; {rest}"
        )));
        assert!(!returns_early("Const0; RaiseNoTrace"));
        assert!(returns_early("Const0; CCall1 3; Return 1"));
        assert!(!returns_early("Const0; CCall1 4; Return 1"));
    }

    #[test]
    fn it_is_short_and_goes_ahead() {
        let way = |length: usize| returns_early(&format!("{}Return 1", "Acc0; ".repeat(length)));
        assert!(way(LONGEST_WAY - 1));
        assert!(!way(LONGEST_WAY + 1));
        assert!(!returns_early("again: Acc0; Branch @again"));
    }
}
