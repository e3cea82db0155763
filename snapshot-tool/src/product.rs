//! What `bactrian build` writes, as the cache keeps it: whole, so that the next build of the same
//! program with the same options only looks it up.
//!
//! Invariant: the key covers all that the product depends on (see [`Ingredients`]), and a product
//! from the cache is told and written as the one that was made.

use cache::{Cache, Kind};
use clap::ValueEnum;
use wasmtime::Engine;

use crate::engine;
use crate::texts;

/// What form a program is built in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    Wasm,
    Cwasm,
}

impl Emit {
    /// What the names of such files end in.
    pub fn suffix(self) -> &'static str {
        match self {
            Emit::Wasm => ".wasm",
            Emit::Cwasm => ".cwasm",
        }
    }
}

/// A program, built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    /// What the file is to hold.
    pub bytes: Vec<u8>,
    /// What the guest had to say of the program; mostly nothing.
    pub notice: String,
    /// How the profile fits; empty where there is none.
    pub fit: String,
}

/// What a built program follows from, beside its form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ingredients {
    /// A fingerprint of this tool.
    pub tool: &'static str,
    /// The digest of the interpreter and its manifest.
    pub guest: [u8; 32],
    /// The digest of the program.
    pub program: [u8; 32],
    /// The options, in a form that differs if one of them does.
    pub settings: Vec<u8>,
}

impl Ingredients {
    /// All of them; each but the last has the same length always.
    pub fn bytes(&self) -> Vec<u8> {
        let parts = [
            self.tool.as_bytes(),
            &self.guest,
            &self.program,
            &self.settings,
        ];
        parts.concat()
    }

    /// The key of the product that is made of these. That of a module depends on no engine, that of
    /// machine code on all that `engine` stands for.
    pub fn key(&self, engine: &Engine, emit: Emit) -> [u8; 32] {
        match emit {
            Emit::Wasm => blake3::derive_key("bactrian built module 1", &self.bytes()),
            Emit::Cwasm => engine::machine_code_key(engine, "built", &self.bytes()),
        }
    }
}

impl Product {
    /// The one under `key`.
    pub fn known(cache: &Cache, key: &[u8]) -> Option<Self> {
        let blob = std::fs::read(cache.get_file(Kind::Product, key)?).ok()?;
        let (bytes, [notice, fit]) = texts::split(blob)?;
        Some(Self { bytes, notice, fit })
    }

    /// Keeps it under `key`.
    pub fn keep(&self, cache: &Cache, key: &[u8]) {
        let blob = texts::join(&self.bytes, [&self.notice, &self.fit]);
        cache.insert_file(Kind::Product, key, &blob);
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Result;

    use super::*;
    use crate::engine::Needs;

    #[test]
    fn each_ingredient_counts() -> Result<()> {
        let made = Ingredients {
            tool: "0123456789abcdef",
            guest: [1; 32],
            program: [2; 32],
            settings: b"none".to_vec(),
        };
        let others = [
            Ingredients {
                tool: "0123456789abcdee",
                ..made.clone()
            },
            Ingredients {
                guest: [2; 32],
                ..made.clone()
            },
            Ingredients {
                program: [1; 32],
                ..made.clone()
            },
            Ingredients {
                settings: b"some".to_vec(),
                ..made.clone()
            },
        ];
        let plain = engine::for_one_use(None, &Needs::default())?;
        let counts = Needs {
            fuel: true,
            ..Needs::default()
        };
        let counting = engine::for_one_use(None, &counts)?;
        for emit in [Emit::Wasm, Emit::Cwasm] {
            let key = made.key(&plain, emit);
            assert_eq!(made.clone().key(&plain, emit), key);
            for other in &others {
                assert_ne!(other.key(&plain, emit), key, "{other:?}");
            }
            // A module is for any engine.
            assert_eq!(made.key(&counting, emit) == key, emit == Emit::Wasm);
        }
        assert_ne!(made.key(&plain, Emit::Wasm), made.key(&plain, Emit::Cwasm));
        Ok(())
    }
}
