//! The C headers say what the annotations crate says, and an interpreter in C that uses them is
//! specialized: what comes out does what the interpreter does.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::mem::{offset_of, size_of};

use annotations::{Intrinsic, Param, Region, Request, RequestTable, Type, weval};
use anyhow::{Context, Result, ensure};
use bactrian_tests::annotated::{Program, agree};
use bactrian_tests::workshop::Workshop;
use bactrian_tests::workspace;
use wasmparser::{Parser, Payload, TypeRef, ValType};
use wasmtime::{Config, Engine};

/// A header, the macro that declares its imports, their module.
const HEADERS: [(&str, &str, &str); 2] = [
    ("bactrian.h", "BACTRIAN_IMPORT", annotations::MODULE),
    ("weval.h", "BACTRIAN_WEVAL", weval::MODULE),
];

fn include() -> String {
    let include = workspace().join("interpreter/annotations/include");
    format!("-I{}", include.display())
}

fn workshop() -> Result<Workshop> {
    Workshop::new(env!("CARGO_BIN_EXE_bactrian-under-test"))
}

/// An import's parameters and results, in letters.
type Signature = (Vec<&'static str>, Vec<&'static str>);

fn expected(module: &str) -> BTreeMap<String, Signature> {
    let mut expected = BTreeMap::new();
    let letters = |ty: &Type| match ty {
        Type::I32 => "i32",
        Type::I64 => "i64",
    };
    for intrinsic in Intrinsic::ALL {
        let params = intrinsic.params().iter().map(letters).collect::<Vec<_>>();
        let results = intrinsic.result().iter().map(letters).collect::<Vec<_>>();
        for (_, name) in intrinsic.imports().filter(|import| import.0 == module) {
            expected.insert(name.into(), (params.clone(), results.clone()));
        }
    }
    expected
}

/// The functions that a header declares by `declaring`.
fn declared(header: &str, declaring: &str) -> Result<Vec<String>> {
    let path = workspace().join("interpreter/annotations/include");
    let text = fs::read_to_string(path.join(header))?;
    let start = format!("\n{declaring}(\"");
    let declarations = text.split(&start).skip(1);
    let name = |declaration: &str| {
        let (before, _) = declaration.split_once(")")?.1.split_once('(')?;
        let name = before.rsplit([' ', '*', '\n']).next()?;
        Some(name.to_owned())
    };
    let names = declarations.map(|text| name(text).context(text.to_owned()));
    names.collect()
}

fn imports(object: &[u8]) -> Result<BTreeMap<(String, String), Signature>> {
    let (mut types, mut found) = (Vec::new(), BTreeMap::new());
    let letters = |types: &[ValType]| {
        let letters = types.iter().map(|ty| match ty {
            ValType::I32 => "i32",
            ValType::I64 => "i64",
            _ => "another type",
        });
        letters.collect::<Vec<_>>()
    };
    for payload in Parser::new(0).parse_all(object) {
        match payload? {
            Payload::TypeSection(section) => {
                for ty in section.into_iter_err_on_gc_types() {
                    let ty = ty?;
                    types.push((letters(ty.params()), letters(ty.results())));
                }
            }
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    let import = import?;
                    if let TypeRef::Func(ty) = import.ty {
                        let name = (import.module.to_owned(), import.name.to_owned());
                        found.insert(name, types[ty as usize].clone());
                    }
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

/// What is written of an intrinsic, by the name of its import.
type Documents = BTreeMap<String, Vec<String>>;

/// The comment before each import that the C header declares.
fn documents_of_c() -> Result<Documents> {
    let path = workspace().join("interpreter/annotations/include/bactrian.h");
    let text = fs::read_to_string(path)?;
    let declarations = text.match_indices("\nBACTRIAN_IMPORT(\"");
    let document = |(at, start): (usize, &str)| {
        let (name, _) = text[at + start.len()..].split_once('"')?;
        let comment = text[..at].strip_suffix("*/")?;
        let comment = &comment[comment.rfind("/*")? + 2..];
        let lines = comment
            .lines()
            .map(|line| line.strip_prefix(" *").unwrap_or(line));
        Some((name.to_owned(), lines.map(String::from).collect()))
    };
    let documents = declarations.map(|found| document(found).context("a comment before it"));
    documents.collect()
}

/// The comment before each entry of the crate's table.
fn documents_of_rust() -> Result<Documents> {
    let path = workspace().join("interpreter/annotations/src/intrinsic/table.rs");
    let (mut documents, mut comment) = (Documents::new(), Vec::new());
    let text = fs::read_to_string(path)?;
    for line in text.lines().map(str::trim_start) {
        if line == "weval {" {
            break;
        }
        if let Some(text) = line.strip_prefix("///") {
            comment.push(text.to_owned());
        } else if let Some((_, rest)) = line.split_once('"') {
            let (name, _) = rest.split_once('"').context("a name")?;
            documents.insert(name.to_owned(), std::mem::take(&mut comment));
        }
    }
    Ok(documents)
}

/// What an intrinsic's document says.
#[derive(Debug)]
struct Said {
    meaning: String,
    /// `hint` or `contract`.
    kind: String,
    example: Vec<String>,
    mistake: String,
}

impl Said {
    /// Of lines in which those that `is_example` chooses are the example.
    fn new(lines: &[String], mut is_example: impl FnMut(&str) -> bool) -> Option<Self> {
        let (example, text): (Vec<_>, Vec<_>) =
            lines.iter().cloned().partition(|line| is_example(line));
        let words: Vec<_> = text
            .iter()
            .flat_map(|line| line.split_whitespace())
            .collect();
        let text = words
            .join(" ")
            .replace("bactrian_", "")
            .replace(['`', '[', ']'], "");
        let (text, mistake) = text.split_once("Mistake: ")?;
        let (meaning, kind) = text.split_once(" A ")?;
        let kind = kind.split(['.', ':']).next()?;
        let (mistake, _) = mistake.split_once(" # Safety").unwrap_or((mistake, ""));
        Some(Self {
            meaning: meaning.into(),
            kind: kind.into(),
            example,
            mistake: mistake.into(),
        })
    }
}

/// Meaning, kind, example, mistake; the crate and the header agree about kinds and mistakes.
#[test]
fn each_intrinsic_is_documented_in_both_languages() -> Result<()> {
    let (c, rust) = (documents_of_c()?, documents_of_rust()?);
    for intrinsic in Intrinsic::ALL {
        let name = intrinsic.name();
        if name.starts_with("weval.") {
            continue;
        }
        let of_c = Said::new(&c[name], |line| line.starts_with("   "));
        let of_c = of_c.with_context(|| format!("{name} in C: {:#?}", c[name]))?;
        let mut fenced = false;
        let of_rust = Said::new(&rust[name], |line| {
            let is_fence = line.trim_start().starts_with("```");
            fenced ^= is_fence;
            fenced || is_fence
        });
        let of_rust = of_rust.with_context(|| format!("{name} in Rust: {:#?}", rust[name]))?;
        for said in [&of_c, &of_rust] {
            ensure!(said.meaning.len() > 20, "{name}: {said:#?}");
            ensure!(
                ["hint", "contract"].contains(&&*said.kind),
                "{name}: {said:#?}"
            );
            let call = format!("{}(", name_of_function(name));
            let uses = said.example.iter().any(|line| line.contains(&call));
            ensure!(uses, "no example calls {call}: {said:#?}");
        }
        assert_eq!(of_c.kind, of_rust.kind, "{name}");
        assert_eq!(of_c.mistake, of_rust.mistake, "{name}");
    }
    Ok(())
}

/// What an import is called in both languages, in C after `bactrian_`.
fn name_of_function(import: &str) -> String {
    let name = import.replace('.', "_");
    match &*name {
        "value_address" => "block_address".into(),
        name => name.strip_prefix("value_").unwrap_or(name).into(),
    }
}

#[test]
fn the_headers_have_the_intrinsics_of_the_crate() -> Result<()> {
    let workshop = workshop()?;
    for (header, declaring, module) in HEADERS {
        let mut source = format!("#include \"{header}\"\nvoid *all[] = {{\n");
        for name in declared(header, declaring)? {
            writeln!(source, "(void *){name},")?;
        }
        source += "};\n";
        fs::write(workshop.path("all.c"), source)?;
        let flags = ["--target=wasm32-wasi", "-Wall", "-Werror", &include()];
        workshop.make("clang", &[&flags[..], &["-c", "all.c"]].concat())?;
        let found = imports(&fs::read(workshop.path("all.o"))?)?.into_iter();
        let found = found.filter(|((of, _), _)| of == module);
        let found: BTreeMap<_, _> = found.map(|((_, name), ty)| (name, ty)).collect();
        assert_eq!(expected(module), found, "{header}");
    }
    Ok(())
}

/// `_Static_assert`s that a structure of C has the size and fields of one of Rust.
macro_rules! layout {
    ($source:ident, $c:literal, $rust:path, $($rust_field:ident: $c_field:literal),*) => {
        for (field, offset) in [$(($c_field, offset_of!($rust, $rust_field))),*] {
            let (name, size) = ($c, size_of::<$rust>());
            writeln!($source, "_Static_assert(offsetof({name}, {field}) == {offset}, \"\");")?;
            writeln!($source, "_Static_assert(sizeof({name}) == {size}, \"\");")?;
        }
        // Each field of Rust's is named.
        #[allow(unused_variables, reason = "the pattern is the check")]
        let _ = |value: $rust| { let $rust { $($rust_field),* } = value; };
    };
}

#[test]
fn the_headers_have_the_layouts_of_the_crate() -> Result<()> {
    let mut source = String::from("#include \"bactrian.h\"\n#include \"weval.h\"\n");
    layout!(source, "struct bactrian_table", RequestTable,
        magic: "magic", version: "version", regions: "regions", region_count: "region_count",
        requests: "requests", request_count: "request_count", names: "names",
        names_len: "names_len", links: "links", link_count: "link_count", cells: "cells",
        cell_count: "cell_count");
    layout!(source, "struct bactrian_region", Region, base: "base", len: "len");
    layout!(source, "struct bactrian_request", Request,
        function: "function", slot: "slot", anchor: "anchor", code_len: "code_len",
        param_count: "param_count", flags: "flags", result: "result", reserved: "reserved",
        params: "params");
    layout!(source, "struct bactrian_param", Param,
        kind: "kind", boxed: "boxed", value: "value");
    layout!(source, "weval_req_t", weval::Request,
        next: "next", previous: "prev", user_id: "func_id", global_count: "num_globals",
        function: "func", arguments: "argbuf", arguments_len: "arglen",
        specialized: "specialized");
    layout!(source, "weval_req_arg_t", weval::Argument,
        is_known: "specialize", kind: "ty", value: "u");
    let constants = [
        ("BACTRIAN_MAGIC", u64::from(annotations::REQUEST_MAGIC)),
        ("BACTRIAN_VERSION", u64::from(annotations::REQUEST_VERSION)),
        ("BACTRIAN_MAX_NAME", annotations::MAX_NAME as u64),
        ("BACTRIAN_MAX_PARAMS", annotations::MAX_PARAMS as u64),
        ("BACTRIAN_RECURSIVE", annotations::REQUEST_RECURSIVE.into()),
        ("BACTRIAN_LOOPS", annotations::REQUEST_LOOPS.into()),
        (
            "BACTRIAN_RETURNS_EARLY",
            annotations::REQUEST_RETURNS_EARLY.into(),
        ),
        ("BACTRIAN_PASS", annotations::PARAM_PASS.into()),
        ("BACTRIAN_CONST", annotations::PARAM_CONST.into()),
        ("BACTRIAN_POINTER", annotations::PARAM_POINTER.into()),
        ("BACTRIAN_FRAME", annotations::PARAM_FRAME.into()),
        ("weval_req_arg_i32", weval::ARGUMENT_I32.into()),
        ("weval_req_arg_i64", weval::ARGUMENT_I64.into()),
        ("weval_req_arg_f32", weval::ARGUMENT_F32.into()),
        ("weval_req_arg_f64", weval::ARGUMENT_F64.into()),
        ("weval_req_arg_buffer", weval::ARGUMENT_BUFFER.into()),
    ];
    for (name, value) in constants {
        writeln!(source, "_Static_assert({name} == {value}, \"{name}\");")?;
    }
    let workshop = workshop()?;
    fs::write(workshop.path("layouts.c"), source)?;
    let flags = ["--target=wasm32-wasi", "-std=c11", "-fsyntax-only"];
    workshop.make("clang", &[&flags[..], &[&include(), "layouts.c"]].concat())
}

#[test]
fn the_headers_are_cpp_as_well() -> Result<()> {
    let workshop = workshop()?;
    fs::write(
        workshop.path("all.cpp"),
        "#define BACTRIAN_IMPLEMENTATION\n#include \"bactrian.h\"\n#include \"weval.h\"\n\
         WEVAL_DEFINE_GLOBALS()\n",
    )?;
    let flags = ["--target=wasm32-wasi", "-Wall", "-Wextra", "-Werror"];
    let language = ["-std=c++20", "-nostdinc++", "-fsyntax-only"];
    let files = [&include(), "all.cpp"];
    workshop.make("clang", &[&flags[..], &language, &files].concat())
}

/// Links are listed as they are declared, and declaring one costs the same however many there are.
const LINKS: &str = r#"
#define BACTRIAN_IMPLEMENTATION
#include "bactrian.h"
enum { COUNT = 40000 };
static uint32_t words[COUNT], cells[8];
__attribute__((export_name("run"))) int64_t run(int64_t step) {
    for (int64_t n = 1; n <= COUNT; n++) bactrian_add_link(&words[(n * step + COUNT) % COUNT]);
    bactrian_set_cells(cells, 8);
    const struct bactrian_table *table = &BACTRIAN_REQUESTS;
    const uint32_t *links = (const uint32_t *)(uintptr_t)table->links;
    for (int64_t n = 1; n <= table->link_count; n++)
        if (links[n - 1] != (uint32_t)(uintptr_t)&words[(n * step + COUNT) % COUNT]) return -1;
    if (table->cells != (uint32_t)(uintptr_t)cells) return -2;
    return table->link_count * 100 + table->cell_count;
}
"#;

#[test]
fn links_in_c_are_listed_in_linear_time() -> Result<()> {
    let workshop = workshop()?;
    fs::write(workshop.path("links.c"), LINKS)?;
    let flags = ["--target=wasm32-wasi", "-O1", "-Wall", "-Wextra", "-Werror"];
    let link = ["-mexec-model=reactor", "links.c", "-o", "links.wasm"];
    workshop.make("clang", &[&flags[..], &[&include()], &link].concat())?;
    let module = fs::read(workshop.path("links.wasm"))?;
    let engine = Engine::new(Config::new().consume_fuel(true)).expect("it is valid");
    let program = Program::new(&engine, &module)?;
    for step in [1, 7, -1] {
        let outcome = program.run_within(40_000 * 200, &[step])?;
        assert_eq!(outcome.result, Some(4_000_008), "{step}");
    }
    Ok(())
}

/// Names one behind the other, of which long ones end with a whole character.
const NAMES: &str = r#"
#define BACTRIAN_IMPLEMENTATION
#include "bactrian.h"
static void *slot;
static char name[1200];
__attribute__((export_name("run"))) int64_t run(int64_t shift) {
    memset(name, 'a', (size_t)shift);
    for (size_t n = (size_t)shift; n + 2 < sizeof name; n += 2) memcpy(name + n, "\xc3\xa4", 2);
    bactrian_add_request(&slot, &slot, name);
    bactrian_add_request(&slot, &slot, "f");
    const struct bactrian_table *table = &BACTRIAN_REQUESTS;
    const char *names = (const char *)(uintptr_t)table->names;
    size_t len = strlen(names);
    if (memcmp(names, name, len) != 0 || strcmp(names + len + 1, "f") != 0) return -1;
    return table->names_len == len + 3 ? (int64_t)len : -2;
}
"#;

#[test]
fn long_names_in_c_end_with_a_whole_character() -> Result<()> {
    let workshop = workshop()?;
    fs::write(workshop.path("names.c"), NAMES)?;
    let flags = ["--target=wasm32-wasi", "-O1", "-Wall", "-Wextra", "-Werror"];
    let link = [
        "-std=c11",
        "-mexec-model=reactor",
        "names.c",
        "-o",
        "names.wasm",
    ];
    workshop.make("clang", &[&flags[..], &[&include()], &link].concat())?;
    let module = fs::read(workshop.path("names.wasm"))?;
    for (shift, expected) in [(0, 512), (1, 511)] {
        let program = Program::new(&Engine::default(), &module)?;
        assert_eq!(program.run(&[shift])?.result, Some(expected), "{shift}");
    }
    Ok(())
}

#[test]
fn an_interpreter_in_c_is_specialized() -> Result<()> {
    let workshop = workshop()?;
    let source = workspace().join("tests/c/toy.c");
    let source = source.to_str().context("a path that is text")?;
    let flags = ["--target=wasm32-wasi", "-O2", "-Wall", "-Wextra", "-Werror"];
    let export = format!("-Wl,--export={}", annotations::REQUEST_TABLE_EXPORT);
    let link = ["-mexec-model=reactor", &export, "-o", "toy.wasm"];
    workshop.make(
        "clang",
        &[&flags[..], &[&include(), source], &link].concat(),
    )?;
    fs::write(workshop.path("nothing"), "")?;
    for (output, option) in [("generic.wasm", "--generic"), ("residual.wasm", "--stats")] {
        let how = ["specialize", "toy.wasm", "--init", "nothing", option];
        let outcome = workshop.bactrian(&[&how[..], &["-o", output]].concat())?;
        let said = String::from_utf8_lossy(&outcome.stderr).into_owned();
        ensure!(outcome.status == Some(0), "{said}");
        let all = "2 requests: 2 specialized, 0 from the cache, 0 cold, 0 idle, 0 declined";
        ensure!(option == "--generic" || said.contains(all), "{said}");
    }
    let engine = Engine::default();
    let read = |name: &str| Program::new(&engine, &fs::read(workshop.path(name))?);
    let (generic, residual) = (read("generic.wasm")?, read("residual.wasm")?);
    let fib = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144];
    for (n, expected) in (0..).zip(fib) {
        let found = agree([&generic, &residual], n, |_| ())?;
        assert_eq!(found.result, Some(expected + n as u64), "run {n}");
    }
    let names: BTreeSet<_> = workshop.function_names("residual.wasm")?;
    assert!(
        names.contains("fib") && names.contains("count"),
        "{names:?}"
    );
    Ok(())
}
