//! The virtual stack: what the intrinsics on cells do to a state.

use super::abs::Abs;
use super::cells::Content;
use super::transfer::{Machine, Phase};
use crate::ir::generic;
use crate::op::intrinsic::{CELL_LOAD, CELL_STORE};

impl<P: Phase> Machine<'_, P> {
    pub(super) fn sync_if_due(&mut self) {
        if self.cells.sync_due {
            self.sync();
        }
    }

    pub(super) fn sync(&mut self) {
        let Self { cells, phase, .. } = self;
        cells.polled = false;
        cells.sync(|address, value| phase.store_cell(address, value));
    }

    /// Brings every cell to memory and caches none, before a cell is accessed whose address is not
    /// known.
    fn spill(&mut self) {
        self.sync();
        self.cells.clear();
    }

    pub(super) fn read_cell(&mut self, address: P::Value, result: Option<generic::Value>) {
        if address.abs().plus(0).is_none() {
            self.spill();
            return self.emit(CELL_LOAD, &[address], result);
        }
        self.sync_if_due();
        let value = match self.cells.get(address.abs()) {
            Some(cell) if cell.dirty => cell.value,
            Some(&cell) => self.phase.placed(cell.value, cell.address),
            None => {
                let value = self.phase.load_cell(address.abs());
                self.cache_cell(address.abs(), value, false);
                value
            }
        };
        self.set(result, value);
    }

    pub(super) fn write_cell(&mut self, address: P::Value, value: P::Value) {
        if address.abs().plus(0).is_none() {
            self.spill();
            return self.emit(CELL_STORE, &[address, value], None);
        }
        self.sync_if_due();
        let value = self.phase.settled(value);
        self.cache_cell(address.abs(), value, true);
    }

    fn cache_cell(&mut self, address: Abs, value: P::Value, dirty: bool) {
        if !self.evaluation.optimisations.virtual_stack && !value.abs().is_known() {
            self.cells.forget(address);
            if dirty {
                self.phase.store_cell(address, value);
            }
            return;
        }
        self.cells.set(address, value, dirty);
        while let Some(cell) = self.cells.evict() {
            if cell.dirty {
                self.cells.polled &= !Abs::Dynamic.needs_box_of(cell.value.abs());
                self.phase.store_cell(cell.address, cell.value);
            }
        }
    }
}
