//! One match of a compiled expression.
//!
//! A program is an array of integers, the operation in the low 8 bits and its argument above. What a step changes
//! is kept on a trail with the choices, so that going back to a choice undoes it. Positions are offsets in the
//! text; a group or a mark that was not met has none.
//!
//! Left out: searching ([`super`]).

use crate::heap;
use crate::os;
use crate::value::Value;

/// Fields of a compiled expression.
pub mod compiled {
    pub const PROGRAM: usize = 0;
    /// Strings, and sets of characters as bits.
    pub const POOL: usize = 1;
    /// What each character is as without case.
    pub const NORMAL: usize = 2;
    pub const GROUPS: usize = 3;
    pub const MARKS: usize = 4;
    /// In the pool, which characters a match may begin with; -1: any.
    pub const FIRST: usize = 5;
}

/// One operation, with its argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operation {
    Char(u8),
    CharNormal(u8),
    String(usize),
    StringNormal(usize),
    Class(usize),
    LineStart,
    LineEnd,
    WordBoundary,
    GroupStart(usize),
    GroupEnd(usize),
    GroupAgain(usize),
    Accept,
    Optional(usize),
    Star(usize),
    Plus(usize),
    /// Jumps are relative to the next operation.
    Goto(i64),
    Choice(i64),
    SetMark(usize),
    CheckProgress(usize),
}

impl Operation {
    fn decode(word: i64) -> Option<Self> {
        let argument = (word as u64 >> 8) as usize;
        Some(match word & 0xFF {
            0 => Self::Char(argument as u8),
            1 => Self::CharNormal(argument as u8),
            2 => Self::String(argument),
            3 => Self::StringNormal(argument),
            4 => Self::Class(argument),
            5 => Self::LineStart,
            6 => Self::LineEnd,
            7 => Self::WordBoundary,
            8 => Self::GroupStart(argument),
            9 => Self::GroupEnd(argument),
            10 => Self::GroupAgain(argument),
            11 => Self::Accept,
            12 => Self::Optional(argument),
            13 => Self::Star(argument),
            14 => Self::Plus(argument),
            15 => Self::Goto(word >> 8),
            16 => Self::Choice(word >> 8),
            17 => Self::SetMark(argument),
            18 => Self::CheckProgress(argument),
            _ => return None,
        })
    }
}

/// What is undone on the way back to a choice.
#[derive(Clone, Copy)]
enum Trail {
    Choice { pc: usize, position: usize },
    GroupStart(usize, Option<usize>),
    GroupEnd(usize, Option<usize>),
    Mark(usize, Option<usize>),
}

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

/// One expression on one text.
pub struct Matcher<'a> {
    program: Value,
    pool: Value,
    normal: &'a [u8],
    text: &'a [u8],
    pc: usize,
    position: usize,
    /// Where groups start and end; the first is the whole match.
    groups: Vec<(Option<usize>, Option<usize>)>,
    marks: Vec<Option<usize>>,
    trail: Vec<Trail>,
}

impl<'a> Matcher<'a> {
    pub fn new(expression: Value, text: &'a [u8]) -> Self {
        let count = |field: usize| expression.field(field).as_int() as usize;
        Self {
            program: expression.field(compiled::PROGRAM),
            pool: expression.field(compiled::POOL),
            normal: normal(expression),
            text,
            pc: 0,
            position: 0,
            groups: vec![(None, None); count(compiled::GROUPS)],
            marks: vec![None; count(compiled::MARKS)],
            trail: Vec::new(),
        }
    }

    /// Whether there is a match from `start` on; its groups are known then.
    pub fn matches(&mut self, start: usize, mode: Mode) -> bool {
        self.groups.fill((None, None));
        self.marks.fill(None);
        self.trail.clear();
        (self.pc, self.position) = (0, start);
        loop {
            match self.step() {
                Step::Next => continue,
                Step::Accept => break,
                Step::AtEnd if mode == Mode::Partial => break,
                Step::AtEnd | Step::Fail => {
                    if !self.back() {
                        return false;
                    }
                }
            }
        }
        self.groups[0] = (Some(start), Some(self.position));
        true
    }

    /// Goes back to the last choice.
    fn back(&mut self) -> bool {
        while let Some(entry) = self.trail.pop() {
            match entry {
                Trail::Choice { pc, position } => {
                    (self.pc, self.position) = (pc, position);
                    return true;
                }
                Trail::GroupStart(group, old) => self.groups[group].0 = old,
                Trail::GroupEnd(group, old) => self.groups[group].1 = old,
                Trail::Mark(mark, old) => self.marks[mark] = old,
            }
        }
        false
    }

    fn next_operation(&mut self) -> Operation {
        let word = (self.pc < self.program.wosize()).then(|| self.program.field(self.pc));
        self.pc += 1;
        word.and_then(|word| Operation::decode(word.as_int()))
            .unwrap_or_else(|| os::fatal_error("impossible case in re_match"))
    }

    fn step(&mut self) -> Step {
        match self.next_operation() {
            Operation::Char(wanted) => self.one(|_, found| found == wanted),
            Operation::CharNormal(wanted) => self.one(|this, found| this.normal(found) == wanted),
            Operation::String(index) => self.all(self.string(index), |_, found| found),
            Operation::StringNormal(index) => {
                self.all(self.string(index), |this, found| this.normal(found))
            }
            Operation::Class(index) => {
                let class = self.class(index);
                self.one(|_, found| contains(class, found))
            }
            Operation::LineStart => {
                let before = self.position.checked_sub(1).map(|at| self.text[at]);
                condition(before.is_none_or(|before| before == b'\n'))
            }
            Operation::LineEnd => condition(self.current().is_none_or(|current| current == b'\n')),
            Operation::WordBoundary => self.word_boundary(),
            Operation::GroupStart(group) => {
                let old = self.groups[group].0.replace(self.position);
                self.remember(Trail::GroupStart(group, old))
            }
            Operation::GroupEnd(group) => {
                let old = self.groups[group].1.replace(self.position);
                self.remember(Trail::GroupEnd(group, old))
            }
            Operation::GroupAgain(group) => match self.groups[group] {
                (Some(start), Some(end)) => {
                    let again = self.text.get(start..end).unwrap_or_default();
                    self.all(again, |_, found| found)
                }
                _ => Step::Fail,
            },
            Operation::Accept => Step::Accept,
            Operation::Optional(index) => {
                let class = self.class(index);
                if self
                    .current()
                    .is_some_and(|current| contains(class, current))
                {
                    self.position += 1;
                }
                Step::Next
            }
            Operation::Star(index) => self.run_of(self.class(index)),
            Operation::Plus(index) => {
                let class = self.class(index);
                match self.one(|_, found| contains(class, found)) {
                    Step::Next => self.run_of(class),
                    other => other,
                }
            }
            Operation::Goto(distance) => {
                self.pc = self.target(distance);
                Step::Next
            }
            Operation::Choice(distance) => {
                let (pc, position) = (self.target(distance), self.position);
                self.remember(Trail::Choice { pc, position })
            }
            Operation::SetMark(mark) => {
                let old = self.marks[mark].replace(self.position);
                self.remember(Trail::Mark(mark, old))
            }
            Operation::CheckProgress(mark) => condition(self.marks[mark] != Some(self.position)),
        }
    }

    fn target(&self, distance: i64) -> usize {
        self.pc.wrapping_add_signed(distance as isize)
    }

    fn current(&self) -> Option<u8> {
        self.text.get(self.position).copied()
    }

    fn normal(&self, character: u8) -> u8 {
        self.normal[character as usize]
    }

    fn remember(&mut self, entry: Trail) -> Step {
        self.trail.push(entry);
        Step::Next
    }

    /// One character for which `accepts` holds.
    fn one(&mut self, accepts: impl Fn(&Self, u8) -> bool) -> Step {
        match self.current() {
            None => Step::AtEnd,
            Some(current) if accepts(self, current) => {
                self.position += 1;
                Step::Next
            }
            Some(_) => Step::Fail,
        }
    }

    /// All of `wanted`, where `seen` says what a character of the text is taken for.
    fn all(&mut self, wanted: &[u8], seen: impl Fn(&Self, u8) -> u8) -> Step {
        for &wanted in wanted {
            match self.one(|this, found| seen(this, found) == wanted) {
                Step::Next => {}
                other => return other,
            }
        }
        Step::Next
    }

    /// As many characters of a class as there are.
    fn run_of(&mut self, class: &[u8]) -> Step {
        while self
            .current()
            .is_some_and(|current| contains(class, current))
        {
            self.position += 1;
        }
        Step::Next
    }

    /// The ends of the text count as no letters; an empty text may go on either way.
    fn word_boundary(&self) -> Step {
        let before = self.position.checked_sub(1).map(|at| self.text[at]);
        match (before, self.current()) {
            (None, None) => Step::AtEnd,
            (before, current) => {
                condition(before.is_some_and(is_word_letter) != current.is_some_and(is_word_letter))
            }
        }
    }

    /// A string of the pool; the compiler puts none with a NUL in it there.
    fn string(&self, index: usize) -> &'a [u8] {
        let string: &'a [u8] = self.pool.field(index).string_bytes();
        string.split(|&byte| byte == 0).next().unwrap_or_default()
    }

    fn class(&self, index: usize) -> &'a [u8] {
        self.pool.field(index).string_bytes()
    }

    /// An array of the groups' bounds, -1 for those that were not met.
    pub fn bounds(&self) -> Value {
        let bound = |position: Option<usize>| Value::int(position.map_or(-1, |at| at as i64));
        let bounds: Vec<Value> = self
            .groups
            .iter()
            .flat_map(|&(start, end)| match (start, end) {
                (Some(_), Some(_)) => [bound(start), bound(end)],
                _ => [bound(None), bound(None)],
            })
            .collect();
        let array = heap::alloc(bounds.len(), 0);
        for (index, &bound) in bounds.iter().enumerate() {
            array.init_field(index, bound);
        }
        array
    }
}

/// The table of characters without case; empty where the expression has none.
fn normal<'a>(expression: Value) -> &'a [u8] {
    expression.field(compiled::NORMAL).string_bytes()
}

fn condition(holds: bool) -> Step {
    if holds { Step::Next } else { Step::Fail }
}

/// Membership in a set of 256 bits.
fn contains(class: &[u8], character: u8) -> bool {
    class[character as usize / 8] >> (character % 8) & 1 != 0
}

/// Letters of Latin-1, digits and the underscore.
fn is_word_letter(character: u8) -> bool {
    character.is_ascii_alphanumeric()
        || character == b'_'
        || character >= 0xC0 && !matches!(character, 0xD7 | 0xF7)
}
