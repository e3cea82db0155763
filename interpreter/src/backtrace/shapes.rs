//! What `ocamlrun` has on its stack at each instruction beside values: return addresses of calls
//! that wait for their arguments (PUSH_RETADDR), and trap frames. Running code keeps none of this:
//! it is found once, by walking the code as the verifier does.
//!
//! The code is verified: all ways to an instruction agree on the stack. Code that no function
//! reaches has no shape.

use crate::code::decode::{self, Instruction};
use crate::code::effect::{self, Effect, Flow};
use crate::code::opcode::Opcode;
use crate::code::{self, CELL};
use crate::memory;

/// How a backtrace goes on at an instruction that unwinds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// It raises: a new backtrace.
    Raise,
    /// It raises what a handler caught: the backtrace goes on if it is of the same exception.
    Reraise,
    /// It raises, and nobody wants to know where.
    NoTrace,
    /// An exception came out of the call.
    Pass,
}

/// Something on the stack that is no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mark {
    /// A pending call, which will return to this position.
    Call(u32),
    Trap,
}

/// The innermost mark on a stack, and those below it.
#[derive(Clone, Copy, Debug)]
struct Node {
    mark: Mark,
    /// How deep the stack is with it.
    depth: i64,
    below: Marks,
}

/// Index of a [`Node`] counted from 1; 0: no mark.
type Marks = u32;

/// The shapes of one range of code.
#[derive(Debug)]
pub struct Shapes {
    start: u32,
    words: Vec<i32>,
    /// For each word that is an instruction and was reached, its marks plus 1.
    marks: Vec<u32>,
    nodes: Vec<Node>,
}

/// The stack before the instruction at a word of the code.
#[derive(Clone, Copy)]
struct State {
    position: usize,
    depth: i64,
    marks: Marks,
}

impl Shapes {
    /// Walks the code laid out from `start` to `end`; its first word is an entry.
    pub fn new(start: u32, end: u32) -> Self {
        let count = ((end - start) / CELL) as usize;
        let word = |index| memory::load_i32(code::address(start, index));
        let mut shapes = Self {
            start,
            words: (0..count).map(word).collect(),
            marks: vec![0; count],
            nodes: Vec::new(),
        };
        let mut work = vec![State::entry(0)];
        while let Some(state) = work.pop() {
            shapes.walk(state, &mut work);
        }
        shapes
    }

    /// What the unwinding instruction at `pc` adds to a backtrace, and how: its own position, then
    /// the calls pending inside of its innermost handler.
    pub fn unwind(&self, pc: u32) -> Option<(Step, impl Iterator<Item = u32>)> {
        let (instruction, marks) = self.at(pc)?;
        let step = match instruction.opcode {
            Opcode::Raise => Step::Raise,
            Opcode::Reraise => Step::Reraise,
            Opcode::RaiseNoTrace => Step::NoTrace,
            Opcode::Apply | Opcode::Apply1 | Opcode::Apply2 | Opcode::Apply3 => Step::Pass,
            // A primitive or a division raises, or a finaliser that runs at a safepoint.
            _ => Step::Raise,
        };
        let (position, rest) = self.own(&instruction, marks);
        let calls = self.chain(rest).map_while(|mark| match mark {
            Mark::Call(position) => Some(position),
            Mark::Trap => None,
        });
        Some((step, core::iter::once(position).chain(calls)))
    }

    /// The positions of the call at `pc` and all that are pending around it in its activation.
    pub fn pending(&self, pc: u32) -> Option<impl Iterator<Item = u32>> {
        let (instruction, marks) = self.at(pc)?;
        let (position, rest) = self.own(&instruction, marks);
        let calls = self.chain(rest).filter_map(|mark| match mark {
            Mark::Call(position) => Some(position),
            Mark::Trap => None,
        });
        Some(core::iter::once(position).chain(calls))
    }

    fn at(&self, pc: u32) -> Option<(Instruction<'_>, Marks)> {
        let index = (pc.checked_sub(self.start)? / CELL) as usize;
        let marks = self.marks.get(index)?.checked_sub(1)?;
        Some((decode::instruction(&self.words, index).ok()?, marks))
    }

    /// The position that the runtime leaves for this instruction, and the marks below.
    fn own(&self, instruction: &Instruction, marks: Marks) -> (u32, Marks) {
        let position = match instruction.opcode {
            Opcode::Raise | Opcode::Reraise | Opcode::RaiseNoTrace => instruction.position,
            // As in the runtime, which counts one word too many here.
            Opcode::DivInt | Opcode::ModInt => instruction.next() + 1,
            Opcode::Apply => {
                if let Some(&Node {
                    mark: Mark::Call(position),
                    below,
                    ..
                }) = self.node(marks)
                {
                    return (position, below);
                }
                instruction.next()
            }
            _ => instruction.next(),
        };
        (code::address(self.start, position), marks)
    }

    fn node(&self, marks: Marks) -> Option<&Node> {
        self.nodes.get(marks.checked_sub(1)? as usize)
    }

    fn chain(&self, marks: Marks) -> impl Iterator<Item = Mark> {
        let first = self.node(marks);
        core::iter::successors(first, |node| self.node(node.below)).map(|node| node.mark)
    }

    /// Follows the code from `state` to where it ends or was before.
    fn walk(&mut self, mut state: State, work: &mut Vec<State>) {
        while let Some(known @ 0) = self.marks.get_mut(state.position) {
            *known = state.marks + 1;
            // The cell of an entry also holds its arity.
            self.words[state.position] &= 0xff;
            let words = core::mem::take(&mut self.words);
            let next = decode::instruction(&words, state.position)
                .ok()
                .and_then(|instruction| self.step(&instruction, state, work));
            self.words = words;
            match next {
                Some(next) => state = next,
                None => return,
            }
        }
    }

    /// Adds what the instruction jumps to to `work`; returns the state of the next one.
    fn step(
        &mut self,
        instruction: &Instruction,
        state: State,
        work: &mut Vec<State>,
    ) -> Option<State> {
        let effect = effect::of(instruction);
        let after = self.after(instruction, &effect, state);
        let mut jump = |target: i64, state: State| {
            work.extend(usize::try_from(target).map(|position| State { position, ..state }));
        };
        match effect.flow {
            Flow::Next | Flow::PopTrap => {}
            Flow::Branch { operand } => jump(instruction.target(operand), after),
            Flow::Jump { operand } => {
                jump(instruction.target(operand), after);
                return None;
            }
            Flow::Switch => {
                let cases = 0..instruction.operands.len() - 1;
                cases.for_each(|index| jump(instruction.table_target(index), after));
                return None;
            }
            Flow::Closures => {
                // The loader has put addresses there.
                for &function in &instruction.operands[effect::closure_operands(instruction)] {
                    let distance = (function as u32).wrapping_sub(self.start);
                    jump((distance / CELL).into(), State::entry(0));
                }
            }
            Flow::PushTrap => jump(instruction.target(0), state),
            Flow::Leave { .. } | Flow::Stop => return None,
        }
        Some(after)
    }

    /// The stack after an instruction, at the next one.
    fn after(&mut self, instruction: &Instruction, effect: &Effect, state: State) -> State {
        let popped = state.depth + i64::from(effect.pushes_first) - i64::from(effect.pops);
        let mut marks = state.marks;
        while let Some(node) = self.node(marks).filter(|node| node.depth > popped) {
            marks = node.below;
        }
        let depth = popped + i64::from(effect.pushes);
        let mark = match instruction.opcode {
            Opcode::PushRetAddr => usize::try_from(instruction.target(0))
                .ok()
                .map(|target| Mark::Call(code::address(self.start, target))),
            Opcode::PushTrap => Some(Mark::Trap),
            _ => None,
        };
        if let Some(mark) = mark {
            self.nodes.push(Node {
                mark,
                depth,
                below: marks,
            });
            marks = self.nodes.len() as u32;
        }
        State {
            position: instruction.next(),
            depth,
            marks,
        }
    }
}

impl State {
    fn entry(position: usize) -> Self {
        Self {
            position,
            depth: 0,
            marks: 0,
        }
    }
}
