//! What became of each request.
//!
//! Invariant: a report has one entry for each request, in their order; a declined request is one of
//! them.

use crate::eval::Declined;
use crate::profile::Fit;
use crate::stored::Stored;
use crate::versions::Answered;

/// One entry for each request, in their order; then those for versions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    pub requests: Vec<RequestReport>,
    /// Size of the residual bodies in the linked module.
    pub residual_bytes: usize,
    /// How the profile fits, if there is one.
    pub fit: Option<Fit>,
    /// What interpreters for weval said, a line each: request by request, but for those that came
    /// from the store.
    pub said: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RequestReport {
    /// Address and length in bytes of the code that the request stands for.
    pub code: u32,
    pub code_len: u32,
    /// Its name, or where its code is.
    pub title: String,
    /// Address and length of the constant region that it lies in.
    pub region: (u32, u32),
    pub outcome: Outcome,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    Specialized {
        /// Whether it came from the store.
        cached: bool,
        contexts: usize,
        /// Contexts whose position is not known: the loop goes round in residual code.
        unknown_positions: usize,
        /// (context, block, position) nodes evaluated.
        nodes: usize,
    },
    Declined(Declined),
}

/// What a request is answered with.
pub struct Answer {
    pub stored: Stored,
    /// Whether it came from the store.
    pub cached: bool,
}

impl Answer {
    /// What did not come from the store.
    pub fn made(stored: Stored) -> Self {
        Self {
            stored,
            cached: false,
        }
    }
}

impl AsRef<Stored> for Answer {
    fn as_ref(&self) -> &Stored {
        &self.stored
    }
}

impl Report {
    pub fn new(answered: &Answered<Answer>, fit: Option<Fit>, residual_bytes: usize) -> Self {
        let Answered {
            requests: all,
            answers,
        } = answered;
        let answers = all.requests.iter().zip(answers);
        let requests = answers.map(|(request, answer)| RequestReport {
            code: request.code,
            code_len: request.code_len,
            title: request.title(),
            region: all.region(request.code),
            outcome: answer.as_ref().into(),
        });
        Self {
            requests: requests.collect(),
            residual_bytes,
            fit,
            said: Vec::new(),
        }
    }
}

impl From<Result<&Answer, &Declined>> for Outcome {
    fn from(answer: Result<&Answer, &Declined>) -> Self {
        match answer {
            Ok(Answer { stored, cached }) => Outcome::Specialized {
                cached: *cached,
                contexts: stored.contexts as usize,
                unknown_positions: stored.unknown_positions as usize,
                nodes: stored.nodes as usize,
            },
            Err(declined) => Outcome::Declined(declined.clone()),
        }
    }
}
