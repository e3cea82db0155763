//! Inserts our lines into somebody's source files, at places that are found by a few words of
//! theirs.
//!
//! Invariant: each place is found, or it is an error that names it. Leaves out: patches, which
//! would repeat the text around.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};

/// What to do, by the name of the file.
pub fn parse(text: &str) -> Result<BTreeMap<&str, Vec<Edit<'_>>>> {
    let mut files: BTreeMap<&str, Vec<Edit>> = BTreeMap::new();
    let mut file = None;
    for (number, line) in text.lines().enumerate() {
        let here = || format!("line {}: {line}", number + 1);
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(inserted) = line.strip_prefix('|') {
            let edits = file.and_then(|file| files.get_mut(file));
            let edit = edits.and_then(|edits| edits.last_mut());
            edit.with_context(here)?.lines.push(inserted);
            continue;
        }
        let (verb, words) = line.split_once(' ').with_context(here)?;
        if verb == "file" {
            files.entry(words).or_default();
            file = Some(words);
            continue;
        }
        let verb = match verb {
            "seek" => Verb::Seek,
            "after" => Verb::After,
            "before" => Verb::Before,
            "instead" => Verb::Instead,
            _ => bail!("{}: no such verb", here()),
        };
        let edits = file.and_then(|file| files.get_mut(file));
        edits.with_context(here)?.push(Edit {
            verb,
            words,
            lines: Vec::new(),
        });
    }
    Ok(files)
}

/// One place, and what is done there.
#[derive(Debug)]
pub struct Edit<'t> {
    verb: Verb,
    /// What the line at that place contains.
    words: &'t str,
    lines: Vec<&'t str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Seek,
    After,
    Before,
    Instead,
}

/// The source with all edits made, in order.
pub fn apply(source: &str, edits: &[Edit]) -> Result<String> {
    let mut output: Vec<String> = Vec::new();
    let mut rest = source.lines().map(str::to_owned).peekable();
    for edit in edits {
        while let Some(line) = rest.next_if(|line| !line.contains(edit.words)) {
            output.push(line);
        }
        let line = rest.next();
        let mut line = line.with_context(|| format!("no line has `{}`", edit.words))?;
        let inserted = edit.lines.iter().map(|&line| line.to_owned());
        match edit.verb {
            Verb::Seek => ensure!(edit.lines.is_empty(), "`seek` inserts nothing"),
            Verb::Before => output.extend(inserted),
            Verb::Instead => line = line.replacen(edit.words, &edit.lines.join("\n"), 1),
            Verb::After => {
                output.push(line);
                output.extend(inserted);
                continue;
            }
        }
        output.push(line);
    }
    output.extend(rest);
    Ok(output.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(source: &str, edits: &str) -> Result<String> {
        apply(source, &parse(edits)?["a.c"])
    }

    #[test]
    fn edits_are_made_in_order() -> Result<()> {
        let edits = "file a.c\nafter one\n|1\nbefore three\n|2\ninstead e\n|E\n";
        let found = edited("one\ntwo\nthree\nfree\n", edits)?;
        assert_eq!(found, "one\n1\ntwo\n2\nthree\nfrEe\n");
        Ok(())
    }

    #[test]
    fn a_place_that_is_missing_is_named() {
        let error = edited("one\ntwo\n", "file a.c\nseek two\nafter one\n|x\n");
        let error = error.expect_err("`one` comes before");
        assert_eq!(error.to_string(), "no line has `one`");
    }
}
