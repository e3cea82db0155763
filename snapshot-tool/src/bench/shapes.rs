//! Programs that are large in one way, at doubling sizes: what a cold build of each takes, for the
//! claim that its cost is linear in the program, whatever its shape.
//!
//! Invariant: the program ends as under `ocamlrun`, or there is no figure.

use std::fmt::Write;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::measure::{Measured, bactrian, ocamlrun};
use super::program::Bench;

/// In which way a program is large.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// One toplevel expression that calls each of so many functions.
    Calls,
    /// A list of so many calls.
    List,
    /// So many toplevel definitions by a call.
    Definitions,
    /// A match on so many strings.
    Strings,
    /// So many statements without calls, in one toplevel expression.
    Statements,
    /// So many modules of 20 functions.
    Modules,
    /// One function that calls each of so many others.
    Function,
    /// An array of so many elements, each of which branches.
    Elements,
    /// A sum of so many terms, each of which has a handler.
    Handlers,
}

impl Shape {
    pub const ALL: [Shape; 9] = [
        Shape::Calls,
        Shape::List,
        Shape::Definitions,
        Shape::Strings,
        Shape::Statements,
        Shape::Modules,
        Shape::Function,
        Shape::Elements,
        Shape::Handlers,
    ];

    /// What it is called in the table.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Calls => "calls in sequence at toplevel",
            Shape::List => "a list of calls at toplevel",
            Shape::Definitions => "toplevel `let x = f i`",
            Shape::Strings => "a match on strings",
            Shape::Statements => "statements without calls",
            Shape::Modules => "modules of 20 functions",
            Shape::Function => "calls in sequence in a function",
            Shape::Elements => "elements that branch, in an array",
            Shape::Handlers => "terms with handlers, in a sum",
        }
    }

    /// The largest size that is measured, after a quarter and a half of it.
    pub fn largest(self) -> usize {
        match self {
            Shape::Calls | Shape::List => 50_000,
            Shape::Definitions | Shape::Function => 12_000,
            Shape::Strings | Shape::Elements => 20_000,
            Shape::Handlers => 8_000,
            Shape::Statements => 80_000,
            Shape::Modules => 800,
        }
    }

    /// A program of this shape and size. It prints one number.
    pub fn program(self, size: usize) -> String {
        let mut text = String::new();
        let written = match self {
            Shape::Calls => calls(&mut text, size, "let () =\n"),
            Shape::List => list(&mut text, size),
            Shape::Definitions => definitions(&mut text, size),
            Shape::Strings => strings(&mut text, size),
            Shape::Statements => statements(&mut text, size),
            Shape::Modules => modules(&mut text, size),
            Shape::Function => calls(&mut text, size, "let all s =\n"),
            Shape::Elements => elements(&mut text, size),
            Shape::Handlers => handlers(&mut text, size),
        };
        written.expect("a string can be written to");
        text
    }
}

/// What a cold build and a run of a program took.
pub struct Point {
    pub shape: Shape,
    pub size: usize,
    pub measured: Measured,
    /// More than an empty program's, for each unit of the size.
    pub cpu_per_unit: Duration,
    pub bytes_per_unit: u64,
}

/// The sizes at which a shape is measured.
pub fn sizes(shape: Shape) -> [usize; 3] {
    [4, 2, 1].map(|part| shape.largest() / part)
}

/// Each shape at its sizes.
pub fn measure(bench: &Bench) -> Result<Vec<Point>> {
    let nothing = cold(bench, "nothing.ml", "let () = print_int 0\n")?;
    let mut points = Vec::new();
    for shape in Shape::ALL {
        for size in sizes(shape) {
            notice!("{}, {size} ...", shape.name());
            let measured = cold(bench, "shape.ml", &shape.program(size))
                .with_context(|| format!("{}, {size}", shape.name()))?;
            points.push(Point {
                shape,
                size,
                cpu_per_unit: measured.cpu.saturating_sub(nothing.cpu) / size as u32,
                bytes_per_unit: measured.peak.saturating_sub(nothing.peak) / size as u64,
                measured,
            });
        }
    }
    Ok(points)
}

/// A first run, with an empty cache.
fn cold(bench: &Bench, name: &str, text: &str) -> Result<Measured> {
    let bytecode = bench.compile_text(name, text.as_bytes())?;
    let cache = bench.path("shapes.sqlite");
    let measured = bench.run(1, || {
        for suffix in ["", "-wal", "-shm"] {
            let mut file = cache.clone().into_os_string();
            file.push(suffix);
            // It need not be there.
            let _ = std::fs::remove_file(file);
        }
        let mut command = bactrian()?;
        command.args(["run", "--cache"]).arg(&cache).arg(&bytecode);
        Ok(command)
    })?;
    if bench.has_ocamlrun() {
        let expected = bench.run(1, || Ok(ocamlrun(&bytecode)))?;
        ensure!(
            measured.ends_as(&expected),
            "the run ends otherwise than under ocamlrun"
        );
    }
    Ok(measured)
}

/// `size` functions.
fn functions(text: &mut String, size: usize) -> std::fmt::Result {
    (0..size).try_for_each(|at| writeln!(text, "let f{at} x = x * {} + {at}", at % 97 + 1))
}

/// Functions, and after `head` (the start of a definition) a call of each.
fn calls(text: &mut String, size: usize, head: &str) -> std::fmt::Result {
    functions(text, size)?;
    write!(text, "let s = ref 0\n{head}")?;
    (0..size).try_for_each(|at| writeln!(text, "  s := !s + f{at} {};", at % 13))?;
    let end = if head.contains(" s ") {
        "  !s\nlet () = print_int (all s)\n"
    } else {
        "  print_int !s\n"
    };
    text.write_str(end)
}

fn list(text: &mut String, size: usize) -> std::fmt::Result {
    functions(text, size)?;
    text.write_str("let all = [\n")?;
    (0..size).try_for_each(|at| writeln!(text, "  f{at} {};", at % 13))?;
    text.write_str("]\nlet () = print_int (List.fold_left (+) 0 all)\n")
}

fn definitions(text: &mut String, size: usize) -> std::fmt::Result {
    text.write_str("let f x = x * 3 + 1\n")?;
    (0..size).try_for_each(|at| writeln!(text, "let x{at} = f {at}"))?;
    writeln!(text, "let () = print_int (x0 + x{})", size - 1)
}

fn strings(text: &mut String, size: usize) -> std::fmt::Result {
    let key = |at: usize| at * 7919 % 1_000_003;
    text.write_str("let f = function\n")?;
    (0..size).try_for_each(|at| writeln!(text, "  | \"key{}\" -> {at}", key(at)))?;
    write!(
        text,
        "  | _ -> -1\nlet () =\n  let s = ref 0 in\n  for i = 0 to {} do\n    \
         s := !s + f (\"key\" ^ string_of_int (i * 7919 mod 1000003))\n  done;\n  print_int !s\n",
        size - 1
    )
}

fn statements(text: &mut String, size: usize) -> std::fmt::Result {
    text.write_str("let a = Array.make 100 0\nlet () =\n")?;
    (0..size)
        .try_for_each(|at| writeln!(text, "  a.({}) <- a.({}) + {at};", at % 100, at * 7 % 100))?;
    text.write_str("  print_int (Array.fold_left (+) 0 a)\n")
}

fn elements(text: &mut String, size: usize) -> std::fmt::Result {
    text.write_str("let f x = [|\n")?;
    (0..size).try_for_each(|at| writeln!(text, "  (if x > {} then x else {at});", at % 7))?;
    text.write_str("|]\nlet () = print_int (Array.fold_left (+) 0 (f 3))\n")
}

fn handlers(text: &mut String, size: usize) -> std::fmt::Result {
    text.write_str("let g x = if x > 90 then raise Not_found else x\nlet f x =\n  0\n")?;
    (0..size).try_for_each(|at| {
        writeln!(text, "  + (try g (x + {}) with Not_found -> {at})", at % 97)
    })?;
    text.write_str("let () = print_int (f 3)\n")
}

fn modules(text: &mut String, size: usize) -> std::fmt::Result {
    for module in 0..size {
        writeln!(text, "module M{module} = struct\n  let f0 x = x + 1")?;
        for at in 1..20 {
            let (least, before) = (module + at, at - 1);
            writeln!(
                text,
                "  let f{at} x = if x > {least} then f{before} (x + {at}) + {at} else x * {at}"
            )?;
        }
        text.write_str("end\n")?;
    }
    text.write_str("let () =\n  let s = ref 0 in\n")?;
    (0..size).try_for_each(|at| writeln!(text, "  s := !s + M{at}.f19 {at};"))?;
    text.write_str("  print_int !s\n")
}
