//! Activations that go on in another function: at cuts, see `image::pieces`.

use super::bigarrays::USUAL;
use super::entries::{self, resume_anywhere, resume_through_slot};
use super::registers::Registers;
use crate::code;
use annotations::{cells_drop_below, cells_sync, specialize_active};

impl Registers {
    /// What goes on at `pc`, in the code whose entry is `entry`: see [`entries::resume`].
    #[inline(always)]
    pub fn resumed(pc: u32, entry: u32, base: u32, size: u32, trap: u32, accu: i64) -> Self {
        Self {
            entry,
            pc,
            base,
            sp: base - size,
            accu,
            trap,
            piece: pc,
            inherited: size,
            version: USUAL,
        }
    }

    /// Whether the cut at this instruction ends this function's part of the activation. Generic
    /// code leaves an activation only to compiled code.
    #[inline(always)]
    pub fn leaves(&self) -> bool {
        self.pc != self.piece
            && (specialize_active() != 0 || code::slot(self.pc) != entries::resume_slot())
    }

    /// Goes on at this instruction, a cut, in the function in its slot. Returns the result of the
    /// activation.
    #[inline(always)]
    pub fn leave(&self) -> i64 {
        cells_sync();
        let size = self.base - self.sp;
        resume_through_slot(self.pc, self.entry, self.base, size, self.trap, self.accu)
    }

    /// Whether the innermost trap frame, which exists, is one whose handler compiled code does not
    /// know.
    #[inline(always)]
    pub fn handler_is_elsewhere(&self) -> bool {
        specialize_active() != 0 && self.trap <= self.inherited
    }

    /// As [`Registers::handle`], but in the function that goes on there, whose position is no
    /// constant. Returns the result of the activation.
    #[inline(always)]
    pub fn leave_to_handler(&mut self) -> i64 {
        self.unwind();
        self.take_trap();
        self.take_exception();
        cells_drop_below(self.sp);
        cells_sync();
        let size = self.base - self.sp;
        resume_anywhere(self.pc, self.entry, self.base, size, self.trap, self.accu)
    }
}
