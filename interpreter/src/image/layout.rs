//! Lays verified code out in memory: each word becomes a cell, as ARCHITECTURE.md describes it
//! ("Code").

use super::pieces::Plan;
use super::verify::Verified;
use crate::code::decode;
use crate::code::effect::{self, Flow, frame_size};
use crate::code::opcode::Opcode;
use crate::code::{self, CELL, MAX_RESTART, RESTART_ARITY};
use crate::memory;

/// What slots hold at first: indices in the table of functions.
#[derive(Clone, Copy)]
pub struct Slots {
    /// For an entry, by arity.
    pub entry: fn(u32) -> u32,
    /// For a RESTART, by number of arguments, less one.
    pub restart: [u32; MAX_RESTART as usize],
}

/// Lays verified code out at `start`, where `code.len()` cells are free. Returns the addresses of
/// the words that are links then ([`annotations::RequestTable::links`]).
pub fn lay_out(code: &[i32], verified: &Verified, start: u32, slots: Slots) -> Vec<u32> {
    for (position, &word) in code.iter().enumerate() {
        memory::store_u64(code::address(start, position), u64::from(word as u32));
    }
    for entry in &verified.entries {
        let cell = code::address(start, entry.position);
        code::set_arity(cell, entry.arity);
        memory::store_u32(code::slot_address(cell), (slots.entry)(entry.arity));
        if entry.arity > 1 {
            let restart = cell - CELL;
            code::set_arity(restart, RESTART_ARITY);
            for (slot, n) in slots.restart.into_iter().zip(1..) {
                let holder = code::restart_holder(restart, n);
                memory::store_u32(code::slot_address(holder), slot);
            }
        }
    }
    note_outer_traps(code, verified, start);
    link_closures(code, verified, start)
}

/// Puts the address of a function where the code that makes its closure has the distance. Returns
/// where.
fn link_closures(code: &[i32], verified: &Verified, start: u32) -> Vec<u32> {
    let mut links = Vec::new();
    let reached = (0..code.len()).filter(|&position| verified.at(position).is_some());
    for position in reached {
        let instruction = decode::instruction(code, position).expect("it was verified");
        if effect::of(&instruction).flow != Flow::Closures {
            continue;
        }
        let operands = effect::closure_operands(&instruction);
        for (operand, target) in operands.zip(effect::closure_targets(&instruction)) {
            let link = code::address(start, position + 1 + operand);
            memory::store_u32(link, code::address(start, target as usize));
            links.push(link);
        }
    }
    links
}

/// Makes the cuts of code that was laid out at `start`. Each has `slot` at first, where generic
/// code goes on.
pub fn cut(plan: &Plan, start: u32, slot: u32) {
    for cut in &plan.cuts {
        code::cut(code::address(start, cut.position), slot);
    }
}

/// Tells each POPTRAP which trap frame is the innermost after it.
fn note_outer_traps(code: &[i32], verified: &Verified, start: u32) {
    for (position, &word) in code.iter().enumerate() {
        if word == Opcode::PopTrap as i32
            && let Some((_, outer)) = verified.at(position).and_then(|at| verified.trap(at.traps))
        {
            let depth = verified.trap(outer).map(|(depth, _)| depth);
            code::set_outer_trap(code::address(start, position), depth.map_or(0, frame_size));
        }
    }
}
