//! The outside world, over WASI or natively.
