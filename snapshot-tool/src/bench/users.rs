//! What users wait for, start-up included: a compiler at work on a large module, and hello world;
//! and what it takes to build that compiler.
//!
//! Invariant: both sides have the same output and status and leave the same files, or there is no
//! figure.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::measure::{Measured, bactrian, ocamlrun};
use super::program::{Bench, Build, ratio};
use super::table;
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

/// A task before it is measured.
struct Plan {
    /// What it is called on the command line.
    argument: &'static str,
    /// In the table.
    name: &'static str,
    aim: f64,
    measure: fn(&Bench) -> Result<Sides>,
}

/// What `ocamlrun` took, and what residual code took.
type Sides = [Measured; 2];

const PLANS: [Plan; 2] = [
    Plan {
        argument: "ocamlc",
        name: "ocamlc.byte on 10,000 lines, with a warm cache",
        aim: 5.0,
        measure: compile,
    },
    Plan {
        argument: "hello",
        name: "hello world, prebuilt",
        aim: 1.0 / 3.0,
        measure: hello,
    },
];

/// Whether a task is called so.
pub fn is_task(name: &str) -> bool {
    PLANS.iter().any(|plan| plan.argument == name)
}

/// The name and the aim of each task.
pub fn labels() -> impl Iterator<Item = (&'static str, String)> {
    PLANS.iter().map(|plan| (plan.name, table::aim(plan.aim)))
}

/// Measures the tasks that are wanted, on `ocamlrun` and on ours; none where OCaml is not
/// installed.
pub fn measure(bench: &Bench, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<Task>> {
    let mut tasks = Vec::new();
    if !bench.has_ocamlrun() || !Path::new(COMPILER).exists() {
        return Ok(tasks);
    }
    for plan in PLANS {
        if is_wanted(plan.argument) {
            notice!("{} ...", plan.argument);
            tasks.push(plan.carry_out(bench)?);
        }
    }
    Ok(tasks)
}

/// Builds the compiler with an empty cache; nothing where OCaml is not installed.
pub fn build(bench: &Bench) -> Result<Option<Build>> {
    if !Path::new(COMPILER).exists() {
        return Ok(None);
    }
    notice!("{COMPILER} ...");
    let program = fs::read(COMPILER).context("cannot read OCaml's compiler")?;
    let cache = bench.path("cold.sqlite");
    let (_, build) = bench.build(&program, Mode::Residual, Some(&cache))?;
    Ok(Some(build))
}

impl Plan {
    /// Measures the task, and insists that both sides end in the same way.
    fn carry_out(self, bench: &Bench) -> Result<Task> {
        let [ocamlrun, residual] = (self.measure)(bench)?;
        ensure!(
            residual.ends_as(&ocamlrun),
            "{}: the run ends otherwise than under ocamlrun",
            self.name
        );
        Ok(Task {
            name: self.name,
            ocamlrun,
            residual,
            aim: self.aim,
        })
    }
}

/// The compiler, out of a warm cache.
fn compile(bench: &Bench) -> Result<Sides> {
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
    Ok([ocamlrun, residual])
}

/// Hello world, as machine code.
fn hello(bench: &Bench) -> Result<Sides> {
    let text = b"let () = print_endline \"Hello, world!\"\n";
    let bytecode = bench.compile_text("hello.ml", text)?;
    let module = bench.path("hello.cwasm");
    let built = bactrian()?
        .args(["build", "--no-cache", "--emit", "cwasm", "-o"])
        .args([&module, &bytecode])
        .status()
        .context("cannot start this executable")?;
    ensure!(built.success(), "hello world cannot be built");
    let ours = || {
        let mut command = bactrian()?;
        command.args(["run", "--allow-precompiled"]).arg(&module);
        Ok(command)
    };
    Ok([
        bench.run(SHORT_RUNS, || Ok(ocamlrun(&bytecode)))?,
        bench.run(SHORT_RUNS, ours)?,
    ])
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
