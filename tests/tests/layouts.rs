//! Where the layout of a bigarray is Fortran's, boxed integers are read in line, as in C's: without
//! the box that the primitive makes.

use std::fs;
use std::process::Command;

use anyhow::Result;
use bactrian_tests::process;
use bactrian_tests::program::Program;
use tempfile::TempDir;

/// A million elements are read and written; a box takes three words. What comes before the first
/// effect runs at build time.
const PROGRAM: &str = "open Bigarray
let advance (a : (int64, int64_elt, fortran_layout) Array2.t) =
  for j = 1 to Array2.dim2 a do
    for i = 1 to Array2.dim1 a do a.{i, j} <- Int64.add a.{i, j} 1L done
  done
let () =
  print_endline \"at run time\";
  let a = Array2.create int64 fortran_layout 100 1000 in
  Array2.fill a 5L;
  for _ = 1 to 10 do advance a done;
  let words = (Gc.quick_stat ()).Gc.minor_words in
  Printf.printf \"%Ld %b\\n\" a.{100, 1000} (words < 4e6)
";

#[test]
fn no_box_is_made_of_an_element_that_is_read() -> Result<()> {
    let place = TempDir::new()?;
    let source = place.path().join("advance.ml");
    fs::write(&source, PROGRAM)?;
    let bytecode = Program::new(source)?.compile(place.path())?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_bactrian-under-test"));
    command.args(["run", "--no-cache"]).arg(bytecode);
    let outcome = process::run(&mut command, b"")?;
    assert_eq!(outcome.stdout, b"at run time\n15 true\n", "{outcome:?}");
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    Ok(())
}
