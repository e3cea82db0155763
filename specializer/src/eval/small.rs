//! Small functions of stubs, which are evaluated where they are called.
//!
//! A function in C that takes a number apart and puts another together is a few instructions
//! without a branch. Evaluated in place it sees what is known of its arguments: a virtual box is
//! opened without being made, and what the function makes is a virtual box.
//!
//! Which functions are stubs', the module says ([`annotations::Stubs`]). What of the interpreter
//! they call is evaluated in place within them, and nowhere else: so code that calls no stubs is
//! what it would be without.
//!
//! Invariant: such a function is one block, without intrinsics and calls through the table, and has
//! one result.
//!
//! Leaves out functions with branches, and calls for which cells are synced.

use std::collections::BTreeMap;
use std::mem::{offset_of, replace};

use super::abs::{Abs, Fact};
use super::cells::{Content, Reader};
use super::prepare::{self, Prepared};
use super::transfer::{Machine, Phase};
use crate::index::Map;
use crate::ir::generic::Block;
use crate::ir::{Callee, Func, Terminator, Type, generic};
use crate::lift;
use crate::module::Module;
use crate::op::{Const, Op};

/// Most instructions of such a function.
const MOST_INSTS: usize = 64;

/// Most bytes of the body of one, so that others are not looked at.
const MOST_BYTES: usize = 512;

/// How many are evaluated within each other.
const MOST_DEPTH: usize = 4;

/// Most instructions of one with those within it.
const MOST_IN_ALL: usize = 256;

/// The small functions of a module.
#[derive(Default)]
pub struct Small {
    /// The index of the first function that is a stub's.
    first: Option<Func>,
    functions: BTreeMap<Func, Body>,
}

struct Body {
    prepared: Prepared,
    result: generic::Value,
    /// Whether the result is an odd number each time.
    is_odd: bool,
}

impl Body {
    fn insts(&self) -> &[generic::Inst] {
        &self.prepared.function.blocks[Block::ENTRY].insts
    }

    /// The functions that it calls, as often as it does.
    fn callees(&self) -> impl Iterator<Item = Func> {
        self.insts().iter().filter_map(|inst| match inst.op {
            Op::Call(Callee::Direct(callee)) => Some(callee),
            _ => None,
        })
    }
}

impl Small {
    /// The first function of a module that is a stub's: all that follow are.
    pub fn first(module: &Module) -> Option<Func> {
        let stubs = module.exported_address(annotations::STUBS_EXPORT)?;
        let word = offset_of!(annotations::Stubs, functions) as u32;
        let first = module.image_u32(stubs.wrapping_add(word));
        (first != 0).then_some(Func(first))
    }

    /// Those of a module.
    pub fn find(module: &Module) -> Self {
        let Some(first) = Self::first(module) else {
            return Self::default();
        };
        let mut functions = BTreeMap::new();
        let mut asked: Vec<Func> = (first.0..module.functions.len() as u32).map(Func).collect();
        while let Some(function) = asked.pop() {
            if functions.contains_key(&function) {
                continue;
            }
            let Some(body) = body(module, function, function >= first) else {
                continue;
            };
            asked.extend(body.callees());
            functions.insert(function, body);
        }
        let mut sizes: BTreeMap<Func, usize> = BTreeMap::new();
        for _ in 0..MOST_DEPTH {
            let in_all = |body: &Body| {
                let within = body.callees().filter_map(|callee| sizes.get(&callee));
                within.fold(body.insts().len(), |all, size| all.saturating_add(*size))
            };
            sizes = functions
                .iter()
                .map(|(&function, body)| (function, in_all(body)))
                .collect();
        }
        functions.retain(|function, _| sizes[function] <= MOST_IN_ALL);
        Self {
            first: Some(first),
            functions,
        }
    }

    /// The function, if it is evaluated in place by a caller that is so itself, or is not.
    fn get(&self, function: Func, depth: usize) -> Option<&Body> {
        let is_stub = self.first.is_some_and(|first| function >= first);
        let may_be = (is_stub || depth > 0) && depth < MOST_DEPTH;
        self.functions.get(&function).filter(|_| may_be)
    }
}

fn body(module: &Module, function: Func, is_stub: bool) -> Option<Body> {
    if module.body(function)?.as_bytes().len() > MOST_BYTES {
        return None;
    }
    let (mut lifted, places) = lift::with_places(module, function).ok()?;
    return_what_is_called(&mut lifted);
    // Preparation splits blocks behind calls through the table.
    let mut prepared = prepare::function(lifted, places);
    if is_stub {
        // `address.within` speaks of the interpreter's constants. A stub's may be in any region.
        prepared.literals = Map::filled_like(&prepared.literals, false);
    }
    let data = &prepared.function.blocks[Block::ENTRY];
    let is_plain = |inst: &generic::Inst| !matches!(inst.op, Op::Intrinsic(_));
    let is_small = prepared.function.blocks.len() == 1
        && data.insts.len() <= MOST_INSTS
        && data.insts.iter().all(is_plain);
    let Terminator::Return(results) = &data.term else {
        return None;
    };
    let &[result] = &results[..] else {
        return None;
    };
    let is_odd = is_odd(data, result);
    is_small.then_some(Body {
        prepared,
        result,
        is_odd,
    })
}

/// Makes a tail call that ends the first block a call whose result is returned: evaluated in place,
/// the function has no caller's stack to give up.
fn return_what_is_called(function: &mut generic::Function) {
    let Terminator::TailCall { callee, args } = &function.blocks[Block::ENTRY].term else {
        return;
    };
    let (op, args) = (Op::Call(*callee), args.clone());
    let results: Vec<Type> = function.signature.results.to_vec();
    let results: generic::Values = results.iter().map(|&ty| function.new_value(ty)).collect();
    let result = results.first().copied();
    let data = &mut function.blocks[Block::ENTRY];
    data.insts.push(generic::Inst { op, args, result });
    data.term = Terminator::Return(results);
}

/// Whether a value is an odd number each time.
fn is_odd(data: &generic::BlockData, value: generic::Value) -> bool {
    let mut odd = Vec::new();
    for inst in &data.insts {
        let is_odd = |index: usize| odd.contains(&inst.args[index]);
        let is = match inst.op {
            Op::Const(Const::I64(number)) => number & 1 == 1,
            Op::Const(Const::I32(number)) => number & 1 == 1,
            Op::I64Or | Op::I32Or => is_odd(0) || is_odd(1),
            Op::I64ExtendI32U | Op::I64ExtendI32S => is_odd(0),
            Op::Select => is_odd(0) && is_odd(1),
            _ => false,
        };
        odd.extend(inst.result.filter(|_| is));
    }
    odd.contains(&value)
}

impl<P: Phase> Machine<'_, P> {
    /// What a call gives, if the function is evaluated in place.
    pub(super) fn in_place(&mut self, callee: Callee, args: &[P::Value]) -> Option<P::Value> {
        let Callee::Direct(function) = callee else {
            return None;
        };
        let evaluation = self.evaluation;
        let is_on = evaluation.optimisations.small_stubs;
        if !is_on || self.cells.sync_due != Reader::Nobody {
            return None;
        }
        let body = evaluation.small.get(function, self.depth)?;
        let prepared = &body.prepared;
        let data = &prepared.function.blocks[Block::ENTRY];
        let values = replace(&mut self.values, vec![None; prepared.widest]);
        let caller = replace(&mut self.prepared, prepared);
        self.depth += 1;
        for (&param, &arg) in data.params.iter().zip(args) {
            self.set(Some(param), arg);
        }
        for inst in &data.insts {
            self.inst(inst);
        }
        let result = self.value(body.result);
        self.depth -= 1;
        self.prepared = caller;
        self.values = values;
        let is_new = result.abs() == Abs::Dynamic && evaluation.optimisations.facts;
        Some(match is_new && body.is_odd {
            true => self.phase.noting(result, Abs::Fact(Fact::Immediate)),
            false => result,
        })
    }
}
