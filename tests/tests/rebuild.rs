//! A build after an edit: what did not change is reused, and the result is that of a build without
//! a cache.

use std::fs;

use anyhow::{Result, ensure};
use bactrian_tests::workshop::Workshop;

/// A program of functions of several kinds, with these changes.
fn program(changes: &[(&str, &str)]) -> String {
    let functions = (0..40).map(|at| {
        format!(
            "let rec count{at} x sum =\n  \
               if x <= 0 then sum else count{at} (x - 1) (sum + {at})\n\
             let map{at} l = List.map (fun x -> count{at} x 1 + {at}) l\n\
             let show{at} x = match x with 0 -> \"zero\" | _ -> string_of_int (count{at} x {at})\n"
        )
    });
    let calls = (0..40).map(|at| {
        format!(
            "let () = print_endline (String.concat \" \" (List.map show{at} (map{at} [1; {at}])))\n"
        )
    });
    let text: String = functions.chain(calls).collect();
    changes.iter().fold(text, |text, (from, to)| {
        assert!(text.contains(from), "{from} is in the program");
        text.replace(from, to)
    })
}

/// Compiles and builds a program. The module, and how many of its functions were specialized anew.
fn build(workshop: &Workshop, text: &str, options: &[&str]) -> Result<(Vec<u8>, usize)> {
    fs::write(workshop.path("camel.ml"), text)?;
    workshop.make(
        "ocamlc",
        &["-g", "-w", "-a", "-o", "camel.byte", "camel.ml"],
    )?;
    let stats = ["build", "camel.byte", "-o", "camel.wasm", "--stats=json"];
    let outcome = workshop.bactrian(&[&stats, options].concat())?;
    ensure!(outcome.status == Some(0), "{outcome:?}");
    let stats: serde_json::Value = serde_json::from_slice(&outcome.stderr)?;
    let specialized = stats["specialization"]["specialized"].as_u64();
    let module = fs::read(workshop.path("camel.wasm"))?;
    Ok((module, specialized.unwrap_or(u64::MAX) as usize))
}

/// A change of the program: its name, what it replaces by what, and how many functions it makes new
/// at most.
type Edit = (&'static str, &'static [(&'static str, &'static str)], usize);

#[test]
fn an_edit_costs_what_it_changes() -> Result<()> {
    let edits: [Edit; 5] = [
        ("nothing", &[], 0),
        // A function, and those in which it is evaluated in place.
        ("a constant", &[("(sum + 20)", "(sum + 2020)")], 4),
        (
            "a longer function",
            &[("(sum + 20)", "(sum + (x * x - sum * 7))")],
            4,
        ),
        (
            "a new function",
            &[("let rec count0 ", "let added x = x + 1\nlet rec count0 ")],
            0,
        ),
        // A literal is known by what it is.
        (
            "a longer text",
            &[(
                "show20 x = match x with 0 -> \"zero\"",
                "show20 x = match x with 0 -> \"a word that is longer\"",
            )],
            1,
        ),
    ];
    for (name, changes, most) in edits {
        let workshop = Workshop::new(env!("CARGO_BIN_EXE_bactrian-under-test"))?;
        let (_, all) = build(&workshop, &program(&[]), &[])?;
        workshop.forget_programs()?;
        let (module, specialized) = build(&workshop, &program(changes), &[])?;
        assert!(
            all > 150 && specialized <= most,
            "{name}: {specialized} of {all}"
        );
        let (expected, again) = build(&workshop, &program(changes), &["--no-cache"])?;
        assert!(again > 150, "{name}: {again}");
        assert!(module == expected, "{name}: the cache changes the module");
    }
    Ok(())
}
