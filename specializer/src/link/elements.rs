//! Element segments of the linked module.
//!
//! Those that fill table 0 are written anew. Instructions name segments by index (`table.init`,
//! `elem.drop`, `array.new_elem`, `array.init_elem`), so each of them leaves its place to one of
//! the new ones, or to an empty one of its type. That is what such an instruction finds there in
//! either module: a segment that filled a table when the module started has nothing left.

#[cfg(test)]
mod tests;

use wasm_encoder::reencode::Reencode;
use wasm_encoder::{ConstExpr, ElementSection, Elements};
use wasmparser::{ElementItems, ElementSectionReader, RefType};

use super::copy::{Copied, Copier};

/// Functions that lie side by side in the table, from this index on.
type Run = (u32, Vec<u32>);

pub(super) fn copy(
    copier: &mut Copier,
    elements: &mut ElementSection,
    section: ElementSectionReader,
) -> Copied<()> {
    let mut runs = runs(copier)?.into_iter();
    for segment in section {
        let segment = segment?;
        if !copier.module.fills_table(&segment) {
            copier.parse_element(elements, segment)?;
            continue;
        }
        match segment.items {
            ElementItems::Functions(_) | ElementItems::Expressions(RefType::FUNCREF, _) => {
                fill(elements, runs.next().unwrap_or_default());
            }
            ElementItems::Expressions(ty, _) => {
                let none = Elements::Expressions(copier.ref_type(ty)?, [].as_slice().into());
                elements.active(None, &ConstExpr::i32_const(0), none);
            }
        }
    }
    runs.for_each(|run| fill(elements, run));
    Ok(())
}

fn fill(elements: &mut ElementSection, (first, functions): Run) {
    let offset = ConstExpr::i32_const(first as i32);
    elements.active(None, &offset, Elements::Functions(functions.into()));
}

/// What fills table 0.
fn runs(copier: &mut Copier) -> Copied<Vec<Run>> {
    let layout = copier.layout;
    let mut table = Vec::new();
    for (index, func) in (0..).zip(layout.table_of(copier.module)) {
        if let Some(func) = func {
            table.push((index, copier.function_index(func.0)?));
        }
    }
    let residual = (layout.table_base..).zip(&layout.table);
    table.extend(residual.map(|(index, (function, _))| (index, *function)));
    let runs = table.chunk_by(|(before, _), (index, _)| before + 1 == *index);
    let runs = runs.map(|run| {
        (
            run[0].0,
            run.iter().map(|(_, function)| *function).collect(),
        )
    });
    Ok(runs.collect())
}
