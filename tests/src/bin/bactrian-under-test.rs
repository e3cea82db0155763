//! The `bactrian` command, as built for this package's tests: it verifies at each stage whatever it
//! builds.

use std::process::ExitCode;

use bactrian::cli::{BuildOptions, Cli, Command};
use clap::Parser;

fn main() -> ExitCode {
    let mut cli = Cli::parse();
    if let Some(build) = build_options(&mut cli.command) {
        build.verify = true;
    }
    command::execute(&cli)
}

/// How a program is to be built, where there is one.
fn build_options(command: &mut Command) -> Option<&mut BuildOptions> {
    match command {
        Command::Run(args) => Some(&mut args.build),
        Command::Build(args) => Some(&mut args.build),
        Command::Specialize(args) => Some(&mut args.build),
        Command::Lockstep(args) => Some(&mut args.build),
        Command::Check(args) => Some(&mut args.build),
        Command::Stubs(_)
        | Command::Cache(_)
        | Command::Demo(_)
        | Command::Bench(_)
        | Command::Weval(_) => None,
    }
}
