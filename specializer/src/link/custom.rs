//! Custom sections of the linked module.
//!
//! Invariant: none that is copied speaks of indices or places that linking changes. Functions get
//! other indices, their code is written anew, and memory lies where the snapshot has it. The name
//! section is made anew ([`super::names`]); what is not listed here is copied as it is, as nobody
//! knows what it says.

/// Sections that linking makes wrong, by how their names begin.
const OUTDATED: [&str; 9] = [
    // Places in code: of debug information, here or elsewhere.
    ".debug_",
    "sourceMappingURL",
    "external_debug_info",
    // Which debug information belongs to this code.
    "build_id",
    // Functions and places in their code: hints for branches and inlining, traces.
    "metadata.code.",
    // Symbols, and places that a linker changes.
    "linking",
    "reloc.",
    // Where a library may be loaded: a snapshot's memory lies where it lies.
    "dylink",
    // What the module uses of WebAssembly: residual code has tail calls as well.
    "target_features",
];

/// Whether the section of this name is left out.
pub fn is_outdated(name: &str) -> bool {
    OUTDATED.iter().any(|outdated| name.starts_with(outdated))
}
