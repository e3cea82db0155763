//! The standard streams as a shell hands them over: files, pipes, devices, closed ones, in the
//! generic interpreter and specialized. Output, errors, status and the files left behind are those
//! of `ocamlrun`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use bactrian_tests::process;
use bactrian_tests::program::Program;
use bactrian_tests::workspace;

/// What a run leaves behind: its directory's files, its output, how it ended.
type Traces = BTreeMap<String, Vec<u8>>;

/// Runs a line of shell in a new directory, where `PROBE` is a runner with the program.
fn traces(line: &str, runner: &str, parent: &Path) -> Result<Traces> {
    let directory = tempfile::tempdir_in(parent)?;
    fs::write(directory.path().join("in"), "first\nsecond\nthird\n")?;
    let script = format!("PROBE() {{ {runner} \"$@\"; }}\n{line}");
    let mut command = Command::new("bash");
    command.args(["-c", &script]).current_dir(&directory);
    let outcome = process::run(command.env_remove("OCAMLRUNPARAM"), b"")?;
    let mut traces = BTreeMap::from([
        ("stdout".to_owned(), outcome.stdout),
        ("stderr".to_owned(), outcome.stderr),
        ("status".to_owned(), format!("{:?}", outcome.status).into()),
    ]);
    for entry in fs::read_dir(&directory)? {
        let path = entry?.path();
        let name = path.file_name().context("it has a name")?.to_string_lossy();
        traces.insert(format!("file {name}"), fs::read(&path)?);
    }
    Ok(traces)
}

fn check(lines: &[&str]) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let source = workspace().join("tests/sandbox/streams.ml");
    let flags = fs::read_to_string(source.with_extension("flags"))?;
    assert_eq!(flags, "unix.cma\n", "the program asks the system");
    let bytecode = Program::new(source)?.compile(scratch.path())?;
    let bytecode = bytecode.display();
    let tool = PathBuf::from(env!("CARGO_BIN_EXE_bactrian-under-test"));
    let cache = scratch.path().join("cache");
    let cache = cache.display();
    let ways = [("SANDBOX=1", "--dir . --env SANDBOX"), ("", "--unconfined")];
    for (line, (variable, way)) in lines.iter().flat_map(|line| ways.map(|way| (line, way))) {
        let oracle = format!("{variable} ocamlrun {bytecode}");
        let expected = traces(line, &oracle, scratch.path())?;
        assert!(expected.len() > 3, "{line}: {expected:?}");
        for mode in ["--generic", ""] {
            let options = format!("run {way} --cache {cache} {mode}");
            let runner = format!("{variable} {} {options} {bytecode}", tool.display());
            let found = traces(line, &runner, scratch.path())?;
            for (name, expected) in &expected {
                let found = found.get(name).map(|text| String::from_utf8_lossy(text));
                let expected = String::from_utf8_lossy(expected);
                assert_eq!(
                    found.as_deref(),
                    Some(&*expected),
                    "{line} {options}: {name}"
                );
            }
            assert_eq!(found.len(), expected.len(), "{line} {options}: {found:?}");
        }
    }
    Ok(())
}

#[test]
fn standard_input() -> Result<()> {
    check(&[
        "PROBE input report < in",
        "cat in | PROBE input report",
        "PROBE input report < /dev/null",
        "PROBE input report <&-",
        "PROBE input report < .",
        "PROBE input report 0> written",
        "{ head -c 6 > /dev/null; PROBE input report; } < in",
        "PROBE copy report < in",
        "{ PROBE line report; cat; } < in",
        "PROBE copy report < .",
        "PROBE copy report <&-",
    ])
}

#[test]
fn standard_output() -> Result<()> {
    check(&[
        "PROBE output report > out",
        "PROBE output report | cat",
        "echo before > out; PROBE output report >> out",
        "PROBE output report > /dev/full",
        "PROBE output report > /dev/null",
        "PROBE output report >&-",
        "PROBE output report 1< in",
        "PROBE output report 1<> out",
        "PROBE output report > out 2>&1",
        "PROBE output report 2> /dev/full",
        "PROBE output report 2>&-",
    ])
}

#[test]
fn output_that_goes_nowhere_ends_the_program_as_it_should() -> Result<()> {
    check(&[
        "PROBE endless report | head -1; echo ${PIPESTATUS[0]}",
        "trap '' PIPE; PROBE endless report | head -1; echo ${PIPESTATUS[0]}",
        "trap '' PIPE HUP; PROBE signals report | head -1; echo ${PIPESTATUS[0]}",
        "PROBE many report > /dev/full",
        "PROBE many report >&-",
        "PROBE quiet report > /dev/full",
        "PROBE quiet report >&-",
        "PROBE quiet report | sleep 0; echo over",
        "PROBE fail report 2> /dev/full",
        "PROBE fail report 2>&-",
    ])
}

/// A disk of 64 KiB fills up. Where nothing can be mounted, there is nothing to test.
#[test]
fn a_full_disk() -> Result<()> {
    let mounted = |line| {
        format!(
            "export -f PROBE; mkdir disk; \
             unshare -rm bash -c 'mount -t tmpfs -o size=64k none disk || exit 99; {line}'; \
             echo $?; rmdir disk"
        )
    };
    let scratch = tempfile::tempdir()?;
    let trial = traces(&mounted("true"), "true", scratch.path())?;
    if trial["stdout"] != b"0\n" {
        eprintln!("skipped: no disk can be mounted: {trial:?}");
        return Ok(());
    }
    let lines = [
        "PROBE many report > disk/out; echo $?; wc -c disk/out; md5sum disk/out",
        "head -c 65534 /dev/zero > disk/out; PROBE quiet report >> disk/out; echo $?; \
         wc -c disk/out",
        "head -c 65534 /dev/zero > disk/err; PROBE fail report 2>> disk/err; echo $?; \
         wc -c disk/err",
        "PROBE fill report disk/file; echo $?; wc -c disk/file",
        "PROBE fill disk/report disk/file; echo $?; cat disk/report",
    ]
    .map(mounted);
    check(&lines.each_ref().map(String::as_str))
}
