//! The names of actions in the headers of tests: which stand for several, which execute bytecode,
//! and which only ask whether what is below them is for this machine.
//!
//! Leaves out: doing them ([`super::walk`]).

use super::verdict::Kind;

/// The actions that a test stands for.
pub fn actions(name: &str) -> Vec<&str> {
    match name {
        "bytecode" => vec![
            "setup-ocamlc.byte-build-env",
            "ocamlc.byte",
            "run",
            "check-program-output",
        ],
        "toplevel" => vec!["setup-ocaml-build-env", "ocaml", "check-ocaml-output"],
        "expect" => vec![
            "setup-simple-build-env",
            "run-expect",
            "check-program-output",
        ],
        _ => vec![name],
    }
}

/// What an action executes, if it does.
pub fn execution(action: &str) -> Option<Kind> {
    match action {
        "run" => Some(Kind::Program),
        "ocaml" => Some(Kind::Toplevel),
        "run-expect" => Some(Kind::Expect),
        _ => None,
    }
}

/// Whether what is below an action is for us: bytecode on 64-bit Linux, compiled by Debian's
/// `ocamlc`.
pub fn condition(action: &str) -> Option<bool> {
    const YES: &[&str] = &[
        "pass",
        "hasunix",
        "hassysthreads",
        "hasstr",
        "libunix",
        "not-windows",
        "not-bsd",
        "arch64",
        "arch_amd64",
        "has_symlink",
        "naked_pointers",
        "shared-libraries",
        "flat-float-array",
        "no-flambda",
        "no-afl-instrument",
        "native-compiler",
        "dumpenv",
    ];
    const NO: &[&str] = &[
        "skip",
        "fail",
        "libwin32unix",
        "windows",
        "bsd",
        "macos",
        "arch32",
        "arch_arm",
        "arch_arm64",
        "arch_i386",
        "arch_power",
        "no-shared-libraries",
        "no-flat-float-array",
        "flambda",
        "afl-instrument",
        "function_sections",
        "instrumented-runtime",
        "csharp-compiler",
        "windows-unicode",
        // Native code.
        "native",
        "native-dynlink",
        "asmgen",
        "ocamlopt.byte",
        "ocamlopt.opt",
        "setup-ocamlopt.byte-build-env",
        "setup-ocamlopt.opt-build-env",
        "compare-binary-files",
        "ocamlnat",
        "setup-ocamlnat-build-env",
        // The same once more, with the compiler's other build.
        "ocamlc.opt",
        "setup-ocamlc.opt-build-env",
        // Other tools.
        "ocamldoc",
        "setup_ocamldoc_build_env",
        "debugger",
        "ocamldebug",
        "ocamlobjinfo",
    ];
    if YES.contains(&action) {
        Some(true)
    } else if NO.contains(&action) {
        Some(false)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_test_executes_once() {
        for (test, kind) in [
            ("bytecode", Kind::Program),
            ("toplevel", Kind::Toplevel),
            ("expect", Kind::Expect),
        ] {
            let executions: Vec<_> = actions(test).into_iter().filter_map(execution).collect();
            assert_eq!(executions, [kind]);
        }
        assert!(
            actions("native")
                .into_iter()
                .all(|action| execution(action).is_none())
        );
        assert_eq!(condition("native"), Some(false));
        assert_eq!(condition("arch64"), Some(true));
    }
}
