//! The command that stands in for weval's.

use std::sync::Arc;

use anyhow::{Context, Result};
use cache::Cache;

use super::cache::open;
use super::output::{require_others, require_place, write};
use super::{finish, read, tell_of_no_requests, write_texts};
use crate::cli::WevalArgs;
use crate::notice;
use crate::pipeline::{Pipeline, Settings};
use crate::precompiled::Precompiled;
use crate::weval::{self, Initialisation};
use crate::{input, report, specialize};

/// Initialises a module, if that is asked for, and specializes it.
pub fn run(args: &WevalArgs, precompiled: Precompiled) -> Result<()> {
    let say = |text: &str| {
        if args.verbose {
            notice!("{text}");
        }
    };
    let name = || args.input.display().to_string();
    input::require_core_module(&args.input)?;
    require_place(&args.output)?;
    require_others(
        &args.output,
        [&*args.input].into_iter().chain(args.cache_ro.as_deref()),
    )?;
    let mut module = read(&args.input)?;
    let mut options = specialize::Options::default();
    options.budgets.nodes = weval::NODES;
    let mut pipeline = Pipeline::new(Settings {
        options,
        cache: open_caches(args)?.map(Arc::new),
        precompiled: Some(precompiled),
        ..Settings::default()
    })?;
    if args.wizen {
        say("The module initialises itself ...");
        let how = Initialisation {
            function: args.init_func.clone(),
            keeps_function: args.keep_init_func,
            directories: args.directories.clone(),
        };
        let code = pipeline.known_code.clone();
        module = pipeline
            .stages
            .time("initialise", || {
                weval::initialised(&module, &how, &code, say)
            })
            .with_context(name)?;
    }
    say("Functions are specialized ...");
    let linked = pipeline.linked(&module).with_context(name)?;
    if args.verbose {
        notice::text(&report::said(&pipeline));
    }
    if !args.wizen {
        tell_of_no_requests(&pipeline, &args.input, "`-w`");
    }
    if let Some(directory) = &args.output_ir {
        write_texts(directory, &module, &pipeline.settings.options)?;
    }
    write(&args.output, &linked)?;
    finish(&pipeline);
    if args.show_stats {
        notice::text(&report::text(&pipeline));
    }
    Ok(())
}

/// The cache that weval's options ask for, and behind it the one that is only to be read.
fn open_caches(args: &WevalArgs) -> Result<Option<Cache>> {
    let cache = open(&args.cache, &args.input)?;
    if let (Some(cache), Some(from)) = (&cache, &args.cache_ro)
        && let Err(error) = cache.look_beside(from)
    {
        notice!("bactrian: nothing is taken from the cache: {error}");
    }
    Ok(cache)
}
