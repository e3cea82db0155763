//! What a run has counted, as a file: text, one line a function, then one a call and a callee.
//!
//! A function is known by its name, the length of its code, and its number among those that share
//! both. So counts survive an edit elsewhere, and what changed in length is unknown.
//!
//! Invariant: a profile changes which requests are answered and how much is evaluated in place,
//! never what code does. The same counts are the same text.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::str::FromStr;

use crate::request::{Heat, Request, Requests};

/// The first line of a profile.
const HEADER: &str = "bactrian profile 1";

/// What is between the fields of a line. Names of requests have no control characters.
const SEPARATOR: char = '\t';

/// Activations by function, and callees by call.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Profile {
    activations: BTreeMap<Identity, u64>,
    callees: BTreeMap<(Call, Identity), u64>,
}

/// A call, where it is not certain what it calls.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Call {
    /// The function or piece whose code the call is in; of several, the smallest.
    pub caller: Identity,
    /// Bytes from the beginning of that code.
    pub distance: u32,
}

/// A function that was counted: what it is known by, where its code is, and its activations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counted {
    pub identity: Identity,
    pub code: u32,
    pub activations: u64,
}

/// What a profile knows a function by.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Identity {
    pub name: String,
    /// Bytes of code.
    pub code_len: u32,
    /// Which of the functions with this name and length, in the order of their slots.
    pub nth: u32,
}

/// A file that is no profile.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct ProfileError {
    /// From 1 on.
    pub line: usize,
    pub what: &'static str,
}

/// How a profile fits a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Fit {
    /// Requests that the profile knows, and those of them that are hot and cold.
    pub known: usize,
    pub hot: usize,
    pub cold: usize,
    /// Requests that it does not know.
    pub unknown: usize,
    /// Functions of the profile for which there is no request.
    pub stale: usize,
    /// Calls whose callee is expected.
    pub calls: usize,
}

impl Profile {
    /// Hot are the fewest functions that have this share of all activations, in percent.
    const HOT_SHARE: u128 = 99;

    /// A callee is expected where it has this share of a call's, in percent.
    const EXPECTED_SHARE: u128 = 75;

    /// What a run has counted: functions, and by the addresses of a call and of code how often the
    /// one called the other.
    pub fn new(
        mut functions: Vec<Counted>,
        calls: impl Iterator<Item = ((u32, u32), u64)>,
    ) -> Self {
        functions.sort_by(|a, b| {
            let place = |one: &Counted| (one.code, std::cmp::Reverse(one.identity.code_len));
            place(a).cmp(&place(b)).then(a.identity.cmp(&b.identity))
        });
        let mut profile = Self::default();
        for function in &functions {
            let Counted {
                identity,
                activations,
                ..
            } = function;
            profile.activations.insert(identity.clone(), *activations);
        }
        let mut calls: Vec<_> = calls.collect();
        calls.sort_unstable();
        let (mut next, mut around) = (functions.iter().peekable(), Vec::new());
        for ((call, callee), count) in calls {
            while let Some(begun) = next.next_if(|function| function.code <= call) {
                around.push(begun);
            }
            while around.pop_if(|caller| !caller.has(call)).is_some() {}
            let first = functions.partition_point(|function| function.code < callee);
            let callee = functions
                .get(first)
                .filter(|function| function.code == callee);
            profile.note_call(call, around.last().copied(), callee, count);
        }
        profile
    }

    /// Reads what [`Profile`] displays.
    pub fn parse(text: &str) -> Result<Self, ProfileError> {
        let mut lines = (1..).zip(text.lines());
        let header = lines.next().map(|(_, header)| header);
        if header != Some(HEADER) {
            return Err(ProfileError {
                line: 1,
                what: "this is not the first line of a profile of this version",
            });
        }
        let mut profile = Self::default();
        for (line, text) in lines {
            let added = profile.add_line(text);
            added.map_err(|what| ProfileError { line, what })?;
        }
        Ok(profile)
    }

    pub fn activations(&self, identity: &Identity) -> Option<u64> {
        self.activations.get(identity).copied()
    }

    /// Says of each request how hot it is, and what its calls most often call.
    pub fn apply(&self, requests: &mut Requests) -> Fit {
        let identities = identities(requests);
        let counts: Vec<_> = identities.iter().map(|one| self.activations(one)).collect();
        let hot = least_hot(counts.iter().copied().flatten());
        let mut fit = Fit::default();
        for (request, count) in requests.requests.iter_mut().zip(counts) {
            match count {
                None => fit.unknown += 1,
                Some(0) => request.heat = Heat::Cold,
                Some(count) if count >= hot => request.heat = Heat::Hot,
                Some(_) => {}
            }
            fit.known += usize::from(count.is_some());
            fit.hot += usize::from(request.heat == Heat::Hot);
            fit.cold += usize::from(request.heat == Heat::Cold);
        }
        fit.stale = self.activations.len() - fit.known;
        let expected = self.expected(requests, &identities, hot);
        fit.calls = expected.len();
        for request in &mut requests.requests {
            let end = request.code.saturating_add(request.code_len);
            for (&call, &callee) in expected.range(request.code..end) {
                request.callees.insert(call - request.code, callee);
            }
        }
        fit
    }

    /// By the address of each call that is done at least `hot` times, the code that nearly all of
    /// them call.
    fn expected(
        &self,
        requests: &Requests,
        identities: &[Identity],
        hot: u64,
    ) -> BTreeMap<u32, u32> {
        let requests: HashMap<_, _> = identities.iter().zip(&requests.requests).collect();
        let mut expected = BTreeMap::new();
        let mut all: Vec<_> = self.callees.iter().collect();
        // A call's callees lie together, as the map is sorted.
        for callees in all.chunk_by_mut(|((a, _), _), ((b, _), _)| a == b) {
            let total: u128 = callees.iter().map(|(_, count)| u128::from(**count)).sum();
            callees.sort_by_key(|&(_, &count)| std::cmp::Reverse(count));
            let ((call, callee), &count) = callees[0];
            let is_expected = call.distance < call.caller.code_len
                && count >= hot
                && u128::from(count) * 100 >= total * Self::EXPECTED_SHARE;
            if let (true, Some(caller), Some(callee)) = (
                is_expected,
                requests.get(&call.caller),
                requests.get(callee),
            ) && caller.function == callee.function
            {
                expected.insert(caller.code.wrapping_add(call.distance), callee.code);
            }
        }
        expected
    }

    /// Notes that the call at an address called a function so often, if both are known.
    fn note_call(
        &mut self,
        address: u32,
        caller: Option<&Counted>,
        callee: Option<&Counted>,
        count: u64,
    ) {
        if let (Some(caller), Some(callee)) = (caller, callee) {
            let call = Call {
                caller: caller.identity.clone(),
                distance: address - caller.code,
            };
            self.callees.insert((call, callee.identity.clone()), count);
        }
    }

    /// Adds a line after the first.
    fn add_line(&mut self, line: &str) -> Result<(), &'static str> {
        let mut fields = line.split(SEPARATOR);
        let count = number(fields.next(), "the count is no number of 64 bits")?;
        let function = Identity::read(&mut fields)?;
        let Some(distance) = fields.next() else {
            let before = self.activations.insert(function, count);
            return before.map_or(Ok(()), |_| Err("this function is on a line before"));
        };
        let call = Call {
            caller: function,
            distance: number(
                Some(distance),
                "the distance of the call is no number of 32 bits",
            )?,
        };
        let callee = Identity::read(&mut fields)?;
        if fields.next().is_some() {
            return Err("there are more fields than those of a call");
        }
        let before = self.callees.insert((call, callee), count);
        before.map_or(Ok(()), |_| Err("this call is on a line before"))
    }
}

impl Counted {
    /// Whether the code at an address is the function's.
    fn has(&self, address: u32) -> bool {
        address
            .checked_sub(self.code)
            .is_some_and(|distance| distance < self.identity.code_len)
    }
}

impl Identity {
    fn read<'a>(fields: &mut impl Iterator<Item = &'a str>) -> Result<Self, &'static str> {
        let code_len = "the length of the code is no number of 32 bits";
        let nth = "the number among functions of this name is no number of 32 bits";
        let (code_len, nth) = (
            number(fields.next(), code_len)?,
            number(fields.next(), nth)?,
        );
        let name = fields.next().filter(|name| !name.is_empty());
        Ok(Self {
            name: name.ok_or("the name is missing")?.to_owned(),
            code_len,
            nth,
        })
    }
}

/// A field's number, or what it is not.
fn number<T: FromStr>(field: Option<&str>, what: &'static str) -> Result<T, &'static str> {
    field.and_then(|field| field.parse().ok()).ok_or(what)
}

/// The identity of each request, in their order.
pub fn identities(requests: &Requests) -> Vec<Identity> {
    let mut seen: HashMap<(String, u32), u32> = HashMap::new();
    let identity = |request: &Request| {
        let name = request.title();
        let nth = seen.entry((name.clone(), request.code_len)).or_default();
        *nth += 1;
        Identity {
            name,
            code_len: request.code_len,
            nth: *nth,
        }
    };
    requests.requests.iter().map(identity).collect()
}

/// The least count of a hot function.
fn least_hot(counts: impl Iterator<Item = u64>) -> u64 {
    let mut counts: Vec<u64> = counts.filter(|&count| count > 0).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let total: u128 = counts.iter().copied().map(u128::from).sum();
    let mut sum = 0;
    let last = counts.into_iter().find(|&count| {
        sum += u128::from(count);
        sum * 100 >= total * Profile::HOT_SHARE
    });
    last.unwrap_or(u64::MAX)
}

/// The hottest functions first, then the hottest calls.
impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEADER}")?;
        let mut lines: Vec<_> = self.activations.iter().collect();
        lines.sort_by_key(|&(_, &count)| std::cmp::Reverse(count));
        for (identity, count) in lines {
            writeln!(f, "{count}{SEPARATOR}{identity}")?;
        }
        let mut lines: Vec<_> = self.callees.iter().collect();
        lines.sort_by_key(|&(_, &count)| std::cmp::Reverse(count));
        for ((Call { caller, distance }, callee), count) in lines {
            writeln!(
                f,
                "{count}{SEPARATOR}{caller}{SEPARATOR}{distance}{SEPARATOR}{callee}"
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            code_len,
            nth,
        } = self;
        write!(f, "{code_len}{SEPARATOR}{nth}{SEPARATOR}{name}")
    }
}

impl FromStr for Identity {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::read(&mut text.split(SEPARATOR))
    }
}
