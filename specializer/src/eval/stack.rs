//! The virtual stack: what the intrinsics on cells do to a state.

use super::abs::{self, Abs, Fact};
use super::cells::{Cell, Content, Integers, Memory, Reader};
use super::span::Span;
use super::transfer::{Machine, Phase};
use crate::ir::generic;
use crate::op::intrinsic;
use crate::op::{Const, Intrinsic, LoadKind, Op, Plain, StoreKind, Width, compare, width};

impl<P: Phase> Machine<'_, P> {
    pub(super) fn sync_if_due(&mut self) {
        if self.cells.sync_due != Reader::Nobody {
            let Self { cells, phase, .. } = self;
            cells.polled = false;
            cells.sync(|span, value, reader| match reader {
                Reader::Collector => phase.store_root(span, value),
                Reader::Nobody | Reader::Anybody => {
                    phase.store_cell(span, value);
                    value
                }
            });
        }
    }

    /// Brings memory up to date.
    pub(super) fn sync(&mut self) {
        self.cells.sync_due = Reader::Anybody;
        self.sync_if_due();
    }

    /// `cells.sync` and `cells.sync_roots`.
    pub(super) fn sync_for(&mut self, reader: Reader) {
        let reader = match self.evaluation.optimisations.numbers_over_calls {
            true => reader,
            false => Reader::Anybody,
        };
        self.cells.sync_due = self.cells.sync_due.max(reader);
        self.cells.is_shared = true;
    }

    /// Forgets what other code may have changed.
    pub(super) fn invalidate(&mut self, is_kept: impl Fn(Abs) -> bool) {
        let integers = match self.evaluation.optimisations.reloads {
            true => Integers::Reloaded,
            false => Integers::Kept,
        };
        self.cells.invalidate(integers, is_kept);
    }

    /// Brings every cell to memory and caches none, before a cell is accessed whose address is not
    /// known.
    fn spill(&mut self) {
        self.sync();
        self.cells.clear();
    }

    /// Brings the cells to memory that an access touches without being one of them.
    fn make_way(&mut self, span: Span) {
        while let Some(cell) = self.cells.take_overlapping(span) {
            self.put_back(cell);
        }
    }

    /// Stores a cell that is no longer cached, unless memory has it.
    fn put_back(&mut self, cell: Cell<P::Value>) {
        if cell.memory != Memory::Same {
            self.cells.polled &= !Abs::Dynamic.needs_box_of(cell.value.abs());
            self.phase.store_cell(cell.span, cell.value);
        }
    }

    pub(super) fn read_cell(
        &mut self,
        intrinsic: Intrinsic,
        place: P::Value,
        result: Option<generic::Value>,
    ) {
        let (address, width) = (place.abs(), intrinsic::width(intrinsic));
        if address.plus(0).is_none() {
            self.spill();
            return self.emit(intrinsic::access(intrinsic), &[place], result);
        }
        let value = self.cached(Span { address, width });
        self.set(result, value);
    }

    /// The contents of the cell.
    fn cached(&mut self, span: Span) -> P::Value {
        self.sync_if_due();
        self.make_way(span);
        match self.cells.get(span) {
            Some(&cell) => self.phase.held(cell),
            None => {
                let value = self.phase.load_cell(span);
                self.cache_cell(span, value, Memory::Same);
                value
            }
        }
    }

    pub(super) fn write_cell(&mut self, intrinsic: Intrinsic, place: P::Value, value: P::Value) {
        let (address, width) = (place.abs(), intrinsic::width(intrinsic));
        if address.plus(0).is_none() {
            self.spill();
            return self.emit(intrinsic::access(intrinsic), &[place, value], None);
        }
        self.write_known(Span { address, width }, value);
    }

    fn write_known(&mut self, span: Span, mut value: P::Value) {
        self.sync_if_due();
        self.make_way(span);
        if span.width == Width::Byte {
            let mask = self.phase.known(Abs::Const(Const::I32(255)));
            value = self.computed(Plain::I32And, &[value, mask]);
        }
        let value = self.phase.as_held(value);
        self.cache_cell(span, value, Memory::Stale);
    }

    /// What a pure operator gives.
    fn computed(&mut self, plain: Plain, args: &[P::Value]) -> P::Value {
        let known: smallvec::SmallVec<[Abs; 2]> = args.iter().map(|arg| arg.abs()).collect();
        let op = Op::Plain(plain);
        match abs::fold(op, &known) {
            Some(known) if known.is_known() => self.phase.known(known),
            _ => self.emit_value(op, args, Some(plain.result())),
        }
    }

    /// A plain load that reads a cell of a frame; false if it does not.
    pub(super) fn load_from_frame(
        &mut self,
        kind: LoadKind,
        offset: u32,
        address: P::Value,
        result: Option<generic::Value>,
    ) -> bool {
        if address.abs() == Abs::Fact(Fact::Framed) {
            self.sync();
        }
        let Some(span) = self.in_frame(address.abs(), offset, kind.width()) else {
            return false;
        };
        let mut value = self.cached(span);
        for &plain in width::loaded(kind) {
            value = self.computed(plain, &[value]);
        }
        self.set(result, value);
        true
    }

    /// A plain store that writes a cell of a frame; false if it does not.
    pub(super) fn store_to_frame(
        &mut self,
        kind: StoreKind,
        offset: u32,
        args: &[P::Value],
    ) -> bool {
        if args[0].abs() == Abs::Fact(Fact::Framed) {
            self.spill();
        }
        let Some(span) = self.in_frame(args[0].abs(), offset, kind.width()) else {
            return false;
        };
        let mut value = args[1];
        for &plain in width::stored(kind) {
            value = self.computed(plain, &[value]);
        }
        self.write_known(span, value);
        true
    }

    /// Copies or fills memory, which may be that of cells of a frame.
    pub(super) fn copy_or_fill(&mut self, op: Op, args: &[P::Value]) {
        let frames = self.cells.window.frames;
        if args.iter().any(|arg| frames.may_have(arg.abs())) {
            self.spill();
        }
        self.emit(op, args, None);
    }

    /// Whether a pure operator whose result is not known may give an address in a frame, or what
    /// one can be computed from.
    pub(super) fn may_give_framed(&self, op: Op, args: &[P::Value]) -> bool {
        let frames = self.cells.window.frames;
        args.iter().any(|arg| frames.may_have(arg.abs())) && !gives_no_address(op)
    }

    pub(super) fn emit_framed(
        &mut self,
        op: Op,
        args: &[P::Value],
        result: Option<generic::Value>,
    ) {
        let ty = result.map(|result| self.prepared.function.value_type(result));
        let value = self.emit_value(op, args, ty);
        let value = self.phase.noting(value, Abs::Fact(Fact::Framed));
        self.set(result, value);
    }

    /// The cell of a frame that an access of so many bytes is to. Where it is none, those that it
    /// touches go to memory.
    fn in_frame(&mut self, address: Abs, offset: u32, bytes: u32) -> Option<Span> {
        if !self.evaluation.is_in_frame(address) {
            return None;
        }
        let span = |width| {
            let address = address.plus(i32::try_from(offset).ok()?)?;
            Some(Span { address, width })
        };
        let found = Width::of(bytes).and_then(span);
        if found.is_none() {
            self.spill();
        }
        found
    }

    fn cache_cell(&mut self, span: Span, value: P::Value, memory: Memory) {
        if !self.evaluation.optimisations.virtual_stack && !value.abs().is_known() {
            self.cells.forget(span);
            return self.put_back(Cell {
                span,
                value,
                memory,
            });
        }
        self.cells.set(span, value, memory);
        while let Some(cell) = self.cells.evict() {
            self.put_back(cell);
        }
    }

    /// `cells.drop_below`, `cells.drop_above` and `cells.forget`.
    pub(super) fn drop_cells(&mut self, intrinsic: Intrinsic, args: &[P::Value]) {
        self.sync_if_due();
        let address = args[0].abs();
        let is_known = address.plus(0).is_some();
        match (intrinsic, args.get(1).map(|len| len.abs().as_u32())) {
            (Intrinsic::CellsForget, Some(Some(len))) if is_known => {
                self.cells.forget_within(address, len);
            }
            // Anything may have been written.
            (Intrinsic::CellsForget, _) => self.spill(),
            _ if !is_known => {}
            (Intrinsic::CellsDropAbove, _) => self.cells.drop_above(address),
            _ => self.cells.drop_below(address),
        }
    }
}

/// Whether an operator tells something of a number from which the number cannot be computed again.
fn gives_no_address(op: Op) -> bool {
    let counts = matches!(
        op,
        Op::I32Clz | Op::I32Ctz | Op::I32Popcnt | Op::I64Clz | Op::I64Ctz | Op::I64Popcnt
    );
    counts || compare::is_comparison(op)
}
