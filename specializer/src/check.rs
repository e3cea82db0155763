//! Looks for misuse of the intrinsics in an annotated module: [`check`].
//!
//! Three sources: what cannot be read or lifted, the interpreter's own code ([`depth`]; and
//! positions in functions that it calls, where they are nothing), and what each request
//! makes of it ([`eval::examine`]). An *error* is what breaks a contract or is never of use; a
//! *warning* is what may be meant, or is so for a part of the program only.
//!
//! Leaves out what requests do not reach, but for the balance of pushes and pops, and functions
//! that are not specialized: cells are memory there.

mod depth;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use wasmparser::Operator;

use crate::eval::{
    self, Boxes, Boxing, Cause, Count, Evaluation, Inlining, Refusal, Remark, Remarks, Small,
};
use crate::image::Image;
use crate::ir::Func;
use crate::lift;
use crate::module::{Module, ModuleError};
use crate::op::Intrinsic;
use crate::op::intrinsic::NAMED_REGIONS;
use crate::options::Options;
use crate::request::{Request, Requests};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    Error,
    Warning,
}

/// Something that is wrong, or may be.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Finding {
    pub severity: Severity,
    pub place: Option<Place>,
    pub what: String,
    /// Why, and where that is.
    pub why: Option<(String, Option<Place>)>,
}

/// A place in the interpreter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    pub func: Func,
    /// In the module's bytes, and in the function's body.
    pub offset: usize,
    pub in_body: usize,
}

/// What is found in a snapshot, errors first.
pub fn check(snapshot: &[u8], options: &Options) -> Result<Vec<Finding>, ModuleError> {
    let module = Module::parse(snapshot)?;
    let mut check = Check {
        module: &module,
        findings: BTreeSet::new(),
    };
    match Requests::read(&module) {
        Ok(requests) => check.requests(&requests, options),
        Err(error) => check.add(Severity::Error, None, error.to_string()),
    }
    Ok(check.findings.into_iter().collect())
}

struct Check<'m, 'a> {
    module: &'m Module<'a>,
    findings: BTreeSet<Finding>,
}

impl Check<'_, '_> {
    fn requests(&mut self, requests: &Requests, options: &Options) {
        if requests.requests.is_empty() {
            let what = "there are no requests: was the module initialised before it was frozen?";
            self.add(Severity::Warning, None, what.into());
        }
        let functions = requests.requests.iter().map(|request| request.function);
        let functions: BTreeSet<Func> = functions.collect();
        self.positions_elsewhere(&functions);
        let mut generic = BTreeMap::new();
        for &func in &functions {
            match lift::with_places(self.module, func) {
                Ok((function, places)) => {
                    for unbalanced in depth::unbalanced(&function, &places) {
                        let place = self.place(unbalanced.place);
                        self.add(Severity::Error, place, unbalanced.kind.to_string());
                    }
                    generic.insert(func, eval::prepare(function, places));
                }
                Err(error) => {
                    let place = self.place(error.offset);
                    let what = format!("it cannot be specialized: {}", error.reason);
                    self.add(Severity::Error, place, what);
                }
            }
        }
        let image = Image::new(self.module, requests);
        let boxes = Boxes::find(self.module);
        let small = Small::find(self.module);
        let mut optimisations = options.optimisations;
        optimisations.inlining = false;
        let mut remarks = Remarks::new();
        for request in &requests.requests {
            let Some(prepared) = generic.get(&request.function) else {
                continue;
            };
            let examined = eval::examine(
                &Evaluation {
                    prepared,
                    request,
                    image: &image,
                    module: self.module,
                    budgets: options.budgets,
                    inlining: Inlining::for_program(requests.code_len()),
                    optimisations,
                    lockstep_events: false,
                    counts: false,
                    verify: options.verify,
                    apart: true,
                    boxes: &boxes,
                    boxing: Boxing::Called,
                    small: &small,
                },
                &mut remarks,
            );
            if let Err(refusal) = examined {
                self.refusal(request, refusal);
            }
        }
        self.remarks(remarks);
    }

    /// Cells that have lost their addresses by the same cause are one finding.
    fn remarks(&mut self, remarks: Remarks) {
        let mut cells: Vec<(usize, Remark, Count)> = Vec::new();
        for ((offset, remark), count) in remarks {
            if !matches!(remark, Remark::NoCell(_)) {
                self.remark(offset, remark, count);
                continue;
            }
            match cells
                .iter_mut()
                .find(|(.., first)| first.cause == count.cause)
            {
                Some((.., first)) => first.made += 1,
                None => cells.push((offset, remark, Count { made: 1, ..count })),
            }
        }
        for (offset, remark, count) in cells {
            self.remark(offset, remark, count);
        }
    }

    fn add(&mut self, severity: Severity, place: Option<Place>, what: String) {
        let why = None;
        self.findings.insert(Finding {
            severity,
            place,
            what,
            why,
        });
    }

    /// Why a request is declined, and where.
    fn refusal(&mut self, request: &Request, refusal: Refusal) {
        let mut what = format!("{} is declined: {}", request.title(), refusal.reason);
        if let Some(detail) = refusal.detail {
            what += &format!("; {detail}");
        }
        self.findings.insert(Finding {
            severity: Severity::Error,
            place: refusal.place.and_then(|place| self.place(place)),
            what,
            why: refusal.cause.map(|cause| self.why(cause)),
        });
    }

    fn why(&self, cause: Cause) -> (String, Option<Place>) {
        let place = cause.place.and_then(|place| self.place(place));
        (cause.what, place)
    }

    fn remark(&mut self, offset: usize, remark: Remark, count: Count) {
        let (severity, what) = said(remark, &count);
        let why = count.cause.map(|cause| self.why(cause));
        self.findings.insert(Finding {
            severity,
            place: self.place(offset),
            what,
            why,
        });
    }

    /// Positions that are announced in functions that requests' functions call: there they are
    /// nothing.
    fn positions_elsewhere(&mut self, functions: &BTreeSet<Func>) {
        let called = functions.iter().flat_map(|&func| self.calls(func));
        let called: BTreeSet<Func> = called.map(|(_, callee)| callee).collect();
        for &func in called.difference(functions) {
            for (offset, callee) in self.calls(func) {
                let import = self.module.import(callee);
                let found =
                    import.and_then(|import| Intrinsic::imported(import.module, import.name));
                if let Some(
                    intrinsic @ (Intrinsic::ContextUpdate
                    | Intrinsic::ContextPush
                    | Intrinsic::ContextPop),
                ) = found
                {
                    let what = format!(
                        "`{}` is nothing in a function that no request names: this one is called \
                         by the interpreter, and not a part of it",
                        intrinsic.name()
                    );
                    self.add(Severity::Warning, self.place(offset), what);
                }
            }
        }
    }

    /// The functions that a function calls by name, and where.
    fn calls(&self, func: Func) -> Vec<(usize, Func)> {
        let mut calls = Vec::new();
        let body = self.module.body(func);
        let Some(mut reader) = body.and_then(|body| body.get_operators_reader().ok()) else {
            return calls;
        };
        while !reader.eof() {
            let offset = reader.original_position();
            match reader.read() {
                Ok(Operator::Call { function_index } | Operator::ReturnCall { function_index }) => {
                    calls.push((offset, Func(function_index)))
                }
                Ok(_) => {}
                Err(_) => break,
            }
        }
        calls
    }

    /// The place of an offset in the module's bytes.
    fn place(&self, offset: usize) -> Option<Place> {
        let bodies = self.module.bodies.iter();
        let ends = bodies.map(|body| body.range().end).collect::<Vec<_>>();
        let index = ends.partition_point(|&end| end <= offset);
        let body = self.module.bodies.get(index)?;
        Some(Place {
            func: Func((self.module.imports.len() + index) as u32),
            offset,
            in_body: offset.checked_sub(body.range().start)?,
        })
    }
}

/// How a remark is put.
fn said(remark: Remark, count: &Count) -> (Severity, String) {
    use Severity::{Error, Warning};
    match remark {
        Remark::Unknown(intrinsic) => {
            let name = intrinsic.name();
            match count.made == count.of {
                true => (
                    Error,
                    format!("the position that `{name}` gets is never known"),
                ),
                false => {
                    let (made, of) = (count.made, count.of);
                    let often = format!("{made} of the {of} times that it is reached");
                    let what = format!("the position that `{name}` gets is not known, {often}");
                    (Warning, what)
                }
            }
        }
        Remark::Unsynced(sync) => (
            Error,
            format!(
                "a call is given an address of the stack, and memory has not got all {}: `{}` is \
                 missing before it",
                match sync {
                    Intrinsic::WevalSync => "that was pushed, or written to locals",
                    _ => "cells",
                },
                sync.name()
            ),
        ),
        Remark::Forgotten => (
            Error,
            "`cells.invalidate` follows this call, and memory had not got all cells: `cells.sync` \
             is missing before it"
                .into(),
        ),
        Remark::PlainLoad(Intrinsic::WevalSync) => (
            Error,
            "a plain load reads an entry of the stack, or a local, that memory has not got: \
             `weval.sync.stack` is missing before it"
                .into(),
        ),
        Remark::PlainLoad(_) => (
            Error,
            "a plain load reads a cell that memory has not got: `cells.read` does, or a \
             `cells.sync` is missing before it"
                .into(),
        ),
        Remark::PlainStore => (
            Error,
            "a plain store writes a cell, of which code keeps the old contents: `cells.write` does"
                .into(),
        ),
        Remark::ConstantStore => (
            Error,
            "a store to memory that is declared constant: what was read there before, or while \
             code is made, goes on counting"
                .into(),
        ),
        Remark::NoCell(intrinsic) => (
            Warning,
            format!(
                "the address that `{}` gets is not known{}: all cells go to memory there",
                intrinsic.name(),
                match count.made - 1 {
                    0 => String::new(),
                    1 => ", nor one in 1 other place".into(),
                    others => format!(", nor those in {others} other places"),
                }
            ),
        ),
        Remark::Undecided => (
            Warning,
            "most of what is declined comes from this switch, whose value is not known".into(),
        ),
        Remark::NoVersion(intrinsic) => (
            Warning,
            format!(
                "`{}` makes no version: its {} not known",
                intrinsic.name(),
                match intrinsic {
                    Intrinsic::SpecializeGuess | Intrinsic::SpecializeGuessByName => "guess is",
                    _ => "bounds are",
                }
            ),
        ),
        Remark::FanOut(intrinsic) => (
            Warning,
            format!(
                "`{}` makes no version: its bounds have more values than the budget `fan-out`",
                intrinsic.name()
            ),
        ),
        Remark::Reversed(intrinsic) => (
            Warning,
            format!(
                "`{}` makes no version: its lower bound is above the upper one",
                intrinsic.name()
            ),
        ),
        Remark::Empty(intrinsic @ Intrinsic::SpecializeRange) => (
            Warning,
            format!(
                "`{}` gets equal bounds, and the upper one is not meant: no value is within them, \
                 so specialized code traps here",
                intrinsic.name()
            ),
        ),
        Remark::Empty(intrinsic) => (
            Warning,
            format!(
                "`{}` makes no version: its bounds are equal, and the upper one is not meant",
                intrinsic.name()
            ),
        ),
        Remark::NoRegion => (
            Error,
            format!(
                "the region that `address.within` gets is none of {} to {}, or not known",
                NAMED_REGIONS.start(),
                NAMED_REGIONS.end()
            ),
        ),
        Remark::NoKind => (
            Error,
            "the kind of a box is not in the table of boxes, or not known".into(),
        ),
    }
}
