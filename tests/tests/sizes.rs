//! A built program has little that it cannot reach.

use std::fs;

use anyhow::{Context, Result};
use bactrian_tests::workshop::Workshop;

/// What hello world may take, in bytes: about a thousand more than it does. A larger module has
/// something new that each program brings along.
const HELLO: u64 = 245_000;

/// Parts of names of functions, in angle brackets, that only programs with what is said behind them
/// need.
const UNNEEDED: [(&str, &str); 7] = [
    ("memprof::announce_sampled", "samples of allocations"),
    ("ephemeron::advance", "weak pointers"),
    ("<threads::", "threads"),
    ("regexp::", "regular expressions"),
    ("<stubs::", "functions in C"),
    ("prepend_alloc", "a C library's memory"),
    ("escape_debug_ext", "errors in Rust's notation"),
];

#[test]
fn hello_world_is_small() -> Result<()> {
    let place = Workshop::new(env!("CARGO_BIN_EXE_bactrian-under-test"))?;
    fs::write(place.path("hello.ml"), "let () = print_endline \"Hello\"")?;
    place.make("ocamlc", &["hello.ml", "-o", "hello.byte"])?;
    let built = place.bactrian(&["build", "hello.byte", "-o", "hello.wasm"])?;
    assert_eq!(built.status, Some(0), "{built:?}");
    let size = fs::metadata(place.path("hello.wasm"))?.len();
    assert!(size < HELLO, "{size} bytes");
    let names = place.function_names("hello.wasm")?;
    for (part, purpose) in UNNEEDED {
        let found = names.iter().find(|name| format!("<{name}>").contains(part));
        assert_eq!(found, None, "is for {purpose}");
    }
    Ok(())
}

/// Bytes of a program's residual code.
fn residual_bytes(place: &Workshop, text: &str) -> Result<u64> {
    fs::write(place.path("sized.ml"), text)?;
    place.make("ocamlc", &["sized.ml", "-o", "sized.byte"])?;
    let stats = ["build", "--stats=json", "sized.byte", "-o", "sized.wasm"];
    let built = place.bactrian(&stats)?;
    assert_eq!(built.status, Some(0), "{built:?}");
    let stats: serde_json::Value = serde_json::from_slice(&built.stderr)?;
    let bytes = stats["specialization"]["residual_bytes"].as_u64();
    bytes.with_context(|| format!("{stats}"))
}

/// A loop that calls a function whose locals are floats, with what that begins with.
fn float_locals(begins: &str) -> String {
    format!(
        "let f q p =\n  {begins}\n  \
           let dx = q -. p in let d = dx *. dx +. 0.01 in let e = q /. (d *. sqrt d) in\n  \
           (e *. dx, e +. dx)\n\
         let l = ref []\n\
         let () = for i = 1 to 1000 do l := f (float i) 3.0 :: !l done;\n  \
           print_int (List.length !l)\n"
    )
}

/// Locals of a call in place that met those of its other return were made as boxes, and each round
/// of the loop left others, so that there were many copies of it.
#[test]
fn what_a_call_in_place_leaves_behind_meets_nothing() -> Result<()> {
    let place = Workshop::new(env!("CARGO_BIN_EXE_bactrian-under-test"))?;
    let one_return = residual_bytes(&place, &float_locals(""))?;
    let two_returns = residual_bytes(&place, &float_locals("if q > 500. then (q, p) else"))?;
    assert!(
        two_returns < one_return + 4_000,
        "{one_return}, {two_returns}"
    );
    Ok(())
}

/// Each access to a bigarray that may be of an unusual kind led into the middle of a loop for such,
/// so that the loop was a dispatch block with as many cases, each of which set all variables.
#[test]
fn unusual_bigarrays_cost_the_same_for_each_access() -> Result<()> {
    let place = Workshop::new(env!("CARGO_BIN_EXE_bactrian-under-test"))?;
    let sum_of = |accesses: usize| {
        let sum: String = (0..accesses).map(|k| format!(" + a.{{i + {k}}}")).collect();
        let text = format!(
            "open Bigarray\n\
             let sum (a : (int, int16_signed_elt, c_layout) Array1.t) =\n  \
               let s = ref 0 in\n  \
               for i = 0 to Array1.dim a - 20 do s := !s{sum} done;\n  !s\n\
             let () = print_int (sum (Array1.create int16_signed c_layout 100))\n"
        );
        residual_bytes(&place, &text)
    };
    let [one, eight, sixteen] = [sum_of(1)?, sum_of(8)?, sum_of(16)?];
    let message = format!("{one}, {eight}, {sixteen}");
    assert!(sixteen - eight < 2 * (eight - one), "{message}");
    Ok(())
}

/// Where a loop begins that the program's own code runs, its variables are on the stack in memory.
/// Each round made a box of a float among them.
#[test]
fn a_loop_of_the_programs_own_code_makes_no_boxes() -> Result<()> {
    let place = Workshop::new(env!("CARGO_BIN_EXE_bactrian-under-test"))?;
    let text = "let collections () = (Gc.quick_stat ()).Gc.minor_collections\n\
         let () =\n  \
           let before = collections () in\n  \
           let sum = ref 0.0 in\n  \
           (match Sys.argv with [| _; _ |] -> sum := 2.0 | _ -> sum := 3.0);\n  \
           for i = 1 to 2_000_000 do sum := !sum +. float i done;\n  \
           let made = collections () - before in\n  \
           Printf.printf \"%.0f %d\" !sum made\n";
    fs::write(place.path("own.ml"), text)?;
    place.make("ocamlc", &["own.ml", "-o", "own.byte"])?;
    let generic = place.bactrian(&["run", "--generic", "own.byte"])?;
    assert_eq!(String::from_utf8(generic.stdout)?, "2000001000003 30");
    let residual = place.bactrian(&["run", "own.byte"])?;
    assert_eq!(String::from_utf8(residual.stdout)?, "2000001000003 0");
    Ok(())
}

/// Where the kind of an array was not known, each element that was read could have been a float in
/// a box that is not made, and all that followed was there for both.
#[test]
fn arrays_of_unknown_kind_do_not_multiply_code() -> Result<()> {
    let place = Workshop::new(env!("CARGO_BIN_EXE_bactrian-under-test"))?;
    let text = "let sort cmp a =\n  \
           for i = 1 to Array.length a - 1 do\n    \
             let x = a.(i) in\n    \
             let j = ref (i - 1) in\n    \
             while !j >= 0 && cmp a.(!j) x > 0 do a.(!j + 1) <- a.(!j); decr j done;\n    \
             a.(!j + 1) <- x\n  \
           done\n\
         let sorted make =\n  \
           let a = Array.init 100 (fun i -> make (i * 7919 mod 101)) in sort compare a; a.(5)\n\
         let () = print_int (sorted succ); print_float (sorted float)\n";
    let bytes = residual_bytes(&place, text)?;
    assert!(bytes < 50_000, "{bytes} bytes");
    Ok(())
}
