//! Machine code that need not be compiled: what came with the command, and what the cache keeps.
//!
//! Wasmtime's incremental compilation asks for the code of each function here before it compiles
//! it. Invariant: what came with the command is looked for first, and is never copied into the
//! cache.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cache::{Cache, Kind};
use wasmtime::CacheStore;

use crate::precompiled::{Functions, Precompiled};

/// Where known code is, and how much of it was found.
#[derive(Debug)]
pub struct KnownCode {
    pub precompiled: Option<Precompiled>,
    pub cache: Option<Arc<Cache>>,
    /// Functions that came with the command and were asked for.
    found: AtomicUsize,
}

impl KnownCode {
    pub fn new(precompiled: Option<Precompiled>, cache: Option<Arc<Cache>>) -> Arc<Self> {
        Arc::new(Self {
            precompiled,
            cache,
            found: AtomicUsize::new(0),
        })
    }

    /// This as engines take it; nothing if there is nowhere to look.
    pub fn store(self: &Arc<Self>) -> Option<Arc<dyn CacheStore>> {
        let is_empty = self.precompiled.is_none() && self.cache.is_none();
        (!is_empty).then(|| Arc::clone(self) as Arc<dyn CacheStore>)
    }

    /// How many functions were taken from the command so far, by all engines with this store.
    pub fn found(&self) -> usize {
        self.found.load(Ordering::Relaxed)
    }
}

impl CacheStore for KnownCode {
    fn get(&self, key: &[u8]) -> Option<Cow<'_, [u8]>> {
        let precompiled = self
            .precompiled
            .and_then(|precompiled| Functions::new(precompiled.functions).get(key));
        if let Some(code) = precompiled {
            self.found.fetch_add(1, Ordering::Relaxed);
            return Some(Cow::Borrowed(code));
        }
        let cache = self.cache.as_deref()?;
        cache.get(Kind::MachineCode, key).pop().map(Cow::Owned)
    }

    fn insert(&self, key: &[u8], value: Vec<u8>) -> bool {
        if let Some(cache) = &self.cache {
            cache.insert(Kind::MachineCode, key, &value);
        }
        self.cache.is_some()
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
        assert_eq!((known.found(), other.found()), (1, 0));
    }

    #[test]
    fn nowhere_to_look_is_no_store() {
        assert!(KnownCode::new(None, None).store().is_none());
    }
}
