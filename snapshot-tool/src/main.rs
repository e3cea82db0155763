//! The `bactrian` command. See `bactrian::cli`.

use std::process::ExitCode;

use clap::Parser;
use mimalloc::MiMalloc;

/// Specialising and compiling allocate a great many small objects on several threads.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let status = bactrian::commands::execute(&bactrian::cli::Cli::parse());
    ExitCode::from(status)
}
