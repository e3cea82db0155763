//! Index types, and dense maps by them.
//!
//! Invariant: an index is only used with what is numbered by its type; a block's number never picks
//! a value. (`cranelift-entity` does the same, but brings Wasmtime's core library into a crate that
//! is to stay small.)

use std::ops::{Index, IndexMut};

/// A type whose values number something.
pub trait Id: Copy {
    fn new(index: usize) -> Self;
    fn index(self) -> usize;
}

/// Declares an index newtype printed with its prefix.
macro_rules! index {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[derive(serde::Serialize, serde::Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            #[allow(dead_code, reason = "where a map is by this type, nothing else asks")]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl $crate::index::Id for $name {
            fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("what is numbered fits 32 bits"))
            }

            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    };
}

pub(crate) use index;

/// A value for each index up to a length.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Map<I, T> {
    items: Vec<T>,
    by: std::marker::PhantomData<I>,
}

impl<I: Id, T> Map<I, T> {
    /// `len` times the same value.
    pub fn filled(value: T, len: usize) -> Self
    where
        T: Clone,
    {
        vec![value; len].into()
    }

    /// Adds a value; its index.
    pub fn push(&mut self, value: T) -> I {
        self.items.push(value);
        I::new(self.items.len() - 1)
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn values(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }
}

impl<I, T> Default for Map<I, T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<I, T> From<Vec<T>> for Map<I, T> {
    fn from(items: Vec<T>) -> Self {
        let by = std::marker::PhantomData;
        Self { items, by }
    }
}

impl<I: Id, T> Index<I> for Map<I, T> {
    type Output = T;

    fn index(&self, index: I) -> &T {
        &self.items[index.index()]
    }
}

impl<I: Id, T> IndexMut<I> for Map<I, T> {
    fn index_mut(&mut self, index: I) -> &mut T {
        &mut self.items[index.index()]
    }
}
