//! The linked module's name section: what traps, profilers and debuggers call its functions.
//!
//! Functions of the generic module keep their names, which are demangled where they are Rust's; the
//! name of the module's own crate, with which most of these begin, is left out. A residual function
//! has its request's title; a function in the place of an absent import has the import's.
//!
//! Invariant: names change nothing but this section. Names of locals, types and segments are left
//! out, as these are others now. A name section that cannot be read is no error, as for engines.

use std::collections::BTreeMap;

use wasm_encoder::{NameMap, NameSection};
use wasmparser::{Name, NameSectionReader};

use super::{Layout, Place, Residue};
use crate::ir::Func;
use crate::module::{Module, readable};

/// What is called how.
pub(super) struct Names {
    module: Option<String>,
    /// By index in the linked module.
    functions: BTreeMap<u32, String>,
}

impl Names {
    /// The names that do not come from the generic module's name section.
    pub fn new(module: &Module, layout: &Layout, residues: &[Residue]) -> Self {
        let residual = layout.residual.iter().zip(residues);
        let residual =
            residual.map(|(&(index, _), Residue { request, .. })| (index, request.title()));
        let imports = layout.functions.values().zip(&module.imports);
        let stubs = imports.filter_map(|(place, import)| match place {
            Place::Stub(number) => {
                let name = format!("{}.{}", import.module, import.name);
                Some((layout.stub_base + number, name))
            }
            Place::Function(_) | Place::Intrinsic(_) | Place::Dropped => None,
        });
        let entry = layout.stacks.iter().map(|stacks| {
            let name = format!("{}.entry", annotations::STACKS_MODULE);
            (stacks.entry().0, name)
        });
        Self {
            module: None,
            functions: residual.chain(stubs).chain(entry).collect(),
        }
    }

    /// Adds what the generic module's name section says, as far as it can be read.
    pub fn read(&mut self, layout: &Layout, section: NameSectionReader) {
        for subsection in section {
            match subsection {
                Ok(Name::Module { name, .. }) => self.module = Some(name.to_owned()),
                Ok(Name::Function(names)) => {
                    for naming in names {
                        let Ok(naming) = naming else { return };
                        // An intrinsic that is no import any more has no place.
                        if let Ok(index) = layout.function(Func(naming.index)) {
                            let name = readable(naming.name);
                            self.functions.insert(index, self.shortened(name));
                        }
                    }
                }
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }

    /// A name without the crate's, which is that of the module.
    fn shortened(&self, name: String) -> String {
        let module = self.module.as_deref();
        let Some(own) = module.and_then(|module| module.strip_suffix(".wasm")) else {
            return name;
        };
        let own = format!("{own}::");
        let mut shortened = String::new();
        for part in name.split_inclusive(&own) {
            let before = part.strip_suffix(&own);
            let goes_on =
                |before: &str| before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
            shortened.push_str(before.filter(|before| !goes_on(before)).unwrap_or(part));
        }
        shortened
    }

    pub fn section(&self) -> NameSection {
        let mut section = NameSection::new();
        if let Some(module) = &self.module {
            section.module(module);
        }
        let mut functions = NameMap::new();
        for (&index, name) in &self.functions {
            functions.append(index, name);
        }
        section.functions(&functions);
        section
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shortened(module: Option<&str>, name: &str) -> String {
        let names = Names {
            module: module.map(str::to_owned),
            functions: BTreeMap::new(),
        };
        names.shortened(name.to_owned())
    }

    #[test]
    fn the_modules_own_crate_is_left_out() {
        let guest = Some("guest.wasm");
        assert_eq!(shortened(guest, "guest::heap::collect"), "heap::collect");
        let name = "<guest::Arena as core::alloc::GlobalAlloc>::alloc::<guest::Cell>";
        let expected = "<Arena as core::alloc::GlobalAlloc>::alloc::<Cell>";
        assert_eq!(shortened(guest, name), expected);
        for other in ["my_guest::main", "core::guest", "guest"] {
            assert_eq!(shortened(guest, other), other);
        }
        for module in [None, Some("guest"), Some("other.wasm")] {
            assert_eq!(shortened(module, "guest::main"), "guest::main");
        }
    }
}
