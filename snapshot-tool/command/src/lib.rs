//! The `bactrian` command, with the machine code that its build made.

use std::process::ExitCode;

use bactrian::cli::Cli;
use bactrian::commands;
use bactrian::precompiled::Precompiled;

/// Made by the build script.
pub const PRECOMPILED: Precompiled = Precompiled {
    interpreter: include_bytes!(concat!(env!("OUT_DIR"), "/interpreter")),
    functions: include_bytes!(concat!(env!("OUT_DIR"), "/functions")),
};

/// Does what the command line says.
pub fn execute(cli: &Cli) -> ExitCode {
    ExitCode::from(commands::execute(cli, PRECOMPILED))
}
