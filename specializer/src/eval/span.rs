//! Which bytes a cell is, and in which order cells lie.
//!
//! Invariant: of cells that overlap, one has the highest rank, whichever paths bring them.

use std::ops::Range;

use super::abs::{Abs, Frames};
use crate::op::Width;

/// How many cells of dynamic contents are cached, and which give way beyond that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    pub size: usize,
    /// Whether cells at lower addresses are deeper.
    pub grows_up: bool,
    /// The frames in which plain accesses are cells.
    pub frames: Frames,
}

impl Window {
    /// Whether a cell is nearer to the top of a stack than another of that stack.
    pub(super) fn is_nearer(&self, cell: Span, other: Span) -> bool {
        let ((stack, bytes), (other_stack, other_bytes)) = (cell.extent(), other.extent());
        let is_nearer = match self.grows_up {
            true => bytes.start > other_bytes.start,
            false => bytes.start < other_bytes.start,
        };
        stack == other_stack && is_nearer
    }
}

impl Default for Window {
    fn default() -> Self {
        Self {
            size: 24,
            grows_up: false,
            frames: Frames::default(),
        }
    }
}

/// Bytes of memory that one access reads or writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// A known address.
    pub address: Abs,
    pub width: Width,
}

impl Span {
    /// The stack, and where in it: from the first byte to behind the last.
    pub(super) fn extent(self) -> ((u32, u32), Range<i64>) {
        let (kind, base, start) = order(self.address);
        ((kind, base), start..start + i64::from(self.width.bytes()))
    }

    pub(super) fn overlaps(self, other: Span) -> bool {
        let ((stack, mine), (other_stack, theirs)) = (self.extent(), other.extent());
        stack == other_stack && mine.start < theirs.end && theirs.start < mine.end
    }

    /// The higher of two that overlap stays where they meet at a join.
    fn rank(self) -> impl Ord {
        (self.width, std::cmp::Reverse(order(self.address)))
    }
}

/// Orders addresses: by base, then by offset.
pub(super) fn order(address: Abs) -> (u32, u32, i64) {
    match address {
        Abs::Const(crate::op::Const::I32(n)) => (0, 0, i64::from(n as u32)),
        Abs::Symbol(symbol) => (1, symbol.base.0, i64::from(symbol.offset)),
        Abs::Offset { param, offset } => (2, param.0, i64::from(offset)),
        Abs::Const(_) | Abs::Extended(_) | Abs::Slot(_) | Abs::Fact(_) | Abs::Dynamic => {
            unreachable!("not the address of a cell")
        }
    }
}

/// Leaves of what lies in memory in this order only what prevails over all that overlaps it.
pub(super) fn disjoint<T>(items: &mut Vec<T>, span: impl Fn(&T) -> Span) {
    // Where any overlap, two neighbours do.
    let mut neighbours = items.windows(2);
    if !neighbours.any(|pair| span(&pair[0]).overlaps(span(&pair[1]))) {
        return;
    }
    let mut ranked: Vec<Span> = items.iter().map(&span).collect();
    ranked.sort_by_key(|span| std::cmp::Reverse(span.rank()));
    let mut kept: Vec<Span> = Vec::with_capacity(ranked.len());
    for span in ranked {
        if !kept.iter().any(|other| other.overlaps(span)) {
            kept.push(span);
        }
    }
    items.retain(|item| kept.contains(&span(item)));
}
