//! What users wait for, start-up included: a compiler at work on a large module, and hello world;
//! and what it takes to build that compiler.
//!
//! Invariant: both sides have the same output and status and leave the same files, or there is no
//! figure.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use super::measure::{Measured, bactrian, ocamlrun};
use super::program::{Bench, Build, ratio};
use crate::pipeline::Mode;

/// OCaml's own compiler, in bytecode, where Debian puts it.
const COMPILER: &str = "/usr/bin/ocamlc.byte";

/// Lines of the module that it compiles.
const LINES: usize = 10_000;

/// Runs of what takes milliseconds.
const SHORT_RUNS: usize = 25;

/// One thing that is done on both sides.
pub struct Task {
    pub name: &'static str,
    pub ocamlrun: Measured,
    pub residual: Measured,
    /// How much faster than `ocamlrun` it should be at least.
    pub aim: f64,
}

impl Task {
    pub fn over_ocamlrun(&self) -> f64 {
        ratio(self.ocamlrun.cpu, self.residual.cpu)
    }
}

/// The tasks, by what they are called on the command line.
const TASKS: [(&str, Measure); 2] = [("ocamlc", compile), ("hello", hello)];

type Measure = fn(&Bench) -> Result<Task>;

/// Whether a task is called so.
pub fn is_task(name: &str) -> bool {
    TASKS.iter().any(|(task, _)| *task == name)
}

/// Measures the tasks that are wanted, on `ocamlrun` and on ours; none where OCaml is not
/// installed.
pub fn measure(bench: &Bench, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<Task>> {
    let mut tasks = Vec::new();
    if !bench.has_ocamlrun() || !Path::new(COMPILER).exists() {
        return Ok(tasks);
    }
    for (name, measure) in TASKS {
        if is_wanted(name) {
            eprintln!("{name} ...");
            tasks.push(measure(bench)?);
        }
    }
    Ok(tasks)
}

/// Builds the compiler with an empty cache; nothing where OCaml is not installed.
pub fn build(bench: &Bench) -> Result<Option<Build>> {
    if !Path::new(COMPILER).exists() {
        return Ok(None);
    }
    eprintln!("{COMPILER} ...");
    let program = fs::read(COMPILER).context("cannot read OCaml's compiler")?;
    let cache = bench.path("cold.sqlite");
    let (_, build) = bench.build(&program, Mode::Residual, Some(&cache))?;
    Ok(Some(build))
}

/// The compiler, out of a warm cache.
fn compile(bench: &Bench) -> Result<Task> {
    let source = bench.path("large.ml");
    fs::write(&source, module(LINES)).context("cannot write a scratch file")?;
    let cache = bench.path("tools.sqlite");
    let ours = || {
        let mut command = bactrian()?;
        command.args(["run", "--dir", "/", "--cache"]).arg(&cache);
        command.args([COMPILER, "--", "-c"]).arg(&source);
        Ok(command)
    };
    let warm = ours()?.output().context("cannot start this executable")?;
    ensure!(
        warm.status.success(),
        "ocamlc does not run: {}",
        String::from_utf8_lossy(&warm.stderr)
    );
    let written =
        || fs::read(source.with_extension("cmo")).context("ocamlc has written its result");
    let residual = bench.run(bench.runs(), ours)?;
    let object = written()?;
    let ocamlrun = bench.run(bench.runs(), || {
        let mut command = ocamlrun(COMPILER);
        command.arg("-c").arg(&source);
        Ok(command)
    })?;
    ensure!(
        object == written()?,
        "ocamlc writes something else than under ocamlrun"
    );
    agreed(Task {
        name: "ocamlc.byte on 10,000 lines, with a warm cache",
        ocamlrun,
        residual,
        aim: 5.0,
    })
}

/// Hello world, as machine code.
fn hello(bench: &Bench) -> Result<Task> {
    let text = b"let () = print_endline \"Hello, world!\"\n";
    let bytecode = bench.compile_text("hello.ml", text)?;
    let module = bench.path("hello.cwasm");
    let built = bactrian()?
        .args(["build", "--no-cache", "--emit", "cwasm", "-o"])
        .args([&module, &bytecode])
        .status()
        .context("cannot start this executable")?;
    ensure!(built.success(), "hello world cannot be built");
    agreed(Task {
        name: "hello world, prebuilt",
        ocamlrun: bench.run(SHORT_RUNS, || Ok(ocamlrun(&bytecode)))?,
        residual: bench.run(SHORT_RUNS, || {
            let mut command = bactrian()?;
            command.args(["run", "--allow-precompiled"]).arg(&module);
            Ok(command)
        })?,
        aim: 1.0 / 3.0,
    })
}

fn agreed(task: Task) -> Result<Task> {
    let end = |measured: &Measured| (measured.status, measured.output.clone());
    if end(&task.ocamlrun) != end(&task.residual) {
        bail!("{}: the run ends otherwise than under ocamlrun", task.name);
    }
    Ok(task)
}

/// Some declarations in the manner of programs; `@` stands for a number.
const DECLARATIONS: &str = r#"
type shape@ =
  | Point@ of float * float
  | Group@ of { name : string; parts : shape@ list; mutable weight : float }
  | Later@ of (int -> shape@) Lazy.t

let rec weigh@ depth = function
  | Point@ (x, y) when x = y -> x *. float_of_int (depth + @)
  | Point@ (x, y) -> Float.hypot x y
  | Group@ ({ parts = []; _ } as group) -> group.weight <- 0.; 0.
  | Group@ { name = "empty" | "none"; weight; _ } -> weight
  | Group@ { parts; _ } -> List.fold_left (fun sum part -> sum +. weigh@ (depth + 1) part) 0. parts
  | Later@ (lazy next) -> weigh@ depth (next @)

module Table@ = struct
  type 'a t = { buckets : (string, 'a list) Hashtbl.t; count : int ref }

  let create () = { buckets = Hashtbl.create @; count = ref 0 }

  let add table key value =
    let others = Option.value (Hashtbl.find_opt table.buckets key) ~default:[] in
    Hashtbl.replace table.buckets key (value :: others);
    incr table.count

  let sorted table =
    Hashtbl.fold (fun key values all -> (key, List.rev values) :: all) table.buckets []
    |> List.sort (fun (a, _) (b, _) -> String.compare a b)
end

let report@ shapes =
  let table = Table@.create () in
  List.iteri
    (fun index shape ->
      try Table@.add table (Printf.sprintf "%04d" (index mod @)) (weigh@ 0 shape)
      with Division_by_zero | Not_found -> prerr_endline "no such shape")
    shapes;
  Table@.sorted table |> List.iter (fun (key, weights) ->
    Printf.printf "%s: %d of %.3f\n" key (List.length weights) (List.fold_left ( +. ) 0. weights))
"#;

/// A module of at least `lines` lines.
fn module(lines: usize) -> String {
    let copies = lines.div_ceil(DECLARATIONS.lines().count());
    (1..=copies)
        .map(|index| DECLARATIONS.replace('@', &index.to_string()))
        .collect()
}
