//! What documents, comments and help say of the command and of the code is so: options,
//! optimisations, limits and types that they name exist, and the generated tables are what the
//! generator writes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use bactrian::bench::means::geometric_mean;
use bactrian::bench::{self, ladder, skeleton};
use bactrian::cli::Cli;
use bactrian::limits;
use bactrian_tests::mutants::table::{STALE_BODY, names};
use bactrian_tests::process;
use bactrian_tests::repository::{assert_none, comments, documents, quoted, sources};
use bactrian_tests::workspace;
use clap::{Command, CommandFactory};
use specializer::Optimisations;
use specializer::fault::KINDS;

/// Words of two humps that are not types of ours: other people's, Lua's, and OCaml's modules.
const FOREIGN: &[&str] = &[
    "GitHub",
    "WebAssembly",
    "CallInfo",
    "LargeFile",
    "StdLabels",
    "UnixLabels",
    "ThreadUnix",
];

/// The other commands of this repository, whose options documents name as well.
const TOOLS: [&str; 2] = [
    env!("CARGO_BIN_EXE_conformance"),
    env!("CARGO_BIN_EXE_mutants"),
];

#[test]
fn options_that_are_named_exist() {
    let options = options();
    let unknown = spans().filter_map(|(place, span)| {
        let wrong = unknown_option(&span, &options)?;
        Some(format!("{place}: `{span}`: {wrong}"))
    });
    assert_none("options that do not exist", unknown);
}

#[test]
fn the_help_names_options_that_exist() {
    let options = options();
    let unknown = commands().into_iter().flat_map(|mut command| {
        let help = command.render_long_help().to_string();
        let words: Vec<_> = help.split_whitespace().map(String::from).collect();
        let name = command.get_name().to_string();
        let quoted = quoted(&help).into_iter();
        let wrong = words.into_iter().chain(quoted);
        let wrong = wrong.filter_map(|span| unknown_option(&span, &options));
        wrong
            .map(|wrong| format!("{name}: {wrong}"))
            .collect::<Vec<_>>()
    });
    assert_none("options that do not exist", unknown);
}

#[test]
fn the_help_lists_what_can_be_switched_and_limited() {
    let run = commands()
        .into_iter()
        .find(|command| command.get_name() == "run");
    let help = run
        .expect("there is a command `run`")
        .render_long_help()
        .to_string();
    let known = Optimisations::NAMES.iter().copied().chain(limits::names());
    let missing = known.filter(|name| !help.contains(name)).map(String::from);
    assert_none("names that the help lacks", missing);
}

/// A wrong name is noticed, however it is spelt.
#[test]
fn options_are_checked() {
    let options = options();
    for wrong in [
        "--magic",
        "bactrian run --magic=3 prog.byte",
        "-O known-callees=off",
        "run -W wings=2",
        "bactrian lockstep -W fuel=2,wings=2",
    ] {
        assert!(unknown_option(wrong, &options).is_some(), "{wrong}");
    }
    for right in [
        "--dir HOST::GUEST",
        "-O guesses=off",
        "-O NAME=off",
        "-W fuel=1,timeout=3s",
        "cargo test --magic",
        "-custom",
    ] {
        assert_eq!(unknown_option(right, &options), None, "{right}");
    }
}

#[test]
fn types_that_are_named_exist() {
    let sources = sources();
    let mut known = BTreeSet::new();
    for (_, text) in &sources {
        for line in text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
        {
            known.extend(identifiers(line));
        }
    }
    let unknown = spans().filter_map(|(place, span)| {
        let name = span
            .rsplit("::")
            .next()
            .filter(|name| has_two_humps(name))?;
        let exists = known.contains(name) || FOREIGN.contains(&name);
        (!exists).then(|| format!("{place}: `{span}`"))
    });
    assert_none("types that do not exist", unknown);
}

/// A second guest needs no change in these: what is known of one is in its description.
#[test]
fn the_pipeline_knows_no_language() {
    const PARTS: [&str; 6] = [
        "snapshot-tool/src/pipeline.rs",
        "snapshot-tool/src/engine.rs",
        "snapshot-tool/src/snapshot.rs",
        "snapshot-tool/src/specialize.rs",
        "snapshot-tool/src/lockstep/",
        "cache/src/",
    ];
    const WORDS: [&str; 2] = ["caml", "bytecode"];
    let parts = sources()
        .into_iter()
        .filter(|(path, _)| PARTS.iter().any(|part| path.starts_with(part)));
    let parts: Vec<_> = parts.collect();
    assert!(parts.len() > 10, "{} files", parts.len());
    let found = parts.into_iter().flat_map(|(path, text)| {
        let lines = text.lines().zip(1..).filter(|(line, _)| {
            let line = line.to_lowercase();
            WORDS.iter().any(|word| line.contains(word))
        });
        lines
            .map(|(line, number)| format!("{path}:{number}: {line}"))
            .collect::<Vec<_>>()
    });
    assert_none("words of one guest's language", found);
}

#[test]
fn the_readme_has_the_generators_tables() {
    let tables = tables_of("README.md");
    for expected in skeleton::readme() {
        let table = assert_written(&tables, &expected);
        let in_order = table
            .iter()
            .zip(&expected)
            .all(|(row, cells)| agrees(row, cells));
        assert!(in_order && table.len() == expected.len(), "{expected:?}");
    }
}

#[test]
fn the_page_of_programs_has_the_generators_rows() {
    let directory = workspace().join("tests/bench");
    let expected = skeleton::programs(&directory).expect("they can be listed");
    assert_written(&tables_of("docs/bench.md"), &expected);
}

#[test]
fn the_page_of_rebuilds_has_the_generators_rows() {
    assert_written(&tables_of("docs/caching.md"), &skeleton::rebuilds());
}

#[test]
fn the_ladder_has_a_row_for_each_switch() {
    let tables = tables_of("docs/bench.md");
    let ladder = tables.iter().find(|table| table[0][0] == "switched off");
    let ladder = ladder.expect("there is a ladder");
    let rows: BTreeSet<_> = ladder[1..]
        .iter()
        .map(|row| row[0].trim_matches('`'))
        .collect();
    assert_eq!(rows, ladder::switches().collect());
}

#[test]
fn the_table_of_mutants_has_a_row_for_each_kind() {
    let tables = tables_of("docs/mutants.md");
    let rows = tables[0][1..].iter().map(|row| [&row[0], &row[1]]);
    let rows: Vec<_> = rows.map(|row| row.map(String::as_str)).collect();
    let kinds: Vec<_> = KINDS.iter().copied().map(names).collect();
    let kinds = kinds.iter().map(|(stage, name)| [stage, name.as_str()]);
    assert_eq!(rows, kinds.chain([STALE_BODY.into()]).collect::<Vec<_>>());
}

/// Finds the table with the expected header. Its rows have to be among the expected ones; those
/// that are newer than the last run of `make bench` may be missing.
fn assert_written<'t>(tables: &'t [Table], expected: &[skeleton::Row]) -> &'t Table {
    let header = &expected[0];
    let table = tables.iter().find(|table| agrees(&table[0], header));
    let table = table.unwrap_or_else(|| panic!("no table has the header {header:?}"));
    let others = table
        .iter()
        .filter(|row| !expected.iter().any(|expected| agrees(row, expected)));
    assert_none(
        "rows that the generator would not write",
        others.map(|row| row.join(" | ")),
    );
    table
}

/// Whether a row is the expected one, whatever its figures.
fn agrees(row: &[String], expected: &skeleton::Row) -> bool {
    let mut cells = row.iter().zip(expected);
    row.len() == expected.len()
        && cells.all(|(cell, expected)| expected.as_ref().is_none_or(|expected| cell == expected))
}

/// The README's summary is that of the rows in `docs/bench.md`, to the digits that they have.
#[test]
fn the_readmes_figures_are_those_of_the_rows() {
    let [readme, page] = ["README.md", "docs/bench.md"].map(tables_of);
    let column = |title: &str, group: &str| {
        let at = page[0][0].iter().position(|cell| cell == title);
        let at = at.unwrap_or_else(|| panic!("no column {title}"));
        let rows = page[0][1..].iter().filter(|row| row[1].ends_with(group));
        let cells = rows.map(move |row| row[at].parse::<f64>());
        cells.collect::<Result<Vec<_>, _>>().expect("numbers")
    };
    let figures: BTreeMap<_, _> = readme[0]
        .iter()
        .map(|row| (row[0].as_str(), &row[1]))
        .collect();
    let figure = |label: &str| {
        let text = figures
            .get(label)
            .unwrap_or_else(|| panic!("no figure {label}"));
        let number = text.split('×').next().expect("there is always a first");
        number.parse::<f64>().expect("a number")
    };
    let mean = |title, group| geometric_mean(column(title, group)).expect("there are programs");
    let worst = column("× ocamlrun", "").into_iter().reduce(f64::min);
    for (label, expected) in [
        (
            "residual over generic, geometric mean",
            mean("× generic", ""),
        ),
        (
            "residual over ocamlrun, geometric mean",
            mean("× ocamlrun", ""),
        ),
        (
            "residual over ocamlrun, geometric mean of programs held back",
            mean("× ocamlrun", "held back"),
        ),
        (
            "residual over ocamlrun, worst program",
            worst.expect("there are programs"),
        ),
        (
            "of ocamlopt's speed, geometric mean",
            mean("of ocamlopt", ""),
        ),
    ] {
        let said = figure(label);
        assert!(
            (said - expected).abs() < 0.02,
            "{label}: {said}, by the rows {expected}"
        );
    }
}

/// Figures that `make bench` writes into the README stand nowhere else, where they would grow old,
/// but for what other commands write.
#[test]
fn figures_of_the_benchmark_are_in_the_readme_only() {
    const LABELS: [&str; 4] = [
        "instructions specialized",
        "a word of bytecode",
        "warm cache over cold",
        "geometric mean",
    ];
    let mut copies = Vec::new();
    for (path, text) in documents() {
        let mut is_written = false;
        let quotes = text.lines().filter(|line| {
            let is_mark = |end: &str| line.starts_with("<!-- ") && line.contains(end);
            is_written = (is_written || is_mark(":begin ")) && !is_mark(":end ");
            let has_figure = line.contains(|c: char| c.is_ascii_digit());
            !is_written && has_figure && LABELS.iter().any(|label| line.contains(label))
        });
        copies.extend(quotes.map(|line| format!("{path}: {line}")));
    }
    assert_none("figures that `make bench` writes", copies);
}

#[test]
fn the_functions_that_differ_are_those_of_the_document() {
    let document =
        fs::read_to_string(workspace().join("docs/differences.md")).expect("there is one");
    let tables = tables(&document);
    let rows = tables.iter().find(|table| table[0][0] == "function");
    let rows = &rows.expect("a table of functions")[1..];
    let named: BTreeSet<_> = rows.iter().map(|row| row[0].trim_matches('`')).collect();
    assert_eq!(named, BTreeSet::from(bench::MAY_DIFFER));
}

/// What documents and comments have between backquotes, with the place.
fn spans() -> impl Iterator<Item = (String, String)> {
    let comments = sources()
        .into_iter()
        .map(|(path, text)| (path, comments(&text)));
    documents()
        .into_iter()
        .chain(comments)
        .flat_map(|(path, text)| {
            let spans = quoted(&text).into_iter();
            spans
                .map(move |span| (path.clone(), span))
                .collect::<Vec<_>>()
        })
}

/// The command and all that are below it.
fn commands() -> Vec<Command> {
    let mut all = Cli::command();
    // Else those below have no options before they are called.
    all.build();
    let mut found = vec![all];
    let mut next = 0;
    while let Some(command) = found.get(next) {
        let below: Vec<_> = command.get_subcommands().cloned().collect();
        found.extend(below);
        next += 1;
    }
    found
}

/// The long options of all commands and tools.
fn options() -> BTreeSet<String> {
    let mut found = BTreeSet::from(["help".to_string(), "version".to_string()]);
    for tool in TOOLS {
        let help =
            process::run(std::process::Command::new(tool).arg("--help"), b"").expect("it starts");
        let help = String::from_utf8_lossy(&help.stdout).into_owned();
        let words = help.split_whitespace();
        let long = words.filter_map(|word| word.strip_prefix("--"));
        found.extend(long.map(String::from));
    }
    for command in commands() {
        let long = command
            .get_arguments()
            .filter_map(|argument| argument.get_long());
        found.extend(long.map(String::from));
    }
    found
}

/// What of a quotation looks like an option of the command, and is none.
fn unknown_option(span: &str, options: &BTreeSet<String>) -> Option<String> {
    let words: Vec<_> = span.split_whitespace().collect();
    let ours = |word: &str| word.starts_with('-') || word == "bactrian" || word == "run";
    if !words.first().is_some_and(|word| ours(word)) {
        return None;
    }
    let long = words.iter().filter_map(|word| word.strip_prefix("--"));
    let wrong = long
        .map(|option| {
            option
                .split(['=', ',', '.', ')', '[', ']', ';'])
                .next()
                .unwrap_or_default()
        })
        .find(|option| !option.is_empty() && !options.contains(*option));
    if let Some(option) = wrong {
        return Some(format!("--{option}"));
    }
    let known = |switch: &str, name: &str| match switch {
        "-O" => Optimisations::NAMES.contains(&name),
        "-W" => limits::names().any(|known| known == name),
        _ => true,
    };
    for pair in words.windows(2) {
        for item in pair[1].split(',') {
            let name = item.split('=').next().unwrap_or_default();
            let is_name = name.starts_with(|c: char| c.is_ascii_lowercase());
            if is_name && !known(pair[0], name) {
                return Some(format!("{} {name}", pair[0]));
            }
        }
    }
    None
}

fn identifiers(line: &str) -> impl Iterator<Item = String> {
    line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| has_two_humps(word))
        .map(String::from)
}

/// Whether a word is spelt as types are, with more than one hump, which OCaml's modules hardly
/// have.
fn has_two_humps(word: &str) -> bool {
    let humps = word.chars().filter(char::is_ascii_uppercase).count();
    let letters = word.chars().all(|c| c.is_ascii_alphanumeric());
    let ends_low = !word.ends_with(|c: char| c.is_ascii_uppercase());
    word.starts_with(|c: char| c.is_ascii_uppercase()) && humps > 1 && letters && ends_low
}

/// Rows of cells, the header first.
type Table = Vec<Vec<String>>;

/// The tables of a document.
fn tables_of(path: &str) -> Vec<Table> {
    let text = fs::read_to_string(workspace().join(path));
    tables(&text.unwrap_or_else(|error| panic!("{path}: {error}")))
}

fn tables(text: &str) -> Vec<Table> {
    let mut tables: Vec<Table> = vec![Vec::new()];
    for line in text.lines() {
        let row = line
            .strip_prefix("| ")
            .and_then(|rest| rest.strip_suffix(" |"));
        match (row, tables.last_mut()) {
            (Some(row), Some(table)) => {
                if !row.starts_with("---") {
                    table.push(row.split(" | ").map(String::from).collect());
                }
            }
            _ => tables.push(Vec::new()),
        }
    }
    tables.retain(|table| !table.is_empty());
    tables
}
