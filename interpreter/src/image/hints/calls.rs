//! What calls do: whom they may call, what that is given and what it returns.

use super::made::{Few, Made};
use super::pending::Dependency;
use super::scan::calls_alone;
use super::state::{Known, Lost, Origin, Seen, State};
use super::{Program, most_guessed};
use crate::code::MAX_CANDIDATES;
use crate::code::decode::Instruction;
use crate::code::effect::{self, Flow};
use core::iter;
use std::collections::BTreeMap;

impl Program<'_> {
    /// A call with `count` arguments; whether the next instruction follows.
    pub(super) fn call(
        &mut self,
        instruction: &Instruction,
        state: &mut State,
        count: usize,
    ) -> bool {
        let function = self.walked;
        let own = Made::Closure(function as u32);
        let callee = state.accu;
        if callee.seen.is(own) {
            self.looping.insert(function);
        }
        let mut arguments = std::mem::take(&mut self.arguments);
        arguments.extend(state.stack.downwards().take(count));
        let result = self.apply(callee, &arguments);
        arguments.clear();
        self.arguments = arguments;
        self.note_callees(instruction.position, callee, count);
        let effect = effect::of(instruction);
        match effect.flow {
            Flow::Leave { .. } => {
                self.note_result(function, result);
                false
            }
            _ => {
                if callee.seen.is(own) {
                    self.recursive.insert(function);
                }
                state.drop(effect.pops as usize);
                state.accu = result;
                true
            }
        }
    }

    /// Remembers what a call may call: functions, and partial applications that wait for just that
    /// many arguments. More than can be guessed are only worth their comparisons where they are
    /// certain.
    fn note_callees(&mut self, call: usize, callee: Known, count: usize) {
        let is_callee = |made| match made {
            Made::Closure(_) => true,
            Made::Partial(function, held) => self.missing(function, held) == count,
            Made::Block(_) => false,
        };
        let waits_for_others = |made: Made| matches!(made, Made::Partial(..)) && !is_callee(made);
        let callees = match callee.seen {
            Seen::Made(few) => few.filter(is_callee),
            _ => None,
        };
        let are_all = callee.certain && !callee.seen.made().any(waits_for_others);
        // With one candidate, a call is never compared with several.
        let most = match most_guessed() {
            1 => 1,
            _ if are_all => MAX_CANDIDATES,
            most => most,
        };
        match callees.filter(|callees| callees.count() <= most) {
            Some(callees) => self.calls.insert(call, (callees, are_all)),
            None => drop(self.calls.take(call)),
        }
    }

    /// Whether several functions do nothing but call others, and each takes constants and returns
    /// one. Such are proofs that types are equal, of which the standard library makes some for each
    /// format: to compare them is no gain.
    pub(super) fn are_proofs(&self, callees: &Few) -> bool {
        let is_constant = |known: &Known| known.certain && matches!(known.seen, Seen::Integer(_));
        let calls_of_proof = |made: Made| match made {
            Made::Closure(function) => {
                let function = function as usize;
                let entry = &self.entries[function];
                let mut known =
                    iter::once(&self.results[function]).chain(&self.parameters[function]);
                match known.all(is_constant) {
                    true => calls_alone(&self.code[entry.position..entry.end]),
                    false => None,
                }
            }
            Made::Partial(..) | Made::Block(_) => None,
        };
        let calls: Option<Vec<usize>> = callees.all().map(calls_of_proof).collect();
        calls.is_some_and(|calls| calls.len() > 1 && calls.iter().any(|&count| count > 0))
    }

    /// How many arguments a function waits for that has been given some.
    fn missing(&self, function: u32, held: u16) -> usize {
        (self.entries[function as usize].arity - u32::from(held)) as usize
    }

    /// Applies what is known of a callee to arguments; what that gives.
    fn apply(&mut self, callee: Known, arguments: &[Known]) -> Known {
        let mut result: Option<Known> = None;
        let mut next = Some((0, callee));
        // What is applied to the arguments from this one on.
        let mut further: BTreeMap<usize, Known> = BTreeMap::new();
        let mut lost = Lost::nothing(self.most);
        while let Some((first, callee)) = next {
            self.apply_one(callee, first, arguments, |first, given| {
                let known = match first {
                    Some(first) => further.entry(first).or_insert(Known::UNREACHED),
                    None => result.get_or_insert(Known::UNREACHED),
                };
                known.meet(given, &mut lost);
            });
            next = further.pop_first();
        }
        self.lose_all(&mut lost);
        result.unwrap_or(Known::ANYTHING)
    }

    /// The same of the arguments from `first` on. Hands over what that gives; if arguments are left
    /// for it, with the number of the first of them.
    fn apply_one(
        &mut self,
        callee: Known,
        first: usize,
        arguments: &[Known],
        mut give: impl FnMut(Option<usize>, Known),
    ) {
        if callee == Known::UNREACHED {
            return give(None, callee);
        }
        let Known { seen, certain } = callee;
        let arguments = &arguments[first..];
        for made in seen.made() {
            let (function, held) = match made {
                Made::Closure(function) => (function, 0),
                Made::Partial(function, held) => (function, held),
                Made::Block(_) => continue,
            };
            let missing = self.missing(function, held);
            let given = self.apply_to(function, held, missing, arguments);
            let given = if certain { given } else { given.guessed() };
            match missing < arguments.len() {
                true => give(Some(first + missing), given),
                false => give(None, given),
            }
            if !certain {
                self.boxes.store_result(function as usize);
            }
        }
        if !certain {
            // Who else is called gets them as well.
            arguments
                .iter()
                .for_each(|argument| self.lose(argument.seen));
        }
    }

    /// What a function returns that holds so many arguments, of which so many are missing, given
    /// as many of these as it takes.
    fn apply_to(&mut self, function: u32, held: u16, missing: usize, all: &[Known]) -> Known {
        let (number, first) = (function as usize, usize::from(held));
        let arguments = &all[..missing.min(all.len())];
        for (index, &argument) in arguments.iter().enumerate() {
            let index = first + index;
            let known = self.parameters[number][index];
            self.parameters[number][index] =
                self.note(Dependency::Function(number), known, argument);
            if let Some(origin) = argument.seen.origin() {
                self.boxes.flow(origin, Origin::Parameter(number, index));
            }
        }
        self.pending.read(Dependency::Result(number), self.walked);
        let left = missing - arguments.len();
        if left > 0 {
            for (index, held) in arguments.iter().enumerate() {
                self.boxes.store(held.seen);
                let parameter = Origin::Parameter(number, first + index);
                self.boxes.flow(Origin::HELD, parameter);
            }
            self.partial.insert((number, left as u32));
            let partial = Made::partial(function, first + arguments.len());
            return partial.map_or(Known::ANYTHING, |partial| {
                Known::certain(Seen::one(partial))
            });
        }
        self.results[number].with_origin(Origin::Result(number))
    }

    pub(super) fn note_result(&mut self, function: usize, seen: Known) {
        let known = self.results[function];
        self.results[function] = self.note(Dependency::Result(function), known, seen);
        if let Some(origin) = seen.seen.origin() {
            self.boxes.flow(origin, Origin::Result(function));
        }
        if self.escaped.contains(&function) {
            self.lose(seen.seen);
        }
    }
}
