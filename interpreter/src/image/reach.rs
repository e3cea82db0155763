//! Finds out which functions a program can reach, and which primitives: only these functions are
//! worth specializing, and what no primitive that is reached can do need not be reckoned with. A
//! library is linked as a whole, and most programs use little of it.
//!
//! The program's own code, which makes the modules, is followed value by value: a function that is
//! only put into a module counts when code that is reached reads that field, and one that is only
//! captured when the function that captures it counts. Any other use counts at once. In other
//! functions, each closure that is made counts.
//!
//! Optimistic where that is simpler: a function that is missed is run by generic code, and a
//! primitive that matters fails by name ([`super::bind::withdraw`]).

use super::verify::Verified;
use crate::code::Entry;
use crate::code::decode::{self, Instruction};
use crate::code::effect::{self, Flow};
use crate::code::load::{self, Load};
use crate::code::opcode::Opcode;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

#[cfg(test)]
mod tests;

/// What a program can reach.
pub struct Reached {
    /// The functions, by their number among the entries.
    pub functions: FxHashSet<usize>,
    /// The primitives that their instructions call, one for each instruction.
    pub primitives: Vec<usize>,
}

/// What a program reaches. `reaches_all` says of the primitive with an index that a program which
/// calls it can get at everything.
pub fn find(code: &[i32], verified: &Verified, reaches_all: impl Fn(usize) -> bool) -> Reached {
    let mut modules = Modules::new(code, &verified.entries);
    modules.follow();
    let mut reach = Reach {
        entries: &verified.entries,
        modules,
        functions: FxHashSet::from_iter([0]),
        primitives: Vec::new(),
        work: vec![0],
    };
    let escaped = std::mem::take(&mut reach.modules.escaped);
    escaped.into_iter().for_each(|value| reach.value(value));
    while let Some(function) = reach.work.pop() {
        let before = reach.primitives.len();
        reach.function(function);
        if reach.primitives[before..]
            .iter()
            .any(|&index| reaches_all(index))
        {
            return Reached {
                functions: (0..verified.entries.len()).collect(),
                primitives: (decode::instructions(code))
                    .filter_map(|instruction| primitive(&instruction))
                    .collect(),
            };
        }
    }
    Reached {
        functions: reach.functions,
        primitives: reach.primitives,
    }
}

impl Reached {
    /// Where the functions begin in `verified` code, which may be another form of the same.
    pub fn positions(&self, verified: &Verified) -> FxHashSet<usize> {
        let entries = self
            .functions
            .iter()
            .map(|&number| &verified.entries[number]);
        entries.map(|entry| entry.position).collect()
    }
}

/// The primitive that an instruction calls.
fn primitive(instruction: &Instruction) -> Option<usize> {
    effect::primitive(instruction).map(|(primitive, _)| primitive)
}

/// What the program's own code makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Value {
    /// A closure of the function with this number.
    Closure(usize),
    /// The block with this number.
    Block(usize),
}

/// The program's own code, followed once from top to bottom.
struct Modules<'a> {
    code: &'a [i32],
    /// Function number by word index of its entry.
    numbers: FxHashMap<usize, usize>,
    stack: Vec<Option<Value>>,
    accu: Option<Value>,
    blocks: Vec<Vec<Option<Value>>>,
    globals: FxHashMap<i32, Value>,
    /// By function, what is in the block of its closure.
    captured: FxHashMap<usize, Vec<Value>>,
    /// What was used other than to make a module or a closure.
    escaped: Vec<Value>,
    /// The primitives that it calls.
    primitives: Vec<usize>,
    /// How deep the stack is at labels that are to come.
    labels: BTreeMap<usize, usize>,
    /// At least the deepest of these.
    deepest: usize,
    /// By word: whether its instruction was followed.
    followed: Vec<bool>,
}

impl<'a> Modules<'a> {
    fn new(code: &'a [i32], entries: &[Entry]) -> Self {
        let positions = entries.iter().map(|entry| entry.position);
        Self {
            code,
            numbers: positions.zip(0..).collect(),
            stack: Vec::new(),
            accu: None,
            blocks: Vec::new(),
            globals: FxHashMap::default(),
            captured: FxHashMap::default(),
            escaped: Vec::new(),
            primitives: Vec::new(),
            labels: BTreeMap::from([(0, 0)]),
            deepest: 0,
            followed: vec![false; code.len()],
        }
    }

    fn follow(&mut self) {
        while let Some((label, depth)) = self.labels.pop_first() {
            self.drop(self.stack.len().saturating_sub(depth));
            self.stack.resize(depth, None);
            let mut position = label;
            while self.is_new(position) {
                self.followed[position] = true;
                // What comes here from elsewhere agrees on all but the accumulator, and on what was
                // dropped in between, which escaped.
                self.labels.remove(&position);
                if self.labels.is_empty() {
                    self.deepest = 0;
                }
                let Ok(instruction) = decode::instruction(self.code, position) else {
                    break;
                };
                if !self.step(&instruction) {
                    break;
                }
                position = instruction.next();
            }
            // It leads to what was followed without it.
            self.escape_accu();
        }
    }

    /// Whether there is code at this word that was not followed yet.
    fn is_new(&self, position: usize) -> bool {
        self.followed.get(position) == Some(&false)
    }

    /// One instruction; whether the next one follows.
    fn step(&mut self, instruction: &Instruction) -> bool {
        self.primitives.extend(primitive(instruction));
        let effect = effect::of(instruction);
        match effect.flow {
            Flow::Next => {
                self.plain(instruction);
                return true;
            }
            Flow::Closures => {
                self.closures(instruction);
                return true;
            }
            Flow::Branch { .. } | Flow::PushTrap | Flow::PopTrap => {}
            Flow::Jump { .. } | Flow::Switch | Flow::Leave { .. } | Flow::Stop => {}
        }
        self.escape_accu();
        let depth = self.stack.len();
        let (mut follows, mut goes_back) = (false, false);
        effect::successors(instruction, |target| {
            if target == instruction.next() as i64 {
                follows = true;
            } else if let Ok(target) = usize::try_from(target)
                && self.is_new(target)
            {
                goes_back |= target < instruction.position;
                self.label(target, depth);
            }
        });
        let words = effect::TRAP_SIZE as usize;
        match effect.flow {
            Flow::PushTrap => self.stack.resize(depth + words, None),
            Flow::PopTrap => self.stack.truncate(depth.saturating_sub(words)),
            _ => {}
        }
        // The body of a loop lies before its condition, and comes first: what follows goes on with
        // another stack.
        if follows && goes_back {
            self.label(instruction.next(), self.stack.len());
        }
        follows && !goes_back
    }

    fn label(&mut self, position: usize, depth: usize) {
        self.labels.insert(position, depth);
        self.deepest = self.deepest.max(depth);
    }

    fn plain(&mut self, instruction: &Instruction) {
        use Opcode::*;
        let effect = effect::of(instruction);
        let operand = |index: usize| instruction.operands[index];
        if effect.pushes_first > 0 {
            self.stack.push(self.accu);
        }
        if let Some(load) = load::of(instruction) {
            self.accu = self.loaded(load);
            return;
        }
        match instruction.opcode {
            Push | Event | CheckSignals => {}
            Pop => self.drop(operand(0) as usize),
            PushRetAddr => self.stack.extend([None; effect::RETURN_SIZE as usize]),
            SetGlobal => {
                if let Some(module) = self.accu {
                    let earlier = self.globals.insert(operand(0), module);
                    self.escaped.extend(earlier);
                }
                self.accu = None;
            }
            MakeBlock1 => self.block(1),
            MakeBlock2 => self.block(2),
            MakeBlock3 => self.block(3),
            MakeBlock => self.block(operand(0) as usize),
            _ => {
                self.escape_accu();
                let pops = effect.pops as usize;
                let kept = self.stack.len().saturating_sub(pops);
                self.escaped.extend(self.stack.drain(kept..).flatten());
                let pushes = effect.pushes as usize;
                self.stack.extend(std::iter::repeat_n(None, pushes));
            }
        }
    }

    fn loaded(&self, load: Load) -> Option<Value> {
        let global = |index| self.globals.get(&index).copied();
        match load {
            Load::Slot(index) => self.slot(index as usize),
            Load::Global(index) => global(index),
            Load::GlobalField {
                global: index,
                field,
            } => self.field(global(index), field),
            Load::Field(index) => self.field(self.accu, index),
            Load::Variable(_) | Load::Closure(_) | Load::Integer(_) | Load::Atom(_) => None,
        }
    }

    fn escape_accu(&mut self) {
        self.escaped.extend(self.accu.take());
    }

    fn slot(&self, index: usize) -> Option<Value> {
        let at = self.stack.len().checked_sub(index + 1)?;
        self.stack[at]
    }

    /// Takes slots off the stack. Those that a label to come still has escape, as another value may
    /// have their place by then.
    fn drop(&mut self, count: usize) {
        let kept = self.stack.len().saturating_sub(count);
        let needed = self.stack.iter().take(self.deepest).skip(kept);
        self.escaped.extend(needed.flatten());
        self.stack.truncate(kept);
    }

    /// The accumulator and the slots after it, which go.
    fn taken(&mut self, count: usize) -> Vec<Option<Value>> {
        let mut taken = vec![self.accu];
        taken.extend((1..count).map(|index| self.slot(index - 1)));
        taken.truncate(count);
        self.drop(count.saturating_sub(1));
        taken
    }

    fn block(&mut self, count: usize) {
        let fields = self.taken(count);
        self.blocks.push(fields);
        self.accu = Some(Value::Block(self.blocks.len() - 1));
    }

    fn field(&self, block: Option<Value>, index: i32) -> Option<Value> {
        match block? {
            Value::Block(number) => *self.blocks[number].get(index as usize)?,
            Value::Closure(_) => None,
        }
    }

    /// The functions that a CLOSURE or CLOSUREREC makes closures of; its position counts from the
    /// word `start`.
    fn functions(&self, instruction: &Instruction, start: usize) -> Vec<usize> {
        let targets = effect::closure_targets(instruction);
        let entries = targets.filter_map(|target| usize::try_from(target + start as i64).ok());
        let numbers = entries.filter_map(|entry| self.numbers.get(&entry));
        numbers.copied().collect()
    }

    fn closures(&mut self, instruction: &Instruction) {
        let recursive = instruction.opcode == Opcode::ClosureRec;
        let variables = self.taken(instruction.operands[usize::from(recursive)] as usize);
        let numbers = self.functions(instruction, 0);
        let siblings = numbers.iter().copied().map(Value::Closure);
        let held: Vec<Value> = variables.into_iter().flatten().chain(siblings).collect();
        for &number in &numbers {
            self.captured.entry(number).or_default().extend(&held);
        }
        self.accu = numbers.first().copied().map(Value::Closure);
        if recursive {
            self.stack.extend(
                numbers
                    .into_iter()
                    .map(|number| Some(Value::Closure(number))),
            );
        }
    }
}

/// What is reached so far, and the functions whose code is not read yet.
struct Reach<'a> {
    entries: &'a [Entry],
    modules: Modules<'a>,
    functions: FxHashSet<usize>,
    primitives: Vec<usize>,
    work: Vec<usize>,
}

impl Reach<'_> {
    /// Reads a function's code.
    fn function(&mut self, number: usize) {
        let captured = self.modules.captured.remove(&number).unwrap_or_default();
        captured.into_iter().for_each(|value| self.value(value));
        // The program's own code was followed.
        if number == 0 {
            self.primitives.append(&mut self.modules.primitives);
            return;
        }
        let Entry { position, end, .. } = self.entries[number];
        let code = &self.modules.code[position..end];
        let mut instructions = decode::instructions(code).peekable();
        while let Some(instruction) = instructions.next() {
            self.primitives.extend(primitive(&instruction));
            if let Flow::Closures = effect::of(&instruction).flow {
                let made = self.modules.functions(&instruction, position);
                made.into_iter()
                    .for_each(|number| self.value(Value::Closure(number)));
            }
            let Some(mut read) = self.read(&instruction) else {
                continue;
            };
            while let Some(next) = instructions.peek()
                && let Some(index) = field_index(next)
                && let Value::Block(_) = read
            {
                let Some(field) = self.modules.field(Some(read), index) else {
                    break;
                };
                read = field;
                instructions.next();
            }
            self.value(read);
        }
    }

    /// What an instruction reads from a module.
    fn read(&self, instruction: &Instruction) -> Option<Value> {
        use Opcode::*;
        let global = |index: usize| {
            self.modules
                .globals
                .get(&instruction.operands[index])
                .copied()
        };
        match instruction.opcode {
            GetGlobal | PushGetGlobal => global(0),
            GetGlobalField | PushGetGlobalField => {
                self.modules.field(global(0), instruction.operands[1])
            }
            _ => None,
        }
    }

    /// Notes that code which is reached can use this value.
    fn value(&mut self, value: Value) {
        let mut values = vec![value];
        while let Some(value) = values.pop() {
            match value {
                Value::Closure(number) => {
                    if self.functions.insert(number) {
                        self.work.push(number);
                    }
                }
                Value::Block(number) => {
                    values.extend(
                        std::mem::take(&mut self.modules.blocks[number])
                            .into_iter()
                            .flatten(),
                    );
                }
            }
        }
    }
}

/// The field of the accumulator that an instruction reads.
fn field_index(instruction: &Instruction) -> Option<i32> {
    use Opcode::*;
    match instruction.opcode {
        GetField0 => Some(0),
        GetField1 => Some(1),
        GetField2 => Some(2),
        GetField3 => Some(3),
        GetField => Some(instruction.operands[0]),
        _ => None,
    }
}
