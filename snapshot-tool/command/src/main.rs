//! The `bactrian` command. See `bactrian::cli`.

use std::process::ExitCode;

use bactrian::cli::Cli;
use clap::Parser;

fn main() -> ExitCode {
    command::execute(&Cli::parse())
}
