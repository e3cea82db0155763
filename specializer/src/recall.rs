//! What a store has of requests, and what it is given.
//!
//! A key has a few functions, further ones lie under keys that follow from what was read
//! ([`question`]). The first that is sound and agrees with the image is used.
//!
//! Invariant: what comes from a store is what would have been computed.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::eval::Declined;
use crate::key::GenericKey;
use crate::report::Answer;
use crate::request::Request;
use crate::stored::Stored;
use crate::stored::check::{self, Surroundings};
use crate::stored::question::{self, Question};

/// Functions of one request key that the store has under it.
const FEW: usize = 3;

/// Where residual functions are kept between runs: opaque blobs, several to a key.
pub trait Store: Sync {
    fn candidates(&self, key: &[u8; 32]) -> Vec<Vec<u8>>;
    fn insert(&self, key: &[u8; 32], blob: &[u8]);
}

/// A store, and what its functions are checked against.
pub struct Recall<'a> {
    store: &'a dyn Store,
    key: &'a GenericKey,
    around: Surroundings<'a>,
    /// By key, functions that were made for the store.
    added: Mutex<HashMap<[u8; 32], usize>>,
}

impl<'a> Recall<'a> {
    pub fn new(store: &'a dyn Store, key: &'a GenericKey, around: Surroundings<'a>) -> Self {
        Self {
            store,
            key,
            around,
            added: Mutex::default(),
        }
    }

    /// What the store has for the request; else what `compute` gives, which is then stored.
    pub fn answer(
        &self,
        number: usize,
        request: &Request,
        compute: impl FnOnce() -> Result<Stored, Declined>,
    ) -> Result<Answer, Declined> {
        let key = self.key.request(number, request, self.around.image);
        let candidates = self.store.candidates(&key);
        let kept = candidates.len();
        let found = self.fitting(request, &key, candidates);
        // Those may be fewer than were given to the store: equal ones are one.
        let found = found.or_else(|| match kept {
            0 => None,
            _ => self.by_questions(request, &key),
        });
        if let Some(stored) = found {
            return Ok(Answer {
                stored,
                cached: true,
            });
        }
        let stored = compute()?;
        self.keep(&key, kept, &stored);
        Ok(Answer::made(stored))
    }

    /// Gives the store a function, where it had `kept` of this key: under a key that follows from
    /// what was read, if there are several.
    fn keep(&self, key: &[u8; 32], kept: usize, stored: &Stored) {
        if kept + self.added_before(key) < FEW {
            self.store.insert(key, &stored.encode(key));
            return;
        }
        let asked = Question::of(stored);
        let questions = question::key(key);
        self.store.insert(&questions, &asked.encode(&questions));
        let key = asked.key_of(key, stored);
        self.store.insert(&key, &stored.encode(&key));
    }

    /// How many functions of this key were made before this one, which counts from now on: what a
    /// store is given need not show among its candidates at once.
    fn added_before(&self, key: &[u8; 32]) -> usize {
        let mut added = self.added.lock().unwrap_or_else(PoisonError::into_inner);
        let count = added.entry(*key).or_default();
        *count += 1;
        *count - 1
    }

    /// The first candidate that is sound and agrees with the image.
    fn fitting(
        &self,
        request: &Request,
        key: &[u8; 32],
        candidates: Vec<Vec<u8>>,
    ) -> Option<Stored> {
        let candidates = candidates.into_iter();
        let mut decoded = candidates.filter_map(|blob| Stored::decode(key, &blob));
        decoded.find(|stored| check::run(&self.around, request, stored).is_ok())
    }

    /// What fits for any of the questions that were asked of requests with this key.
    fn by_questions(&self, request: &Request, key: &[u8; 32]) -> Option<Stored> {
        let questions = question::key(key);
        let asked = self.store.candidates(&questions).into_iter();
        let asked = asked.filter_map(|blob| Question::decode(&questions, &blob));
        asked.into_iter().find_map(|asked| {
            let key = asked.ask(key, request, self.around.image)?;
            self.fitting(request, &key, self.store.candidates(&key))
        })
    }
}
