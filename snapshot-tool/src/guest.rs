//! The guest that the build embeds: the OCaml interpreter, its runtime and their annotations, as Wasm.

/// The module, as the build script made it from `interpreter/`.
pub const MODULE: &[u8] = include_bytes!(env!("BACTRIAN_GUEST"));
