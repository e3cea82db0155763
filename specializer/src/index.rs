//! Index types, and dense maps by them.
//!
//! Invariant: an index only picks from a map by its own type; a block's number never picks a value.
//! (`cranelift-entity` does the same, but brings Wasmtime's core library into a crate that is to
//! stay small.)

use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::iter::Enumerate;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};
use std::slice;

/// A type whose values number something.
pub trait Id: Copy + Ord + Hash + Debug + Display {
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

/// A value for each index below a length.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Map<I, T> {
    items: Vec<T>,
    by: PhantomData<I>,
}

impl<I: Id, T> Map<I, T> {
    /// `len` times the same value.
    pub fn filled(value: T, len: usize) -> Self
    where
        T: Clone,
    {
        vec![value; len].into()
    }

    /// The same value for each index of another map.
    pub fn filled_like<U>(other: &Map<I, U>, value: T) -> Self
    where
        T: Clone,
    {
        Self::filled(value, other.len())
    }

    /// Adds a value; its index.
    pub fn push(&mut self, value: T) -> I {
        self.items.push(value);
        I::new(self.items.len() - 1)
    }

    /// The index that the next value gets.
    pub fn next_key(&self) -> I {
        I::new(self.items.len())
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// For an index that may be too large.
    pub fn get(&self, index: I) -> Option<&T> {
        self.items.get(index.index())
    }

    /// For an index that may be too large.
    pub fn get_mut(&mut self, index: I) -> Option<&mut T> {
        self.items.get_mut(index.index())
    }

    /// Every index, ascending.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = I> + use<I, T> {
        (0..self.items.len()).map(I::new)
    }

    pub fn values(&self) -> slice::Iter<'_, T> {
        self.items.iter()
    }

    pub fn values_mut(&mut self) -> slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    pub fn into_values(self) -> std::vec::IntoIter<T> {
        self.items.into_iter()
    }

    pub fn iter(&self) -> Pairs<I, slice::Iter<'_, T>> {
        Pairs::of(self.items.iter())
    }

    pub fn iter_mut(&mut self) -> Pairs<I, slice::IterMut<'_, T>> {
        Pairs::of(self.items.iter_mut())
    }
}

impl<I, T> Default for Map<I, T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<I, T> From<Vec<T>> for Map<I, T> {
    fn from(items: Vec<T>) -> Self {
        let by = PhantomData;
        Self { items, by }
    }
}

impl<I, T> FromIterator<T> for Map<I, T> {
    fn from_iter<A: IntoIterator<Item = T>>(items: A) -> Self {
        Vec::from_iter(items).into()
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

impl<'a, I: Id, T> IntoIterator for &'a Map<I, T> {
    type Item = (I, &'a T);
    type IntoIter = Pairs<I, slice::Iter<'a, T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, I: Id, T> IntoIterator for &'a mut Map<I, T> {
    type Item = (I, &'a mut T);
    type IntoIter = Pairs<I, slice::IterMut<'a, T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

/// Values with their indices.
pub struct Pairs<I, T> {
    items: Enumerate<T>,
    by: PhantomData<I>,
}

impl<I, T: Iterator> Pairs<I, T> {
    fn of(items: T) -> Self {
        let (items, by) = (items.enumerate(), PhantomData);
        Self { items, by }
    }
}

impl<I: Id, T: Iterator> Iterator for Pairs<I, T> {
    type Item = (I, T::Item);

    fn next(&mut self) -> Option<Self::Item> {
        let (index, item) = self.items.next()?;
        Some((I::new(index), item))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.items.size_hint()
    }
}

impl<I: Id, T: ExactSizeIterator + DoubleEndedIterator> DoubleEndedIterator for Pairs<I, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let (index, item) = self.items.next_back()?;
        Some((I::new(index), item))
    }
}

impl<I: Id, T: ExactSizeIterator> ExactSizeIterator for Pairs<I, T> {}
