//! The virtual stack: what the intrinsics on cells do to a state.

use super::abs::Abs;
use super::cells::{Content, Memory, Reader};
use super::transfer::{Machine, Phase};
use crate::ir::generic;
use crate::op::intrinsic::{CELL_LOAD, CELL_STORE};

impl<P: Phase> Machine<'_, P> {
    pub(super) fn sync_if_due(&mut self) {
        if self.cells.sync_due != Reader::Nobody {
            let Self { cells, phase, .. } = self;
            cells.polled = false;
            cells.sync(|address, value, reader| match reader {
                Reader::Collector => phase.store_root(address, value),
                Reader::Nobody | Reader::Anybody => {
                    phase.store_cell(address, value);
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
            Some(&cell) => self.phase.held(cell),
            None => {
                let value = self.phase.load_cell(address.abs());
                self.cache_cell(address.abs(), value, Memory::Same);
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
        self.cache_cell(address.abs(), value, Memory::Stale);
    }

    fn cache_cell(&mut self, address: Abs, value: P::Value, memory: Memory) {
        if !self.evaluation.optimisations.virtual_stack && !value.abs().is_known() {
            self.cells.forget(address);
            if memory != Memory::Same {
                self.phase.store_cell(address, value);
            }
            return;
        }
        self.cells.set(address, value, memory);
        while let Some(cell) = self.cells.evict() {
            if cell.memory != Memory::Same {
                self.cells.polled &= !Abs::Dynamic.needs_box_of(cell.value.abs());
                self.phase.store_cell(cell.address, cell.value);
            }
        }
    }
}
