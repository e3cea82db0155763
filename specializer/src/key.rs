//! The key under which the residual function of a request is stored.
//!
//! It covers all that evaluation depends on, except for constant memory outside of the request's
//! own code, and where links and calls in that code lead: the read log covers these. No address is
//! in it, unless a constant parameter of the request or its code is one.
//!
//! Invariant: what is hashed can be read in one way only. Every field is preceded by its length,
//! and every list by the number of its items.

#[cfg(test)]
mod tests;

use std::fmt::Debug;

use crate::allocator::Allocator;
use crate::eval::{Boxes, Inlining, Small};
use crate::fault::Fault;
use crate::image::Image;
use crate::module::Module;
use crate::options::Options;
use crate::request::{Request, is_for_weval};

/// The part of keys that all requests share: tool, options, the generic code.
pub struct GenericKey {
    hasher: blake3::Hasher,
    inlining: Inlining,
    /// Part of the key of the one function that it changes.
    fault: Option<Fault>,
}

impl GenericKey {
    pub fn new(module: &Module, options: &Options, inlining: &Inlining) -> Self {
        let mut key = Self {
            hasher: blake3::Hasher::new(),
            inlining: *inlining,
            fault: options.fault,
        };
        key.bytes(env!("BACTRIAN_SPECIALIZER_FINGERPRINT").as_bytes());
        let Options {
            lockstep_events,
            to_initialise: _,
            absent: _,
            stacks: _,
            strip: _,
            keeps_unreached: _,
            shares_code: _,
            counts,
            optimisations,
            budgets,
            fault: _,
            profile: _,
            verify: _,
        } = options;
        key.value(&(lockstep_events, counts, optimisations, budgets, inlining));
        key.list(&module.imports, |key, import| {
            key.bytes(import.module.as_bytes());
            key.bytes(import.name.as_bytes());
        });
        key.list(module.types.values(), Self::value);
        key.list(module.first_alike.values(), Self::value);
        key.list(module.globals.values(), |key, global| {
            let init = if global.mutable { None } else { global.init };
            key.value(&(global.ty, global.mutable, init));
        });
        key.list(module.functions.values(), |key, sig| key.number(sig.0));
        key.list(&module.table, |key, func| match func {
            Some(func) => key.list(&[func.0], |key, &index| key.number(index)),
            None => key.list(&[], |key, &index| key.number(index)),
        });
        key.list(&module.bodies, |key, body| key.bytes(body.as_bytes()));
        key.value(&is_for_weval(module));
        key.value(&Boxes::declared(module));
        key.value(&module.exported_address(annotations::BOX_EXPORT));
        key.value(&Allocator::declared(module));
        key.value(&Small::first(module));
        key
    }

    /// The key of a request, which has this number.
    pub fn request(&self, number: usize, request: &Request, image: &Image) -> [u8; 32] {
        let Request {
            function,
            slot: _,
            generic: _,
            sig,
            params,
            globals,
            bases: _,
            anchor,
            code,
            code_len,
            is_recursive: _,
            loops,
            returns_early: _,
            boxed,
            numbers,
            name: _,
            heat,
            callees,
        } = request;
        let mut key = Self {
            hasher: self.hasher.clone(),
            inlining: self.inlining,
            fault: self.fault,
        };
        let fault = self.fault.filter(|fault| fault.is_in_body_of(number));
        key.value(&fault);
        let calls: Vec<_> = callees.keys().collect();
        key.value(&(function, sig, anchor, loops, heat, calls));
        key.value(&(boxed, numbers));
        key.list(params, Self::value);
        key.list(globals, Self::value);
        let (bytes, links) = image.code(request);
        key.bytes(&bytes);
        key.list(&links, |key, &(distance, callee)| {
            key.number(distance);
            // What may be evaluated in place is in the log, but programs have many functions that
            // only differ in what they call.
            let callee = callee.filter(|callee| {
                let limits = self.inlining.of(callee);
                limits.is_some_and(|limits| callee.code_len <= limits.longest())
            });
            key.list(callee.as_slice(), |key, callee| {
                key.bytes(&image.code(callee).0)
            });
        });
        let slots: Vec<_> = image.slots_in(*code, *code_len).collect();
        key.list(&slots, |key, (distance, slot)| {
            key.value(&(distance, slot.sig))
        });
        *key.hasher.finalize().as_bytes()
    }

    fn list<'a, T: 'a>(
        &mut self,
        items: impl IntoIterator<Item = &'a T, IntoIter: ExactSizeIterator>,
        mut each: impl FnMut(&mut Self, &T),
    ) {
        let items = items.into_iter();
        self.hasher.update(&(items.len() as u64).to_le_bytes());
        items.for_each(|item| each(self, item));
    }

    /// A value by its debugging output, which tells different values apart.
    fn value(&mut self, value: &impl Debug) {
        self.bytes(format!("{value:?}").as_bytes());
    }

    fn number(&mut self, number: u32) {
        self.hasher.update(&number.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.hasher.update(&(bytes.len() as u64).to_le_bytes());
        self.hasher.update(bytes);
    }
}
