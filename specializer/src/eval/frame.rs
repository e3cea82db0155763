//! What weval's intrinsics keep out of memory: registers, a stack and locals.
//!
//! Registers have no memory, so a path that has not written one has none. Entries of the stack are
//! counted from its top; each says which word it stands for, and so does each local. Memory has
//! neither before a sync, and after it there is only memory.
//!
//! Invariant: a join has what all paths to it have. What only some have, these store on their way.

use super::abs::{Abs, Frames};
use super::span::Span;
use crate::ir::Type;
use crate::op::Width;

/// What one activation has. `V` is what a value is in the current phase.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame<V> {
    /// By number, ascending.
    registers: Vec<(i64, V)>,
    /// The top is last.
    stack: Vec<Entry<V>>,
    /// By number, ascending.
    locals: Vec<(u32, Entry<V>)>,
}

/// A word that memory is to have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry<V> {
    pub address: V,
    pub value: V,
}

impl<V> Default for Frame<V> {
    fn default() -> Self {
        Self {
            registers: Vec::new(),
            stack: Vec::new(),
            locals: Vec::new(),
        }
    }
}

impl<V: Copy> Frame<V> {
    pub fn register(&self, number: i64) -> Option<V> {
        get(&self.registers, number)
    }

    pub fn set_register(&mut self, number: i64, value: V) {
        set(&mut self.registers, number, value);
    }

    pub fn push(&mut self, entry: Entry<V>) {
        self.stack.push(entry);
    }

    pub fn pop(&mut self) -> Option<Entry<V>> {
        self.stack.pop()
    }

    /// How many registers, entries and locals there are.
    pub fn len(&self) -> usize {
        self.registers.len() + self.stack.len() + self.locals.len()
    }

    pub fn is_stack_empty(&self) -> bool {
        self.stack.is_empty()
    }

    /// The entry that many below the top.
    pub fn below_top(&mut self, index: u32) -> Option<&mut Entry<V>> {
        let last = self.stack.len().checked_sub(1)?;
        self.stack.get_mut(last.checked_sub(index as usize)?)
    }

    pub fn local(&self, number: u32) -> Option<Entry<V>> {
        get(&self.locals, number)
    }

    pub fn set_local(&mut self, number: u32, entry: Entry<V>) {
        set(&mut self.locals, number, entry);
    }

    /// Stack and locals.
    pub fn entries(&self) -> impl Iterator<Item = &Entry<V>> {
        let locals = self.locals.iter().map(|(_, entry)| entry);
        self.stack.iter().chain(locals)
    }

    /// Forgets stack and locals, and gives what memory is to have in their place, in this order.
    pub fn take(&mut self) -> Vec<Entry<V>> {
        let locals = self.locals.drain(..).map(|(_, entry)| entry);
        self.stack.drain(..).chain(locals).collect()
    }

    /// What an edge from here to `there` stores.
    pub fn lacking<U: Copy>(&self, there: &Frame<U>) -> impl Iterator<Item = Entry<V>> {
        let deep = self.stack.len().saturating_sub(there.stack.len());
        let is_lacking = |(number, _): &&(u32, Entry<V>)| there.local(*number).is_none();
        let locals = self.locals.iter().filter(is_lacking);
        let locals = locals.map(|(_, entry)| *entry);
        self.stack[..deep].iter().copied().chain(locals)
    }

    /// The same with other values.
    pub fn map<U>(&self, mut value: impl FnMut(V, Type) -> U) -> Frame<U> {
        let registers = self.registers.iter();
        let registers = registers.map(|&(number, register)| (number, value(register, Type::I64)));
        let registers = registers.collect();
        let mut entry = |entry: Entry<V>| Entry {
            address: value(entry.address, Type::I32),
            value: value(entry.value, Type::I64),
        };
        Frame {
            registers,
            stack: self.stack.iter().map(|&of| entry(of)).collect(),
            locals: (self.locals.iter())
                .map(|&(number, of)| (number, entry(of)))
                .collect(),
        }
    }

    /// All values, in the order in which [`Frame::map`] sees them.
    pub fn values(&self) -> Vec<V> {
        let mut values = Vec::new();
        self.map(|value, _| values.push(value));
        values
    }

    /// The same for what is in `there` as well, which has nothing else.
    pub fn values_for<U: Copy>(&self, there: &Frame<U>) -> Vec<V> {
        self.without_lacking(there).values()
    }

    fn without_lacking<U: Copy>(&self, there: &Frame<U>) -> Self {
        let deep = self.stack.len().saturating_sub(there.stack.len());
        let mut registers = self.registers.clone();
        registers.retain(|(number, _)| there.register(*number).is_some());
        let mut locals = self.locals.clone();
        locals.retain(|(number, _)| there.local(*number).is_some());
        Self {
            registers,
            stack: self.stack[deep..].to_vec(),
            locals,
        }
    }
}

impl Entry<Abs> {
    /// The bytes in memory, if it is known which.
    pub fn span(&self) -> Option<Span> {
        Some(Span {
            address: self.address.plus(0)?,
            width: Width::Eight,
        })
    }
}

impl Frame<Abs> {
    /// Joins that of another path into this one.
    pub fn join(&mut self, other: &Self, frames: Frames) {
        let kept = self.without_lacking(other);
        let mut theirs = other.without_lacking(self).values().into_iter();
        *self = kept.map(|value, _| {
            theirs
                .next()
                .map_or(value, |other| value.join(other, frames))
        });
    }
}

fn get<N: Ord + Copy, T: Copy>(list: &[(N, T)], number: N) -> Option<T> {
    let index = list.binary_search_by_key(&number, |(number, _)| *number);
    index.ok().map(|index| list[index].1)
}

fn set<N: Ord + Copy, T>(list: &mut Vec<(N, T)>, number: N, item: T) {
    match list.binary_search_by_key(&number, |(number, _)| *number) {
        Ok(index) => list[index].1 = item,
        Err(index) => list.insert(index, (number, item)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::Const;

    fn number(n: i64) -> Abs {
        Abs::Const(Const::I64(n))
    }

    fn entry(address: i32, value: i64) -> Entry<Abs> {
        Entry {
            address: Abs::Const(Const::I32(address)),
            value: number(value),
        }
    }

    fn frame(registers: &[i64], stack: &[i64], locals: &[u32]) -> Frame<Abs> {
        let mut frame = Frame::default();
        for &register in registers {
            frame.set_register(register, number(register));
        }
        for &value in stack {
            frame.push(entry(0, value));
        }
        for &local in locals {
            frame.set_local(local, entry(0, local.into()));
        }
        frame
    }

    #[test]
    fn stacks_are_joined_at_their_tops() {
        let mut high = frame(&[], &[1, 2, 3], &[]);
        let low = frame(&[], &[2, 4], &[]);
        let lacking: Vec<_> = high.lacking(&low).collect();
        assert_eq!(lacking, [entry(0, 1)]);
        high.join(&low, Frames::default());
        let mut joined = frame(&[], &[2], &[]);
        joined.push(Entry {
            value: number(3).join(number(4), Frames::default()),
            ..entry(0, 0)
        });
        assert_eq!(high, joined);
        high.join(&low, Frames::default());
        assert_eq!(high, joined, "joining again changes nothing");
    }

    #[test]
    fn a_join_has_what_all_paths_have() {
        let mut one = frame(&[1, 3], &[], &[0, 7]);
        let other = frame(&[3, 2], &[5], &[7, 9]);
        let lacking: Vec<_> = other.lacking(&one).collect();
        assert_eq!(lacking, [entry(0, 5), entry(0, 9)]);
        one.join(&other, Frames::default());
        assert_eq!(one, frame(&[3], &[], &[7]));
        let [register, local] = [number(3), number(7)];
        let address = Abs::Const(Const::I32(0));
        assert_eq!(other.values_for(&one), [register, address, local]);
    }

    #[test]
    fn memory_gets_older_entries_first() {
        let mut frame = frame(&[1], &[1, 2], &[0]);
        assert_eq!(frame.take(), [entry(0, 1), entry(0, 2), entry(0, 0)]);
        assert_eq!(frame.values(), [number(1)], "registers stay");
    }
}
