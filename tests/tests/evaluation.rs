//! Programs that are run at build time up to their first effect: where that is, that they go on
//! there, that they start over where an assumption fails, and what it may cost.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use bactrian_tests::process::{self, Outcome};
use bactrian_tests::program::Program;
use tempfile::TempDir;

/// A program in a directory of its own.
struct Case {
    directory: TempDir,
    bytecode: PathBuf,
}

impl Case {
    fn new(source: &str) -> Result<Self> {
        let directory = TempDir::new()?;
        let path = directory.path().join("case.ml");
        fs::write(&path, source)?;
        let bytecode = Program::new(path)?.compile(directory.path())?;
        Ok(Self {
            directory,
            bytecode,
        })
    }

    fn tool(&self, options: &[&str], arguments: &[&str]) -> Result<Outcome> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bactrian-under-test"));
        let cache = self.directory.path().join("cache.sqlite");
        command.arg(options[0]).arg("--cache").arg(cache);
        command.args(&options[1..]);
        command.arg(&self.bytecode).args(arguments);
        process::run(&mut command, b"")
    }

    /// What `ocamlrun` does, with this variable.
    fn expected(&self, variable: Option<(&str, &str)>, arguments: &[&str]) -> Result<Outcome> {
        let mut command = Command::new("ocamlrun");
        command.envs(variable).arg(&self.bytecode).args(arguments);
        process::run(&mut command, b"")
    }

    /// Output and status are `ocamlrun`'s, evaluated and not, generic and residual, in lockstep and
    /// with forced collections.
    fn agrees(&self, variable: Option<(&str, &str)>, arguments: &[&str]) -> Result<()> {
        let expected = self.expected(variable, arguments)?;
        let setting = variable.map(|(name, value)| format!("{name}={value}"));
        let environment: Vec<&str> = setting
            .iter()
            .flat_map(|setting| ["--env", setting])
            .collect();
        for how in [
            &["run", "--eval", "none"][..],
            &["run", "--eval", "pure"],
            &["run", "--eval", "pure", "--generic"],
            &["run", "--eval", "pure", "--env", "BACTRIAN_STRESS=1"],
            &["lockstep", "--eval", "pure"],
            &["lockstep", "--eval", "pure", "--stress"],
        ] {
            let outcome = self.tool(&[how, &environment].concat(), arguments)?;
            assert_eq!(outcome.difference(&expected), None, "{how:?}");
        }
        Ok(())
    }

    /// What is said of the evaluation.
    fn report(&self) -> Result<String> {
        let output = self.directory.path().join("out.wasm");
        let output = output
            .to_str()
            .context("the directory's name is not UTF-8")?;
        let outcome = self.tool(&["build", "--stats", "--eval", "pure", "-o", output], &[])?;
        assert_eq!(outcome.status, Some(0), "{outcome:?}");
        let said = String::from_utf8(outcome.stderr)?;
        let line = said.lines().find(|line| line.starts_with("snapshot"));
        Ok(line.context("no stage is a snapshot")?.to_owned())
    }

    /// The module that is built.
    fn built(&self, name: &str, options: &[&str]) -> Result<Vec<u8>> {
        let output = self.directory.path().join(name);
        let path = output
            .to_str()
            .context("the directory's name is not UTF-8")?;
        let outcome = self.tool(&[&["build", "-o", path], options].concat(), &[])?;
        assert_eq!(outcome.status, Some(0), "{outcome:?}");
        Ok(fs::read(output)?)
    }
}

/// How many calls of its own code a program has behind it.
fn calls(report: &str) -> Result<u32> {
    let rest = report
        .split("evaluated past ")
        .nth(1)
        .context(report.to_owned())?;
    let number = rest.split(' ').next().context(report.to_owned())?;
    Ok(number.parse()?)
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes
        .windows(text.len())
        .any(|part| part == text.as_bytes())
}

#[test]
fn what_initialisation_made_is_in_the_module() -> Result<()> {
    let case = Case::new(
        "let words = String.concat \"-\" (List.map String.capitalize_ascii [\"one\"; \"hump\"])\n\
         let table = Hashtbl.create 7\n\
         let () = for i = 1 to 100 do Hashtbl.replace table i (i * i) done\n\
         let () = print_endline words; print_int (Hashtbl.find table 9)\n",
    )?;
    case.agrees(None, &[])?;
    assert!(contains(
        &case.built("pure", &["--eval", "pure"])?,
        "One-Hump"
    ));
    assert!(!contains(
        &case.built("none", &["--eval", "none"])?,
        "One-Hump"
    ));
    Ok(())
}

#[test]
fn an_assumption_that_fails_starts_the_program_over() -> Result<()> {
    let case = Case::new(
        "let counter = ref 0\n\
         let next () = incr counter; !counter\n\
         let name = try Sys.getenv \"CARAVAN\" with Not_found -> \"none\"\n\
         let made = List.init 1000 (fun i -> next () + i)\n\
         let table = Hashtbl.create 10\n\
         let () = List.iter (fun i -> Hashtbl.add table i (string_of_int i)) made\n\
         let () = Printf.printf \"%s %d %d %s\\n\" name (next ()) (List.length made)\n   \
           (Hashtbl.find table 7)\n",
    )?;
    assert!(calls(&case.report()?)? > 20);
    case.agrees(None, &[])?;
    case.agrees(Some(("CARAVAN", "of three")), &[])?;
    case.agrees(Some(("CARAVAN", "")), &[])?;
    case.agrees(Some(("CARAVANSERAI", "is another")), &[])?;
    // Hashtbl looks for R in it.
    case.agrees(Some(("OCAMLRUNPARAM", "s=4k,R")), &[])
}

#[test]
fn parameters_of_the_runtime_act_from_the_start() -> Result<()> {
    let case = Case::new(
        "let () = at_exit (fun () -> print_endline \"at exit\")\n\
         let rec deep n = if n = 0 then 0 else 1 + deep (n - 1)\n\
         let () = print_int (deep 1000); print_newline ()\n\
         let () = Printf.printf \"%b\\n\" (Printexc.backtrace_status ())\n\
         let () = print_int (List.length [deep 100_000]); failwith \"enough\"\n",
    )?;
    case.agrees(None, &[])?;
    case.agrees(Some(("OCAMLRUNPARAM", "b")), &[])?;
    case.agrees(Some(("OCAMLRUNPARAM", "l=50k")), &[])
}

#[test]
fn the_command_line_is_known_late() -> Result<()> {
    let case = Case::new(
        "let saved = ref (Some Sys.argv)\n\
         let pairs = [Sys.executable_name, Sys.argv; \"x\", Sys.argv]\n\
         let same = snd (List.hd pairs) == Sys.argv\n\
         let later () = Array.sub Sys.argv 1 (Array.length Sys.argv - 1)\n\
         let () = print_endline (String.concat \" \" (Array.to_list (later ())))\n\
         let () = match !saved with\n\
           | Some v ->\n\
             let is_first = fst (List.hd pairs) = v.(0) in\n\
             Printf.printf \"%b %b %b\\n\" same (v == Sys.argv) is_first\n\
           | None -> assert false\n\
         let n = Arg.Int (Printf.printf \"n=%d\\n\")\n\
         let () = Arg.parse [\"-n\", n, \"\"] print_endline \"\"\n",
    )?;
    case.agrees(None, &["-n", "12", "camel"])?;
    case.agrees(None, &[])?;
    let report = case.report()?;
    assert!(report.contains("stopped by the command line"), "{report}");
    Ok(())
}

#[test]
fn who_looks_at_the_command_line_without_reading_it_stops() -> Result<()> {
    let case = Case::new(
        "let tag = Obj.tag (Obj.repr Sys.argv)\n\
         let empty = Sys.argv = [||]\n\
         let hash = Hashtbl.hash Sys.executable_name\n\
         let () = Printf.printf \"%d %b %d\\n\" tag empty (hash * 0)\n",
    )?;
    case.agrees(None, &["a"])?;
    let report = case.report()?;
    assert!(report.contains("stopped by the command line"), "{report}");
    Ok(())
}

#[test]
fn a_command_line_that_the_program_sets_stays() -> Result<()> {
    let case = Case::new(
        "external set : string array -> unit = \"caml_sys_modify_argv\"\n\
         external get : unit -> string array = \"caml_sys_argv\"\n\
         let () = set [| \"a\"; \"b\" |]\n\
         let () = print_endline (String.concat \",\" (Array.to_list (get ())))\n",
    )?;
    case.agrees(None, &["c"])
}

/// Memory has little room then: what does not fit is made where the program runs.
#[test]
fn the_want_of_memory_ends_it() -> Result<()> {
    let case = Case::new(
        "let kept = try Bytes.create (100 lsl 20) with Out_of_memory -> Bytes.create 1\n\
         let () = print_int (Bytes.length kept)\n",
    )?;
    case.agrees(None, &[])?;
    let report = case.report()?;
    assert!(report.contains("stopped by memory"), "{report}");
    Ok(())
}

#[test]
fn an_effect_in_nested_calls_is_done_once() -> Result<()> {
    let case = Case::new(
        "let steps = ref []\n\
         let step s = steps := s :: !steps\n\
         let rec nest n k = if n = 0 then k () else (step n; nest (n - 1) k; step (-n))\n\
         let () = step 100\n\
         let () = nest 5 (fun () -> print_string \"in the midst\"; flush stdout)\n\
         let () = List.iter (Printf.printf \" %d\") !steps\n",
    )?;
    case.agrees(None, &[])
}

#[test]
fn handlers_around_the_effect_are_there() -> Result<()> {
    let case = Case::new(
        "let log = Buffer.create 16\n\
         let note s = Buffer.add_string log s\n\
         let () =\n  \
           try\n    \
             note \"a\";\n    \
             (try note \"b\"; prerr_endline \"effect\"; raise Exit\n     \
              with Not_found -> note \"c\");\n    \
             note \"d\"\n  \
           with Exit -> note \"e\"\n\
         let f = try print_newline (); raise Not_found with Not_found -> fun x -> note x\n\
         let () = f \"f\"; print_string (Buffer.contents log); ignore (List.find ((=) 1) [])\n",
    )?;
    case.agrees(None, &[])
}

#[test]
fn a_program_that_never_shows_anything_ends_alike() -> Result<()> {
    case_ends("let x = List.init 10 (fun i -> i * i)\n")?;
    case_ends("let () = exit 3\n")?;
    case_ends("exception Lost of int\nlet () = raise (Lost 7)\n")?;
    case_ends("let rec f x = 1 + f x\nlet () = ignore (f 1)\n")
}

fn case_ends(source: &str) -> Result<()> {
    Case::new(source)?.agrees(None, &[])
}

#[test]
fn a_program_that_computes_for_long_is_not_evaluated_for_long() -> Result<()> {
    for endless in [
        // A call, a loop of its own code without a poll, a primitive.
        "let rec spin n = if n > 0 then spin (n + 1)\nlet () = spin 1\n",
        "let r = ref 1\nlet () = while !r > 0 do r := !r lxor 6 done\n",
        "let rec l = 1 :: l\nlet () = print_string (if l = List.tl l then \"a\" else \"b\")\n",
    ] {
        let case = Case::new(&format!("let before = String.make 3 'x'\n{endless}"))?;
        let report = case.report()?;
        assert!(report.contains("stopped by what it costs"), "{report}");
        assert!(calls(&report)? > 5, "{report}");
    }
    Ok(())
}

#[test]
fn much_data_stays_out_of_the_module() -> Result<()> {
    let case = Case::new(
        "let some = Array.make 1000 'x'\n\
         let much = Array.init 500 (fun i -> Array.make 1000 i)\n\
         let () = print_int (Array.length much + Array.length some)\n",
    )?;
    case.agrees(None, &[])?;
    let report = case.report()?;
    assert!(
        report.contains("stopped by the size of its data"),
        "{report}"
    );
    let size = |mode| -> Result<usize> { Ok(case.built(mode, &["--eval", mode])?.len()) };
    let (none, pure) = (size("none")?, size("pure")?);
    assert!(pure < none + (64 << 10), "{none} and {pure} bytes");
    Ok(())
}

#[test]
fn small_programs_stay_small() -> Result<()> {
    let case = Case::new("let () = print_endline \"hello\"\n")?;
    let size = |mode| -> Result<usize> { Ok(case.built(mode, &["--eval", mode])?.len()) };
    let (none, pure) = (size("none")?, size("pure")?);
    assert!(pure < none + (32 << 10), "{none} and {pure} bytes");
    Ok(())
}

#[test]
fn what_the_collector_watches_for_stays_alive_as_long() -> Result<()> {
    let case = Case::new(
        "let weak : int ref Weak.t = Weak.create 2\n\
         let made = List.init 10 (fun i -> ref i)\n\
         let () = Weak.set weak 0 (Some (List.nth made 3))\n\
         let () = Weak.set weak 1 (Some (ref 5))\n\
         let () = Gc.finalise (fun _ -> print_endline \"gone\") (ref 1)\n\
         let () = Gc.full_major ()\n\
         let () = Printf.printf \"%b %b\\n\" (Weak.check weak 0) (Weak.check weak 1)\n\
         let () = Printf.printf \"%d\\n\" (List.length made)\n",
    )?;
    case.agrees(None, &[])?;
    let report = case.report()?;
    assert!(report.contains("not evaluated"), "{report}");
    Ok(())
}

/// A program that is parked before a loop goes on in the loop's residual code: without boxes.
#[test]
fn what_was_made_lives_and_dies_as_if_it_had_been_made_later() -> Result<()> {
    Case::new(
        "let suspended = Array.init 100 (fun i -> lazy (ref i))\n\
         let cells = Array.init 200 (fun i -> ref [i])\n\
         let functions = Array.init 50 (fun i -> let c = ref i in fun n -> c := !c + n; !c)\n\
         let left = ref (Array.to_list cells)\n\
         let () = print_string \"begun \"\n\
         let show n = print_int n; print_char ' '\n\
         let sum l = List.fold_left (fun s c -> List.fold_left (+) s !c) 0 l\n\
         let () =\n\
         Array.iter (fun s -> ignore (Lazy.force s)) suspended;\n\
         for round = 1 to 6 do\n\
         Array.iteri (fun i c -> if i mod 6 <> round then c := round :: !c) cells;\n\
         Array.iteri (fun i _ -> if i mod 6 = round then cells.(i) <- ref [i; i]) cells;\n\
         left := List.filteri (fun i _ -> i mod 5 <> round) !left;\n\
         if round = 3 then Array.fill functions 10 20 succ;\n\
         if round mod 2 = 0 then Gc.full_major () else Gc.major ();\n\
         show (Obj.reachable_words (Obj.repr suspended));\n\
         show (sum (Array.to_list cells)); show (sum !left);\n\
         show (Array.fold_left (fun s f -> s + f round) 0 functions)\n\
         done\n",
    )?
    .agrees(None, &[])
}

#[test]
fn loops_of_the_programs_own_code_stay_compiled() -> Result<()> {
    // Not by `Gc.minor_words`: a program that can call that makes all boxes.
    const PROGRAM: &str = "let words () = (Gc.quick_stat ()).Gc.minor_words\n\
         let () =\n  \
           let sum = ref 0.0 in\n  \
           for i = 1 to 10_000_000 do sum := !sum +. 1.0 /. float_of_int i done;\n  \
           assert (!sum > 9.0)\n\
         let () = print_int (int_of_float (words ()))\n";
    let case = Case::new(PROGRAM)?;
    let report = case.report()?;
    assert!(report.contains("stopped by what it costs"), "{report}");
    let outcome = case.tool(&["run"], &[])?;
    let words: u64 = String::from_utf8(outcome.stdout)?.parse()?;
    assert!(words < 100_000, "{words} words");
    Ok(())
}

#[test]
fn the_same_program_gives_the_same_bytes() -> Result<()> {
    let source = "let t = Hashtbl.create 9\nlet () = Hashtbl.add t 1 \"x\"; print_int 3\n";
    let (case, other) = (Case::new(source)?, Case::new(source)?);
    let built = case.built("one", &["--eval", "pure"])?;
    assert!(built == case.built("two", &["--eval", "pure"])?);
    assert!(built == other.built("three", &["--eval", "pure"])?);
    assert!(built != case.built("four", &["--eval", "none"])?);
    Ok(())
}

#[test]
fn other_modes_have_other_machine_code_in_the_cache() -> Result<()> {
    let case = Case::new("let () = print_string \"cached\"\n")?;
    let expected = case.expected(None, &[])?;
    for mode in ["none", "pure", "none", "pure"] {
        let outcome = case.tool(&["run", "--stats", "--eval", mode], &[])?;
        assert_eq!(outcome.stdout, expected.stdout, "{mode}");
    }
    Ok(())
}

/// A second run of a program finds no trace of a first.
#[test]
fn a_built_module_starts_again_and_again() -> Result<()> {
    let case = Case::new("let n = ref 0\nlet () = incr n; print_int !n; print_newline ()\n")?;
    let output = case.directory.path().join("out.wasm");
    case.built("out.wasm", &["--eval", "pure"])?;
    for _ in 0..2 {
        assert_eq!(run_module(&output)?, b"1\n");
    }
    Ok(())
}

fn run_module(module: &Path) -> Result<Vec<u8>> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bactrian-under-test"));
    command.args(["run", "--no-cache"]).arg(module);
    Ok(process::run(&mut command, b"")?.stdout)
}
