//! The stored form of a residual function: what it relied on, its body and relocations.
//!
//! Opaque bytes to a [`crate::Store`]. Several candidates can be stored under one key; the one whose
//! read log agrees with the image is used. Nothing in it is an absolute address that the log does not
//! vouch for. Decoding checks lengths: a foreign blob is no candidate, never a panic.

use crate::image::{Image, Place, ReadLog};
use crate::ir::{Base, Func, Symbol};
use crate::lower::{Lowered, Relocation, RelocationKind};
use crate::op::Intrinsic;
use crate::request::Request;

/// What specialisation of one request gave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stored {
    pub log: ReadLog,
    pub lowered: Lowered,
    pub contexts: u32,
    pub nodes: u32,
}

impl Stored {
    /// Whether the image holds what was read when this was made.
    pub fn is_valid(&self, image: &Image, request: &Request) -> bool {
        self.refers_to_what_exists(image, request) && self.agrees(image, request)
    }

    /// Whether every symbol has its base, and every relocation its place.
    fn refers_to_what_exists(&self, image: &Image, request: &Request) -> bool {
        let has_base = |symbol: Symbol| symbol.base.index() < request.bases.len();
        let log = self.log.keys().all(|&place| match place {
            Place::Absolute(_) => true,
            Place::Relative(symbol) => has_base(symbol),
        });
        let relocations = self.lowered.relocations.iter().all(|relocation| {
            let target = match relocation.kind {
                RelocationKind::SymbolAddress(symbol) => has_base(symbol),
                RelocationKind::CallSlot(symbol) => {
                    has_base(symbol) && image.slot(request.address(symbol)).is_some()
                }
                RelocationKind::CallFunction(_) | RelocationKind::CallIntrinsic(_) => true,
            };
            target && (relocation.offset as usize) < self.lowered.body.len()
        });
        log && relocations
    }

    fn agrees(&self, image: &Image, request: &Request) -> bool {
        self.log.iter().all(|(&place, bytes)| {
            image
                .at(request, place, bytes.len() as u32)
                .is_some_and(|found| found == *bytes)
        })
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut word = |word: u32| out.extend_from_slice(&word.to_le_bytes());
        word(self.contexts);
        word(self.nodes);
        word(self.log.len() as u32);
        word(self.lowered.relocations.len() as u32);
        word(self.lowered.body.len() as u32);
        for (&place, bytes) in &self.log {
            let (kind, base, offset) = match place {
                Place::Absolute(address) => (0, 0, address),
                Place::Relative(symbol) => (1, symbol.base.0, symbol.offset as u32),
            };
            let mut padded = [0; 8];
            padded[..bytes.len()].copy_from_slice(bytes);
            let (low, high) = padded.split_at(4);
            for value in [kind, base, offset, bytes.len() as u32] {
                word(value);
            }
            word(u32::from_le_bytes(low.try_into().expect("four bytes")));
            word(u32::from_le_bytes(high.try_into().expect("four bytes")));
        }
        for relocation in &self.lowered.relocations {
            let (kind, first, second) = match relocation.kind {
                RelocationKind::SymbolAddress(symbol) => (0, symbol.base.0, symbol.offset as u32),
                RelocationKind::CallSlot(symbol) => (1, symbol.base.0, symbol.offset as u32),
                RelocationKind::CallFunction(func) => (2, func.0, 0),
                RelocationKind::CallIntrinsic(intrinsic) => (3, intrinsic as u32, 0),
            };
            for value in [relocation.offset, kind, first, second] {
                word(value);
            }
        }
        out.extend_from_slice(&self.lowered.body);
        out
    }

    /// Reads what [`Stored::encode`] wrote.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut words = Words { bytes };
        let [contexts, nodes, log_len, relocation_count, body_len] = words.take()?;
        let mut log = ReadLog::new();
        for _ in 0..log_len {
            let [kind, base, offset, len, low, high] = words.take()?;
            let place = match kind {
                0 => Place::Absolute(offset),
                1 => Place::Relative(Symbol {
                    base: Base(base),
                    offset: offset as i32,
                }),
                _ => return None,
            };
            let padded = (u64::from(high) << 32 | u64::from(low)).to_le_bytes();
            log.insert(place, padded.get(..len as usize)?.to_vec());
        }
        let mut relocations = Vec::new();
        for _ in 0..relocation_count {
            let [offset, kind, first, second] = words.take()?;
            let symbol = Symbol {
                base: Base(first),
                offset: second as i32,
            };
            let kind = match kind {
                0 => RelocationKind::SymbolAddress(symbol),
                1 => RelocationKind::CallSlot(symbol),
                2 => RelocationKind::CallFunction(Func(first)),
                3 => RelocationKind::CallIntrinsic(*Intrinsic::ALL.get(first as usize)?),
                _ => return None,
            };
            relocations.push(Relocation { offset, kind });
        }
        let body = words.bytes.to_vec();
        let lowered = Lowered { body, relocations };
        (lowered.body.len() == body_len as usize).then_some(Self {
            log,
            lowered,
            contexts,
            nodes,
        })
    }
}

struct Words<'a> {
    bytes: &'a [u8],
}

impl Words<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u32; N]> {
        let mut words = [0; N];
        for word in &mut words {
            let (first, rest) = self.bytes.split_first_chunk::<4>()?;
            *word = u32::from_le_bytes(*first);
            self.bytes = rest;
        }
        Some(words)
    }
}
