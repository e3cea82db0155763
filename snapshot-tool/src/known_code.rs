//! Machine code that need not be compiled: what came with the command, and what the cache keeps.
//!
//! Wasmtime's incremental compilation asks for the code of each function here before it compiles
//! it. Invariant: what came with the command is looked for first, and is never copied into the
//! cache.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use cache::{Cache, Kind};
use serde::Serialize;
use wasmtime::CacheStore;

use crate::precompiled::{Functions, Precompiled};

/// Where known code is, and how much of it was found.
#[derive(Debug)]
pub struct KnownCode {
    pub precompiled: Option<Precompiled>,
    /// Its owner writes what is left when the cache is dropped, which does not wait for engines.
    cache: Option<Weak<Cache>>,
    /// What was asked for so far, as in [`Counts`].
    precompiled_functions: AtomicUsize,
    cached_functions: AtomicUsize,
    compiled_functions: AtomicUsize,
}

/// Functions by where their machine code came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Counts {
    /// They came with the command.
    pub precompiled: usize,
    pub cached: usize,
    pub compiled: usize,
}

impl Counts {
    /// Those that were not there yet.
    pub fn since(self, before: Self) -> Self {
        Self {
            precompiled: self.precompiled - before.precompiled,
            cached: self.cached - before.cached,
            compiled: self.compiled - before.compiled,
        }
    }
}

impl KnownCode {
    pub fn new(precompiled: Option<Precompiled>, cache: Option<&Arc<Cache>>) -> Arc<Self> {
        Arc::new(Self {
            precompiled,
            cache: cache.map(Arc::downgrade),
            precompiled_functions: AtomicUsize::new(0),
            cached_functions: AtomicUsize::new(0),
            compiled_functions: AtomicUsize::new(0),
        })
    }

    /// The cache, as long as its owner has it.
    pub fn cache(&self) -> Option<Arc<Cache>> {
        self.cache.as_ref()?.upgrade()
    }

    /// This as engines take it; nothing if there is nowhere to look.
    pub fn store(self: &Arc<Self>) -> Option<Arc<dyn CacheStore>> {
        let is_empty = self.precompiled.is_none() && self.cache.is_none();
        (!is_empty).then(|| Arc::clone(self) as Arc<dyn CacheStore>)
    }

    /// Functions so far, by all engines with this store.
    pub fn counts(&self) -> Counts {
        Counts {
            precompiled: self.precompiled_functions.load(Ordering::Relaxed),
            cached: self.cached_functions.load(Ordering::Relaxed),
            compiled: self.compiled_functions.load(Ordering::Relaxed),
        }
    }
}

impl CacheStore for KnownCode {
    fn get(&self, key: &[u8]) -> Option<Cow<'_, [u8]>> {
        let precompiled = self
            .precompiled
            .and_then(|precompiled| Functions::new(precompiled.functions).get(key));
        if let Some(code) = precompiled {
            self.precompiled_functions.fetch_add(1, Ordering::Relaxed);
            return Some(Cow::Borrowed(code));
        }
        let code = self.cache()?.get(Kind::MachineCode, key).pop()?;
        self.cached_functions.fetch_add(1, Ordering::Relaxed);
        Some(Cow::Owned(code))
    }

    fn insert(&self, key: &[u8], value: Vec<u8>) -> bool {
        self.compiled_functions.fetch_add(1, Ordering::Relaxed);
        let cache = self.cache();
        if let Some(cache) = &cache {
            cache.insert(Kind::MachineCode, key, &value);
        }
        cache.is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::precompiled::table;

    #[test]
    fn what_is_found_is_counted_where_it_was_asked_for() {
        let code = BTreeMap::from([(vec![1; 32], vec![2, 3])]);
        let precompiled = Precompiled {
            interpreter: &[],
            functions: table(&code).leak(),
        };
        let known = KnownCode::new(Some(precompiled), None);
        let other = KnownCode::new(Some(precompiled), None);
        assert_eq!(known.get(&[1; 32]).as_deref(), Some(&[2, 3][..]));
        assert_eq!(known.get(&[4; 32]), None);
        assert!(!known.insert(&[4; 32], vec![5]), "it is kept nowhere");
        let expected = Counts {
            precompiled: 1,
            cached: 0,
            compiled: 1,
        };
        assert_eq!(known.counts(), expected);
        assert_eq!(other.counts(), Counts::default());
        assert_eq!(known.counts().since(expected), Counts::default());
    }

    #[test]
    fn nowhere_to_look_is_no_store() {
        assert!(KnownCode::new(None, None).store().is_none());
    }
}
