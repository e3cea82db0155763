//! A local that a mutant does not set: whether it ever holds another value than it should.
//!
//! Where the local has that value already, whatever the call, nobody can notice the mutant,
//! although Cranelift cannot tell.

use anyhow::{Context, Result};
use wasmtime::Engine;

use super::corpus::Case;
use crate::annotated::Program;

/// By type: what makes an integer of a value that can be compared, and the comparison.
const COMPARISONS: [(&str, &str); 4] = [
    ("", "i32.ne"),
    ("", "i64.ne"),
    ("i32.reinterpret_f32", "i32.ne"),
    ("i64.reinterpret_f64", "i64.ne"),
];

/// Whether a call comes to the place where `module` drops a value for a local that holds another.
/// So it counts as well if the two modules differ in anything else.
pub fn is_ever_missed(engine: &Engine, case: &Case, module: &[u8]) -> Result<bool> {
    let [sound, wrong] = [&case.sound[..], module].map(wasmprinter::print_bytes);
    let (sound, wrong) = (sound?, wrong?);
    let lines = || sound.lines().zip(wrong.lines());
    let mut differing = lines()
        .enumerate()
        .filter(|(_, (sound, wrong))| sound != wrong);
    let (Some((at, (set, drop))), None) = (differing.next(), differing.next()) else {
        return Ok(true);
    };
    let (Some(local), "drop") = (set.trim().strip_prefix("local.set "), drop.trim()) else {
        return Ok(true);
    };
    let checked = COMPARISONS.iter().find_map(|(bits, differ)| {
        let check = format!("{bits} local.get {local} {bits} {differ} if unreachable end");
        let lines = wrong.lines().enumerate();
        let lines = lines.map(|(line, text)| if line == at { &check } else { text });
        let bytes = wat::parse_str(lines.collect::<Vec<_>>().join("\n")).ok()?;
        Program::new(engine, &bytes).ok()
    });
    let checked = checked.context("values of one of the types are compared")?;
    // A call that the check stops differs from what it has to do.
    Ok(case.difference(&checked, case.calls())?.is_some()
        || case.difference(&checked, case.more_calls()?)?.is_some())
}
