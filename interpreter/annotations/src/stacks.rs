//! What a guest imports to have several stacks: so its program can have threads, or whatever else
//! goes on where it stopped.
//!
//! The linker makes the functions, of the stack-switching proposal's instructions. A stack is an
//! engine's own, of which a guest sees a number. There is one of locals in memory, too, which all
//! stacks share: what a stack has on it is copied out when it stops, and back when it goes on, so
//! that it is always at the same addresses.
//!
//! The program begins on a stack without a number. From there others are resumed; each runs until
//! it suspends itself, which is when the call that resumed it returns. Where a module may not use
//! these instructions, each function answers [`NO_STACKS`].

/// The import module.
pub const STACKS_MODULE: &str = "bactrian_stacks";

/// The export, a global, by which a linked module says that it has several stacks.
pub const STACKS_EXPORT: &str = "bactrian:stacks";

/// What all functions answer where there are no other stacks.
pub const NO_STACKS: i32 = -1;

/// Bytes before locals that are kept: how many they are, and the address that they have where they
/// are not kept, as 32-bit numbers. Those of a new stack are none.
pub const LOCALS_LEN: usize = 8;

/// How many stacks there can be, beside the first one.
pub const MOST_STACKS: u32 = 4096;

/// The functions: their parameters are of type `i32`, and so is what they return.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StackFunction {
    /// How many bytes of locals the present stack has.
    Locals,
    /// Makes a stack; its number, or [`NO_STACKS`].
    New,
    /// Goes on with a stack until it suspends itself. Its number; the table index of the function
    /// without parameters and results that it begins with, which never returns; where the locals of
    /// the present stack are kept meanwhile; where those of the other are.
    Resume,
    /// Suspends the present stack, which is not the first. Where its locals are kept.
    Suspend,
}

impl StackFunction {
    pub const ALL: [Self; 4] = [Self::Locals, Self::New, Self::Resume, Self::Suspend];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Locals => "locals",
            Self::New => "new",
            Self::Resume => "resume",
            Self::Suspend => "suspend",
        }
    }

    /// How many parameters it has.
    pub const fn parameters(self) -> usize {
        match self {
            Self::Locals | Self::New => 0,
            Self::Resume => 4,
            Self::Suspend => 1,
        }
    }

    /// The function that is imported under this name.
    pub fn imported(module: &str, name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|function| module == STACKS_MODULE && function.name() == name)
    }
}
