//! Doing what a test's header says: a tree of actions. Those that execute bytecode are the cases.
//!
//! Actions that build native code, and those below them, are passed over; so are checks of what a
//! compiler says. When an action does not succeed, the executions below it become cases that are
//! left out, with the reason.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::actions::{actions, condition, execution};
use super::compile::{self, Suite};
use super::engine::{Engines, Invocation};
use super::environment::{Environment, words};
use super::files;
use super::header::{Header, Node};
use super::needs;
use super::verdict::{Case, Kind, LeftOut, Reference};
use crate::process;

/// One file of the suite that has a header.
#[derive(Clone, Debug)]
pub struct Test {
    /// Its path, from the suite's directory of tests.
    pub name: String,
    pub source: PathBuf,
    pub header: Header,
}

/// Does a test.
pub struct Walk<'a> {
    pub test: &'a Test,
    pub suite: &'a Suite,
    pub engines: &'a Engines,
    /// What is executed; the rest is passed over.
    pub kinds: &'a [Kind],
    /// Where everything is built: one directory for each test.
    pub build: PathBuf,
    pub cases: Vec<Case>,
    /// The current directory, of whichever action changed it last.
    pub directory: PathBuf,
}

/// What an action needs of those above it.
#[derive(Clone)]
struct State {
    environment: Environment,
    /// The last case, if nothing but checks followed it.
    case: Option<usize>,
}

enum Step {
    Done,
    /// Not for this machine, or not for us.
    Skipped,
    Stopped(LeftOut),
}

impl Walk<'_> {
    /// Does the whole test, and leaves its cases in `cases`.
    pub fn run(&mut self) -> Result<()> {
        files::remove(&self.build)?;
        fs::create_dir_all(&self.build)?;
        self.directory.clone_from(&self.build);
        let mut state = State {
            environment: self.initial()?,
            case: None,
        };
        for statement in &self.test.header.statements {
            state.environment.apply(statement, &self.suite.libraries)?;
        }
        self.add_modules(&mut state.environment)?;
        let tests = match &self.test.header.tests[..] {
            [] => vec![Node {
                action: "bytecode".into(),
                ..Node::default()
            }],
            tests => tests.to_vec(),
        };
        self.nodes(&tests, &state, "")
    }

    fn source_directory(&self) -> Result<&Path> {
        self.test.source.parent().context("a file is somewhere")
    }

    fn test_file(&self) -> String {
        let name = self.test.source.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    fn initial(&self) -> Result<Environment> {
        let mut environment = Environment::default();
        let shown = |path: &Path| path.to_string_lossy().into_owned();
        let source = self.source_directory()?;
        environment.set("test_file", self.test_file());
        environment.set("test_source_directory", shown(source));
        environment.set("test_build_directory_prefix", shown(&self.build));
        environment.set(
            "reference",
            shown(&self.test.source.with_extension("reference")),
        );
        environment.set("ocamlsrcdir", shown(&self.suite.source));
        for (name, value) in [
            ("MAKE", "make"),
            ("ocamlrunparam", "v=0"),
            ("ocamlrun", "/usr/bin/ocamlrun"),
            ("ocamlc_byte", "/usr/bin/ocamlc.byte"),
            ("os_type", "Unix"),
            ("objext", "o"),
            ("libext", "a"),
            ("sharedobjext", "so"),
            ("TERM", "dumb"),
            ("TEST_PASS", "0"),
            ("TEST_FAIL", "1"),
            ("TEST_SKIP", "125"),
        ] {
            environment.set(name, value);
        }
        Ok(environment)
    }

    /// All modules of the program, each with the interface that lies beside it.
    fn add_modules(&self, environment: &mut Environment) -> Result<()> {
        let source = self.source_directory()?;
        let mut all = Vec::new();
        let named = ["plugins", "modules"].map(|variable| environment.words(variable));
        for module in named.concat().into_iter().chain([self.test_file()]) {
            if let Some(name) = module.strip_suffix(".ml") {
                let interface = format!("{name}.mli");
                if source.join(&interface).exists() {
                    all.push(interface);
                }
            }
            all.push(module);
        }
        environment.set("all_modules", all.join(" "));
        Ok(())
    }

    fn nodes(&mut self, nodes: &[Node], state: &State, number: &str) -> Result<()> {
        for (index, node) in nodes.iter().enumerate() {
            let number = match number {
                "" => format!("{}", index + 1),
                _ => format!("{number}.{}", index + 1),
            };
            self.node(node, state.clone(), &number)?;
        }
        Ok(())
    }

    fn node(&mut self, node: &Node, mut state: State, number: &str) -> Result<()> {
        for statement in &node.statements {
            state.environment.apply(statement, &self.suite.libraries)?;
        }
        for name in &node.modifiers {
            state.environment.include(name, &self.suite.libraries)?;
        }
        let actions = actions(&node.action);
        for (index, action) in actions.iter().enumerate() {
            match self.act(action, &mut state, number)? {
                Step::Done => {}
                Step::Skipped => return Ok(()),
                Step::Stopped(reason) => {
                    self.leave_out(&actions[index..], &node.children, number, &reason);
                    return Ok(());
                }
            }
        }
        self.nodes(&node.children, &state, number)
    }

    /// Counts the executions that will not happen.
    fn leave_out(&mut self, actions: &[&str], below: &[Node], number: &str, reason: &LeftOut) {
        for kind in actions.iter().filter_map(|action| execution(action)) {
            self.add_case(number, kind).left_out = Some(reason.clone());
        }
        for (index, node) in below.iter().enumerate() {
            if condition(&node.action) != Some(false) {
                let number = format!("{number}.{}", index + 1);
                self.leave_out(
                    &super::actions::actions(&node.action),
                    &node.children,
                    &number,
                    reason,
                );
            }
        }
    }

    fn add_case(&mut self, number: &str, kind: Kind) -> &mut Case {
        self.cases.push(Case {
            test: self.test.name.clone(),
            number: number.into(),
            kind,
            left_out: None,
            expected: 0,
            runs: Vec::new(),
            reference: None,
        });
        let last = self.cases.len() - 1;
        &mut self.cases[last]
    }

    fn act(&mut self, action: &str, state: &mut State, number: &str) -> Result<Step> {
        if let Some(kind) = execution(action) {
            if !self.kinds.contains(&kind) {
                return Ok(Step::Skipped);
            }
            return self.execute(kind, state, number);
        }
        let is_check = action.starts_with("check-");
        match action {
            "setup-ocamlc.byte-build-env" => self.set_up_tool("ocamlc.byte", state)?,
            "setup-ocaml-build-env" => self.set_up_tool("ocaml", state)?,
            "setup-simple-build-env" => {
                let build = self.build.clone();
                self.set_up(&build, &[self.test_file()], state)?;
            }
            "setup-build-env" => {
                let build = PathBuf::from(state.environment.text("test_build_directory"));
                self.set_up(&build, &[self.test_file()], state)?;
            }
            "ocamlc.byte" => {
                if let Some(reason) = compile::compile(&state.environment, &self.directory)? {
                    return Ok(Step::Stopped(reason));
                }
            }
            "check-program-output" => self.check(state, "reference"),
            "check-ocaml-output" => self.check(state, "compiler_reference"),
            "cd" => self.directory = self.directory.join(state.environment.text("cwd")),
            "copy" => copy(state, &self.directory)?,
            "script" => return self.script(state),
            "ocamlmklib" | "cc" => return Ok(Step::Stopped(LeftOut::NeedsC)),
            "file-exists" => {
                let file = self.directory.join(state.environment.text("file"));
                if !file.exists() {
                    return Ok(Step::Skipped);
                }
            }
            _ if is_check || action == "compare-bytecode-programs" => {}
            _ => {
                return Ok(match condition(action) {
                    Some(true) => Step::Done,
                    Some(false) => Step::Skipped,
                    None => Step::Stopped(LeftOut::NotBuilt(format!(
                        "{action} is not an action that this runner knows"
                    ))),
                });
            }
        }
        if !is_check {
            state.case = None;
        }
        Ok(Step::Done)
    }

    /// A directory for what a tool makes, with the sources in it.
    fn set_up_tool(&mut self, tool: &str, state: &mut State) -> Result<()> {
        let suffix = state.environment.text("compiler_directory_suffix");
        let build = self.build.join(format!("{tool}{suffix}"));
        let reference = self.tool_reference(tool, &state.environment);
        let environment = &mut state.environment;
        let shown = |path: &Path| path.to_string_lossy().into_owned();
        environment.set_default("compiler_reference", shown(&reference));
        environment.set_default(
            "compiler_output",
            shown(&build.join(format!("{tool}.output"))),
        );
        environment.set("test_build_directory", shown(&build));
        if tool == "ocamlc.byte" {
            let program = build.join(self.test_file()).with_extension("byte");
            environment.set_default("program", shown(&program));
            let output = environment.text("program") + ".output";
            environment.set_default("output", output);
        }
        let modules = environment.words("all_modules");
        self.set_up(&build, &modules, state)
    }

    /// The first of the files with which a tool's output may be compared.
    fn tool_reference(&self, tool: &str, environment: &Environment) -> PathBuf {
        let suffix = environment.text("compiler_reference_suffix");
        let named = |middle: &str| {
            let ending = format!("{middle}{suffix}.reference");
            self.test.source.with_extension(ending)
        };
        let candidates = [named(tool), named("bytecode")];
        let found = candidates.into_iter().find(|path| path.exists());
        found.unwrap_or_else(|| named("compilers"))
    }

    fn set_up(&mut self, build: &Path, sources: &[String], state: &mut State) -> Result<()> {
        let source = self.source_directory()?;
        let readonly = state.environment.words("readonly_files");
        let whole = state.environment.words("subdirectories");
        fs::create_dir_all(build)?;
        for name in sources.iter().chain(&readonly).chain(&whole) {
            let (from, to) = (source.join(name), build.join(name));
            if let Some(parent) = to.parent() {
                fs::create_dir_all(parent)?;
            }
            // What is not there may be made later.
            if from.exists() {
                files::remove(&to)?;
                files::copy(&from, &to)?;
            }
        }
        let build_directory = build.to_string_lossy().into_owned();
        let environment = &mut state.environment;
        environment.set("test_build_directory", build_directory);
        self.directory = build.to_path_buf();
        Ok(())
    }

    /// Runs a command of the test's own, which may change variables.
    fn script(&self, state: &mut State) -> Result<Step> {
        let response = files::beside(&self.build, "response");
        files::remove(&response)?;
        let script = words(&state.environment.text("script"));
        let Some((program, arguments)) = script.split_first() else {
            return Ok(Step::Skipped);
        };
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(&self.directory)
            .envs(state.environment.exported())
            .env("ocamltest_response", &response);
        let outcome = match process::run(&mut command, b"") {
            Ok(outcome) => outcome,
            Err(error) => return Ok(Step::Stopped(LeftOut::NotBuilt(format!("{error:#}")))),
        };
        if outcome.status == Some(125) {
            return Ok(Step::Skipped);
        }
        if outcome.status != Some(state.environment.status("exit_status")) {
            let said = String::from_utf8_lossy(&outcome.stderr).into_owned();
            return Ok(Step::Stopped(LeftOut::NotBuilt(said)));
        }
        let changes = fs::read_to_string(&response).unwrap_or_default();
        files::remove(&response)?;
        apply_response(&changes, &mut state.environment);
        Ok(Step::Done)
    }

    fn execute(&mut self, kind: Kind, state: &mut State, number: &str) -> Result<Step> {
        if let Some(reason) = self.refused(kind, state)? {
            return Ok(Step::Stopped(reason));
        }
        let (invocation, expected) = match kind {
            Kind::Program => self.program(state),
            Kind::Toplevel => self.toplevel(state),
            Kind::Expect => self.expect(state),
        };
        let runs = self.engines.run(&invocation, expected)?;
        let skipped = runs[0].1.status == Some(125) && expected != 125;
        if invocation.script.is_some() && skipped {
            return Ok(Step::Skipped);
        }
        let case = self.add_case(number, kind);
        (case.expected, case.runs) = (expected, runs);
        state.case = Some(self.cases.len() - 1);
        Ok(Step::Done)
    }

    /// Why this cannot be executed, if so.
    fn refused(&self, kind: Kind, state: &State) -> Result<Option<LeftOut>> {
        if needs::system(&state.environment, &self.directory)? {
            return Ok(Some(LeftOut::NeedsSystem));
        }
        match kind {
            Kind::Program => {
                let program = self.directory.join(state.environment.text("program"));
                Ok(needs::bytecode(&program))
            }
            Kind::Toplevel | Kind::Expect if needs::rewriter(&state.environment) => {
                Ok(Some(LeftOut::NeedsSystem))
            }
            Kind::Toplevel => compile::modules(&state.environment, &self.directory),
            Kind::Expect => Ok(None),
        }
    }

    fn invocation(&self, state: &State, bytecode: PathBuf) -> Invocation {
        let stdin = state.environment.text("stdin");
        Invocation {
            bytecode,
            arguments: state.environment.words("arguments"),
            script: None,
            response: files::beside(&self.build, "response"),
            environment: state.environment.exported(),
            directory: self.directory.clone(),
            restored: self.build.clone(),
            stdin: (!stdin.is_empty()).then(|| self.directory.join(stdin)),
            output: self.directory.join(state.environment.text("output")),
            captures: true,
        }
    }

    fn program(&self, state: &State) -> (Invocation, i32) {
        let bytecode = self.directory.join(state.environment.text("program"));
        let mut invocation = self.invocation(state, bytecode);
        let hook = self.test.source.with_extension("run");
        if hook.exists() {
            invocation.script = Some(format!("sh {}", hook.display()));
            invocation.captures = false;
            return (invocation, 0);
        }
        (invocation, state.environment.status("exit_status"))
    }

    fn toplevel(&self, state: &State) -> (Invocation, i32) {
        let environment = &state.environment;
        let mut invocation = self.invocation(state, PathBuf::from("/usr/bin/ocaml"));
        let mut arguments = vec!["-noinit".into(), "-no-version".into(), "-noprompt".into()];
        arguments.extend(compile::directory_flags(environment));
        arguments.extend(environment.words("flags"));
        arguments.extend(compile::suffixed(environment.words("libraries"), ".cma"));
        let modules = environment.words("binary_modules");
        arguments.extend(compile::suffixed(modules, ".cmo"));
        if environment.is_true("ocaml_script_as_argument") {
            arguments.push(environment.text("test_file"));
            invocation.stdin = None;
        } else {
            invocation.stdin = Some(self.directory.join(environment.text("test_file")));
        }
        arguments.append(&mut invocation.arguments);
        invocation.arguments = arguments;
        invocation.output = self.directory.join(environment.text("compiler_output"));
        (invocation, environment.status("ocaml_exit_status"))
    }

    /// The tool writes the file anew with the answers it got, without and then with `-principal`.
    fn expect(&self, state: &mut State) -> (Invocation, i32) {
        let file = self.test_file();
        let flags = self.installed(&state.environment.text("flags"));
        let output = self.directory.join(format!("{file}.corrected.corrected"));
        state
            .environment
            .set("reference", self.test.source.to_string_lossy());
        let mut invocation = self.invocation(state, self.suite.expect.clone());
        invocation.script = Some(format!(
            "\"$program\" {flags} {file} && \"$program\" {flags} -principal {file}.corrected"
        ));
        invocation.captures = false;
        invocation.output = output;
        (invocation, 0)
    }

    /// Flags where the interfaces of the compiler's own modules are those that are installed.
    fn installed(&self, flags: &str) -> String {
        let source = self.suite.source.to_string_lossy();
        let replaced = ["parsing", "toplevel", "typing", "utils"].iter();
        replaced.fold(flags.to_string(), |flags, part| {
            flags.replace(&format!("-I {source}/{part}"), "-I +compiler-libs")
        })
    }

    fn check(&mut self, state: &State, variable: &str) {
        if let Some(index) = state.case {
            let environment = &state.environment;
            let reference = self.directory.join(environment.text(variable));
            let skipped = environment.status("skip_header_lines") as usize;
            self.cases[index].reference = Some(Reference::read(&reference, skipped));
        }
    }
}

fn copy(state: &State, directory: &Path) -> Result<()> {
    let to = state.environment.text("dst");
    for name in state.environment.words("src") {
        let from = directory.join(&name);
        let mut target = directory.join(&to);
        if to.ends_with('/') {
            fs::create_dir_all(&target)?;
            target = target.join(from.file_name().context("a file has a name")?);
        }
        files::remove(&target)?;
        files::copy(&from, &target)?;
    }
    Ok(())
}

/// Changes of variables, a line each: `-NAME`, `NAME="VALUE"` or `NAME+="VALUE"`.
fn apply_response(changes: &str, environment: &mut Environment) {
    for line in changes.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('-') {
            environment.remove(name);
        } else if let Some((name, value)) = line.split_once('=') {
            let value = value.trim_matches('"');
            match name.strip_suffix('+') {
                Some(name) => environment.append(name, value),
                None => environment.set(name, value),
            }
        }
    }
}
