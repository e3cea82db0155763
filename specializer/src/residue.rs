//! The stored form of a residual function: what it relied on, its body and relocations.
//!
//! A [`crate::Store`] sees opaque bytes: a digest of the key and of all that follows, what postcard
//! writes of the log and the relocations, and the body. Several candidates may be stored under one
//! key; the one whose read log agrees with the image is used. Every absolute address in it is one
//! that the log vouches for.
//!
//! Invariant: a blob that passes [`Stored::decode`] and [`check::run`] links. Whatever else a store
//! gives (damaged, foreign or forged) is no candidate, and never a panic.

pub mod check;
#[cfg(test)]
mod tests;

use crate::eval::Residual;
use crate::image::ReadLog;
use crate::lower::{Lowered, Relocation};

/// What specialization of one request gave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stored {
    pub log: ReadLog,
    pub lowered: Lowered,
    pub contexts: u32,
    /// Those of them whose position is not known.
    pub unknown_positions: u32,
    pub nodes: u32,
}

/// All but the body, in stored form.
type Head<Log, Relocations> = ([u32; 3], Log, Relocations);

impl Stored {
    /// What evaluation gave, with the function lowered.
    pub fn new(residual: Residual, lowered: Lowered) -> Self {
        Self {
            log: residual.log,
            lowered,
            contexts: residual.contexts as u32,
            unknown_positions: residual.unknown_positions as u32,
            nodes: residual.nodes as u32,
        }
    }

    /// The blob that is to be stored under `key`.
    pub fn encode(&self, key: &[u8; 32]) -> Vec<u8> {
        let Lowered { body, relocations } = &self.lowered;
        let counts = [self.contexts, self.unknown_positions, self.nodes];
        let head: Head<_, _> = (counts, &self.log, relocations);
        let mut rest = postcard::to_allocvec(&head).expect("memory takes what is written to it");
        rest.extend_from_slice(body);
        [&digest(key, &rest)[..], &rest].concat()
    }

    /// Reads what [`Stored::encode`] wrote for the same key.
    pub fn decode(key: &[u8; 32], blob: &[u8]) -> Option<Self> {
        let (expected, rest) = blob.split_first_chunk::<32>()?;
        if *expected != digest(key, rest) {
            return None;
        }
        let (head, body) = postcard::take_from_bytes(rest).ok()?;
        let (counts, log, relocations): Head<ReadLog, Vec<Relocation>> = head;
        let [contexts, unknown_positions, nodes] = counts;
        let body = body.to_vec();
        Some(Self {
            log,
            lowered: Lowered { body, relocations },
            contexts,
            unknown_positions,
            nodes,
        })
    }
}

fn digest(key: &[u8; 32], rest: &[u8]) -> [u8; 32] {
    *blake3::Hasher::new()
        .update(key)
        .update(rest)
        .finalize()
        .as_bytes()
}
