//! What Bactrian is told of a program: which functions are to be specialized, and how; and of the
//! guest: how it boxes floats and takes memory, and which events lockstep compares.

use super::run::interp;
use crate::code::{CELL, MAX_PARAMETERS, parameters, slot};
use crate::compile::{Function, Generated};
#[cfg(target_family = "wasm")]
use crate::heap::allocate_called;
use crate::heap::float_called;
use crate::runtime::table::FUNCTIONS;
use crate::value::UNSPECIFIED;
#[cfg(target_family = "wasm")]
use crate::vm::VM;
use crate::vm::vm;
#[cfg(target_family = "wasm")]
use annotations::Allocator;
use annotations::{
    BoxKind, BoxTable, MAX_PARAMS, Param, REQUEST_LOOPS, REQUEST_RECURSIVE, Region, Request,
    RequestTable, request_table,
};
use core::cell::Cell;
use core::sync::atomic::AtomicU32;

pub mod events {
    pub const ENTRY: u32 = 1;
    pub const EXIT: u32 = 2;
    pub const PRIMITIVE: u32 = 3;
    pub const SAFEPOINT: u32 = 4;
}

request_table!();

/// If it is not 0 when the program starts, every safepoint collects.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub static BACTRIAN_STRESS: AtomicU32 = AtomicU32::new(0);

/// Exported under [`annotations::BOX_EXPORT`].
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub static BACTRIAN_BOXES: BoxTable<extern "C" fn(f64) -> i64> = BoxTable {
    count: 1,
    raised: AtomicU32::new(0),
    kinds: [BoxKind {
        make: float_called,
        offset: 0,
    }],
};

/// Exported under [`annotations::ALLOCATOR_EXPORT`].
#[cfg(target_family = "wasm")]
#[unsafe(no_mangle)]
pub static BACTRIAN_ALLOCATOR: Shared = Shared(Allocator {
    allocate: allocate_called,
    pointer: &raw const VM.0.pointer,
    floor: &raw const VM.0.floor,
    counted: &raw const VM.0.counted,
});

#[cfg(target_family = "wasm")]
pub struct Shared(
    #[expect(dead_code, reason = "Bactrian reads it")]
    Allocator<extern "C" fn(u32, i64) -> u32, *const Cell<u32>>,
);

// SAFETY: nobody writes it.
#[cfg(target_family = "wasm")]
unsafe impl Sync for Shared {}

/// Asks for all functions of a program: their code lies one behind the other, at these addresses;
/// its constant floats lie at `floats`.
pub fn publish(at: &[u32], floats: u32, program: &Generated) {
    let word = |cell: &Cell<u32>| region(core::ptr::from_ref(cell), 1);
    let code = program.functions.iter().map(|f| f.code.len()).sum();
    let functions = || at.iter().zip(&program.functions);
    let regions = vec![
        region(at[0] as usize as *const u32, code),
        region(floats as usize as *const [i64; 2], program.floats.len()),
        region(FUNCTIONS.as_ptr(), FUNCTIONS.len()),
        word(&vm().globals),
        word(&vm().constants),
    ];
    let names = functions().flat_map(|(_, f)| f.name.bytes().chain([0]));
    let links = functions().flat_map(|(at, f)| f.links.iter().map(|l| *at + l.0 as u32 * CELL));
    let requests = functions().map(|(at, f)| request(*at, f));
    let (regions, region_count) = leak(regions);
    let (requests, request_count) = leak(requests.collect());
    let (names, names_len) = leak(names.collect());
    let (links, link_count) = leak(links.collect());
    BACTRIAN_REQUESTS.publish(RequestTable {
        regions,
        region_count,
        requests,
        request_count,
        names,
        names_len,
        links,
        link_count,
        ..RequestTable::EMPTY
    });
}

/// So many items that never change.
fn region<T>(base: *const T, count: usize) -> Region {
    let (base, len) = (base as usize as u32, (count * size_of::<T>()) as u32);
    Region { base, len }
}

/// Keeps a list for ever: its address and its length.
fn leak<T>(list: Vec<T>) -> (u32, u32) {
    let list = Vec::leak(list);
    (list.as_ptr() as usize as u32, list.len() as u32)
}

/// The loop for a function whose code is at an address.
fn request(code: u32, function: &Function) -> Request {
    let mut params = [Param::default(); MAX_PARAMS];
    for (number, param) in (0..3 + MAX_PARAMETERS).zip(&mut params) {
        *param = match number {
            0 => Param::pointer(code),
            number if number < 3 + parameters(code) => Param::pass(number),
            _ => Param::constant(UNSPECIFIED as u64),
        };
    }
    let recursive = u32::from(function.recursive) * REQUEST_RECURSIVE;
    Request {
        function: interp as *const () as usize as u32,
        slot: slot(code),
        anchor: 0,
        code_len: function.code.len() as u32 * CELL,
        param_count: 3 + MAX_PARAMETERS,
        flags: recursive + u32::from(function.repeats) * REQUEST_LOOPS,
        result: 0,
        reserved: 0,
        params,
    }
}
