//! A server and a client of HTTP in OCaml, with `--unconfined`: `curl` gets from the server what it
//! gets where that runs under `ocamlrun`, and the client asks that one. And the same in the sandbox
//! with what opens the network, where nothing else is open.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};
use bactrian_tests::process;
use bactrian_tests::tool::{Mode, Tool};
use bactrian_tests::workspace;
use tempfile::TempDir;

/// What `curl` is asked for.
const QUESTIONS: [&[&str]; 6] = [
    &["/"],
    &["/large"],
    &["/nowhere"],
    &["--data", "llama", "/upper"],
    &["--data-binary", "@big", "/length"],
    &["--parallel", "/large", "/", "/large", "/nowhere"],
];

struct Place {
    directory: TempDir,
    tool: Tool,
}

/// A server that runs, and its port.
struct Server {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
    port: u16,
}

impl Place {
    fn new() -> Result<Self> {
        let directory = TempDir::new()?;
        for name in ["server", "client"] {
            let source = workspace().join("tests/http").join(name);
            let mut compiler = Command::new("ocamlc");
            compiler.args(["-w", "-a", "-o", &format!("{name}.byte"), "unix.cma"]);
            std::fs::copy(
                source.with_extension("ml"),
                directory.path().join(format!("{name}.ml")),
            )?;
            compiler.arg(format!("{name}.ml")).current_dir(&directory);
            let outcome = process::run(&mut compiler, b"")?;
            ensure!(outcome.status == Some(0), "{outcome:?}");
        }
        std::fs::write(directory.path().join("big"), vec![b'b'; 200_000])?;
        let binary = env!("CARGO_BIN_EXE_bactrian-under-test");
        let tool = Tool::new(binary, directory.path())?;
        Ok(Self { directory, tool })
    }

    /// A program under `ocamlrun`, or in a mode.
    fn program(&self, name: &str, mode: Option<Mode>) -> Command {
        let mut command = match mode {
            None => {
                let mut command = Command::new("ocamlrun");
                command.arg(name);
                command
            }
            Some(mode) => {
                let mut command = self.tool.drop_in(mode, name);
                command.arg("--");
                command
            }
        };
        command.current_dir(&self.directory);
        command
    }

    fn serve(&self, mode: Option<Mode>) -> Result<Server> {
        self.started(self.program("server.byte", mode))
    }

    /// A program in the sandbox, with these options.
    fn confined(&self, options: &[&str], name: &str) -> Command {
        let mut command = self.tool.command(["run", "--cache"]);
        command.arg(self.directory.path().join("cache"));
        command.args(options).arg(name).current_dir(&self.directory);
        command
    }

    fn started(&self, mut command: Command) -> Result<Server> {
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let mut output = BufReader::new(child.stdout.take().context("it is piped")?);
        let mut port = String::new();
        output.read_line(&mut port)?;
        let port = port.trim().parse().context("a port")?;
        Ok(Server {
            child,
            output,
            port,
        })
    }

    /// What `curl` gets for all questions.
    fn answers(&self, port: u16) -> Result<Vec<process::Outcome>> {
        let ask = |words: &&[&str]| {
            let mut curl = Command::new("curl");
            curl.args([
                "--silent",
                "--max-time",
                "60",
                "--write-out",
                "%{http_code}\n",
            ]);
            for word in *words {
                match word.strip_prefix('/') {
                    Some(path) => curl.arg(format!("http://127.0.0.1:{port}/{path}")),
                    None => curl.arg(word),
                };
            }
            process::run(curl.current_dir(&self.directory), b"")
        };
        QUESTIONS.iter().map(ask).collect()
    }

    fn client(&self, mode: Option<Mode>, port: u16) -> Result<process::Outcome> {
        let mut command = self.program("client.byte", mode);
        process::run(command.arg(port.to_string()), b"")
    }
}

impl Server {
    /// What it printed after the port, and its status.
    fn end(mut self) -> Result<(String, Option<i32>)> {
        let mut curl = Command::new("curl");
        curl.args(["--silent", &format!("http://127.0.0.1:{}/end", self.port)]);
        process::run(&mut curl, b"")?;
        let mut rest = String::new();
        self.output.read_to_string(&mut rest)?;
        Ok((rest, self.child.wait()?.code()))
    }
}

#[test]
fn curl_gets_what_it_gets_under_ocamlrun() -> Result<()> {
    let place = Place::new()?;
    let server = place.serve(None)?;
    let expected = place.answers(server.port)?;
    assert!(
        expected.iter().all(|outcome| outcome.status == Some(0)),
        "{expected:?}"
    );
    assert_eq!(server.end()?, ("0 left\n".into(), Some(0)));
    for mode in [Mode::Generic, Mode::Residual] {
        let server = place.serve(Some(mode))?;
        for (index, found) in place.answers(server.port)?.into_iter().enumerate() {
            let same = match QUESTIONS[index][0] {
                // In any order.
                "--parallel" => sorted(&found.stdout) == sorted(&expected[index].stdout),
                _ => found == expected[index],
            };
            assert!(same, "{mode:?}: {:?}: {:?}", QUESTIONS[index], found.status);
        }
        assert_eq!(server.end()?, ("0 left\n".into(), Some(0)), "{mode:?}");
    }
    Ok(())
}

fn sorted(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes.sort_unstable();
    bytes
}

#[test]
fn a_client_is_answered() -> Result<()> {
    let place = Place::new()?;
    let server = place.serve(None)?;
    let expected = place.client(None, server.port)?;
    assert_eq!(expected.status, Some(0), "{expected:?}");
    for mode in [Mode::Generic, Mode::Residual] {
        let found = place.client(Some(mode), server.port)?;
        assert_eq!(found.difference(&expected), None, "{mode:?}");
    }
    server.end()?;
    Ok(())
}

/// How a program of the sandbox ends that is refused something of the network: by its name.
fn assert_refused(mut command: Command, error: &str) -> Result<()> {
    let found = process::run(&mut command, b"")?;
    let said = String::from_utf8_lossy(&found.stderr);
    assert!(said.contains(error), "{command:?}: {said}");
    assert_eq!(found.status, Some(2));
    Ok(())
}

#[test]
fn the_sandbox_has_what_was_opened_of_the_network() -> Result<()> {
    let place = Place::new()?;
    let server = place.serve(None)?;
    let expected = place.answers(server.port)?;
    let client = place.client(None, server.port)?;
    for generic in [&["--generic"][..], &[]] {
        let listens = [generic, &["--tcp-listen", "127.0.0.1:0"]].concat();
        let confined = place.started(place.confined(&listens, "server.byte"))?;
        for (question, (found, expected)) in QUESTIONS
            .iter()
            .zip(place.answers(confined.port)?.iter().zip(&expected))
            .filter(|(question, _)| question[0] != "--parallel")
        {
            assert_eq!(found, expected, "{question:?}");
        }
        assert_eq!(confined.end()?, ("0 left\n".into(), Some(0)));
        let inherits = [generic, &["--inherit-network"]].concat();
        let mut asks = place.confined(&inherits, "client.byte");
        let found = process::run(asks.arg(server.port.to_string()), b"")?;
        assert_eq!(found.difference(&client), None, "{generic:?}");
    }
    let port = server.port.to_string();
    let mut asks = place.confined(&["--tcp-listen", "127.0.0.1:0"], "client.byte");
    asks.arg(&port);
    assert_refused(asks, "Unix.Unix_error(Unix.EACCES, \"connect\", \"\")")?;
    let mut asks = place.confined(&[], "client.byte");
    asks.arg(&port);
    assert_refused(asks, "Unix.Unix_error(Unix.ENOSYS, \"socket\", \"\")")?;
    let serves = place.confined(&["--tcp-listen", "127.0.0.1:1"], "server.byte");
    assert_refused(serves, "Unix.Unix_error(Unix.EACCES, \"bind\", \"\")")?;
    server.end()?;
    Ok(())
}
