//! What a run has counted, as a file: text, one line a function.
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

/// What is between the fields of a line. Names have no control characters.
const SEPARATOR: char = '\t';

/// Activations by function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Profile {
    activations: BTreeMap<Identity, u64>,
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
}

impl Profile {
    /// Hot are the fewest functions that have this share of all activations, in percent.
    const HOT_SHARE: u128 = 99;

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
            let malformed = |what| ProfileError { line, what };
            let (count, identity) = text
                .split_once(SEPARATOR)
                .ok_or(malformed("a count and a function are expected"))?;
            let count = count
                .parse()
                .map_err(|_| malformed("the count is no number of 64 bits"))?;
            let identity = identity.parse().map_err(malformed)?;
            if profile.activations.insert(identity, count).is_some() {
                return Err(malformed("this function is on a line before"));
            }
        }
        Ok(profile)
    }

    /// Notes how often a function was activated.
    pub fn note(&mut self, identity: Identity, activations: u64) {
        self.activations.insert(identity, activations);
    }

    pub fn activations(&self, identity: &Identity) -> Option<u64> {
        self.activations.get(identity).copied()
    }

    /// Says of each request how hot it is.
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
        fit
    }
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

/// The hottest functions first.
impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEADER}")?;
        let mut lines: Vec<_> = self.activations.iter().collect();
        lines.sort_by_key(|&(_, &count)| std::cmp::Reverse(count));
        for (identity, count) in lines {
            writeln!(f, "{count}{SEPARATOR}{identity}")?;
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
        let mut fields = text.splitn(3, SEPARATOR);
        let mut number = |what| {
            let field = fields.next().and_then(|field| field.parse().ok());
            field.ok_or(what)
        };
        let code_len = number("the length of the code is no number of 32 bits")?;
        let nth = number("the number among functions of this name is no number of 32 bits")?;
        let name = fields.next().filter(|name| !name.is_empty());
        Ok(Self {
            name: name.ok_or("the name is missing")?.to_owned(),
            code_len,
            nth,
        })
    }
}
