//! Kinds of lockstep events: what generic and residual execution of a program must agree on.

/// An activation begins: the entry, its closure.
pub const ENTER: u32 = 1;
/// An activation ends: the result, or 0 when it raises.
pub const EXIT: u32 = 2;
/// A primitive is called: its index.
pub const PRIMITIVE: u32 = 3;
/// A primitive returned: its result, or 0 when it raised.
pub const RESULT: u32 = 4;
/// A safepoint takes the slow path: the accumulator.
pub const SAFEPOINT: u32 = 5;
