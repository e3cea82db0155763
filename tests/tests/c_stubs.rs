//! Stubs in C: compiled to files of stubs, joined to the interpreter, called from generic and
//! residual code, with the output that `ocamlrun` gives with the same C compiled for this machine.

use std::fs;

use anyhow::{Result, ensure};
use bactrian_tests::process;
use bactrian_tests::tool::Mode;
use bactrian_tests::workshop::Workshop;
use bactrian_tests::workspace;

fn workshop() -> Result<Workshop> {
    Workshop::new(env!("CARGO_BIN_EXE_bactrian-under-test"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A program `main.byte` of this text that calls `f`, and stubs in `stubs.c`.
fn program(main: &str, c: &str) -> Result<Workshop> {
    let place = workshop()?;
    fs::write(place.path("main.ml"), main)?;
    fs::write(place.path("stubs.c"), c)?;
    // The compiler believes that there is an `f`.
    let script = "ocamlrun -p > prims && echo f >> prims && \
                  ocamlc -use-prims prims -o main.byte main.ml";
    place.make("sh", &["-c", script])?;
    Ok(place)
}

/// What an execution prints, with nothing on standard error.
fn output(place: &Workshop, mode: Mode, options: &[&str]) -> Result<String> {
    let args = [mode.flags(), options, &["main.byte"]].concat();
    let run = place.bactrian(&args)?;
    let said = text(&run.stderr);
    ensure!(
        run.status == Some(0) && said.is_empty(),
        "{mode:?}: {:?}, {said}",
        run.status
    );
    Ok(text(&run.stdout))
}

/// Stubs and a program of `tests/fixtures` print what they print under `ocamlrun`.
fn same_as_ocamlrun(name: &str, libraries: &str, options: &[&str]) -> Result<()> {
    use Mode::{Collecting, Generic, Residual, Stress};
    let modes = [Generic, Residual, Stress, Collecting];
    same_in_modes(&modes, name, libraries, options)
}

fn same_in_modes(modes: &[Mode], name: &str, libraries: &str, options: &[&str]) -> Result<()> {
    let fixture = |extension: &str| {
        let fixtures = workspace().join("tests/fixtures");
        fs::read_to_string(fixtures.join(name).with_extension(extension))
    };
    let place = workshop()?;
    fs::write(place.path("main.ml"), fixture("ml")?)?;
    fs::write(place.path("stubs.c"), fixture("c")?)?;
    let script = format!(
        "gcc -w -shared -fPIC -I \"$(ocamlc -where)\" stubs.c -o dllmain.so && \
         ocamlc -g -o main.byte {libraries} -dllib -lmain main.ml && \
         {{ CAML_LD_LIBRARY_PATH=. ocamlrun main.byte > expected; echo $? > status; }}"
    );
    place.make("sh", &["-c", &script])?;
    let expected = fs::read_to_string(place.path("expected"))?;
    let status: i32 = fs::read_to_string(place.path("status"))?.trim().parse()?;
    place.make_stubs("main.stubs", &["stubs.c"])?;
    for &mode in modes {
        let stubs = ["--stubs", "main.stubs", "main.byte"];
        let args = [mode.flags(), options, &stubs].concat();
        let run = place.bactrian(&args)?;
        assert_eq!(
            (run.status, text(&run.stdout), text(&run.stderr)),
            (Some(status), expected.clone(), String::new()),
            "{mode:?}"
        );
    }
    Ok(())
}

/// All of the interface: numbers, blocks, roots across callbacks that collect, exceptions through
/// frames of C, custom blocks, bigarrays, memory, streams.
#[test]
fn stubs_do_what_they_do_under_ocamlrun() -> Result<()> {
    same_as_ocamlrun("interface", "", &[])
}

/// Functions that compiled code has in place of their calls do the same there, and with that
/// switched off.
#[test]
fn small_functions_do_in_place_what_they_do_when_called() -> Result<()> {
    same_as_ocamlrun("small", "", &[])?;
    same_as_ocamlrun("small", "", &["-O", "small-stubs=off"])
}

/// Functions of custom blocks may raise, and data of C's may be a bigarray's.
#[test]
fn custom_blocks_and_bigarrays_of_c_are_as_under_ocamlrun() -> Result<()> {
    same_as_ocamlrun("customs", "", &[])
}

/// What libraries use beyond that: the unix library's exception, the runtime's errors, backtraces,
/// values as bytes.
#[test]
fn the_runtimes_own_functions_do_what_they_do_under_ocamlrun() -> Result<()> {
    same_as_ocamlrun("runtime", "unix.cma", &[])
}

/// C and OCaml have the same files, descriptors and environment, in the sandbox and outside.
#[test]
fn c_sees_the_files_of_the_program() -> Result<()> {
    same_as_ocamlrun("files", "unix.cma", &["--dir", "."])?;
    same_as_ocamlrun("files", "unix.cma", &["--unconfined"])
}

/// Clocks have the units and the size that C relies on, and local time is the program's.
#[test]
fn c_has_the_clocks_of_the_program() -> Result<()> {
    same_as_ocamlrun("clocks", "unix.cma", &["--dir", "."])
}

/// C handles signals, waits for programs, uses sockets as files, and has one thread.
#[test]
fn c_has_signals_and_processes_of_the_program() -> Result<()> {
    same_as_ocamlrun("processes", "unix.cma", &["--unconfined"])
}

/// Not in lockstep, whose sides have no signals from outside.
#[test]
fn signals_that_interrupt_c() -> Result<()> {
    let modes = [Mode::Generic, Mode::Residual];
    same_in_modes(&modes, "interrupted", "unix.cma", &["--unconfined"])
}

/// Threads run while C waits, also where its locals are roots.
#[test]
fn threads_run_while_c_waits() -> Result<()> {
    same_as_ocamlrun(
        "waits",
        "-I +threads unix.cma threads.cma",
        &["--unconfined"],
    )
}

const MAIN: &str = "external f : int -> int = \"f\"\n\
    let () = for i = 1 to 3 do print_int (f i); print_newline () done";

#[test]
fn a_built_program_has_its_stubs() -> Result<()> {
    let c = "#include <caml/mlvalues.h>\n#include <stdio.h>\nstatic int sum = 0;\n\
             value f(value n) { sum += Int_val(n); return Val_int(sum); }\n\
             value unused(value n) { puts(\"never\"); return n; }\n";
    let place = program(MAIN, c)?;
    place.make_stubs("main.stubs", &["stubs.c"])?;
    let build = [
        "build",
        "--stubs",
        "main.stubs",
        "-o",
        "main.wasm",
        "main.byte",
    ];
    let built = place.bactrian(&build)?;
    assert_eq!(built.status, Some(0), "{built:?}");
    let run = place.bactrian(&["run", "main.wasm"])?;
    assert_eq!(text(&run.stdout), "1\n3\n6\n", "{run:?}");
    let names = place.function_names("main.wasm")?;
    assert!(names.contains("f"), "{names:?}");
    assert!(!names.contains("unused"), "what nobody calls is left out");
    assert!(!names.contains("puts"), "and what only that calls");
    Ok(())
}

/// Another file of stubs is another program: the cache knows them apart.
#[test]
fn the_cache_tells_stubs_apart() -> Result<()> {
    let place = program(MAIN, "")?;
    for (factor, expected) in [(2, "2\n4\n6\n"), (3, "3\n6\n9\n"), (2, "2\n4\n6\n")] {
        let c = format!(
            "#include <caml/mlvalues.h>\n\
             value f(value n) {{ return Val_int(Int_val(n) * {factor}); }}\n"
        );
        fs::write(place.path("stubs.c"), c)?;
        place.make_stubs("main.stubs", &["stubs.c"])?;
        let printed = output(&place, Mode::Residual, &["--stubs", "main.stubs"])?;
        assert_eq!(printed, expected);
    }
    Ok(())
}

/// Functions and data of one file are another's, too.
#[test]
fn files_of_stubs_see_each_other() -> Result<()> {
    let place = program(
        MAIN,
        "#include <caml/mlvalues.h>\nint factor = 4;\n\
        int helper(int n) { return n * factor; }\n",
    )?;
    let other = "#include <caml/mlvalues.h>\nextern int factor;\nint helper(int);\n\
        value f(value n) { factor++; return Val_int(helper(Int_val(n))); }\n";
    fs::write(place.path("other.c"), other)?;
    place.make_stubs("main.stubs", &["stubs.c"])?;
    let alone = place.bactrian(&["stubs", "-o", "other.stubs", "other.c"])?;
    let said = text(&alone.stderr);
    assert!(
        said.contains("nothing defines the C variable `factor`"),
        "{said}"
    );
    let with = [
        "stubs",
        "-o",
        "other.stubs",
        "--with",
        "main.stubs",
        "other.c",
    ];
    let with = place.bactrian(&with)?;
    assert_eq!(with.status, Some(0), "{with:?}");
    let options = ["--stubs", "other.stubs", "--stubs", "main.stubs"];
    assert_eq!(output(&place, Mode::Residual, &options)?, "5\n12\n21\n");
    let run = place.bactrian(&["run", "--stubs", "other.stubs", "main.byte"])?;
    let said = text(&run.stderr);
    let missing = "other.stubs: nothing defines the C variable `factor`";
    assert_eq!(run.status, Some(125));
    assert!(said.contains("in f") && said.contains(missing), "{said}");
    Ok(())
}

/// What nothing defines is an error that names it, or raises where that was asked for.
#[test]
fn what_is_missing_is_named() -> Result<()> {
    let c = "#include <caml/mlvalues.h>\nint nowhere(int);\nextern int variable;\n\
        value f(value n) { return n == Val_int(2) ? Val_int(nowhere(1)) : n; }\n\
        value g(value n) { return Val_int(VARIABLE); }\n";
    let main = "external f : int -> int = \"f\"\n\
        let show i = try string_of_int (f i) with Failure message -> message\n\
        let () = for i = 1 to 3 do print_endline (show i) done";
    let place = program(main, c)?;
    let refused = |args: &[&str], expected: &str| -> Result<()> {
        let run = place.bactrian(&[&["stubs", "-o", "main.stubs"], args].concat())?;
        let said = text(&run.stderr);
        assert!(run.status == Some(125) && said.contains(expected), "{said}");
        assert!(!place.path("main.stubs").exists());
        Ok(())
    };
    refused(&["-DVARIABLE=1", "stubs.c"], "in f: stubs.c")?;
    refused(&["-DVARIABLE=1", "stubs.c"], "--without nowhere")?;
    let twice = ["-DVARIABLE=1", "stubs.c", "stubs.c"];
    refused(&twice, "defined in stubs.c\n")?;
    let without = ["--without", "nowhere", "stubs.c"];
    refused(
        &[&["-DVARIABLE=variable"], &without[..]].concat(),
        "C variable `variable`",
    )?;
    refused(&["-DVARIABLE=unknown()", "stubs.c"], "unknown")?;
    fs::write(place.path("all.a"), "!<arch>\n")?;
    refused(&["all.a"], "all.a: of archives only what others use")?;
    fs::write(place.path("other.o"), "\x7fELF")?;
    refused(
        &["other.o"],
        "other.o: this is no object file of WebAssembly's",
    )?;
    place.make_stubs(
        "main.stubs",
        &["-DVARIABLE=1", "--without", "nowhere", "stubs.c"],
    )?;
    let printed = output(&place, Mode::Residual, &["--stubs", "main.stubs"])?;
    assert_eq!(printed, "1\nthe C function nowhere is missing\n3\n");
    let without = ["nowhere", "f", "unknown"].map(|name| format!("--without={name}"));
    let without = without.each_ref().map(|option| &**option);
    let rest = ["-o", "main.stubs", "-DVARIABLE=1", "stubs.c"];
    let made = place.bactrian(&[&["stubs"], &without[..], &rest].concat())?;
    let said = text(&made.stderr);
    let idle: Vec<_> = said.lines().map(|line| line.split('`').nth(1)).collect();
    assert_eq!(idle, [Some("--without f"), Some("--without unknown")]);
    Ok(())
}

/// A header that WASI's C library does not have is not this machine's.
#[test]
fn headers_of_this_machine_are_not_found() -> Result<()> {
    let place = workshop()?;
    fs::write(place.path("stubs.c"), "#include <pwd.h>\n")?;
    let refused = place.bactrian(&["stubs", "-o", "main.stubs", "stubs.c"])?;
    let said = text(&refused.stderr);
    assert!(
        said.starts_with("stubs.c:1:10: fatal error: 'pwd.h' file not found\nbactrian: "),
        "{said}"
    );
    place.make("mkdir", &["own"])?;
    fs::write(place.path("own/pwd.h"), "")?;
    place.make_stubs("main.stubs", &["-I", "own", "stubs.c"])
}

/// A function that takes a value for an `int` is called all the same, as elsewhere.
#[test]
fn arguments_of_fewer_bits_are_passed() -> Result<()> {
    let main = "external f : int -> int -> int = \"f\"\n\
        external g : string -> int -> int -> int = \"g\"\n\
        let () = Printf.printf \"%d %d %d\\n\" (f 5 (-7)) (f 5 (1 lsl 31 + 3)) (g \"abc\" 1 2)";
    let c = "#include <caml/mlvalues.h>\n\
        value f(value a, int b) { return Val_long(Long_val(a) + Int_val(b)); }\n\
        value g(char *s, value a, int b)\n\
        { return Val_int(s[0] + s[Int_val(a)] + s[Int_val(b)]); }\n";
    let place = workshop()?;
    fs::write(place.path("main.ml"), main)?;
    fs::write(place.path("stubs.c"), c)?;
    let script = "ocamlrun -p > prims && printf 'f\\ng\\n' >> prims && \
                  ocamlc -use-prims prims -o main.byte main.ml";
    place.make("sh", &["-c", script])?;
    place.make_stubs("main.stubs", &["stubs.c"])?;
    for mode in [Mode::Generic, Mode::Residual] {
        let printed = output(&place, mode, &["--stubs", "main.stubs"])?;
        assert_eq!(printed, "-2 8 294\n", "{mode:?}");
    }
    Ok(())
}

/// A function that is called with another number of arguments than it has is refused when it is
/// called: libraries declare what they do not have here in any way.
#[test]
fn another_number_of_arguments_is_refused_by_name() -> Result<()> {
    let main = "external f : int -> int -> int = \"f\"\n\
        let call = if Array.length Sys.argv > 5 then (fun _ _ -> 0) else f\n\
        let () = print_endline (try string_of_int (call 1 2) with Failure m -> m)";
    let c = "#include <caml/mlvalues.h>\nvalue f(value n) { return n; }\n";
    let place = program(main, c)?;
    place.make_stubs("main.stubs", &["stubs.c"])?;
    for mode in [Mode::Generic, Mode::Residual] {
        let printed = output(&place, mode, &["--stubs", "main.stubs"])?;
        let expected = "the primitive f is called with another number of arguments than it has\n";
        assert_eq!(printed, expected, "{mode:?}");
    }
    Ok(())
}

/// The null pointer is no value: an error, not a wrong result.
#[test]
fn a_null_pointer_is_refused_by_name() -> Result<()> {
    let main = "external f : unit -> Obj.t = \"f\"\n\
        let () = print_endline (try ignore (f ()); \"a value\" with Failure m -> m)";
    let c = "#include <caml/mlvalues.h>\nvalue f(value unit) { return (value)NULL; }\n";
    let place = program(main, c)?;
    place.make_stubs("main.stubs", &["stubs.c"])?;
    let printed = output(&place, Mode::Residual, &["--stubs", "main.stubs"])?;
    let expected = "the primitive f returned a null pointer, which is no value\n";
    assert_eq!(printed, expected);
    Ok(())
}

/// Stubs under the name of a library are found in directories, the first of which counts; and a
/// message says where they were looked for.
#[test]
fn stubs_are_found_by_the_names_of_libraries() -> Result<()> {
    let place = workshop()?;
    fs::write(
        place.path("main.ml"),
        "external walk : int -> int = \"camel_walk\"\nlet () = print_int (walk 5)",
    )?;
    let c = "#include <caml/mlvalues.h>\n\
        value camel_walk(value n) { return Val_int(Int_val(n) * FACTOR); }\n";
    fs::write(place.path("camel.c"), c)?;
    let script = "gcc -DFACTOR=1 -shared -fPIC -I \"$(ocamlc -where)\" camel.c -o dllcamel.so && \
                  ocamlc -o main.byte -dllib -lcamel main.ml && mkdir first second";
    place.make("sh", &["-c", script])?;
    let none = place.bactrian(&["build", "-o", "main.wasm", "main.byte"])?;
    let data = place.path("data/bactrian/stubs");
    let advice = format!(
        "dllcamel: 1\n  camel_walk\nno dllcamel.stubs in {}: `bactrian stubs --for dllcamel FILES` \
         makes it of the library's C code\n",
        data.display()
    );
    assert!(text(&none.stderr).contains(&advice), "{none:?}");
    place.make_stubs("second/dllcamel.stubs", &["-DFACTOR=2", "camel.c"])?;
    let made = place.bactrian(&["stubs", "--for", "dllcamel", "-DFACTOR=3", "camel.c"])?;
    assert_eq!(made.status, Some(0), "{made:?}");
    assert!(data.join("dllcamel.stubs").is_file());
    let path = ["--stubs-path", "first", "--stubs-path", "second"];
    for mode in [Mode::Generic, Mode::Residual, Mode::Stress] {
        assert_eq!(output(&place, mode, &[])?, "15", "{mode:?}");
        assert_eq!(output(&place, mode, &path)?, "10", "{mode:?}");
    }
    let (mut by_variable, module) = (place.command(), "main.wasm");
    by_variable.args(["build", "-o", module, "main.byte"]);
    by_variable.env("BACTRIAN_STUBS_PATH", "first:second");
    let built = bactrian_tests::process::run(&mut by_variable, b"")?;
    assert_eq!(built.status, Some(0), "{built:?}");
    assert!(!text(&built.stderr).contains("missing"), "{built:?}");
    let run = place.bactrian(&["run", module])?;
    assert_eq!(text(&run.stdout), "10", "{run:?}");
    // What is named comes before what is found.
    place.make_stubs("own.stubs", &["-DFACTOR=4", "camel.c"])?;
    let printed = output(&place, Mode::Residual, &["--stubs", "own.stubs"])?;
    assert_eq!(printed, "20");
    Ok(())
}

/// Of what the compiler says of conversions, only what concerns `long` is shown.
#[test]
fn conversions_that_are_the_same_elsewhere_are_not_mentioned() -> Result<()> {
    let place = workshop()?;
    let c = "#include <caml/mlvalues.h>\n\
        value f(value n) { int i = Long_val(n); size_t s = Long_val(n); return Val_long(i + s); }\n\
        value g(value n) { long l = Long_val(n); return Val_long(l); }\n";
    fs::write(place.path("stubs.c"), c)?;
    let made = place.bactrian(&["stubs", "-o", "main.stubs", "stubs.c"])?;
    let said = text(&made.stderr);
    let warnings: Vec<_> = said
        .lines()
        .filter(|line| line.contains("warning"))
        .collect();
    assert_eq!(warnings.len(), 1, "{said}");
    assert!(warnings[0].starts_with("stubs.c:3:"), "{said}");
    Ok(())
}

/// What a thread has for itself is data like any other: there is one thread. (`zig cc` compiles its
/// C library like that.) The compiler's name may come with options.
#[test]
fn data_of_threads_is_data() -> Result<()> {
    let place = program(
        "external f : int -> int = \"f\" let () = Printf.printf \"%d %d\" (f 1) (f 2)",
        "#include <caml/mlvalues.h>\n\
         static _Thread_local intnat counts[3] = {5, 7, 9}, zero;\n\
         value f(value n) {\n\
           zero += 2;\n\
           counts[1] += Long_val(n);\n\
           return Val_long(counts[1] * 100 + counts[2] * 10 + zero);\n\
         }\n",
    )?;
    let mut command = place.command();
    command.args(["stubs", "-o", "main.stubs", "stubs.c"]);
    let threads = "clang -matomics -mbulk-memory -ftls-model=local-exec";
    let made = process::run(command.env("CC", threads), b"")?;
    assert_eq!(made.status, Some(0), "{}", text(&made.stderr));
    let object = fs::read(place.path("main.stubs"))?;
    let name = b"__tls_base";
    assert!(object.windows(name.len()).any(|bytes| bytes == name));
    for mode in [Mode::Generic, Mode::Residual] {
        assert_eq!(
            output(&place, mode, &["--stubs", "main.stubs"])?,
            "1094 992"
        );
    }
    Ok(())
}

/// Data that is only known by the address behind it, which C lets one have.
#[test]
fn an_array_may_be_known_by_its_end() -> Result<()> {
    let place = program(
        "external f : int -> int = \"f\" let () = print_int (f 3)",
        "#include <caml/mlvalues.h>\n\
         static int numbers[3] = {3, 4, 5};\n\
         static int *volatile end = numbers + 3;\n\
         value f(value n) {\n\
           int sum = 0;\n\
           for (int i = 1; i <= Int_val(n); i++) sum += end[-i];\n\
           return Val_int(sum);\n\
         }\n",
    )?;
    place.make_stubs("main.stubs", &["stubs.c"])?;
    for mode in [Mode::Generic, Mode::Residual] {
        assert_eq!(output(&place, mode, &["--stubs", "main.stubs"])?, "12");
    }
    Ok(())
}

/// Who leaves by a tail call returns what the callee returns, also if that has raised.
#[test]
fn tail_calls_may_raise() -> Result<()> {
    let place = program(
        "external f : int -> int = \"f\"\n\
         let () = print_string (try string_of_int (f 3) with Failure text -> text)",
        "#include <caml/mlvalues.h>\n\
         #include <caml/fail.h>\n\
         __attribute__((noinline)) static value least(value n) {\n\
           if (Int_val(n) > 2) caml_failwith(\"too many\");\n\
           return n;\n\
         }\n\
         __attribute__((noinline)) value next(value n) { return least(n + 2); }\n\
         value f(value n) { return Val_int(Int_val(next(n)) + 100); }\n",
    )?;
    place.make_stubs("main.stubs", &["--cflag=-mtail-call", "stubs.c"])?;
    for mode in [Mode::Generic, Mode::Residual] {
        let said = output(&place, mode, &["--stubs", "main.stubs"])?;
        assert_eq!(said, "too many");
    }
    Ok(())
}
