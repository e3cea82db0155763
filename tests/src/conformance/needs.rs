//! What a program needs that a sandbox does not have, found by looking at its source and at its
//! executable.
//!
//! Invariant: only words of the language count, so a name in a longer name does not. Leaves out:
//! whether the program comes to the place where it needs it.

use std::fs;
use std::path::Path;

use anyhow::Result;

use super::environment::Environment;
use super::verdict::LeftOut;

/// Functions of the library `unix` for processes, signals between them, and sockets.
const UNIX: &[&str] = &[
    "accept",
    "bind",
    "connect",
    "create_process",
    "create_process_env",
    "execv",
    "execve",
    "execvp",
    "execvpe",
    "fork",
    "getaddrinfo",
    "kill",
    "listen",
    "open_connection",
    "open_process",
    "open_process_args",
    "open_process_args_full",
    "open_process_args_in",
    "open_process_args_out",
    "open_process_full",
    "open_process_in",
    "open_process_out",
    "socket",
    "socketpair",
    "system",
    "wait",
    "waitpid",
];

/// Whether the program uses sockets or processes: all that is in its directory counts as the
/// program. Those of the threads library count, as the threads that have both are what they test.
pub fn system(environment: &Environment, directory: &Path) -> Result<bool> {
    let libraries = environment.words("libraries");
    if libraries.iter().any(|library| library == "threads") {
        return Ok(false);
    }
    let has_unix = libraries.iter().any(|library| library == "unix");
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "ml") {
            continue;
        }
        let text = fs::read(path).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let commands = ["Sys.command", "#use_output"];
        let has_command = commands.iter().any(|word| text.contains(word));
        if has_command || has_unix && mentions(&text, UNIX) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether the toplevel has its input rewritten by another program.
pub fn rewriter(environment: &Environment) -> bool {
    environment.words("flags").iter().any(|flag| flag == "-ppx")
}

fn mentions(text: &str, names: &[&str]) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\''))
        .any(|word| names.contains(&word))
}

/// Why this is no bytecode that can be run, if so.
pub fn bytecode(program: &Path) -> Option<LeftOut> {
    const TRAILER: &[u8] = b"Caml1999X";
    let Ok(contents) = fs::read(program) else {
        let missing = format!("{} is not there", program.display());
        return Some(LeftOut::NotBuilt(missing));
    };
    // The executable has its own runtime, because it is linked with C code.
    if contents.starts_with(b"\x7fELF") {
        return Some(LeftOut::NeedsC);
    }
    let trailer = contents.len().saturating_sub(12);
    if !contents[trailer..].starts_with(TRAILER) {
        let other = format!("{} is not bytecode", program.display());
        return Some(LeftOut::NotBuilt(other));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_count() {
        assert!(mentions("let () = Unix.(fork ()) |> ignore", UNIX));
        assert!(!mentions("let forked = spoon_and_fork 1", UNIX));
    }

    #[test]
    fn commands_are_processes() {
        let directory = tempfile::tempdir().expect("there is room");
        let file = directory.path().join("x.ml");
        let environment = Environment::default();
        for (text, expected) in [("#use_output \"x\"", true), ("#use \"x\"", false)] {
            fs::write(&file, text).expect("there is room");
            let found = system(&environment, directory.path());
            assert_eq!(found.expect("it is read"), expected, "{text}");
        }
        let mut environment = environment;
        assert!(!rewriter(&environment));
        environment.set("flags", "-w +a -ppx './rewrite it'");
        assert!(rewriter(&environment));
    }

    #[test]
    fn programs_with_threads_count() {
        let mut environment = Environment::default();
        let directory = tempfile::tempdir().expect("there is room");
        let directory = directory.path();
        let text = "let () = Unix.sleep 1; ignore (Unix.fork ())";
        fs::write(directory.join("x.ml"), text).expect("there is room");
        environment.set("libraries", "unix");
        assert!(system(&environment, directory).expect("it is read"));
        environment.set("libraries", "unix threads");
        assert!(!system(&environment, directory).expect("it is read"));
    }
}
