//! The Scheme in `guests/scheme`: its programs do the same generic, compiled and in lockstep, also
//! when every safepoint collects; all of them is compiled, and the cache changes nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyhow::Result;
use bactrian_tests::process::{self, Outcome};
use bactrian_tests::repository::sources;
use bactrian_tests::workspace;
use tempfile::TempDir;

/// The status of a program that ends by an error.
const ERROR: i32 = 70;

/// Programs of which lockstep would take long if every safepoint collected.
const LONG: [&str; 3] = ["collect.scm", "loops.scm", "tail.scm"];

/// Builds the guest, as `make scheme` does.
fn build_guest() -> Result<()> {
    static BUILT: OnceLock<Result<Outcome>> = OnceLock::new();
    let outcome = BUILT.get_or_init(|| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(workspace()).env_remove("RUSTFLAGS");
        cargo.args(["build", "--package", "bactrian-scheme"]);
        cargo.args(["--target", "wasm32-wasip1", "--profile", "guest"]);
        // Not the outer target directory, which Cargo may have locked.
        cargo.args(["--target-dir", "target/guests"]);
        process::run(&mut cargo, b"")
    });
    let outcome = outcome.as_ref().expect("Cargo can be started");
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    Ok(())
}

/// A directory, and a cache.
struct Place {
    directory: TempDir,
    cache: PathBuf,
}

impl Place {
    fn new() -> Result<Self> {
        build_guest()?;
        Ok(Self {
            directory: TempDir::new()?,
            // Machine code of the guest's runtime is made once.
            cache: Path::new(env!("CARGO_TARGET_TMPDIR")).join("scheme.sqlite"),
        })
    }

    fn with_cache_of_its_own() -> Result<Self> {
        let mut place = Self::new()?;
        place.cache = place.path("cache.sqlite");
        Ok(place)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn program(&self, source: &str) -> Result<PathBuf> {
        let path = self.path("program.scm");
        fs::write(&path, source)?;
        Ok(path)
    }

    /// Runs one of the tool's commands on a program.
    fn tool(&self, line: &str, program: &Path) -> Result<Outcome> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bactrian-under-test"));
        let mut words = line.split_whitespace();
        command.args(words.next());
        if !line.contains("--no-cache") {
            command.arg("--cache").arg(&self.cache);
        }
        command
            .arg("--guest")
            .arg(workspace().join("guests/scheme/scheme.toml"));
        command
            .args(words)
            .arg(program)
            .current_dir(self.directory.path());
        process::run(&mut command, b"")
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The programs, and what each writes.
fn programs() -> Result<Vec<(PathBuf, Vec<u8>)>> {
    let mut programs = Vec::new();
    for entry in fs::read_dir(workspace().join("guests/scheme/tests/programs"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "scm") {
            let expected = fs::read(path.with_extension("expected"))?;
            programs.push((path, expected));
        }
    }
    assert!(programs.len() >= 9, "{programs:?}");
    Ok(programs)
}

#[test]
fn programs_do_the_same_generic_and_compiled() -> Result<()> {
    let place = Place::with_cache_of_its_own()?;
    for (program, expected) in programs()? {
        for (line, expected_of_stats) in [
            ("run --generic", ""),
            ("run --stats", " 0 declined"),
            ("run --stats", "the whole program is in the cache"),
        ] {
            let ran = place.tool(line, &program)?;
            let said = text(&ran.stderr);
            assert_eq!(ran.status, Some(0), "{line} {program:?}: {said}");
            assert_eq!(text(&ran.stdout), text(&expected), "{line} {program:?}");
            assert!(said.contains(expected_of_stats), "{program:?}: {said}");
        }
    }
    Ok(())
}

#[test]
fn lockstep_finds_no_difference() -> Result<()> {
    let place = Place::new()?;
    for (program, expected) in programs()? {
        let is_long = LONG.iter().any(|name| program.ends_with(name));
        let stress: &[&str] = if is_long { &[""] } else { &["", "--stress"] };
        for stress in stress {
            let ran = place.tool(&format!("lockstep --stats {stress}"), &program)?;
            let said = text(&ran.stderr);
            assert_eq!(ran.status, Some(0), "{stress} {program:?}: {said}");
            assert_eq!(text(&ran.stdout), text(&expected), "{stress} {program:?}");
            assert!(said.contains("events agree"), "{said}");
        }
    }
    Ok(())
}

/// Forced collections, without lockstep: only there are floats made where somebody looks at them.
#[test]
fn collections_change_nothing() -> Result<()> {
    let place = Place::new()?;
    for (program, expected) in programs()? {
        if LONG.iter().any(|name| program.ends_with(name)) {
            continue;
        }
        let ran = place.tool("run --env SCHEME_STRESS=1", &program)?;
        assert_eq!(ran.status, Some(0), "{program:?}: {}", text(&ran.stderr));
        assert_eq!(text(&ran.stdout), text(&expected), "{program:?}");
    }
    Ok(())
}

#[test]
fn a_warm_cache_gives_what_an_empty_one_gives() -> Result<()> {
    let place = Place::with_cache_of_its_own()?;
    let program = workspace().join("guests/scheme/tests/programs/records.scm");
    let build = |name: &str, options: &str| -> Result<(Vec<u8>, String)> {
        let line = format!("build --stats {options} -o {name}");
        let built = place.tool(&line, &program)?;
        assert_eq!(built.status, Some(0), "{}", text(&built.stderr));
        Ok((fs::read(place.path(name))?, text(&built.stderr)))
    };
    let (without, _) = build("without.wasm", "--no-cache")?;
    let (cold, said) = build("cold.wasm", "")?;
    assert!(
        said.contains(" 0 from the cache, ") && said.contains(", 0 declined"),
        "{said}"
    );
    // `strip` changes what is linked, so the program is not in the cache, but its functions are.
    let (_, said) = build("stripped.wasm", "--strip")?;
    assert!(said.contains(" 0 specialized, "), "{said}");
    let (warm, said) = build("warm.wasm", "")?;
    assert!(said.contains("in the cache"), "{said}");
    assert!(without == cold && cold == warm);
    Ok(())
}

#[test]
fn errors_are_the_same() -> Result<()> {
    let place = Place::new()?;
    for (source, message) in [
        ("(display 1) (car 5)", "error: car: a pair is wanted, not 5"),
        (
            "(display 1) (vector-ref (vector 1) 1)",
            "there is no such element: 1",
        ),
        (
            "(display 1) (define (f x) (f)) (f 1)",
            "wrong number of arguments",
        ),
        (
            "(display 1) ((lambda (f) (f 1)) 'x)",
            "this is no procedure: x",
        ),
        (
            "(display 1) (define (f n) (+ 1 (f n))) (f 1)",
            "the stack has overflown",
        ),
        ("(display 1) (raise 'oops)", "uncaught: oops"),
        (
            "(dynamic-wind (lambda () (display 1)) (lambda () (exit 5)) (lambda () (car 'after)))",
            "error: car: a pair is wanted, not after",
        ),
    ] {
        let program = place.program(source)?;
        for line in ["run --generic", "run", "lockstep"] {
            let ran = place.tool(line, &program)?;
            let said = text(&ran.stderr);
            assert_eq!(ran.status, Some(ERROR), "{line} {source}: {said}");
            assert!(said.contains(message), "{line} {source}: {said}");
            assert_eq!(text(&ran.stdout), "1", "{line} {source}");
        }
    }
    let program = place.program("(display 1)\n(display")?;
    let refused = place.tool("run", &program)?;
    let said = text(&refused.stderr);
    assert_eq!(refused.status, Some(ERROR), "{said}");
    let problem = "line 2: the source ends where a parenthesis is open";
    assert!(said.contains(problem), "{said}");
    Ok(())
}

/// Lines of the guest that name something of the annotations crate.
#[test]
fn its_annotations_are_few() {
    let guest = |path: &str| path.starts_with("guests/scheme/src/");
    let files: Vec<_> = sources()
        .into_iter()
        .filter(|(path, _)| guest(path))
        .collect();
    assert!(files.len() > 30, "the walk found next to nothing");
    let counts = files.iter().map(|(_, text)| annotated_lines(text));
    let count: usize = counts.sum();
    assert!((50..=150).contains(&count), "{count} lines");
}

fn annotated_lines(text: &str) -> usize {
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let words = |line: &'_ str| -> Vec<String> {
        let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.map(str::to_owned).collect()
    };
    let code: Vec<&str> = text.lines().filter(is_code).collect();
    let mut imports = text.split("use annotations::").skip(1);
    let first = imports
        .next()
        .map_or("", |rest| rest.split(';').next().unwrap_or(""));
    let second = imports
        .next()
        .map_or("", |rest| rest.split(';').next().unwrap_or(""));
    let mut names = [words(first), words(second), words("annotations")].concat();
    names.retain(|name| !name.is_empty());
    let names_one = |line: &&&str| words(line).iter().any(|word| names.contains(word));
    code.iter().filter(names_one).count()
}
