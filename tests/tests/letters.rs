//! The letters of the functions that stubs call, against their text: the linker puts a test behind
//! calls of those that say that they raise, and behind no other.
//!
//! Leaves out: functions of other modules, which raise by their result.

use std::collections::BTreeSet;

use bactrian_tests::repository::{assert_none, sources};

/// A function as it is written.
struct Function {
    name: String,
    /// Of a function of the interface.
    letters: Option<String>,
    /// Up to the next function, without comments.
    body: String,
}

#[test]
fn whoever_may_raise_says_so() {
    let files = sources()
        .into_iter()
        .filter(|(path, _)| path.starts_with("interpreter/src/stubs/"));
    let (mut raising, mut silent) = (0, Vec::new());
    for (_, text) in files {
        let functions = functions(&text);
        let raises = raising_functions(&functions);
        let interface = functions
            .iter()
            .filter(|function| raises.contains(&function.name[..]))
            .filter_map(|function| Some((&function.name, function.letters.as_ref()?)));
        for (name, letters) in interface {
            raising += 1;
            if !letters.contains('r') {
                silent.push(name.clone());
            }
        }
    }
    assert!(raising > 50, "{raising} were found");
    assert_none("functions that raise and do not say so", silent);
}

/// Those that call `unwind`, and those that call these.
fn raising_functions(functions: &[Function]) -> BTreeSet<&str> {
    let mut raising = BTreeSet::from(["unwind"]);
    loop {
        let known = raising.len();
        let more = functions
            .iter()
            .filter(|function| raising.iter().any(|name| mentions(&function.body, name)))
            .map(|function| &function.name[..])
            .collect::<Vec<_>>();
        raising.extend(more);
        if raising.len() == known {
            return raising;
        }
    }
}

/// Whether `name` is called there, or `unwind` handed on. What has a path before it is another
/// module's.
fn mentions(body: &str, name: &str) -> bool {
    if name == "unwind" && body.contains("::unwind") {
        return true;
    }
    body.match_indices(name).any(|(at, _)| {
        let (before, after) = (&body[..at], &body[at + name.len()..]);
        let is_called = after.starts_with('(') || after.starts_with("::<");
        is_called && !before.ends_with(|c: char| c.is_alphanumeric() || "_.:".contains(c))
    })
}

fn functions(text: &str) -> Vec<Function> {
    let mut functions: Vec<Function> = Vec::new();
    for line in text.lines().map(str::trim_start) {
        if line.starts_with("//") {
            continue;
        }
        let declared = line.split_once("fn ").and_then(|(before, rest)| {
            let is_declared = before
                .chars()
                .all(|c| c.is_ascii_lowercase() || " \"".contains(c));
            let (name, rest) = rest.split_once(['(', '<'])?;
            let letters = before.split('"').nth(1).map(String::from);
            is_declared.then(|| (name.to_string(), letters, rest))
        });
        match declared {
            Some((name, letters, rest)) => functions.push(Function {
                name,
                letters,
                body: rest.to_string(),
            }),
            None => {
                if let Some(function) = functions.last_mut() {
                    function.body.push_str(line);
                    function.body.push('\n');
                }
            }
        }
    }
    functions
}
