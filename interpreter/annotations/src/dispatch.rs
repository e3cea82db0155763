//! Functions through which an interpreter calls what it does not know.

/// The name of the Wasm global that holds the address of the list of dispatchers: their number, a
/// `u32`, then a pointer to each.
///
/// A dispatcher is a function of the interpreter that ends in a call through a request slot. In
/// linked modules this call is a switch over the functions of the table that have its type: an
/// engine can then run ahead of the loads that lead to the callee, which it cannot where a table
/// tells it which instance the callee belongs to. What has another type is called through the table
/// as before, and traps. Only calls in tail position change, and only of table 0.
pub const DISPATCHERS_EXPORT: &str = "BACTRIAN_DISPATCHERS";
