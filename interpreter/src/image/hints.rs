//! Finds out which function each call instruction calls, for the callee hints in the code.
//!
//! An abstract interpretation of the whole program, optimistic on purpose: a single function
//! observed in a variable, a captured variable, a parameter, a field of a module or a result is the
//! guess, and two different ones are none. Code that is called from places not known and
//! assignments to fields are ignored: a wrong hint costs a comparison at run time.
//!
//! Many callees are certain: a closure that was made in this function; a captured variable that is
//! the same function wherever closures of this function are made; a sibling in the same block; a
//! field of a module. Each has the code that the program put there, unless the program writes code
//! pointers. In the same way, a captured variable or a field of a module is certainly an integer.
//! What OCaml leaves undefined (writing fields of modules and of closures by `Obj`) is not
//! considered.
//!
//! One pass over a function goes through it in ascending order, and again from labels whose state a
//! jump back has changed. Passes over the whole program are repeated until nothing changes. From
//! round [`MAX_ROUNDS`] on, a change is only that a callee is no longer certain.

mod found;
mod scan;
mod state;

pub use found::*;

use crate::code::decode::{self, Instruction};
use crate::code::effect::{self, Flow};
use crate::code::opcode::Opcode;
use crate::code::{Certainty, Entry};
use scan::{Group, LOADS, count_sites, globals_set};
use state::{Known, Labels, Seen, State};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Most passes over a program. On ocamlc, two find 97 % of what eight do, three 99.6 %.
const MAX_ROUNDS: usize = 3;

/// Goes through verified code with these functions.
pub fn find(code: &[i32], entries: &[Entry], pointers: CodePointers) -> Found {
    let mut program = Program::new(code, entries);
    let mut rounds = 0;
    while program.guesses_changed && rounds < MAX_ROUNDS || program.certain_changed {
        program.guesses_changed = false;
        program.certain_changed = false;
        for function in 0..entries.len() {
            program.walk(function);
        }
        rounds += 1;
    }
    let hint = |(&call, &(function, certain)): (&usize, &(usize, bool))| Hint {
        call,
        entry: entries[function].position,
        certainty: match pointers {
            CodePointers::Stay if certain => Certainty::Certain,
            CodePointers::Stay | CodePointers::Change => Certainty::Guessed,
        },
    };
    let position = |function: &usize| entries[*function].position;
    let load = |(&at, known): (&usize, &Seen)| match known {
        Seen::Integer(integer) => Some((at, Loaded::Integer(*integer))),
        Seen::Closure(function) => Some((at, Loaded::Closure(position(function)))),
        Seen::Nothing | Seen::Block(_) | Seen::Many => None,
    };
    let loads = match pointers {
        CodePointers::Stay => program.loads.iter().filter_map(load).collect(),
        CodePointers::Change => Vec::new(),
    };
    Found {
        calls: program.calls.iter().map(hint).collect(),
        loads,
        recursive: program.recursive.iter().map(position).collect(),
        partial: program
            .partial
            .iter()
            .map(|(function, missing)| (position(function), *missing))
            .collect(),
        looping: program.looping.iter().map(position).collect(),
    }
}

struct Program<'a> {
    code: &'a [i32],
    entries: &'a [Entry],
    /// Function number by word index of its entry.
    numbers: HashMap<usize, usize>,
    /// By function: parameters, captured variables by index from the closure, result.
    parameters: Vec<Vec<Known>>,
    captured: Vec<Vec<Known>>,
    results: Vec<Known>,
    groups: Vec<Option<Group>>,
    /// Fields of blocks, by the instruction that made them.
    blocks: HashMap<usize, Vec<Known>>,
    /// Those that the program sets.
    globals: HashMap<i32, Known>,
    /// By function: how many instructions make closures of it.
    sites: Vec<u32>,
    /// Callee by call instruction, and whether it is certain.
    calls: BTreeMap<usize, (usize, bool)>,
    /// The integer or closure that an instruction loads, if it is certain.
    loads: BTreeMap<usize, Seen>,
    recursive: HashSet<usize>,
    /// Those that are seen applied to fewer arguments than they take, and how many are missing; of
    /// those that are lost sight of, one.
    partial: HashSet<(usize, u32)>,
    looping: HashSet<usize>,
    /// Where jumps lead.
    labels: HashSet<usize>,
    guesses_changed: bool,
    certain_changed: bool,
}

impl<'a> Program<'a> {
    fn new(code: &'a [i32], entries: &'a [Entry]) -> Self {
        let count = entries.len();
        let positions = entries.iter().map(|entry| entry.position);
        let numbers = positions.zip(0..).collect();
        Self {
            code,
            entries,
            sites: count_sites(code, &numbers),
            numbers,
            labels: effect::labels(code),
            parameters: entries
                .iter()
                .map(|entry| vec![Known::ANYTHING; entry.arity as usize])
                .collect(),
            captured: vec![Vec::new(); count],
            results: vec![Known::ANYTHING; count],
            groups: vec![None; count],
            blocks: HashMap::new(),
            globals: globals_set(code),
            calls: BTreeMap::new(),
            loads: BTreeMap::new(),
            recursive: HashSet::new(),
            partial: HashSet::new(),
            looping: HashSet::new(),
            guesses_changed: true,
            certain_changed: false,
        }
    }

    /// One pass over a function.
    fn walk(&mut self, function: usize) {
        let entry = self.entries[function];
        let stack = self.parameters[function].iter().rev().copied().collect();
        let all = std::mem::take(&mut self.labels);
        let mut labels = Labels::new(&all);
        let begin = State {
            accu: Known::ANYTHING,
            stack,
        };
        let mut next = Some((entry.position, begin));
        loop {
            let (position, mut state) = match next.take() {
                Some((position, mut state)) => match labels.pass(position, &mut state) {
                    true => (position, state),
                    false => continue,
                },
                None => match labels.next() {
                    Some(left) => left,
                    None => break,
                },
            };
            let Ok(instruction) = decode::instruction(self.code, position) else {
                break;
            };
            if self.step(&instruction, function, &mut state, &mut labels) {
                next = Some((instruction.next(), state));
            }
        }
        self.labels = all;
    }

    /// One instruction; whether the next one follows.
    fn step(
        &mut self,
        instruction: &Instruction,
        function: usize,
        state: &mut State,
        labels: &mut Labels<'_>,
    ) -> bool {
        if let Some(count) = effect::call_arity(instruction.opcode, instruction.operands) {
            return self.call(instruction, function, state, count as usize);
        }
        match effect::of(instruction).flow {
            flow @ (Flow::Branch { operand } | Flow::Jump { operand }) => {
                let target = instruction.target(operand);
                if target <= instruction.position as i64 {
                    self.looping.insert(function);
                }
                labels.arrive(target, state);
                matches!(flow, Flow::Branch { .. })
            }
            Flow::Switch => {
                for index in 0..instruction.operands.len() - 1 {
                    labels.arrive(instruction.table_target(index), state);
                }
                false
            }
            Flow::PushTrap => {
                // What the body assigns before it raises is not followed.
                let handler = State {
                    accu: Known::ANYTHING,
                    stack: state.stack.iter().map(|known| known.guessed()).collect(),
                };
                labels.arrive(instruction.target(0), &handler);
                state
                    .stack
                    .extend([Known::ANYTHING; effect::TRAP_SIZE as usize]);
                true
            }
            Flow::PopTrap => {
                state.drop(effect::TRAP_SIZE as usize);
                true
            }
            Flow::Leave { .. } => {
                self.note_result(function, state.accu);
                false
            }
            Flow::Stop => false,
            Flow::Closures => {
                self.closures(instruction, state);
                true
            }
            Flow::Next => {
                self.plain(instruction, function, state);
                true
            }
        }
    }

    fn call(
        &mut self,
        instruction: &Instruction,
        function: usize,
        state: &mut State,
        count: usize,
    ) -> bool {
        let mut result = Known::ANYTHING;
        self.calls.remove(&instruction.position);
        if state.accu.seen == Seen::Closure(function) {
            self.looping.insert(function);
        }
        let callee = state.accu.seen.closure();
        let callee = callee.map(|callee| (callee, self.entries[callee].arity as usize));
        if let Some((callee, arity)) = callee
            && count < arity
        {
            self.partial.insert((callee, (arity - count) as u32));
        }
        if let Some((callee, arity)) = callee
            && count == arity
        {
            self.calls
                .insert(instruction.position, (callee, state.accu.certain));
            for index in 0..count {
                let mut known = self.parameters[callee][index];
                self.note(&mut known, state.slot(index));
                self.parameters[callee][index] = known;
            }
            result = self.results[callee];
        }
        match effect::of(instruction).flow {
            Flow::Leave { .. } => {
                self.note_result(function, result);
                false
            }
            _ => {
                if state.accu.seen == Seen::Closure(function) {
                    self.recursive.insert(function);
                }
                state.drop(effect::of(instruction).pops as usize);
                state.accu = result;
                true
            }
        }
    }

    fn note_result(&mut self, function: usize, seen: Known) {
        let mut known = self.results[function];
        self.note(&mut known, seen);
        self.results[function] = known;
    }

    /// Joins what is seen into what is known.
    fn note(&mut self, known: &mut Known, seen: Known) {
        let joined = known.join(seen);
        if joined.seen == Seen::Many {
            let lost = [known.seen, seen.seen].into_iter();
            let lost = lost.filter_map(Seen::closure);
            self.partial.extend(lost.map(|function| (function, 1)));
        }
        self.guesses_changed |= joined.seen != known.seen;
        self.certain_changed |= joined != *known && known.certain;
        *known = joined;
    }

    fn closures(&mut self, instruction: &Instruction, state: &mut State) {
        let recursive = instruction.opcode == Opcode::ClosureRec;
        let variables = state.taken(instruction.operands[usize::from(recursive)] as usize);
        let count = effect::closure_count(instruction);
        for index in 0..count {
            let target = if recursive {
                instruction.table_target(index)
            } else {
                instruction.target(1)
            };
            let Some(&number) = usize::try_from(target)
                .ok()
                .and_then(|target| self.numbers.get(&target))
            else {
                continue;
            };
            let first = if recursive {
                3 * (count - index) - 1
            } else {
                2
            };
            self.note_captured(number, first, &variables);
            self.groups[number] = recursive.then_some(Group {
                site: instruction.position,
                index,
            });
            let closure = Known::certain(Seen::Closure(number));
            if index == 0 {
                state.accu = closure;
            }
            if recursive {
                state.stack.push(closure);
            }
        }
    }

    fn note_captured(&mut self, function: usize, first: usize, variables: &[Known]) {
        let mut captured = std::mem::take(&mut self.captured[function]);
        captured.resize(
            captured.len().max(first + variables.len()),
            Known::UNREACHED,
        );
        for (known, &seen) in captured[first..].iter_mut().zip(variables) {
            self.note(known, seen);
        }
        self.captured[function] = captured;
    }

    /// An instruction that neither jumps nor calls.
    fn plain(&mut self, instruction: &Instruction, function: usize, state: &mut State) {
        let effect = effect::of(instruction);
        if effect.pushes_first > 0 {
            state.stack.push(state.accu);
        }
        let accu = self.result(instruction, function, state);
        state.drop(effect.pops as usize);
        state
            .stack
            .extend(std::iter::repeat_n(Known::ANYTHING, effect.pushes as usize));
        if let Some(accu) = accu {
            state.accu = accu;
            self.note_load(instruction, accu);
        }
    }

    /// Remembers which integer or closure comes from elsewhere, if that is certain.
    fn note_load(&mut self, instruction: &Instruction, loaded: Known) {
        match loaded {
            Known {
                seen: seen @ (Seen::Integer(_) | Seen::Closure(_)),
                certain: true,
            } if LOADS.contains(&instruction.opcode) => {
                self.loads.insert(instruction.position, seen);
            }
            _ => {
                self.loads.remove(&instruction.position);
            }
        }
    }

    /// What the accumulator is afterwards; `None`: what it was.
    fn result(
        &mut self,
        instruction: &Instruction,
        function: usize,
        state: &mut State,
    ) -> Option<Known> {
        use Opcode::*;
        let operand = |index: usize| instruction.operands[index];
        let slot = |index: i32| Some(state.slot(index as usize));
        let integer = |integer: i32| Some(Known::certain(Seen::Integer(integer)));
        match instruction.opcode {
            Acc0 | PushAcc0 => slot(0),
            Acc1 | PushAcc1 => slot(1),
            Acc2 | PushAcc2 => slot(2),
            Acc3 | PushAcc3 => slot(3),
            Acc4 | PushAcc4 => slot(4),
            Acc5 | PushAcc5 => slot(5),
            Acc6 | PushAcc6 => slot(6),
            Acc7 | PushAcc7 => slot(7),
            Acc | PushAcc => slot(operand(0)),
            Const0 | PushConst0 => integer(0),
            Const1 | PushConst1 => integer(1),
            Const2 | PushConst2 => integer(2),
            Const3 | PushConst3 => integer(3),
            ConstInt | PushConstInt => integer(operand(0)),
            EnvAcc1 | PushEnvAcc1 => Some(self.captured(function, 1)),
            EnvAcc2 | PushEnvAcc2 => Some(self.captured(function, 2)),
            EnvAcc3 | PushEnvAcc3 => Some(self.captured(function, 3)),
            EnvAcc4 | PushEnvAcc4 => Some(self.captured(function, 4)),
            EnvAcc | PushEnvAcc => Some(self.captured(function, operand(0))),
            OffsetClosureM3 | PushOffsetClosureM3 => Some(self.sibling(function, -3)),
            OffsetClosure0 | PushOffsetClosure0 => Some(Known::certain(Seen::Closure(function))),
            OffsetClosure3 | PushOffsetClosure3 => Some(self.sibling(function, 3)),
            OffsetClosure | PushOffsetClosure => Some(self.sibling(function, operand(0))),
            GetGlobal | PushGetGlobal => Some(self.global(operand(0))),
            GetGlobalField | PushGetGlobalField => {
                let module = self.global(operand(0));
                Some(self.field(module, operand(1)))
            }
            SetGlobal => {
                let mut known = self.global(operand(0));
                self.note(&mut known, state.accu);
                self.globals.insert(operand(0), known);
                Some(Known::ANYTHING)
            }
            MakeBlock => Some(self.block(instruction, state, operand(0) as usize)),
            MakeBlock1 => Some(self.block(instruction, state, 1)),
            MakeBlock2 => Some(self.block(instruction, state, 2)),
            MakeBlock3 => Some(self.block(instruction, state, 3)),
            GetField0 => Some(self.field(state.accu, 0).guessed()),
            GetField1 => Some(self.field(state.accu, 1).guessed()),
            GetField2 => Some(self.field(state.accu, 2).guessed()),
            GetField3 => Some(self.field(state.accu, 3).guessed()),
            GetField => Some(self.field(state.accu, operand(0)).guessed()),
            Assign => Some(state.assign(operand(0), state.accu)),
            OffsetSlot | PushOffsetSlot => Some(state.assign(operand(0), Known::ANYTHING)),
            Push | Pop | PushRetAddr | Grab | CheckSignals | Event => None,
            _ => Some(Known::ANYTHING),
        }
    }

    fn captured(&self, function: usize, index: i32) -> Known {
        let captured = self.captured[function].get(index as usize);
        captured.copied().unwrap_or(Known::UNREACHED)
    }

    /// The closure `words` further in the block of this function's closure.
    fn sibling(&self, function: usize, words: i32) -> Known {
        let Some(Group { site, index }) = self.groups[function] else {
            return Known::ANYTHING;
        };
        let index = index as i64 + i64::from(words) / 3;
        let found = decode::instruction(self.code, site).ok().and_then(|made| {
            let index = usize::try_from(index)
                .ok()
                .filter(|&index| index < effect::closure_count(&made))?;
            self.numbers
                .get(&usize::try_from(made.table_target(index)).ok()?)
        });
        found.map_or(Known::ANYTHING, |&number| Known {
            seen: Seen::Closure(number),
            certain: self.sites[function] == 1,
        })
    }

    /// What is in a global. Those that no code sets come with the file.
    fn global(&self, index: i32) -> Known {
        self.globals.get(&index).copied().unwrap_or(Known::ANYTHING)
    }

    /// A field of a block, as it was made.
    fn field(&self, block: Known, index: i32) -> Known {
        let Known { seen, certain } = block;
        match seen {
            Seen::Block(site) => {
                let fields = self.blocks.get(&site);
                let field = fields.and_then(|fields| fields.get(index as usize));
                let known = field.copied().unwrap_or(Known::ANYTHING);
                if certain { known } else { known.guessed() }
            }
            Seen::Nothing => block,
            Seen::Integer(_) | Seen::Closure(_) | Seen::Many => Known::ANYTHING,
        }
    }

    /// Joins what goes into a new block with what is known of blocks made here.
    fn block(&mut self, instruction: &Instruction, state: &State, count: usize) -> Known {
        let site = instruction.position;
        let known = self.blocks.remove(&site);
        let mut known = known.unwrap_or_else(|| vec![Known::UNREACHED; count]);
        let operands =
            std::iter::once(state.accu).chain((0..count - 1).map(|index| state.slot(index)));
        for (known, seen) in known.iter_mut().zip(operands) {
            self.note(known, seen);
        }
        self.blocks.insert(site, known);
        Known::certain(Seen::Block(site))
    }
}
