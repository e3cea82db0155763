//! What instructions give that neither jump nor call.

use super::made::Made;
use super::pending::Dependency;
use super::scan::{Group, gives_data};
use super::state::{Known, Lost, Origin, Seen, State};
use super::{Access, Block, Given, Program};
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
        let existing = Origin::Loaded(instruction.position);
        if let Some(load) = load::of(instruction) {
            let loaded = self.loaded(load, state);
            return Some(match load {
                Load::Global(_) | Load::Field(_) => loaded.with_origin(existing),
                _ => loaded,
            });
        }
        match instruction.opcode {
            SetGlobal => {
                let global = operand(0);
                let known = self.globals[&global];
                let known = self.note(Dependency::Global(global), known, state.accu);
                self.boxes.store(state.accu.seen);
                self.globals.insert(global, known);
                Some(Known::ANYTHING)
            }
            MakeBlock => Some(self.block(instruction, state, operand(0) as usize)),
            MakeBlock1 => Some(self.block(instruction, state, 1)),
            MakeBlock2 => Some(self.block(instruction, state, 2)),
            MakeBlock3 => Some(self.block(instruction, state, 3)),
            Assign => Some(state.assign(operand(0), state.accu, lost)),
            OffsetSlot | PushOffsetSlot => Some(state.assign(operand(0), Known::ANYTHING, lost)),
            GetVectItem => Some(self.element(state.accu).with_origin(existing)),
            SetField0 => self.set_field(state, Some(0)),
            SetField1 => self.set_field(state, Some(1)),
            SetField2 => self.set_field(state, Some(2)),
            SetField3 => self.set_field(state, Some(3)),
            SetField => self.set_field(state, Some(operand(0))),
            SetVectItem => self.set_field(state, None),
            OffsetRef => {
                self.assign_field(state.accu, Some(0), Known::DATA);
                Some(Known::DATA)
            }
            NegInt | OffsetInt | AddInt | SubInt | MulInt | DivInt | ModInt | AndInt | OrInt
            | XorInt | LslInt | LsrInt | AsrInt => Some(computed(instruction, state)),
            GetFloatField => Some(Known::certain(Seen::Number(boxed::FLOAT, Origin::Made))),
            Push | Pop | PushRetAddr | Grab | CheckSignals | Event => None,
            _ if gives_data(instruction) => Some(Known::DATA),
            _ => Some(match effect::primitive(instruction) {
                Some((primitive, _)) => self.primitive(primitive, instruction.position, state),
                None => Known::ANYTHING,
            }),
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
            Load::Atom(_) => Known::DATA,
            Load::Field(index) => {
                let field = self.field(state.accu, index);
                self.followed(state.accu, field)
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
        self.read(block, Some(index as usize))
    }

    /// Whether this is a block that nothing unknown can write to. Code that is loaded later gets
    /// whatever modules have.
    fn is_followed(&self, block: Known) -> bool {
        let is_lost = |made: Made| match made {
            Made::Block(site) => {
                let block = self.blocks.get(site as usize);
                block.is_some_and(|block| block.is_lost)
            }
            Made::Closure(_) | Made::Partial(..) => false,
        };
        let mut all = block.seen.made().peekable();
        block.certain && all.peek().is_some() && !all.any(is_lost) && self.facts.is_closed()
    }

    /// What is known of a field of this block, which others may write to if it is not followed.
    fn followed(&self, block: Known, field: Known) -> Known {
        match self.is_followed(block) || block == Known::UNREACHED {
            true => field,
            false => field.guessed(),
        }
    }

    /// Any field of a block.
    fn element(&mut self, block: Known) -> Known {
        let element = self.read(block, None);
        self.followed(block, element)
    }

    /// What is in field `index` of each of the blocks that this may be, or in any of their fields.
    fn read(&mut self, block: Known, index: Option<usize>) -> Known {
        if block == Known::UNREACHED {
            return block;
        }
        let mut found: Option<Known> = None;
        let mut lost = Lost::nothing(self.most);
        for made in block.seen.made() {
            let Made::Block(site) = made else { continue };
            let site = site as usize;
            self.pending.read(Dependency::Block(site), self.walked);
            let fields = self.blocks.get(site).map_or(&[][..], |block| &block.fields);
            let read = match index {
                // One that has no such field is not what is read.
                Some(index) => fields.get(index..index + 1).unwrap_or_default(),
                None => fields,
            };
            for &field in read {
                let found = found.get_or_insert(Known::UNREACHED);
                found.meet(field, &mut lost);
            }
        }
        self.lose_all(&mut lost);
        let found = found.unwrap_or(Known::ANYTHING);
        match block.certain {
            true => found,
            false => found.guessed(),
        }
    }

    /// Joins what goes into a new block with what is known of blocks made here.
    fn block(&mut self, instruction: &Instruction, state: &State, count: usize) -> Known {
        let site = instruction.position;
        let known = self.blocks.take(site);
        let mut known = known.unwrap_or_else(|| Block::unreached(count));
        let operands =
            std::iter::once(state.accu).chain((0..count - 1).map(|index| state.slot(index)));
        for (known, seen) in known.fields.iter_mut().zip(operands) {
            *known = self.note(Dependency::Block(site), *known, seen);
            self.boxes.store(seen.seen);
        }
        if known.is_lost {
            known.fields.iter().for_each(|known| self.lose(known.seen));
        }
        self.blocks.insert(site, known);
        Known::certain(Seen::one(Made::Block(site as u32)))
    }

    /// Whether an instruction looks at the number in a box, and keeps nothing of the box.
    pub(super) fn opens(&self, instruction: &Instruction, taken: Seen) -> bool {
        use Opcode::*;
        let Seen::Number(kind, _) = taken else {
            return false;
        };
        match instruction.opcode {
            SetFloatField | MakeFloatBlock => true,
            _ => effect::primitive(instruction).is_some_and(|(index, _)| {
                // An array of floats has the numbers themselves.
                let is_write = self.facts.access(index) == Some(Access::Write);
                self.facts.opens(index) || (is_write && kind == boxed::FLOAT)
            }),
        }
    }

    /// Whether a primitive is called that does nothing but look at what it is given, or put it into
    /// an array.
    pub(super) fn looks_at_arguments(&self, instruction: &Instruction) -> bool {
        effect::primitive(instruction)
            .is_some_and(|(index, _)| self.facts.access(index).is_some() || self.facts.opens(index))
    }

    /// What the primitive of this index returns to the call at this word.
    fn primitive(&mut self, index: usize, call: usize, state: &State) -> Known {
        match (self.facts.access(index), self.facts.given_by(index)) {
            (Some(Access::Read), _) => self.element(state.accu).with_origin(Origin::Loaded(call)),
            (Some(Access::Write), _) => {
                self.assign_field(state.accu, None, state.slot(1));
                Known::DATA
            }
            (None, Some(Given::Integer(integer))) => Known::certain(Seen::Integer(integer)),
            (None, Some(Given::Number(kind))) => number(Some(kind)),
            (None, None) => Known::ANYTHING,
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
        Some(Known::DATA)
    }

    /// A value goes into field `index` of a block, or into one of which it is not known which.
    fn assign_field(&mut self, block: Known, index: Option<i32>, value: Known) {
        if !self.is_followed(block) && block != Known::UNREACHED {
            self.lost.extend(value.seen.made());
        }
        for made in block.seen.made() {
            let Made::Block(site) = made else { continue };
            let site = site as usize;
            let Some(mut known) = self.blocks.take(site) else {
                continue;
            };
            let fields = &mut known.fields;
            let assigned = match index {
                None => 0..fields.len(),
                Some(index) => {
                    let index = index as usize;
                    index.min(fields.len())..(index + 1).min(fields.len())
                }
            };
            for field in &mut fields[assigned] {
                *field = self.note(Dependency::Block(site), *field, value);
            }
            self.blocks.insert(site, known);
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
        return Known::DATA;
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
    small.map_or(Known::DATA, |result| Known::certain(Seen::Integer(result)))
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
