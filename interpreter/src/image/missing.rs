//! Primitives that a program calls and nothing here defines, and the libraries that could define
//! them.
//!
//! An executable lists its primitives and its shared libraries, but not which library defines which
//! primitive. Invariant: what is said of a missing primitive's library is true, because all
//! primitives of `ocamlrun` and of the libraries in [`HERE`] are defined here: it is in one of the
//! others.

use super::bind;
use super::parse::Executable;
use super::sections;
use std::collections::HashSet;

/// The shared libraries whose primitives are part of this runtime.
const HERE: [&[u8]; 4] = [b"dllbigarray", b"dllcamlstr", b"dllthreads", b"dllunix"];

/// What users can read about missing primitives.
const PAGE: &str = "docs/stubs.md";

/// What users can read about primitives that were taken back.
const DIFFERENCES: &str = "docs/differences.md";

/// Width of the lines that list names.
const WIDTH: usize = 100;

/// The names in a DLLS section whose primitives are not here.
pub fn libraries(section: &[u8]) -> Vec<Box<[u8]>> {
    section
        .split(|&byte| byte == 0)
        .filter(|name| !name.is_empty() && !HERE.contains(name))
        .map(Box::from)
        .collect()
}

/// The libraries, of which one defines what is missing: "dllzarith", "dlla or dllb"; nothing where
/// there is none.
fn alternatives(libraries: &[Box<[u8]>]) -> String {
    let mut text = String::new();
    for (index, library) in libraries.iter().enumerate() {
        let separator = match index {
            0 => "",
            _ if index + 1 == libraries.len() => " or ",
            _ => ", ",
        };
        text.push_str(separator);
        text.push_str(&String::from_utf8_lossy(library));
    }
    text
}

/// What is said of a primitive that is called and missing.
pub fn message(primitive: &str) -> String {
    let source = alternatives(&sections::missing_libraries());
    let of = if source.is_empty() { "" } else { " of " };
    format!("the primitive {primitive}{of}{source} is missing: see {PAGE}")
}

/// What is said of a primitive that is called although no way to a call was found, where that
/// decided how the program is compiled.
pub fn unexpected(primitive: &str) -> String {
    format!("the primitive {primitive} is called where nothing was found to: see {DIFFERENCES}")
}

/// What is said of a function of C that is called with another number of arguments than it has.
pub fn misfit(primitive: &str) -> String {
    format!("the primitive {primitive} is called with another number of arguments than it has")
}

/// Lists those of the primitives that instructions call which nothing defines; nothing if there are
/// none. The executable has been bound and its sections noted.
pub fn report(executable: &Executable, called: &HashSet<&[u8]>) -> Option<String> {
    let mut missing: Vec<_> = (executable.primitives.iter().enumerate())
        .filter(|(index, name)| called.contains(*name) && bind::is_missing(*index))
        .map(|(_, name)| String::from_utf8_lossy(name))
        .collect();
    missing.sort_unstable();
    if missing.is_empty() {
        return None;
    }
    let source = match &sections::missing_libraries()[..] {
        [] => "no shared library".to_string(),
        libraries => alternatives(libraries),
    };
    let mut text = format!(
        "primitives of C libraries are missing; a call of one raises Failure, see {PAGE}\n\
         {source}: {}\n",
        missing.len()
    );
    push_wrapped(&mut text, &missing);
    Some(text)
}

/// Adds the names, in indented lines.
fn push_wrapped<S: AsRef<str>>(text: &mut String, names: &[S]) {
    let mut column = 0;
    for name in names.iter().map(AsRef::as_ref) {
        if column > 0 && column + 1 + name.len() > WIDTH {
            text.push('\n');
            column = 0;
        }
        let space = if column == 0 { "  " } else { " " };
        text.push_str(space);
        text.push_str(name);
        column += space.len() + name.len();
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::super::assemble::{self, assemble};
    use super::super::parse;
    use super::*;
    use crate::primitives;

    #[test]
    fn libraries_that_are_here_are_left_out() {
        let section = b"dllunix\0dllzarith\0dllthreads\0dllcamlstr\0dllfoo\0dllbar\0";
        let libraries = libraries(section);
        assert_eq!(alternatives(&libraries), "dllzarith, dllfoo or dllbar");
        assert_eq!(alternatives(&libraries[1..]), "dllfoo or dllbar");
        assert_eq!(alternatives(&libraries[..1]), "dllzarith");
        assert_eq!(alternatives(&[]), "");
    }

    #[test]
    fn names_are_wrapped() {
        let mut text = String::new();
        push_wrapped(&mut text, &["a".repeat(60), "b".repeat(37), "c".repeat(2)]);
        let lines: Vec<_> = text.lines().map(str::len).collect();
        assert_eq!(lines, [100, 4]);
    }

    #[test]
    fn what_is_called_and_missing_is_listed_with_its_library() {
        let code: Vec<u8> = assemble("Const0; CCall1 2; CCall1 1; Stop")
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        let file = |libraries: &'static [u8]| {
            let names: &[u8] = b"never_called\0caml_ml_string_length\0dromedary_walk\0";
            let parts = [
                ("CODE", &code[..]),
                ("PRIM", names),
                ("DATA", b""),
                ("DLLS", libraries),
            ];
            assemble::sections(&parts)
        };
        let report = |libraries| {
            let file = file(libraries);
            let executable = parse::executable(&file).expect("well-formed");
            bind::bind(&executable.primitives, primitives::all()).expect("few primitives");
            sections::keep(&executable, false);
            super::report(&executable, &bind::called(&executable))
        };
        let listed = report(b"dllunix\0dllcamel\0").expect("one is missing");
        assert!(
            listed.ends_with("\ndllcamel: 1\n  dromedary_walk\n"),
            "{listed}"
        );
        let listed = report(b"").expect("one is missing");
        assert!(listed.contains("\nno shared library: 1\n"), "{listed}");
    }
}
