//! What the compiler says of C that a user should read.
//!
//! Of conversions that shorten a number, those are left out that do the same on other machines of
//! 64 bits (to `int`), and those to the type of sizes, as no memory here is larger than that. What
//! stays is about `long` and the types that are one. Errors in inline assembly, and about headers
//! that are not there, are followed by what to do.

/// Names of types of sizes and differences of addresses.
const SIZES: [&str; 5] = ["asize_t", "ptrdiff_t", "size_t", "ssize_t", "uintptr_t"];

/// Types that are shorter here than elsewhere.
const SHORT: [&str; 2] = ["long", "unsigned long"];

/// Parts of what the compiler says of assembly for another processor.
const ASSEMBLY: [&str; 4] = [
    " in asm",
    "inline assembly",
    "inline asm",
    "unknown register name",
];

/// What is said behind those.
const NO_ASSEMBLY: &str = "bactrian: WebAssembly has no instructions for inline assembly: look for \
     the macro by which this code chooses C in its place on other processors\n";

/// What is said behind errors about headers.
const NO_HEADER: &str = "bactrian: headers of this machine are not looked at, as they are of \
     another C library: `-I DIRECTORY` says where those of the sources are; docs/stubs.md says \
     what WASI's C library does not have\n";

/// The diagnostics without those, each a line, with the notes that follow it.
pub fn kept(said: &str) -> String {
    let (mut kept, mut is_kept) = (String::new(), true);
    for line in said.lines() {
        if line.ends_with("warnings generated.") || line.ends_with("warning generated.") {
            continue;
        }
        is_kept = match line.contains(": note: ") {
            true => is_kept,
            false => !is_harmless(line),
        };
        if is_kept {
            kept += line;
            kept.push('\n');
        }
    }
    let is_of_assembly =
        |line: &str| line.contains(": error: ") && ASSEMBLY.iter().any(|part| line.contains(part));
    if kept.lines().any(is_of_assembly) {
        kept += NO_ASSEMBLY;
    }
    if kept.lines().any(|line| line.ends_with("' file not found")) {
        kept += NO_HEADER;
    }
    kept
}

/// Whether this line is about such a conversion.
fn is_harmless(line: &str) -> bool {
    if !line.ends_with("[-Wshorten-64-to-32]") {
        return false;
    }
    let Some((_, target)) = line.split_once(" to '") else {
        return false;
    };
    // 'name', or 'name' (aka 'type').
    let mut names = target.split('\'').step_by(2);
    let name = names.next().unwrap_or_default();
    let ty = names.next().unwrap_or(name);
    SIZES.contains(&name) || !SHORT.contains(&ty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_concerns_long_is_kept() {
        let warning = |target: &str| {
            format!(
                "a.c:1:2: warning: implicit conversion loses integer precision: 'value' (aka \
                 'long long') to {target} [-Wshorten-64-to-32]\na.h:3:4: note: expanded from\n"
            )
        };
        for harmless in [
            "'int'",
            "'uint32_t' (aka 'unsigned int')",
            "'size_t' (aka 'unsigned long')",
        ] {
            assert_eq!(kept(&warning(harmless)), "", "{harmless}");
        }
        for telling in ["'long'", "'time_t' (aka 'long')", "'unsigned long'"] {
            assert_eq!(kept(&warning(telling)), warning(telling));
        }
        let error = "a.c:1:2: error: unknown type name 'foo'\n1 warning and 1 error generated.\n";
        assert_eq!(kept(error), error);
    }

    #[test]
    fn a_header_that_is_not_there_is_explained() {
        let error = "a.c:1:10: fatal error: 'pwd.h' file not found\n";
        assert_eq!(kept(error), format!("{error}{NO_HEADER}"));
    }

    #[test]
    fn assembly_is_explained_once() {
        let errors = "a.c:2:45: error: invalid % escape in inline assembly string\n\
            a.c:3:62: error: invalid output constraint '=a' in asm\n";
        assert_eq!(kept(errors), format!("{errors}{NO_ASSEMBLY}"));
    }
}
