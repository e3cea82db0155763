//! `exp`, `log`, `log2` and `pow` natively: the C library's, which on Linux are what the Wasm ones
//! imitate.

mod c {
    // SAFETY: C's functions on floats have no preconditions.
    unsafe extern "C" {
        pub safe fn exp(x: f64) -> f64;
        pub safe fn log(x: f64) -> f64;
        pub safe fn log2(x: f64) -> f64;
    }
}

pub fn exp(x: f64) -> f64 {
    c::exp(x)
}

pub fn log(x: f64) -> f64 {
    c::log(x)
}

pub fn log2(x: f64) -> f64 {
    c::log2(x)
}

pub fn pow(x: f64, y: f64, library: extern "C" fn(f64, f64) -> f64) -> f64 {
    library(x, y)
}
