//! The virtual stack and registers: which cells' contents are known without a load.
//!
//! A cell is named by its address and its width. It is absent (its value is in memory), clean
//! (cached, and memory agrees), dirty (cached, and memory is stale) or rooted: dirty, but a
//! collector may look at what memory has. At a join, a cell that is cached on one side only stays
//! cached, and the other edge reloads it: so a path that never syncs never stores. It is dirty
//! after a join if it is on either side: storing once too often is harmless.
//!
//! A sync is done when the next instruction comes that may notice it: a call that is evaluated in
//! place makes do without.
//!
//! Of a box, the payload is cached. A clean cell has its pointer in memory; for a dirty
//! one there may be no box yet.
//!
//! Invariants: cached cells do not overlap; where two meet at a join, the wider one stays, and of
//! two of one width that at the lower address: so no cell comes back. At most as many cells of
//! dynamic contents are cached as the [`Window`] says. Those deepest in a stack give way. Known
//! contents cost no code and do not count, but for memory: of all there are at most [`MOST`].

use super::abs::{Abs, Fact, Frames};
use super::frame::Frame;
use super::span::{self, Span, Window, order};
use crate::ir::Type;

const MOST: usize = 256;

/// A cached cell. `V` is what a value is in the current phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cell<V> {
    pub span: Span,
    pub value: V,
    pub memory: Memory,
}

/// What memory has of a cached cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Memory {
    /// The cell's value.
    Same,
    /// Of a virtual box, what a collector may look at: the address of such a box, or an odd word.
    Rooted,
    /// Anything.
    Stale,
}

/// Who looks at memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Reader {
    Nobody,
    /// A collector, which only follows addresses.
    Collector,
    Anybody,
}

/// Where integers are after a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Integers {
    /// In SSA values, as before it.
    Kept,
    /// In memory, as all that is not known.
    Reloaded,
}

/// A value with what is known of it.
pub trait Content: Copy + PartialEq {
    fn abs(self) -> Abs;

    /// The same after blocks may have moved.
    fn moved(self) -> Self;

    /// What is known of a clean cell's contents after blocks may have moved: what is not known is
    /// in memory.
    fn reloaded(self, integers: Integers) -> Self;
}

/// Cached cells, highest address first: the top of a downward stack is last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cells<V> {
    cells: Vec<Cell<V>>,
    /// For whom memory has to be brought up to date before anybody looks.
    pub sync_due: Reader,
    /// Whether that was asked for since `cells.invalidate`: a call may change what cells hold.
    pub is_shared: bool,
    /// Whether nothing can wait for a safepoint.
    pub polled: bool,
    /// What no address names.
    pub frame: Frame<V>,
    /// The same in all states of an evaluation.
    pub window: Window,
}

impl<V> Default for Cells<V> {
    fn default() -> Self {
        Self {
            cells: Vec::new(),
            window: Window::default(),
            sync_due: Reader::Nobody,
            is_shared: false,
            polled: false,
            frame: Frame::default(),
        }
    }
}

impl<V: Content> Cells<V> {
    pub fn iter(&self) -> impl Iterator<Item = &Cell<V>> {
        self.cells.iter()
    }

    /// A state in which none is cached.
    pub fn new(window: Window) -> Self {
        Self {
            window,
            ..Self::default()
        }
    }

    /// The cell that is this span, if cached.
    pub fn get(&self, span: Span) -> Option<&Cell<V>> {
        self.position(span).ok().map(|index| &self.cells[index])
    }

    /// Takes out a cell that overlaps this span and is another, if there is one. The caller stores
    /// it unless memory has it.
    pub fn take_overlapping(&mut self, span: Span) -> Option<Cell<V>> {
        let is_in_way = |cell: &Cell<V>| cell.span != span && cell.span.overlaps(span);
        let index = self.cells.iter().rposition(is_in_way)?;
        Some(self.cells.remove(index))
    }

    /// Caches `value` for a span that no other cell overlaps.
    pub fn set(&mut self, span: Span, value: V, memory: Memory) {
        let cell = Cell {
            span,
            value,
            memory,
        };
        match self.position(span) {
            Ok(index) => self.cells[index] = cell,
            Err(index) => self.cells.insert(index, cell),
        }
    }

    /// Memory has what this cell holds, if it is cached.
    pub fn mark_stored(&mut self, span: Span) {
        if let Ok(index) = self.position(span) {
            self.cells[index].memory = Memory::Same;
        }
    }

    /// No longer caches this cell.
    pub fn forget(&mut self, span: Span) {
        if let Ok(index) = self.position(span) {
            self.cells.remove(index);
        }
    }

    /// Removes the cell that gives way, if too many are cached. The caller stores it unless memory
    /// has it.
    pub fn evict(&mut self) -> Option<Cell<V>> {
        let Window { size, grows_up, .. } = self.window;
        let count = self.cells.len();
        let gives_way = |cell: &Cell<V>| count > MOST || !cell.value.abs().is_known();
        if count <= size || self.cells.iter().filter(|cell| gives_way(cell)).count() <= size {
            return None;
        }
        let deepest = match grows_up {
            false => self.cells.iter().position(gives_way),
            true => self.cells.iter().rposition(gives_way),
        };
        deepest.map(|deepest| self.cells.remove(deepest))
    }

    /// Forgets cells that lie wholly below `address` in the same stack.
    pub fn drop_below(&mut self, address: Abs) {
        self.drop_within(address, i64::MIN, 0);
    }

    /// Forgets cells at `address` and above in the same stack.
    pub fn drop_above(&mut self, address: Abs) {
        self.drop_within(address, 0, i64::from(u32::MAX) * 2);
    }

    /// Forgets cells that lie wholly between two distances from `address`, in the same stack.
    fn drop_within(&mut self, address: Abs, from: i64, to: i64) {
        let (kind, base, offset) = order(address);
        self.cells.retain(|cell| {
            let (stack, bytes) = cell.span.extent();
            let is_within = bytes.start - offset >= from && bytes.end - offset <= to;
            stack != (kind, base) || !is_within
        });
    }

    /// Forgets cells that lie within the `len` bytes at `address`, if only in part.
    pub fn forget_within(&mut self, address: Abs, len: u32) {
        let (kind, base, offset) = order(address);
        let end = offset + i64::from(len);
        self.cells.retain(|cell| {
            let (stack, bytes) = cell.span.extent();
            stack != (kind, base) || bytes.end <= offset || bytes.start >= end
        });
    }

    /// Brings memory up to date for whom that is due: calls `store` for each cell of which memory
    /// has not enough. It gives the value, and what is known of where that is now.
    pub fn sync(&mut self, mut store: impl FnMut(Span, V, Reader) -> V) {
        let reader = std::mem::replace(&mut self.sync_due, Reader::Nobody);
        for cell in &mut self.cells {
            let enough = match (reader, cell.value.abs()) {
                (Reader::Nobody, _) => continue,
                (Reader::Collector, Abs::Fact(Fact::Box(_))) => Memory::Rooted,
                (Reader::Collector | Reader::Anybody, _) => Memory::Same,
            };
            if cell.memory > enough {
                cell.value = store(cell.span, cell.value, reader);
                cell.memory = enough;
            }
        }
    }

    /// Forgets clean cells of whose contents nothing is known, and where blocks are; but for cells
    /// whose addresses are kept.
    pub fn invalidate(&mut self, integers: Integers, is_kept: impl Fn(Abs) -> bool) {
        self.cells.retain(|cell| {
            let abs = cell.value.abs();
            cell.memory != Memory::Same
                || is_kept(cell.span.address)
                || abs.is_known()
                || matches!(
                    abs,
                    Abs::Fact(Fact::Box(_) | Fact::Pointer(_) | Fact::Immediate)
                )
        });
        for cell in &mut self.cells {
            if is_kept(cell.span.address) {
                continue;
            }
            cell.value = match cell.memory {
                Memory::Stale | Memory::Rooted => cell.value.moved(),
                Memory::Same => cell.value.reloaded(integers),
            };
        }
    }

    /// The same with other values, in place of those of these types.
    pub fn map<U>(&self, mut value: impl FnMut(V, Type) -> U) -> Cells<U> {
        let cells = self.cells.iter().map(|cell| Cell {
            span: cell.span,
            value: value(cell.value, cell.span.width.ty()),
            memory: cell.memory,
        });
        Cells {
            cells: cells.collect(),
            sync_due: self.sync_due,
            is_shared: self.is_shared,
            polled: self.polled,
            frame: self.frame.map(value),
            window: self.window,
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.cells.clear();
    }

    fn position(&self, span: Span) -> Result<usize, usize> {
        // The cells in use are near the end.
        let key = order(span.address);
        for (index, cell) in self.cells.iter().enumerate().rev() {
            match order(cell.span.address).cmp(&key) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal if cell.span == span => return Ok(index),
                std::cmp::Ordering::Equal | std::cmp::Ordering::Greater => return Err(index + 1),
            }
        }
        Err(0)
    }
}

impl Content for Abs {
    fn abs(self) -> Abs {
        self
    }

    fn moved(self) -> Abs {
        self
    }

    fn reloaded(self, _: Integers) -> Abs {
        self
    }
}

impl Cell<Abs> {
    /// What it is after a join with a path on which it is in memory.
    fn joined_with_memory(self, frames: Frames) -> Self {
        let value = self.value.join(Abs::Dynamic, frames);
        Self {
            value,
            memory: joined_memory(value, self.memory),
            ..self
        }
    }
}

/// What memory has of a cell that holds `value` after a join: of a box that the join makes, nothing
/// that a collector would find it by.
fn joined_memory(value: Abs, memory: Memory) -> Memory {
    match (value, memory) {
        (Abs::Fact(Fact::Box(_)), Memory::Rooted) => Memory::Rooted,
        (_, Memory::Same) => Memory::Same,
        (_, Memory::Rooted | Memory::Stale) => Memory::Stale,
    }
}

impl Cells<Abs> {
    /// Joins the cells of another path into these. Returns whether anything changed.
    pub fn join(&mut self, other: &Cells<Abs>) -> bool {
        let mut makes_box = false;
        let mut joined = Vec::with_capacity(self.cells.len().max(other.cells.len()));
        let (mut mine, mut theirs) = (self.cells.iter().peekable(), other.cells.iter().peekable());
        loop {
            let cell = match (mine.peek(), theirs.peek()) {
                (None, None) => break,
                (Some(a), Some(b)) if a.span == b.span => {
                    let value = a.value.join(b.value, self.window.frames);
                    makes_box |= value.needs_box_of(a.value) || value.needs_box_of(b.value);
                    let cell = Cell {
                        span: a.span,
                        value,
                        memory: joined_memory(value, a.memory.max(b.memory)),
                    };
                    mine.next();
                    theirs.next();
                    cell
                }
                (Some(a), b)
                    if b.is_none_or(|b| order(a.span.address) >= order(b.span.address)) =>
                {
                    makes_box |= Abs::Dynamic.needs_box_of(a.value);
                    let cell = a.joined_with_memory(self.window.frames);
                    mine.next();
                    cell
                }
                (_, Some(b)) => {
                    makes_box |= Abs::Dynamic.needs_box_of(b.value);
                    let cell = b.joined_with_memory(self.window.frames);
                    theirs.next();
                    cell
                }
                (Some(_), None) => unreachable!("the arm above takes it"),
            };
            joined.push(cell);
        }
        span::disjoint(&mut joined, |cell| cell.span);
        let mut joined = Cells {
            cells: joined,
            sync_due: self.sync_due.max(other.sync_due),
            is_shared: self.is_shared || other.is_shared,
            polled: self.polled && other.polled && !makes_box,
            frame: self.frame.clone(),
            window: self.window,
        };
        joined.frame.join(&other.frame, self.window.frames);
        while let Some(cell) = joined.evict() {
            joined.polled &= !Abs::Dynamic.needs_box_of(cell.value);
        }
        let changed = joined != *self;
        *self = joined;
        changed
    }
}

#[cfg(test)]
mod tests;
