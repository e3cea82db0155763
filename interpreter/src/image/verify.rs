//! Verifies code before it is loaded, and finds its functions.
//!
//! Every path is walked from the program's start and from each closure's entry. What holds
//! afterwards, and what the interpreter loop relies on without looking:
//! * each instruction reached is one that files have, its operands lie in the code, jumps lead to
//!   instructions;
//! * an instruction belongs to one function and is reached with one stack depth and one set of trap
//!   frames; no instruction reaches below its function's part of the stack or damages a trap frame;
//! * RETURN and APPTERM drop exactly the function's part of the stack;
//! * GRAB is only at an entry, after a RESTART; RESTART is never reached; entries do not begin with
//!   a call;
//! * globals and primitives exist, and primitives are called with as many arguments as they have.
//!
//! Left out: the types of values. Code that takes an integer for a block misbehaves within the
//! sandbox, as `docs/differences.md` describes; `fuzz` tries it.

use crate::code::decode::{self, Instruction};
use crate::code::effect::{self, Effect, Flow};
use crate::code::opcode::{self, Opcode, Operand};
use crate::code::{ARITY_LIMIT, CodeProblem, Entry, ImageError};
use rustc_hash::{FxHashMap, FxHashSet};

/// Verified code: its functions, and the stack at each instruction.
pub struct Verified {
    /// In ascending order, the program itself first.
    pub entries: Vec<Entry>,
    words: Vec<Word>,
    traps: Vec<Trap>,
    /// Where each function's entry is, by its number in `words`.
    owners: Vec<usize>,
}

/// What is known of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reached {
    /// The position of its function's entry.
    pub entry: usize,
    /// Words that the function has on the stack before it: arguments and what came after them.
    pub depth: u32,
    /// The trap frames on the stack.
    pub traps: TrapNumber,
}

/// A set of trap frames on a stack, by its innermost one; 0: none.
pub type TrapNumber = u32;

/// What the code may refer to.
pub struct Limits<'a> {
    /// Parameters of the code's first function: none for a program, one for code that is called as
    /// a function.
    pub parameters: u32,
    pub globals: usize,
    pub primitives: usize,
    /// Whether the code may have instructions that no file has.
    pub rewritten: bool,
    /// The arity of a primitive that is known, `None` for others; more than 5 count as 6.
    pub primitive_arity: &'a dyn Fn(usize) -> Option<u32>,
}

/// Checks the code.
pub fn verify(code: &[i32], limits: &Limits) -> Result<Verified, ImageError> {
    let mut walk = Walk {
        code,
        limits,
        words: vec![Word::default(); code.len()],
        traps: vec![Trap {
            parent: 0,
            depth: 0,
        }],
        entries: Vec::new(),
        trap_numbers: FxHashMap::default(),
        known: FxHashSet::default(),
        owner: 0,
    };
    walk.found_entry(0, limits.parameters);
    while let Some(entry) = walk.entries.get(walk.owner as usize).copied() {
        let end = walk.function(entry)?;
        walk.entries[walk.owner as usize].end = end;
        walk.owner += 1;
    }
    let owners = walk.entries.iter().map(|entry| entry.position).collect();
    walk.entries.sort_unstable_by_key(|entry| entry.position);
    Ok(Verified {
        entries: walk.entries,
        words: walk.words,
        traps: walk.traps,
        owners,
    })
}

impl Verified {
    /// The instruction at this word, if there is one and it is reached.
    pub fn at(&self, position: usize) -> Option<Reached> {
        match *self.words.get(position)? {
            Word::Unreached | Word::Operand => None,
            Word::Start { owner, state } => Some(Reached {
                entry: self.owners[owner as usize],
                depth: state.depth,
                traps: state.trap,
            }),
        }
    }

    /// All trap numbers are below this.
    pub fn trap_count(&self) -> usize {
        self.traps.len()
    }

    /// Words on the stack up to and with the innermost of these trap frames, and the frames that it
    /// hides.
    pub fn trap(&self, traps: TrapNumber) -> Option<(u32, TrapNumber)> {
        let trap = self.traps[traps as usize];
        (traps != 0).then_some((trap.depth, trap.parent))
    }
}

/// What is known of a word of the code.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Word {
    #[default]
    Unreached,
    Operand,
    /// The start of an instruction of the function numbered `owner`.
    Start {
        owner: u32,
        state: State,
    },
}

/// The stack before an instruction: how deep, and the innermost trap frame in it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct State {
    depth: u32,
    trap: u32,
}

/// A trap frame: the depth just above it, and the frame it hides. Number 0 is "none".
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Trap {
    parent: u32,
    depth: u32,
}

struct Walk<'a> {
    code: &'a [i32],
    limits: &'a Limits<'a>,
    words: Vec<Word>,
    traps: Vec<Trap>,
    trap_numbers: FxHashMap<Trap, TrapNumber>,
    /// Functions found: those before `owner` are done.
    entries: Vec<Entry>,
    /// Their positions.
    known: FxHashSet<usize>,
    owner: u32,
}

impl Walk<'_> {
    fn found_entry(&mut self, position: usize, arity: u32) {
        if self.known.insert(position) {
            self.entries.push(Entry {
                position,
                arity,
                end: position,
            });
        }
    }

    /// Walks one function; returns where it ends.
    fn function(&mut self, entry: Entry) -> Result<usize, ImageError> {
        let mut end = entry.position;
        let mut work = vec![(
            entry.position,
            State {
                depth: entry.arity,
                trap: 0,
            },
        )];
        while let Some((mut position, mut state)) = work.pop() {
            while self.arrive(position, state)? {
                self.check_opcode(position)?;
                let instruction = decode::instruction(self.code, position)?;
                self.claim_operands(&instruction)?;
                end = end.max(instruction.next());
                let found = self.step(&instruction, state, entry, &mut work);
                let Some(next) = found.map_err(|problem| ImageError::Code { position, problem })?
                else {
                    break;
                };
                (position, state) = (instruction.next(), next);
            }
        }
        Ok(end)
    }

    /// Whether the instruction at `position` is new.
    fn arrive(&mut self, position: usize, state: State) -> Result<bool, ImageError> {
        let problem = match self.words.get(position) {
            None => CodeProblem::End,
            Some(Word::Operand) => CodeProblem::JumpInside,
            Some(Word::Unreached) => {
                self.words[position] = Word::Start {
                    owner: self.owner,
                    state,
                };
                return Ok(true);
            }
            Some(Word::Start { owner, .. }) if *owner != self.owner => CodeProblem::Shared,
            Some(Word::Start { state: known, .. }) if *known != state => CodeProblem::StackMismatch,
            Some(Word::Start { .. }) => return Ok(false),
        };
        Err(ImageError::Code { position, problem })
    }

    /// Files do not have all instructions.
    fn check_opcode(&self, position: usize) -> Result<(), ImageError> {
        let word = self.code[position];
        if word >= opcode::COUNT as i32 && !self.limits.rewritten {
            let problem = CodeProblem::Opcode(word);
            return Err(ImageError::Code { position, problem });
        }
        Ok(())
    }

    fn claim_operands(&mut self, instruction: &Instruction) -> Result<(), ImageError> {
        for position in instruction.position + 1..instruction.next() {
            if self.words[position] != Word::Unreached {
                return Err(ImageError::Code {
                    position,
                    problem: CodeProblem::JumpInside,
                });
            }
            self.words[position] = Word::Operand;
        }
        Ok(())
    }

    /// Judges one instruction: adds what it jumps to to `work`, returns the stack of the next one.
    fn step(
        &mut self,
        instruction: &Instruction,
        state: State,
        entry: Entry,
        work: &mut Vec<(usize, State)>,
    ) -> Result<Option<State>, CodeProblem> {
        self.check_operands(instruction, state)?;
        self.check_entry(instruction, entry)?;
        let effect = effect::of(instruction);
        let after = self.stack_after(&effect, state)?;
        match effect.flow {
            Flow::Next => {}
            Flow::Branch { operand } => work.push((self.jump(instruction.target(operand))?, after)),
            Flow::Jump { operand } => {
                work.push((self.jump(instruction.target(operand))?, after));
                return Ok(None);
            }
            Flow::Switch => {
                for index in 0..instruction.operands.len() - 1 {
                    work.push((self.jump(instruction.table_target(index))?, after));
                }
                return Ok(None);
            }
            Flow::Closures => self.closures(instruction)?,
            Flow::PushTrap => {
                work.push((self.jump(instruction.target(0))?, state));
                return Ok(Some(State {
                    trap: self.trap(state.trap, after.depth),
                    ..after
                }));
            }
            Flow::PopTrap => {
                let trap = self.traps[state.trap as usize];
                let at_top = state.trap != 0 && trap.depth == state.depth;
                return if at_top {
                    Ok(Some(State {
                        trap: trap.parent,
                        ..after
                    }))
                } else {
                    Err(CodeProblem::TrapFrame)
                };
            }
            Flow::Leave { all } => {
                let whole = state.depth == all && state.trap == 0 && entry.arity > 0;
                return if whole {
                    Ok(None)
                } else {
                    Err(CodeProblem::StackLeft)
                };
            }
            Flow::Stop => return Ok(None),
        }
        Ok(Some(after))
    }

    fn stack_after(&self, effect: &Effect, state: State) -> Result<State, CodeProblem> {
        let pushed = state.depth + effect.pushes_first;
        let Some(popped) = pushed.checked_sub(effect.pops) else {
            return Err(CodeProblem::StackUnderflow);
        };
        let frames = if effect.flow == Flow::PopTrap {
            0
        } else {
            self.traps[state.trap as usize].depth
        };
        if popped < frames {
            return Err(CodeProblem::TrapFrame);
        }
        Ok(State {
            depth: popped + effect.pushes,
            ..state
        })
    }

    fn trap(&mut self, parent: TrapNumber, depth: u32) -> TrapNumber {
        let trap = Trap { parent, depth };
        *self.trap_numbers.entry(trap).or_insert_with(|| {
            self.traps.push(trap);
            self.traps.len() as u32 - 1
        })
    }

    fn jump(&self, target: i64) -> Result<usize, CodeProblem> {
        usize::try_from(target)
            .ok()
            .filter(|&target| target < self.code.len())
            .ok_or(CodeProblem::JumpRange(target))
    }

    /// Notes the functions of a CLOSURE or CLOSUREREC.
    fn closures(&mut self, instruction: &Instruction) -> Result<(), CodeProblem> {
        for target in effect::closure_targets(instruction) {
            let position = self.jump(target)?;
            let arity = self.arity(position)?;
            self.found_entry(position, arity);
        }
        Ok(())
    }

    fn arity(&self, position: usize) -> Result<u32, CodeProblem> {
        if self.code[position] != Opcode::Grab as i32 {
            return Ok(1);
        }
        let restart = position
            .checked_sub(1)
            .is_some_and(|before| self.code[before] == Opcode::Restart as i32);
        if !restart {
            return Err(CodeProblem::Entry);
        }
        let more = *self.code.get(position + 1).ok_or(CodeProblem::End)?;
        match u32::try_from(more) {
            Ok(more) if (1..ARITY_LIMIT - 1).contains(&more) => Ok(more + 1),
            _ => Err(CodeProblem::Arity(i64::from(more) + 1)),
        }
    }

    fn check_entry(&self, instruction: &Instruction, entry: Entry) -> Result<(), CodeProblem> {
        let at_entry = instruction.position == entry.position;
        let misplaced = match instruction.opcode {
            Opcode::Grab => !(at_entry && entry.arity > 1),
            Opcode::Restart => true,
            opcode => at_entry && effect::call_arity(opcode, instruction.operands).is_some(),
        };
        if misplaced {
            Err(CodeProblem::Entry)
        } else {
            Ok(())
        }
    }

    fn check_operands(&self, instruction: &Instruction, state: State) -> Result<(), CodeProblem> {
        let kinds = instruction.opcode.operands();
        for (&kind, &word) in kinds.iter().zip(instruction.operands) {
            let below = |limit: usize| usize::try_from(word).is_ok_and(|word| word < limit);
            let fine = match kind {
                Operand::Slot => self.slot_exists(instruction.opcode, word, state),
                Operand::Count | Operand::Index => below(1 << 24),
                Operand::Tag => below(256),
                Operand::Global => below(self.limits.globals),
                Operand::Primitive => below(self.limits.primitives),
                Operand::Int | Operand::Jump => true,
            };
            if !fine {
                return Err(CodeProblem::OperandRange(word));
            }
        }
        self.check_special(instruction, state)
    }

    /// A slot operand counts from the top after the push, if there is one.
    fn slot_exists(&self, opcode: Opcode, word: i32, state: State) -> bool {
        let pushes = matches!(opcode, Opcode::PushAcc | Opcode::PushOffsetSlot);
        let depth = state.depth + u32::from(pushes);
        let Some(from_bottom) = u32::try_from(word)
            .ok()
            .and_then(|slot| depth.checked_sub(slot + 1))
        else {
            return false;
        };
        matches!(opcode, Opcode::Acc | Opcode::PushAcc)
            || !self.in_trap_frame(from_bottom, state.trap)
    }

    fn in_trap_frame(&self, slot: u32, mut trap: u32) -> bool {
        while trap != 0 {
            let Trap { parent, depth } = self.traps[trap as usize];
            if slot < depth && slot + effect::TRAP_SIZE >= depth {
                return true;
            }
            trap = parent;
        }
        false
    }

    fn check_special(&self, instruction: &Instruction, state: State) -> Result<(), CodeProblem> {
        let pushed = effect::of(instruction).pushes_first;
        if state.depth + pushed < effect::slots_read(instruction) {
            return Err(CodeProblem::StackUnderflow);
        }
        if let Some(minimum) = effect::least_count(instruction.opcode)
            && instruction.operands[0] < minimum
        {
            return Err(CodeProblem::OperandRange(instruction.operands[0]));
        }
        if instruction.opcode == Opcode::AppTerm
            && instruction.operands[0] > instruction.operands[1]
        {
            return Err(CodeProblem::OperandRange(instruction.operands[0]));
        }
        if let Some((index, arguments)) = effect::primitive(instruction)
            && (self.limits.primitive_arity)(index).is_some_and(|arity| arity != arguments)
        {
            return Err(CodeProblem::PrimitiveArity(index as u32));
        }
        Ok(())
    }
}
