//! Machines that share a cache by a directory, a Redis server and an S3-compatible server: what one
//! has built, another takes over; what goes wrong there costs a warning and no more.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use bactrian_tests::place::Place;
use bactrian_tests::process;
use bactrian_tests::workspace;
use tempfile::TempDir;

/// A machine with an empty cache.
fn machine() -> Result<Place> {
    Place::new(env!("CARGO_BIN_EXE_bactrian-under-test"))
}

/// Builds the program on a machine that shares its cache; what was said.
fn build(machine: &Place, url: &str, more: &[&str]) -> Result<String> {
    let mut command = machine.build("out/program.wasm");
    command.args(["--stats", "--remote", url]).args(more);
    command.env("AWS_ACCESS_KEY_ID", "camel");
    command.env("AWS_SECRET_ACCESS_KEY", "camel");
    let outcome = process::run(&mut command, b"")?;
    ensure!(outcome.status == Some(0), "{outcome:?}");
    Ok(String::from_utf8(outcome.stderr)?)
}

fn built(machine: &Place) -> Result<Vec<u8>> {
    Ok(fs::read(machine.path("out/program.wasm"))?)
}

/// Whether a build had nothing to specialize.
fn took_all(said: &str) -> bool {
    let functions = said.contains(": 0 specialized") && !said.contains(" 0 from the cache");
    functions || is_known(said)
}

/// Whether a build had nothing to do at all.
fn is_known(said: &str) -> bool {
    said.contains("the whole program is in the cache")
}

/// What one machine builds, another one has, in the same bytes; what it adds, the first one has.
fn assert_shared(url: &str) -> Result<()> {
    let (first, second) = (machine()?, machine()?);
    let said = build(&first, url, &[])?;
    assert!(said.contains(" 0 from the cache"), "{said}");
    let said = build(&second, url, &[])?;
    assert!(took_all(&said), "{said}");
    assert_eq!(built(&first)?, built(&second)?);
    second.assert_cache_is_sound()?;
    let other = ["-O", "inlining=off"];
    assert!(!took_all(&build(&second, url, &other)?));
    let third = machine()?;
    assert!(took_all(&build(&third, url, &other)?));
    assert!(took_all(&build(&third, url, &[])?));
    for machine in [&first, &third] {
        let said = build(machine, url, &[])?;
        assert!(!said.contains("bactrian:"), "{said}");
    }
    Ok(())
}

/// A directory as a store.
fn directory() -> Result<(TempDir, String)> {
    let directory = TempDir::new()?;
    let url = format!("fs://{}", directory.path().display());
    Ok((directory, url))
}

/// All files below a directory.
fn files(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut directories = vec![directory.to_path_buf()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory)? {
            let path = entry?.path();
            match path.is_dir() {
                true => directories.push(path),
                false => found.push(path),
            }
        }
    }
    found.sort();
    Ok(found)
}

#[test]
fn machines_share_by_a_directory() -> Result<()> {
    let (_directory, url) = directory()?;
    assert_shared(&url)
}

#[test]
fn machines_share_by_redis() -> Result<()> {
    let data = TempDir::new()?;
    let server = Server::start("redis-server", |command, port| {
        command
            .args(["--save", "", "--port", port])
            .current_dir(&data);
    })?;
    assert_shared(&format!("redis://127.0.0.1:{}/camels", server.port))
}

/// A password in the address has its special characters in its own way.
#[test]
fn a_store_that_asks_for_a_password_gets_the_one_in_the_address() -> Result<()> {
    let data = TempDir::new()?;
    let server = Server::start("redis-server", |command, port| {
        command
            .args(["--save", "", "--requirepass", "se#kret", "--port", port])
            .current_dir(&data);
    })?;
    for user in ["", "default"] {
        let url = format!("redis://{user}:se%23kret@127.0.0.1:{}", server.port);
        let said = build(&machine()?, &url, &[])?;
        assert!(!said.contains("could not be used"), "{said}");
        assert!(took_all(&build(&machine()?, &url, &[])?));
    }
    Ok(())
}

#[test]
fn machines_share_by_s3() -> Result<()> {
    let moto = workspace().join("target/moto/bin/moto_server");
    let server = Server::start(&moto.to_string_lossy(), |command, port| {
        command.args(["-H", "127.0.0.1", "-p", port]);
    })?;
    server.request("PUT /camels HTTP/1.0\r\nContent-Length: 0\r\n\r\n")?;
    let (port, region) = (server.port, "us-east-1");
    assert_shared(&format!(
        "s3://camels/caches?endpoint=http%3A%2F%2F127.0.0.1%3A{port}&region={region}"
    ))
}

#[test]
fn programs_run_from_machine_code_of_another_machine() -> Result<()> {
    let (_directory, url) = directory()?;
    let run = |machine: &Place| {
        let mut command = machine.run(&["--stats", "--remote", &url]);
        process::run(&mut command, b"")
    };
    let (there, mut here) = (machine()?, machine()?);
    // Debug information says where a program was compiled.
    here.bytecode.clone_from(&there.bytecode);
    let (first, second) = (run(&there)?, run(&here)?);
    assert_eq!(first.stdout, second.stdout);
    let said = String::from_utf8(second.stderr)?;
    assert!(is_known(&said), "{said}");
    Ok(())
}

#[test]
fn programs_that_another_machine_built_are_only_written() -> Result<()> {
    let (_directory, url) = directory()?;
    for emit in ["wasm", "cwasm"] {
        let (there, mut here) = (machine()?, machine()?);
        // Debug information says where a program was compiled.
        here.bytecode.clone_from(&there.bytecode);
        let options = ["--emit", emit];
        let said = build(&there, &url, &options)?;
        assert!(!is_known(&said), "{said}");
        let said = build(&here, &url, &options)?;
        assert!(is_known(&said), "{said}");
        assert_eq!(built(&there)?, built(&here)?);
        let said = build(&here, &url, &[&options[..], &["--strip"]].concat())?;
        assert!(!is_known(&said), "{said}");
        here.assert_cache_is_sound()?;
    }
    Ok(())
}

#[test]
fn a_reader_leaves_nothing() -> Result<()> {
    let (directory, url) = directory()?;
    let reads_only = ["--remote-read-only"];
    build(&machine()?, &url, &reads_only)?;
    assert_eq!(files(directory.path())?, [""; 0].map(PathBuf::from));
    build(&machine()?, &url, &[])?;
    let before = files(directory.path())?;
    assert!(!before.is_empty());
    assert!(took_all(&build(&machine()?, &url, &reads_only)?));
    assert_eq!(files(directory.path())?, before);
    Ok(())
}

/// Whatever the store's objects have become: the program is the same, and the next build finds what
/// this one left.
#[test]
fn damaged_objects_are_not_believed() -> Result<()> {
    let (directory, url) = directory()?;
    let reference = machine()?;
    build(&reference, &url, &[])?;
    let damages: [fn(&mut Vec<u8>); 3] = [
        |bytes| bytes.truncate(bytes.len() / 2),
        |bytes| bytes.iter_mut().step_by(97).for_each(|byte| *byte ^= 1),
        |bytes| bytes.clear(),
    ];
    for damage in damages {
        for file in files(directory.path())? {
            let mut bytes = fs::read(&file)?;
            damage(&mut bytes);
            fs::write(&file, bytes)?;
        }
        let machine = machine()?;
        assert!(!took_all(&build(&machine, &url, &[])?));
        assert_eq!(built(&machine)?, built(&reference)?);
        machine.assert_cache_is_sound()?;
        let next = self::machine()?;
        assert!(took_all(&build(&next, &url, &[])?));
    }
    Ok(())
}

/// Nobody listens at a port that was just given back.
#[test]
fn a_store_that_is_not_there_costs_one_warning() -> Result<()> {
    let port = free_port()?;
    let stores = [
        format!("redis://127.0.0.1:{port}"),
        format!("s3://camels?endpoint=http%3A%2F%2F127.0.0.1%3A{port}&region=us-east-1"),
    ];
    for url in stores {
        let machine = machine()?;
        let said = build(&machine, &url, &[])?;
        let warnings = said.matches("could not be used").count();
        assert_eq!(warnings, 1, "{said}");
        assert!(took_all(&build(&machine, &url, &[])?));
    }
    Ok(())
}

/// The store is not asked for anything where a program starts from the cache.
#[test]
fn a_program_that_is_here_starts_without_the_store() -> Result<()> {
    let url = format!("redis://127.0.0.1:{}", free_port()?);
    let machine = machine()?;
    let run = || -> Result<String> {
        let mut command = machine.run(&["--stats", "--remote", &url]);
        Ok(String::from_utf8(process::run(&mut command, b"")?.stderr)?)
    };
    assert!(run()?.contains("could not be used"));
    let said = run()?;
    assert!(is_known(&said), "{said}");
    assert!(!said.contains("could not be used"), "{said}");
    Ok(())
}

/// One that takes each connection and says nothing is waited for once, as long as the user says.
#[test]
fn a_store_that_does_not_answer_costs_one_warning() -> Result<()> {
    let silent = TcpListener::bind("127.0.0.1:0")?;
    let port = silent.local_addr()?.port();
    let stores = [
        format!("redis://127.0.0.1:{port}"),
        format!("s3://camels?endpoint=http%3A%2F%2F127.0.0.1%3A{port}&region=us-east-1"),
    ];
    for url in stores {
        let machine = machine()?;
        let said = build(&machine, &url, &["--remote-timeout", "1"])?;
        let warnings = said.matches("could not be used").count();
        assert_eq!(warnings, 1, "{said}");
        assert!(took_all(&build(&machine, &url, &[])?));
    }
    Ok(())
}

/// A directory in which nothing can be made stands for a disk that is full.
#[test]
fn a_store_that_takes_nothing_costs_one_warning() -> Result<()> {
    let machine = machine()?;
    let said = build(&machine, "fs:///proc", &[])?;
    assert_eq!(said.matches("could not be used").count(), 1, "{said}");
    assert!(took_all(&build(&machine, "fs:///proc", &[])?));
    Ok(())
}

#[test]
fn a_store_of_no_known_kind_is_an_error() -> Result<()> {
    let machine = machine()?;
    for url in ["camel://here", "redis", ""] {
        let mut command = machine.build("out/program.wasm");
        let outcome = process::run(command.env("BACTRIAN_REMOTE", url), b"")?;
        let said = String::from_utf8(outcome.stderr)?;
        // An empty variable is as none.
        match url {
            "" => assert_eq!(outcome.status, Some(0), "{said}"),
            _ => assert!(said.contains("cannot share a cache by"), "{said}"),
        }
    }
    Ok(())
}

/// A port that was free a moment ago.
fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// A server of a test's own, which ends with it.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    /// Starts `program` with what `arguments` adds for its port, and waits until it listens.
    fn start(program: &str, arguments: impl FnOnce(&mut Command, &str)) -> Result<Self> {
        let port = free_port()?;
        let mut command = Command::new(program);
        arguments(&mut command, &port.to_string());
        let child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {program}: run `make setup`"))?;
        let server = Self { child, port };
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if begun.elapsed() > Duration::from_secs(60) {
                bail!("{program} does not listen");
            }
            thread::sleep(Duration::from_millis(50));
        }
        Ok(server)
    }

    /// Sends an HTTP request, and waits for the answer.
    fn request(&self, text: &str) -> Result<()> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.write_all(text.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        ensure!(answer.contains(" 200 "), "{answer}");
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
