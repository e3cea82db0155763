//! What matches begin with: a filter that passes over most positions of a text where an expression
//! does not match.
//!
//! For up to eight alternatives of the program, which characters the first places of a match may
//! hold. The filter goes over the text with all of them at once, by shifting a word in which each
//! place has a bit for each alternative (the method known as shift-and, of Baeza-Yates and Gonnet).
//! What it lets through may still be no match; what it stops is none.
//!
//! Invariant: the sets are supersets. Where the program allows more than is followed here, any
//! character is let through.

use super::program::{Program, contains, op};

/// Alternatives that are told apart: one a bit of a byte.
const ALTERNATIVES: usize = 8;
/// Places looked at: one a byte of a word.
const PLACES: usize = 8;
/// Operations that are followed: a program with more ways through its beginning gets no filter.
const BUDGET: usize = 256;

/// The filter of one program.
pub struct Prefix {
    /// For each character, in which places of which alternatives it may be: place 0 in the low
    /// byte.
    masks: [u64; 256],
    places: usize,
}

/// A way through the program that is still to be followed.
#[derive(Clone, Copy)]
struct Way {
    pc: usize,
    place: usize,
    alternative: usize,
}

/// A filter in the making.
struct Builder<'a> {
    program: Program<'a>,
    masks: [u64; 256],
    alternatives: usize,
    /// The least number of characters of a match found so far.
    places: usize,
    waiting: Vec<Way>,
}

impl Prefix {
    /// The filter for `program`, if it can stop anything.
    pub fn of(program: Program) -> Option<Self> {
        let mut builder = Builder {
            program,
            masks: [0; 256],
            alternatives: 1,
            places: PLACES,
            waiting: Vec::new(),
        };
        builder.follow_all()?;
        let places = builder.places;
        (places > 0).then_some(Self {
            masks: builder.masks,
            places,
        })
    }

    /// From which position on the filter says nothing, as the text is too short for all places.
    pub fn end(&self, text: &[u8]) -> usize {
        (text.len() + 1).saturating_sub(self.places)
    }

    /// Positions from `start` on where a match may begin.
    pub fn candidates(&self, text: &[u8], start: usize) -> impl Iterator<Item = usize> {
        let (mut state, last) = (0, 8 * (self.places - 1));
        let characters = text.iter().enumerate().skip(start);
        characters.filter_map(move |(at, &character)| {
            state = (state << 8 | 0xFF) & self.masks[character as usize];
            (state >> last & 0xFF != 0).then(|| at + 1 - self.places)
        })
    }
}

impl Builder<'_> {
    /// Follows every way through the program as far as there are places; `None` if that takes too
    /// long.
    fn follow_all(&mut self) -> Option<()> {
        self.waiting.push(Way {
            pc: 0,
            place: 0,
            alternative: 0,
        });
        for _ in 0..BUDGET {
            let Some(way) = self.waiting.pop() else {
                return Some(());
            };
            if way.place < self.places {
                self.follow(way)?;
            }
        }
        None
    }

    /// Follows one operation.
    fn follow(&mut self, way: Way) -> Option<()> {
        let word = self.program.word(way.pc)?;
        let argument = (word as u64 >> 8) as usize;
        let program = self.program;
        let next = Way {
            pc: way.pc + 1,
            ..way
        };
        let target = next.pc.wrapping_add_signed((word >> 8) as isize);
        match word & 0xFF {
            op::CHAR => self.step(next, |found| found == argument as u8),
            op::CHAR_NORMAL => self.step(next, |found| program.normal(found) == argument as u8),
            op::STRING => self.string(next, program.string(argument), |found| found),
            op::STRING_NORMAL => self.string(next, program.string(argument), |found| {
                program.normal(found)
            }),
            op::CLASS => self.step(next, |found| contains(program.class(argument), found)),
            op::LINE_START
            | op::LINE_END
            | op::WORD_BOUNDARY
            | op::GROUP_START
            | op::GROUP_END
            | op::SET_MARK
            | op::CHECK_PROGRESS => self.waiting.push(next),
            op::GROUP_AGAIN | op::ACCEPT => self.places = self.places.min(way.place),
            op::OPTIONAL => {
                self.waiting.push(next);
                self.step(next, |found| contains(program.class(argument), found));
            }
            op::STAR => {
                self.waiting.push(next);
                self.step(way, |found| contains(program.class(argument), found));
            }
            op::PLUS => {
                self.repeat(next, |found| contains(program.class(argument), found));
            }
            op::GOTO => self.waiting.push(Way { pc: target, ..way }),
            op::CHOICE => {
                let other = self.alternative(way);
                self.waiting.push(next);
                self.waiting.push(Way {
                    pc: target,
                    alternative: other,
                    ..way
                });
            }
            _ => return None,
        }
        Some(())
    }

    /// One character that `accepts`, and `way` after it.
    fn step(&mut self, way: Way, accepts: impl Fn(u8) -> bool) {
        self.allow(way, accepts);
        self.waiting.push(Way {
            place: way.place + 1,
            ..way
        });
    }

    /// One character or more that `accepts`, and `way` after each of them.
    fn repeat(&mut self, mut way: Way, accepts: impl Fn(u8) -> bool) {
        while way.place < self.places {
            self.allow(way, &accepts);
            way.place += 1;
            self.waiting.push(way);
        }
    }

    fn string(&mut self, mut way: Way, wanted: &[u8], seen: impl Fn(u8) -> u8) {
        for &wanted in wanted {
            if way.place == PLACES {
                return;
            }
            self.allow(way, |found| seen(found) == wanted);
            way.place += 1;
        }
        self.waiting.push(way);
    }

    fn allow(&mut self, way: Way, accepts: impl Fn(u8) -> bool) {
        let bit = 1 << (8 * way.place + way.alternative);
        for (character, mask) in self.masks.iter_mut().enumerate() {
            if accepts(character as u8) {
                *mask |= bit;
            }
        }
    }

    /// An alternative that begins like that of `way` so far; the same one if there are no more.
    fn alternative(&mut self, way: Way) -> usize {
        if self.alternatives == ALTERNATIVES {
            return way.alternative;
        }
        let new = self.alternatives;
        self.alternatives += 1;
        for mask in &mut self.masks {
            for place in 0..way.place {
                let bit = *mask >> (8 * place + way.alternative) & 1;
                *mask |= bit << (8 * place + new);
            }
        }
        new
    }
}
