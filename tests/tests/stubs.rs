//! Programs with C libraries that are not here: what is missing is listed before anything is
//! specialized, and named with its library where it is called; what is never called is not missed.

use std::fs;

use anyhow::Result;
use bactrian_tests::workshop::Workshop;

/// A directory with an OCaml library `camel` and its C code.
fn place() -> Result<Workshop> {
    let place = Workshop::new(env!("CARGO_BIN_EXE_bactrian-under-test"))?;
    library(&place, "camel", &["walk", "trot"])?;
    Ok(place)
}

/// Makes a library whose functions are C code.
fn library(place: &Workshop, name: &str, functions: &[&str]) -> Result<()> {
    let (mut ml, mut c) = (String::new(), String::from("#include <caml/mlvalues.h>\n"));
    for function in functions {
        ml += &format!("external {function} : int -> int = \"{name}_{function}\"\n");
        c += &format!("value {name}_{function}(value n) {{ return n; }}\n");
    }
    // The bytecode of the library calls them all.
    ml += &format!("let all = [{}]\n", functions.join("; "));
    fs::write(place.path(&format!("{name}.ml")), ml)?;
    fs::write(place.path(&format!("{name}_stubs.c")), c)?;
    place.make(
        "ocamlc",
        &["-c", &format!("{name}_stubs.c"), &format!("{name}.ml")],
    )?;
    place.make(
        "ocamlmklib",
        &[
            "-o",
            name,
            &format!("{name}_stubs.o"),
            &format!("{name}.cmo"),
        ],
    )
}

/// Links a program of this text.
fn program(place: &Workshop, text: &str, options: &[&str]) -> Result<()> {
    fs::write(place.path("main.ml"), text)?;
    let args = [options, &["-I", ".", "-o", "main.byte", "main.ml"]].concat();
    place.make("ocamlc", &args)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const LISTED: &str = "bactrian: primitives of C libraries are missing; a call of one \
    raises Failure, see docs/stubs.md\n";

#[test]
fn what_is_missing_is_listed_and_then_named_where_it_is_called() -> Result<()> {
    let place = place()?;
    let call = "let () = print_endline \"before\"; ignore (Camel.walk 1)";
    program(&place, call, &["camel.cma"])?;
    let listed = format!("{LISTED}dllcamel: 2\n  camel_trot camel_walk\n");
    let built = place.bactrian(&["build", "-o", "main.wasm", "main.byte"])?;
    assert_eq!(built.status, Some(0));
    assert!(text(&built.stderr).starts_with(&listed), "{built:?}");
    let failure = "Fatal error: exception Failure(\"the primitive camel_walk of dllcamel \
        is missing: see docs/stubs.md\")\n";
    for args in [&["run", "main.wasm"][..], &["run", "main.byte"]] {
        let run = place.bactrian(args)?;
        assert_eq!(
            (run.status, text(&run.stdout)),
            (Some(2), "before\n".into())
        );
        assert!(text(&run.stderr).ends_with(failure), "{run:?}");
    }
    let again = place.bactrian(&["run", "--stats", "main.byte"])?;
    let said = text(&again.stderr);
    assert!(said.contains("the whole program is in the cache"), "{said}");
    assert!(said.starts_with(&listed), "{said}");
    let compared = place.bactrian(&["lockstep", "main.byte"])?;
    let directory = place.path("data/bactrian/stubs");
    let advice = format!(
        "no dllcamel.stubs in {}: `bactrian stubs --for dllcamel FILES` makes it of the library's \
         C code\n",
        directory.display()
    );
    assert_eq!(text(&compared.stderr), format!("{listed}{advice}{failure}"));
    Ok(())
}

#[test]
fn what_is_not_called_is_not_missed() -> Result<()> {
    let place = place()?;
    let catch = "let () = print_int (List.length Camel.all); \
                 try ignore (Camel.trot 1) with Failure text -> print_endline text";
    program(&place, catch, &["camel.cma"])?;
    let run = place.bactrian(&["run", "--generic", "main.byte"])?;
    let expected = "2the primitive camel_trot of dllcamel is missing: see docs/stubs.md\n";
    assert_eq!((run.status, text(&run.stdout)), (Some(0), expected.into()));
    Ok(())
}

#[test]
fn of_several_libraries_it_may_be_each() -> Result<()> {
    let place = place()?;
    library(&place, "dromedary", &["run"])?;
    program(
        &place,
        "let () = ignore (Camel.all, Dromedary.all)",
        &["unix.cma", "camel.cma", "dromedary.cma"],
    )?;
    let run = place.bactrian(&["run", "--generic", "main.byte"])?;
    let said = text(&run.stderr);
    let libraries = [
        "dllcamel or dlldromedary: 3\n",
        "dlldromedary or dllcamel: 3\n",
    ];
    assert!(libraries.iter().any(|list| said.contains(list)), "{said}");
    assert_eq!(run.status, Some(0), "{said}");
    Ok(())
}

#[test]
fn primitives_of_an_executables_own_are_of_no_library() -> Result<()> {
    let place = place()?;
    program(
        &place,
        "let () = ignore Camel.all",
        &["-custom", "camel.cma"],
    )?;
    let run = place.bactrian(&["run", "--generic", "main.byte"])?;
    assert_eq!(
        text(&run.stderr),
        format!("{LISTED}no shared library: 2\n  camel_trot camel_walk\n")
    );
    Ok(())
}

/// What is said of other libraries relies on this.
#[test]
fn the_libraries_of_the_system_are_here() -> Result<()> {
    let place = place()?;
    program(
        &place,
        "let () = print_endline \"linked\"",
        &[
            "-I",
            "+threads",
            "-linkall",
            "unix.cma",
            "threads.cma",
            "str.cma",
            "bigarray.cma",
        ],
    )?;
    let run = place.bactrian(&["run", "--generic", "main.byte"])?;
    assert_eq!(
        (text(&run.stdout), text(&run.stderr)),
        ("linked\n".into(), String::new())
    );
    Ok(())
}
