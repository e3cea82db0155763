//! Wrong residual code, and who notices it: the nets under the specializer, tested by what they
//! should catch.
//!
//! * [`corpus`]: annotated modules with calls to make, and what these have to do;
//! * [`judge`]: one fault planted in one module, and the first net that notices it;
//! * [`equal`]: the proof that a mutant changes nothing;
//! * [`lost`]: whether a local that is not set ever misses anything;
//! * [`known`]: what mutants of a module have in common is made once;
//! * [`explain`]: what a survivor changed;
//! * [`lockstep`]: faults in the code of an OCaml program;
//! * [`survey`]: a number of faults of a kind, counted;
//! * [`stale`]: bodies of another version of a module under the right key of the store;
//! * [`table`]: the result, as it is in `docs/mutants.md`.
//!
//! A fault that leaves the linked module as it was (in code that a later pass finds dead) is no
//! mutant. One in code that no call reaches cannot be noticed by calls, one that provably does the
//! same cannot be noticed at all; both are counted apart.

pub mod corpus;
pub mod equal;
pub mod explain;
pub mod judge;
pub mod known;
pub mod lockstep;
pub mod lost;
pub mod stale;
pub mod survey;
pub mod table;
