//! The command line with real OCaml programs: what is built runs, the sandbox is closed until it is
//! opened, errors say what, where, and end with a status of their own.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use bactrian_tests::process::{self, Outcome};
use bactrian_tests::program::Program;
use bactrian_tests::workspace;
use tempfile::TempDir;

/// The status for failures that are not the program's.
const FAILURE: Option<i32> = Some(125);

struct Place(TempDir);

impl Place {
    fn new() -> Result<Self> {
        Ok(Self(TempDir::new()?))
    }

    fn compile(&self, source: &str) -> Result<PathBuf> {
        Program::new(workspace().join(source))?.compile(self.0.path())
    }

    /// Compiles a program given as text.
    fn program(&self, text: &str) -> Result<PathBuf> {
        let directory = self.0.path().join("source");
        fs::create_dir_all(&directory)?;
        let source = directory.join("given.ml");
        fs::write(&source, text)?;
        Program::new(source)?.compile(self.0.path())
    }

    fn bactrian(&self, args: &[&str]) -> Result<Outcome> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bactrian-under-test"));
        command
            .args(args)
            .current_dir(self.0.path())
            .env("XDG_CACHE_HOME", self.0.path())
            .env("CARAVAN", "twelve camels");
        process::run(&mut command, b"")
    }

    fn fails(&self, args: &[&str], words: &[&str]) -> Result<()> {
        let outcome = self.bactrian(args)?;
        let message = String::from_utf8_lossy(&outcome.stderr).into_owned();
        assert!(outcome.stdout.is_empty(), "{outcome:?}");
        assert_ne!(outcome.status, Some(0), "{message}");
        for word in words {
            assert!(
                message.contains(word),
                "`{word}` is missing from: {message}"
            );
        }
        Ok(())
    }
}

#[test]
fn a_missing_program_is_named() -> Result<()> {
    let place = Place::new()?;
    place.fails(&["run", "nowhere.byte"], &["nowhere.byte", "cannot read"])?;
    assert_eq!(place.bactrian(&["run", "nowhere.byte"])?.status, FAILURE);
    Ok(())
}

#[test]
fn a_file_that_is_no_program_is_named() -> Result<()> {
    let place = Place::new()?;
    fs::write(place.0.path().join("notes.txt"), "no bytecode at all")?;
    place.fails(&["run", "--no-cache", "notes.txt"], &["notes.txt"])
}

#[test]
fn an_unknown_optimisation_names_the_known_ones() -> Result<()> {
    let place = Place::new()?;
    place.compile("tests/fixtures/faults.ml")?;
    place.fails(
        &["run", "-O", "magic=on", "faults.byte"],
        &["magic", "virtual-stack"],
    )
}

#[test]
fn what_is_built_runs() -> Result<()> {
    let place = Place::new()?;
    place.compile("tests/fixtures/faults.ml")?;
    let direct = place.bactrian(&["run", "faults.byte"])?;
    assert_eq!(direct.status, Some(0), "{direct:?}");
    for emit in ["wasm", "cwasm"] {
        let built = place.bactrian(&["build", "--emit", emit, "-o", "built", "faults.byte"])?;
        assert_eq!(built.status, Some(0), "{built:?}");
        let outcome = place.bactrian(&["run", "--allow-precompiled", "built"])?;
        assert_eq!(outcome, direct, "{emit}");
    }
    Ok(())
}

#[test]
fn statistics_count_requests_and_stages() -> Result<()> {
    let place = Place::new()?;
    place.compile("tests/fixtures/faults.ml")?;
    let outcome = place.bactrian(&["run", "--stats", "--no-cache", "faults.byte"])?;
    let stats = String::from_utf8(outcome.stderr)?;
    for word in [
        "requests",
        "declined",
        "at unknown positions",
        "snapshot",
        "specialize",
        "compile",
        "run",
    ] {
        assert!(stats.contains(word), "`{word}` is missing from: {stats}");
    }
    Ok(())
}

#[test]
fn the_sandbox_is_closed_by_default() -> Result<()> {
    let place = Place::new()?;
    place.program(
        "let show f = try print_endline (f ()) with Sys_error _ -> print_endline \"error\" \
         | Not_found -> print_endline \"unset\"\n\
         let () = show (fun () -> input_line (open_in \"data/note.txt\"));\n\
         show (fun () -> Sys.getenv \"CARAVAN\");\n\
         show (fun () -> let oc = open_out \"data/written.txt\" in output_string oc \"by OCaml\"; \
         close_out oc; \"written\")",
    )?;
    let data = place.0.path().join("data");
    fs::create_dir(&data)?;
    fs::write(data.join("note.txt"), "read by OCaml\n")?;
    let closed = place.bactrian(&["run", "given.byte"])?;
    assert_eq!(closed.stdout, b"error\nunset\nerror\n", "{closed:?}");
    let open = place.bactrian(&["run", "--dir", "data", "--env", "CARAVAN", "given.byte"])?;
    assert_eq!(
        open.stdout, b"read by OCaml\ntwelve camels\nwritten\n",
        "{open:?}"
    );
    assert_eq!(fs::read(data.join("written.txt"))?, b"by OCaml");
    let renamed = ["run", "--dir", "data::elsewhere", "given.byte"];
    assert_eq!(place.bactrian(&renamed)?.stdout, b"error\nunset\nerror\n");
    Ok(())
}

/// Relative to where the tool runs, wherever the program starts.
#[test]
fn a_relative_directory_is_there_wherever_a_program_starts() -> Result<()> {
    let place = Place::new()?;
    let bytecode = place.program("let () = print_endline (input_line (open_in \"note.txt\"))")?;
    let bytecode = bytecode.to_string_lossy();
    fs::create_dir(place.0.path().join("data"))?;
    fs::write(place.0.path().join("data/note.txt"), "found")?;
    let start = place.0.path().canonicalize()?.join("data");
    let start = start.to_string_lossy();
    let outcome = place.bactrian(&["run", "--dir", "data", "--cwd", &start, &bytecode])?;
    assert_eq!(outcome.stdout, b"found\n", "{outcome:?}");
    Ok(())
}

/// Even if it ends the program before that begins.
#[test]
fn a_limit_is_named() -> Result<()> {
    let place = Place::new()?;
    let bytecode = place.program("let () = print_endline \"never\"")?;
    let file = bytecode.to_string_lossy();
    for limit in ["fuel=0", "fuel=1", "fuel=50", "max-memory-size=1"] {
        let outcome = place.bactrian(&["run", "-W", limit, &file])?;
        assert_eq!(outcome.status, Some(124), "{outcome:?}");
        let said = String::from_utf8(outcome.stderr)?;
        let name = limit.split('=').next().unwrap_or_default();
        assert!(said.contains(&format!("(-W {name})")), "{said}");
    }
    Ok(())
}

#[test]
fn what_is_read_is_not_written_over() -> Result<()> {
    let place = Place::new()?;
    let bytecode = place.program("let () = print_endline \"kept\"")?;
    let file = bytecode.to_string_lossy();
    let source = "#include <caml/mlvalues.h>\nvalue camel(value n) { return n; }\n";
    for (name, contents) in [
        ("read", "no profile, but none is read"),
        ("read.c", source),
        ("module", "\0asm\x01\0\0\0"),
    ] {
        fs::write(place.0.path().join(name), contents)?;
    }
    let made = place.bactrian(&["stubs", "-o", "read.stubs", "read.c"])?;
    assert_eq!(made.status, Some(0), "{made:?}");
    for line in [
        &["build", "-o", &file, &file][..],
        &["build", "-o", "read", "--profile", "read", &file],
        &["build", "-o", "read.stubs", "--stubs", "read.stubs", &file],
        &["run", "--profile", &file, &file],
        &[
            "run",
            "--profile",
            "read.stubs",
            "--stubs",
            "read.stubs",
            &file,
        ],
        &["specialize", "-o", "module", "module"],
        &["specialize", "-o", "read", "--init", "read", "module"],
        &[
            "specialize",
            "-o",
            "read.stubs",
            "--stubs",
            "read.stubs",
            "module",
        ],
        &["stubs", "-o", "read.c", "read.c"],
        &[
            "stubs",
            "-o",
            "read.stubs",
            "--with",
            "read.stubs",
            "read.c",
        ],
        &["weval", "-o", "module", "-i", "module"],
    ] {
        let outcome = place.bactrian(line)?;
        let said = String::from_utf8_lossy(&outcome.stderr);
        assert_eq!(outcome.status, Some(125), "{line:?}: {said}");
        assert!(
            said.contains("this would be overwritten"),
            "{line:?}: {said}"
        );
    }
    assert_eq!(place.bactrian(&["run", &file])?.stdout, b"kept\n");
    Ok(())
}

#[test]
fn the_last_value_of_a_variable_counts() -> Result<()> {
    let place = Place::new()?;
    let bytecode = place.program("let () = print_endline (Sys.getenv \"CARAVAN\")")?;
    let file = bytecode.to_string_lossy();
    let given = ["--env", "CARAVAN=one camel", "--env", "CARAVAN=two camels"];
    for (options, expected) in [
        (&["--unconfined"][..], "twelve camels\n"),
        (&[&["--unconfined"], &given[..]].concat(), "two camels\n"),
        (&given, "two camels\n"),
    ] {
        let outcome = place.bactrian(&[&["run"], options, &[&file]].concat())?;
        assert_eq!(String::from_utf8(outcome.stdout)?, expected, "{options:?}");
    }
    Ok(())
}

#[test]
fn a_program_starts_in_a_directory_that_is_open() -> Result<()> {
    let place = Place::new()?;
    let bytecode = place.program("let () = print_endline (Sys.getcwd ())")?;
    let bytecode = bytecode.to_string_lossy();
    fs::create_dir_all(place.0.path().join("data/sub"))?;
    let run = |start| ["run", "--dir", "data::/work", "--cwd", start, &bytecode];
    for start in ["/", "/work", "/work/sub"] {
        let outcome = place.bactrian(&run(start))?;
        assert_eq!(String::from_utf8(outcome.stdout)?, format!("{start}\n"));
    }
    let variable = ["run", "--env", "BACTRIAN_CWD=/work", &bytecode];
    assert_eq!(place.bactrian(&variable)?.stdout, b"/\n");
    for start in ["/data", "/work/none"] {
        place.fails(&run(start), &["cannot start in", start, "`--dir`"])?;
    }
    place.fails(&run("work"), &["`--cwd` takes an absolute name", "work"])?;
    Ok(())
}

/// The only safepoints of this program after its start are the entries of `keep`, which is no leaf,
/// as it is not certain what it calls.
#[test]
fn with_forced_collections_each_entry_collects_what_is_young() -> Result<()> {
    let place = Place::new()?;
    let program = place.program(
        "let kept = ref []\n\
         let call = if Array.length Sys.argv > 9 then succ else fun x -> x\n\
         let keep = Sys.opaque_identity (fun x -> kept := call x :: !kept)\n\
         let collections () = (Gc.quick_stat ()).Gc.minor_collections\n\
         let before = collections ()\n\
         let () = keep 0; keep 1; keep 2; keep 3; keep 4; keep 5; keep 6; keep 7\n\
         let () = print_int (collections () - before)\n",
    )?;
    let program = program.to_str().expect("UTF-8");
    for mode in [&["run", "--generic"][..], &["run"]] {
        let plain = place.bactrian(&[mode, &[program]].concat())?;
        assert_eq!(plain.stdout, b"0", "{plain:?}");
        let forced = [mode, &["--env", "BACTRIAN_STRESS=1", program]].concat();
        let forced = place.bactrian(&forced)?;
        let count: u32 = String::from_utf8_lossy(&forced.stdout).parse()?;
        assert!(count >= 8, "{count} collections");
    }
    Ok(())
}

#[test]
fn the_cache_is_looked_after() -> Result<()> {
    let place = Place::new()?;
    place.compile("tests/fixtures/faults.ml")?;
    place.bactrian(&["run", "--cache", "mine", "faults.byte"])?;
    let stats = place.bactrian(&["cache", "stats", "--cache", "mine"])?;
    assert!(String::from_utf8(stats.stdout)?.contains("specializations"));
    let clear = place.bactrian(&["cache", "clear", "--cache", "mine"])?;
    assert_eq!(clear.status, Some(0), "{clear:?}");
    let verify = place.bactrian(&["cache", "verify", "--cache", "mine"])?;
    assert!(String::from_utf8(verify.stdout)?.starts_with("0 entries"));
    Ok(())
}

/// The second one takes what it has in common with the first from the cache.
#[test]
fn several_programs_are_built_into_a_directory() -> Result<()> {
    let place = Place::new()?;
    for (name, word) in [("one", "dromedary"), ("two", "llama")] {
        let text = format!(
            "let rec show n =\n\
               if n = 0 then \"\" else String.concat \"-\" [string_of_int n; show (n - 1)]\n\
             let () = print_endline (\"{word} \" ^ show 3)"
        );
        fs::rename(
            place.program(&text)?,
            place.0.path().join(format!("{name}.byte")),
        )?;
    }
    let outcome = place.bactrian(&["build", "one.byte", "two.byte", "-o", "out"])?;
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    let said = String::from_utf8(outcome.stderr)?;
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].starts_with("bactrian: one.byte: 0 of "), "{said}");
    assert!(!lines[1].starts_with("bactrian: two.byte: 0 of "), "{said}");
    for (name, expected) in [("one", "dromedary 3-2-1-\n"), ("two", "llama 3-2-1-\n")] {
        let outcome = place.bactrian(&["run", &format!("out/{name}.wasm")])?;
        assert_eq!(String::from_utf8(outcome.stdout)?, expected);
    }
    // One program as well, where the name is that of a directory.
    for output in ["out", "new/"] {
        let outcome = place.bactrian(&["build", "one.byte", "-o", output])?;
        assert_eq!(outcome.status, Some(0), "{outcome:?}");
        assert!(place.0.path().join(output).join("one.wasm").is_file());
    }
    place.fails(
        &["build", "one.byte", "two.byte", "-o", "one.byte"],
        &["one.byte", "for a file of each program"],
    )?;
    fs::create_dir(place.0.path().join("other"))?;
    fs::copy(
        place.0.path().join("one.byte"),
        place.0.path().join("other/one.byte"),
    )?;
    place.fails(
        &["build", "one.byte", "other/one.byte", "-o", "out"],
        &[
            "one.byte",
            "other/one.byte",
            "would both be built as out/one.wasm",
        ],
    )
}

#[test]
fn standard_output_takes_one_module() -> Result<()> {
    let place = Place::new()?;
    let program = place.program("print_endline \"out\"")?;
    let program = program.to_str().expect("it is UTF-8");
    let file = place.0.path().join("prog.wasm");
    let built = place.bactrian(&["build", program, "-o", file.to_str().expect("it is UTF-8")])?;
    assert_eq!(built.status, Some(0), "{built:?}");
    let out = place.bactrian(&["build", program, "-o", "-"])?;
    assert_eq!(out.status, Some(0));
    assert_eq!(out.stdout, fs::read(&file)?);
    place.fails(
        &["build", program, program, "-o", "-"],
        &["standard output takes"],
    )
}

/// With the status of other wrong usage.
#[test]
fn output_that_cannot_be_written_is_refused_before_the_work() -> Result<()> {
    let place = Place::new()?;
    place.program("print_int 1")?;
    let missing = ["build", "given.byte", "-o", "nowhere/out.wasm"];
    let refused = place.bactrian(&missing)?;
    assert_eq!(refused.status, FAILURE);
    let said = "bactrian: cannot write nowhere/out.wasm: there is no directory nowhere\n";
    assert_eq!(String::from_utf8_lossy(&refused.stderr), said);
    let counted = ["run", "--profile", "nowhere/out", "given.byte"];
    place.fails(&counted, &["there is no directory nowhere"])?;
    let built = place.bactrian(&["build", "given.byte", "-o", "/dev/stdout"])?;
    assert!(built.stdout.starts_with(b"\0asm"), "{built:?}");
    for library in ["../given", "dllgiven.so"] {
        let said = format!("`{library}` is no library's name");
        place.fails(&["stubs", "--for", library, "given.c"], &[&said])?;
    }
    place.fails(
        &["run", "/dev/null"],
        &["/dev/null: this is a pipe or a device"],
    )
}

#[test]
fn wrong_values_of_options_are_wrong_usage() -> Result<()> {
    let place = Place::new()?;
    for (args, words) in [
        (
            &["-O", "loops=on"][..],
            "there is no optimisation called `loops`",
        ),
        (
            &["-O", "inlining=maybe"],
            "`maybe` is neither `on` nor `off`",
        ),
        (&["-O", "inlining"], "expected NAME=on or NAME=off"),
        (
            &["--budget", "money=1"],
            "there is no budget called `money`",
        ),
        (
            &["--budget", "nodes=many"],
            "`many` is no number from 0 to 4294967295",
        ),
        (&["--budget", "nodes=4294967296"], "is no number from 0"),
        (&["--generic", "--text", "there"], "--generic"),
    ] {
        let all = [&["specialize", "none.wasm", "-o", "out.wasm"], args].concat();
        let outcome = place.bactrian(&all)?;
        let said = String::from_utf8_lossy(&outcome.stderr);
        assert_eq!(outcome.status, Some(2), "{args:?}: {said}");
        assert!(said.contains(words), "{args:?}: {said}");
    }
    Ok(())
}

/// What is said is lost then, but not how it ends.
#[test]
fn statuses_do_not_depend_on_who_reads() -> Result<()> {
    let place = Place::new()?;
    let bytecode = place.program("print_endline \"camel\"")?;
    let bytecode = bytecode.display();
    let command = env!("CARGO_BIN_EXE_bactrian-under-test");
    for (rest, status) in [
        ("run absent 2> /dev/full".to_owned(), FAILURE),
        (format!("run --stats {bytecode} 2> /dev/full"), Some(0)),
        (
            format!("run --no-cache -W fuel=1 {bytecode} 2> /dev/full"),
            Some(124),
        ),
        (format!("build {bytecode} -o - > /dev/full"), FAILURE),
        (format!("build {bytecode} -o - >&-"), FAILURE),
        (format!("check {bytecode} >&-"), FAILURE),
    ] {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{command} {rest}")]);
        shell.env("XDG_CACHE_HOME", place.0.path());
        let outcome = process::run(&mut shell, b"")?;
        assert_eq!(outcome.status, status, "{rest}: {outcome:?}");
    }
    Ok(())
}

/// As those of `ocamlrun` do: what follows a program is its own, whatever it looks like.
#[test]
fn options_end_where_the_program_is_named() -> Result<()> {
    let place = Place::new()?;
    place.program("print_endline (String.concat \" \" (List.tl (Array.to_list Sys.argv)))")?;
    for (rest, expected) in [
        (&["--stats", "--help", "-W"][..], "--stats --help -W\n"),
        (&["--", "--stats", "--"], "--stats --\n"),
        (&["", "--"], " --\n"),
    ] {
        for command in [&["run", "--generic"][..], &["run", "--"], &["lockstep"]] {
            let outcome = place.bactrian(&[command, &["given.byte"], rest].concat())?;
            assert_eq!(String::from_utf8(outcome.stdout)?, expected, "{command:?}");
        }
    }
    place.fails(&["run"], &["<PROGRAM> [ARGS]..."])?;
    place.fails(&["run", "--unknown", "given.byte"], &["'--unknown'"])
}
