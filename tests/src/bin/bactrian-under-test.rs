//! The `bactrian` command, as built for this package's tests: it verifies at each stage whatever it
//! builds.

use std::process::ExitCode;

use bactrian::cli::Cli;
use clap::Parser;

fn main() -> ExitCode {
    let mut cli = Cli::parse();
    if let Some(build) = cli.command.build_options_mut() {
        build.verify = true;
    }
    command::execute(&cli)
}
