//! `bactrian check` finds each misuse that is planted, says where it is, and finds nothing in
//! interpreters that are as they should be.

use std::fs;

use annotations::REQUEST_TABLE_EXPORT;
use anyhow::{Context, Result, ensure};
use bactrian_tests::workshop::Workshop;
use bactrian_tests::workspace;

fn workshop() -> Result<Workshop> {
    Workshop::new(env!("CARGO_BIN_EXE_bactrian-under-test"))
}

/// What a check said, and its status.
fn check(workshop: &Workshop, args: &[&str]) -> Result<(String, Option<i32>)> {
    let outcome = workshop.bactrian(&[&["check"], args].concat())?;
    let said = [outcome.stdout, outcome.stderr].concat();
    Ok((String::from_utf8(said)?, outcome.status))
}

/// Replaces a text that is there.
fn plant(text: &str, from: &str, to: &str) -> Result<String> {
    ensure!(text.contains(from), "`{from}` is not in the text");
    Ok(text.replacen(from, to, 1))
}

/// The guest of `tests/guests`, changed; it sums numbers.
fn check_counter(changes: &[(&str, &str)]) -> Result<(String, Option<i32>)> {
    let workshop = workshop()?;
    let guest = workspace().join("tests/guests");
    let mut text = fs::read_to_string(guest.join("counter.wat"))?;
    for (from, to) in changes {
        text = plant(&text, from, to)?;
    }
    fs::write(workshop.path("counter.wat"), tables::expand(&text)?)?;
    fs::copy(guest.join("counter.toml"), workshop.path("counter.toml"))?;
    fs::write(
        workshop.path("sum.count"),
        [3, 0, 0, 2, 0, 3, 255, 2, 1, 4, 248, 5],
    )?;
    check(&workshop, &["--guest", "counter.toml", "sum.count"])
}

/// The interpreter in C, changed, with lines of its source.
fn check_toy(changes: &[(&str, &str)]) -> Result<(String, Option<i32>)> {
    let workshop = workshop()?;
    let include = workspace().join("interpreter/annotations/include");
    let mut text = fs::read_to_string(workspace().join("tests/c/toy.c"))?;
    for (from, to) in changes {
        text = plant(&text, from, to)?;
    }
    fs::write(workshop.path("toy.c"), text)?;
    let include = format!("-I{}", include.display());
    let export = format!("-Wl,--export={REQUEST_TABLE_EXPORT}");
    let flags = ["--target=wasm32-wasi", "-O2", "-g", &include, "toy.c"];
    let link = ["-mexec-model=reactor", &export, "-o", "toy.wasm"];
    workshop.make("clang", &[&flags[..], &link].concat())?;
    fs::write(workshop.path("nothing"), "")?;
    check(&workshop, &["toy.wasm", "--init", "nothing"])
}

/// What the finding of this severity says.
fn assert_found(said: &(String, Option<i32>), severity: &str, what: &[&str]) {
    let (text, status) = said;
    let lines = text.lines().filter(|line| line.starts_with(severity));
    let found = lines
        .into_iter()
        .any(|line| what.iter().all(|part| line.contains(part)));
    assert!(found, "{severity}: {what:?} is not in\n{text}");
    assert_eq!(*status, Some(i32::from(text.contains("error: "))), "{text}");
}

#[test]
fn sound_interpreters_are_not_found_fault_with() -> Result<()> {
    let nothing = (String::from("0 errors, 0 warnings\n"), Some(0));
    assert_eq!(check_counter(&[])?, nothing);
    assert_eq!(check_toy(&[])?, nothing);
    let workshop = workshop()?;
    fs::write(
        workshop.path("all.ml"),
        "let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)\n\
         let all = List.map (fun n -> float_of_int (fib n)) [ 1; 2; 3 ]\n\
         let () = try failwith \"x\" with Failure s -> print_endline s\n\
         let a = Bigarray.Array1.create Bigarray.float32 Bigarray.c_layout 9\n\
         let () = for i = 0 to 8 do a.{i} <- List.nth all (i mod 3) done\n\
         let () = Printf.printf \"%f %s\\n\" a.{3} (String.concat \",\" [ \"a\"; \"b\" ])\n",
    )?;
    workshop.make("ocamlc", &["all.ml", "-o", "all.byte"])?;
    assert_eq!(check(&workshop, &["all.byte"])?, nothing);
    Ok(())
}

const IMPORTS: &str = "(import \"bactrian\" \"cells.read\"";

#[test]
fn pushes_and_pops_out_of_balance_are_found() -> Result<()> {
    let import = |name: &str, params: &str| {
        format!("(import \"bactrian\" \"context.{name}\" (func $moved {params}))\n{IMPORTS}")
    };
    let set = "(local.set 2 (call $read (local.get 1)))";
    let push = format!("(call $moved (i32.const 1)) {set}");
    let found = check_counter(&[(IMPORTS, &import("push", "(param i32)")), (set, &push)])?;
    assert_found(&found, "error", &["interpret+0x", "not popped", "pile up"]);
    let pop = format!("(call $moved) (call $moved) {set}");
    let found = check_counter(&[(IMPORTS, &import("pop", "")), (set, &pop)])?;
    assert_found(
        &found,
        "error",
        &["interpret+0x", "where nothing was pushed"],
    );
    Ok(())
}

#[test]
fn a_sync_that_is_missing_is_found() -> Result<()> {
    let found = check_toy(&[("bactrian_cells_sync();", "")])?;
    let place = "interpret+0x";
    assert_found(
        &found,
        "error",
        &[place, "(toy.c:70)", "address of the stack"],
    );
    let read = "bactrian_cells_read(sp); push(&sp, a)";
    let found = check_toy(&[(read, "*sp; push(&sp, a)")])?;
    assert_found(
        &found,
        "error",
        &[place, "(toy.c:65)", "a plain load reads a cell"],
    );
    // A call that is not given the stack, but after which cells may have changed.
    let interpret = "int64_t interpret(";
    let tick = format!(
        "static __attribute__((noinline)) int64_t tick(int64_t n) {{ \
         static volatile int64_t last; return last = n; }}\n{interpret}"
    );
    let ticks = "a = tick(a - b); bactrian_cells_invalidate(); push(&sp, a);";
    let found = check_toy(&[(interpret, &tick), ("push(&sp, a - b);", ticks)])?;
    assert_found(&found, "error", &[place, "(toy.c:57)", "follows this call"]);
    let copies = "(sp); push(&sp, a)";
    let found = check_toy(&[(copies, "(sp); *sp = a + 1; push(&sp, a)")])?;
    assert_found(
        &found,
        "error",
        &[place, "(toy.c:65)", "a plain store writes a cell"],
    );
    Ok(())
}

/// By name and through the table.
#[test]
fn tail_calls_are_looked_at_like_others() -> Result<()> {
    let interpret = "(func $interpret (type $entry)";
    let callee = "(func $end (type $entry) (i64.load (local.get 1)))";
    let both = format!("{callee}\n{interpret}");
    let branch = "(if (i64.ne (local.get 2) (i64.const 0))";
    for call in ["(return_call $end", "(return_call_indirect (type $entry)"] {
        let index = match call.contains("indirect") {
            true => "(i32.wrap_i64 (local.get 2))",
            false => "",
        };
        let call = format!(
            "(if (i64.eq (local.get 2) (i64.const 77)) (then {call} (local.get 0) \
             (i32.sub (local.get 1) (i32.const 8)) (local.get 2) {index})))"
        );
        let write = "(call $write (i32.sub (local.get 1) (i32.const 8)) (local.get 2))";
        let unsynced = format!("{write} {call} {branch}");
        let found = check_counter(&[(interpret, &both), (branch, &unsynced)])?;
        assert_found(&found, "error", &["interpret+0x", "address of the stack"]);
        let import = "(import \"bactrian\" \"cells.read\"";
        let sync = format!("(import \"bactrian\" \"cells.sync\" (func $sync))\n{import}");
        let synced = format!("{write} (call $sync) {call} {branch}");
        let changes = [(import, &*sync), (interpret, &both), (branch, &synced)];
        let found = check_counter(&changes)?;
        assert_eq!(found, (String::from("0 errors, 0 warnings\n"), Some(0)));
    }
    Ok(())
}

#[test]
fn positions_that_are_lost_are_found_where_they_are() -> Result<()> {
    let position = "(call $position (local.get 0))";
    let unknown = "(call $position (i32.load (i32.const 0x98)))";
    let found = check_counter(&[(position, unknown)])?;
    let what = [
        "interpret+0x",
        "is never known",
        "loaded from memory that may change",
    ];
    assert_found(&found, "error", &what);
    // On one of the ways.
    let jump = "case JUMP: pc = code + *pc; break;";
    let lost = "case JUMP: { static const int32_t *volatile saved; saved = code + *pc; \
                pc = saved; break; }";
    let found = check_toy(&[(jump, lost)])?;
    let what = [
        "interpret+0x",
        "of the",
        "times",
        "loaded from memory",
        "(toy.c:58)",
    ];
    assert_found(&found, "warning", &what);
    // In a function that is called.
    let safepoint = "(func $safepoint\n";
    let elsewhere = format!("{safepoint}(call $position (i32.const 1))");
    let found = check_counter(&[(safepoint, &elsewhere)])?;
    assert_found(&found, "warning", &["safepoint+0x", "no request names"]);
    Ok(())
}

#[test]
fn what_the_specializer_declines_is_found() -> Result<()> {
    let argument = "int64_t argument = pop(&sp);";
    let version = |call: &str| format!("{argument} argument = {call};");
    for (call, severity, what) in [
        (
            "bactrian_specialize_value(argument, 0, 1u << 30)",
            "warning",
            "budget `fan-out`",
        ),
        (
            "bactrian_specialize_value(argument, 0, (uint32_t)argument)",
            "warning",
            "bounds are not known",
        ),
        (
            "bactrian_specialize_guess(argument, (uint32_t)argument + 1)",
            "warning",
            "guess is not known",
        ),
        (
            "(intptr_t)bactrian_address_within((void *)(intptr_t)argument, 30)",
            "error",
            "none of 1 to 29",
        ),
        (
            "bactrian_box_exists(argument, 3)",
            "error",
            "not in the table of boxes",
        ),
        (
            "bactrian_box_literal(argument, 3, 0)",
            "error",
            "not in the table of boxes",
        ),
        (
            "bactrian_cells_read((void *)(intptr_t)argument)",
            "warning",
            "the address that `cells.read` gets is not known",
        ),
    ] {
        let found = check_toy(&[(argument, &version(call))])?;
        assert_found(&found, severity, &["interpret+0x", "(toy.c:68)", what]);
    }
    // As many nodes as the number counts.
    let step = "(local.set 0 (i32.add (local.get 0) (i32.const 1)))\n      (block $fail";
    let stays = "(local.set 0 (i32.add (local.get 0) (i32.const 1)))\n\
                 (call $position (local.get $n))\n\
                 (local.set $n (i32.add (local.get $n) (i32.const 1)))\n\
                 (block $fail";
    let locals = ("(local $op i32)", "(local $op i32) (local $n i32)");
    let found = check_counter(&[locals, (step, stays)])?;
    assert_found(
        &found,
        "error",
        &[
            "interpret+0x",
            "counter is declined: more than",
            "nodes",
            "the position that `context.update` gets here has",
            "it is computed at interpret+0x",
        ],
    );
    Ok(())
}

/// Opcodes go through a table that no region declares.
#[test]
fn a_switch_that_is_not_decided_is_found() -> Result<()> {
    let table = "int32_t opcodes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};\nint64_t interpret(";
    let found = check_toy(&[
        ("int64_t interpret(", table),
        ("switch (*pc++)", "switch (opcodes[*pc++])"),
    ])?;
    assert_found(&found, "error", &["fib is declined: more than", "nodes"]);
    let what = [
        "comes from this switch",
        "it is loaded from memory that may",
    ];
    assert_found(&found, "warning", &what);
    Ok(())
}

/// The stack pointer is not known after a call: that is said once, and why.
#[test]
fn cells_without_an_address_are_one_finding() -> Result<()> {
    let moved = "__attribute__((noinline)) int64_t *moved(int64_t *sp) {\n\
                 __asm__ volatile(\"\" : \"+r\"(sp)); return sp; }\nint64_t interpret(";
    let found = check_toy(&[
        ("int64_t interpret(", moved),
        ("push(&sp, result);", "sp = moved(sp); push(&sp, result);"),
    ])?;
    let what = ["nor those in", "other places", "it is the result of a call"];
    assert_found(&found, "warning", &what);
    assert!(found.0.matches("is not known").count() <= 2, "{}", found.0);
    Ok(())
}

#[test]
fn requests_that_are_malformed_are_found() -> Result<()> {
    let pass = "bactrian_param_pass(1);";
    let found = check_toy(&[(pass, "bactrian_param_pass(7);")])?;
    assert_found(
        &found,
        "error",
        &["request 0 at", "for `interpret`", "parameter 2"],
    );
    let found = check_toy(&[(pass, "")])?;
    assert_found(&found, "error", &["request 0 at", "describes 2 parameters"]);
    let workshop = workshop()?;
    fs::write(
        workshop.path("plain.wat"),
        "(module (memory (export \"memory\") 1))",
    )?;
    let found = check(&workshop, &["plain.wat"])?;
    assert_found(&found, "error", &["exports neither"]);
    Ok(())
}

/// What cannot be checked is a failure, and no clean bill.
#[test]
fn what_is_no_module_is_a_failure() -> Result<()> {
    let workshop = workshop()?;
    fs::write(workshop.path("text"), "(modul")?;
    let (said, status) = check(&workshop, &["text"])?;
    assert_eq!(status, Some(125), "{said}");
    said.contains("text").then_some(()).context(said)
}
