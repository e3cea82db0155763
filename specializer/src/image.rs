//! Constant memory: what the evaluator may read at specialisation time, and the log of what it read.
//!
//! Invariant: a value that came from memory is in the log, unless it lies in the request's own code (which
//! is part of the cache key as a whole). So a residual function is valid for any image that agrees with
//! its log.

use std::collections::BTreeMap;

use crate::hash::FastMap;
use crate::ir::Symbol;
use crate::module::Module;
use crate::op::{Const, LoadKind};
use crate::request::{Request, Requests};

/// A place in constant memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
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
}

/// What a load from constant memory gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loaded {
    Const(Const),
    /// The function index in a request slot.
    Slot(Symbol),
}

/// What was read: each place with its bytes, by place.
pub type ReadLog = BTreeMap<Place, Vec<u8>>;

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

    /// Bytes at a place, as `request` sees it.
    pub fn at(&self, request: &Request, place: Place, len: u32) -> Option<Vec<u8>> {
        self.constant_bytes(resolve(request, place), len)
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
        let base = resolve(request, place);
        let address = u32::try_from(u64::from(base) + u64::from(offset)).ok()?;
        let place = match place {
            Place::Absolute(_) => Place::Absolute(address),
            Place::Relative(symbol) => Place::Relative(Symbol {
                offset: symbol.offset.wrapping_add(offset as i32),
                ..symbol
            }),
        };
        if self.overlaps_slot(address, kind.width()) {
            return match place {
                Place::Relative(symbol)
                    if kind == LoadKind::I32Load && self.slots.contains_key(&address) =>
                {
                    Some(Loaded::Slot(symbol))
                }
                Place::Relative(_) | Place::Absolute(_) => None,
            };
        }
        let width = kind.width();
        if !self.requests.is_constant(address, width) {
            return None;
        }
        let mut bytes = [0; 8];
        self.module
            .read_image(address, &mut bytes[..width as usize]);
        if !in_own_code(request, address, width) {
            log.entry(place)
                .or_insert_with(|| bytes[..width as usize].to_vec());
        }
        Some(Loaded::Const(kind.value(&bytes[..width as usize])))
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

fn in_own_code(request: &Request, address: u32, width: u32) -> bool {
    address >= request.code
        && u64::from(address) + u64::from(width)
            <= u64::from(request.code) + u64::from(request.code_len)
}
