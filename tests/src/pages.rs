//! Pages that can be followed: blocks of files, changes and commands, and what these print.
//!
//! A block is a file (` ```rust file=PATH `), changes to one (` ```diff file=PATH `, hunks between
//! lines of `@@`), or commands with what they print (` ```console `). In the latter `…` stands for
//! what varies: within a line, or as a line for any number of them.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::process;

/// A block of a page, with the line that it begins on.
#[derive(Debug, PartialEq)]
pub struct Block {
    pub line: usize,
    pub kind: Kind,
    pub text: String,
}

#[derive(Debug, PartialEq)]
pub enum Kind {
    File(String),
    Change(String),
    Console,
}

/// The blocks of a page; each has to be of a kind that is known.
pub fn blocks(page: &str) -> Result<Vec<Block>> {
    let mut found = Vec::new();
    let mut lines = (1..).zip(page.lines());
    while let Some((line, text)) = lines.next() {
        let Some(info) = text.strip_prefix("```") else {
            continue;
        };
        let file = info.split_once("file=").map(|(_, file)| file.to_owned());
        let kind = match (info, file) {
            ("console", None) => Kind::Console,
            (info, Some(file)) if info.starts_with("diff ") => Kind::Change(file),
            (_, Some(file)) => Kind::File(file),
            _ => bail!("line {line}: a block of no known kind: {info}"),
        };
        let inside = lines.by_ref().map(|(_, text)| text);
        let inside = inside.take_while(|text| !text.starts_with("```"));
        let text = inside.map(|text| format!("{text}\n")).collect();
        found.push(Block { line, kind, text });
    }
    Ok(found)
}

/// `file` with each hunk made, which has to be at exactly one place.
pub fn changed(file: &str, hunks: &str) -> Result<String> {
    let mut file = file.to_owned();
    for hunk in hunks.split("@@\n") {
        let side = |without: char| {
            let lines = hunk.lines().filter(|line| !line.starts_with(without));
            let lines = lines.map(|line| line.get(1..).unwrap_or_default());
            lines.map(|line| format!("{line}\n")).collect::<String>()
        };
        let (old, new) = (side('+'), side('-'));
        // Where nothing is said of what is there, the change is at the beginning.
        if old.is_empty() {
            file = new + &file;
            continue;
        }
        let places = file.match_indices(&old).count();
        // The last line may go on.
        let (old, new) = match places {
            0 => (old.trim_end_matches('\n'), new.trim_end_matches('\n')),
            _ => (&*old, &*new),
        };
        let places = file.match_indices(old).count();
        ensure!(
            places == 1,
            "{places} places of the file have\n{old}\nin\n{file}"
        );
        file = file.replace(old, new);
    }
    Ok(file)
}

/// Whether lines are as they were expected.
pub fn agree(expected: &[&str], found: &[&str]) -> bool {
    match (expected, found) {
        ([], []) => true,
        (["…", rest @ ..], _) => (0..=found.len()).any(|skip| agree(rest, &found[skip..])),
        ([expected, rest @ ..], [found, others @ ..]) => {
            line_agrees(expected, found) && agree(rest, others)
        }
        _ => false,
    }
}

fn line_agrees(expected: &str, found: &str) -> bool {
    let mut parts = expected.split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = found.strip_prefix(first) else {
        return false;
    };
    let mut last = None;
    for part in parts {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
        last = Some(part);
    }
    match last {
        None | Some(_) if rest.is_empty() => true,
        Some("") => true,
        _ => false,
    }
}

/// Where a page is followed.
pub struct Place {
    /// Where its files are, and its commands run.
    pub directory: PathBuf,
    /// What is before the directories of `PATH`.
    pub commands: PathBuf,
    /// What commands cache.
    pub cache: PathBuf,
}

impl Place {
    /// Follows all blocks of a page; an error names the block. A file is written as `written` makes
    /// it of the page's text.
    pub fn follow(&self, page: &Path, written: impl Fn(&str) -> String) -> Result<usize> {
        let text = fs::read_to_string(page)?;
        let blocks = blocks(&text)?;
        for block in &blocks {
            let followed = self.block(block, &written);
            followed.with_context(|| format!("{}:{}", page.display(), block.line))?;
        }
        Ok(blocks.len())
    }

    fn block(&self, block: &Block, written: impl Fn(&str) -> String) -> Result<()> {
        match &block.kind {
            Kind::File(file) => Ok(fs::write(self.directory.join(file), written(&block.text))?),
            Kind::Change(file) => {
                let path = self.directory.join(file);
                let text = changed(&fs::read_to_string(&path)?, &block.text)?;
                Ok(fs::write(path, text)?)
            }
            Kind::Console => self.console(&block.text),
        }
    }

    fn console(&self, text: &str) -> Result<()> {
        for command in text.strip_prefix("$ ").context("a command")?.split("\n$ ") {
            let (command, expected) = command.split_once('\n').unwrap_or((command, ""));
            let found = self.run(command)?;
            let wanted: Vec<_> = expected.lines().map(str::trim_end).collect();
            let lines: Vec<_> = found.lines().map(str::trim_end).collect();
            let agree = agree(&wanted, &lines);
            ensure!(agree, "{command} prints\n{found}and not\n{expected}");
        }
        Ok(())
    }

    /// What a command prints, on both streams.
    fn run(&self, line: &str) -> Result<String> {
        let mut command = Command::new("sh");
        let mut path = OsString::from(&self.commands);
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        for (name, _) in std::env::vars() {
            if name.starts_with("CARGO_") || name.starts_with("RUST") && name != "RUSTUP_HOME" {
                command.env_remove(name);
            }
        }
        command.args(["-c", &format!("exec 2>&1; {line}")]);
        command.current_dir(&self.directory);
        command.env("PATH", path).env("CARGO_NET_OFFLINE", "true");
        command.env("XDG_CACHE_HOME", &self.cache);
        let outcome = process::run(&mut command, b"")?;
        Ok(String::from_utf8_lossy(&outcome.stdout).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_shows_is_compared() -> Result<()> {
        assert!(agree(&["a … c", "…", "d"], &["a b c", "x", "y", "d"]));
        assert!(agree(&["…"], &[]));
        assert!(agree(&["took … ms"], &["took 5.3 ms"]));
        assert!(!agree(&["a … c"], &["a b d"]));
        assert!(!agree(&["took … ms"], &["took 5.3 ms cpu"]));
        assert!(!agree(&["a"], &["a", "b"]));
        assert!(!agree(&["a", "…", "b"], &["a"]));
        assert_eq!(changed("a\nb\nc\n", " a\n-b\n+d\n")?, "a\nd\nc\n");
        assert_eq!(changed("a\n", "+z\n a\n@@\n-a\n+b\n")?, "z\nb\n");
        assert!(changed("a\na\n", "-a\n+b\n").is_err());
        assert!(changed("a\n", "-b\n").is_err());
        assert!(blocks("```sh\nrm\n```\n").is_err());
        Ok(())
    }
}
