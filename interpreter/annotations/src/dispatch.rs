//! Functions through which an interpreter calls what it does not know.

/// The name of the Wasm global that holds the address of the list of dispatchers: their number, a
/// `u32`, then a pointer to each.
///
/// A dispatcher is a function of the interpreter that ends in a call through a request slot. In
/// linked modules this call goes to the residual functions themselves, by a switch: an engine can
/// then run ahead of the loads that lead to the callee, which it cannot where a table tells it
/// which instance the callee belongs to. Functions that are not residual are called through the
/// table as before. Only calls in tail position change, and only of table 0.
pub const DISPATCHERS_EXPORT: &str = "BACTRIAN_DISPATCHERS";
