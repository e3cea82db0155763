//! The C library's tables for exponentials and logarithms. Those of musl, which this module is
//! linked with, are also glibc's: both took the functions from Arm's "optimized routines".

/// `2^(i/128)`, and constants of `exp`.
#[repr(C)]
pub struct Exp {
    pub inverse_ln2: f64,
    pub shift: f64,
    pub ln2_high: f64,
    pub ln2_low: f64,
    pub polynomial: [f64; 4],
    _exp2: [f64; 6],
    /// The bits of two floats: the rest of each power, and the power less `i << 45`.
    pub powers: [[u64; 2]; 128],
}

/// `log(c)` and `1/c` for `c` near the middle of each of the mantissa's intervals.
#[repr(C)]
pub struct Log {
    pub ln2_high: f64,
    pub ln2_low: f64,
    pub polynomial: [f64; 5],
    /// For arguments near 1.
    pub near: [f64; 11],
    /// `1/c` and `log(c)`.
    pub intervals: [[f64; 2]; 128],
}

/// The same in base 2.
#[repr(C)]
pub struct Log2 {
    pub inverse_ln2_high: f64,
    pub inverse_ln2_low: f64,
    pub polynomial: [f64; 6],
    pub near: [f64; 10],
    pub intervals: [[f64; 2]; 64],
}

/// The same with more bits, for `pow`.
#[repr(C)]
pub struct PowLog {
    pub ln2_high: f64,
    pub ln2_low: f64,
    pub polynomial: [f64; 7],
    /// `1/c`, nothing, and `log(c)` in two parts.
    pub intervals: [[f64; 4]; 128],
}

mod c {
    use super::{Exp, Log, Log2, PowLog};

    // SAFETY: constants of musl's `libm`, laid out as its headers `exp_data.h`, `log_data.h`,
    // `log2_data.h` and `pow_data.h` have it since version 1.2.
    unsafe extern "C" {
        pub safe static __exp_data: Exp;
        pub safe static __log_data: Log;
        pub safe static __log2_data: Log2;
        pub safe static __pow_log_data: PowLog;
    }
}

pub fn exp() -> &'static Exp {
    &c::__exp_data
}

pub fn log() -> &'static Log {
    &c::__log_data
}

pub fn log2() -> &'static Log2 {
    &c::__log2_data
}

pub fn pow_log() -> &'static PowLog {
    &c::__pow_log_data
}
