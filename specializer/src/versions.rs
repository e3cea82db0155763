//! Versions of functions for functions that they are given: `List.map` for what it applies.
//!
//! A call names a version, by the word that an argument points to ([`crate::ir::Given`]); here the
//! versions that bodies name are asked for, until none is new. Each is a request of its own, with
//! what is known of the parameter, so its key has no address, and the store keeps it as any other.
//!
//! Invariants: the versions depend on the requests and their bodies alone, as each round goes
//! through these in order. A function has at most [`MOST`] for each way of passing numbers, the
//! first that are named; and only those remain which do something with what they are given. What
//! else a call names is the function itself, which does the same.

use std::collections::{HashMap, HashSet};

use crate::eval::Declined;
use crate::image::{Bases, Image, Location};
use crate::ir::{Base, Given, Numbers, Symbol};
use crate::lower::RelocationKind;
use crate::request::{Request, Requests, Version};
use crate::stored::Stored;

/// Most versions of one function.
const MOST: usize = 5;

/// Requests with their answers.
pub struct Answered<A> {
    /// Those of the interpreter first.
    pub requests: Requests,
    pub answers: Vec<Result<A, Declined>>,
}

/// Answers the requests, and those for versions. `answer` answers some, of which the first has this
/// number.
pub fn answer<A: AsRef<Stored>>(
    requests: &Requests,
    image: &Image,
    answer: impl Fn(usize, &[Request]) -> Vec<Result<A, Declined>>,
) -> Answered<A> {
    let mut answered = Answered {
        answers: answer(0, &requests.requests),
        requests: requests.clone(),
    };
    answered.follow_links_from(0, image);
    let mut named = Named::default();
    let mut looked_at = 0;
    while looked_at < answered.answers.len() {
        let new = answered.named_from(looked_at);
        let new: Vec<Request> = new
            .filter_map(|version| named.request(version, image))
            .collect();
        looked_at = answered.answers.len();
        answered.answers.extend(answer(looked_at, &new));
        answered.requests.requests.extend(new);
        answered.follow_links_from(looked_at, image);
    }
    answered.drop_idle();
    answered
}

/// Versions that were named.
#[derive(Default)]
struct Named {
    known: HashSet<Version>,
    /// How many a function has that are given something.
    counts: HashMap<(u32, Numbers), usize>,
}

impl Named {
    /// The request for a version, if it is new and its function may have one more.
    fn request(&mut self, version: Version, image: &Image) -> Option<Request> {
        let function = image.slot(version.slot)?;
        if let Some((_, word)) = version.given {
            let count = self
                .counts
                .entry((version.slot, version.numbers))
                .or_default();
            let is_new = function.code != word && !self.known.contains(&version);
            if !is_new || *count == MOST {
                return None;
            }
            *count += 1;
        }
        let is_new = !version.is_of_slot() && self.known.insert(version);
        is_new.then(|| function.for_version(version))?
    }
}

impl<A: AsRef<Stored>> Answered<A> {
    /// Gives the requests from this number on the bases that their answers name.
    fn follow_links_from(&mut self, number: usize, image: &Image) {
        let requests = self.requests.requests[number..].iter_mut();
        for (request, answer) in requests.zip(&self.answers[number..]) {
            let answer = answer.as_ref().ok();
            let bases =
                answer.and_then(|answer| Bases::found(request, &answer.as_ref().links, image));
            if let Some(bases) = bases {
                request.bases = bases.into_addresses();
            }
        }
    }

    /// The versions that the answers from this number on name.
    fn named_from(&self, number: usize) -> impl Iterator<Item = Version> {
        let requests = self.requests.requests[number..].iter();
        let answered = requests.zip(&self.answers[number..]);
        answered.flat_map(|(request, answer)| {
            let named = answer.iter().flat_map(|answer| names(answer.as_ref()));
            named.flat_map(|(slot, given, numbers)| {
                let version = request.version_of(slot, given, numbers);
                version.itself_and_others()
            })
        })
    }

    /// Declines versions that do nothing with what they are given: neither they nor the versions to
    /// which they give it look at it.
    fn drop_idle(&mut self) {
        let mut givers: HashMap<Version, Vec<usize>> = HashMap::new();
        let mut busy = HashSet::new();
        let mut queue = Vec::new();
        let all = self.requests.requests.iter().zip(&self.answers);
        for (number, (request, answer)) in all.enumerate() {
            let (Some((_, base)), Ok(answer)) = (request.given(), answer) else {
                continue;
            };
            if looks_at(answer.as_ref(), base) {
                queue.push(number);
            }
            for (slot, given, numbers) in names(answer.as_ref()) {
                if given.is_some_and(|given| given.word.base == base) {
                    let version = request.version_of(slot, given, numbers);
                    givers.entry(version).or_default().push(number);
                }
            }
        }
        while let Some(number) = queue.pop() {
            if busy.insert(number) {
                let version = self.requests.requests[number].version();
                queue.extend(givers.get(&version).into_iter().flatten());
            }
        }
        let all = self.requests.requests.iter().zip(&mut self.answers);
        for (number, (request, answer)) in all.enumerate() {
            if request.given().is_some() && !busy.contains(&number) {
                *answer = Err(Declined::Idle);
            }
        }
    }
}

/// The versions that a body names, by slot, what is given and how numbers are passed.
fn names(stored: &Stored) -> impl Iterator<Item = (Symbol, Option<Given>, Numbers)> {
    let relocations = stored.lowered.relocations.iter();
    relocations.filter_map(|relocation| match relocation.kind {
        RelocationKind::CallSlot {
            slot,
            given,
            numbers,
        } => Some((slot, given, numbers)),
        RelocationKind::SymbolAddress(_)
        | RelocationKind::CallFunction(_)
        | RelocationKind::CallIntrinsic(_) => None,
    })
}

/// Whether something was read through this base.
fn looks_at(stored: &Stored, base: Base) -> bool {
    let mut locations = stored.log.keys().map(|&(location, _)| location);
    locations.any(|location| matches!(location, Location::Relative(symbol) if symbol.base == base))
}
