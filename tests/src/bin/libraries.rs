//! Tries libraries of Debian; see `docs/libraries.md`. The status is 1 if too few are as under
//! `ocamlrun`, or if one is not and nothing says why.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;

use anyhow::{Context, Result};
use bactrian_tests::conformance::report::write_between;
use bactrian_tests::libraries::list::{self, Library};
use bactrian_tests::libraries::table::{self, Reasons};
use bactrian_tests::libraries::trial::{State, Trials, Tried};
use bactrian_tests::pages::Place;
use bactrian_tests::tool::Tool;
use bactrian_tests::{workers, workspace};
use clap::Parser;

/// Run a program for each of some libraries under ocamlrun, generic and specialized.
#[derive(Debug, Parser)]
struct Arguments {
    /// Libraries of `tests/libraries/list`, instead of all.
    names: Vec<String>,
    /// Only show the packages of Debian.
    #[arg(long)]
    packages: bool,
    /// Libraries at a time.
    #[arg(long, default_value = "2")]
    jobs: usize,
    /// A document that gets the table, between its markers.
    #[arg(long)]
    document: Option<PathBuf>,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let mut libraries = list::read()?;
    if !arguments.names.is_empty() {
        libraries.retain(|library| arguments.names.contains(&library.name));
    }
    if arguments.packages {
        let mut packages: Vec<_> = libraries.into_iter().map(|l| l.package).collect();
        packages.dedup();
        packages.iter().for_each(|package| println!("{package}"));
        return Ok(ExitCode::SUCCESS);
    }
    let place = workspace().join("target/libraries");
    fs::create_dir_all(&place)?;
    let beside = std::env::current_exe()?.with_file_name("bactrian-under-test");
    let trials = Trials {
        tool: Tool::new(beside, &place)?,
        place,
        made: Mutex::default(),
    };
    let all = all(&trials, &libraries, arguments.jobs)?;
    let reasons = fs::read_to_string(list::directory().join("reasons"))?;
    let reasons = Reasons::parse(&reasons)?;
    let table = table::markdown(&all, &reasons);
    println!("{table}");
    if let Some(document) = &arguments.document {
        write_between(document, table::MARKS, &table)?;
    }
    let mut complaints = reasons.complaints(&all);
    match arguments.names.is_empty() {
        true => complaints.extend(tutorial(&trials).err().map(|error| format!("{error:#}"))),
        false => complaints.retain(|complaint| !complaint.contains("libraries are")),
    }
    for complaint in &complaints {
        eprintln!("libraries: {complaint}");
    }
    Ok(match complaints.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// Follows the page about libraries, in a directory of a clone: the build's.
fn tutorial(trials: &Trials) -> Result<()> {
    // Beside `scripts`, as the page has it.
    let directory = tempfile::tempdir_in(workspace())?;
    let commands = trials.place.join("bin");
    fs::create_dir_all(&commands)?;
    let command = commands.join("bactrian");
    _ = fs::remove_file(&command);
    symlink(&trials.tool.binary, command)?;
    let place = Place {
        directory: directory.path().into(),
        commands,
        cache: trials.place.join("tutorial"),
    };
    let page = workspace().join("docs/tutorial-libraries.md");
    place.follow(&page, str::to_owned).map(|_| ())
}

/// What came of these libraries, in their order.
fn all(trials: &Trials, libraries: &[Library], jobs: usize) -> Result<Vec<Tried>> {
    let done = workers::each(libraries, jobs.max(1), |index, library| {
        let tried = trials.one(library).with_context(|| library.name.clone())?;
        tell(index, libraries.len(), &tried);
        Ok(tried)
    });
    done.into_iter().collect()
}

fn tell(index: usize, of: usize, tried: &Tried) {
    let name = &tried.library.name;
    let state = match &tried.state {
        State::Same => "as under ocamlrun",
        State::Untried(reason) => &format!("not tried: {reason}"),
        State::Differs(how) => &format!("differs:\n{how}"),
    };
    eprintln!("[{}/{of}] {name}: {state}", index + 1);
}
