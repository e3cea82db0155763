//! Profiles: runs count what the program's text says, and builds go by it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, Result, bail, ensure};
use bactrian_tests::process::Outcome;
use bactrian_tests::program::Program;
use bactrian_tests::workshop::Workshop;
use bactrian_tests::workspace;
use wasmparser::{Parser, Payload};

const PROGRAM: &str = "let twice n = n + n
let rarely n = n * 5
let never n = n * 3
let apply f n = f n
let rec walk n = if n < 2 then n else walk (n - 1) + walk (n - 2)
let () =
  let sum = ref 0 in
  for i = 1 to 1000 do sum := !sum + apply twice i done;
  for i = 1 to 10 do sum := !sum + apply rarely i done;
  sum := !sum + List.fold_left (+) 0 (List.map walk [ 10; 11 ]);
  if !sum < 0 then print_int (never !sum);
  print_int !sum;
  exit (Array.length Sys.argv)
";

const OUTPUT: &[u8] = b"1001419";

/// What `walk` is activated for 10 and for 11: 2 F(n + 1) - 1 times each, of Fibonacci's numbers F.
const WALKS: u64 = 177 + 287;

fn workshop() -> Result<Workshop> {
    let workshop = Workshop::new(env!("CARGO_BIN_EXE_bactrian-under-test"))?;
    fs::write(workshop.path("camel.ml"), PROGRAM)?;
    let arguments = ["-g", "-o", "camel.byte", "camel.ml"];
    workshop.make("ocamlc", &arguments)?;
    Ok(workshop)
}

/// Runs the program; the profile that the run writes.
fn profile(workshop: &Workshop) -> Result<String> {
    let outcome = workshop.bactrian(&["run", "--profile", "camel.profile", "camel.byte"])?;
    ensure!(outcome.status == Some(1), "{outcome:?}");
    ensure!(outcome.stdout == OUTPUT, "{outcome:?}");
    Ok(fs::read_to_string(workshop.path("camel.profile"))?)
}

/// Builds `camel.wasm` with these arguments; what the command says.
fn build(workshop: &Workshop, arguments: &[&str]) -> Result<String> {
    let build = ["build", "camel.byte", "-o", "camel.wasm"];
    let outcome = workshop.bactrian(&[&build, arguments].concat())?;
    ensure!(outcome.status == Some(0), "{outcome:?}");
    Ok(String::from_utf8(outcome.stderr)?)
}

fn built(workshop: &Workshop) -> Result<Vec<u8>> {
    Ok(fs::read(workshop.path("camel.wasm"))?)
}

/// The number of functions in the module, and their names.
fn functions(workshop: &Workshop) -> Result<(u32, BTreeSet<String>)> {
    let module = built(workshop)?;
    let count = Parser::new(0).parse_all(&module).find_map(|payload| {
        let Payload::FunctionSection(section) = payload.ok()? else {
            return None;
        };
        Some(section.count())
    });
    let names = workshop.function_names("camel.wasm")?;
    Ok((count.context("a module with functions")?, names))
}

/// What the command says of a file that is no profile for it.
fn refused(workshop: &Workshop, arguments: &[&str]) -> Result<String> {
    let Outcome { status, stderr, .. } = workshop.bactrian(arguments)?;
    assert_eq!(status, Some(125));
    Ok(String::from_utf8(stderr)?)
}

#[test]
fn counts_follow_the_output_where_both_go_to_standard_output() -> Result<()> {
    let workshop = workshop()?;
    let counts = profile(&workshop)?;
    let outcome = workshop.bactrian(&["run", "--profile", "-", "camel.byte"])?;
    let expected = [OUTPUT, counts.as_bytes()].concat();
    assert_eq!((outcome.status, outcome.stdout), (Some(1), expected));
    assert!(!workshop.path("-").exists());
    Ok(())
}

#[test]
fn a_run_counts_what_the_program_s_text_says() -> Result<()> {
    let workshop = workshop()?;
    let text = profile(&workshop)?;
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let mut calls = Vec::new();
    for line in text.lines().skip(1) {
        match *line.split('\t').collect::<Vec<_>>() {
            [count, _, _, name] => {
                counts.insert(name, count.parse()?);
            }
            [count, _, _, caller, _, _, _, callee] => {
                calls.push((caller, callee, count.parse::<u64>()?));
            }
            _ => bail!("{line:?}"),
        }
    }
    let expected = [
        ("Camel.apply", 1010),
        ("Camel.twice", 1000),
        ("Camel.rarely", 10),
        ("Camel.never", 0),
        ("Camel.walk", WALKS),
        ("Stdlib__List.map", 3),
        ("Stdlib.exit", 1),
    ];
    for (name, count) in expected {
        assert_eq!(counts.get(name), Some(&count), "{name}: {text}");
    }
    let expected = [
        ("Camel.apply", "Camel.twice", 1000),
        ("Camel.apply", "Camel.rarely", 10),
    ];
    for call in expected {
        assert!(calls.contains(&call), "{call:?}: {text}");
    }
    // It is given one function in the whole program, so there is nothing to find out.
    let mut callers = calls.iter().map(|(caller, ..)| caller);
    assert!(
        !callers.any(|&caller| caller == "Stdlib__List.map"),
        "{text}"
    );
    assert_eq!(profile(&workshop)?, text, "from the cache");
    Ok(())
}

#[test]
fn a_build_by_a_profile_leaves_out_what_is_cold() -> Result<()> {
    let workshop = workshop()?;
    profile(&workshop)?;
    build(&workshop, &[])?;
    let (all, names) = functions(&workshop)?;
    assert!(names.contains("Camel.never"));
    let said = build(&workshop, &["--profile", "camel.profile"])?;
    assert!(said.contains("not 0 others; 0 of its own"), "{said}");
    let (fewer, names) = functions(&workshop)?;
    assert!(fewer < all, "{fewer} of {all} functions");
    assert!(!names.contains("Camel.never") && names.contains("Camel.walk"));
    fs::copy(workshop.path("camel.byte"), workshop.path("other.byte"))?;
    let both = ["camel.byte", "other.byte", "-o", "out"];
    let both =
        workshop.bactrian(&[&["build", "--profile", "camel.profile"], &both[..]].concat())?;
    let said = String::from_utf8_lossy(&both.stderr);
    assert!(said.contains("other.byte: the profile knows"), "{said}");
    let outcome = workshop.bactrian(&["run", "camel.wasm"])?;
    assert_eq!(outcome.stdout, OUTPUT);
    assert_eq!(outcome.status, Some(1));
    Ok(())
}

/// What a profile calls cold runs all the same, as generic code.
#[test]
fn what_is_cold_by_the_profile_runs() -> Result<()> {
    let workshop = workshop()?;
    let lines = profile(&workshop)?.lines().map(cold).collect::<Vec<_>>();
    fs::write(workshop.path("camel.profile"), lines.join("\n"))?;
    build(&workshop, &["--profile", "camel.profile"])?;
    let (_, names) = functions(&workshop)?;
    assert!(!names.contains("Camel.walk"));
    let outcome = workshop.bactrian(&["run", "camel.wasm"])?;
    assert_eq!(outcome.stdout, OUTPUT);
    Ok(())
}

/// Bytes of code in the module.
fn bytes(module: &[u8]) -> Result<usize> {
    let mut bytes = 0;
    for payload in Parser::new(0).parse_all(module) {
        if let Payload::CodeSectionEntry(body) = payload? {
            bytes += body.range().len();
        }
    }
    Ok(bytes)
}

#[test]
fn a_build_by_a_profile_expects_callees_and_runs_if_others_are_called() -> Result<()> {
    let workshop = workshop()?;
    let text = profile(&workshop)?;
    let lines: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    let of = |names: &[&str]| {
        let is_of = |line: &&Vec<&str>| line.iter().skip(3).step_by(4).eq(names);
        lines
            .iter()
            .find(is_of)
            .with_context(|| format!("{names:?}: {text}"))
    };
    let call = of(&["Camel.apply", "Camel.twice"])?;
    let rarely = of(&["Camel.rarely"])?;
    let functions: Vec<_> = lines.iter().filter(|line| line.len() <= 4).collect();
    let size = |distance: &str, callee: &[&str]| {
        let call = [&call[..4], &[distance], callee].concat();
        let lines = functions.iter().map(|line| line.join("\t"));
        let lines: Vec<_> = lines.chain([call.join("\t")]).collect();
        fs::write(workshop.path("camel.profile"), lines.join("\n"))?;
        // What the analysis of the program expects is left out.
        let arguments = ["--profile", "camel.profile", "-O", "candidates=off"];
        let said = build(&workshop, &arguments)?;
        let outcome = workshop.bactrian(&["run", "camel.wasm"])?;
        assert_eq!(outcome.stdout, OUTPUT);
        Ok::<_, anyhow::Error>((said, bytes(&built(&workshop)?)?))
    };
    let (said, expected) = size(call[4], &call[5..])?;
    assert!(said.contains("expects the callees of 1 calls"), "{said}");
    let (_, nowhere) = size("4294967295", &call[5..])?;
    assert!(expected > nowhere, "{expected} and {nowhere} bytes");
    let (_, wrong) = size(call[4], &rarely[1..])?;
    assert!(wrong > nowhere, "{wrong} and {nowhere} bytes");
    let no_call = format!("{}", call[4].parse::<u32>()? + 8);
    assert_eq!(size(&no_call, &call[5..])?.1, nowhere);
    Ok(())
}

/// Compiled and interpreted functions call each other, raise through each other and return to each
/// other as ever.
#[test]
fn every_other_function_is_cold() -> Result<()> {
    for name in [
        "exceptions_flow",
        "objects",
        "overapplication",
        "backtraces",
        "sequences",
    ] {
        let workshop = Workshop::new(env!("CARGO_BIN_EXE_bactrian-under-test"))?;
        let source = workspace().join(format!("tests/programs/{name}.ml"));
        Program::new(source)?.compile(&workshop.path(""))?;
        fs::rename(
            workshop.path(&format!("{name}.byte")),
            workshop.path("camel.byte"),
        )?;
        let run = ["run", "--env", "OCAMLRUNPARAM=b"];
        let counting = ["--profile", "camel.profile", "camel.byte"];
        let expected = workshop.bactrian(&[&run[..], &counting].concat())?;
        let counted = fs::read_to_string(workshop.path("camel.profile"))?;
        let lines = counted.lines().enumerate().map(|(number, line)| {
            let is_cold = number % 2 == 1;
            if is_cold { cold(line) } else { line.to_owned() }
        });
        let lines: Vec<_> = lines.collect();
        fs::write(workshop.path("camel.profile"), lines.join("\n"))?;
        build(&workshop, &["--profile", "camel.profile"])?;
        let outcome = workshop.bactrian(&[&run[..], &["camel.wasm"]].concat())?;
        let said = |outcome: &Outcome| (outcome.status, text(&outcome.stdout));
        assert_eq!(said(&outcome), said(&expected), "{name}");
        let lockstep = ["lockstep", "--env", "OCAMLRUNPARAM=b"];
        let outcome = workshop.bactrian(&[&lockstep[..], &counting].concat())?;
        assert_eq!(said(&outcome), said(&expected), "{name}");
    }
    Ok(())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The line with the count 0; the first line has none.
fn cold(line: &str) -> String {
    match line.split_once('\t') {
        Some((_, function)) => format!("0\t{function}"),
        None => line.to_owned(),
    }
}

#[test]
fn a_profile_of_another_program_changes_nothing() -> Result<()> {
    let workshop = workshop()?;
    let other = "bactrian profile 1\n7\t80\t1\tDonkey.trot\n0\t8\t1\tDonkey.rest\n";
    fs::write(workshop.path("other.profile"), other)?;
    let said = build(&workshop, &["--profile", "other.profile"])?;
    assert!(said.contains("knows 0 functions"), "{said}");
    assert!(
        said.contains("; 2 of its own are not in the program"),
        "{said}"
    );
    let by_other = built(&workshop)?;
    build(&workshop, &[])?;
    assert!(by_other == built(&workshop)?);
    Ok(())
}

#[test]
fn a_malformed_profile_is_an_error_that_names_the_line() -> Result<()> {
    let workshop = workshop()?;
    let malformed = "bactrian profile 1\n7\t80\t1\tDonkey.trot\nmany\t80\t1\tDonkey.rest\n";
    fs::write(workshop.path("malformed.profile"), malformed)?;
    fs::write(workshop.path("binary.profile"), b"\xff\xfe")?;
    let with = |name| ["build", "--profile", name, "-o", "camel.wasm", "camel.byte"];
    let said = refused(&workshop, &with("malformed.profile"))?;
    assert!(
        said.contains("malformed.profile: line 3: the count"),
        "{said}"
    );
    let said = refused(&workshop, &with("binary.profile"))?;
    assert!(said.contains("binary.profile: "), "{said}");
    let said = refused(&workshop, &with("missing.profile"))?;
    assert!(said.contains("cannot read missing.profile"), "{said}");
    Ok(())
}

/// A program that is stopped is not waited for, and what it counts is not looked at.
#[test]
fn a_program_that_is_stopped_has_no_profile() -> Result<()> {
    let workshop = workshop()?;
    fs::write(workshop.path("long.ml"), "let () = while true do () done")?;
    workshop.make("ocamlc", &["-o", "long.byte", "long.ml"])?;
    let profile = ["run", "--no-cache", "--profile", "long.profile"];
    let stopped = [&profile[..], &["-W", "timeout=10ms", "long.byte"]].concat();
    let outcome = workshop.bactrian(&stopped)?;
    let said = String::from_utf8_lossy(&outcome.stderr).into_owned();
    assert_eq!(outcome.status, Some(124), "{said}");
    assert!(said.contains("long.profile: there is no profile"), "{said}");
    assert!(!workshop.path("long.profile").exists());
    Ok(())
}

#[test]
fn only_a_program_can_be_counted() -> Result<()> {
    let workshop = workshop()?;
    build(&workshop, &[])?;
    let said = refused(
        &workshop,
        &["run", "--profile", "camel.profile", "camel.wasm"],
    )?;
    let expected = "camel.wasm: this is compiled already; `--profile` needs";
    assert!(said.contains(expected), "{said}");
    for option in [
        &["--generic"][..],
        &["-O", "guesses=off"],
        &["--budget", "nodes=9"],
        &["--keep-unreached"],
        &["--eval", "none"],
        &["--inherit-network"],
        &["--tcp-listen", "127.0.0.1:0"],
    ] {
        let said = refused(&workshop, &[&["run"], option, &["camel.wasm"]].concat())?;
        let expected = format!("compiled already; `{}` needs", option[0]);
        assert!(said.contains(&expected), "{said}");
    }
    let said = workshop.bactrian(&[
        "run",
        "--generic",
        "--profile",
        "camel.profile",
        "camel.byte",
    ])?;
    assert_eq!(said.status, Some(2), "{said:?}");
    Ok(())
}
