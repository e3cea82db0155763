//! Whether a program can find out when something has died. What an evaluation leaves is as old as
//! if a minor collection had come (see `first_effect`), so the program's own minor collections do
//! not find it dead, and it must not find out that.
//!
//! Finalisers tell, and counts of what is alive; weak pointers where the program itself asks for
//! collections: of others nobody can know when they come.

use std::cell::Cell;

thread_local! {
    static TELLS: Cell<Option<&'static str>> = const { Cell::new(None) };
    static HAS_WEAK: Cell<bool> = const { Cell::new(false) };
    static COLLECTS: Cell<u32> = const { Cell::new(0) };
}

/// `Stdlib` has a function that calls `caml_gc_major` and never runs: one is none.
const CERTAIN: u32 = 2;

/// The program can call this primitive.
pub fn note(primitive: &'static str) {
    match primitive {
        "caml_final_register"
        | "caml_final_register_called_without_value"
        | "caml_gc_stat"
        | "caml_get_global_data"
        | "caml_memprof_start"
        | "caml_reify_bytecode" => TELLS.set(Some(primitive)),
        "caml_ephe_blit_data"
        | "caml_ephe_blit_key"
        | "caml_ephe_set_data"
        | "caml_ephe_set_key"
        | "caml_weak_blit"
        | "caml_weak_set" => HAS_WEAK.set(true),
        "caml_gc_compaction" | "caml_gc_full_major" | "caml_gc_major_slice" | "caml_gc_minor" => {
            COLLECTS.set(COLLECTS.get() + CERTAIN);
        }
        "caml_gc_major" => COLLECTS.set(COLLECTS.get() + 1),
        _ => {}
    }
}

/// What it is in the program that could tell.
pub fn teller() -> Option<&'static str> {
    let weak = HAS_WEAK.get() && COLLECTS.get() >= CERTAIN;
    TELLS.get().or(weak.then_some("weak pointers"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weak_pointers_tell_what_died_in_collections_that_are_asked_for() {
        note("caml_weak_set");
        note("caml_gc_major");
        assert_eq!(teller(), None);
        note("caml_gc_major");
        assert_eq!(teller(), Some("weak pointers"));
    }

    #[test]
    fn finalisers_tell_by_themselves() {
        note("caml_gc_full_major");
        assert_eq!(teller(), None);
        note("caml_final_register");
        assert_eq!(teller(), Some("caml_final_register"));
    }
}
