//! Random annotated modules, valid by construction: programs for the machine in `machine.wat`, and
//! functions with intrinsics in random places.
//!
//! Both end: what goes back burns fuel. Both keep the intrinsics' contracts: cells are accessed by
//! other code only between sync and invalidate, what others change never holds a constant, and
//! nobody sees the address of a box. No float is a NaN, whose bits WebAssembly leaves open.

mod function;
mod machine;
mod weval;

use fastrand::Rng;

pub use function::function;
pub use machine::machine;
pub use weval::weval;

/// How much of what happens is reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Watch {
    /// What the program says.
    Some,
    /// Everything, after each statement: so that next to nothing can go wrong unseen.
    All,
}

impl Watch {
    /// Whether the next value that goes to a cell is marked as an object.
    fn chooses_object(self, random: &mut Rng) -> bool {
        match self {
            Watch::Some => random.usize(..4) == 0,
            Watch::All => random.usize(..16) != 0,
        }
    }
}
