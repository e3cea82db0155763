//! What holds for the repository as a whole: each source file says what it is and stays small, the
//! documents name only what exists, and crates depend on each other in one direction.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use bactrian_tests::golden::RESIDUAL;
use bactrian_tests::repository::{assert_none, documents, files, quoted, sources};
use bactrian_tests::workspace;

/// Lines a source file may have.
const FILE_LIMIT: usize = 500;

/// Lines a file may have that is flat: a table, one match, cases side by side.
const TABLE_LIMIT: usize = 800;

/// Columns that a line may have.
const WIDTH: usize = 100;

/// The files that may be as long as that, each for a reason.
const TABLES: &[(&str, &str)] = &[
    (
        "specializer/src/lower/golden.rs",
        "expected output, one test for each shape of code",
    ),
    (
        "interpreter/annotations/src/intrinsic/table.rs",
        "the intrinsics, each with an example",
    ),
];

#[test]
fn each_source_file_opens_with_its_purpose() {
    let silent = sources().into_iter().filter(|(_, text)| {
        let first = text.lines().find(|line| !line.starts_with("#!["));
        !first.is_some_and(|line| line.starts_with("//! "))
    });
    assert_none("files without a `//!` header", silent.map(|(path, _)| path));
}

#[test]
fn files_are_small() {
    let too_long = sources().into_iter().filter_map(|(path, text)| {
        let is_table = TABLES.iter().any(|(table, _)| *table == path);
        let limit = if is_table { TABLE_LIMIT } else { FILE_LIMIT };
        let lines = text.lines().count();
        (lines > limit).then(|| format!("{path}: {lines} lines, of {limit}"))
    });
    assert_none("files that are too long", too_long);
}

/// Tables and code blocks apart.
#[test]
fn documents_keep_within_their_width() {
    let wide = documents().into_iter().flat_map(|(document, text)| {
        let mut fenced = false;
        wide_lines(&document, &text, |line| {
            fenced ^= line.trim_start().starts_with("```");
            !fenced && !line.trim_start().starts_with('|')
        })
    });
    assert_none("lines that are too wide", wide);
}

/// What `BLESS=1` writes into goldens apart.
#[test]
fn code_keeps_within_its_width() {
    let code = files(&["rs", "ml", "mli", "wat", "sh"]);
    let wide = code.into_iter().flat_map(|(path, text)| {
        let written = text.split(RESIDUAL).next().unwrap_or_default();
        wide_lines(&path, written, |_| true)
    });
    assert_none("lines that are too wide", wide);
}

/// `tests/tables` takes them from the annotations crate.
#[test]
fn modules_in_text_have_no_layouts() {
    let plain = files(&["wat"]).into_iter();
    let plain = plain.filter(|(_, text)| text.contains("\"BACTRIAN_"));
    assert_none("modules that lay tables out", plain.map(|(path, _)| path));
}

#[test]
fn no_test_is_ignored() {
    let marker = concat!("#[", "ignore");
    let ignored = sources().into_iter().filter(|(_, text)| {
        text.lines()
            .any(|line| line.trim_start().starts_with(marker))
    });
    assert_none("files with ignored tests", ignored.map(|(path, _)| path));
}

#[test]
fn documents_name_only_paths_that_exist() {
    let missing = documents().into_iter().flat_map(|(document, text)| {
        let path = workspace().join(&document);
        quoted(&text)
            .into_iter()
            .filter(|span| is_path(span))
            .filter(|span| !exists(&path, span))
            .map(|span| format!("{document}: {span}"))
            .collect::<Vec<_>>()
    });
    assert_none("paths that do not exist", missing);
}

#[test]
fn documents_name_only_commands_that_exist() {
    let targets = makefile_targets();
    let unknown = documents().into_iter().flat_map(|(document, text)| {
        quoted(&text)
            .into_iter()
            .filter(|span| !names_a_command(span, &targets))
            .map(|span| format!("{document}: {span}"))
            .collect::<Vec<_>>()
    });
    assert_none("commands that do not exist", unknown);
}

#[test]
fn crates_depend_in_one_direction() {
    let allowed: BTreeMap<&str, &[&str]> = BTreeMap::from([
        (
            "bactrian",
            &[
                "bactrian-tool",
                "bactrian-specializer",
                "bactrian-cache",
                "bactrian-annotations",
            ][..],
        ),
        ("bactrian-annotations", &[]),
        ("bactrian-cache", &[]),
        ("bactrian-interpreter", &["bactrian-annotations"]),
        ("bactrian-scheme", &["bactrian-annotations"]),
        ("bactrian-specializer", &["bactrian-annotations"]),
        ("bactrian-tables", &["bactrian-annotations"]),
        (
            "bactrian-tool",
            &[
                "bactrian-specializer",
                "bactrian-cache",
                "bactrian-annotations",
            ],
        ),
    ]);
    for (package, allowed) in allowed {
        let ours = dependencies(package)
            .into_iter()
            .filter(|name| name == "bactrian" || name.starts_with("bactrian-"))
            .filter(|name| name != package && !allowed.contains(&name.as_str()));
        assert_none(
            &format!("dependencies of {package} that it must not have"),
            ours,
        );
    }
}

#[test]
fn the_specializer_is_pure() {
    let impure = ["wasmtime", "rusqlite", "wasmtime-wasi", "tempfile"];
    let found = dependencies("bactrian-specializer")
        .into_iter()
        .filter(|name| impure.contains(&name.as_str()));
    assert_none("dependencies that do I/O", found);
}

/// The command's build script needs all that the command needs, and the targets of `make` build
/// parts of the workspace: `make test` builds all of it. With other features for one of them,
/// Wasmtime would be built twice.
#[test]
fn nothing_is_built_twice() {
    let makefile = fs::read_to_string(workspace().join("Makefile")).expect("there is one");
    let parts: BTreeSet<&str> = makefile
        .split("--package ")
        .skip(1)
        .filter_map(|rest| rest.split_whitespace().next())
        .collect();
    assert!(parts.contains("bactrian"), "{parts:?}");
    let parts = parts
        .into_iter()
        .map(|part| tree(&["--package", part], "normal,build", "{p} {f}"));
    let whole = tree(&["--workspace"], "normal,build,dev", "{p} {f}");
    let trees: Vec<String> = parts.chain([whole]).collect();
    let built: BTreeSet<&str> = trees
        .iter()
        .flat_map(|tree| tree.lines())
        .map(|line| line.trim_end_matches(" (*)"))
        .collect();
    let mut packages = BTreeSet::new();
    let twice = built.into_iter().filter(|line| {
        let package: Vec<&str> = line.split(' ').take(2).collect();
        !packages.insert(package)
    });
    assert_none(
        "packages with two sets of features",
        twice.map(String::from),
    );
}

/// The places of the lines of `text` that are too wide, among those that `counts` chooses.
fn wide_lines(path: &str, text: &str, mut counts: impl FnMut(&str) -> bool) -> Vec<String> {
    let lines = text.lines().map(str::trim_end).enumerate();
    lines
        .filter(|(_, line)| counts(line) && line.chars().count() > WIDTH)
        .map(|(number, _)| format!("{path}:{}", number + 1))
        .collect()
}

/// Whether a quotation is meant as a path of the repository: it has a slash or the ending of a file
/// we keep, and is not of what builds leave.
fn is_path(span: &str) -> bool {
    const ENDINGS: &[&str] = &["rs", "md", "toml", "sh", "tsv"];
    let plain = span
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
    let is_file = Path::new(span)
        .extension()
        .is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known));
    let elsewhere = ["/", "..", "target/"];
    let is_relative = !elsewhere.iter().any(|start| span.starts_with(start));
    plain
        && is_relative
        && (is_file || span.contains('/') && !span.starts_with("http"))
        && span.contains(|c: char| c.is_ascii_lowercase())
}

/// From the root, from the document's own directory or its `src`, or from that of the guest which
/// the document is about.
fn exists(document: &Path, span: &str) -> bool {
    let beside = document.parent().expect("a document is in a directory");
    let guest = document.file_stem().expect("a document has a name");
    [
        workspace().to_path_buf(),
        beside.to_path_buf(),
        beside.join("src"),
        workspace().join("guests").join(guest),
    ]
    .iter()
    .any(|base: &PathBuf| base.join(span).exists())
}

fn names_a_command(span: &str, targets: &BTreeSet<String>) -> bool {
    const COMMANDS: &[&str] = &[
        "run",
        "build",
        "specialize",
        "lockstep",
        "cache",
        "bench",
        "demo",
        "weval",
        "check",
        "stubs",
    ];
    match span.split_whitespace().collect::<Vec<_>>()[..] {
        ["make", target, ..] => targets.contains(target),
        ["bactrian", command, ..] => command
            .split('|')
            .all(|command| COMMANDS.contains(&command) || command.starts_with('-')),
        _ => true,
    }
}

fn makefile_targets() -> BTreeSet<String> {
    let makefile = fs::read_to_string(workspace().join("Makefile")).expect("there is a Makefile");
    makefile
        .lines()
        .filter(|line| !line.starts_with(['\t', '.', '#']))
        .filter_map(|line| line.split_once(':'))
        .flat_map(|(targets, _)| targets.split_whitespace())
        .map(String::from)
        .collect()
}

/// The packages that `package` needs, directly or not, to run.
fn dependencies(package: &str) -> Vec<String> {
    tree(&["--package", package], "normal", "{p}")
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .map(String::from)
        .collect()
}

/// What `package` needs of these kinds, a line each.
fn tree(parts: &[&str], edges: &str, format: &str) -> String {
    let output = Command::new(env!("CARGO"))
        .current_dir(workspace())
        .arg("tree")
        .args(parts)
        .args(["--edges", edges])
        .args(["--prefix", "none", "--format", format, "--offline"])
        .output()
        .expect("Cargo can be started");
    assert!(
        output.status.success(),
        "cargo tree: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("Cargo prints text")
}
