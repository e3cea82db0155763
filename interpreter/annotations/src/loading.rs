//! What the host may tell a module before it loads its program.

/// The function that loads the program. A snapshot does not export it any more.
pub const INITIALIZE_EXPORT: &str = "wizer-initialize";

/// The name of the Wasm global that holds the address of a `u32`. If the host makes it other than 0
/// before it initialises the module, references that nobody but their own function sees stay blocks
/// in memory; otherwise the module may keep them in cells.
pub const KEEP_REFERENCES_EXPORT: &str = "BACTRIAN_KEEP_REFERENCES";

/// The same of another `u32`: if it is other than 0, residual code applies functions to fewer or
/// more arguments than they take by a call of the runtime; otherwise the module may do it in place.
pub const APPLY_BY_CALL_EXPORT: &str = "BACTRIAN_APPLY_BY_CALL";

/// The same: if it is other than 0, a call that may call one of several functions is compared with
/// none of them; otherwise the module may name them.
pub const ONE_CANDIDATE_EXPORT: &str = "BACTRIAN_ONE_CANDIDATE";

/// The same of a `u32` that says what the module's threads have: see [`ThreadSupport`].
pub const THREADS_EXPORT: &str = "BACTRIAN_THREADS";

/// What there is for threads where a module runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u32)]
pub enum ThreadSupport {
    /// The host asks for polls now and then.
    #[default]
    Ticks = 0,
    /// The module has to look at a clock itself.
    Clock = 1,
    /// It has one stack.
    Nothing = 2,
}
