//! Keeps references in stack slots: a block of one field that only its own function looks at
//! becomes that field.
//!
//! `ocamlc` does so itself, unless it is told to help debuggers (`-g`, which build tools mostly
//! ask for). What it leaves then is
//!
//! | made | MAKEBLOCK1, and then a push |
//! | read | ACC n; GETFIELD0 |
//! | written | PUSHACC n; SETFIELD0 |
//! | counted | ACC n; OFFSETREF k |
//!
//! A block with any other use *escapes*, and stays. Each function is followed once, from its entry
//! through each label; where two ways meet that disagree on what a slot holds, those blocks escape.
//! Instructions take the room of those that they replace, so that all positions stay what they
//! are.
//!
//! Who counts allocations sees the difference (`docs/differences.md`).

use super::verify::Verified;
use crate::code::decode::{self, Instruction};
use crate::code::effect::{self, Flow};
use crate::code::load::{self, Load};
use crate::code::opcode::Opcode;
use core::sync::atomic::AtomicU32;
use rustc_hash::{FxHashMap, FxHashSet};

/// Exported under [`annotations::KEEP_REFERENCES_EXPORT`].
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub static BACTRIAN_KEEP_REFERENCES: AtomicU32 = AtomicU32::new(0);

/// Most blocks that are followed at a time: those made last. So the cost is linear in the code.
const MOST: usize = 32;

/// Verified `code` with references in stack slots, if it has any that do not escape. It is to be
/// verified again ([`super::verify::Limits::rewritten`]).
pub fn keep_in_slots(code: &[i32], verified: &Verified) -> Option<Vec<i32>> {
    let makes = |instruction: Instruction| instruction.opcode == Opcode::MakeBlock1;
    if !decode::instructions(code).any(makes) {
        return None;
    }
    let mut blocks = Blocks {
        code,
        verified,
        labels: effect::labels(code),
        made: Vec::new(),
        escaped: FxHashSet::default(),
        accesses: Vec::new(),
    };
    for entry in &verified.entries {
        blocks.follow(entry.position);
    }
    blocks.rewritten()
}

/// The blocks of a program, each known by its MAKEBLOCK1.
struct Blocks<'a> {
    code: &'a [i32],
    verified: &'a Verified,
    labels: Vec<bool>,
    made: Vec<usize>,
    escaped: FxHashSet<usize>,
    accesses: Vec<Access>,
}

/// A use of a block that a slot can serve.
struct Access {
    block: usize,
    /// The instruction that loads the block, and the one after it, that uses it.
    load: usize,
    at: usize,
}

/// Where blocks are.
#[derive(Clone, Default)]
struct State {
    accu: Accu,
    /// In ascending order of slots.
    kept: Vec<Kept>,
}

/// A slot that holds a block.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Kept {
    /// Counted from the lower end of the function's part of the stack.
    slot: u32,
    block: usize,
}

/// What is in the accumulator.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Accu {
    #[default]
    Other,
    /// A block that is nowhere else.
    Made(usize),
    /// One that was just pushed, and must not be looked at.
    Pushed(usize),
    /// One that the instruction at `by` loaded from its slot.
    Loaded { block: usize, by: usize },
}

impl State {
    fn at(&self, slot: u32) -> Option<usize> {
        let found = self.kept.iter().rev().find(|kept| kept.slot == slot);
        found.map(|kept| kept.block)
    }

    /// The stack is no deeper than `depth`.
    fn cut(&mut self, depth: u32) {
        while self.kept.last().is_some_and(|kept| kept.slot >= depth) {
            self.kept.pop();
        }
    }
}

impl Blocks<'_> {
    /// Goes through the function with this entry.
    fn follow(&mut self, entry: usize) {
        let mut states: FxHashMap<usize, State> = FxHashMap::default();
        let mut work = vec![(entry, State::default())];
        while let Some((mut position, mut state)) = work.pop() {
            loop {
                if self.labels[position] {
                    self.leave_accu(&mut state);
                    match states.get(&position) {
                        Some(known) => {
                            self.meet(known, &state);
                            break;
                        }
                        None => states.insert(position, state.clone()),
                    };
                }
                let Ok(instruction) = decode::instruction(self.code, position) else {
                    break;
                };
                if !self.step(&instruction, &mut state, &mut work) {
                    break;
                }
                position = instruction.next();
            }
        }
    }

    /// At a label, blocks are in slots only.
    fn leave_accu(&mut self, state: &mut State) {
        if let Accu::Made(block) | Accu::Loaded { block, .. } = state.accu {
            self.escaped.insert(block);
            state.accu = Accu::Other;
        }
    }

    /// A label that was gone on from in state `known` is reached in another one.
    fn meet(&mut self, known: &State, state: &State) {
        let missing = |from: &State, kept: &Kept| from.at(kept.slot) != Some(kept.block);
        let one = known.kept.iter().filter(|kept| missing(state, kept));
        let other = state.kept.iter().filter(|kept| missing(known, kept));
        self.escaped.extend(one.chain(other).map(|kept| kept.block));
        if let Accu::Pushed(block) = state.accu
            && state.accu != known.accu
        {
            self.escaped.insert(block);
        }
    }

    /// One instruction; whether the next one follows.
    fn step(
        &mut self,
        instruction: &Instruction,
        state: &mut State,
        work: &mut Vec<(usize, State)>,
    ) -> bool {
        let Some(reached) = self.verified.at(instruction.position) else {
            return false;
        };
        let effect = effect::of(instruction);
        let pushed = reached.depth + effect.pushes_first;
        state.accu = self.accu_after(instruction, state, reached.depth);
        self.look_at_slots(instruction, state, pushed);
        state.cut(pushed - effect.pops);
        match effect.flow {
            Flow::Next | Flow::Closures | Flow::PopTrap => true,
            Flow::Branch { operand } => {
                work.push((instruction.target(operand) as usize, state.clone()));
                true
            }
            Flow::PushTrap => {
                // An exception is in the accumulator there.
                let handler = State {
                    accu: Accu::Other,
                    kept: state.kept.clone(),
                };
                work.push((instruction.target(0) as usize, handler));
                true
            }
            Flow::Jump { .. } | Flow::Switch => {
                effect::successors(instruction, |target| {
                    work.push((target as usize, state.clone()));
                });
                false
            }
            Flow::Leave { .. } | Flow::Stop => false,
        }
    }

    /// What the instruction does with the accumulator, and what is in it afterwards.
    fn accu_after(&mut self, instruction: &Instruction, state: &mut State, depth: u32) -> Accu {
        let accu = state.accu;
        let uses = Uses::of(instruction);
        match accu {
            Accu::Other => {}
            Accu::Loaded { block, by } if self.is_access(instruction, by) => {
                self.accesses.push(Access {
                    block,
                    load: by,
                    at: instruction.position,
                });
            }
            Accu::Loaded { block, .. } => {
                self.escaped.insert(block);
            }
            Accu::Made(block) => match uses {
                Uses::Pushes | Uses::PushesAndLeaves => self.keep(block, depth, state),
                Uses::Reads => {
                    self.escaped.insert(block);
                }
                Uses::Overwrites | Uses::Leaves => {}
            },
            Accu::Pushed(block) => match uses {
                Uses::Pushes | Uses::PushesAndLeaves | Uses::Reads => {
                    self.escaped.insert(block);
                }
                Uses::Overwrites | Uses::Leaves => {}
            },
        }
        if instruction.opcode == Opcode::MakeBlock1 {
            self.made.push(instruction.position);
            return Accu::Made(instruction.position);
        }
        if let Some(index) = load::slot(instruction) {
            let top = depth + effect::of(instruction).pushes_first;
            return state.at(top - 1 - index).map_or(Accu::Other, |block| {
                let by = instruction.position;
                Accu::Loaded { block, by }
            });
        }
        match (uses, accu) {
            (Uses::PushesAndLeaves, Accu::Made(block)) => Accu::Pushed(block),
            (Uses::Leaves, Accu::Made(_) | Accu::Pushed(_)) => accu,
            _ => Accu::Other,
        }
    }

    /// A slot gets a block that was just made.
    fn keep(&mut self, block: usize, slot: u32, state: &mut State) {
        if state.kept.len() >= MOST {
            state
                .kept
                .retain(|kept| !self.escaped.contains(&kept.block));
        }
        if state.kept.len() >= MOST {
            self.escaped.insert(state.kept.remove(0).block);
        }
        state.kept.push(Kept { slot, block });
    }

    /// Whether an instruction does with the block that the one at `load` has loaded what a slot
    /// can do as well.
    fn is_access(&self, instruction: &Instruction, load: usize) -> bool {
        match instruction.opcode {
            Opcode::GetField0 | Opcode::OffsetRef => true,
            Opcode::SetField0 => decode::instruction(self.code, load)
                .is_ok_and(|load| effect::of(&load).pushes_first > 0),
            _ => false,
        }
    }

    /// Blocks in slots that the instruction looks at, of a stack of depth `pushed`, escape.
    fn look_at_slots(&mut self, instruction: &Instruction, state: &State, pushed: u32) {
        let opcode = instruction.opcode;
        let read = match opcode {
            Opcode::Pop | Opcode::PopTrap => 0,
            Opcode::Assign => {
                let slot = pushed - 1 - instruction.operands[0] as u32;
                self.escaped.extend(state.at(slot));
                0
            }
            _ if load::slot(instruction).is_some() => 0,
            _ => {
                let arguments = effect::call_arity(opcode, instruction.operands);
                let looked_at = arguments.unwrap_or(effect::slots_read(instruction));
                looked_at.max(effect::of(instruction).pops)
            }
        };
        let seen = state.kept.iter().rev();
        let seen = seen.take_while(|kept| kept.slot >= pushed - read);
        self.escaped.extend(seen.map(|kept| kept.block));
    }

    /// The code with what was found.
    fn rewritten(self) -> Option<Vec<i32>> {
        let kept = |block: &usize| !self.escaped.contains(block);
        let mut made = self.made.iter().filter(|block| kept(block)).peekable();
        made.peek()?;
        let mut code = self.code.to_vec();
        for &block in made {
            code[block..block + 2].copy_from_slice(&[Opcode::Pop as i32, 0]);
        }
        for access in self.accesses.iter().filter(|access| kept(&access.block)) {
            let (load, at) = (self.instruction(access.load), self.instruction(access.at));
            let index = load::slot(&load).expect("it loads a slot") as i32;
            let pushes = effect::of(&load).pushes_first > 0;
            let instead = match at.opcode {
                Opcode::SetField0 => vec![Opcode::Assign as i32, index - 1],
                Opcode::OffsetRef => {
                    let offset = match pushes {
                        true => Opcode::PushOffsetSlot,
                        false => Opcode::OffsetSlot,
                    };
                    vec![offset as i32, index, at.operands[0]]
                }
                _ => self.code[load.position..load.next()].to_vec(),
            };
            code[load.position..at.next()].fill(Opcode::Event as i32);
            code[load.position..][..instead.len()].copy_from_slice(&instead);
        }
        Some(code)
    }

    fn instruction(&self, position: usize) -> Instruction<'_> {
        decode::instruction(self.code, position).expect("it was gone through")
    }
}

/// What an instruction does with the accumulator.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Uses {
    Reads,
    Overwrites,
    Leaves,
    /// Pushes it, then overwrites it.
    Pushes,
    PushesAndLeaves,
}

impl Uses {
    fn of(instruction: &Instruction) -> Self {
        use Opcode::*;
        match instruction.opcode {
            Push => Self::PushesAndLeaves,
            GetPubMet => Self::Reads,
            _ if effect::of(instruction).pushes_first > 0 => Self::Pushes,
            PushRetAddr | PushTrap | PopTrap | Pop | Branch | CheckSignals | Event | Restart
            | Grab => Self::Leaves,
            Closure if instruction.operands[0] == 0 => Self::Overwrites,
            ClosureRec if instruction.operands[1] == 0 => Self::Overwrites,
            _ => match load::of(instruction) {
                None | Some(Load::Field(_)) => Self::Reads,
                Some(_) => Self::Overwrites,
            },
        }
    }
}

#[cfg(test)]
mod tests;
