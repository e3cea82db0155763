//! The list of libraries, `tests/libraries/list`: a line for each, with words between spaces.
//!
//! The first word is the library's name; its program is `NAME.ml` beside the list, with `_` for
//! what no module's name has. Then come the package of Debian and the names for `ocamlfind`, with
//! commas between. Further words are options:
//!
//! * `unconfined`: the program gets files, programs and sockets of the system;
//! * `program=NAME`: the program of another library;
//! * `runs=ARGS;ARGS`: its executions, each with arguments between commas;
//! * `env=NAME=VALUE`: a variable;
//! * `varies=WORD`: of a line with this word, what follows the word is not compared.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::workspace;

/// A library to try.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Library {
    pub name: String,
    /// The package of Debian.
    pub package: String,
    /// What `ocamlfind` calls it.
    pub findlib: String,
    pub program: String,
    pub unconfined: bool,
    /// The arguments of each execution.
    pub runs: Vec<Vec<String>>,
    pub env: Vec<(String, String)>,
    /// Words behind which a line varies.
    pub varies: Vec<String>,
}

/// Where the list and the programs are.
pub fn directory() -> PathBuf {
    workspace().join("tests/libraries")
}

/// All libraries, in the list's order.
pub fn read() -> Result<Vec<Library>> {
    parse(&std::fs::read_to_string(directory().join("list"))?)
}

fn parse(text: &str) -> Result<Vec<Library>> {
    let lines = (1..).zip(text.lines());
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(number, line)| library(line).with_context(|| format!("line {number}")))
        .collect()
}

fn library(line: &str) -> Result<Library> {
    let mut words = line.split_whitespace();
    let mut word = |what: &str| words.next().map(String::from).context(what.to_owned());
    let name = word("no name")?;
    let mut library = Library {
        program: name.replace(['.', '-'], "_"),
        name,
        package: word("no package")?,
        findlib: word("no name for ocamlfind")?,
        runs: vec![Vec::new()],
        ..Library::default()
    };
    for option in words {
        let (key, value) = option.split_once('=').unwrap_or((option, ""));
        match key {
            "unconfined" if value.is_empty() => library.unconfined = true,
            "program" => library.program = value.into(),
            "runs" => library.runs = value.split(';').map(arguments).collect(),
            "env" => {
                let (name, value) = value.split_once('=').context("a variable has a value")?;
                library.env.push((name.into(), value.into()));
            }
            "varies" => library.varies.push(value.into()),
            _ => bail!("no such option: {option}"),
        }
    }
    Ok(library)
}

fn arguments(text: &str) -> Vec<String> {
    let words = text.split(',').filter(|word| !word.is_empty());
    words.map(String::from).collect()
}

impl Library {
    /// The program's source.
    pub fn source(&self) -> PathBuf {
        directory().join(&self.program).with_extension("ml")
    }

    /// Output without what varies.
    pub fn settled(&self, output: &[u8]) -> Vec<u8> {
        let text = String::from_utf8_lossy(output);
        if self.varies.is_empty() {
            return output.to_vec();
        }
        let settled = |line: &str| {
            let found = self.varies.iter().filter_map(|word| {
                let at = line.find(word.as_str())?;
                Some(at + word.len())
            });
            line[..found.min().unwrap_or(line.len())].to_owned() + "\n"
        };
        text.lines().map(settled).collect::<String>().into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_to_run() {
        let text = "# a comment\n\nlwt.unix liblwt-ocaml-dev lwt,lwt.unix unconfined \
                    runs=a,b;;c env=A=1 varies=in:\n";
        let all = parse(text).expect("it can be read");
        assert_eq!(all.len(), 1);
        let library = &all[0];
        assert_eq!(library.program, "lwt_unix");
        assert!(library.unconfined);
        assert_eq!(library.runs, [vec!["a", "b"], vec![], vec!["c"]]);
        assert_eq!(library.env, [("A".into(), "1".into())]);
        assert_eq!(library.settled(b"took in: 3 s\nx\n"), b"took in:\nx\n");
        for wrong in ["name", "name package", "a b c what", "a b c env=X"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn each_library_of_the_list_has_its_program() {
        let all = read().expect("the list can be read");
        assert!(all.len() >= 45, "{} libraries", all.len());
        for library in all {
            assert!(library.source().is_file(), "{}", library.name);
        }
    }
}
