//! Finds out which functions each call instruction calls, for the callee hints in the code.
//!
//! An abstract interpretation of the whole program, optimistic on purpose: up to
//! [`MAX_CANDIDATES`](crate::code::MAX_CANDIDATES) functions and partial applications observed in a
//! variable, a captured variable, a parameter, a field, an element or a result are the guess, and
//! more are none. Code that is called from places not known is ignored: a wrong hint costs a
//! comparison at run time.
//!
//! Many callees are certain: a closure that was made in this function; a captured variable, as
//! wherever closures of this function are made it is one of a few; a sibling in the same block; a
//! field of a module, or of blocks that nothing unknown gets hold of. Each has the code that the
//! program put there, unless the program writes code pointers. In the same way, a captured variable
//! or a field of a module is certainly an integer (what arithmetic gives of such is known as well)
//! or the box of a number, and a parameter or a result is that: kinds of boxes are told where
//! nobody needs the box ([`boxes`]). What OCaml leaves undefined (writing fields of modules and of
//! closures by `Obj`) is not considered.
//!
//! One pass over a function goes through it in ascending order, and again from labels whose state a
//! jump back has changed. Functions are gone through again when something that they read has
//! changed ([`pending`]), until nothing does.

mod boxes;
mod calls;
mod escapes;
mod found;
mod made;
mod pending;
mod scan;
mod stack;
mod state;
#[cfg(test)]
pub mod tests;
mod values;

pub use found::*;

use crate::code::decode::{self, Instruction};
use crate::code::effect::{self, Effect, Flow};
use crate::code::opcode::Opcode;
use crate::code::{Certainty, Entry, MAX_CANDIDATES, MAX_GUESSED, MAX_IN_PLACE};
use crate::image::by_word::ByWord;
use crate::image::early;
use boxes::Boxes;
use made::{Few, Made};
use pending::{Dependency, Pending};
use rustc_hash::{FxHashMap, FxHashSet};
use scan::{Captured, Group, Use, count_sites, globals_set, loads_from_elsewhere};
use state::{Known, Labels, Lost, Origin, Seen, State};
use values::closure;

/// Most words of a program of which it is found out what functions are always given.
const MOST_FOLLOWED: usize = 1 << 17;

/// Goes through code that was verified, whose functions are all `entries` that the verifier found:
/// what is certain is so only if none is missing.
pub fn find(code: &[i32], entries: &[Entry], pointers: CodePointers, facts: &dyn Facts) -> Found {
    let is_large = code.len() > MOST_FOLLOWED;
    let most = match is_large {
        // More make code longer.
        true => MAX_GUESSED,
        false => MAX_CANDIDATES,
    };
    let mut program = Program::new(code, entries, facts, most);
    if is_large || !facts.is_closed() {
        (0..entries.len()).for_each(|function| program.lose(closure(function).seen));
        program.follow_lost();
    }
    let mut next = 0;
    while let Some(function) = program.pending.take(next) {
        program.walk(function);
        next = function + 1;
    }
    let position = |function: &usize| entries[*function].position;
    let code_of = |made: &Made| match made {
        Made::Closure(function) => Some(position(&(*function as usize))),
        // The RESTART before it.
        Made::Partial(function, _) => Some(position(&(*function as usize)) - 1),
        Made::Block(_) => None,
    };
    let length = |made: &Made| match made {
        Made::Closure(function) | Made::Partial(function, _) => {
            let entry = &entries[*function as usize];
            entry.end - entry.position
        }
        Made::Block(_) => 0,
    };
    // Where many are compared, the shortest come first: leaves of what is recursive.
    let in_order = |callees: &Few| {
        let mut all = callees.all().collect::<Vec<_>>();
        if all.len() > MAX_IN_PLACE {
            all.sort_by_key(length);
        }
        all
    };
    let hint = |(call, (callees, certain)): (usize, &(Few, bool))| Hint {
        call,
        entries: in_order(callees).iter().filter_map(code_of).collect(),
        certainty: match pointers {
            CodePointers::Stay if *certain => Certainty::Certain,
            CodePointers::Stay | CodePointers::Change => Certainty::Guessed,
        },
    };
    let boxes = program.follow_boxes();
    let load = |(at, known): (usize, &Seen)| match known {
        Seen::Integer(integer) => Some((at, Loaded::Integer(*integer))),
        Seen::Number(kind, _) => {
            let is_kept = boxes.is_kept(Origin::Loaded(at));
            (!is_kept).then_some((at, Loaded::Number(*kind)))
        }
        Seen::Made(few) => Some((at, Loaded::Closure(code_of(&few.only()?)?))),
        Seen::Nothing | Seen::Data | Seen::Many => None,
    };
    let (loads, boxed, restarted) = match pointers {
        CodePointers::Stay => (
            program.loads.iter().filter_map(load).collect(),
            program.boxed(&boxes),
            program.restarted(&boxes),
        ),
        CodePointers::Change => Default::default(),
    };
    Found {
        calls: program
            .calls
            .iter()
            .filter(|(_, (callees, _))| !program.are_proofs(callees))
            .map(hint)
            .collect(),
        loads,
        recursive: program.recursive.iter().map(position).collect(),
        partial: program
            .partial
            .iter()
            .map(|(function, missing)| (position(function), *missing))
            .collect(),
        looping: program.looping.iter().map(position).collect(),
        early: entries
            .iter()
            .filter(|entry| early::returns(code, entry, |index| facts.computes(index)))
            .map(|entry| entry.position)
            .collect(),
        boxed,
        restarted,
    }
}

struct Program<'a> {
    code: &'a [i32],
    entries: &'a [Entry],
    facts: &'a dyn Facts,
    /// How many things are followed in one place.
    most: usize,
    /// Function number by word index of its entry.
    numbers: ByWord<usize>,
    /// By function: parameters, captured variables, result.
    parameters: Vec<Vec<Known>>,
    captured: Vec<Captured>,
    results: Vec<Known>,
    groups: Vec<Option<Group>>,
    /// By the instruction that made them.
    blocks: ByWord<Block>,
    /// Those that the program sets.
    globals: FxHashMap<i32, Known>,
    /// By function: how many instructions make closures of it.
    sites: Vec<u32>,
    /// Callees by call instruction, and whether the only one is certain.
    calls: ByWord<(Few, bool)>,
    /// The integer, closure or kind of number that an instruction loads, if it is certain.
    loads: ByWord<Seen>,
    recursive: FxHashSet<usize>,
    /// Those that are seen applied to fewer arguments than they take, and how many are missing; of
    /// those that are lost sight of, one.
    partial: FxHashSet<(usize, u32)>,
    looping: FxHashSet<usize>,
    labels: Labels,
    /// Functions that something unknown may call.
    escaped: FxHashSet<usize>,
    /// What was lost sight of in this step.
    lost: Vec<Made>,
    boxes: Boxes,
    pending: Pending,
    /// The function that is gone through.
    walked: usize,
    /// Room for a call's arguments.
    arguments: Vec<Known>,
}

/// The blocks that one instruction makes.
struct Block {
    fields: Vec<Known>,
    /// Whether something unknown may look into them.
    is_lost: bool,
}

impl Block {
    fn unreached(count: usize) -> Self {
        Self {
            fields: vec![Known::UNREACHED; count],
            is_lost: false,
        }
    }
}

impl<'a> Program<'a> {
    fn new(code: &'a [i32], entries: &'a [Entry], facts: &'a dyn Facts, most: usize) -> Self {
        let count = entries.len();
        let mut numbers = ByWord::new(code.len());
        for (number, entry) in entries.iter().enumerate() {
            numbers.insert(entry.position, number);
        }
        Self {
            code,
            entries,
            facts,
            most,
            sites: count_sites(code, &numbers, count),
            numbers,
            labels: Labels::new(effect::labels(code), most),
            parameters: entries
                .iter()
                .map(|entry| vec![Known::UNREACHED; entry.arity as usize])
                .collect(),
            captured: vec![Captured::default(); count],
            results: vec![Known::UNREACHED; count],
            groups: vec![None; count],
            blocks: ByWord::new(code.len()),
            globals: globals_set(code),
            calls: ByWord::new(code.len()),
            loads: ByWord::new(code.len()),
            recursive: FxHashSet::default(),
            partial: FxHashSet::default(),
            looping: FxHashSet::default(),
            escaped: FxHashSet::default(),
            lost: Vec::new(),
            boxes: Boxes::default(),
            pending: Pending::new(count),
            walked: 0,
            arguments: Vec::new(),
        }
    }

    /// One pass over a function.
    fn walk(&mut self, function: usize) {
        self.walked = function;
        let entry = self.entries[function];
        let parameters = self.parameters[function].iter().enumerate().rev();
        let stack = parameters
            .map(|(index, known)| known.with_origin(Origin::Parameter(function, index)))
            .collect();
        let mut labels = std::mem::take(&mut self.labels);
        labels.clear();
        let mut state = State::begin(stack);
        let mut next = Some(entry.position);
        loop {
            let position = match next.take() {
                Some(position) if labels.pass(position, &mut state) => position,
                Some(_) => continue,
                None => match labels.next(&mut state) {
                    Some(position) => position,
                    None => break,
                },
            };
            let Ok(instruction) = decode::instruction(self.code, position) else {
                break;
            };
            if self.step(&instruction, &mut state, &mut labels) {
                next = Some(instruction.next());
            }
            self.lose_all(&mut labels.lost);
        }
        // Of a jump that led to nothing new, too.
        self.lose_all(&mut labels.lost);
        self.labels = labels;
    }

    /// One instruction; whether the next one follows.
    fn step(&mut self, instruction: &Instruction, state: &mut State, labels: &mut Labels) -> bool {
        if let Some(count) = effect::call_arity(instruction.opcode, instruction.operands) {
            return self.call(instruction, state, count as usize);
        }
        let effect = effect::of(instruction);
        match effect.flow {
            flow @ (Flow::Branch { operand } | Flow::Jump { operand }) => {
                let target = instruction.target(operand);
                if target <= instruction.position as i64 {
                    self.looping.insert(self.walked);
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
                state
                    .stack
                    .downwards()
                    .for_each(|known| self.boxes.store(known.seen));
                state.push_trap(instruction.target(0));
                labels.guard(state);
                true
            }
            Flow::PopTrap => {
                state.pop_trap();
                true
            }
            Flow::Leave { .. } => {
                self.note_result(self.walked, state.accu);
                false
            }
            Flow::Stop => {
                // No exception is a number, and nobody looks at one when the program ends.
                self.lose(state.accu.with_origin(Origin::Made).seen);
                false
            }
            Flow::Closures => {
                self.closures(instruction, state);
                true
            }
            Flow::Next => {
                self.plain(instruction, effect, state, &mut labels.lost);
                // What follows may raise.
                if effect::assigns(instruction.opcode) {
                    labels.raise(state);
                }
                true
            }
        }
    }

    /// What is known and seen together. Where a number comes from is not remembered.
    #[must_use]
    fn note(&mut self, dependency: Dependency, known: Known, seen: Known) -> Known {
        let seen = seen.with_origin(Origin::Made);
        let joined = known.join(seen, self.most);
        if joined.seen.is_lost() {
            for seen in [known.seen, seen.seen] {
                let function = |made: Made| match made {
                    Made::Closure(function) => Some((function as usize, 1)),
                    Made::Partial(..) | Made::Block(_) => None,
                };
                self.partial.extend(seen.made().filter_map(function));
                self.lose(seen);
            }
        }
        if joined != known {
            self.pending.change(dependency);
        }
        joined
    }

    fn closures(&mut self, instruction: &Instruction, state: &mut State) {
        let recursive = instruction.opcode == Opcode::ClosureRec;
        let variables = state.taken(instruction.operands[usize::from(recursive)] as usize);
        let count = effect::closure_count(instruction);
        let functions = self.made_by(instruction);
        let elsewhere = |&function: &usize| self.sites[function] > 1;
        if recursive && functions.iter().any(elsewhere) {
            // It has other siblings there, which are not looked for.
            functions
                .iter()
                .for_each(|&function| self.lose(closure(function).seen));
        }
        for (index, &number) in functions.iter().enumerate() {
            let first = if recursive {
                3 * (count - index) - 1
            } else {
                2
            };
            self.note_captured(number, first, &variables);
            let group = recursive.then_some(Group {
                site: instruction.position,
                index,
            });
            if self.groups[number] != group {
                self.groups[number] = group;
                self.pending.change(Dependency::Function(number));
            }
            let closure = closure(number);
            if index == 0 {
                state.accu = closure;
            }
            if recursive {
                state.stack.push(closure);
            }
        }
    }

    /// The functions that an instruction makes closures of.
    fn made_by(&self, instruction: &Instruction) -> Vec<usize> {
        let targets = effect::closure_targets(instruction);
        let number = |target: i64| self.numbers.get(usize::try_from(target).ok()?).copied();
        targets.filter_map(number).collect()
    }

    /// A closure captures variables, of which the first one has this index from the closure.
    fn note_captured(&mut self, function: usize, first: usize, variables: &[Known]) {
        let mut captured = std::mem::take(&mut self.captured[function]);
        let places = captured.reach(first, variables.len());
        for (known, &seen) in places.iter_mut().zip(variables) {
            self.boxes.store(seen.seen);
            *known = self.note(Dependency::Function(function), *known, seen);
        }
        self.captured[function] = captured;
    }

    /// An instruction that neither jumps nor calls.
    fn plain(
        &mut self,
        instruction: &Instruction,
        effect: Effect,
        state: &mut State,
        lost: &mut Lost,
    ) {
        let pops = effect.pops.saturating_sub(effect.pushes_first) as usize;
        let operands = (0..pops).map(|index| state.slot(index)).chain([state.accu]);
        self.take(instruction, operands);
        if effect.pushes_first > 0 {
            state.stack.push(state.accu);
        }
        let accu = self.result(instruction, state, lost);
        state.drop(effect.pops as usize);
        state.push_unknown(effect.pushes as usize);
        if let Some(accu) = accu {
            state.accu = self.note_load(instruction, accu);
        }
    }

    /// An instruction takes these.
    fn take(&mut self, instruction: &Instruction, operands: impl Iterator<Item = Known>) {
        let done = match scan::use_of(instruction) {
            Use::Follows => return,
            Use::Hands if self.looks_at_arguments(instruction) => Use::Stores,
            done => done,
        };
        for Known { seen, .. } in operands {
            match done {
                _ if self.opens(instruction, seen) => self.boxes.open(seen),
                Use::Follows | Use::Stores => self.boxes.store(seen),
                Use::Compares => self.boxes.watch(seen),
                Use::Hands => {
                    self.boxes.watch(seen);
                    self.lose(seen);
                }
                Use::Loses => self.lose(seen),
            }
        }
    }

    /// Remembers which integer, closure or kind of number comes from elsewhere, if that is certain.
    /// Returns what is known of it from here on.
    fn note_load(&mut self, instruction: &Instruction, loaded: Known) -> Known {
        if !loads_from_elsewhere(instruction) {
            return loaded;
        }
        let at = instruction.position;
        match loaded {
            Known {
                seen: seen @ (Seen::Integer(_) | Seen::Number(..) | Seen::Made(_)),
                certain: true,
            } => {
                self.loads.insert(at, seen);
                loaded.with_origin(Origin::Loaded(at))
            }
            _ => {
                self.loads.take(at);
                loaded
            }
        }
    }
}
