//! The repository as a whole, for tests about it: its documents, its sources, and what they quote.

use std::fs;
use std::path::Path;

use crate::workspace;

/// The documents of users and developers that are not in `docs`.
const DOCUMENTS: &[&str] = &[
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "specializer/DESIGN.md",
];

/// A file by its path from the workspace's root, and its text.
pub type Text = (String, String);

/// The documents' texts.
pub fn documents() -> Vec<Text> {
    let read = |path: &&str| {
        let text = fs::read_to_string(workspace().join(path));
        let text = text.unwrap_or_else(|error| panic!("{path}: {error}"));
        (path.to_string(), text)
    };
    let mut found: Vec<Text> = DOCUMENTS.iter().map(read).collect();
    collect(&workspace().join("docs"), &["md"], &mut found);
    assert!(found.len() > 20, "the walk found next to nothing");
    found
}

/// Every Rust file.
pub fn sources() -> Vec<Text> {
    let found = files(&["rs"]);
    assert!(found.len() > 20, "the walk found next to nothing");
    found
}

/// Every file whose name ends in one of these.
pub fn files(endings: &[&str]) -> Vec<Text> {
    let mut found = Vec::new();
    collect(workspace(), endings, &mut found);
    found
}

fn collect(directory: &Path, endings: &[&str], found: &mut Vec<Text>) {
    let entries = fs::read_dir(directory).expect("the workspace can be listed");
    for entry in entries {
        let path = entry.expect("the workspace can be listed").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            collect(&path, endings, found);
        } else if endings
            .iter()
            .any(|ending| path.extension() == Some(ending.as_ref()))
        {
            let text = fs::read_to_string(&path).expect("a source file is text");
            let relative = path
                .strip_prefix(workspace())
                .expect("it was found in there");
            found.push((relative.to_string_lossy().into_owned(), text));
        }
    }
}

/// What a document has between backquotes on one line, code blocks left out.
pub fn quoted(text: &str) -> Vec<String> {
    let mut fenced = false;
    let mut spans = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            spans.extend(line.split('`').skip(1).step_by(2).map(String::from));
        }
    }
    spans
}

/// The comments of a source file, without what marks them.
pub fn comments(source: &str) -> String {
    let lines = source.lines().filter_map(|line| {
        let comment = line.trim_start().strip_prefix("//")?;
        Some(comment.trim_start_matches(['/', '!']))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Fails with the list, if there is anything in it.
pub fn assert_none(what: &str, offenders: impl IntoIterator<Item = String>) {
    let offenders: Vec<_> = offenders.into_iter().collect();
    assert!(
        offenders.is_empty(),
        "{what}:\n  {}",
        offenders.join("\n  ")
    );
}
