//! Constant memory: what the evaluator may read at specialization time, and the log of what it
//! read.
//!
//! Invariant: what the evaluator learnt from memory is in the log: bytes, the type of a request
//! slot, which of the addresses it knows a link holds, or that it is not constant. Left out
//! are only bytes that it read through the pointer to the request's own code, because the cache key
//! holds that code as a whole. So a residual function is valid for any image that agrees with its
//! log, wherever there the code lies that it knows.

mod bases;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::hash::FastMap;
use crate::ir::{Sig, Symbol};
use crate::module::Module;
use crate::op::{Const, LoadKind};
use crate::request::{Digest, Request, Requests};

pub use bases::Bases;

/// A location in memory: at an address, or by what it is relative to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Location {
    Absolute(u32),
    Relative(Symbol),
}

/// The constant memory of a snapshot, shared by all requests.
pub struct Image<'m> {
    module: &'m Module<'m>,
    requests: &'m Requests,
    /// Slot address to request.
    slots: FastMap<u32, usize>,
    /// Address of code to the request for it.
    codes: FastMap<u32, usize>,
    /// By request.
    digests: Vec<Digest>,
    /// Address of a call to that of the code which it most often calls, by a profile.
    callees: FastMap<u32, u32>,
}

/// What a load from constant memory gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loaded {
    Const(Const),
    /// The function index in a request slot.
    Slot(Symbol),
    /// The address that a link holds.
    Link(Symbol),
}

/// What the evaluator can learn from memory at a location.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Seen {
    /// Constant bytes, as a little-endian number.
    Bytes(u64),
    /// The slot of a request for a residual function of this type.
    Slot(Sig),
    /// The slot of a request with this digest: what it asks for, but for where that is.
    Request(Digest),
    /// A link to this address, or a call of what is there.
    Link(Symbol),
    /// No constant: memory that may change, a part of a slot or of a link, or a link to an address
    /// that has no name.
    Variable,
}

/// What was seen, by location and width in bytes; a request has the width 0, and so has a call.
pub type ReadLog = BTreeMap<(Location, u32), Seen>;

/// What one evaluation has learnt from memory so far.
pub struct Reads {
    pub log: ReadLog,
    pub bases: Bases,
}

impl Reads {
    /// Those of a request of which nothing is evaluated yet.
    pub fn new(request: &Request) -> Self {
        Self {
            log: ReadLog::new(),
            bases: Bases::new(request),
        }
    }
}

impl<'m> Image<'m> {
    pub fn new(module: &'m Module<'m>, requests: &'m Requests) -> Self {
        let numbered = || requests.requests.iter().enumerate();
        let slots = numbered().map(|(index, request)| (request.slot, index));
        let codes = numbered().map(|(index, request)| (request.code, index));
        Self {
            module,
            requests,
            slots: slots.collect(),
            codes: codes.collect(),
            digests: requests.requests.iter().map(Request::digest).collect(),
            callees: requests.requests.iter().flat_map(callees).collect(),
        }
    }

    /// The request whose slot is at `address`.
    pub fn slot(&self, address: u32) -> Option<&'m Request> {
        let &index = self.slots.get(&address)?;
        self.requests.requests.get(index)
    }

    /// Whether these bytes are declared constant.
    pub fn is_constant(&self, address: u32, len: u32) -> bool {
        self.requests.is_constant(address, len)
    }

    /// `len` bytes of constant memory; zero where no data segment reaches.
    pub fn constant_bytes(&self, address: u32, len: u32) -> Option<Vec<u8>> {
        if len > 0 && !self.requests.is_constant_from(address, address, len) {
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

    /// The code of a request but for where its links lead, and these: their distance from its
    /// beginning, and the request whose code each leads to, if it leads to one.
    pub fn code(&self, request: &Request) -> (Vec<u8>, Vec<(u32, Option<&'m Request>)>) {
        let bytes = self.constant_bytes(request.code, request.code_len);
        let mut bytes = bytes.expect("requests are checked to have constant code");
        let links = self.requests.links_in(request.code, request.code_len);
        let links = links.iter().map(|&link| {
            let distance = link - request.code;
            let end = bytes.len().min(distance as usize + 4);
            bytes[distance as usize..end].fill(0);
            let callee = self.codes.get(&self.module.image_u32(link));
            let callee = callee.map(|&index| &self.requests.requests[index]);
            (distance, callee)
        });
        let links = links.collect();
        (bytes, links)
    }

    /// The address that the link at `address` holds, if there is one.
    fn link(&self, address: u32) -> Option<u32> {
        self.requests.links.binary_search(&address).ok()?;
        Some(self.module.image_u32(address))
    }

    /// Where the link at `address`, or the call, leads.
    pub fn target(&self, address: u32) -> Option<u32> {
        let callee = self.callees.get(&address).copied();
        callee.or_else(|| self.link(address))
    }

    /// What the call at the address of `symbol` most often calls, if a profile says so; notes it.
    pub fn usual_callee(&self, call: Symbol, reads: &mut Reads) -> Option<Symbol> {
        let target = *self.callees.get(&reads.bases.address(call))?;
        reads.bases.follow(call, target);
        let name = reads.bases.name(target)?;
        let location = Location::Relative(call);
        reads.log.insert((location, 0), Seen::Link(name));
        Some(name)
    }

    /// The request whose slot is at the address of `symbol`; notes what it asks for.
    pub fn request(&self, symbol: Symbol, reads: &mut Reads) -> Option<&'m Request> {
        let location = Location::Relative(symbol);
        let seen = self.look(&reads.bases, location, 0)?;
        reads.log.insert((location, 0), seen);
        self.slot(reads.bases.address(symbol))
    }

    /// What `width` bytes (1 to 8) at a location are, or, of the width 0, which request's slot is
    /// there or what the call there calls; absent for other widths.
    pub fn look(&self, bases: &Bases, location: Location, width: u32) -> Option<Seen> {
        let address = bases.resolve(location);
        if width == 0 {
            if let Some(&callee) = self.callees.get(&address) {
                return Some(bases.name(callee).map_or(Seen::Variable, Seen::Link));
            }
            let slot = self.slots.get(&address);
            return Some(slot.map_or(Seen::Variable, |&slot| Seen::Request(self.digests[slot])));
        }
        let mut bytes = [0; 8];
        let there = bytes
            .get_mut(..width as usize)
            .filter(|there| !there.is_empty())?;
        if width == 4
            && let Some(slot) = self.slot(address)
        {
            return Some(Seen::Slot(slot.sig));
        }
        if let (Location::Relative(_), 4) = (location, width)
            && let Some(target) = self.link(address)
        {
            return Some(bases.name(target).map_or(Seen::Variable, Seen::Link));
        }
        let is_constant = match location {
            Location::Absolute(_) => self.requests.is_constant(address, width),
            Location::Relative(symbol) => {
                let base = bases.address(Symbol {
                    offset: 0,
                    ..symbol
                });
                self.requests.is_constant_from(base, address, width)
            }
        };
        if self.overlaps(address, width) || !is_constant {
            return Some(Seen::Variable);
        }
        self.module.read_image(address, there);
        Some(Seen::Bytes(u64::from_le_bytes(bytes)))
    }

    /// Loads from `place` plus `offset`, if that memory is constant; notes it. A link that leads
    /// where none has led before gives that address a name.
    pub fn load(
        &self,
        location: Location,
        offset: u32,
        kind: LoadKind,
        reads: &mut Reads,
    ) -> Option<Loaded> {
        let Reads { log, bases } = reads;
        let address = bases.resolve(location).checked_add(offset)?;
        let location = match location {
            Location::Absolute(_) => Location::Absolute(address),
            Location::Relative(symbol) => Location::Relative(Symbol {
                offset: symbol.offset.wrapping_add(offset as i32),
                ..symbol
            }),
        };
        let width = kind.width();
        if let (Location::Relative(link), 4) = (location, width)
            && let Some(target) = self.link(address)
        {
            bases.follow(link, target);
        }
        let seen = self.look(bases, location, width)?;
        let is_in_key = matches!(seen, Seen::Bytes(_)) && bases.is_in_own_code(location, width);
        if !is_in_key {
            log.insert((location, width), seen);
        }
        match (seen, location) {
            (Seen::Bytes(bits), _) => {
                let bytes = &bits.to_le_bytes()[..width as usize];
                Some(Loaded::Const(kind.value(bytes)))
            }
            (Seen::Slot(_), Location::Relative(symbol)) if kind == LoadKind::I32Load => {
                Some(Loaded::Slot(symbol))
            }
            (Seen::Link(symbol), Location::Relative(_)) if kind == LoadKind::I32Load => {
                Some(Loaded::Link(symbol))
            }
            (
                Seen::Slot(_) | Seen::Request(_) | Seen::Link(_) | Seen::Variable,
                Location::Relative(_) | Location::Absolute(_),
            ) => None,
        }
    }

    /// Whether a slot or a link (aligned words) lies in the range.
    fn overlaps(&self, address: u32, width: u32) -> bool {
        let (first, last) = (address & !3, address.saturating_add(width - 1) & !3);
        let mut words = (first..=last).step_by(4);
        words.any(|at| self.slots.contains_key(&at) || self.link(at).is_some())
    }
}

/// What a profile says of the calls in the code of a request: their addresses and their callees'.
fn callees(request: &Request) -> impl Iterator<Item = (u32, u32)> {
    let calls = request.callees.iter();
    calls.map(|(&distance, &callee)| (request.code.wrapping_add(distance), callee))
}
