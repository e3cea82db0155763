//! What the pass over a function has seen: of the accumulator and the stack, now and at labels.

use super::made::{Few, Made};
use super::stack::Stack;
use crate::code::effect;
use crate::image::by_word::ByWord;
use std::collections::BTreeSet;

/// What was seen in a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
    Nothing,
    /// This integer.
    Integer(i32),
    /// A box of a number of this kind.
    Number(u32, Origin),
    /// Integers and numbers, which are neither called nor have fields that are read. So what is
    /// read of this or of blocks is the blocks'.
    Data,
    /// One of these.
    Made(Few),
    /// Too many different things.
    Many,
}

/// Where the box of a number comes from, within a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Origin {
    /// An operation has made it, or it comes from a place where it is stored.
    Made,
    /// A parameter: the function's number, and which.
    Parameter(usize, usize),
    /// What a function returned, whose number this is.
    Result(usize),
    /// What the instruction at this word has loaded from elsewhere.
    Loaded(usize),
}

impl Origin {
    /// What a partial application holds.
    pub const HELD: Self = Self::Loaded(usize::MAX);

    /// Of what may be from either. One stands for both: [`Known::meet`] notes that.
    fn join(self, other: Self) -> Self {
        match self {
            Self::Made => other,
            origin => origin,
        }
    }
}

impl Seen {
    /// The parameter, result or loaded value that the box of a number is.
    pub fn origin(self) -> Option<Origin> {
        match self {
            Self::Number(_, origin) => (origin != Origin::Made).then_some(origin),
            Self::Nothing | Self::Integer(_) | Self::Data | Self::Made(_) | Self::Many => None,
        }
    }

    pub const fn one(made: Made) -> Self {
        Self::Made(Few::one(made))
    }

    /// Closures, partial applications and blocks that were seen.
    pub fn made(&self) -> impl Iterator<Item = Made> {
        let few = match self {
            Self::Made(few) => Some(few),
            Self::Nothing | Self::Integer(_) | Self::Number(..) | Self::Data | Self::Many => None,
        };
        few.into_iter().flat_map(Few::all)
    }

    /// Whether it is this and nothing else.
    pub fn is(&self, made: Made) -> bool {
        *self == Self::one(made)
    }

    /// Whether these are too many things, none of which is followed.
    pub fn is_lost(self) -> bool {
        self == Self::Many
    }
}

/// What was seen in a place, and whether nothing else can be there, whatever the program does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    pub seen: Seen,
    pub certain: bool,
}

impl Known {
    /// Of a place that nothing has reached so far.
    pub const UNREACHED: Self = Self::certain(Seen::Nothing);
    /// Anything can be there.
    pub const ANYTHING: Self = Self::guess(Seen::Nothing);
    pub const DATA: Self = Self::certain(Seen::Data);

    pub const fn certain(seen: Seen) -> Self {
        Self {
            seen,
            certain: true,
        }
    }

    /// An integer or a number is no guess: nothing is done with one that is not certain.
    pub const fn guess(seen: Seen) -> Self {
        let seen = match seen {
            Seen::Integer(_) | Seen::Number(..) | Seen::Data => Seen::Nothing,
            seen => seen,
        };
        Self {
            seen,
            certain: false,
        }
    }

    /// The same, on no more than a guess.
    pub const fn guessed(self) -> Self {
        Self::guess(self.seen)
    }

    /// The same; the box of a number is from here.
    pub fn with_origin(mut self, origin: Origin) -> Self {
        if let Seen::Number(_, known) = &mut self.seen {
            *known = origin;
        }
        self
    }

    /// Joins another into this; notes of what both lose sight. Whether that changes it.
    pub fn meet(&mut self, other: Self, lost: &mut Lost) -> bool {
        if *self == other && !self.seen.is_lost() {
            return false;
        }
        let joined = self.join(other, lost.most);
        let changed = *self != joined;
        for seen in [self.seen, other.seen] {
            match (seen.origin(), joined.seen.origin()) {
                (Some(one), Some(other)) if one != other => lost.joined.push([one, other]),
                (Some(_), None) => lost.seen.push(seen),
                _ => {}
            }
        }
        if joined.seen.is_lost() && changed {
            lost.seen.extend([self.seen, other.seen]);
        } else if joined.seen.is_lost() {
            lost.seen.push(other.seen);
        }
        *self = joined;
        changed
    }

    /// What may be either: certain if both are, unless these are too many. A guess takes no notice
    /// of places where anything can be. More than `most` things in one place are too many.
    pub fn join(self, other: Self, most: usize) -> Self {
        let seen = match (self.seen, other.seen) {
            (Seen::Nothing, seen) | (seen, Seen::Nothing) => seen,
            (a, b) if a == b => a,
            (Seen::Number(kind, a), Seen::Number(other, b)) if kind == other => {
                Seen::Number(kind, a.join(b))
            }
            (Seen::Many, _) | (_, Seen::Many) => Seen::Many,
            (Seen::Made(a), Seen::Made(b)) => a.union(&b, most).map_or(Seen::Many, Seen::Made),
            (Seen::Made(few), _) | (_, Seen::Made(few)) => Seen::Made(few.or_data()),
            (Seen::Integer(_) | Seen::Number(..) | Seen::Data, _) => Seen::Data,
        };
        match self.certain && other.certain && !seen.is_lost() {
            true => Self::certain(seen),
            false => Self::guess(seen),
        }
    }
}

/// What a pass has lost sight of: different things are where one was, or more than `most`.
#[derive(Default)]
pub struct Lost {
    pub most: usize,
    pub seen: Vec<Seen>,
    /// Origins of what may be in one place: each goes where the other one does.
    pub joined: Vec<[Origin; 2]>,
}

impl Lost {
    /// Nothing so far, in a pass that follows up to so many things in one place.
    pub fn nothing(most: usize) -> Self {
        Self {
            most,
            ..Self::default()
        }
    }
}

/// Accumulator and stack, the top last.
pub struct State {
    pub accu: Known,
    pub stack: Stack,
    /// The handlers of the traps in the stack, the innermost last.
    handlers: Vec<Handler>,
}

impl Clone for State {
    fn clone(&self) -> Self {
        Self {
            accu: self.accu,
            stack: self.stack.clone(),
            handlers: self.handlers.clone(),
        }
    }

    /// Keeps the room that there is: states are copied at each label.
    fn clone_from(&mut self, other: &Self) {
        self.accu = other.accu;
        self.stack.clone_from(&other.stack);
        self.handlers.clone_from(&other.handlers);
    }
}

/// Where an exception goes on, and how deep the stack is then.
#[derive(Clone, Copy)]
struct Handler {
    target: i64,
    depth: usize,
}

impl State {
    /// Where a function begins with these parameters.
    pub fn begin(parameters: Stack) -> Self {
        Self {
            accu: Known::ANYTHING,
            stack: parameters,
            handlers: Vec::new(),
        }
    }

    pub fn push_trap(&mut self, target: i64) {
        self.handlers.push(Handler {
            target,
            depth: self.stack.len(),
        });
        self.push_unknown(effect::TRAP_SIZE as usize);
    }

    pub fn pop_trap(&mut self) {
        self.handlers.pop();
        self.drop(effect::TRAP_SIZE as usize);
    }

    /// The states in which handlers begin if an exception is raised here, each with its position,
    /// the innermost last.
    fn handled(&self) -> impl DoubleEndedIterator<Item = (i64, Self)> {
        self.handlers.iter().enumerate().map(|(outer, handler)| {
            let state = Self {
                accu: Known::ANYTHING,
                stack: self.stack.lowest(handler.depth),
                handlers: self.handlers[..outer].to_vec(),
            };
            (handler.target, state)
        })
    }

    pub fn slot(&self, index: usize) -> Known {
        self.stack.get(self.stack.len() - 1 - index)
    }

    pub fn push_unknown(&mut self, count: usize) {
        (0..count).for_each(|_| self.stack.push(Known::ANYTHING));
    }

    /// A value is put into slot `index`; what is in the accumulator then. What was in the slot is
    /// not forgotten.
    pub fn assign(&mut self, index: i32, value: Known, lost: &mut Lost) -> Known {
        let index = self.stack.len() - 1 - index as usize;
        let meet = |at, known: &mut Known| at == index && known.meet(value, lost);
        self.stack.change(index, meet);
        Known::ANYTHING
    }

    pub fn drop(&mut self, count: usize) {
        self.stack.truncate(self.stack.len() - count);
    }

    /// The accumulator and the slots after it: operands of an instruction that makes a block.
    pub fn taken(&mut self, count: usize) -> Vec<Known> {
        let mut taken = Vec::with_capacity(count);
        if count > 0 {
            taken.push(self.accu);
            taken.extend((0..count - 1).map(|index| self.slot(index)));
            self.drop(count - 1);
        }
        taken
    }

    /// Joins another into this; whether that changes it.
    fn join(&mut self, other: &State, lost: &mut Lost) -> bool {
        let mut changed = self.accu.meet(other.accu, lost);
        let from = self.stack.shared_with(&other.stack);
        let others = other.stack.downwards().take(other.stack.len() - from);
        let mut others: Vec<Known> = others.collect();
        others.reverse();
        changed |= self
            .stack
            .change(from, |index, known| known.meet(others[index - from], lost));
        changed
    }
}

/// States at labels of the function being walked.
#[derive(Default)]
pub struct Labels {
    /// By word of the whole program, whether it is a label.
    all: Vec<bool>,
    states: ByWord<State>,
    /// Those whose state has changed since the pass went through them.
    pending: BTreeSet<usize>,
    pub lost: Lost,
}

impl Labels {
    pub fn new(all: Vec<bool>, most: usize) -> Self {
        Self {
            states: ByWord::new(all.len()),
            all,
            pending: BTreeSet::new(),
            lost: Lost::nothing(most),
        }
    }

    /// Forgets the states, for another function.
    pub fn clear(&mut self) {
        self.states.clear();
        self.pending.clear();
    }

    /// A jump to `target`.
    pub fn arrive(&mut self, target: i64, state: &State) {
        if let Ok(target) = usize::try_from(target)
            && self.join(target, state)
        {
            self.pending.insert(target);
        }
    }

    /// A trap was pushed: its handler begins with what is there now. The others have that already.
    pub fn guard(&mut self, state: &State) {
        if let Some((handler, state)) = state.handled().next_back() {
            self.arrive(handler, &state);
        }
    }

    /// An exception may be raised in `state`, where a slot has changed.
    pub fn raise(&mut self, state: &State) {
        for (handler, state) in state.handled() {
            self.arrive(handler, &state);
        }
    }

    /// The pass comes to `position` in `state`, which is joined with what else leads there. False
    /// if that adds nothing to what it has gone on with before.
    pub fn pass(&mut self, position: usize, state: &mut State) -> bool {
        if !self.all[position] {
            return true;
        }
        let changed = self.join(position, state) | self.pending.remove(&position);
        if let Some(known) = self.states.get(position) {
            state.clone_from(known);
        }
        changed
    }

    /// The first label that is left, and its state.
    pub fn next(&mut self, state: &mut State) -> Option<usize> {
        let position = self.pending.pop_first()?;
        state.clone_from(self.states.get(position).expect("a jump has been there"));
        Some(position)
    }

    /// Joins a state into the one at `position`; whether that changes it.
    fn join(&mut self, position: usize, state: &State) -> bool {
        match self.states.get_mut(position) {
            Some(known) => known.join(state, &mut self.lost),
            None => {
                self.states.insert(position, state.clone());
                true
            }
        }
    }
}
