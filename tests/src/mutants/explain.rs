//! What a survivor changed: the instructions of the linked module that differ, and whether memory
//! that nobody may read does.

use anyhow::{Context, Result};
use specializer::fault::Fault;
use wasmtime::Engine;

use super::corpus::Case;
use super::judge::plant;
use super::survey::Survivor;
use crate::annotated::Program;

/// Lines shown of each version.
const SHOWN: usize = 4;

/// Explains a fault that nobody noticed.
pub fn survivor(engine: &Engine, case: &Case, fault: Fault, place: String) -> Result<Survivor> {
    let module = plant(case, fault)?;
    let module = module.ok().context("a survivor is a module")?;
    let [sound, wrong] = [&case.sound, &module].map(|module| Program::new(engine, module));
    let texts = [
        wasmprinter::print_bytes(&case.sound)?,
        wasmprinter::print_bytes(&module)?,
    ];
    Ok(Survivor {
        place,
        change: change(&texts),
        modules: Some(texts),
        differs_in_dead_memory: !case.leave_same_memory(&sound?, &wrong?)?,
    })
}

/// The lines without the fault, and with it.
pub fn change(modules: &[String; 2]) -> String {
    let [sound, wrong] = modules
        .each_ref()
        .map(|text| text.lines().collect::<Vec<_>>());
    let alike = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| {
        pairs.take_while(|(one, other)| one == other).count()
    };
    let before = alike(&mut sound.iter().zip(&wrong));
    let after = alike(
        &mut sound[before..]
            .iter()
            .rev()
            .zip(wrong[before..].iter().rev()),
    );
    format!(
        "{} → {}",
        shown(&sound[before..sound.len() - after]),
        shown(&wrong[before..wrong.len() - after])
    )
}

fn shown(lines: &[&str]) -> String {
    let shown: Vec<&str> = lines.iter().take(SHOWN).map(|line| line.trim()).collect();
    match (shown.is_empty(), lines.len() > SHOWN) {
        (true, _) => "nothing".to_owned(),
        (false, false) => format!("`{}`", shown.join("; ")),
        (false, true) => format!("`{}; …`", shown.join("; ")),
    }
}
