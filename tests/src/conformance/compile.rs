//! The compiler's part of a test: making a program, or a file of one, with the installed OCaml.
//!
//! Leaves out: what the compiler says, and whether that is as expected; it is not under test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::environment::Environment;
use super::files;
use super::verdict::LeftOut;
use crate::process;

/// Compiles what the variables say, in `directory`; the result is why that was not possible.
pub fn compile(environment: &Environment, directory: &Path) -> Result<Option<LeftOut>> {
    let module = environment.text("module");
    let is_program = module.trim().is_empty();
    let modules = if is_program {
        prepared(environment, directory)?
    } else {
        vec![module]
    };
    if modules.iter().any(|module| module.ends_with(".c")) {
        return Ok(Some(LeftOut::NeedsC));
    }
    let mut command = compiler(environment, directory);
    command.args(suffixed(environment.words("libraries"), ".cma"));
    for flags in ["ocamlc_default_flags", "ocamlc_flags"] {
        command.args(environment.words(flags));
    }
    if !is_program || environment.is_true("compile_only") {
        command.arg("-c");
    } else {
        command.arg("-o").arg(environment.text("program"));
    }
    command.args(environment.words("ocaml_filetype_flag"));
    command.args(suffixed(environment.words("binary_modules"), ".cmo"));
    command.args(modules).args(environment.words("last_flags"));
    refusal(
        &mut command,
        environment.status("ocamlc_byte_exit_status"),
        environment,
    )
}

/// Compiles the modules that a toplevel session begins with, one by one.
pub fn modules(environment: &Environment, directory: &Path) -> Result<Option<LeftOut>> {
    for module in environment.words("modules") {
        if module.ends_with(".c") {
            return Ok(Some(LeftOut::NeedsC));
        }
        let mut command = compiler(environment, directory);
        command.arg("-c").arg(module);
        if let Some(refusal) = refusal(&mut command, 0, environment)? {
            return Ok(Some(refusal));
        }
    }
    Ok(None)
}

fn compiler(environment: &Environment, directory: &Path) -> Command {
    let mut command = Command::new("ocamlc");
    command
        .current_dir(directory)
        .args(directory_flags(environment))
        .args(environment.words("flags"));
    command
}

/// Where libraries and interfaces are looked for.
pub fn directory_flags(environment: &Environment) -> Vec<String> {
    let directories = environment.words("directories").into_iter();
    directories
        .flat_map(|directory| ["-I".to_string(), directory])
        .collect()
}

pub fn suffixed(names: Vec<String>, suffix: &str) -> impl Iterator<Item = String> {
    names.into_iter().map(move |name| name + suffix)
}

/// The modules of the program; of lexers and parsers, what is generated.
fn prepared(environment: &Environment, directory: &Path) -> Result<Vec<String>> {
    let mut prepared = Vec::new();
    for module in environment.words("all_modules") {
        if let Some(name) = module.strip_suffix(".mll") {
            generate(
                "ocamllex",
                "ocamllex_flags",
                &module,
                environment,
                directory,
            )?;
            prepared.push(format!("{name}.ml"));
        } else if let Some(name) = module.strip_suffix(".mly") {
            generate(
                "ocamlyacc",
                "ocamlyacc_flags",
                &module,
                environment,
                directory,
            )?;
            prepared.extend([format!("{name}.mli"), format!("{name}.ml")]);
        } else {
            prepared.push(module);
        }
    }
    Ok(prepared)
}

fn generate(
    tool: &str,
    flags: &str,
    module: &str,
    environment: &Environment,
    directory: &Path,
) -> Result<()> {
    let mut command = Command::new(tool);
    command.current_dir(directory);
    command.args(environment.words(flags)).arg(module);
    // If it fails, the compiler finds no file and says so.
    process::run(&mut command, b"").map(|_| ())
}

/// Runs the compiler; says what it said if it does not end as expected.
fn refusal(
    command: &mut Command,
    expected: i32,
    environment: &Environment,
) -> Result<Option<LeftOut>> {
    command.envs(environment.exported()).env("TERM", "dumb");
    let outcome = process::run(command, b"")?;
    if outcome.status == Some(expected) {
        return Ok(None);
    }
    let said = [outcome.stdout, outcome.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    Ok(Some(LeftOut::NotBuilt(said)))
}

/// What tests use of the suite's own: two libraries and the tool for expectations.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The source tree.
    pub source: PathBuf,
    /// Where the libraries are.
    pub libraries: PathBuf,
    pub expect: PathBuf,
}

impl Suite {
    /// Builds them in `directory`, from the source tree.
    pub fn build(source: PathBuf, directory: &Path) -> Result<Self> {
        fs::create_dir_all(directory)?;
        let libraries = directory.canonicalize()?;
        let suite = source.join("testsuite");
        for file in [
            "lib/testing.mli",
            "lib/testing.ml",
            "lib/lib.ml",
            "tools/expect_test.ml",
        ] {
            let name = Path::new(file).file_name().context("it has a name")?;
            files::copy(&suite.join(file), &libraries.join(name))?;
        }
        let expect = "-I +compiler-libs -linkall -o expect_test.byte ocamlcommon.cma \
            ocamlbytecomp.cma ocamltoplevel.cma expect_test.ml";
        for arguments in [
            "-c testing.mli",
            "-a -linkall -o testing.cma testing.ml",
            "-c lib.ml",
            expect,
        ] {
            let mut command = Command::new("ocamlc");
            command.current_dir(&libraries);
            command.args(["-w", "-a"]).args(arguments.split(' '));
            let outcome = process::run(&mut command, b"")?;
            if outcome.status != Some(0) {
                let said = String::from_utf8_lossy(&outcome.stderr).into_owned();
                bail!(
                    "cannot build what the tests use (is ocaml-compiler-libs installed?): {said}"
                );
            }
        }
        Ok(Self {
            source,
            expect: libraries.join("expect_test.byte"),
            libraries,
        })
    }
}
