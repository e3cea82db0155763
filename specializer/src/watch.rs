//! What looks at the code between two stages, for tests: first a fault is planted, if one is asked
//! for, then the verifier runs, if it is asked for.
//!
//! Invariant: without either, the code passes through as it is.

use std::borrow::Cow;

use wasmparser::{Validator, WasmFeatures};

use crate::fault::{self, Fault, Kind};
use crate::ir::{Stage, generic, residual};
use crate::link;
use crate::lower::{self, Lowered};
use crate::module::Module;
use crate::options::Options;
use crate::request::Requests;
use crate::verify;

/// Watches the work on one module.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    module: &'a Module<'a>,
    options: &'a Options,
}

impl<'a> Watch<'a> {
    pub fn new(module: &'a Module<'a>, options: &'a Options) -> Self {
        Self { module, options }
    }

    /// Looks at a generic function as `stage` left it.
    pub fn generic(&self, stage: &str, function: &generic::Function) {
        if self.options.verify {
            expect_valid(stage, verify::generic(function, self.module));
        }
    }

    /// Looks at the residual function of request `number` as `stage` left it.
    pub fn residual(&self, number: usize, stage: &str, function: &mut residual::Function) {
        if let Some(fault) = self.fault(number) {
            fault.plant(stage, function);
        }
        self.verify(stage, function);
    }

    /// Lowers the function of request `number`, which is reducible.
    pub fn lower(&self, number: usize, function: &residual::Function) -> Lowered {
        self.verify("reduction", function);
        match self.fault(number) {
            None => lower::lower_reducible(function),
            Some(fault) => {
                let (function, plan) = fault.plan(function);
                lower::write(&function, &plan)
            }
        }
    }

    /// The bodies that the linker is given, by request.
    pub fn bodies<'b>(
        &self,
        requests: &Requests,
        bodies: &[Option<&'b Lowered>],
    ) -> Vec<Option<Cow<'b, Lowered>>> {
        let bodies = bodies.iter().map(|body| body.map(Cow::Borrowed));
        match self.options.fault {
            Some(fault) if let Kind::Link(mismatch) = fault.kind => {
                let owned = bodies.map(|body| body.map(Cow::into_owned));
                let mut owned: Vec<_> = owned.collect();
                fault::plant_in_links(mismatch, fault, self.module, requests, &mut owned);
                owned.into_iter().map(|body| body.map(Cow::Owned)).collect()
            }
            Some(_) | None => bodies.collect(),
        }
    }

    /// What the linker has decided.
    pub fn layout(&self, requests: &Requests, layout: &mut link::Layout) {
        if let Some(fault) = self.options.fault {
            fault::plant_in_layout(fault, requests, layout);
        }
    }

    /// Looks at the linked module.
    pub fn linked(&self, linked: &[u8]) {
        let mut features = WasmFeatures::default();
        features.set(WasmFeatures::STACK_SWITCHING, self.options.stacks);
        if self.options.verify
            && let Err(error) = Validator::new_with_features(features).validate_all(linked)
        {
            panic!("linking leaves a module that is not valid: {error}");
        }
    }

    /// The fault of a request's function.
    fn fault(&self, number: usize) -> Option<Fault> {
        self.options.fault.filter(|fault| fault.request == number)
    }

    fn verify(&self, stage: &str, function: &residual::Function) {
        if self.options.verify {
            expect_valid(stage, verify::residual(function, self.module));
        }
    }
}

fn expect_valid<S: Stage>(stage: &str, verdict: Result<(), verify::Fault<S>>) {
    if let Err(fault) = verdict {
        panic!("{stage} leaves a function that breaks a rule: {fault}");
    }
}
