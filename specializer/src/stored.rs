//! The stored form of a residual function: what it relied on, its body and relocations.
//!
//! A [`crate::Store`] sees opaque bytes: a digest of the key and of all that follows, what postcard
//! writes of the log, the links and the relocations, and the body. A few candidates may be stored
//! under one key, and more under keys that follow from what was read ([`question`]); the one whose
//! read log agrees with the image is used. Every absolute address in it is one that the log vouches
//! for.
//!
//! Invariant: a blob that passes [`Stored::decode`] and [`check::run`] links. Whatever else a store
//! gives (damaged, foreign or forged) is no candidate, and never a panic.

pub mod check;
pub mod question;
#[cfg(test)]
mod tests;

use crate::eval::{Declined, Residual};
use crate::image::ReadLog;
use crate::ir::Symbol;
use crate::lower::{Excess, Lowered, Relocation};

/// What specialization of one request gave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stored {
    pub log: ReadLog,
    /// The links that lead to what is neither the request's code nor given to it, in the order in
    /// which they were followed.
    pub links: Vec<Symbol>,
    pub lowered: Lowered,
    pub contexts: u32,
    /// Those of them whose position is not known.
    pub unknown_positions: u32,
    pub nodes: u32,
}

/// All but the body, in stored form.
type Head<Log, Links, Relocations> = ([u32; 3], Log, Links, Relocations);

impl Stored {
    /// What evaluation gave, with the function lowered; declined if no engine takes that.
    pub fn new(residual: Residual, lowered: Lowered) -> Result<Self, Declined> {
        if let Some(excess) = lowered.excess() {
            return Err(excess.into());
        }
        Ok(Self {
            log: residual.log,
            links: residual.links,
            lowered,
            contexts: residual.contexts as u32,
            unknown_positions: residual.unknown_positions as u32,
            nodes: residual.nodes as u32,
        })
    }

    /// The blob that is to be stored under `key`.
    pub fn encode(&self, key: &[u8; 32]) -> Vec<u8> {
        let Lowered { body, relocations } = &self.lowered;
        let counts = [self.contexts, self.unknown_positions, self.nodes];
        let head: Head<_, _, _> = (counts, &self.log, &self.links, relocations);
        let mut rest = postcard::to_allocvec(&head).expect("memory takes what is written to it");
        rest.extend_from_slice(body);
        sealed(key, &rest)
    }

    /// Reads what [`Stored::encode`] wrote for the same key.
    pub fn decode(key: &[u8; 32], blob: &[u8]) -> Option<Self> {
        let (head, body) = postcard::take_from_bytes(opened(key, blob)?).ok()?;
        let (counts, log, links, relocations): Head<_, _, Vec<Relocation>> = head;
        let [contexts, unknown_positions, nodes] = counts;
        let body = body.to_vec();
        Some(Self {
            log,
            links,
            lowered: Lowered { body, relocations },
            contexts,
            unknown_positions,
            nodes,
        })
    }
}

impl From<Excess> for Declined {
    fn from(excess: Excess) -> Self {
        match excess {
            Excess::Length(len) => Declined::Length(len),
            Excess::Locals(count) => Declined::Locals(count),
        }
    }
}

/// The blob that holds `rest` under `key`.
fn sealed(key: &[u8; 32], rest: &[u8]) -> Vec<u8> {
    [&digest(key, rest)[..], rest].concat()
}

/// What a blob holds, if it was sealed under this key and is as it was.
fn opened<'a>(key: &[u8; 32], blob: &'a [u8]) -> Option<&'a [u8]> {
    let (expected, rest) = blob.split_first_chunk::<32>()?;
    (*expected == digest(key, rest)).then_some(rest)
}

fn digest(key: &[u8; 32], rest: &[u8]) -> [u8; 32] {
    *blake3::Hasher::new()
        .update(key)
        .update(rest)
        .finalize()
        .as_bytes()
}
