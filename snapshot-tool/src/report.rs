//! What a build did, for people and for machines.
//!
//! Invariant: the names of what [`json`] gives stay as they are; there may be more of them.

use std::fmt::Write;

use serde::Serialize;

use crate::known_code::Counts;
use crate::pipeline::Pipeline;
use crate::specialize::Summary;
use crate::stats::millis;

/// All that is known of a build.
#[derive(Serialize)]
struct Report<'a> {
    /// Whether the whole program was in the cache: then nothing else was done.
    known_program: bool,
    specialization: Option<&'a Summary>,
    /// Functions by where their machine code came from.
    machine_code: Option<Counts>,
    /// Those that agreed, of a comparison in lockstep.
    events: Option<u64>,
    stages: Vec<StageReport<'a>>,
}

#[derive(Serialize)]
struct StageReport<'a> {
    name: &'a str,
    wall_ms: f64,
    /// Of all threads.
    cpu_ms: f64,
    note: &'a str,
}

/// One object, on one line.
pub fn json(pipeline: &Pipeline) -> String {
    let stages = pipeline.stages.iter().map(|stage| StageReport {
        name: stage.name,
        wall_ms: millis(stage.wall),
        cpu_ms: millis(stage.cpu),
        note: &stage.note,
    });
    let report = Report {
        known_program: pipeline.is_known,
        specialization: pipeline.summary.as_ref(),
        machine_code: pipeline.functions,
        events: pipeline.events,
        stages: stages.collect(),
    };
    serde_json::to_string(&report).expect("it has only names as keys")
}

/// What the interpreter said while it was specialized, if it is one for weval.
pub fn said(pipeline: &Pipeline) -> String {
    let lines = pipeline.summary.iter().flat_map(|summary| &summary.said);
    lines.map(|line| format!("{line}\n")).collect()
}

/// Several lines.
pub fn text(pipeline: &Pipeline) -> String {
    let summary = pipeline.summary.as_ref();
    let summary = summary.map_or_else(String::new, Summary::to_string);
    let events = pipeline.events;
    let events = events.map_or_else(String::new, |events| format!("{events} events agree\n"));
    summary + &pipeline.stages.to_string() + &events
}

/// What was reused of earlier builds, on one line; nothing where there is no cache, or nothing was
/// specialized.
pub fn reused(pipeline: &Pipeline) -> Option<String> {
    pipeline.settings.cache.as_ref()?;
    if pipeline.is_known {
        return Some("the whole program was in the cache".into());
    }
    let Summary {
        specialized,
        cached,
        ..
    } = pipeline.summary.as_ref()?;
    let all = specialized + cached;
    let mut line = format!("{cached} of {all} specialized functions were in the cache");
    if let Some(counts) = pipeline.functions {
        let Counts {
            precompiled,
            cached,
            compiled,
        } = counts;
        let known = precompiled + cached;
        let all = known + compiled;
        write!(line, ", and the machine code of {known} of {all}").expect("strings take text");
    }
    Some(line)
}
