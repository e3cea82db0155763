//! What functions are called: in linked modules, in traps, and in the files that profilers read.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use bactrian_tests::workshop::Workshop;

const PROGRAM: &str = "let rec walk n = if n < 2 then n else walk (n - 1) + walk (n - 2)
let crash i = let a : int array = Obj.magic (-1000) in a.(i)
let () =
  let l = ref (List.map walk [ 1; 2; 3 ]) in
  for i = 1 to 3 do l := List.map (fun n -> n + walk i) !l done;
  if Array.length Sys.argv > 1 then print_int (crash (int_of_string Sys.argv.(1)))
";

/// A workshop with the program as `camel.byte`, compiled with these flags.
fn workshop(flags: &[&str]) -> Result<Workshop> {
    let workshop = Workshop::new(env!("CARGO_BIN_EXE_bactrian-under-test"))?;
    compile(&workshop, PROGRAM, flags)?;
    Ok(workshop)
}

fn compile(workshop: &Workshop, text: &str, flags: &[&str]) -> Result<()> {
    fs::write(workshop.path("camel.ml"), text)?;
    let arguments = [&["-w", "-a", "-o", "camel.byte", "camel.ml"], flags].concat();
    workshop.make("ocamlc", &arguments)
}

/// What the command says on standard error of what it does without fail.
fn said(workshop: &Workshop, arguments: &[&str]) -> Result<String> {
    let outcome = workshop.bactrian(arguments)?;
    ensure!(outcome.status == Some(0), "{outcome:?}");
    Ok(String::from_utf8(outcome.stderr)?)
}

/// Builds the program; the names in it.
fn names(workshop: &Workshop) -> Result<BTreeSet<String>> {
    said(workshop, &["build", "camel.byte", "-o", "camel.wasm"])?;
    workshop.function_names("camel.wasm")
}

#[test]
fn functions_have_the_names_of_their_definitions() -> Result<()> {
    let names = names(&workshop(&["-g"])?)?;
    for name in [
        "Camel.walk",
        "Camel.(fun)",
        "Stdlib__List.map",
        "interp::run::interp",
        "_start",
    ] {
        assert!(names.contains(name), "no {name}");
    }
    // The loop of the initialiser, by its place in the program.
    let loops = |name: &&String| name.starts_with("Camel+");
    assert_eq!(names.iter().filter(loops).count(), 1);
    Ok(())
}

#[test]
fn a_stripped_module_has_no_names_and_runs() -> Result<()> {
    let workshop = workshop(&["-g"])?;
    let arguments = ["build", "--strip", "camel.byte", "-o", "camel.wasm"];
    said(&workshop, &arguments)?;
    assert_eq!(workshop.function_names("camel.wasm")?, BTreeSet::new());
    said(&workshop, &["run", "camel.wasm"])?;
    Ok(())
}

#[test]
fn functions_without_debug_information_are_called_after_their_place() -> Result<()> {
    let names = names(&workshop(&[])?)?;
    let unknown = names.iter().filter(|name| name.starts_with("code+"));
    assert!(unknown.count() > 3);
    assert!(!names.iter().any(|name| name.starts_with("Camel")));
    Ok(())
}

/// A name is in no key and no residual function: only where the linked module has the function's
/// address follows from it.
#[test]
fn a_renamed_function_is_in_the_cache() -> Result<()> {
    let workshop = workshop(&["-g"])?;
    names(&workshop)?;
    compile(&workshop, &PROGRAM.replace("walk", "amble_along"), &["-g"])?;
    let arguments = ["build", "camel.byte", "-o", "camel.wasm", "--stats"];
    let stats = said(&workshop, &arguments)?;
    assert!(stats.contains(": 0 specialized"), "{stats}");
    assert!(names(&workshop)?.contains("Camel.amble_along"));
    Ok(())
}

#[test]
fn a_trap_names_the_program_s_functions() -> Result<()> {
    let workshop = workshop(&["-g"])?;
    for kept in [&["--no-cache"][..], &[], &[]] {
        let arguments = [&["run"], kept, &["camel.byte", "3"]].concat();
        let outcome = workshop.bactrian(&arguments)?;
        let message = String::from_utf8(outcome.stderr)?;
        assert_eq!(outcome.status, Some(134), "{message}");
        assert!(message.contains("!Camel.crash\n"), "{message}");
    }
    Ok(())
}

/// Runs the program with a flag; the number of the process that did.
fn run(workshop: &Workshop, flag: &str) -> Result<u32> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_bactrian-under-test"))
        .args(["run", flag, "camel.byte"])
        .current_dir(workshop.path(""))
        .env("XDG_CACHE_HOME", workshop.path("cache"))
        .stdout(Stdio::null())
        .spawn()?;
    ensure!(child.wait()?.success(), "{flag}");
    Ok(child.id())
}

#[test]
fn a_perf_map_names_functions_whether_or_not_the_program_is_cached() -> Result<()> {
    let workshop = workshop(&["-g"])?;
    for _ in 0..2 {
        let path = format!("/tmp/perf-{}.map", run(&workshop, "--perfmap")?);
        let map = fs::read_to_string(&path)?;
        fs::remove_file(&path)?;
        let lines = map.lines().map(|line| line.splitn(3, ' '));
        let names: BTreeSet<&str> = lines.filter_map(|mut line| line.nth(2)).collect();
        for name in ["Camel.walk", "Stdlib__List.map"] {
            assert!(names.contains(name), "{map}");
        }
    }
    Ok(())
}

#[test]
fn a_jit_dump_has_names_and_code() -> Result<()> {
    let workshop = workshop(&["-g"])?;
    let process = run(&workshop, "--jitdump")?;
    let dump = fs::read(workshop.path(&format!("jit-{process}.dump")))?;
    let word = |at: usize| u32::from_ne_bytes(dump[at..][..4].try_into().expect("4 bytes"));
    let wide = |at: usize| u64::from_ne_bytes(dump[at..][..8].try_into().expect("8 bytes"));
    assert_eq!(dump[..4], u32::from_be_bytes(*b"JiTD").to_ne_bytes());
    assert_eq!(word(20), process);
    let mut names = BTreeSet::new();
    let (mut at, mut end) = (word(8) as usize, 0);
    while at < dump.len() {
        let (size, address, len) = (word(at + 4) as usize, wide(at + 24), wide(at + 40));
        let name = dump[at + 56..at + size - len as usize].strip_suffix(&[0]);
        names.insert(String::from_utf8_lossy(name.context("a name ends")?).into_owned());
        assert!(
            address >= end && len > 0,
            "functions lie one after the other"
        );
        (at, end) = (at + size, address + len);
    }
    assert_eq!(at, dump.len());
    assert!(names.contains("Camel.walk") && names.contains("Stdlib__List.map"));
    Ok(())
}
