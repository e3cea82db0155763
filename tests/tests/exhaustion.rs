//! A small memory is used up, or a small stack: `Out_of_memory` or `Stack_overflow` is raised, can
//! be caught, and the program goes on; nothing traps.
//!
//! `ocamlrun` is no oracle here: it has no limit of its own, and under one of the system's it ends
//! where a minor collection finds no memory.

use anyhow::Result;
use bactrian_tests::process;
use bactrian_tests::program::Program;
use bactrian_tests::tool::Tool;
use bactrian_tests::workspace;

const MEMORY: &str = "max-memory-size=60000000";

const STACK: &str = "max-wasm-stack=1000000";

/// What each round prints of the ways in which memory ran out.
const WAYS: [&str; 12] = [
    "small blocks in a global",
    "small blocks",
    "strings",
    "arrays",
    "an array",
    "float arrays",
    "bigarrays",
    "closures",
    "a list",
    "a hash table",
    "unmarshalling",
    "too large",
];

/// Runs a program of `tests/exhaustion` under a limit: exit code, standard output, standard error.
fn run(name: &str, limit: &str, mode: &[&str]) -> Result<(Option<i32>, String, String)> {
    let scratch = tempfile::tempdir()?;
    let source = workspace().join("tests/exhaustion").join(name);
    let bytecode = Program::new(source.with_extension("ml"))?.compile(scratch.path())?;
    let binary = env!("CARGO_BIN_EXE_bactrian-under-test");
    let tool = Tool::new(binary, scratch.path())?;
    let mut command = tool.command(["run", "--no-cache"]);
    command.args(mode).args(["-W", limit]).arg(&bytecode);
    let outcome = process::run(&mut command, b"")?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok((outcome.status, text(&outcome.stdout), text(&outcome.stderr)))
}

fn check(mode: &[&str]) -> Result<()> {
    let mut expected = String::new();
    for round in 1..=2 {
        expected += &format!("round {round}\n");
        for (index, way) in WAYS.iter().enumerate() {
            expected += &format!("{way}: Out_of_memory\n");
            if index == 0 {
                expected += "many: true\n";
            }
        }
        expected += "a buffer: full\n17\n";
    }
    expected += "done\n";
    let (status, output, errors) = run("exhaustion", MEMORY, mode)?;
    assert_eq!((output, errors.as_str()), (expected, ""));
    assert_eq!(status, Some(0));
    Ok(())
}

#[test]
fn a_generic_program_goes_on_without_memory() -> Result<()> {
    check(&["--generic"])
}

#[test]
fn a_residual_program_goes_on_without_memory() -> Result<()> {
    check(&[])
}

/// Lists of pages need memory themselves, in proportion to what the program has.
#[test]
fn a_large_memory_may_be_used_up() -> Result<()> {
    let (status, output, errors) = run("tables", "max-memory-size=700000000", &[])?;
    assert_eq!((&*output, &*errors), ("full\n3000000", ""));
    assert_eq!(status, Some(0));
    Ok(())
}

/// Their data does not come back to the heap, but a handler has what it needs.
#[test]
fn small_bigarrays_may_use_memory_up() -> Result<()> {
    let (status, output, errors) = run("outside", MEMORY, &[])?;
    assert_eq!(output, "begin\nfull\nafter\n");
    assert!(["one\n", "two\n"].contains(&&*errors), "{errors}");
    assert_eq!(status, Some(0));
    Ok(())
}

#[test]
fn a_nursery_for_which_there_is_no_memory_is_an_exception() -> Result<()> {
    for mode in [&["--generic"][..], &[]] {
        let (status, output, errors) = run("nursery", "max-memory-size=200000000", mode)?;
        assert_eq!((&*output, &*errors), ("full\n300000", ""), "{mode:?}");
        assert_eq!(status, Some(0));
    }
    Ok(())
}

#[test]
fn what_was_made_before_the_first_effect_keeps_nothing_alive_once_it_is_dead() -> Result<()> {
    for mode in [&["--generic"][..], &[]] {
        let (status, output, errors) = run("evaluated", MEMORY, mode)?;
        assert_eq!((&*output, &*errors), ("begun\ndone\n", ""), "{mode:?}");
        assert_eq!(status, Some(0));
    }
    Ok(())
}

#[test]
fn boxes_that_are_made_for_calls_are_collected() -> Result<()> {
    for mode in [&["--generic"][..], &[]] {
        let (status, output, errors) = run("boxes", MEMORY, mode)?;
        assert_eq!(
            (output.lines().count(), errors.as_str()),
            (7, ""),
            "{mode:?}"
        );
        assert_eq!(status, Some(0));
    }
    Ok(())
}

#[test]
fn a_program_that_does_not_catch_it_ends_as_with_any_exception() -> Result<()> {
    let (status, output, errors) = run("uncaught", MEMORY, &[])?;
    assert_eq!(output, "at exit\n");
    assert_eq!(errors, "Fatal error: exception Out_of_memory\n");
    assert_eq!(status, Some(2));
    Ok(())
}

#[test]
fn tail_calls_of_unknown_closures_take_no_stack() -> Result<()> {
    for mode in [&[][..], &["-O", "dispatch=off"]] {
        let (status, output, errors) = run("tail_calls", STACK, mode)?;
        assert_eq!((output.as_str(), errors.as_str()), ("1 2 6 4 36\n", ""));
        assert_eq!(status, Some(0));
    }
    Ok(())
}

#[test]
fn a_small_native_stack_is_a_small_stack_for_the_program() -> Result<()> {
    let kinds = [
        "sum",
        "sum of floats",
        "many",
        "handlers",
        "closures",
        "formats",
        "sorts",
        "map",
        "fold",
    ];
    let mut expected = String::new();
    for kind in kinds {
        expected += &format!("{kind}: Stack_overflow\n");
    }
    expected += "shallow: done\n";
    for mode in [&["--generic"][..], &[]] {
        let (status, output, errors) = run("deep", STACK, mode)?;
        assert_eq!(output, expected, "{mode:?}: {errors}");
        assert_eq!(errors, "Fatal error: exception Stack_overflow\n");
        assert_eq!(status, Some(2));
    }
    Ok(())
}

/// Nothing between two activations keeps a frame on the interpreter's own stack, which is small.
#[test]
fn applications_to_more_arguments_nest_as_deep_as_the_stack_allows() -> Result<()> {
    let ways = ["fixed", "chosen", "waiting"];
    let mut expected: String = ways.map(|way| format!("{way}: 75000\n")).concat();
    expected += &"without end: overflow\n".repeat(ways.len());
    for mode in [&["--generic"][..], &[]] {
        let (status, output, errors) = run("applications", MEMORY, mode)?;
        assert_eq!(
            (output.as_str(), errors.as_str()),
            (&*expected, ""),
            "{mode:?}"
        );
        assert_eq!(status, Some(0));
    }
    Ok(())
}
