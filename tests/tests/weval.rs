//! Modules that are annotated for weval: what is specialized does what the same interpreter does
//! without annotations, and the command takes weval's options.
//!
//! Each failure names its seed; `make fuzz` tries more seeds.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use bactrian_tests::annotated::random;
use bactrian_tests::annotated::{Outcome, Program, agree, error, specialize, verified};
use bactrian_tests::fuzz::cases;
use bactrian_tests::{process, scratch};
use fastrand::Rng;
use specializer::eval::Declined;
use wasmtime::{Config, Engine, OptLevel};

/// Random modules, unless `make fuzz` says otherwise.
const CASES: u64 = 100;

/// Memory that both have to leave alike: the flag's neighbours, locals, and what programs write.
fn comparable(outcome: &Outcome) -> [Vec<u8>; 3] {
    [0x105..0x108, 0x7800..0x7840, 0x8000..0x8200].map(|range| outcome.memory[range].to_vec())
}

#[test]
fn random_programs_of_a_machine_for_weval() {
    let mut config = Config::new();
    config.cranelift_opt_level(OptLevel::None);
    let engine = Engine::new(&config).expect("the configuration is valid");
    let mut declined = 0;
    for seed in cases(CASES) {
        let mut numbers = Rng::with_seed(seed);
        let text = random::weval(&mut numbers);
        let arguments = [0, 1, 6, numbers.i64(..), numbers.i64(..)];
        let checked = check(&engine, &text, &arguments);
        let is_declined = checked.unwrap_or_else(|error| panic!("seed {seed}: {error:#}\n{text}"));
        declined += u64::from(is_declined);
    }
    let all = cases(CASES).count() as u64;
    assert!(declined * 5 <= all, "{declined} of {all} declined");
}

/// Whether the request was declined.
fn check(engine: &Engine, text: &str, arguments: &[i64]) -> Result<bool> {
    let module = wat::parse_str(text)?;
    let generic = Program::new(engine, &specializer::link_generic(&module, &verified())?)?;
    let output = specialize(&module, &verified())?;
    let residual = Program::new(engine, &output.module).context("residual module")?;
    for &argument in arguments {
        let found = agree([&generic, &residual], argument, comparable)?;
        ensure!(found.memory[0x104] == 1, "the flag is not set");
        ensure!(
            found.memory[0x100..0x104] == [0; 4],
            "the request still waits"
        );
    }
    let request = &output.report.requests[0];
    match &request.outcome {
        specializer::Outcome::Specialized { .. } => Ok(false),
        specializer::Outcome::Declined(Declined::NotConstant(1) | Declined::UnknownRegister) => {
            Ok(true)
        }
        specializer::Outcome::Declined(other) => anyhow::bail!("declined: {other}"),
    }
}

/// A module that initialises itself, as a file.
fn module(directory: &Path) -> Result<PathBuf> {
    let text = random::weval(&mut Rng::with_seed(3));
    let begin = r#"(func (export "begin") (i64.store (i32.const 0x8000) (i64.const 7)))"#;
    let text = text.replace(
        r#"(func (export "run")"#,
        &format!(r#"{begin} (func (export "run")"#),
    );
    let update = "(call $weval.update.context (local.get $pc))";
    assert!(text.contains(update), "{text}");
    let text = text.replacen(
        update,
        &format!("{update} (call $weval.trace (i32.const 8))"),
        1,
    );
    let path = directory.join("in.wasm");
    fs::write(&path, wat::parse_str(text)?)?;
    Ok(path)
}

fn weval(args: &[&OsStr]) -> Result<process::Outcome> {
    weval_with(args, b"")
}

fn weval_with(args: &[&OsStr], input: &[u8]) -> Result<process::Outcome> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bactrian-under-test"));
    process::run(command.arg("weval").args(args), input)
}

/// What an initialisation makes of its input: what is said on standard output and, by `-v`, on
/// standard error, and memory.
fn initialised(name: &str, text: &str, input: &[u8]) -> Result<(String, String, Vec<u8>)> {
    let directory = scratch(env!("CARGO_TARGET_TMPDIR"), name)?;
    let (module, output) = (directory.join("in.wasm"), directory.join("out.wasm"));
    fs::write(&module, wat::parse_str(text)?)?;
    let begins = ["-v", "-w", "--init-func=begin", "--no-cache"].map(OsStr::new);
    let ends = [
        "-i".as_ref(),
        module.as_os_str(),
        "-o".as_ref(),
        output.as_ref(),
    ];
    let outcome = weval_with(&[begins, ends].concat(), input)?;
    let said = String::from_utf8(outcome.stderr)?;
    ensure!(outcome.status == Some(0), "{said}");
    let engine = Engine::default();
    let frozen = wasmtime::Module::new(&engine, fs::read(&output)?).map_err(error)?;
    let mut linker = wasmtime::Linker::<()>::new(&engine);
    linker
        .define_unknown_imports_as_traps(&frozen)
        .map_err(error)?;
    let mut store = wasmtime::Store::new(&engine, ());
    let instance = linker.instantiate(&mut store, &frozen).map_err(error)?;
    let memory = instance.get_memory(&mut store, "memory");
    let memory = memory.context("no memory")?.data(&store).to_vec();
    Ok((String::from_utf8(outcome.stdout)?, said, memory))
}

/// Whether it is interpreted or compiled.
#[test]
fn an_initialisation_has_all_variables() -> Result<()> {
    let directory = scratch(env!("CARGO_TARGET_TMPDIR"), "weval_variables")?;
    let (input, output) = (directory.join("in.wasm"), directory.join("out.wasm"));
    for unfit in [
        "",
        "(drop (i32.atomic.rmw.add (i32.const 0x100) (i32.const 7)))",
    ] {
        let text = format!(
            r#"(module
                (import "wasi_snapshot_preview1" "environ_sizes_get"
                    (func $sizes (param i32 i32) (result i32)))
                (import "wasi_snapshot_preview1" "environ_get"
                    (func $get (param i32 i32) (result i32)))
                (memory (export "memory") 64)
                (func (export "begin")
                    {unfit}
                    (drop (call $sizes (i32.const 0) (i32.const 4)))
                    (drop (call $get (i32.const 0x10000) (i32.const 0x20000))))
                (func (export "weval.pending.head") (result i32) (i32.const 0x200)))"#
        );
        fs::write(&input, wat::parse_str(text)?)?;
        let mut command = Command::new(env!("CARGO_BIN_EXE_bactrian-under-test"));
        command.args(["weval", "-w", "--init-func=begin", "--no-cache", "-i"]);
        command.arg(&input).arg("-o").arg(&output);
        command.env("CARAVAN", OsStr::from_bytes(b"camel \xff"));
        let outcome = process::run(&mut command, b"")?;
        ensure!(outcome.status == Some(0), "{outcome:?}");
        let memory = fs::read(&output)?;
        let variable = b"CARAVAN=camel \xff\0";
        let mut places = memory.windows(variable.len());
        assert!(places.any(|place| place == variable), "{unfit}");
    }
    Ok(())
}

/// Reads three bytes and two; says something if the first is an `s`; takes long; reads the rest.
const TAKES_LONG: &str = include_str!("../src/annotated/takes_long.wat");

/// What it leaves in the memory: what it has read, and what it has computed.
fn is_left(memory: &[u8], read: &str) -> bool {
    memory[0x1000..].starts_with(format!("{read}\0").as_bytes())
        && memory[0x100..0x104] == 15_000_000_u32.to_le_bytes()
}

#[test]
fn an_initialisation_that_takes_long_begins_anew_with_what_it_had_read() -> Result<()> {
    let (output, said, memory) = initialised("weval_long", TAKES_LONG, b"all that is read")?;
    assert!(said.contains("begins anew"), "{said}");
    assert_eq!(output, "");
    assert!(is_left(&memory, "all that is read"));
    Ok(())
}

#[test]
fn what_an_initialisation_says_it_says_once() -> Result<()> {
    let (output, said, memory) = initialised("weval_says", TAKES_LONG, b"something else")?;
    assert!(!said.contains("begins anew"), "{said}");
    assert_eq!(output, "once\n");
    assert!(is_left(&memory, "something else"));
    Ok(())
}

#[test]
fn an_initialisation_that_goes_deep_begins_anew() -> Result<()> {
    let text = r#"(module
        (memory (export "memory") 1)
        (func $deep (param i32) (result i32)
          (if (result i32) (local.get 0)
            (then
              (i32.add (i32.const 1) (call $deep (i32.sub (local.get 0) (i32.const 1)))))
            (else (i32.const 0))))
        (func (export "begin")
          (i32.store (i32.const 0x100) (call $deep (i32.const 1200000))))
        (func (export "weval.pending.head") (result i32) (i32.const 0x200)))"#;
    let (_, said, memory) = initialised("weval_deep", text, b"")?;
    assert!(said.contains("begins anew"), "{said}");
    assert_eq!(memory[0x100..0x104], 1_200_000_u32.to_le_bytes());
    Ok(())
}

#[test]
fn a_module_that_cannot_be_interpreted_is_compiled() -> Result<()> {
    let text = r#"(module
        (memory (export "memory") 1)
        (func (export "begin")
          (drop (i32.atomic.rmw.add (i32.const 0x100) (i32.const 7))))
        (func (export "weval.pending.head") (result i32) (i32.const 0x200)))"#;
    let (_, said, memory) = initialised("weval_unfit", text, b"")?;
    assert!(said.contains("The module is compiled first: "), "{said}");
    assert_eq!(memory[0x100], 7);
    Ok(())
}

#[test]
fn the_command_takes_the_options_of_weval() -> Result<()> {
    let directory = scratch(env!("CARGO_TARGET_TMPDIR"), "weval")?;
    let input = module(&directory)?;
    let path = |name: &str| directory.join(name).into_os_string();
    let joined = |option: &str, path: &OsStr| {
        let mut joined = OsString::from(option);
        joined.push(path);
        joined
    };
    let (first, second, cache) = (path("1.wasm"), path("2.wasm"), path("cache"));
    let other = path("other");
    // An earlier run may have left some.
    for cache in [&cache, &other] {
        let _ = fs::remove_file(cache);
    }
    let outcome = weval(&[
        "-w".as_ref(),
        "--init-func".as_ref(),
        "begin".as_ref(),
        &joined("--dir=", directory.as_ref()),
        &joined("--cache=", &cache),
        &joined("--output-ir=", &path("ir")),
        "--show-stats".as_ref(),
        "-v".as_ref(),
        &joined("-i=", input.as_ref()),
        &joined("-o=", &first),
    ])?;
    let said = String::from_utf8_lossy(&outcome.stderr);
    assert_eq!(outcome.status, Some(0), "{said}");
    assert!(
        said.contains("1 requests: 1 specialized, 0 from the cache"),
        "{said}"
    );
    assert!(
        said.contains(" (specialized) 7@0x200: trace: line 8: position "),
        "{said}"
    );
    assert!(fs::read_to_string(directory.join("ir/0.txt"))?.contains("i64.add"));

    let engine = Engine::default();
    let linked = fs::read(&first)?;
    let run = Program::new(&engine, &linked)?.run(&[5])?;
    assert_eq!(run.memory[0x104], 1, "it knows that it is specialized");
    let module = wasmtime::Module::new(&engine, &linked).expect("a valid module");
    assert!(module.exports().all(|export| export.name() != "begin"));
    assert!(module.imports().all(|import| import.module() != "weval"));

    let again = weval(&[
        "-w".as_ref(),
        "--init-func=begin".as_ref(),
        "--show-stats".as_ref(),
        &joined("--cache=", &other),
        "--cache-ro".as_ref(),
        &cache,
        "-i".as_ref(),
        input.as_ref(),
        "-o".as_ref(),
        &second,
    ])?;
    let said = String::from_utf8_lossy(&again.stderr);
    assert!(said.contains("0 specialized, 1 from the cache"), "{said}");
    assert_eq!(linked, fs::read(&second)?);
    Ok(())
}

#[test]
fn what_the_command_cannot_use_it_names() -> Result<()> {
    let directory = scratch(env!("CARGO_TARGET_TMPDIR"), "weval_refused")?;
    let input = module(&directory)?;
    let output = directory.join("out.wasm");
    let (foreign, cache) = (directory.join("foreign"), directory.join("cache"));
    fs::write(&foreign, "no cache")?;
    let begins = ["--cache".as_ref(), cache.as_os_str()];
    let ends = ["-o".as_ref(), output.as_os_str(), "-i".as_ref()];
    let outcome = weval(
        &[
            &begins[..],
            &ends,
            &[input.as_ref(), "--cache-ro".as_ref(), foreign.as_ref()],
        ]
        .concat(),
    )?;
    let said = String::from_utf8_lossy(&outcome.stderr);
    assert_eq!(outcome.status, Some(0), "{said}");
    assert!(said.contains("nothing is taken from the cache"), "{said}");

    let component = directory.join("component.wasm");
    fs::write(&component, wat::parse_str("(component)")?)?;
    let outcome = weval(&[&begins[..], &ends, &[component.as_ref()]].concat())?;
    let said = String::from_utf8_lossy(&outcome.stderr);
    assert_eq!(outcome.status, Some(125), "{said}");
    assert!(
        said.contains("component.wasm: this is a WebAssembly component"),
        "{said}"
    );

    for (contents, what) in [
        (&b"(module)"[..], "as text"),
        (b"\x01\xff", "does not know"),
    ] {
        let no_module = directory.join("no_module");
        fs::write(&no_module, contents)?;
        let outcome = weval(&[&begins[..], &ends, &[no_module.as_ref()]].concat())?;
        let said = String::from_utf8_lossy(&outcome.stderr);
        assert_eq!(outcome.status, Some(125), "{said}");
        assert!(
            said.contains("no_module: this is ") && said.contains(what),
            "{said}"
        );
        assert!(
            said.contains("takes core modules") && !said.contains("0x0"),
            "{said}"
        );
    }

    // Of use where the module is initialised.
    for option in ["--keep-init-func", "--init-func=begin", "--dir=."] {
        let option = [option.as_ref()];
        let outcome = weval(&[&begins[..], &ends, &[input.as_ref()], &option].concat())?;
        let said = String::from_utf8_lossy(&outcome.stderr);
        assert_eq!(outcome.status, Some(2), "{said}");
        assert!(said.contains("-w"), "{said}");
    }

    let without = [
        "--no-cache".as_ref(),
        "--cache-ro".as_ref(),
        cache.as_os_str(),
    ];
    let outcome = weval(&[&ends[..], &[input.as_ref()], &without].concat())?;
    let said = String::from_utf8_lossy(&outcome.stderr);
    assert_eq!(outcome.status, Some(2), "{said}");
    assert!(said.contains("--cache-ro"), "{said}");

    let text = ["--output-ir".as_ref(), foreign.as_os_str()];
    let outcome = weval(&[&begins[..], &ends, &[input.as_ref()], &text].concat())?;
    let said = String::from_utf8_lossy(&outcome.stderr);
    assert_eq!(outcome.status, Some(125), "{said}");
    assert!(
        said.contains("cannot make the directory") && said.contains("foreign"),
        "{said}"
    );
    assert!(!said.contains("in.wasm"), "{said}");

    let begin = ["-w".as_ref(), "--init-func=missing".as_ref()];
    let outcome = weval(&[&begins[..], &ends, &[input.as_ref()], &begin].concat())?;
    let said = String::from_utf8_lossy(&outcome.stderr);
    assert_eq!(outcome.status, Some(125), "{said}");
    assert!(said.contains("missing"), "{said}");
    Ok(())
}

/// A module that was never initialised has no requests: that is said, in one line.
#[test]
fn a_module_that_asks_for_nothing_is_noticed() -> Result<()> {
    let directory = scratch(env!("CARGO_TARGET_TMPDIR"), "weval_nothing")?;
    let input = directory.join("in.wasm");
    let text = r#"(module (memory (export "memory") 1)
        (func (export "weval.pending.head") (result i32) (i32.const 0x200)))"#;
    fs::write(&input, wat::parse_str(text)?)?;
    let ends = ["--no-cache", "-o", "-", "-i"].map(OsStr::new);
    let outcome = weval(&[&ends[..], &[input.as_ref()]].concat())?;
    let said = String::from_utf8_lossy(&outcome.stderr);
    assert_eq!(outcome.status, Some(0), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(
        said.contains("in.wasm: it asks for nothing") && said.contains("`-w`"),
        "{said}"
    );
    assert!(
        outcome.stdout.starts_with(b"\0asm\x01\0\0\0"),
        "standard output has the module"
    );
    Ok(())
}
