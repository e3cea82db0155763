//! The same modules specialized by weval and by ours: weval's own example, and `guests/weval`.
//!
//! Times are those of the whole command, with an empty cache: reading, specializing and writing the
//! module, and for weval's example initialising it. What comes out runs under `bactrian run`, with
//! machine code in its cache.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use bactrian::bench::measure::{self, Measured};
use fastrand::Rng;

use super::machine::{self, Size};
use super::{shown, sibling};
use crate::{process, workspace};
use bactrian::bench::means::geometric_mean;

/// The version whose ABI and command ours are.
const VERSION: &str = "0.5.1";

/// What the machine runs: as many instructions as a large program, each twenty thousand times.
const SIZE: Size = Size {
    functions: 100,
    instructions: 400,
    rounds: 20_000,
};

/// One module, in all ways.
#[derive(Debug)]
pub struct Row {
    name: String,
    instructions: usize,
    /// Of the commands: weval's, ours.
    commands: [Side; 2],
    /// Seconds: generic, after weval, after ours, the interpreter as native code.
    runs: [Option<f64>; 4],
}

#[derive(Clone, Copy, Debug)]
struct Side {
    cpu: f64,
    megabytes: f64,
    /// The module's size.
    kilobytes: f64,
}

/// weval's command: `$WEVAL`, or what is installed in `place`, where it is put otherwise.
pub fn command(place: &Path) -> Result<PathBuf> {
    if let Some(path) = std::env::var_os("WEVAL") {
        return Ok(path.into());
    }
    let installed = place.join("bin/weval");
    if !installed.is_file() {
        eprintln!("cargo install weval");
        let mut cargo = Command::new("cargo");
        cargo.args(["install", "weval", "--version", VERSION, "--root"]);
        ensure!(cargo.arg(place).status()?.success(), "weval does not build");
    }
    Ok(installed)
}

/// The sources of weval's package, as Cargo has unpacked them.
fn sources(place: &Path) -> Result<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let registry = home.context("no home directory")?.join("registry/src");
    let find = || -> Option<PathBuf> {
        let entries = fs::read_dir(&registry).ok()?.filter_map(Result::ok);
        let mut packages = entries.map(|entry| entry.path().join(format!("weval-{VERSION}")));
        packages.find(|path| path.join("tests/simple/simple.cpp").is_file())
    };
    if let Some(found) = find() {
        return Ok(found);
    }
    // Cargo fetches what a package needs.
    let package = place.join("sources");
    fs::create_dir_all(package.join("src"))?;
    fs::write(package.join("src/lib.rs"), "")?;
    let manifest = format!(
        "[package]\nname = \"sources\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
         [dependencies]\nweval = \"={VERSION}\"\n[workspace]\n"
    );
    fs::write(package.join("Cargo.toml"), manifest)?;
    let mut cargo = Command::new("cargo");
    let fetched = cargo.arg("fetch").current_dir(&package).status()?;
    ensure!(fetched.success(), "weval's package cannot be fetched");
    find().context("weval's package has no example")
}

/// Measures both modules in `place`.
pub fn measured(place: &Path, weval: &Path) -> Result<Vec<Row>> {
    fs::create_dir_all(place)?;
    Ok(vec![example(place, weval)?, machine(place, weval)?])
}

fn clang(program: &str, arguments: &[&str], files: &[&Path], output: &Path) -> Result<()> {
    let mut command = Command::new(program);
    command.args(arguments).args(files).arg("-o").arg(output);
    let outcome = process::run(&mut command, b"")?;
    let said = String::from_utf8_lossy(&outcome.stderr);
    ensure!(outcome.status == Some(0), "{command:?}: {said}");
    Ok(())
}

/// weval's example: a loop of nine instructions, which goes round ten million times.
fn example(place: &Path, weval: &Path) -> Result<Row> {
    let sources = sources(place)?;
    let module = place.join("example.wasm");
    let include = |path: &Path| format!("-I{}", path.display());
    let ours = include(&workspace().join("guests/weval"));
    let theirs = include(&sources.join("include"));
    let language = [
        "--target=wasm32-wasi",
        "-O2",
        "-std=c++2b",
        "-fno-exceptions",
    ];
    let library = ["-nostdinc++", "-nostdlib++", &ours, &theirs];
    let source = sources.join("tests/simple/simple.cpp");
    let arguments = [&language[..], &library].concat();
    clang("clang++", &arguments, &[&source], &module)?;
    row("weval's example", 9, &module, &["-w"], place, weval, None)
}

fn machine(place: &Path, weval: &Path) -> Result<Row> {
    let (program, instructions) = machine::program(&mut Rng::with_seed(1), SIZE);
    fs::write(place.join("program.h"), program)?;
    let annotations = workspace().join("interpreter/annotations/include");
    let includes = [place, &annotations].map(|path| format!("-I{}", path.display()));
    let source = workspace().join("guests/weval/machine.c");
    let flags = ["-O2", "-Wall", &includes[0], &includes[1]];
    let (module, native) = (place.join("machine.wasm"), place.join("machine"));
    let wasm = [
        &flags[..],
        &["--target=wasm32-wasi", "-mexec-model=reactor"],
    ]
    .concat();
    clang("clang", &wasm, &[&source], &module)?;
    clang("clang", &flags, &[&source], &native)?;
    let name = "a machine of 100 functions";
    row(
        name,
        instructions,
        &module,
        &[],
        place,
        weval,
        Some(&native),
    )
}

fn row(
    name: &str,
    instructions: usize,
    module: &Path,
    options: &[&str],
    place: &Path,
    weval: &Path,
    native: Option<&Path>,
) -> Result<Row> {
    eprintln!("{name}");
    let stem = module.with_extension("");
    let output = |kind: &str| PathBuf::from(format!("{}-{kind}.wasm", stem.display()));
    let (theirs, ours) = (output("weval"), output("ours"));
    let bactrian = sibling("bactrian")?;
    let commands = [
        side(weval, options, module, &theirs, place)?,
        side(&bactrian, options, module, &ours, place)?,
    ];
    // Nobody knows then that it was specialized: the interpreter runs.
    let generic = output("generic");
    let mut command = Command::new(&bactrian);
    command
        .args(["specialize", "--generic", "-o"])
        .arg(&generic);
    if options.contains(&"-w") {
        fs::write(place.join("nothing"), "")?;
        command.arg("--init").arg(place.join("nothing"));
    }
    let outcome = process::run(command.arg(module), b"")?;
    let said = String::from_utf8_lossy(&outcome.stderr);
    ensure!(outcome.status == Some(0), "{name}: {said}");
    let expected = run(&bactrian, &generic, place, 1)?;
    let mut runs = [Some(expected.cpu.as_secs_f64()), None, None, None];
    for (place_of, module) in [(1, &theirs), (2, &ours)] {
        let measured = run(&bactrian, module, place, 3)?;
        let differs = last_line(&measured) != last_line(&expected);
        ensure!(!differs, "{} does something else", module.display());
        runs[place_of] = Some(measured.cpu.as_secs_f64());
    }
    if let Some(native) = native {
        let measured = measure::median(3, place, || Ok(Command::new(native)))?;
        ensure!(measured.ends_as(&expected), "{name}: native code differs");
        runs[3] = Some(measured.cpu.as_secs_f64());
    }
    Ok(Row {
        name: name.into(),
        instructions,
        commands,
        runs,
    })
}

/// What a program ends with; weval's example also shows addresses.
fn last_line(measured: &Measured) -> (Option<i32>, Vec<u8>) {
    let mut lines = measured
        .output
        .trim_ascii_end()
        .split(|&byte| byte == b'\n');
    (
        measured.status,
        lines.next_back().unwrap_or_default().to_vec(),
    )
}

fn side(
    command: &Path,
    options: &[&str],
    module: &Path,
    output: &Path,
    place: &Path,
) -> Result<Side> {
    let cache = place.join("empty-cache");
    let measured = measure::median(3, place, || {
        let _ = fs::remove_file(&cache);
        let mut command = Command::new(command);
        command.arg("weval").args(options).arg("-i").arg(module);
        command.arg("-o").arg(output).arg("--cache").arg(&cache);
        command.stderr(std::process::Stdio::null());
        Ok(command)
    })?;
    let name = command.display();
    ensure!(measured.status == Some(0), "{name} fails: {measured:?}");
    Ok(Side {
        cpu: measured.cpu.as_secs_f64(),
        megabytes: measured.peak as f64 / f64::from(1 << 20),
        kilobytes: fs::metadata(output)?.len() as f64 / 1024.0,
    })
}

fn run(bactrian: &Path, module: &Path, place: &Path, runs: usize) -> Result<Measured> {
    let command = || {
        let mut command = Command::new(bactrian);
        command.arg("run").arg("--cache").arg(place.join("cache"));
        command.arg(module);
        Ok(command)
    };
    // Machine code gets into the cache.
    let first = measure::median(1, place, command)?;
    ensure!(first.status == Some(0), "{}: {first:?}", module.display());
    measure::median(runs, place, command)
}

impl Row {
    /// How much faster, by less memory and with faster results ours is.
    pub fn gains(&self) -> [Option<f64>; 3] {
        let [theirs, ours] = self.commands;
        let speed = self.runs[1].zip(self.runs[2]);
        [
            Some(theirs.cpu / ours.cpu),
            Some(theirs.megabytes / ours.megabytes),
            speed.map(|(theirs, ours)| theirs / ours),
        ]
    }
}

/// Two tables: what specializing takes, and what comes out of it.
pub fn tables(rows: &[Row]) -> String {
    let mut text = String::from(
        "| specialized by | instructions | weval ms | ours ms | weval µs an instruction | ours µs \
         | × | weval MiB | ours MiB | × | weval wasm KiB | ours |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for row in rows {
        let [theirs, ours] = row.commands;
        let each = |side: Side| side.cpu * 1e6 / row.instructions as f64;
        let [speed, memory, _] = row.gains().map(|gain| shown(gain, 2));
        text += &format!(
            "| {} | {} | {:.0} | {:.0} | {:.1} | {:.1} | {speed} | {:.0} | {:.0} | {memory} \
             | {:.0} | {:.0} |\n",
            row.name,
            row.instructions,
            theirs.cpu * 1e3,
            ours.cpu * 1e3,
            each(theirs),
            each(ours),
            theirs.megabytes,
            ours.megabytes,
            theirs.kilobytes,
            ours.kilobytes,
        );
    }
    text += "\n| run | generic s | weval s | ours s | native interpreter s | × generic \
             | × weval |\n\
             | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n";
    for row in rows {
        let over = |than: usize| Some(row.runs[than]? / row.runs[2]?);
        let times = row.runs.map(|time| shown(time, 3));
        let [generic, theirs, ours, native] = times;
        text += &format!(
            "| {} | {generic} | {theirs} | {ours} | {native} | {} | {} |\n",
            row.name,
            shown(over(0), 2),
            shown(over(1), 2)
        );
    }
    let all = geometric_mean(rows.iter().filter_map(|row| row.gains()[2]));
    text + &format!("| geometric mean | | | | | | {} |\n", shown(all, 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_compare_with_weval() {
        let side = |cpu, megabytes| Side {
            cpu,
            megabytes,
            kilobytes: 8.0,
        };
        let row = Row {
            name: "m".into(),
            instructions: 1000,
            commands: [side(0.4, 90.0), side(0.1, 30.0)],
            runs: [Some(8.0), Some(2.0), Some(1.0), None],
        };
        let text = tables(&[row]);
        let specialized =
            "| m | 1000 | 400 | 100 | 400.0 | 100.0 | 4.00 | 90 | 30 | 3.00 | 8 | 8 |";
        assert!(text.contains(specialized), "{text}");
        let run = "| m | 8.000 | 2.000 | 1.000 | – | 8.00 | 2.00 |";
        assert!(text.contains(run), "{text}");
        assert!(text.ends_with("| 2.00 |\n"), "{text}");
    }
}
