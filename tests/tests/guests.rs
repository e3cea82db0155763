//! A guest that the tool does not know goes the whole way by its manifest; what is wrong with a
//! manifest is said with its place; and no other file of the tool speaks of a language.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use bactrian_tests::process::{self, Outcome};
use bactrian_tests::repository::{assert_none, sources};
use bactrian_tests::workspace;
use tempfile::TempDir;

/// Sums the numbers from 1 to its variable: 0; loop: variable, add, variable - 1 to variable,
/// branch to loop, return.
const SUM: &[u8] = &[3, 0, 0, 2, 0, 3, 255, 2, 1, 4, 248, 5];

/// The guest of `tests/guests`, with a program, in a directory of its own.
struct Place(TempDir);

impl Place {
    fn new() -> Result<Self> {
        let place = Self(TempDir::new()?);
        let guest = workspace().join("tests/guests");
        let module = fs::read_to_string(guest.join("counter.wat"))?;
        place.write("counter.wat", tables::expand(&module)?.as_bytes())?;
        place.write("counter.toml", &fs::read(guest.join("counter.toml"))?)?;
        place.write("sum.count", SUM)?;
        Ok(place)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, contents: &[u8]) -> Result<()> {
        Ok(fs::write(self.path(name), contents)?)
    }

    /// Changes a text of the manifest.
    fn edit(&self, from: &str, to: &str) -> Result<()> {
        let text = fs::read_to_string(self.path("counter.toml"))?;
        assert!(text.contains(from), "{text}");
        self.write("counter.toml", text.replace(from, to).as_bytes())
    }

    fn tool(&self, line: &str) -> Result<Outcome> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bactrian-under-test"));
        let mut words = line.split_whitespace();
        command.args(words.next());
        if !line.contains("--no-cache") {
            command.arg("--cache").arg(self.path("cache.sqlite"));
        }
        command.args(words).current_dir(self.0.path());
        process::run(&mut command, b"")
    }
}

fn stderr(outcome: &Outcome) -> String {
    String::from_utf8_lossy(&outcome.stderr).into_owned()
}

/// Its status is 3 + 2 + 1.
#[test]
fn a_program_runs_generic_and_specialized() -> Result<()> {
    let place = Place::new()?;
    for options in ["--generic", "--no-cache", "", "--eval pure"] {
        let ran = place.tool(&format!("run --guest counter.toml {options} sum.count a b"))?;
        assert_eq!(ran.status, Some(6), "{options}: {}", stderr(&ran));
    }
    let built = place.tool("build --guest counter.toml -o sum.wasm --stats sum.count")?;
    assert!(
        stderr(&built).contains("1 requests: 0 specialized, 1 from the cache"),
        "{built:?}"
    );
    let specialized = place.tool("specialize --guest counter.toml -o sum2.wasm sum.count")?;
    assert_eq!(specialized.status, Some(0), "{}", stderr(&specialized));
    for module in ["sum.wasm", "sum2.wasm"] {
        assert_eq!(
            place.tool(&format!("run {module} a b"))?.status,
            Some(6),
            "{module}"
        );
    }
    Ok(())
}

/// What the initialisation left there is added to the sum.
#[test]
fn a_second_memory_is_kept_and_used() -> Result<()> {
    let place = Place::new()?;
    let mut module = fs::read_to_string(place.path("counter.wat"))?;
    for (from, to) in [
        (
            "(memory (export \"memory\") 3)",
            "(memory (export \"memory\") 3) (memory $other 1)",
        ),
        (
            "(func (export \"load\")",
            "(func (export \"load\") (i64.store $other (i32.const 8) (i64.const 36))",
        ),
        (
            "(return (call $read (local.get 1)))",
            "(return (i64.add (call $read (local.get 1)) (i64.load $other (i32.const 8))))",
        ),
    ] {
        assert!(module.contains(from), "{module}");
        module = module.replacen(from, to, 1);
    }
    place.write("counter.wat", module.as_bytes())?;
    for options in ["--generic", "--no-cache"] {
        let ran = place.tool(&format!("run --guest counter.toml {options} sum.count a b"))?;
        assert_eq!(ran.status, Some(42), "{options}: {}", stderr(&ran));
    }
    Ok(())
}

/// A guest that says how it is evaluated: its program runs to its end, which it notes as parked.
/// The status is what `_initialize` and the initialisation have left in two memories.
const EVALUATED: &str = r#"(module
    (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
    (import "wasi_snapshot_preview1" "fd_read"
        (func $read (param i32 i32 i32 i32) (result i32)))
    (memory $first (export "memory") 3)
    (memory $second (export "second") 1)
    (global (export "BACTRIAN_EVALUATION") i32 (i32.const 0x200))
    (global (export "COLLECT") i32 (i32.const 0x100))
    (func (export "_initialize") (i32.store8 $first (i32.const 0x3000) (i32.const 7)))
    (func (export "load")
        (i64.store (i32.const 0xa0) (i64.const 0x4000001000))
        (drop (call $read (i32.const 0) (i32.const 0xa0) (i32.const 1) (i32.const 0xa8)))
        (i32.store8 $second (i32.const 0) (i32.const 35)))
    (func (export "bactrian-evaluate")
        (i32.store (i32.const 0x208) (i32.const 1))
        (i32.store (i32.const 0x220) (i32.const 0x1000))
        (i32.store (i32.const 0x224) (i32.const 0x10000))
        (i32.store (i32.const 0x228) (i32.const 0x20000))
        (if (i32.eq (i32.load (i32.const 0x204)) (i32.const 1))
            (then (i32.store (i32.const 0x214) (i32.const 1)) (return)))
        (unreachable))
    (func (export "_start")
        (call $exit (i32.add (i32.load8_u $second (i32.const 0))
            (i32.load8_u $first (i32.const 0x3000))))))"#;

#[test]
fn a_guest_that_evaluates_keeps_its_initialisers_and_memories() -> Result<()> {
    let place = Place::new()?;
    for memories in [2, 1] {
        let module = match memories {
            1 => EVALUATED
                .replace("(memory $second (export \"second\") 1)", "")
                .replace("$second", "$first"),
            _ => EVALUATED.into(),
        };
        place.write("counter.wat", module.as_bytes())?;
        for eval in ["pure", "none"] {
            let line =
                format!("run --generic --stats --eval {eval} --guest counter.toml sum.count");
            let ran = place.tool(&line)?;
            assert_eq!(ran.status, Some(42), "{eval}: {}", stderr(&ran));
            let evaluated = memories == 1 && eval == "pure";
            assert_eq!(
                stderr(&ran).contains("; evaluated past"),
                evaluated,
                "{ran:?}"
            );
        }
    }
    Ok(())
}

#[test]
fn the_cache_knows_programs_by_manifest_and_module() -> Result<()> {
    const KNOWN: &str = "the whole program is in the cache";
    let place = Place::new()?;
    let run = || place.tool("run --guest counter.toml --stats sum.count a b");
    assert!(!stderr(&run()?).contains(KNOWN));
    assert!(stderr(&run()?).contains(KNOWN));
    place.edit("name = \"counter\"", "name = \"another\"")?;
    assert!(
        !stderr(&run()?).contains(KNOWN),
        "the manifest is another one"
    );
    assert!(stderr(&run()?).contains(KNOWN));
    let module = fs::read_to_string(place.path("counter.wat"))?;
    let module = module.replace("(return (i64.const -1))", "(return (i64.const -2))");
    place.write("counter.wat", module.as_bytes())?;
    assert!(
        !stderr(&run()?).contains(KNOWN),
        "the module is another one"
    );
    Ok(())
}

#[test]
fn lockstep_says_that_it_compared_nothing() -> Result<()> {
    let place = Place::new()?;
    let mut module = fs::read_to_string(place.path("counter.wat"))?;
    for event in 1..=3 {
        let arguments = "(local.get 0) (local.get 1) (local.get 2)";
        module = module.replace(
            &format!("(call $event (i32.const {event}) {arguments})"),
            "",
        );
    }
    assert!(!module.contains("call $event"), "{module}");
    place.write("counter.wat", module.as_bytes())?;
    let ran = place.tool("lockstep --guest counter.toml sum.count a b")?;
    assert_eq!(ran.status, Some(6), "{}", stderr(&ran));
    let expected = "nothing was compared but how it ended";
    assert!(stderr(&ran).contains(expected), "{}", stderr(&ran));
    Ok(())
}

#[test]
fn lockstep_compares_and_collects() -> Result<()> {
    let place = Place::new()?;
    let plain = place.tool("lockstep --guest counter.toml --stats sum.count a b")?;
    assert_eq!(plain.status, Some(6), "{}", stderr(&plain));
    assert!(
        stderr(&plain).contains("3 events agree"),
        "{}",
        stderr(&plain)
    );
    let json = place.tool("lockstep --guest counter.toml --stats=json sum.count a b")?;
    assert!(stderr(&json).contains("\"events\":3,"), "{}", stderr(&json));
    let stress = place.tool("lockstep --guest counter.toml --stress sum.count a b")?;
    assert_eq!(
        stress.status,
        Some(6 + 2),
        "a collection at each branch: {}",
        stderr(&stress)
    );
    place.edit("collect-cell = \"COLLECT\"\n", "")?;
    let unable = place.tool("lockstep --guest counter.toml --stress sum.count a b")?;
    assert!(
        stderr(&unable).contains("no stress mode"),
        "{}",
        stderr(&unable)
    );
    Ok(())
}

#[test]
fn files_are_known_by_what_the_manifest_says() -> Result<()> {
    let place = Place::new()?;
    place.write("sum.other", SUM)?;
    let refused = place.tool("run --guest counter.toml sum.other")?;
    assert!(
        stderr(&refused).contains("Bactrian runs programs of a machine that counts"),
        "{}",
        stderr(&refused)
    );
    for (rule, is_program) in [
        ("begins = \"\\u0003\"", true),
        ("ends = \"\\u0005\"", true),
        ("ends = \"\\u0001\\u0004\"\nends-at = 4", true),
        ("ends = \"\\u0001\\u0004\"\nends-at = 3", false),
        ("", true),
    ] {
        place.edit("extensions = [\"count\"]", rule)?;
        let ran = place.tool("run --guest counter.toml sum.other a b")?;
        assert_eq!(
            ran.status == Some(6),
            is_program,
            "{rule}: {}",
            stderr(&ran)
        );
        fs::copy(
            workspace().join("tests/guests/counter.toml"),
            place.path("counter.toml"),
        )?;
    }
    place.write("bad.count", &[9])?;
    assert_eq!(
        place.tool("run --guest counter.toml bad.count")?.status,
        Some(2)
    );
    Ok(())
}

#[test]
fn errors_of_a_manifest_say_where() -> Result<()> {
    for (from, to, expected) in [
        (
            "raised = -1",
            "rased = -1",
            &["line 6", "unknown field `rased`"][..],
        ),
        (
            "counter.wat",
            "absent.wat",
            &["line 3: `module`", "absent.wat"],
        ),
        ("counter.wat", "sum.count", &["line 3: `module`"]),
        (
            "\"load\"",
            "\"lode\"",
            &["line 4: `initialize`", "no function of the name `lode`"],
        ),
        (
            "\"COLLECT\"",
            "\"load\"",
            &["line 5: `collect-cell`", "no global of the name `load`"],
        ),
        ("module = \"counter.wat\"", "", &["`module` is missing"]),
        ("unit = \"byte\"", "size = -1", &["line 12", "size"]),
    ] {
        let place = Place::new()?;
        place.edit(from, to)?;
        let refused = place.tool("run --guest counter.toml sum.count")?;
        assert_eq!(refused.status, Some(125));
        for text in expected.iter().chain(&["counter.toml"]) {
            assert!(
                stderr(&refused).contains(text),
                "{to}: {}",
                stderr(&refused)
            );
        }
    }
    Ok(())
}

/// Files whose matter is OCaml: its description, what is measured beside `ocamlrun`, and the help.
const MAY_NAME_IT: [&str; 4] = [
    "snapshot-tool/src/guest",
    "snapshot-tool/src/bench/",
    "snapshot-tool/src/cli.rs",
    "cache/src/bin/",
];

#[test]
fn the_tool_knows_no_language() {
    let of_the_tool = |path: &str| {
        let crates = ["snapshot-tool/src/", "cache/src/", "specializer/src/"];
        crates.iter().any(|name| path.starts_with(name))
            && !MAY_NAME_IT.iter().any(|name| path.starts_with(name))
    };
    let files: Vec<_> = sources()
        .into_iter()
        .filter(|(path, _)| of_the_tool(path))
        .collect();
    assert!(files.len() > 100, "the walk found next to nothing");
    let named = files.into_iter().flat_map(|(path, text)| {
        let lines = text.lines().enumerate();
        let named = lines.filter(|(_, line)| line.to_ascii_lowercase().contains("caml"));
        let named = named.map(|(at, line)| format!("{path}:{}: {line}", at + 1));
        named.collect::<Vec<_>>()
    });
    assert_none("places that speak of a language", named);
}
