//! Finds out which functions a program can reach: only these are worth specializing. A library is
//! linked as a whole, and most programs use little of it.
//!
//! The program's own code, which makes the modules, is followed value by value: a function that is
//! only put into a module counts when code that is reached reads that field, and one that is only
//! captured when the function that captures it counts. Any other use counts at once. In other
//! functions, each closure that is made counts.
//!
//! Optimistic where that is simpler: a function that is missed is run by generic code.

use super::verify::Verified;
use crate::code::Entry;
use crate::code::decode::{self, Instruction};
use crate::code::effect::{self, Flow};
use crate::code::opcode::Opcode;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The entries of the functions that are reached. `reaches_all` says of the primitive with an index
/// that a program which calls it can get at everything.
pub fn entries(
    code: &[i32],
    verified: &Verified,
    reaches_all: impl Fn(usize) -> bool,
) -> HashSet<usize> {
    let mut modules = Modules::new(code, &verified.entries);
    modules.follow();
    let mut reach = Reach {
        entries: &verified.entries,
        modules,
        reached: HashSet::new(),
        work: vec![0],
    };
    reach.reached.insert(0);
    let escaped = std::mem::take(&mut reach.modules.escaped);
    escaped.into_iter().for_each(|value| reach.value(value));
    while let Some(function) = reach.work.pop() {
        if !reach.function(function, &reaches_all) {
            return verified
                .entries
                .iter()
                .map(|entry| entry.position)
                .collect();
        }
    }
    let positions = reach.reached.into_iter();
    positions
        .map(|number| verified.entries[number].position)
        .collect()
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
    numbers: HashMap<usize, usize>,
    stack: Vec<Option<Value>>,
    accu: Option<Value>,
    blocks: Vec<Vec<Option<Value>>>,
    globals: HashMap<i32, Value>,
    /// By function, what is in the block of its closure.
    captured: HashMap<usize, Vec<Value>>,
    /// What was used other than to make a module or a closure.
    escaped: Vec<Value>,
    /// How deep the stack is at labels that are to come.
    labels: BTreeMap<usize, usize>,
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
            globals: HashMap::new(),
            captured: HashMap::new(),
            escaped: Vec::new(),
            labels: BTreeMap::from([(0, 0)]),
        }
    }

    fn follow(&mut self) {
        while let Some((label, depth)) = self.labels.pop_first() {
            self.stack.resize(depth, None);
            let mut position = label;
            loop {
                // What comes here from elsewhere agrees on all but the accumulator.
                self.labels.remove(&position);
                let Ok(instruction) = decode::instruction(self.code, position) else {
                    break;
                };
                if !self.step(&instruction) {
                    break;
                }
                position = instruction.next();
            }
        }
    }

    /// One instruction; whether the next one follows.
    fn step(&mut self, instruction: &Instruction) -> bool {
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
        let mut follows = false;
        effect::successors(instruction, |target| {
            if target == instruction.next() as i64 {
                follows = true;
            } else if target > instruction.position as i64 {
                self.labels.insert(target as usize, depth);
            }
        });
        let words = effect::TRAP_SIZE as usize;
        match effect.flow {
            Flow::PushTrap => self.stack.resize(depth + words, None),
            Flow::PopTrap => self.stack.truncate(depth.saturating_sub(words)),
            _ => {}
        }
        follows
    }

    fn plain(&mut self, instruction: &Instruction) {
        use Opcode::*;
        let effect = effect::of(instruction);
        let operand = |index: usize| instruction.operands[index];
        if effect.pushes_first > 0 {
            self.stack.push(self.accu);
        }
        match instruction.opcode {
            Push | Event | CheckSignals => {}
            Pop => self.drop(operand(0) as usize),
            PushRetAddr => self.stack.extend([None; 3]),
            Acc0 | PushAcc0 => self.accu = self.slot(0),
            Acc1 | PushAcc1 => self.accu = self.slot(1),
            Acc2 | PushAcc2 => self.accu = self.slot(2),
            Acc3 | PushAcc3 => self.accu = self.slot(3),
            Acc4 | PushAcc4 => self.accu = self.slot(4),
            Acc5 | PushAcc5 => self.accu = self.slot(5),
            Acc6 | PushAcc6 => self.accu = self.slot(6),
            Acc7 | PushAcc7 => self.accu = self.slot(7),
            Acc | PushAcc => self.accu = self.slot(operand(0) as usize),
            Const0 | Const1 | Const2 | Const3 | ConstInt | PushConst0 | PushConst1 | PushConst2
            | PushConst3 | PushConstInt | Atom0 | Atom | PushAtom0 | PushAtom => self.accu = None,
            GetGlobal | PushGetGlobal => self.accu = self.globals.get(&operand(0)).copied(),
            GetGlobalField | PushGetGlobalField => {
                let module = self.globals.get(&operand(0)).copied();
                self.accu = self.field(module, operand(1));
            }
            GetField0 => self.accu = self.field(self.accu, 0),
            GetField1 => self.accu = self.field(self.accu, 1),
            GetField2 => self.accu = self.field(self.accu, 2),
            GetField3 => self.accu = self.field(self.accu, 3),
            GetField => self.accu = self.field(self.accu, operand(0)),
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

    fn escape_accu(&mut self) {
        self.escaped.extend(self.accu.take());
    }

    fn slot(&self, index: usize) -> Option<Value> {
        let at = self.stack.len().checked_sub(index + 1)?;
        self.stack[at]
    }

    fn drop(&mut self, count: usize) {
        let kept = self.stack.len().saturating_sub(count);
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

/// The functions that are reached, and those of them whose code is not read yet.
struct Reach<'a> {
    entries: &'a [Entry],
    modules: Modules<'a>,
    reached: HashSet<usize>,
    work: Vec<usize>,
}

impl Reach<'_> {
    /// Reads a function's code; false if it can get at everything.
    fn function(&mut self, number: usize, reaches_all: &impl Fn(usize) -> bool) -> bool {
        let captured = self.modules.captured.remove(&number).unwrap_or_default();
        captured.into_iter().for_each(|value| self.value(value));
        // The program's own code was followed.
        if number == 0 {
            return true;
        }
        let Entry { position, end, .. } = self.entries[number];
        let code = &self.modules.code[position..end];
        let mut instructions = decode::instructions(code).peekable();
        while let Some(instruction) = instructions.next() {
            if let Some((primitive, _)) = effect::primitive(&instruction)
                && reaches_all(primitive)
            {
                return false;
            }
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
        true
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
                    if self.reached.insert(number) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::assemble::assemble;
    use crate::image::verify::{Limits, verify};

    /// Which of the functions of a program are reached: those whose bodies begin with `ConstInt` of
    /// a number, by that number. Primitive 1 gets at everything.
    fn reached(program: &str) -> Vec<i32> {
        let code = assemble(program);
        let limits = Limits {
            parameters: 0,
            globals: 9,
            primitives: 2,
            rewritten: false,
            primitive_arity: &|_| Some(1),
        };
        let verified = verify(&code, &limits).expect("the code is sound");
        let entries = entries(&code, &verified, |primitive| primitive == 1);
        let bodies = entries.into_iter().map(|entry| &code[entry..]);
        let numbered = bodies.filter(|body| body[0] == Opcode::ConstInt as i32);
        let mut numbers: Vec<i32> = numbered.map(|body| body[1]).collect();
        numbers.sort_unstable();
        numbers
    }

    /// A module of functions 1, 2 and 3, of which 3 captures 1, in global 0; then `rest`, and the
    /// functions. Function 4 does `body`.
    fn module(rest: &str, body: &str) -> Vec<i32> {
        reached(&format!(
            "Closure 0 @f1; Push; Closure 0 @f2; Push; Acc1; Closure 1 @f3; Push;
             Acc0; Push; Acc2; Push; Acc4; MakeBlock3 0; Pop 3; SetGlobal 0; {rest}; Stop;
             f1: ConstInt 1; Return 1; f2: ConstInt 2; Return 1; f3: ConstInt 3; Return 1;
             f4: ConstInt 4; {body}; Return 1"
        ))
    }

    #[test]
    fn what_is_only_put_into_a_module_is_not_reached() {
        assert_eq!(module("Const0", "Const0"), []);
    }

    #[test]
    fn a_field_that_is_read_is_reached_and_what_it_captures() {
        let call = "Closure 0 @f4; CCall1 0";
        assert_eq!(module(call, "GetGlobalField 0 1"), [2, 4]);
        assert_eq!(module(call, "GetGlobal 0; GetField1"), [2, 4]);
        assert_eq!(module(call, "GetGlobal 0; GetField2"), [1, 3, 4]);
        assert_eq!(module(call, "GetGlobal 0; CCall1 0"), [1, 2, 3, 4]);
        assert_eq!(module(call, "CCall1 1"), [1, 2, 3, 4]);
        assert_eq!(module("GetGlobalField 0 0; CCall1 0", "Const0"), [1]);
    }

    #[test]
    fn a_module_in_a_module_is_followed() {
        let copy = "GetGlobal 0; MakeBlock1 0; SetGlobal 1; Closure 0 @f4; CCall1 0";
        assert_eq!(module(copy, "GetGlobalField 1 0; GetField1"), [2, 4]);
        assert_eq!(
            module(copy, "GetGlobalField 1 0; Push; Pop 1"),
            [1, 2, 3, 4]
        );
    }

    #[test]
    fn siblings_come_together_and_so_do_closures_that_are_made() {
        let program = "ClosureRec 2 0 @f1 @f2; Acc0; MakeBlock1 0; SetGlobal 0; Closure 0 @f3;
             CCall1 0; Stop; f1: ConstInt 1; Return 1; f2: ConstInt 2; Return 1;
             f3: ConstInt 3; Closure 0 @f4; Return 1; f4: ConstInt 4; Return 1;";
        assert_eq!(reached(program), [3, 4]);
        let read = program.replace("ConstInt 4;", "ConstInt 4; GetGlobalField 0 0;");
        assert_eq!(reached(&read), [1, 2, 3, 4]);
    }

    #[test]
    fn both_ways_to_a_join_count() {
        let program = "Const0; BranchIf @other; Closure 0 @f1; Branch @join;
             other: Closure 0 @f2; join: MakeBlock1 0; SetGlobal 0; Stop;
             f1: ConstInt 1; Return 1; f2: ConstInt 2; Return 1";
        assert_eq!(reached(program), [1]);
    }
}
