//! What needs no poll: loops in which nothing waits for one, and functions that soon return.
//!
//! In a *quiet* loop nothing allocates, calls a function, or calls a primitive that may leave
//! something for a safepoint to do. A *leaf* is a short function that calls none but leaves, does
//! not jump back, and ends no `try`, which may poll. What it allocates is bounded, and its caller
//! polls in its place: a loop with a call is not quiet, and calls from C poll. Its frame fits into
//! the stack's margin, so it looks at the stack's limit no more.
//!
//! `ocamlc` puts CHECK_SIGNALS where a loop's jump back leads. What lies between the two is the
//! loop. A loop of any other form keeps its poll. In code that no compiler made, a poll that is
//! missing costs memory and nothing else.

use crate::code::Entry;
use crate::code::decode;
use crate::code::effect::{self, Flow};
use crate::code::opcode::Opcode;
use rustc_hash::FxHashMap;

/// The positions, in ascending order, of the CHECK_SIGNALS in verified `code` that have nothing to
/// do. `is_quiet` says it of the primitive with an index, which code that nothing leads to makes
/// any number.
pub fn polls(code: &[i32], is_quiet: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut polls = Vec::new();
    // By position of the CHECK_SIGNALS: where the last jump back to it ends. And for both
    // positions, how many busy instructions come before.
    let mut ends: FxHashMap<usize, usize> = FxHashMap::default();
    let mut before: FxHashMap<usize, usize> = FxHashMap::default();
    let mut busy = 0;
    for instruction in decode::instructions(code) {
        let position = instruction.position;
        if instruction.opcode == Opcode::CheckSignals {
            polls.push(position);
            before.insert(position, busy);
        }
        busy += usize::from(match effect::primitive(&instruction) {
            Some((index, _)) => !is_quiet(index),
            None => is_busy(instruction.opcode),
        });
        if let Flow::Jump { operand } | Flow::Branch { operand } = effect::of(&instruction).flow
            && let Ok(target) = usize::try_from(instruction.target(operand))
            && target <= position
        {
            ends.insert(target, busy);
        }
    }
    polls.retain(|poll| ends.get(poll) == before.get(poll));
    polls
}

/// Words of code of a leaf, at most: its frame is no larger, and margins are longer than a few.
const LONGEST_LEAF: usize = 128;

/// Leaves that call one another, at most: their frames are on the margin together.
const DEEPEST_LEAVES: usize = 3;

/// The leaves among the functions of verified `code`. `returns` says of the primitive with an index
/// that it calls no OCaml code and need not collect, `callee` which entry a call certainly leads
/// to.
pub fn leaves<'a>(
    code: &[i32],
    entries: &'a [Entry],
    returns: impl Fn(usize) -> bool,
    callee: impl Fn(usize) -> Option<usize>,
) -> Vec<&'a Entry> {
    let is_short = |entry: &&Entry| entry.arity > 0 && entry.end - entry.position <= LONGEST_LEAF;
    let mut others: Vec<&Entry> = entries.iter().filter(is_short).collect();
    let mut leaves = Vec::new();
    let mut arities = FxHashMap::default();
    for _ in 0..DEEPEST_LEAVES {
        let is_leaf = |entry: &Entry| {
            let calls_leaf = |call: usize, arguments: u32| {
                let called = callee(call).and_then(|entry| arities.get(&entry));
                called == Some(&arguments)
            };
            is_leaf(code, entry, &returns, calls_leaf)
        };
        let (found, left): (Vec<&Entry>, _) = others.iter().partition(|entry| is_leaf(entry));
        arities.extend(found.iter().map(|entry| (entry.position, entry.arity)));
        leaves.extend(found);
        others = left;
    }
    leaves
}

/// Whether a function only goes ahead and polls nowhere, and all that it calls returns.
fn is_leaf(
    code: &[i32],
    entry: &Entry,
    returns: impl Fn(usize) -> bool,
    calls_leaf: impl Fn(usize, u32) -> bool,
) -> bool {
    decode::instructions(&code[entry.position..entry.end]).all(|instruction| {
        let mut ahead = true;
        effect::successors(&instruction, |target| {
            ahead &= target > instruction.position as i64;
        });
        let returns = match effect::primitive(&instruction) {
            Some((index, _)) => returns(index),
            None => effect::call_arity(instruction.opcode, instruction.operands).is_none_or(
                |arguments| calls_leaf(entry.position + instruction.position, arguments),
            ),
        };
        ahead && returns && instruction.opcode != Opcode::PopTrap
    })
}

/// Whether an instruction that calls no primitive allocates or calls.
fn is_busy(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        Apply
            | Apply1
            | Apply2
            | Apply3
            | AppTerm
            | AppTerm1
            | AppTerm2
            | AppTerm3
            | Closure
            | ClosureRec
            | MakeBlock
            | MakeBlock1
            | MakeBlock2
            | MakeBlock3
            | MakeFloatBlock
            | GetFloatField
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::assemble::assemble;

    /// How many of a loop's polls go, the loop having this body.
    fn quiet(body: &str) -> usize {
        let code = assemble(&format!(
            "Const0; Push; loop: CheckSignals; {body}; Acc0; BranchIf @loop; Stop"
        ));
        polls(&code, |primitive| primitive == 0).len()
    }

    #[test]
    fn what_neither_allocates_nor_calls_is_quiet() {
        assert_eq!(quiet("Acc0; OffsetInt 1; Assign 0"), 1);
        assert_eq!(quiet("Acc0; CCall1 0"), 1);
        assert_eq!(quiet("Acc0; CCall1 1"), 0);
        assert_eq!(quiet("Acc0; MakeBlock1 0"), 0);
        assert_eq!(quiet("Acc0; Push; Acc0; Apply1"), 0);
    }

    #[test]
    fn an_inner_loop_is_quiet_by_itself() {
        let inner = "inner: CheckSignals; Acc0; BranchIf @inner";
        assert_eq!(quiet(inner), 2);
        assert_eq!(quiet(&format!("{inner}; Acc0; MakeBlock1 0")), 1);
    }

    /// Whether a function of one parameter with this body is a leaf.
    fn is_leaf(body: &str) -> bool {
        let code = assemble(body);
        let entry = Entry {
            position: 0,
            arity: 1,
            end: code.len(),
        };
        leaves(&code, &[entry], |primitive| primitive == 0, |_| None).len() == 1
    }

    #[test]
    fn a_leaf_returns_without_a_call() {
        assert!(is_leaf("Acc0; MakeBlock1 0; Return 1"));
        assert!(is_leaf(
            "Acc0; BranchIf @end; Acc0; CCall1 0; end: Return 1"
        ));
        assert!(!is_leaf("Acc0; CCall1 1; Return 1"));
        assert!(!is_leaf(
            "PushRetAddr @end; Acc0; Push; EnvAcc1; Apply1; end: Return 1"
        ));
        assert!(!is_leaf("Acc0; Push; EnvAcc1; AppTerm1 2"));
        assert!(!is_leaf("again: Acc0; BranchIf @again; Return 1"));
        assert!(!is_leaf("Push; again: Acc0; Pop 1; Push; Branch @again"));
        assert!(!is_leaf(&format!("{}Return 1", "Acc0; ".repeat(200))));
    }

    /// Functions that call the next one, of which the last is a leaf by itself.
    #[test]
    fn a_leaf_calls_leaves() {
        let mut text: String = (0..5)
            .map(|_| "Acc0; Push; EnvAcc1; AppTerm1 2; ")
            .collect();
        text.push_str("Acc0; Return 1");
        let code = assemble(&text);
        const LENGTH: usize = 5;
        let entry = |index: usize| Entry {
            position: LENGTH * index,
            arity: 1,
            end: (LENGTH * (index + 1)).min(code.len()),
        };
        let mut entries: Vec<Entry> = (0..6).map(entry).collect();
        let found = |entries: &[Entry], certain: bool| {
            let next = |call: usize| certain.then_some((call / LENGTH + 1) * LENGTH);
            let leaves = leaves(&code, entries, |_| false, next);
            let positions = leaves.iter().map(|entry| entry.position / LENGTH);
            positions.collect::<Vec<_>>()
        };
        assert_eq!(found(&entries, true), [5, 4, 3]);
        assert_eq!(found(&entries, false), [5]);
        // The call does not give it what it takes.
        entries[4].arity = 2;
        assert_eq!(found(&entries, true), [5, 4]);
    }

    #[test]
    fn a_poll_that_no_jump_leads_to_stays() {
        assert_eq!(polls(&assemble("CheckSignals; Const0; Stop"), |_| true), []);
    }
}
