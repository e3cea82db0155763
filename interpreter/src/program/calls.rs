//! What the code that a program can reach calls, and what follows from that.

use crate::image::hints::CodePointers;
use std::collections::HashSet;

/// Primitives by which a program can call any of its functions: from code that it loads, or found
/// among the globals.
const LOADS_CODE: &[&str] = &["caml_reify_bytecode", "caml_get_global_data"];

/// Whether a program that calls the primitive of this name can call any of its functions.
pub fn loads_code(name: &str) -> bool {
    LOADS_CODE.contains(&name)
}

/// The primitives that are called, by name.
pub struct Calls(HashSet<&'static str>);

impl Calls {
    pub fn new(names: impl Iterator<Item = &'static str>) -> Self {
        Self(names.collect())
    }

    /// Whether it calls one of these.
    pub fn any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.0.contains(name))
    }

    pub fn loads_code(&self) -> bool {
        self.any(LOADS_CODE)
    }

    pub fn makes_threads(&self) -> bool {
        self.any(&["caml_thread_new"])
    }

    /// Whether code may handle signals, that which is loaded later included.
    pub fn handles_signals(&self) -> bool {
        self.loads_code() || self.any(&["caml_install_signal_handler"])
    }

    pub fn samples_allocations(&self) -> bool {
        self.any(&["caml_memprof_start"])
    }

    pub fn counts_allocations(&self) -> bool {
        self.any(&["caml_gc_counters", "caml_gc_minor_words"])
    }

    /// Whether primitives may give closures which nobody passed them.
    pub fn gives_closures(&self) -> bool {
        self.loads_code() || self.any(&["caml_get_current_environment"])
    }

    /// Code that is loaded later may call what the program itself does not.
    pub fn code_pointers(&self) -> CodePointers {
        match self.any(&["caml_obj_set_raw_field", "caml_reify_bytecode"]) {
            true => CodePointers::Change,
            false => CodePointers::Stay,
        }
    }
}
