//! The virtual stack and registers: which cells' contents are known without a load.
//!
//! A cell is named by its address. It is absent (its value is in memory), clean (cached, and memory
//! agrees), dirty (cached, and memory is stale) or rooted: dirty, but a collector may look at what
//! memory has. At a join, a cell that is cached on one side only stays cached, and the other edge
//! reloads it: so a path that never syncs never stores. It is dirty after a join if it is on either
//! side: storing once too often is harmless.
//!
//! A sync is done when the next instruction comes that may notice it: a call that is evaluated in
//! place makes do without.
//!
//! Of a box, the payload is cached. A clean cell has its pointer in memory; for a dirty
//! one there may be no box yet.
//!
//! Invariant: at most [`WINDOW`] cells of dynamic contents are cached. Those with the highest
//! addresses (deepest in a stack) give way. Known contents cost nothing and do not count.

use super::abs::{Abs, Fact};
use super::frame::Frame;

/// How many cells of dynamic contents are cached.
pub const WINDOW: usize = 24;

/// A cached cell. `V` is what a value is in the current phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cell<V> {
    pub address: Abs,
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
    /// Whether nothing can wait for a safepoint.
    pub polled: bool,
    /// What no address names.
    pub frame: Frame<V>,
}

impl<V> Default for Cells<V> {
    fn default() -> Self {
        Self {
            cells: Vec::new(),
            sync_due: Reader::Nobody,
            polled: false,
            frame: Frame::default(),
        }
    }
}

/// Orders addresses: by base, then by offset.
pub fn order(address: Abs) -> (u32, u32, i64) {
    match address {
        Abs::Const(crate::op::Const::I32(n)) => (0, 0, i64::from(n as u32)),
        Abs::Symbol(symbol) => (1, symbol.base.0, i64::from(symbol.offset)),
        Abs::Offset { param, offset } => (2, param.0, i64::from(offset)),
        Abs::Const(_) | Abs::Extended(_) | Abs::Slot(_) | Abs::Fact(_) | Abs::Dynamic => {
            unreachable!("not the address of a cell")
        }
    }
}

impl<V: Content> Cells<V> {
    pub fn iter(&self) -> impl Iterator<Item = &Cell<V>> {
        self.cells.iter()
    }

    /// The cell at `address`, if cached.
    pub fn get(&self, address: Abs) -> Option<&Cell<V>> {
        self.position(address).ok().map(|index| &self.cells[index])
    }

    /// Caches `value` for `address`.
    pub fn set(&mut self, address: Abs, value: V, memory: Memory) {
        let cell = Cell {
            address,
            value,
            memory,
        };
        match self.position(address) {
            Ok(index) => self.cells[index] = cell,
            Err(index) => self.cells.insert(index, cell),
        }
    }

    /// Memory has what it has of the cell at `address`, if that is cached.
    pub fn settle(&mut self, address: Abs) {
        if let Ok(index) = self.position(address) {
            self.cells[index].memory = Memory::Same;
        }
    }

    /// No longer caches the cell at `address`.
    pub fn forget(&mut self, address: Abs) {
        if let Ok(index) = self.position(address) {
            self.cells.remove(index);
        }
    }

    /// Removes the cell that gives way, if too many are cached. The caller stores it unless memory
    /// has it.
    pub fn evict(&mut self) -> Option<Cell<V>> {
        let dynamic = |cell: &Cell<V>| !cell.value.abs().is_known();
        if self.cells.len() <= WINDOW
            || self.cells.iter().filter(|cell| dynamic(cell)).count() <= WINDOW
        {
            return None;
        }
        let deepest = self
            .cells
            .iter()
            .position(dynamic)
            .expect("more dynamic cells than the window");
        Some(self.cells.remove(deepest))
    }

    /// Forgets cells below `address` in the same stack.
    pub fn drop_below(&mut self, address: Abs) {
        let (kind, base, offset) = order(address);
        self.cells.retain(|cell| {
            let (cell_kind, cell_base, cell_offset) = order(cell.address);
            (kind, base) != (cell_kind, cell_base) || cell_offset >= offset
        });
    }

    /// Brings memory up to date for whom that is due: calls `store` for each cell of which memory
    /// has not enough. It gives the value, and what is known of where that is now.
    pub fn sync(&mut self, mut store: impl FnMut(Abs, V, Reader) -> V) {
        let reader = std::mem::replace(&mut self.sync_due, Reader::Nobody);
        for cell in &mut self.cells {
            let enough = match (reader, cell.value.abs()) {
                (Reader::Nobody, _) => continue,
                (Reader::Collector, Abs::Fact(Fact::Box(_))) => Memory::Rooted,
                (Reader::Collector | Reader::Anybody, _) => Memory::Same,
            };
            if cell.memory > enough {
                cell.value = store(cell.address, cell.value, reader);
                cell.memory = enough;
            }
        }
    }

    /// Forgets clean cells of whose contents nothing is known, and where blocks are.
    pub fn invalidate(&mut self, integers: Integers) {
        self.cells.retain(|cell| {
            let abs = cell.value.abs();
            cell.memory != Memory::Same
                || abs.is_known()
                || matches!(
                    abs,
                    Abs::Fact(Fact::Box(_) | Fact::Pointer(_) | Fact::Immediate)
                )
        });
        for cell in &mut self.cells {
            cell.value = match cell.memory {
                Memory::Stale | Memory::Rooted => cell.value.moved(),
                Memory::Same => cell.value.reloaded(integers),
            };
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.cells.clear();
    }

    fn position(&self, address: Abs) -> Result<usize, usize> {
        // The cells in use are near the end.
        let key = order(address);
        for (index, cell) in self.cells.iter().enumerate().rev() {
            match order(cell.address).cmp(&key) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => return Ok(index),
                std::cmp::Ordering::Greater => return Err(index + 1),
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
    fn joined_with_memory(self) -> Self {
        Self {
            value: Abs::Dynamic,
            memory: joined_memory(Abs::Dynamic, self.memory),
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
                (Some(a), Some(b)) if a.address == b.address => {
                    let value = a.value.join(b.value);
                    makes_box |= value.needs_box_of(a.value) || value.needs_box_of(b.value);
                    let cell = Cell {
                        address: a.address,
                        value,
                        memory: joined_memory(value, a.memory.max(b.memory)),
                    };
                    mine.next();
                    theirs.next();
                    cell
                }
                (Some(a), b) if b.is_none_or(|b| order(a.address) > order(b.address)) => {
                    makes_box |= Abs::Dynamic.needs_box_of(a.value);
                    let cell = a.joined_with_memory();
                    mine.next();
                    cell
                }
                (_, Some(b)) => {
                    makes_box |= Abs::Dynamic.needs_box_of(b.value);
                    let cell = b.joined_with_memory();
                    theirs.next();
                    cell
                }
                (Some(_), None) => unreachable!("the arm above takes it"),
            };
            joined.push(cell);
        }
        let mut joined = Cells {
            cells: joined,
            sync_due: self.sync_due.max(other.sync_due),
            polled: self.polled && other.polled && !makes_box,
            frame: self.frame.clone(),
        };
        joined.frame.join(&other.frame);
        while let Some(cell) = joined.evict() {
            joined.polled &= !Abs::Dynamic.needs_box_of(cell.value);
        }
        let changed = joined != *self;
        *self = joined;
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Parameter;
    use crate::op::Const;

    fn slot(offset: i32) -> Abs {
        Abs::Offset {
            param: Parameter(2),
            offset,
        }
    }

    fn number(n: i64) -> Abs {
        Abs::Const(Const::I64(n))
    }

    #[test]
    fn a_cell_cached_on_one_side_stays_cached_and_dirty() {
        let mut fast = Cells::default();
        fast.set(slot(-8), Abs::Dynamic, Memory::Stale);
        fast.set(slot(-16), number(3), Memory::Stale);
        let mut slow = Cells::default();
        slow.set(slot(-16), number(3), Memory::Same);
        assert!(slow.join(&fast));
        assert_eq!(
            slow.get(slot(-8)),
            Some(&Cell {
                address: slot(-8),
                value: Abs::Dynamic,
                memory: Memory::Stale
            })
        );
        assert_eq!(
            slow.get(slot(-16)),
            Some(&Cell {
                address: slot(-16),
                value: number(3),
                memory: Memory::Stale
            })
        );
        assert!(!slow.join(&fast), "joining again changes nothing");
    }

    #[test]
    fn the_deepest_dynamic_cell_gives_way() {
        let mut cells = Cells::default();
        cells.set(slot(0), number(7), Memory::Stale);
        for index in 1..=WINDOW as i32 + 1 {
            cells.set(slot(-8 * index), Abs::Dynamic, Memory::Stale);
        }
        assert_eq!(cells.evict().map(|cell| cell.address), Some(slot(-8)));
        assert_eq!(cells.evict(), None);
        assert!(cells.get(slot(0)).is_some());
    }

    #[test]
    fn dropping_is_confined_to_one_stack() {
        let mut cells = Cells::default();
        cells.set(slot(-8), Abs::Dynamic, Memory::Stale);
        cells.set(slot(-16), Abs::Dynamic, Memory::Stale);
        cells.set(Abs::Const(Const::I32(16)), Abs::Dynamic, Memory::Stale);
        cells.drop_below(slot(-8));
        assert!(cells.get(slot(-16)).is_none());
        assert_eq!(cells.iter().count(), 2);
    }
}
