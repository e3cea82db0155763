//! Stale bodies: the store answers the key of a module with what was made of another version of it.
//!
//! The other version has one byte of the request's code, or of constant memory behind it, changed.
//! A body carries the digest of its key and the log of what was read; one that passes both is run.

use std::sync::Mutex;

use anyhow::{Context, Result};
use specializer::module::Module;
use specializer::{Outcome as Answer, Store, link_generic, specialize};
use wasmtime::Engine;

use super::corpus::{Case, FUEL};
use super::judge::{Net, Verdict};
use super::survey::{Survivor, Tally};
use crate::annotated::{Program, Silent};

/// Which bytes of a request's code are changed, one for each version.
const BYTES: [usize; 8] = [0, 1, 2, 3, 5, 8, 13, 21];

/// Bytes of a data segment by which it is found in the module.
const TELLING: usize = 8;

/// Keeps all that it is given, whatever the key.
#[derive(Default)]
struct Forgetful {
    blobs: Mutex<Vec<Vec<u8>>>,
}

impl Store for Forgetful {
    fn candidates(&self, _: &[u8; 32]) -> Vec<Vec<u8>> {
        self.blobs.lock().expect("no holder panics").clone()
    }

    fn insert(&self, _: &[u8; 32], blob: &[u8]) {
        let mut blobs = self.blobs.lock().expect("no holder panics");
        blobs.push(blob.to_vec());
    }
}

/// Answers with stale bodies until `wanted` were offered.
pub fn survey(engine: &Engine, cases: &[Case], wanted: usize) -> Result<Tally> {
    let mut tally = Tally::default();
    for byte in BYTES {
        for case in cases.iter().filter(|case| case.requests == 1) {
            if tally.planted == wanted {
                return Ok(tally);
            }
            let verdict = judge(engine, case, byte).with_context(|| case.name.clone())?;
            tally.count(verdict, || {
                Ok(Survivor {
                    place: case.name.clone(),
                    change: format!("byte {byte} of the code"),
                    modules: None,
                    differs_in_dead_memory: false,
                })
            })?;
        }
    }
    Ok(tally)
}

fn judge(engine: &Engine, case: &Case, byte: usize) -> Result<Verdict> {
    let store = Forgetful::default();
    let options = &case.options;
    let first = specialize(&case.module, options, Some(&store), &Silent)?;
    let code = first.report.requests[0].code as usize;
    let Some(other) = version(&case.module, code + byte) else {
        return Ok(Verdict::NoMutant);
    };
    let second = specialize(&other, options, Some(&store), &Silent)?;
    match second.report.requests[0].outcome {
        Answer::Declined(_) => Ok(Verdict::NoMutant),
        Answer::Specialized { cached: false, .. } => Ok(Verdict::Noticed(Net::Store)),
        Answer::Specialized { cached: true, .. } => {
            let generic = Program::new(engine, &link_generic(&other, options)?)?;
            let residual = Program::new(engine, &second.module)?;
            for call in case.calls() {
                let (expected, found) = (
                    generic.run_within(FUEL, &call.args)?,
                    residual.run_within(FUEL, &call.args)?,
                );
                if (expected.result, expected.trace) != (found.result, found.trace) {
                    return Ok(Verdict::Noticed(Net::Properties));
                }
            }
            Ok(Verdict::Survived)
        }
    }
}

/// The module with the byte at this address of its memory changed.
fn version(module: &[u8], address: usize) -> Option<Vec<u8>> {
    let parsed = Module::parse(module).ok()?;
    let segments = parsed.segments.iter();
    let ranges = segments.map(|&(start, len)| start as usize..(start + len) as usize);
    let range = ranges.into_iter().find(|range| range.contains(&address))?;
    let contents = &parsed.image[range.clone()];
    if contents.len() < TELLING {
        return None;
    }
    let place = module
        .windows(contents.len())
        .rposition(|bytes| bytes == contents)?;
    let mut other = module.to_vec();
    other[place + address - range.start] ^= 1;
    Some(other)
}
