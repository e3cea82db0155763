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
    let is_wide = copier.module.wide_tables.first() == Some(&true);
    for segment in section {
        let segment = segment?;
        if !copier.module.fills_table(&segment) {
            copier.parse_element(elements, segment)?;
            continue;
        }
        match segment.items {
            ElementItems::Functions(_) | ElementItems::Expressions(RefType::FUNCREF, _) => {
                fill(elements, runs.next().unwrap_or_default(), is_wide);
            }
            ElementItems::Expressions(ty, _) => {
                let none = Elements::Expressions(copier.ref_type(ty)?, [].as_slice().into());
                elements.active(None, &offset(0, is_wide), none);
            }
        }
    }
    runs.for_each(|run| fill(elements, run, is_wide));
    Ok(())
}

fn fill(elements: &mut ElementSection, (first, functions): Run, is_wide: bool) {
    let functions = Elements::Functions(functions.into());
    elements.active(None, &offset(first, is_wide), functions);
}

/// An index of a table, which may have indices of 64 bits.
fn offset(index: u32, is_wide: bool) -> ConstExpr {
    match is_wide {
        true => ConstExpr::i64_const(index.into()),
        false => ConstExpr::i32_const(index as i32),
    }
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
