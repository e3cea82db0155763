//! Modules of a crate stand on floors: each knows those below it only, so no two files form a
//! circle through modules of the top level. What is only compiled for tests may look anywhere.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use bactrian_tests::repository::sources;

/// For each crate its modules, from the ground up.
const FLOORS: &[(&str, &[&str])] = &[
    (
        "interpreter/annotations",
        &["intrinsic", "request", "function", "builder"],
    ),
    (
        "interpreter",
        &[
            "memory",
            "value",
            "registry",
            "os",
            "waiting",
            "pending",
            "vm",
            "evaluation",
            "exception",
            "allocator",
            "foreign",
            "heap",
            "outside",
            "custom",
            "parameters",
            "stack",
            "raise",
            "md5",
            "code",
            "polymorphic",
            "backtrace",
            "image",
            "interp",
            "threads",
            "primitives",
            "stubs",
            "program",
            "loading",
            "first_effect",
            "start",
        ],
    ),
    (
        "guests/scheme",
        &[
            "memory", "value", "vm", "output", "heap", "code", "datum", "runtime", "compile",
            "interp", "load", "start",
        ],
    ),
    (
        "specializer",
        &[
            "hash",
            "index",
            "graph",
            "entity",
            "op",
            "ir",
            "text",
            "verify",
            "exec",
            "dominators",
            "module",
            "allocator",
            "request",
            "profile",
            "image",
            "lift",
            "optimisations",
            "eval",
            "cleanup",
            "lower",
            "link",
            "stored",
            "versions",
            "fault",
            "options",
            "key",
            "report",
            "recall",
            "watch",
            "specialize",
            "check",
        ],
    ),
    (
        "cache",
        &[
            "whole", "kind", "files", "stats", "bound", "store", "remote", "shared", "place",
            "writer", "transfer", "care",
        ],
    ),
    (
        "snapshot-tool",
        &[
            "notice",
            "status_line",
            "stats",
            "heap",
            "progress",
            "texts",
            "exports",
            "file_limit",
            "user_directories",
            "precompiled",
            "known_code",
            "engine",
            "jit_dump",
            "guest",
            "stubs",
            "input",
            "limits",
            "cells",
            "streams",
            "memory",
            "strings",
            "ticker",
            "import_linker",
            "unconfined",
            "host",
            "wasi",
            "imports",
            "specialize",
            "evaluation",
            "snapshot",
            "interpreted",
            "weval",
            "profile",
            "run",
            "product",
            "pipeline",
            "lockstep",
            "precompile",
            "report",
            "check",
            "cli",
            "bench",
            "commands",
        ],
    ),
    ("snapshot-tool/command", &[]),
    (
        "tests",
        &[
            "workers",
            "annotated",
            "repository",
            "process",
            "beside",
            "golden",
            "fuzz",
            "program",
            "mutants",
            "pages",
            "place",
            "workshop",
            "tool",
            "conformance",
            "selection",
            "libraries",
            "lua",
            "random_programs",
        ],
    ),
    ("tests/tables", &["form", "layout"]),
];

#[test]
fn modules_know_only_those_below() {
    let (mut upward, mut found) = (Vec::new(), 0);
    let texts = texts();
    for (name, floors) in FLOORS {
        let root = Path::new(name).join("src");
        let crate_root = &texts[&root.join("lib.rs")];
        for (path, module, known) in arrows(&root, &texts) {
            found += 1;
            let floor = |module: &str| {
                let floor = floors.iter().position(|known| *known == module);
                floor.unwrap_or_else(|| panic!("{name}: `{module}` is on no floor"))
            };
            let known = match floors.contains(&known.as_str()) {
                true => known,
                false => match exporter(crate_root, &known) {
                    Some(exporter) => exporter,
                    // The crate's root has it itself.
                    None => continue,
                },
            };
            if known != module && floor(&known) > floor(&module) {
                upward.push(format!("{name}: {path} knows `{known}`"));
            }
        }
    }
    assert!(upward.is_empty(), "arrows up:\n  {}", upward.join("\n  "));
    assert!(found > 100, "the walk found next to nothing");
}

#[test]
fn each_crate_has_floors() {
    let libraries = texts().into_keys();
    let crates = libraries.filter_map(|path| {
        path.to_str()?
            .strip_suffix("/src/lib.rs")
            .map(str::to_owned)
    });
    let crates: BTreeSet<String> = crates.collect();
    let listed = FLOORS.iter().map(|(name, _)| (*name).to_owned());
    assert_eq!(listed.collect::<BTreeSet<_>>(), crates);
}

/// An arrow up is noticed, however it is written.
#[test]
fn paths_are_found() {
    let text = "use crate::{heap, image::{bind, verify}};\nuse crate::value::Value;\n\
                fn f() { crate::raise::failure(\"\") } // crate::comment\n\
                crate::primitives! {}\n#[cfg(test)]\nmod tests { use crate::testing; }\n";
    let found: Vec<String> = known_modules(text).into_iter().collect();
    assert_eq!(found, ["heap", "image", "raise", "value"]);
}

#[test]
fn what_a_root_exports_is_of_a_module() {
    let root = "pub use care::{Imported, Verified};\nuse self::store::Store;\nstruct Cache;\n";
    assert_eq!(exporter(root, "Verified").as_deref(), Some("care"));
    assert_eq!(exporter(root, "Store").as_deref(), Some("store"));
    assert_eq!(exporter(root, "Cache"), None);
}

/// The module from which a crate's root has this name.
fn exporter(root: &str, name: &str) -> Option<String> {
    let root = format!("\n{root}").replace("\npub use ", "\nuse ");
    let uses = root.split("\nuse ").skip(1).filter_map(|path| {
        let (path, _) = path.split_once(';')?;
        path.trim_start_matches("self::").split_once("::")
    });
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut uses = uses.filter(|(_, names)| names.split(|c| !is_name(c)).any(|n| n == name));
    uses.next().map(|(module, _)| module.to_owned())
}

/// All Rust sources, by path.
fn texts() -> BTreeMap<PathBuf, String> {
    let texts = sources().into_iter();
    texts.map(|(path, text)| (path.into(), text)).collect()
}

/// File, module of the top level that it belongs to, and a module of the top level that it names.
fn arrows(root: &Path, texts: &BTreeMap<PathBuf, String>) -> Vec<(String, String, String)> {
    let mut arrows = Vec::new();
    for (path, text) in texts {
        let Ok(relative) = path.strip_prefix(root) else {
            continue;
        };
        let first = relative.iter().next().expect("a path has a part");
        let module = first.to_string_lossy().trim_end_matches(".rs").to_owned();
        if ["lib", "main", "bin"].contains(&module.as_str()) || is_for_tests(path, texts) {
            continue;
        }
        for known in known_modules(text) {
            arrows.push((relative.display().to_string(), module.clone(), known));
        }
    }
    arrows
}

/// Whether the module in this file, or one that it lies in, is declared for tests only.
fn is_for_tests(path: &Path, texts: &BTreeMap<PathBuf, String>) -> bool {
    path.ancestors().any(|place| {
        let (Some(parent), Some(stem)) = (place.parent(), place.file_stem()) else {
            return false;
        };
        let declaration = format!("mod {};", stem.to_string_lossy());
        let beside = parent.with_extension("rs");
        let declared = [
            parent.join("lib.rs"),
            parent.join("main.rs"),
            parent.join("mod.rs"),
            beside,
        ];
        declared
            .iter()
            .filter_map(|file| texts.get(file))
            .any(|text| {
                let mut before = "";
                text.lines().any(|line| {
                    let is_it = line.trim_start_matches("pub ") == declaration;
                    let for_tests = is_it && before == "#[cfg(test)]";
                    before = line;
                    for_tests
                })
            })
    })
}

/// The modules of the top level that a file names; its unit tests and comments are left out.
fn known_modules(text: &str) -> BTreeSet<String> {
    let text = text.split("#[cfg(test)]\nmod tests {").next();
    let code: Vec<&str> = text
        .into_iter()
        .flat_map(str::lines)
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect();
    let code = code.join("\n");
    let mut found = BTreeSet::new();
    for (start, _) in code.match_indices("crate::") {
        let rest = &code[start + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(list) => found.extend(heads(list)),
            None => found.extend(head(rest)),
        }
    }
    found
}

/// The first names of the paths in a list, up to its closing brace.
fn heads(list: &str) -> Vec<String> {
    let (mut depth, mut starts) = (0, vec![0]);
    for (index, character) in list.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => starts.push(index + 1),
            _ => {}
        }
    }
    let paths = starts.into_iter().map(|start| list[start..].trim_start());
    paths.filter_map(head).collect()
}

/// The module that a path begins with, if it is none of a macro.
fn head(path: &str) -> Option<String> {
    let end = path.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let is_module = end > 0 && !path[end..].starts_with('!');
    is_module.then(|| path[..end].to_owned())
}
