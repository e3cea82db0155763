//! What instructions give that neither jump nor call.

use super::made::Made;
use super::pending::Dependency;
use super::scan::Group;
use super::state::{Known, Lost, Origin, Seen, State};
use super::{Access, Given, Program};
use crate::code::decode::{self, Instruction};
use crate::code::effect;
use crate::code::load::{self, Load};
use crate::code::opcode::Opcode;
use crate::value::boxed;

impl Program<'_> {
    /// What the accumulator is afterwards; `None`: what it was.
    pub(super) fn result(
        &mut self,
        instruction: &Instruction,
        state: &mut State,
        lost: &mut Lost,
    ) -> Option<Known> {
        use Opcode::*;
        let operand = |index: usize| instruction.operands[index];
        if let Some(load) = load::of(instruction) {
            return Some(self.loaded(load, state));
        }
        match instruction.opcode {
            SetGlobal => {
                let global = operand(0);
                let known = self.globals[&global];
                let known = self.note(Dependency::Global(global), known, state.accu);
                self.kept.extend(state.accu.seen.origin());
                self.globals.insert(global, known);
                Some(Known::ANYTHING)
            }
            MakeBlock => Some(self.block(instruction, state, operand(0) as usize)),
            MakeBlock1 => Some(self.block(instruction, state, 1)),
            MakeBlock2 => Some(self.block(instruction, state, 2)),
            MakeBlock3 => Some(self.block(instruction, state, 3)),
            Assign => Some(state.assign(operand(0), state.accu, lost)),
            OffsetSlot | PushOffsetSlot => Some(state.assign(operand(0), Known::ANYTHING, lost)),
            GetVectItem => Some(self.element(state.accu).guessed()),
            SetField0 => self.set_field(state, Some(0)),
            SetField1 => self.set_field(state, Some(1)),
            SetField2 => self.set_field(state, Some(2)),
            SetField3 => self.set_field(state, Some(3)),
            SetField => self.set_field(state, Some(operand(0))),
            SetVectItem => self.set_field(state, None),
            NegInt | OffsetInt | AddInt | SubInt | MulInt | DivInt | ModInt | AndInt | OrInt
            | XorInt | LslInt | LsrInt | AsrInt => Some(computed(instruction, state)),
            GetFloatField => Some(Known::certain(Seen::Number(boxed::FLOAT, Origin::Made))),
            CCall1 | CCall2 | CCall3 | CCall4 | CCall5 | CCallN => {
                Some(self.primitive(instruction, state))
            }
            Push | Pop | PushRetAddr | Grab | CheckSignals | Event => None,
            _ => Some(Known::ANYTHING),
        }
    }

    fn loaded(&mut self, load: Load, state: &State) -> Known {
        let function = self.walked;
        match load {
            Load::Slot(index) => state.slot(index as usize),
            Load::Variable(variable) => self.captured[function].get(variable as usize),
            Load::Closure(0) => closure(function),
            Load::Closure(words) => self.sibling(function, words),
            Load::Global(index) => self.global(index),
            Load::GlobalField { global, field } => {
                let module = self.global(global);
                self.field(module, field)
            }
            Load::Integer(integer) => Known::certain(Seen::Integer(integer)),
            Load::Atom(_) => Known::ANYTHING,
            Load::Field(index) => {
                let field = self.field(state.accu, index);
                match field.seen {
                    Seen::Made(_) if self.is_followed(state.accu) => field,
                    _ => field.guessed(),
                }
            }
        }
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
                .get(usize::try_from(made.table_target(index)).ok()?)
        });
        found.map_or(Known::ANYTHING, |&number| Known {
            seen: Seen::one(Made::Closure(number as u32)),
            certain: self.sites[function] == 1,
        })
    }

    /// What is in a global. Those that no code sets come with the file.
    fn global(&mut self, index: i32) -> Known {
        self.pending.read(Dependency::Global(index), self.walked);
        let set = self.globals.get(&index).copied();
        set.unwrap_or_else(|| self.constant(index))
    }

    /// A field of a block.
    fn field(&mut self, block: Known, index: i32) -> Known {
        self.read(block, |fields| fields.get(index as usize).copied())
    }

    /// Whether this is a block that nothing unknown can write to. Code that is loaded later gets
    /// whatever modules have.
    fn is_followed(&self, block: Known) -> bool {
        match block.seen.made() {
            &[Made::Block(site)] => {
                let is_lost = self.lost_blocks.contains(&(site as usize));
                block.certain && !is_lost && self.facts.is_closed()
            }
            _ => false,
        }
    }

    /// Any field of a block.
    fn element(&mut self, block: Known) -> Known {
        self.read(block, |fields| fields.iter().copied().reduce(Known::join))
    }

    /// What `read` finds in the fields of each of the blocks that this may be.
    fn read(&mut self, block: Known, read: impl Fn(&[Known]) -> Option<Known>) -> Known {
        for &made in block.seen.made() {
            if let Made::Block(site) = made {
                self.pending
                    .read(Dependency::Block(site as usize), self.walked);
            }
        }
        let of = |&made: &Made| match made {
            Made::Block(site) => {
                let fields = self.blocks.get(site as usize);
                fields
                    .and_then(|fields| read(fields))
                    .unwrap_or(Known::ANYTHING)
            }
            Made::Closure(_) | Made::Partial(..) => Known::ANYTHING,
        };
        match block.seen {
            Seen::Nothing => block,
            Seen::Made(few) if few.only().is_some() && block.certain => of(&few.all()[0]),
            seen => {
                let all = seen.made().iter().map(of);
                all.fold(Known::ANYTHING, |all, one| all.join(one.guessed()))
            }
        }
    }

    /// Joins what goes into a new block with what is known of blocks made here.
    fn block(&mut self, instruction: &Instruction, state: &State, count: usize) -> Known {
        let site = instruction.position;
        let known = self.blocks.take(site);
        let mut known = known.unwrap_or_else(|| vec![Known::UNREACHED; count]);
        let operands =
            std::iter::once(state.accu).chain((0..count - 1).map(|index| state.slot(index)));
        for (known, seen) in known.iter_mut().zip(operands) {
            *known = self.note(Dependency::Block(site), *known, seen);
            self.kept.extend(seen.seen.origin());
        }
        if self.lost_blocks.contains(&site) {
            known.iter().for_each(|known| self.lose(known.seen));
        }
        self.blocks.insert(site, known);
        Known::certain(Seen::one(Made::Block(site as u32)))
    }

    /// Whether an instruction looks at the number in a box of this kind, if it has one, and keeps
    /// nothing of the box.
    pub(super) fn opens(&self, instruction: &Instruction, kind: u32) -> bool {
        use Opcode::*;
        match instruction.opcode {
            SetFloatField | MakeFloatBlock => true,
            CCall1 | CCall2 | CCall3 | CCall4 | CCall5 | CCallN => {
                effect::primitive(instruction).is_some_and(|(index, _)| {
                    // An array of floats has the numbers themselves.
                    let is_write = self.facts.access(index) == Some(Access::Write);
                    self.facts.opens(index) || (is_write && kind == boxed::FLOAT)
                })
            }
            _ => false,
        }
    }

    /// What a primitive returns.
    fn primitive(&mut self, call: &Instruction, state: &State) -> Known {
        let access = effect::primitive(call).and_then(|(index, _)| self.facts.access(index));
        match access {
            Some(Access::Read) => self.element(state.accu).guessed(),
            Some(Access::Write) => {
                self.assign_field(state.accu, None, state.slot(1));
                Known::ANYTHING
            }
            None => self.given_by(call),
        }
    }

    /// What a primitive returns that reads and writes no array.
    fn given_by(&self, call: &Instruction) -> Known {
        let primitive = effect::primitive(call);
        match primitive.and_then(|(index, _)| self.facts.given_by(index)) {
            Some(Given::Integer(integer)) => Known::certain(Seen::Integer(integer)),
            Some(Given::Number(kind)) => number(Some(kind)),
            None => number(None),
        }
    }

    /// What is in a global that the code does not set.
    fn constant(&self, global: i32) -> Known {
        let global = usize::try_from(global).ok();
        number(global.and_then(|global| self.facts.constant(global)))
    }

    fn set_field(&mut self, state: &State, index: Option<i32>) -> Option<Known> {
        let value = match index {
            Some(_) => state.slot(0),
            None => state.slot(1),
        };
        self.assign_field(state.accu, index, value);
        Some(Known::ANYTHING)
    }

    /// A value goes into field `index` of a block, or into one of which it is not known which.
    fn assign_field(&mut self, block: Known, index: Option<i32>, value: Known) {
        for &made in block.seen.made() {
            let Made::Block(site) = made else { continue };
            let site = site as usize;
            let Some(mut fields) = self.blocks.take(site) else {
                continue;
            };
            let assigned = match index {
                None => 0..fields.len(),
                Some(index) => {
                    let index = index as usize;
                    index.min(fields.len())..(index + 1).min(fields.len())
                }
            };
            for field in &mut fields[assigned] {
                *field = self.note(Dependency::Block(site), *field, value.guessed());
            }
            self.blocks.insert(site, fields);
        }
    }
}

/// What arithmetic gives of integers that are known, if that is a small one again.
fn computed(instruction: &Instruction, state: &State) -> Known {
    use Opcode::*;
    let (a, b) = match instruction.opcode {
        NegInt => (Known::certain(Seen::Integer(0)), state.accu),
        OffsetInt => {
            let offset = Seen::Integer(instruction.operands[0]);
            (state.accu, Known::certain(offset))
        }
        _ => (state.accu, state.slot(0)),
    };
    if [a, b].contains(&Known::UNREACHED) {
        return Known::UNREACHED;
    }
    let (Seen::Integer(a), Seen::Integer(b)) = (a.seen, b.seen) else {
        return Known::ANYTHING;
    };
    let (a, b) = (i64::from(a), i64::from(b));
    let distance = || u32::try_from(b).ok().filter(|distance| *distance < 32);
    let result = match instruction.opcode {
        OffsetInt | AddInt => Some(a + b),
        NegInt | SubInt => Some(a - b),
        MulInt => Some(a * b),
        DivInt => a.checked_div(b),
        ModInt => a.checked_rem(b),
        AndInt => Some(a & b),
        OrInt => Some(a | b),
        XorInt => Some(a ^ b),
        LslInt => distance().map(|distance| a << distance),
        LsrInt if a < 0 => None,
        _ => distance().map(|distance| a >> distance),
    };
    let small = result.and_then(|result| i32::try_from(result).ok());
    small.map_or(Known::ANYTHING, |result| {
        Known::certain(Seen::Integer(result))
    })
}

fn number(kind: Option<u32>) -> Known {
    kind.map_or(Known::ANYTHING, |kind| {
        Known::certain(Seen::Number(kind, Origin::Made))
    })
}

/// A closure of a function.
pub(super) fn closure(function: usize) -> Known {
    Known::certain(Seen::one(Made::Closure(function as u32)))
}
