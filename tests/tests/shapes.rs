//! Interpreters and programs of other shapes than a stack machine with one loop: of each, all
//! positions are known, and what is left is the program.

use std::fs;

use annotations::REQUEST_TABLE_EXPORT;
use anyhow::{Context, Result, ensure};
use bactrian_tests::annotated::{Program, agree};
use bactrian_tests::workshop::Workshop;
use bactrian_tests::workspace;
use wasmtime::Engine;

/// A function of `tests/c/shapes.c`, by number: what it computes, and what its residual code has
/// and has not.
struct Shape {
    name: &'static str,
    expected: fn(i64) -> i64,
    has: &'static [&'static str],
    has_not: &'static [&'static str],
}

const SHAPES: [Shape; 5] = [
    Shape {
        name: "a register machine keeps its registers in variables",
        expected: |n| (1..=n.max(1)).fold(1, i64::wrapping_mul),
        has: &["i64.mul"],
        has_not: &["load", "store", "switch"],
    },
    Shape {
        name: "a switch of the program is a switch",
        expected: |n| match n {
            0 | 3 => 10,
            1 | 5 => 20,
            2 => 30,
            4 => 40,
            6 => 50,
            7 => 60,
            _ => 99,
        },
        has: &["switch", "return"],
        has_not: &["load", "jump"],
    },
    Shape {
        name: "a loop with two entries is one",
        expected: |n| {
            let mut rest = n;
            let mut sum = 0;
            if n & 1 == 0 {
                (sum, rest) = (1, rest - 1);
            }
            loop {
                (sum, rest) = (sum + 100, rest - 1);
                if rest <= 0 {
                    return sum;
                }
                (sum, rest) = (sum + 1, rest - 1);
            }
        },
        has: &["i64.and"],
        has_not: &["load", "switch"],
    },
    Shape {
        name: "computed gotos are known jumps",
        expected: |n| (0..n.max(1)).fold(0, |sum, _| 2_i64.wrapping_mul(sum) + 1),
        has: &["branch"],
        has_not: &["load", "switch"],
    },
    Shape {
        name: "of two dispatch loops none is left",
        expected: |n| 12 * n.max(1),
        has: &["i64.const 12"],
        has_not: &["load", "switch"],
    },
];

#[test]
fn what_is_left_of_each_shape_is_the_program() -> Result<()> {
    let workshop = Workshop::new(env!("CARGO_BIN_EXE_bactrian-under-test"))?;
    let include = workspace().join("interpreter/annotations/include");
    let include = format!("-I{}", include.display());
    let source = workspace().join("tests/c/shapes.c");
    let source = source.to_str().context("a path that is text")?;
    let flags = ["--target=wasm32-wasi", "-O2", "-Wall", "-Wextra", "-Werror"];
    let export = format!("-Wl,--export={REQUEST_TABLE_EXPORT}");
    let link = [&include, source, "-mexec-model=reactor", &export, "-o"];
    workshop.make("clang", &[&flags[..], &link, &["shapes.wasm"]].concat())?;
    fs::write(workshop.path("nothing"), "")?;
    for (output, options) in [
        ("generic.wasm", &["--generic"][..]),
        ("residual.wasm", &["--stats", "--text", "text"]),
    ] {
        let how = [
            "specialize",
            "shapes.wasm",
            "--init",
            "nothing",
            "-o",
            output,
        ];
        let outcome = workshop.bactrian(&[&how[..], options].concat())?;
        let said = String::from_utf8_lossy(&outcome.stderr).into_owned();
        ensure!(outcome.status == Some(0), "{said}");
        let is_whole = said.contains("5 specialized, 0 from the cache, 0 cold, 0 idle, 0 declined")
            && said.contains("(0 at unknown positions)");
        ensure!(output == "generic.wasm" || is_whole, "{said}");
    }
    let checked = workshop.bactrian(&["check", "shapes.wasm", "--init", "nothing"])?;
    assert_eq!(String::from_utf8(checked.stdout)?, "0 errors, 0 warnings\n");
    let engine = Engine::default();
    let read = |name: &str| Program::new(&engine, &fs::read(workshop.path(name))?);
    let (generic, residual) = (read("generic.wasm")?, read("residual.wasm")?);
    for (number, shape) in (0..).zip(SHAPES) {
        let Shape {
            name,
            expected,
            has,
            has_not,
        } = shape;
        for argument in 1..=24 {
            let found = agree([&generic, &residual], 16 * argument + number, |_| ())?;
            let expected = Some(expected(argument) as u64);
            assert_eq!(found.result, expected, "{name}: {argument}");
        }
        let text = fs::read_to_string(workshop.path(&format!("text/{number}.txt")))?;
        let lacks = has.iter().filter(|part| !text.contains(**part));
        let wrong: Vec<_> = lacks
            .chain(has_not.iter().filter(|part| text.contains(**part)))
            .collect();
        assert!(wrong.is_empty(), "{name}: {wrong:?} in\n{text}");
    }
    Ok(())
}

/// Each budget is what ends a function, and the report says which.
#[test]
fn budgets_can_be_set() -> Result<()> {
    let workshop = Workshop::new(env!("CARGO_BIN_EXE_bactrian-under-test"))?;
    let guest = workspace().join("tests/guests");
    let module = fs::read_to_string(guest.join("counter.wat"))?;
    fs::write(workshop.path("counter.wat"), tables::expand(&module)?)?;
    fs::copy(guest.join("counter.toml"), workshop.path("counter.toml"))?;
    fs::write(
        workshop.path("sum.count"),
        [3, 0, 0, 2, 0, 3, 255, 2, 1, 4, 248, 5],
    )?;
    let how = [
        "--guest",
        "counter.toml",
        "--stats",
        "-o",
        "out.wasm",
        "sum.count",
    ];
    let ran = |budgets: &[&str]| -> Result<String> {
        let options: Vec<_> = budgets.iter().flat_map(|one| ["--budget", one]).collect();
        let outcome = workshop.bactrian(&[&["specialize"], &options[..], &how].concat())?;
        Ok(String::from_utf8(outcome.stderr)?)
    };
    assert!(ran(&[])?.contains("1 specialized, 0 from the cache, 0 cold, 0 idle, 0 declined"));
    for (budgets, reason) in [
        (&["nodes=3", "nodes-per-byte=0"][..], "more than 3 nodes"),
        (&["rounds=0"], "evaluating each node 0 times"),
        (&["instructions=4"], "more than 4 residual instructions"),
    ] {
        let said = ran(budgets)?;
        ensure!(
            said.contains("1 declined") && said.contains(reason),
            "{budgets:?}: {said}"
        );
    }
    assert!(ran(&["fan-out=1"])?.contains("0 declined"));
    assert!(ran(&["money=1"])?.contains("there is no budget called `money`"));
    assert!(ran(&["nodes=many"])?.contains("`many` is no number"));
    Ok(())
}
