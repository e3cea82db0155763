//! The `bactrian` command. See `bactrian::cli`.

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let status = bactrian::commands::execute(&bactrian::cli::Cli::parse());
    ExitCode::from(status)
}
