//! The addresses that symbols are relative to: a request's own bases, then those to which links
//! led, or calls by what a profile says of them.
//!
//! Invariants: no two bases that were found have the same address, and none lies in the request's
//! own code, so that equal addresses have equal names. In whichever image a stored function is
//! used, its bases are those that evaluation would find there, in the same order.

use std::collections::HashMap;

use super::{Image, Location};
use crate::index::Map;
use crate::ir::{Base, Symbol};
use crate::request::Request;

/// The bases of one evaluation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bases {
    addresses: Map<Base, u32>,
    by_address: HashMap<u32, Base>,
    /// For each base after the request's own, the link that led there first.
    links: Vec<Symbol>,
    anchor: Base,
    /// Bytes of the request's own code, which begins at the anchor.
    code_len: u32,
}

impl Bases {
    /// Before any link is followed.
    pub fn new(request: &Request) -> Self {
        let addresses = request.bases.clone();
        Self {
            by_address: (&addresses)
                .into_iter()
                .map(|(base, &at)| (at, base))
                .collect(),
            addresses,
            links: Vec::new(),
            anchor: request.anchor,
            code_len: request.code_len,
        }
    }

    /// After these links were followed; absent if they are none, or no longer lead to as many
    /// places.
    pub fn found(request: &Request, links: &[Symbol], image: &Image) -> Option<Self> {
        let mut bases = Self::new(request);
        for (&link, count) in links.iter().zip(1..) {
            let target = image.target(bases.get(link)?)?;
            bases.follow(link, target);
            if bases.links.len() != count {
                return None;
            }
        }
        Some(bases)
    }

    /// The links that were followed.
    pub fn into_links(self) -> Vec<Symbol> {
        self.links
    }

    /// The addresses, by base.
    pub fn into_addresses(self) -> Map<Base, u32> {
        self.addresses
    }

    /// The address of a symbol with one of these bases.
    pub fn address(&self, symbol: Symbol) -> u32 {
        self.addresses[symbol.base].wrapping_add_signed(symbol.offset)
    }

    /// The address of a symbol, if there is such a base.
    pub fn get(&self, symbol: Symbol) -> Option<u32> {
        let is_known = symbol.base.index() < self.addresses.len();
        is_known.then(|| self.address(symbol))
    }

    /// The address of a location.
    pub fn resolve(&self, location: Location) -> u32 {
        match location {
            Location::Absolute(address) => address,
            Location::Relative(symbol) => self.address(symbol),
        }
    }

    /// Follows a link to `target`, which has a name after that.
    pub fn follow(&mut self, link: Symbol, target: u32) {
        if self.name(target).is_none() {
            let base = self.addresses.push(target);
            self.by_address.insert(target, base);
            self.links.push(link);
        }
    }

    /// What an address to which links lead is called.
    pub fn name(&self, address: u32) -> Option<Symbol> {
        let own = address.wrapping_sub(self.addresses[self.anchor]);
        if own < self.code_len {
            return Some(Symbol {
                base: self.anchor,
                offset: own as i32,
            });
        }
        let &base = self.by_address.get(&address)?;
        Some(Symbol { base, offset: 0 })
    }

    /// Whether two symbols are different addresses in whichever image: both are names, and one of
    /// them names what was found.
    pub fn differ(&self, a: Symbol, b: Symbol) -> bool {
        let own = self.addresses.len() - self.links.len();
        let is_found = |symbol: Symbol| symbol.base.index() >= own && symbol.offset == 0;
        let is_name = |symbol: Symbol| {
            let is_in_own_code = self.is_in_own_code(Location::Relative(symbol), 1);
            symbol.offset == 0 || is_in_own_code
        };
        a.base != b.base && (is_found(a) && is_name(b) || is_found(b) && is_name(a))
    }

    /// Whether a location lies in the request's own code wherever that code is. An absolute address
    /// may lie in it by chance, and does not count.
    pub fn is_in_own_code(&self, location: Location, width: u32) -> bool {
        let Location::Relative(Symbol { base, offset }) = location else {
            return false;
        };
        let start = u32::try_from(offset).ok();
        let end = start.and_then(|start| start.checked_add(width));
        base == self.anchor && end.is_some_and(|end| end <= self.code_len)
    }
}
