//! Running a case: the same command in the same directory under `ocamlrun`, generic and residual.
//!
//! Invariant: each engine finds the directory as the first one found it. What the program under
//! test is called with is a script that starts the engine, so that the suite's own scripts can call
//! it, too. Leaves out: whether the output is right ([`super::verdict`]).

use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use wait_timeout::ChildExt;

use crate::tool::Tool;

use super::files;

/// What executes bytecode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Ocamlrun,
    Generic,
    Residual,
}

/// The engines that are compared with `ocamlrun`.
pub const OURS: [Engine; 2] = [Engine::Generic, Engine::Residual];

impl Engine {
    pub fn name(self) -> &'static str {
        match self {
            Engine::Ocamlrun => "ocamlrun",
            Engine::Generic => "generic",
            Engine::Residual => "residual",
        }
    }
}

/// One execution, as the suite asks for it.
#[derive(Clone, Debug)]
pub struct Invocation {
    pub bytecode: PathBuf,
    pub arguments: Vec<String>,
    /// A shell command that runs `$program` (then `arguments` are unused).
    pub script: Option<String>,
    /// Where that command leaves changes of variables, unread.
    pub response: PathBuf,
    pub environment: Vec<(String, String)>,
    /// Where it runs.
    pub directory: PathBuf,
    /// What has to be the same for each engine: `directory`, or one that holds it.
    pub restored: PathBuf,
    pub stdin: Option<PathBuf>,
    /// The file that is compared; standard output and error go there where `captures` says so.
    pub output: PathBuf,
    pub captures: bool,
}

/// How one execution ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// None: killed, by a signal or at the time limit.
    pub status: Option<i32>,
    pub timed_out: bool,
    pub output: Vec<u8>,
    /// What a script wrote beside it.
    pub log: Vec<u8>,
}

/// The commands that execute bytecode.
#[derive(Clone, Debug)]
pub struct Engines {
    pub tool: Tool,
    /// Those of ours that are asked for.
    pub ours: Vec<Engine>,
    pub time_limit: Duration,
}

impl Engines {
    /// Runs under `ocamlrun` and, if that ends with `expected`, under the others.
    pub fn run(&self, invocation: &Invocation, expected: i32) -> Result<Vec<(Engine, Run)>> {
        let saved = files::beside(&invocation.restored, "saved");
        files::remove(&saved)?;
        files::copy(&invocation.restored, &saved)?;
        let mut runs = vec![(
            Engine::Ocamlrun,
            self.execute(Engine::Ocamlrun, invocation)?,
        )];
        if runs[0].1.status == Some(expected) {
            for &engine in &self.ours {
                files::remove(&invocation.restored)?;
                files::copy(&saved, &invocation.restored)?;
                runs.push((engine, self.execute(engine, invocation)?));
            }
        }
        files::remove(&saved)?;
        Ok(runs)
    }

    fn execute(&self, engine: Engine, invocation: &Invocation) -> Result<Run> {
        let program = self.starter(engine, invocation)?;
        let log = files::beside(&invocation.restored, "log");
        let child = started(&mut self.command(invocation, &program, &log)?)
            .with_context(|| format!("cannot start {}", program.display()))?;
        let (status, timed_out) = self.ended(child)?;
        let run = Run {
            status,
            timed_out,
            output: fs::read(&invocation.output).unwrap_or_default(),
            log: fs::read(&log).unwrap_or_default(),
        };
        for made in [&log, &program, &invocation.response] {
            files::remove(made)?;
        }
        Ok(run)
    }

    fn command(&self, invocation: &Invocation, program: &Path, log: &Path) -> Result<Command> {
        let mut command = match &invocation.script {
            None => Command::new(program),
            Some(script) => {
                let mut shell = Command::new("sh");
                shell.args(["-c", script]);
                shell
            }
        };
        if invocation.script.is_none() {
            command.args(&invocation.arguments);
        }
        let output = if invocation.captures {
            &invocation.output
        } else {
            log
        };
        files::remove(output)?;
        let output = OpenOptions::new().create(true).append(true).open(output)?;
        command
            .current_dir(&invocation.directory)
            .envs(invocation.environment.iter().cloned())
            .env("program", program)
            .env("ocamltest_response", &invocation.response)
            .env("PWD", &invocation.directory)
            .stdin(match &invocation.stdin {
                Some(path) => Stdio::from(File::open(path)?),
                None => Stdio::null(),
            })
            .stdout(output.try_clone()?)
            .stderr(output)
            .process_group(0);
        Ok(command)
    }

    /// Waits for the end; at the time limit, ends the process and those that it started.
    fn ended(&self, mut child: Child) -> Result<(Option<i32>, bool)> {
        if let Some(status) = child.wait_timeout(self.time_limit)? {
            return Ok((status.code(), false));
        }
        let group = format!("-{}", child.id());
        Command::new("kill")
            .args(["-KILL", "--", &group])
            .status()?;
        child.wait()?;
        Ok((None, true))
    }

    /// A script, beside the directory that is restored, that starts the engine with the arguments
    /// it gets.
    fn starter(&self, engine: Engine, invocation: &Invocation) -> Result<PathBuf> {
        let path = files::beside(&invocation.restored, engine.name());
        fs::write(&path, self.start(engine, invocation))?;
        fs::set_permissions(&path, Permissions::from_mode(0o755))?;
        Ok(path)
    }

    fn start(&self, engine: Engine, invocation: &Invocation) -> String {
        let bytecode = quoted(&invocation.bytecode);
        let mode = match engine {
            Engine::Ocamlrun => {
                return format!("#!/bin/sh\nexec ocamlrun {bytecode} \"$@\"\n");
            }
            Engine::Generic => " --generic",
            Engine::Residual => "",
        };
        format!(
            "#!/bin/sh\nexec {} run{mode} --cache {} --cache-size 8192 --unconfined \
             {bytecode} -- \"$@\"\n",
            quoted(&self.tool.binary),
            quoted(&self.tool.cache),
        )
    }
}

/// A path as the shell reads it.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

/// Starts a program that was just written. A process that another thread has forked meanwhile may
/// have it open for writing, until it runs what it is for.
fn started(command: &mut Command) -> io::Result<Child> {
    const ATTEMPTS: usize = 100;
    for _ in 1..ATTEMPTS {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                thread::sleep(Duration::from_millis(10));
            }
            done => return done,
        }
    }
    command.spawn()
}
