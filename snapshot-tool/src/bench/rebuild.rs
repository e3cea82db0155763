//! What a build costs after an edit, with the cache of the build before it.
//!
//! Invariant: the rebuilt program ends as under `ocamlrun`, or there is no figure.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::compiler::Compiler;
use super::measure::ocamlrun;
use super::program::{Bench, Build, ratio};
use crate::pipeline::Mode;

/// What is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Program {
    /// One file of so many functions.
    File(usize),
    /// So many modules of [`PER_MODULE`] functions, a file each.
    Modules(usize),
    /// OCaml's compiler, from its library, behind a module of so many functions.
    Compiler(usize),
}

/// What is edited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edit {
    /// A constant in a function, in the middle of the program.
    Constant,
    /// A function in the middle becomes longer.
    Longer,
    /// There is one function more, before all others.
    Front,
    /// Each function of one module changes.
    Module,
    /// A library is linked that was not.
    Library,
    /// Two modules change places.
    Order,
}

/// A program, and what is edited in it.
const PLANS: [(Program, &[Edit]); 4] = [
    (
        Program::File(600),
        &[Edit::Constant, Edit::Longer, Edit::Front],
    ),
    (
        Program::File(5000),
        &[Edit::Constant, Edit::Longer, Edit::Front],
    ),
    (
        Program::Modules(100),
        &[Edit::Module, Edit::Library, Edit::Order],
    ),
    (Program::Compiler(100), &[Edit::Longer, Edit::Module]),
];

/// Functions of a module.
const PER_MODULE: usize = 20;

/// Where OCaml's compiler is as a library.
const LIBRARY: &str = "/usr/lib/ocaml/compiler-libs";

/// One build.
pub struct Rebuild {
    pub program: Program,
    /// Absent where there was nothing in the cache.
    pub edit: Option<Edit>,
    pub build: Build,
    /// CPU time over that of the cold build.
    pub of_cold: f64,
}

impl Program {
    /// What it is called in the table.
    pub fn name(self) -> String {
        match self {
            Program::File(functions) => format!("{functions} functions, one file"),
            Program::Modules(modules) => format!("{modules} modules of {PER_MODULE} functions"),
            Program::Compiler(_) => "`ocamlc`, from its library".into(),
        }
    }

    fn is_possible(self) -> bool {
        !matches!(self, Program::Compiler(_)) || Path::new(LIBRARY).exists()
    }

    /// The modules in the order of linking, the main one last: name and text. `edit` is made in
    /// them.
    fn modules(self, edit: Option<Edit>) -> Vec<(String, String)> {
        let named = |name: &str, text: String| (format!("{name}.ml"), text);
        match self {
            Program::File(functions) => {
                vec![named(
                    "main",
                    module(0, functions, edit) + &calls("", functions),
                )]
            }
            Program::Modules(modules) => {
                let edited = |at: usize| edit.filter(|_| at == modules / 2);
                let text = |at| module(at, PER_MODULE, edited(at));
                let mut all: Vec<_> = (0..modules)
                    .map(|at| named(&format!("m{at}"), text(at)))
                    .collect();
                let calls = (0..modules).map(|at| calls(&format!("M{at}."), PER_MODULE));
                let library = match edit {
                    Some(Edit::Library) => "let () = print_string (Str.quote \"a.b\")\n",
                    _ => "",
                };
                let main = calls.collect::<String>() + library;
                if edit == Some(Edit::Order) {
                    all.swap(modules / 2, modules / 2 + 1);
                }
                all.push(named("main", main));
                all
            }
            Program::Compiler(functions) => {
                let first = module(0, functions, edit) + &calls("", functions);
                let main = "let () = exit (Maindriver.main Sys.argv Format.err_formatter)\n";
                vec![named("first", first), named("main", main.into())]
            }
        }
    }

    /// Compiles it to bytecode, in a directory of its own.
    fn compile(self, directory: &Path, edit: Option<Edit>) -> Result<PathBuf> {
        fs::create_dir_all(directory).context("cannot make a scratch directory")?;
        let mut flags = vec!["-g".to_string(), "-I".into(), path(directory)?];
        if edit == Some(Edit::Library) {
            flags.push("str.cma".into());
        }
        let mut sources = Vec::new();
        for (name, text) in self.modules(edit) {
            let source = directory.join(name);
            fs::write(&source, text).context("cannot write a scratch file")?;
            sources.push(source);
        }
        let main = sources.pop().context("a program has a main module")?;
        for source in &sources {
            flags.push(path(source)?);
        }
        if let Program::Compiler(_) = self {
            let libraries = ["ocamlcommon.cma", "ocamlbytecomp.cma"];
            flags.extend(["-I".into(), LIBRARY.into()]);
            flags.extend(libraries.map(String::from));
        }
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        Compiler::Bytecode.compile(&flags, &main)
    }
}

impl Edit {
    fn name(self) -> &'static str {
        match self {
            Edit::Constant => "a constant changed",
            Edit::Longer => "a function longer",
            Edit::Front => "a function more, in front",
            Edit::Module => "a module changed",
            Edit::Library => "a library more",
            Edit::Order => "two modules change places",
        }
    }
}

/// What an edit, or none, is called in the table.
pub fn title(edit: Option<Edit>) -> &'static str {
    edit.map_or("none: an empty cache", Edit::name)
}

/// The programs with what is edited in them, the cold builds first.
pub fn rows() -> impl Iterator<Item = (Program, Option<Edit>)> {
    PLANS.into_iter().flat_map(|(program, edits)| {
        let edits = edits.iter().copied().map(Some);
        std::iter::once(None)
            .chain(edits)
            .map(move |edit| (program, edit))
    })
}

/// All builds; those of OCaml's compiler only where its library is.
pub fn measure(bench: &Bench) -> Result<Vec<Rebuild>> {
    let mut rebuilds: Vec<Rebuild> = Vec::new();
    for (program, edit) in rows().filter(|(program, _)| program.is_possible()) {
        let name = format!("{}: {}", program.name(), title(edit));
        notice!("{name} ...");
        let build = rebuild(bench, program, edit).context(name)?;
        let cold = rebuilds.iter().rev().find(|other| other.edit.is_none());
        let cold = cold
            .filter(|_| edit.is_some())
            .map_or(&build, |cold| &cold.build);
        let of_cold = ratio(build.cpu(), cold.cpu());
        rebuilds.push(Rebuild {
            program,
            edit,
            of_cold,
            build,
        });
    }
    Ok(rebuilds)
}

/// The median of some builds with the cache that the cold build left, which that makes.
fn rebuild(bench: &Bench, program: Program, edit: Option<Edit>) -> Result<Build> {
    let directory = bench.path("rebuild");
    let bytecode = program.compile(&directory, edit)?;
    let text = fs::read(&bytecode).context("cannot read a scratch file")?;
    let left = bench.path("left.sqlite");
    let cache = bench.path("rebuild.sqlite");
    let mut builds = Vec::new();
    for _ in 0..bench.runs() {
        match edit {
            None => forget(&cache),
            Some(_) => {
                fs::copy(&left, &cache).context("cannot copy the cache")?;
            }
        }
        builds.push(bench.build(&text, Mode::Residual, Some(&cache))?);
    }
    if edit.is_none() {
        fs::copy(&cache, &left).context("cannot copy the cache")?;
    }
    builds.sort_by_key(|(_, build)| build.cpu());
    let (module, build) = builds.swap_remove(builds.len() / 2);
    if bench.has_ocamlrun() {
        let expected = bench.run(1, || Ok(ocamlrun(&bytecode)))?;
        let measured = bench.run_compiled("rebuilt.cwasm", &module)?;
        ensure!(
            measured.ends_as(&expected),
            "the run ends otherwise than under ocamlrun"
        );
    }
    Ok(build)
}

fn forget(cache: &Path) {
    // It need not be there.
    let _ = fs::remove_file(cache);
}

fn path(path: &Path) -> Result<String> {
    let text = path.to_str().context("scratch files have names in UTF-8")?;
    Ok(text.into())
}

/// A module of functions of five kinds. `number` makes it unlike others.
fn module(number: usize, functions: usize, edit: Option<Edit>) -> String {
    let mut text = String::new();
    if edit == Some(Edit::Front) {
        text += "let inserted x y = if x > y then x * 3 + y else y - x\n";
    }
    for at in 0..functions {
        let is_middle = at == functions / 2 / 5 * 5;
        let constant = match edit {
            Some(Edit::Constant) if is_middle => 424_242,
            Some(Edit::Module) => at + number + 1,
            _ => at + number,
        };
        let longer = match edit {
            Some(Edit::Longer) if is_middle => " + (let more = x * x in more * 7 - more)",
            _ => "",
        };
        let name = format!("f{at}");
        let line = match at % 5 {
            0 => format!(
                "let rec {name} x sum = if x <= 0 then sum{longer} else {name} (x - 1) (sum + x * \
                 {constant})"
            ),
            1 => format!(
                "let {name} l = List.fold_left (fun sum x -> if x mod {} = 0 then sum + {constant} \
                 else sum - x) 0 (List.map (fun y -> y + {at}) l)",
                at % 7 + 2
            ),
            2 => format!(
                "let {name} s = let b = Buffer.create 16 in String.iter (fun c -> if c > 'f' then \
                 Buffer.add_char b c else Buffer.add_string b \"<{at}>\") s; Buffer.length b + \
                 {constant}"
            ),
            3 => format!(
                "let {name} a = let s = ref 0 in for i = 0 to Array.length a - 1 do s := !s + \
                 a.(i) * {constant} done; !s"
            ),
            _ => format!(
                "let {name} x = match x with 0 -> \"zero\" | n when n > {constant} -> \
                 string_of_int n | _ -> \"other{at}\""
            ),
        };
        text += &line;
        text.push('\n');
    }
    text
}

/// Calls of the functions of a module, and their sum printed.
fn calls(prefix: &str, functions: usize) -> String {
    let mut text = String::from("let sum = ref 0\n");
    for at in 0..functions {
        let call = match at % 5 {
            0 => format!("{prefix}f{at} 3 {at}"),
            1 => format!("{prefix}f{at} [1; 2; {at}]"),
            2 => format!("{prefix}f{at} \"hello\""),
            3 => format!("{prefix}f{at} [| 1; 2; {at} |]"),
            _ => format!("String.length ({prefix}f{at} {})", at % 9),
        };
        writeln!(text, "let () = sum := !sum + {call}").expect("strings take text");
    }
    text + "let () = if Array.length Sys.argv < 9 then print_int !sum\n"
}
