//! Wrong links: relocations that name something else, slots that hold another function, dispatchers
//! that call another one.

use super::{Act, Fault, Kind, Mismatch, Place};
use crate::ir::{Func, Symbol};
use crate::link::{Case, Layout};
use crate::lower::{Lowered, RelocationKind};
use crate::module::Module;
use crate::request::Requests;

/// Bytes of an address's neighbour.
const WORD: i32 = 8;

/// Plants a fault, if there is such a place. `bodies` are those of the requests, in order.
pub fn plant(
    mismatch: Mismatch,
    fault: Fault,
    module: &Module,
    requests: &Requests,
    bodies: &mut [Option<Lowered>],
) {
    let request = fault.request;
    let mut place = Place(fault.nth);
    if mismatch == Mismatch::ExchangedSlots {
        return exchange(fault, requests, bodies);
    }
    let Some(body) = bodies.get(request).and_then(Option::as_ref) else {
        return;
    };
    let relocations = body.relocations.iter().enumerate();
    let mut others = relocations.filter_map(|(index, relocation)| {
        let other = match (mismatch, relocation.kind) {
            (Mismatch::WrongCallee, RelocationKind::CallFunction(func)) => {
                sibling(module, func).map(RelocationKind::CallFunction)
            }
            (
                Mismatch::WrongSlotCallee,
                RelocationKind::CallSlot {
                    slot,
                    given,
                    numbers,
                },
            ) => {
                let other = other_slot(request, requests, bodies, slot);
                other.map(|slot| RelocationKind::CallSlot {
                    slot,
                    given,
                    numbers,
                })
            }
            (Mismatch::WrongAddress, RelocationKind::SymbolAddress(symbol)) => {
                Some(RelocationKind::SymbolAddress(moved(symbol, WORD)))
            }
            _ => None,
        };
        Some((index, other?))
    });
    let other = others.find(|_| place.here());
    if let Some((index, other)) = other
        && let Some(body) = &mut bodies[request]
    {
        match fault.act {
            Act::Break => body.relocations[index].kind = other,
            Act::Trap => trap(body, index),
            Act::TrapReaders | Act::StoreOther => {}
        }
    }
}

/// Plants a fault in what dispatchers do, if it is one and there is such a place.
pub fn plant_in_layout(fault: Fault, requests: &Requests, layout: &mut Layout) {
    let Some(request) = requests.requests.get(fault.request) else {
        return;
    };
    let case = match fault.kind {
        Kind::Link(Mismatch::WrongCase) => layout.case_of(request),
        Kind::Code(..) | Kind::Plan(_) | Kind::Link(_) => None,
    };
    if let Some((case, others)) = case
        && let Some(&other) = others.get(fault.nth)
    {
        match fault.act {
            Act::Break => *case = other,
            Act::Trap => *case = Case::Traps,
            Act::TrapReaders | Act::StoreOther => {}
        }
    }
}

/// Puts an `unreachable` in the place of an instruction that has a relocation. Any types fit behind
/// it.
fn trap(body: &mut Lowered, index: usize) {
    const UNREACHABLE: u8 = 0x00;
    const NOP: u8 = 0x01;
    let operand = body.relocations.remove(index).offset as usize;
    body.body[operand - 1] = UNREACHABLE;
    body.body[operand..operand + 5].fill(NOP);
}

/// The next function of the same type.
fn sibling(module: &Module, func: Func) -> Option<Func> {
    let sig = module.functions[func];
    let count = module.functions.len();
    let others = (1..count).map(|step| Func(((func.index() + step) % count) as u32));
    let mut alike = others.filter(|&other| {
        let is_intrinsic = module
            .import(other)
            .is_some_and(|import| annotations::has_intrinsics(import.module));
        module.functions[other] == sig && !is_intrinsic
    });
    alike.next()
}

/// The slot of the next request with a body whose function has the same type as the one that `slot`
/// belongs to. Without a body it is the generic function, which may do the same.
fn other_slot(
    request: usize,
    requests: &Requests,
    bodies: &[Option<Lowered>],
    slot: Symbol,
) -> Option<Symbol> {
    let all = &requests.requests;
    let here = all[request].address(slot);
    let of = all.iter().position(|request| request.slot == here)?;
    let mut others = (1..all.len()).map(|step| (of + step) % all.len());
    let other = others.find(|&other| bodies[other].is_some() && all[other].sig == all[of].sig)?;
    Some(moved(slot, all[other].slot.wrapping_sub(here) as i32))
}

fn moved(symbol: Symbol, by: i32) -> Symbol {
    Symbol {
        offset: symbol.offset.wrapping_add(by),
        ..symbol
    }
}

/// Gives the request the function of another one of its type, and the other way round.
fn exchange(fault: Fault, requests: &Requests, bodies: &mut [Option<Lowered>]) {
    let (all, request) = (&requests.requests, fault.request);
    let mut place = Place(fault.nth);
    let mut others = (request + 1..all.len()).filter(|&other| {
        let answered = bodies[request].is_some() && bodies[other].is_some();
        answered && all[request].sig == all[other].sig && bodies[request] != bodies[other]
    });
    if let Some(other) = others.find(|_| place.here()) {
        match fault.act {
            Act::Break => bodies.swap(request, other),
            // Without a body the slot keeps its generic function, which does the same.
            Act::Trap => bodies[request] = None,
            Act::TrapReaders | Act::StoreOther => {}
        }
    }
}
