//! Machine code that came with the command: its build compiled the interpreter
//! ([`crate::precompile`]), so that the first use need not.
//!
//! It is in two parts: the interpreter as snapshots are taken with it, whole, and the functions of
//! its runtime one by one ([`Functions`]), since these become part of each program.
//!
//! Invariant: it changes what a build costs, never what comes out. Code is found by what it was
//! compiled from and with which settings, and only used if it is undamaged and this processor has
//! all that it needs; else the same is compiled here. None of it is read, or takes memory, before
//! it is needed.

mod functions;

use wasmtime::{Engine, Error, Module, Result};

pub use functions::{Functions, table};

/// What the build made, as the command embeds it.
#[derive(Clone, Copy, Debug)]
pub struct Precompiled {
    pub interpreter: &'static [u8],
    pub functions: &'static [u8],
}

impl Precompiled {
    /// Machine code for `wasm`. Absent if there is none for this module; an error says why this
    /// machine cannot use it.
    pub fn module(&self, engine: &Engine, wasm: &[u8]) -> Option<Result<Module>> {
        let (key, rest) = self.interpreter.split_first_chunk()?;
        if *key != digest(&[wasm]) {
            return None;
        }
        let sound = rest
            .split_first_chunk()
            .filter(|(seal, code)| **seal == digest(&[code]));
        Some(match sound {
            // SAFETY: the digest shows that this is what Wasmtime made when this command was built.
            Some((_, code)) => unsafe { Module::deserialize(engine, code) },
            None => Err(Error::msg("it is damaged")),
        })
    }
}

/// `code`, compiled from `wasm`, as [`Precompiled::module`] reads it.
pub fn sealed(wasm: &[u8], code: &[u8]) -> Vec<u8> {
    [&digest(&[wasm])[..], &digest(&[code]), code].concat()
}

fn digest(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{self, Needs};

    const WASM: &[u8] = b"\0asm\x01\0\0\0";

    /// What becomes of the code of an empty module after `damage`, for `wasm`.
    fn load(damage: impl FnOnce(&mut Vec<u8>), wasm: &[u8]) -> Option<Result<Module>> {
        let engine = engine::for_one_use(None, &Needs::default()).expect("an engine");
        let module = Module::new(&engine, WASM).expect("a module");
        let mut interpreter = sealed(WASM, &module.serialize().expect("serialised"));
        damage(&mut interpreter);
        let precompiled = Precompiled {
            interpreter: interpreter.leak(),
            functions: &[],
        };
        precompiled.module(&engine, wasm)
    }

    #[test]
    fn code_is_for_one_module() {
        assert!(load(|_| (), WASM).is_some_and(|loaded| loaded.is_ok()));
        assert!(load(|_| (), b"another").is_none());
        assert!(load(Vec::clear, WASM).is_none());
    }

    #[test]
    fn damaged_code_is_not_loaded() {
        let last = |code: &mut Vec<u8>| *code.last_mut().expect("not empty") ^= 1;
        assert!(load(last, WASM).is_some_and(|loaded| loaded.is_err()));
        let half = |code: &mut Vec<u8>| code.truncate(code.len() / 2);
        assert!(load(half, WASM).is_some_and(|loaded| loaded.is_err()));
    }

    #[test]
    fn code_for_other_settings_is_refused_with_the_reason() {
        let made = engine::for_one_use(None, &Needs::default()).expect("an engine");
        let code = Module::new(&made, WASM).and_then(|module| module.serialize());
        let precompiled = Precompiled {
            interpreter: sealed(WASM, &code.expect("serialised")).leak(),
            functions: &[],
        };
        let other = engine::interruptible(None).expect("an engine");
        let refused = precompiled.module(&other, WASM).expect("the same module");
        let reason = format!("{:#}", refused.expect_err("other settings"));
        assert!(reason.contains("epoch"), "{reason}");
    }
}
