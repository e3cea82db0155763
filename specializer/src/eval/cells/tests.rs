//! Cells as states have them: what joins, what gives way, what is forgotten.

use super::*;
use crate::ir::Parameter;
use crate::op::{Const, Width};

fn address(offset: i32) -> Abs {
    Abs::Offset {
        param: Parameter(2),
        offset,
    }
}

fn span(offset: i32, width: Width) -> Span {
    let address = address(offset);
    Span { address, width }
}

fn slot(offset: i32) -> Span {
    span(offset, Width::Eight)
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
            span: slot(-8),
            value: Abs::Dynamic,
            memory: Memory::Stale
        })
    );
    assert_eq!(
        slow.get(slot(-16)),
        Some(&Cell {
            span: slot(-16),
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
    let size = cells.window.size as i32;
    for index in 1..=size + 1 {
        cells.set(slot(-8 * index), Abs::Dynamic, Memory::Stale);
    }
    let mut upwards = cells.clone();
    upwards.window.grows_up = true;
    let deepest = upwards.evict().map(|cell| cell.span);
    assert_eq!(deepest, Some(slot(-8 * (size + 1))));
    assert_eq!(cells.evict().map(|cell| cell.span), Some(slot(-8)));
    assert_eq!(cells.evict(), None);
    assert!(cells.get(slot(0)).is_some());
}

#[test]
fn dropping_is_confined_to_one_stack() {
    let mut cells = Cells::default();
    cells.set(slot(-8), Abs::Dynamic, Memory::Stale);
    cells.set(slot(-16), Abs::Dynamic, Memory::Stale);
    let elsewhere = Span {
        address: Abs::Const(Const::I32(16)),
        width: Width::Eight,
    };
    cells.set(elsewhere, Abs::Dynamic, Memory::Stale);
    let mut above = cells.clone();
    cells.drop_below(address(-8));
    assert!(cells.get(slot(-16)).is_none());
    assert_eq!(cells.iter().count(), 2);
    above.drop_above(address(-8));
    assert!(above.get(slot(-8)).is_none());
    assert_eq!(above.iter().count(), 2);
}

#[test]
fn a_cell_that_is_dead_in_part_is_kept() {
    let mut cells = Cells::default();
    cells.set(slot(0), Abs::Dynamic, Memory::Stale);
    cells.set(span(8, Width::Byte), Abs::Dynamic, Memory::Stale);
    cells.drop_below(address(4));
    cells.drop_above(address(4));
    assert_eq!(spans(&cells), [slot(0)]);
    cells.forget_within(address(8), 100);
    assert_eq!(spans(&cells), [slot(0)]);
    cells.forget_within(address(7), 1);
    assert_eq!(spans(&cells), []);
}

fn spans(cells: &Cells<Abs>) -> Vec<Span> {
    cells.iter().map(|cell| cell.span).collect()
}

#[test]
fn an_access_meets_what_it_overlaps_and_nothing_else() {
    let mut cells = Cells::default();
    cells.set(slot(0), Abs::Dynamic, Memory::Stale);
    cells.set(span(8, Width::Byte), Abs::Dynamic, Memory::Stale);
    cells.set(span(12, Width::Four), Abs::Dynamic, Memory::Stale);
    assert_eq!(cells.take_overlapping(span(9, Width::Byte)), None);
    assert_eq!(cells.take_overlapping(span(12, Width::Four)), None);
    let taken = cells.take_overlapping(span(7, Width::Byte));
    assert_eq!(taken.map(|cell| cell.span), Some(slot(0)));
    let wide: Vec<_> = std::iter::from_fn(|| cells.take_overlapping(slot(8))).collect();
    assert_eq!(wide.len(), 2);
}

/// Whatever comes in whatever order, in the end the same cells are left.
#[test]
fn joins_of_cells_that_overlap_come_to_an_end() {
    let state = |spans: &[Span]| {
        let mut cells = Cells::default();
        for &span in spans {
            cells.set(span, Abs::Dynamic, Memory::Stale);
        }
        cells
    };
    let states = [
        state(&[slot(0), slot(8)]),
        state(&[slot(4)]),
        state(&[span(2, Width::Byte), span(12, Width::Four)]),
    ];
    for first in 0..3 {
        let mut joined = states[first].clone();
        for next in [1, 2, 0, 1, 2] {
            joined.join(&states[(first + next) % 3]);
        }
        assert_eq!(spans(&joined), [slot(8), slot(0)], "from {first}");
        for state in &states {
            assert!(!joined.join(state), "it rises no more");
        }
    }
}
