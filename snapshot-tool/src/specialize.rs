//! The specializer as this tool calls it: its options from switches, its store in the tool's cache,
//! and its report summed up.

use std::fmt;

use anyhow::{Error, Result};
use cache::{Cache, Kind};
use serde::Serialize;
pub use specializer::Options;
use specializer::eval::{Budgets, Declined};
use specializer::profile::Fit;
use specializer::{Optimisations, Outcome, Output, Report, Store};

use crate::progress::Progress;
use crate::stats::Stage;

/// A request that stays generic.
#[derive(Clone, Debug, Serialize)]
pub struct DeclinedRequest {
    /// Its name, or where its code is.
    pub title: String,
    /// Address of the code.
    pub code: u32,
    pub reason: String,
}

/// What the specializer did, summed up. The names are those of `--stats=json`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    pub requests: usize,
    pub specialized: usize,
    pub cached: usize,
    /// How the profile fits, if there is one.
    #[serde(skip)]
    pub fit: Option<Fit>,
    /// Left to the interpreter, as the profile says that they never ran.
    pub cold: usize,
    /// Left out, as they do nothing with what they are given.
    pub idle: usize,
    pub declined: Vec<DeclinedRequest>,
    pub contexts: usize,
    /// Contexts in which the interpreter's position was not known.
    pub unknown_positions: usize,
    pub nodes: usize,
    /// Size of the residual bodies.
    pub residual_bytes: usize,
    /// Bytes of code that were specialized anew.
    #[serde(skip)]
    pub code_bytes: usize,
    /// What an interpreter for weval said meanwhile.
    pub said: Vec<String>,
    /// Address and length of all code, and of each part that was to be specialized.
    #[serde(skip)]
    pub functions: Vec<(u32, u32)>,
}

impl Summary {
    fn new(report: &Report) -> Self {
        let mut summary = Self {
            requests: report.requests.len(),
            residual_bytes: report.residual_bytes,
            fit: report.fit,
            said: report.said.clone(),
            ..Self::default()
        };
        summary
            .functions
            .extend(report.requests.first().map(|request| request.region));
        for request in &report.requests {
            summary.functions.push((request.code, request.code_len));
            match &request.outcome {
                Outcome::Specialized {
                    cached,
                    contexts,
                    unknown_positions,
                    nodes,
                } => {
                    summary.contexts += contexts;
                    summary.unknown_positions += unknown_positions;
                    summary.nodes += nodes;
                    if *cached {
                        summary.cached += 1;
                    } else {
                        summary.specialized += 1;
                        summary.code_bytes += request.code_len as usize;
                    }
                }
                Outcome::Declined(Declined::Cold) => summary.cold += 1,
                Outcome::Declined(Declined::Idle) => summary.idle += 1,
                Outcome::Declined(reason) => {
                    summary.declined.push(DeclinedRequest {
                        title: request.title.clone(),
                        code: request.code,
                        reason: reason.to_string(),
                    });
                }
            }
        }
        summary
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            requests,
            specialized,
            cached,
            cold,
            idle,
            declined,
            contexts,
            unknown_positions,
            nodes,
            residual_bytes,
            code_bytes,
            ..
        } = self;
        let declined_count = declined.len();
        writeln!(
            f,
            "{requests} requests: {specialized} specialized, {cached} from the cache, \
             {cold} cold, {idle} idle, {declined_count} declined"
        )?;
        writeln!(
            f,
            "{code_bytes} bytes of code, {contexts} contexts \
             ({unknown_positions} at unknown positions), {nodes} nodes, \
             {residual_bytes} bytes of residual code"
        )?;
        if *unknown_positions > 0 {
            writeln!(f, "`bactrian check` says where positions were lost")?;
        }
        for DeclinedRequest { title, reason, .. } in declined {
            writeln!(f, "declined: {title}: {reason}")?;
        }
        if !declined.is_empty() {
            writeln!(f, "`bactrian check` says more of what is declined")?;
        }
        Ok(())
    }
}

/// How a profile fits, for people.
pub fn fit(fit: &Fit) -> String {
    let Fit {
        known,
        hot,
        cold,
        unknown,
        stale,
        calls,
    } = fit;
    format!(
        "the profile knows {known} functions of the program ({hot} hot, {cold} cold), not \
         {unknown} others; {stale} of its own are not in the program; it expects the callees of \
         {calls} calls"
    )
}

/// The help for `-O`.
pub fn help() -> String {
    let names = Optimisations::NAMES.join(", ");
    format!("Switch one optimisation off, or on again: {names}")
}

/// The help for `--budget`.
pub fn help_with_budgets() -> String {
    let mut defaults = Budgets::default();
    let shown = |(name, number): (&str, &mut u32)| format!("{name} ({number})");
    let names = defaults.named().map(shown).join(", ");
    format!("Let the specializer do more, or less, for a function (docs/budgets.md): {names}")
}

/// Fails where there is no optimisation of this name.
pub fn require_optimisation(name: &str) -> Result<(), String> {
    require("optimisation", name, Optimisations::NAMES)
}

/// Fails where there is no budget of this name.
pub fn require_budget(name: &str) -> Result<(), String> {
    let names = Budgets::default().named().map(|(name, _)| name);
    require("budget", name, &names)
}

fn require(what: &str, name: &str, names: &[&str]) -> Result<(), String> {
    if names.contains(&name) {
        return Ok(());
    }
    let known = names.join(", ");
    Err(format!(
        "there is no {what} called `{name}`; there are {known}"
    ))
}

/// Options with these optimisations switched, and these budgets.
pub fn options(switches: &[(String, bool)], budgets: &[(String, u32)]) -> Result<Options> {
    let mut options = Options::default();
    for (name, number) in budgets {
        require_budget(name).map_err(Error::msg)?;
        let mut budgets = options.budgets.named().into_iter();
        let budget = budgets.find(|(known, _)| known == name);
        *budget.expect("there is one").1 = *number;
    }
    for (name, on) in switches {
        require_optimisation(name).map_err(Error::msg)?;
        *options.optimisations.switch(name).expect("there is one") = *on;
    }
    Ok(options)
}

/// The snapshot with plain operations in place of intrinsics.
pub fn link_generic(snapshot: &[u8], options: &Options) -> Result<Vec<u8>> {
    Ok(specializer::link_generic(snapshot, options)?)
}

/// The snapshot, specialized, and what each stage of it took.
pub fn run(
    snapshot: &[u8],
    options: &Options,
    cache: Option<&Cache>,
) -> Result<(Vec<u8>, Summary, Vec<Stage>)> {
    let residues = cache.map(|cache| Residues { cache });
    let store = residues.as_ref().map(|residues| residues as &dyn Store);
    let progress = Progress::new(snapshot.len());
    let Output { module, report } = specializer::specialize(snapshot, options, store, &progress)?;
    Ok((module, Summary::new(&report), progress.finish()))
}

/// The residual function of each request as text, or why there is none.
pub fn texts(snapshot: &[u8], options: &Options) -> Result<Vec<String>> {
    let texts = specializer::residual_text(snapshot, options)?.into_iter();
    let text = |text: Result<String, Declined>| text.unwrap_or_else(|why| format!("; {why}\n"));
    Ok(texts.map(text).collect())
}

/// Residual functions in our cache.
struct Residues<'a> {
    cache: &'a Cache,
}

impl Store for Residues<'_> {
    fn candidates(&self, key: &[u8; 32]) -> Vec<Vec<u8>> {
        self.cache.get(Kind::Specialization, key)
    }

    fn insert(&self, key: &[u8; 32], blob: &[u8]) {
        self.cache.insert(Kind::Specialization, key, blob);
    }
}
