//! Every error is reached: each variant of each error type, and each reason for which a request is
//! declined, is named in a test that produces it.
//!
//! Error types are those that derive `thiserror::Error`, and those whose names say so. What a test
//! names is taken for produced: this finds a variant that was forgotten, not a test that lies.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use bactrian_tests::repository::{Text, assert_none, sources};
use bactrian_tests::workspace;

/// A variant that no Rust test names, and the test that produces it all the same.
struct Elsewhere {
    variant: &'static str,
    file: &'static str,
    test: &'static str,
    /// What the file has of the variant: of its message, or of how it comes about.
    sign: &'static str,
}

const LIMITS: &str = "snapshot-tool/command/tests/command.rs";

const ELSEWHERE: [Elsewhere; 9] = [
    Elsewhere {
        variant: "ImageError::Data",
        file: "tests/tests/malformed.rs",
        test: "data_that_is_not_marshalled",
        sign: r#"section(file, "DATA")"#,
    },
    Elsewhere {
        variant: "Reached::Memory",
        file: "tests/tests/cli.rs",
        test: "a_limit_is_named",
        sign: "max-memory-size=1",
    },
    Elsewhere {
        variant: "Reached::Fuel",
        file: LIMITS,
        test: "a_program_without_fuel_is_stopped",
        sign: "(-W fuel)",
    },
    Elsewhere {
        variant: "Reached::Time",
        file: LIMITS,
        test: "a_program_out_of_time_is_stopped_wherever_it_is",
        sign: "(-W timeout)",
    },
    Elsewhere {
        variant: "Reached::Stack",
        file: LIMITS,
        test: "a_program_beyond_its_native_stack_is_stopped",
        sign: "its native stack of 200000 bytes",
    },
    Elsewhere {
        // Of marshalling blocks of C, both ways.
        variant: "Error::Raised",
        file: "tests/tests/c_stubs.rs",
        test: "stubs_do_what_they_do_under_ocamlrun",
        sign: "same_as_ocamlrun(\"interface\"",
    },
    Elsewhere {
        variant: "Error::ReadOnly",
        file: "tests/tests/disks.rs",
        test: "who_looks_after_a_cache_that_can_only_be_read_is_told",
        sign: "can only be read here",
    },
    Elsewhere {
        variant: "Error::NoRoom",
        file: "tests/tests/disks.rs",
        test: "a_cache_on_a_full_disk_is_used_and_made_smaller",
        sign: "there is no room to change",
    },
    Elsewhere {
        // Of unmarshalling.
        variant: "Error::OutOfMemory",
        file: "tests/tests/exhaustion.rs",
        test: "a_residual_program_goes_on_without_memory",
        sign: "unmarshalling",
    },
];

/// Variants that cannot be produced by a test, and why.
const UNREACHED: &[(&str, &str)] = &[(
    "ImageError::OutOfMemory",
    "loading has all of the 4 GiB that a memory can have: a file that needs more takes \
     minutes to write",
)];

/// A variant of an error type: where it is defined, and its name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Variant {
    path: String,
    name: String,
}

#[test]
fn every_error_is_reached() {
    let (code, tests) = parted();
    let variants: Vec<Variant> = code
        .iter()
        .flat_map(|(path, text)| variants(path, text))
        .collect();
    assert!(variants.len() > 40, "the sources hold next to no errors");
    let missing: Vec<&Variant> = variants
        .iter()
        .filter(|variant| !names(&tests, &variant.name) && !is_excused(&variant.name))
        .collect();
    assert!(
        missing.is_empty(),
        "errors that no test produces: {missing:#?}"
    );
    let known: BTreeSet<&str> = variants.iter().map(|variant| &variant.name[..]).collect();
    let elsewhere = ELSEWHERE.iter().map(|elsewhere| elsewhere.variant);
    for name in elsewhere.chain(UNREACHED.iter().map(|(name, _)| *name)) {
        assert!(known.contains(name), "{name} is excused but does not exist");
    }
}

#[test]
fn tests_elsewhere_exist() {
    let lacks = ELSEWHERE.iter().filter_map(|elsewhere| {
        let Elsewhere {
            variant,
            file,
            test,
            sign,
        } = elsewhere;
        let text = fs::read_to_string(workspace().join(file)).unwrap_or_default();
        let is_there = has_test(&text, test) && text.contains(sign);
        (!is_there).then(|| format!("{variant}: the test `{test}` with {sign:?} in {file}"))
    });
    assert_none("what is said to produce errors, and does not exist", lacks);
}

#[test]
fn tests_are_found_by_name() {
    let text = "#[test]\nfn one() {\n}\n\nfn two() {\n}\n\n/// three()\n";
    assert!(has_test(text, "one"));
    assert!(!has_test(text, "two") && !has_test(text, "three") && !has_test(text, "on"));
}

#[test]
fn variants_are_found() {
    let text = "/// Why.\n#[derive(Debug, thiserror::Error)]\npub enum Odd {\n    \
                #[error(\"one\")]\n    One,\n    \
                Two { place: usize },\n    Three(u8),\n}\npub enum Other {\n    Four,\n}\n";
    let found: Vec<String> = variants("odd.rs", text)
        .into_iter()
        .map(|variant| variant.name)
        .collect();
    assert_eq!(found, ["Odd::One", "Odd::Two", "Odd::Three"]);
}

fn is_excused(name: &str) -> bool {
    ELSEWHERE.iter().any(|elsewhere| elsewhere.variant == name)
        || UNREACHED.iter().any(|(variant, _)| *variant == name)
}

/// Whether a source has a test of this name.
fn has_test(text: &str, name: &str) -> bool {
    text.contains(&format!("#[test]\nfn {name}() "))
}

/// Whether the name is in the text as a whole word.
fn names(text: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(start, _)| {
        !text[..start].ends_with(part) && !text[start + name.len()..].starts_with(part)
    })
}

/// The variants of the error types that a file defines.
fn variants(path: &str, text: &str) -> Vec<Variant> {
    let mut found = Vec::new();
    let (mut derives, mut current) = (false, None);
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("pub enum ") {
            let name = rest.trim_end_matches(" {");
            current = (derives || is_error(name)).then_some(name);
        } else if line == "}" {
            current = None;
        } else if let Some(name) = current {
            found.extend(variant(line).map(|variant| Variant {
                path: path.to_owned(),
                name: format!("{name}::{variant}"),
            }));
        }
        let is_attribute = line.starts_with("#[") || line.starts_with("///");
        derives = is_attribute && (derives || line.contains("thiserror::Error"));
    }
    found
}

fn is_error(name: &str) -> bool {
    name.ends_with("Error") || name.ends_with("Problem") || name == "Declined"
}

/// The variant that a line of an enum defines.
fn variant(line: &str) -> Option<&str> {
    let line = line.strip_prefix("    ")?;
    let end = line
        .find(|c: char| !c.is_alphanumeric())
        .unwrap_or(line.len());
    line.starts_with(|c: char| c.is_ascii_uppercase())
        .then(|| &line[..end])
}

/// Every Rust file but those of tests, by its path; and the text of all tests.
fn parted() -> (Vec<Text>, String) {
    let (mut code, mut tests) = (Vec::new(), String::new());
    for (path, text) in sources() {
        if path.ends_with("/tests.rs") || Path::new(&path).parent().is_some_and(is_of_tests) {
            tests.push_str(&text);
            continue;
        }
        let (source, own) = text
            .split_once("#[cfg(test)]\nmod tests {")
            .unwrap_or((&text, ""));
        tests.push_str(own);
        code.push((path, source.to_owned()));
    }
    (code, tests)
}

fn is_of_tests(directory: &Path) -> bool {
    directory.ends_with("tests")
}
