//! What a loaded program keeps of its file: the sections that it may ask for when it loads code,
//! how many shared libraries it was linked with, and which of them are not here.
//!
//! Under `ocamlrun` the toplevel reads these sections from its own file at each start. Here the
//! program is compiled ahead and its file need not be there, so they are part of the program.

use super::missing;
use super::parse::Executable;
use crate::allocator;
use crate::heap;
use crate::polymorphic::marshal;
use crate::registry::Outcome;
use crate::value::Value;
use std::cell::RefCell;

/// Sections that hold a marshalled value, and those that are text.
const VALUES: [&str; 2] = ["SYMB", "CRCS"];
const TEXTS: [&str; 2] = ["PRIM", "DLPT"];

/// The section with the names of shared libraries, each ended by a NUL.
const LIBRARIES: &str = "DLLS";

#[derive(Default)]
struct Kept {
    libraries: usize,
    /// The names of those libraries that are not here.
    missing: Vec<Box<[u8]>>,
    values: Vec<(&'static str, Box<[u8]>)>,
    texts: Vec<(&'static str, Box<[u8]>)>,
}

thread_local! {
    static KEPT: RefCell<Kept> = RefCell::default();
}

/// Notes the program's libraries and, if it is going to ask for them, its sections.
pub fn keep(executable: &Executable, sections_wanted: bool) {
    let keep = |names: [&'static str; 2]| {
        let found = names
            .into_iter()
            .filter_map(|name| executable.section(name).map(|bytes| (name, bytes.into())));
        found.filter(|_| sections_wanted).collect()
    };
    let libraries = executable.section(LIBRARIES).unwrap_or(&[]);
    KEPT.set(allocator::lasting(|| Kept {
        libraries: libraries.split_inclusive(|&byte| byte == 0).count(),
        missing: missing::libraries(libraries),
        values: keep(VALUES),
        texts: keep(TEXTS),
    }));
}

/// How many shared libraries the program was linked with.
pub fn library_count() -> usize {
    KEPT.with_borrow(|kept| kept.libraries)
}

/// The names of the shared libraries whose primitives are not here.
pub fn missing_libraries() -> Vec<Box<[u8]>> {
    KEPT.with_borrow(|kept| kept.missing.clone())
}

/// The sections, as an association list from names to contents. Allocates.
pub fn table() -> Outcome {
    KEPT.with_borrow(|kept| {
        let mut pairs = Vec::new();
        for (name, bytes) in &kept.values {
            pairs.push(pair(name, marshal::unmarshal(bytes)?));
        }
        for (name, bytes) in &kept.texts {
            pairs.push(pair(name, heap::alloc_string(bytes)));
        }
        Ok(heap::alloc_list(pairs.into_iter()))
    })
}

fn pair(name: &str, content: Value) -> Value {
    heap::alloc_fields(0, &[heap::alloc_string(name.as_bytes()), content])
}
