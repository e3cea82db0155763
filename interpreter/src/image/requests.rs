//! The specialisation requests of a loaded program: one for each entry of its code.

use annotations::{REQUEST_MAGIC, REQUEST_VERSION, RequestTable};
use std::cell::UnsafeCell;

/// The request table, where the specializer finds it.
#[repr(transparent)]
pub struct Published(UnsafeCell<RequestTable>);

// SAFETY: the module has one thread; natively nothing writes it.
unsafe impl Sync for Published {}

/// Exported under [`annotations::REQUEST_TABLE_EXPORT`].
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub static BACTRIAN_REQUESTS: Published = Published(UnsafeCell::new(RequestTable {
    magic: REQUEST_MAGIC,
    version: REQUEST_VERSION,
    regions: 0,
    region_count: 0,
    requests: 0,
    request_count: 0,
}));
