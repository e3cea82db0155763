//! The linked module's name section: what traps, profilers and debuggers call its functions.
//!
//! Functions of the generic module keep their names. Those of Rust are demangled, and cut down to
//! what one looks for: no type parameters, no trait that the function implements, not the name of
//! the module's own crate, and of a path in another crate the last two parts. A residual function
//! has its request's title; a function in the place of an absent import has the import's.
//!
//! Invariant: names change nothing but this section. Names of locals, types and segments are left
//! out, as these are others now. A name section that cannot be read is no error, as for engines.

use std::collections::BTreeMap;

use wasm_encoder::{NameMap, NameSection};
use wasmparser::{Name, NameSectionReader};

use super::Residue;
use super::layout::{Fate, Layout};
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
            Fate::Stub(number) => {
                let name = format!("{}.{}", import.module, import.name);
                Some((layout.stub_base + number, name))
            }
            Fate::Function(_) | Fate::Intrinsic(_) | Fate::Dropped => None,
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
                            self.functions.insert(index, self.shortened(naming.name));
                        }
                    }
                }
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }

    /// A name as the section has it.
    fn shortened(&self, name: &str) -> String {
        let readable = readable(name);
        if readable == name {
            return readable;
        }
        let path = without_types(&readable);
        let module = self.module.as_deref();
        let own = module.and_then(|module| module.strip_suffix(".wasm"));
        match (own, path.split_once("::")) {
            (Some(own), Some((first, rest))) if first == own => rest.to_owned(),
            _ => {
                let last_two = path.rmatch_indices("::").nth(1);
                path[last_two.map_or(0, |(at, _)| at + 2)..].to_owned()
            }
        }
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

/// A path without type parameters and traits: `<a::T<U> as b::Trait>::f::<V>` is `a::T::f`.
fn without_types(path: &str) -> String {
    let mut plain = String::new();
    // Within so many brackets of type parameters; whether a type comes first, and is not over.
    let (mut depth, mut begins_with_type) = (0, path.starts_with('<'));
    for (at, next) in path.char_indices().skip(begins_with_type.into()) {
        match next {
            '<' => depth += 1,
            '>' if depth > 0 => depth -= 1,
            '>' => begins_with_type = false,
            _ if depth > 0 => {}
            ' ' if begins_with_type && path[at..].starts_with(" as ") => {
                // What is left of the brackets is the trait, which closes them.
                begins_with_type = false;
                depth = 1;
            }
            _ => plain.push(next),
        }
    }
    // A function's own parameters follow a separator.
    plain
        .replace("::::", "::")
        .trim_end_matches("::")
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name that the Rust compiler has mangled, by the parts of its path.
    fn mangled(parts: &[&str]) -> String {
        let parts = parts.iter().map(|part| format!("{}{part}", part.len()));
        format!("_ZN{}17h0123456789abcdefE", parts.collect::<String>())
    }

    fn shortened(parts: &[&str]) -> String {
        let names = Names {
            module: Some("guest.wasm".to_owned()),
            functions: BTreeMap::new(),
        };
        names.shortened(&mangled(parts))
    }

    #[test]
    fn paths_are_whole_in_the_modules_own_crate_alone() {
        assert_eq!(shortened(&["guest", "heap", "collect"]), "heap::collect");
        let elsewhere = shortened(&["core", "str", "count", "do_count_chars"]);
        assert_eq!(elsewhere, "count::do_count_chars");
        assert_eq!(shortened(&["alloc", "exit"]), "alloc::exit");
        let names = Names {
            module: None,
            functions: BTreeMap::new(),
        };
        assert_eq!(names.shortened("lua_pushnil"), "lua_pushnil");
        assert_eq!(names.shortened("std::sort<int>"), "std::sort<int>");
    }

    #[test]
    fn types_and_traits_are_left_out() {
        let checks = [
            (
                "<guest::Arena as core::alloc::GlobalAlloc>::alloc::<guest::Cell>",
                "guest::Arena::alloc",
            ),
            (
                "<a::Map<I, F> as b::Iterator<Item = <I as b::It>::Item>>::next",
                "a::Map::next",
            ),
            ("<str>::from_utf8", "str::from_utf8"),
            ("a::Dlmalloc<A>::free", "a::Dlmalloc::free"),
            (
                "core::ptr::drop_in_place::<alloc::string::String>",
                "core::ptr::drop_in_place",
            ),
            ("a::f::{closure#0}", "a::f::{closure#0}"),
        ];
        for (path, expected) in checks {
            assert_eq!(without_types(path), expected);
        }
    }
}
