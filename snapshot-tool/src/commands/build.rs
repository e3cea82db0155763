//! The command that writes what programs are compiled to.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use annotations::ThreadSupport;
use anyhow::{Context, Result, bail, ensure};

use super::output::{is_standard_output, require_others, require_place, write};
use super::stubs::{self, Joined};
use super::{finish, print_stats, read, settings, shape};
use crate::cli::BuildArgs;
use crate::pipeline::Pipeline;
use crate::precompiled::Precompiled;
use crate::product::Emit;
use crate::{engine, input, profile, report, unconfined};

/// Makes a file of each program.
pub fn run(args: &BuildArgs, precompiled: Precompiled) -> Result<()> {
    if let [program] = &args.programs[..]
        && !names_directory(&args.output)
    {
        let joined = stubs::joined(&args.build, program)?;
        return build_program(args, program, &joined, &args.output, precompiled);
    }
    ensure!(
        !is_standard_output(&args.output),
        "standard output takes what is built of one program: name a directory in place of `-`"
    );
    let mut outputs = BTreeMap::new();
    for program in &args.programs {
        let stem = program.file_stem().unwrap_or(program.as_os_str());
        let mut name = stem.to_os_string();
        name.push(args.emit.suffix());
        let output = args.output.join(name);
        if let Some(other) = outputs.insert(output.clone(), program) {
            bail!(
                "{} and {} would both be built as {}",
                other.display(),
                program.display(),
                output.display()
            );
        }
    }
    fs::create_dir_all(&args.output).with_context(|| {
        let output = args.output.display();
        format!("cannot create the directory {output}, for a file of each program")
    })?;
    let mut joiner = stubs::Joiner::new(&args.build)?;
    for (output, program) in &outputs {
        let joined = joiner.join(program)?;
        build_program(args, program, &joined, output, precompiled)?;
    }
    Ok(())
}

/// Whether a path is that of a directory, or can be no other: it ends with a slash.
fn names_directory(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/")
}

fn build_program(
    args: &BuildArgs,
    program: &Path,
    joined: &Joined,
    output: &Path,
    precompiled: Precompiled,
) -> Result<()> {
    input::require_program(program, &joined.guest)?;
    let read_files = args.programs.iter().chain(&args.profile);
    let read_files = read_files.map(PathBuf::as_path);
    require_others(output, read_files.chain(joined.files(&args.build)))?;
    require_place(output)?;
    let bytes = read(program)?;
    let mut settings = settings(&args.build, precompiled, program, joined)?;
    shape(&args.product, &mut settings);
    settings.options.absent = Some(unconfined::absent());
    settings.options.strip = args.strip;
    settings.options.shares_code = args.emit == Emit::Cwasm;
    let has_stacks = match args.emit {
        Emit::Wasm => args.stack_switching,
        Emit::Cwasm => engine::HAS_STACKS,
    };
    settings.options.stacks = has_stacks;
    settings.threads = match has_stacks {
        true => ThreadSupport::Clock,
        false => ThreadSupport::Nothing,
    };
    settings.options.profile = args.profile.as_deref().map(profile::read).transpose()?;
    let mut pipeline = Pipeline::new(settings)?;
    let product = pipeline
        .product(&bytes, args.emit)
        .with_context(|| program.display().to_string())?;
    write(output, &product.bytes)?;
    finish(&pipeline);
    let of = match args.programs.len() {
        1 => String::new(),
        _ => format!("{}: ", program.display()),
    };
    if !product.fit.is_empty() {
        notice!("bactrian: {of}{}", product.fit);
    }
    match report::reused(&pipeline) {
        Some(line) if args.product.stats.format.is_none() => notice!("bactrian: {of}{line}"),
        Some(_) | None => print_stats(&args.product.stats, &pipeline),
    }
    Ok(())
}
