//! One match of a compiled expression, with backtracking.
//!
//! A program is an array of integers, the operation in the low 8 bits and its argument above
//! ([`super::program`]). It is run as it lies in the heap, because most texts are short: decoding
//! it first would take longer than the match. What a step changes is kept on a trail with the
//! choices, so that going back to a choice undoes it. Positions are offsets in the text; a group or
//! a mark that was not met has none.
//!
//! Invariant: after a match that failed, groups and marks are as before it. Nothing here allocates
//! on the OCaml heap but [`Matcher::bounds`], so what was borrowed of it stays where it is.
//!
//! Left out: searching ([`super`]).

use super::program::{Program, contains, op};
use crate::heap;
use crate::os;
use crate::value::Value;
use std::mem;

/// What is undone on the way back to a choice. It is small, as each round of a loop leaves some.
#[derive(Clone, Copy)]
struct Trail {
    /// The register that had the value, or, with [`CHOICE`], where to go on at that position.
    place: u32,
    value: u32,
}

const CHOICE: u32 = 1 << 31;

/// In place of a position where there is none.
const NONE: u32 = u32::MAX;

/// How a step ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Next,
    Accept,
    /// No match here.
    Fail,
    /// None, as the text ends.
    AtEnd,
}

/// What counts as a match.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Whole,
    /// The beginning of one that the end of the text cuts off, too.
    Partial,
}

/// Entries of the trail whose memory is kept for the next match.
const TRAIL_KEPT: usize = 16 << 10;

/// What changes during a match. Its memory is used again for the next one.
pub struct Scratch {
    /// Where groups start and end, in turn, the first being the whole match; then the marks.
    registers: Vec<u32>,
    trail: Vec<Trail>,
}

/// One expression on one text.
pub struct Matcher<'a> {
    program: Program<'a>,
    text: &'a [u8],
    /// How many registers are bounds.
    bounds: usize,
    scratch: &'a mut Scratch,
}

impl Scratch {
    pub const fn new() -> Self {
        Self {
            registers: Vec::new(),
            trail: Vec::new(),
        }
    }
}

impl<'a> Matcher<'a> {
    pub fn new(program: Program<'a>, text: &'a [u8], scratch: &'a mut Scratch) -> Self {
        let bounds = 2 * program.groups();
        scratch.registers.clear();
        scratch.registers.resize(bounds + program.marks(), NONE);
        scratch.trail.clear();
        scratch.trail.shrink_to(TRAIL_KEPT);
        Self {
            program,
            text,
            bounds,
            scratch,
        }
    }

    pub fn program(&self) -> Program<'a> {
        self.program
    }

    pub fn text(&self) -> &'a [u8] {
        self.text
    }

    /// Whether there is a match from `start` on; its groups are known then. To be asked until there
    /// is one.
    pub fn matches(&mut self, start: usize, mode: Mode) -> bool {
        let end = self.run(start, mode);
        if let (Some(end), [first, last, ..]) = (end, &mut self.scratch.registers[..]) {
            (*first, *last) = (start as u32, end as u32);
        }
        end.is_some()
    }

    /// Where the match from `start` on ends.
    fn run(&mut self, start: usize, mode: Mode) -> Option<usize> {
        let (program, text) = (self.program, self.text);
        let (mut pc, mut position) = (0, start);
        loop {
            let word = program.word(pc).unwrap_or_else(|| impossible());
            let argument = (word as u64 >> 8) as usize;
            pc += 1;
            let step = match word & 0xFF {
                op::CHAR => one(text, &mut position, |found| found == argument as u8),
                op::CHAR_NORMAL => one(text, &mut position, |found| {
                    program.normal(found) == argument as u8
                }),
                op::STRING => all(text, &mut position, program.string(argument), |found| found),
                op::STRING_NORMAL => all(text, &mut position, program.string(argument), |found| {
                    program.normal(found)
                }),
                op::CLASS => {
                    let class = program.class(argument);
                    one(text, &mut position, |found| contains(class, found))
                }
                op::LINE_START => {
                    condition(before(text, position).is_none_or(|before| before == b'\n'))
                }
                op::LINE_END => {
                    condition(text.get(position).is_none_or(|&current| current == b'\n'))
                }
                op::WORD_BOUNDARY => word_boundary(text, position),
                op::GROUP_START => self.set(2 * argument, position),
                op::GROUP_END => self.set(2 * argument + 1, position),
                op::GROUP_AGAIN => match self.group(argument) {
                    Some(again) => all(text, &mut position, again, |found| found),
                    None => Step::Fail,
                },
                op::ACCEPT => Step::Accept,
                op::OPTIONAL => {
                    let class = program.class(argument);
                    let current = text.get(position);
                    position += usize::from(current.is_some_and(|&found| contains(class, found)));
                    Step::Next
                }
                op::STAR => run_of(text, &mut position, program.class(argument)),
                op::PLUS => {
                    let class = program.class(argument);
                    match one(text, &mut position, |found| contains(class, found)) {
                        Step::Next => run_of(text, &mut position, class),
                        other => other,
                    }
                }
                op::GOTO => {
                    pc = target(pc, word);
                    Step::Next
                }
                op::CHOICE => {
                    let other = target(pc, word);
                    if program.is_hopeless(pc, text.get(position)) {
                        pc = other;
                        Step::Next
                    } else {
                        self.remember(other as u32 | CHOICE, position as u32)
                    }
                }
                op::SET_MARK => self.set(self.bounds + argument, position),
                op::CHECK_PROGRESS => {
                    condition(self.scratch.registers[self.bounds + argument] != position as u32)
                }
                _ => impossible(),
            };
            match step {
                Step::Next => {}
                Step::Accept => return Some(position),
                Step::AtEnd if mode == Mode::Partial => return Some(position),
                Step::AtEnd | Step::Fail => (pc, position) = self.back()?,
            }
        }
    }

    /// Undoes what was done since the last choice, and takes it.
    #[inline]
    fn back(&mut self) -> Option<(usize, usize)> {
        let Scratch { registers, trail } = &mut *self.scratch;
        while let Some(Trail { place, value }) = trail.pop() {
            if place & CHOICE != 0 {
                return Some(((place & !CHOICE) as usize, value as usize));
            }
            registers[place as usize] = value;
        }
        None
    }

    #[inline(always)]
    fn set(&mut self, register: usize, position: usize) -> Step {
        let old = mem::replace(&mut self.scratch.registers[register], position as u32);
        self.remember(register as u32, old)
    }

    #[inline(always)]
    fn remember(&mut self, place: u32, value: u32) -> Step {
        self.scratch.trail.push(Trail { place, value });
        Step::Next
    }

    /// The text of a group that was met.
    fn group(&self, group: usize) -> Option<&'a [u8]> {
        let bound = |index: usize| {
            let bound = self.scratch.registers[2 * group + index];
            (bound != NONE).then_some(bound as usize)
        };
        Some(self.text.get(bound(0)?..bound(1)?).unwrap_or_default())
    }

    /// An array of the groups' bounds, -1 for those that were not met.
    pub fn bounds(&self) -> Value {
        let array = heap::alloc(self.bounds, 0);
        let bounds = &self.scratch.registers[..self.bounds];
        for (group, bounds) in bounds.chunks_exact(2).enumerate() {
            let found = match *bounds {
                [start, end] if start != NONE && end != NONE => [start.into(), end.into()],
                _ => [-1, -1],
            };
            array.init_field(2 * group, Value::int(found[0]));
            array.init_field(2 * group + 1, Value::int(found[1]));
        }
        array
    }
}

/// The character before `position`, if there is one.
fn before(text: &[u8], position: usize) -> Option<u8> {
    text.get(position.wrapping_sub(1)).copied()
}

/// One character for which `accepts` holds.
#[inline(always)]
fn one(text: &[u8], position: &mut usize, accepts: impl Fn(u8) -> bool) -> Step {
    match text.get(*position) {
        None => Step::AtEnd,
        Some(&current) if accepts(current) => {
            *position += 1;
            Step::Next
        }
        Some(_) => Step::Fail,
    }
}

/// All of `wanted`, where `seen` says what a character of the text is taken for.
#[inline(always)]
fn all(text: &[u8], position: &mut usize, wanted: &[u8], seen: impl Fn(u8) -> u8) -> Step {
    for &wanted in wanted {
        match one(text, position, |found| seen(found) == wanted) {
            Step::Next => {}
            other => return other,
        }
    }
    Step::Next
}

/// As many characters of a class as there are.
#[inline(always)]
fn run_of(text: &[u8], position: &mut usize, class: &[u8]) -> Step {
    let rest = text.get(*position..).unwrap_or_default();
    let length = rest.iter().position(|&current| !contains(class, current));
    *position += length.unwrap_or(rest.len());
    Step::Next
}

/// The ends of the text count as no letters; an empty text may go on either way.
fn word_boundary(text: &[u8], position: usize) -> Step {
    let (before, current) = (before(text, position), text.get(position));
    match (before, current) {
        (None, None) => Step::AtEnd,
        _ => condition(
            before.is_some_and(is_word_letter)
                != current.is_some_and(|&current| is_word_letter(current)),
        ),
    }
}

/// Where a jump leads: relative to the next operation.
fn target(pc: usize, word: i64) -> usize {
    pc.wrapping_add_signed((word >> 8) as isize)
}

fn condition(holds: bool) -> Step {
    if holds { Step::Next } else { Step::Fail }
}

#[cold]
fn impossible() -> ! {
    os::fatal_error("impossible case in re_match")
}

/// Letters of Latin-1, digits and the underscore.
fn is_word_letter(character: u8) -> bool {
    character.is_ascii_alphanumeric()
        || character == b'_'
        || character >= 0xC0 && !matches!(character, 0xD7 | 0xF7)
}
