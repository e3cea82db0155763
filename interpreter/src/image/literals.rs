//! Which comparisons of strings are with a short literal of the program: a `match` on strings
//! consists of those.
//!
//! `ocamlc` gives the literal as the second argument, so GETGLOBAL comes first, and then what makes
//! the other string.

use super::values::Values;
use crate::code::decode;
use crate::code::effect;
use rustc_hash::FxHashMap;

/// The calls in verified `code` of primitives that `compares` names, whose second argument is a
/// literal, with its words. `literals` are the instructions that give one.
pub fn compared(
    code: &[i32],
    literals: &FxHashMap<usize, u32>,
    compares: impl Fn(usize) -> bool,
) -> Vec<(usize, u32)> {
    let labels = effect::labels(code);
    let (mut latest, mut words) = (Values::NONE, 0);
    let found = decode::instructions(code).filter_map(|instruction| {
        if labels[instruction.position] {
            latest = Values::NONE;
        }
        let call = effect::primitive(&instruction);
        let is_compared = call.is_some_and(|(index, _)| compares(index)) && latest.is_argument(1);
        let found = is_compared.then_some((instruction.position, words));
        latest = latest.at_next(&instruction);
        if let Some(&of_this) = literals.get(&instruction.position) {
            (latest, words) = (Values::ACCU, of_this);
        }
        found
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::opcode::Opcode;
    use crate::image::assemble::assemble;

    /// The words of the literal that the first call of primitive 7 has as its second argument;
    /// global `n` has `n` words.
    fn words(code: &str) -> Option<u32> {
        let code = assemble(code);
        let literals = decode::instructions(&code).filter_map(|instruction| {
            let is_global = matches!(
                instruction.opcode,
                Opcode::GetGlobal | Opcode::PushGetGlobal
            );
            is_global.then(|| (instruction.position, instruction.operands[0] as u32))
        });
        let found = compared(&code, &literals.collect(), |primitive| primitive == 7);
        found.first().map(|&(_, words)| words)
    }

    #[test]
    fn the_second_argument_is_a_literal() {
        assert_eq!(words("GetGlobal 2; PushAcc1; CCall2 7; Stop"), Some(2));
        let field = "GetGlobal 2; PushAcc1; GetField 1; CCall2 7; Stop";
        assert_eq!(words(field), Some(2));
        assert_eq!(words("GetGlobal 2; PushAcc1; CCall2 8; Stop"), None);
        assert_eq!(words("Acc1; PushGetGlobal 2; CCall2 7; Stop"), None);
        let other = "GetGlobal 2; PushGetGlobal 1; PushAcc2; CCall2 7; Stop";
        assert_eq!(words(other), Some(1));
    }

    #[test]
    fn a_jump_may_lead_to_the_comparison() {
        let joined = "Acc0; BranchIf @else; GetGlobal 1; Branch @end; else: Acc1; \
                      end: PushAcc1; CCall2 7; Stop";
        assert_eq!(words(joined), None);
    }
}
