//! Functions cut into pieces: with small pieces, which cut every function in many places, residual
//! code does what generic code does, collections forced, and the program's output is `ocamlrun`'s.
//! A program large enough to be cut as it is takes the memory of a small one. And a loop of the
//! program's own code, which is a piece, keeps floats without boxes as a function does.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use bactrian::bench::shapes::Shape;
use bactrian::lockstep::{self, Setup, Verdict};
use bactrian::pipeline::{Pipeline, Settings};
use bactrian::specialize::{self, Options};
use bactrian::{engine, guest};
use bactrian_tests::program::Program;
use bactrian_tests::{process, scratch, workspace};
use specializer::module::Module;
use wasmparser::{Parser, Payload};

/// The guest's cell that says how long a piece may be.
const LONGEST: &str = "BACTRIAN_LONGEST_PIECE";

/// Words of a piece, and a third of those of a function that is not cut.
const SHORT: u32 = 7;

/// How long it is as the guest is built.
const USUAL: u32 = 1500;

#[test]
fn small_pieces_do_what_the_whole_does() -> Result<()> {
    let directory = scratch(env!("CARGO_TARGET_TMPDIR"), "pieces")?;
    let program = Program::new(workspace().join("tests/fixtures/pieces.ml"))?;
    let bytecode = program.compile(&directory)?;
    let expected = program.oracle(&bytecode)?;
    let bytes = fs::read(&bytecode)?;
    let module = with_longest_piece(&guest::default().module, SHORT)?;
    let snapshot = Pipeline::new(Settings::default())?.snapshot(&module, &bytes)?;
    let options = Options {
        lockstep_events: true,
        verify: true,
        ..Options::default()
    };
    let (residual, summary, _) = specialize::run(&snapshot, &options, None)?;
    ensure!(summary.declined.is_empty(), "{summary}");
    let generic = specialize::link_generic(&snapshot, &options)?;
    let engine = engine::interruptible(None)?;
    let (generic, _) = engine::compile(&engine, &generic, None)?;
    let (residual, _) = engine::compile(&engine, &residual, None)?;
    let setup = Setup {
        stress: true,
        patience: Duration::from_secs(120),
        functions: summary.functions,
        ..Setup::default()
    };
    match lockstep::compare(&engine, &generic, &residual, &setup)? {
        Verdict::Agree { events, end } => {
            assert!(events > 1000, "only {events} events were compared");
            assert_eq!(
                String::from_utf8_lossy(&end.stdout),
                String::from_utf8_lossy(&expected.stdout)
            );
        }
        Verdict::Diverged(divergence) => panic!("{divergence}"),
    }
    Ok(())
}

/// Each of these took gigabytes, or seconds for each hundred calls.
#[test]
fn large_functions_take_little_memory() -> Result<()> {
    const ENOUGH: u64 = 400 << 20;
    let directory = scratch(env!("CARGO_TARGET_TMPDIR"), "shapes")?;
    for (shape, size) in [
        (Shape::Calls, 3_000),
        (Shape::Function, 1_500),
        (Shape::Strings, 2_500),
    ] {
        let source = directory.join("shape.ml");
        fs::write(&source, shape.program(size))?;
        let bytecode = Program::new(source)?.compile(&directory)?;
        let expected = process::run(std::process::Command::new("ocamlrun").arg(&bytecode), b"")?;
        let (output, peak) = run(&directory, &bytecode, &[])?;
        assert!(!output.is_empty(), "{shape:?} says nothing");
        assert_eq!(output, expected.stdout, "{shape:?}");
        assert!(peak < ENOUGH, "{shape:?} takes {} MiB", peak >> 20);
    }
    Ok(())
}

/// How many words a loop allocates, at toplevel.
#[test]
fn a_toplevel_loop_makes_no_box_a_round() -> Result<()> {
    // Not by `Gc.minor_words`: a program that can call that makes all boxes.
    const PROGRAM: &str = "let words () = (Gc.quick_stat ()).Gc.minor_words\n\
         let before = words ()\n\
         let () =\n  \
           let sum = ref 0.0 in\n  \
           print_string \"words: \";\n  \
           for i = 1 to 10_000 do sum := !sum +. 1.0 /. float_of_int i done;\n  \
           assert (!sum > 9.0)\n\
         let () = print_int (int_of_float (words () -. before))\n";
    let directory = scratch(env!("CARGO_TARGET_TMPDIR"), "boxes")?;
    let source = directory.join("boxes.ml");
    fs::write(&source, PROGRAM)?;
    let bytecode = Program::new(source)?.compile(&directory)?;
    let words = |mode: &[&str]| -> Result<u64> {
        let (output, _) = run(&directory, &bytecode, mode)?;
        let output = String::from_utf8(output)?;
        let number = output.strip_prefix("words: ").context("no number")?;
        Ok(number.parse()?)
    };
    let (generic, residual) = (words(&["--generic"])?, words(&[])?);
    assert!(generic > 10_000, "{generic} words");
    assert!(residual < 1_000, "{residual} words");
    Ok(())
}

/// The program's output, and the peak memory of what built and ran it.
fn run(directory: &Path, bytecode: &Path, mode: &[&str]) -> Result<(Vec<u8>, u64)> {
    let measured = bactrian::bench::measure::median(1, directory, || {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_bactrian-under-test"));
        command.args(["run", "--no-cache"]);
        command.args(mode).arg(bytecode);
        Ok(command)
    })?;
    ensure!(measured.status == Some(0), "{measured:?}");
    Ok((measured.output, measured.peak))
}

/// The guest, with pieces of at most this many words.
fn with_longest_piece(module: &[u8], longest: u32) -> Result<Vec<u8>> {
    let parsed = Module::parse(module)?;
    let Some(address) = parsed.exported_address(LONGEST) else {
        bail!("the guest exports no {LONGEST}");
    };
    let mut patched = module.to_vec();
    let place = place_in_file(module, address as usize)?;
    let word = patched
        .get_mut(place..place + 4)
        .context("the word is in the file")?;
    ensure!(
        *word == USUAL.to_le_bytes(),
        "{LONGEST} is not where it was looked for"
    );
    word.copy_from_slice(&longest.to_le_bytes());
    Ok(patched)
}

/// Where in the module's bytes the data for this address is.
fn place_in_file(module: &[u8], address: usize) -> Result<usize> {
    for payload in Parser::new(0).parse_all(module) {
        let Payload::DataSection(segments) = payload? else {
            continue;
        };
        for segment in segments {
            let segment = segment?;
            let wasmparser::DataKind::Active { offset_expr, .. } = segment.kind else {
                continue;
            };
            let start = match offset_expr.get_operators_reader().read()? {
                wasmparser::Operator::I32Const { value } => value as usize,
                other => bail!("a segment at {other:?}"),
            };
            if (start..start + segment.data.len()).contains(&address) {
                let first = segment.data.as_ptr() as usize - module.as_ptr() as usize;
                return Ok(first + address - start);
            }
        }
    }
    bail!("no data for address {address:#x}")
}
