//! Guests beside native implementations and beside weval, for `make guests-bench`, which has built
//! the guests before. With `--document FILE` and `--readme FILE`, writes the tables there.

use std::path::PathBuf;

use anyhow::Result;
use bactrian_tests::beside::{guests, javascript, shown, weval};
use bactrian_tests::conformance::report::write_between;
use bactrian_tests::workspace;
use clap::Parser;

const BEGIN: &str = "<!-- guests:begin (written by `make guests-bench`) -->";
const END: &str = "<!-- guests:end -->";

/// Measure guests beside native implementations and beside weval.
#[derive(Debug, Parser)]
struct Arguments {
    /// A document that gets all tables, between its markers.
    #[arg(long)]
    document: Option<PathBuf>,
    /// A document that gets the table of guests.
    #[arg(long)]
    readme: Option<PathBuf>,
    /// Only measure what is beside weval.
    #[arg(long)]
    weval: bool,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let target = workspace().join("target");
    // Where `make javascript` has it as well.
    let command = weval::command(&target.join("javascript/weval"))?;
    let modules = weval::measured(&target.join("guests-bench"), &command)?;
    let mut tables = vec![weval::tables(&modules)];
    eprint!("{}", tables[0]);
    let mut summary = String::new();
    if !arguments.weval {
        eprintln!("JavaScript");
        match javascript::measured(&command)? {
            Some(found) => tables.push(of_javascript(&found)),
            None => tables.push("JavaScript was not measured: there is no Node.js.\n".into()),
        }
        summary = guests::table(&guests::measured()?);
        tables.insert(0, summary.clone());
    }
    let text = tables.join("\n");
    println!("{text}");
    if let Some(document) = arguments.document {
        write_between(&document, [BEGIN, END], text.trim_end())?;
    }
    if let Some(readme) = arguments.readme {
        write_between(&readme, [BEGIN, END], summary.trim_end())?;
    }
    Ok(())
}

fn of_javascript(found: &javascript::JavaScript) -> String {
    let mut text = String::from(
        "| StarlingMonkey, the command | CPU s | MiB | × weval's time | × its memory |\n\
         | --- | ---: | ---: | ---: | ---: |\n",
    );
    for (name, taken) in [
        ("weval", found.weval),
        ("ours, first build", found.first),
        ("ours, later builds", found.later),
    ] {
        let over = |of: f64, than: f64| shown(Some(than / of), 2);
        text += &format!(
            "| {name} | {:.1} | {:.0} | {} | {} |\n",
            taken.cpu,
            taken.megabytes,
            over(taken.cpu, found.weval.cpu),
            over(taken.megabytes, found.weval.megabytes)
        );
    }
    text + "\n" + &found.table()
}
