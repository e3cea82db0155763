//! Constant memory: what the evaluator may read at specialization time, and the log of what it
//! read.
//!
//! Invariant: what the evaluator learnt from memory is in the log: bytes, the type of a request
//! slot, or that the place is not constant. Left out is only what it read through the pointer to
//! the request's own code, because the cache key holds that code as a whole. So a residual function
//! is valid for any image that agrees with its log.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::hash::FastMap;
use crate::ir::{Sig, Symbol};
use crate::module::Module;
use crate::op::{Const, LoadKind};
use crate::request::{Digest, Request, Requests};

/// A place in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Place {
    Absolute(u32),
    Relative(Symbol),
}

/// The constant memory of a snapshot, shared by all requests.
pub struct Image<'m> {
    module: &'m Module<'m>,
    requests: &'m Requests,
    /// Slot address to request.
    slots: FastMap<u32, usize>,
    /// By request.
    digests: Vec<Digest>,
}

/// What a load from constant memory gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loaded {
    Const(Const),
    /// The function index in a request slot.
    Slot(Symbol),
}

/// What the evaluator can learn from a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Seen {
    /// Constant bytes, as a little-endian number.
    Bytes(u64),
    /// The slot of a request for a residual function of this type.
    Slot(Sig),
    /// The slot of a request with this digest: what it asks for, but for where that is.
    Request(Digest),
    /// No constant: memory that may change, or a part of a slot.
    Variable,
}

/// What was seen, by place and width in bytes; a request has the width 0.
pub type ReadLog = BTreeMap<(Place, u32), Seen>;

impl<'m> Image<'m> {
    pub fn new(module: &'m Module<'m>, requests: &'m Requests) -> Self {
        let slots = requests
            .requests
            .iter()
            .enumerate()
            .map(|(index, request)| (request.slot, index))
            .collect();
        Self {
            module,
            requests,
            slots,
            digests: requests.requests.iter().map(Request::digest).collect(),
        }
    }

    /// The request whose slot is at `address`.
    pub fn slot(&self, address: u32) -> Option<&'m Request> {
        let &index = self.slots.get(&address)?;
        self.requests.requests.get(index)
    }

    /// `len` bytes of constant memory; zero where no data segment reaches.
    pub fn constant_bytes(&self, address: u32, len: u32) -> Option<Vec<u8>> {
        if !self.requests.is_constant(address, len) {
            return None;
        }
        let mut bytes = vec![0; len as usize];
        self.module.read_image(address, &mut bytes);
        Some(bytes)
    }

    /// The requests whose slots lie in `len` bytes at `address`, with the slots' distances from
    /// there.
    pub fn slots_in(&self, address: u32, len: u32) -> impl Iterator<Item = (u32, &'m Request)> {
        let words = (address & !3..address.saturating_add(len)).step_by(4);
        words.filter_map(move |at| Some((at.wrapping_sub(address), self.slot(at)?)))
    }

    /// The request whose slot is at `place`; notes in `log` what it asks for.
    pub fn request(
        &self,
        request: &Request,
        place: Place,
        log: &mut ReadLog,
    ) -> Option<&'m Request> {
        let seen = self.look(request, place, 0)?;
        log.insert((place, 0), seen);
        self.slot(resolve(request, place))
    }

    /// What `width` bytes (1 to 8) at a place are, as `request` sees it, or, of the width 0, which
    /// request's slot is there; absent for other widths.
    pub fn look(&self, request: &Request, place: Place, width: u32) -> Option<Seen> {
        if width == 0 {
            let slot = self.slots.get(&resolve(request, place));
            return Some(slot.map_or(Seen::Variable, |&slot| Seen::Request(self.digests[slot])));
        }
        let mut bytes = [0; 8];
        let there = bytes
            .get_mut(..width as usize)
            .filter(|there| !there.is_empty())?;
        let address = resolve(request, place);
        if width == 4
            && let Some(slot) = self.slot(address)
        {
            return Some(Seen::Slot(slot.sig));
        }
        if self.overlaps_slot(address, width) || !self.requests.is_constant(address, width) {
            return Some(Seen::Variable);
        }
        self.module.read_image(address, there);
        Some(Seen::Bytes(u64::from_le_bytes(bytes)))
    }

    /// Loads from `place` plus `offset`, if that memory is constant; notes it in `log`.
    pub fn load(
        &self,
        request: &Request,
        place: Place,
        offset: u32,
        kind: LoadKind,
        log: &mut ReadLog,
    ) -> Option<Loaded> {
        let address = resolve(request, place).checked_add(offset)?;
        let place = match place {
            Place::Absolute(_) => Place::Absolute(address),
            Place::Relative(symbol) => Place::Relative(Symbol {
                offset: symbol.offset.wrapping_add(offset as i32),
                ..symbol
            }),
        };
        let width = kind.width();
        let seen = self.look(request, place, width)?;
        if !in_own_code(request, place, width) {
            log.insert((place, width), seen);
        }
        match (seen, place) {
            (Seen::Bytes(bits), _) => {
                let bytes = &bits.to_le_bytes()[..width as usize];
                Some(Loaded::Const(kind.value(bytes)))
            }
            (Seen::Slot(_), Place::Relative(symbol)) if kind == LoadKind::I32Load => {
                Some(Loaded::Slot(symbol))
            }
            (
                Seen::Slot(_) | Seen::Request(_) | Seen::Variable,
                Place::Relative(_) | Place::Absolute(_),
            ) => None,
        }
    }

    /// Whether a slot (an aligned word) lies in the range.
    fn overlaps_slot(&self, address: u32, width: u32) -> bool {
        let (first, last) = (address & !3, address.saturating_add(width - 1) & !3);
        (first..=last)
            .step_by(4)
            .any(|at| self.slots.contains_key(&at))
    }
}

/// The absolute address of a place.
pub fn resolve(request: &Request, place: Place) -> u32 {
    match place {
        Place::Absolute(address) => address,
        Place::Relative(symbol) => request.address(symbol),
    }
}

/// Whether a place lies in the request's own code wherever that code is. An absolute address may
/// lie in it by chance, and does not count.
fn in_own_code(request: &Request, place: Place, width: u32) -> bool {
    let Place::Relative(Symbol { base, offset }) = place else {
        return false;
    };
    let start = u32::try_from(offset).ok();
    let end = start.and_then(|start| start.checked_add(width));
    base == request.anchor && end.is_some_and(|end| end <= request.code_len)
}
