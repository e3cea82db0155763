//! The `bactrian` command, as built for this package's tests.

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    ExitCode::from(bactrian::commands::execute(&bactrian::cli::Cli::parse()))
}
