//! Element segments of the linked module.
//!
//! Those that fill table 0 are written anew. Instructions name segments by index (`table.init`,
//! `elem.drop`, `array.new_elem`, `array.init_elem`), so each of them leaves its place to one of
//! the new ones, or to an empty one of its type. That is what such an instruction finds there in
//! either module: a segment that filled a table when the module started has nothing left.
//!
//! Code may only take references to functions that something else names, as segments do. Those
//! that the linked module's segments do not name any more are declared.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use wasm_encoder::reencode::Reencode;
use wasm_encoder::{ConstExpr, ElementSection, Elements};
use wasmparser::{ElementItems, ElementSectionReader, Operator, RefType};

use super::copy::{Copied, Copier};
use crate::ir::Func;

/// Functions that lie side by side in the table, from this index on.
type Run = (u32, Vec<u32>);

pub(super) fn copy(
    copier: &mut Copier,
    elements: &mut ElementSection,
    section: ElementSectionReader,
) -> Copied<()> {
    let runs = runs(copier)?;
    let mut named: HashSet<u32> = runs.iter().flat_map(|(_, run)| run).copied().collect();
    let mut runs = runs.into_iter();
    let is_wide = copier.module.wide_tables.first() == Some(&true);
    for segment in section {
        let segment = segment?;
        if !copier.module.fills_table(&segment) {
            for func in functions(&segment)? {
                named.insert(copier.function_index(func.0)?);
            }
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
    declare(copier, elements, &named)
}

/// Declares the functions of which code takes a reference, but for these, which segments name.
pub(super) fn declare(
    copier: &mut Copier,
    elements: &mut ElementSection,
    named: &HashSet<u32>,
) -> Copied<()> {
    let mut declared = Vec::new();
    for func in &copier.layout.taken {
        let func = copier.function_index(func.0)?;
        if !named.contains(&func) {
            declared.push(func);
        }
    }
    if !declared.is_empty() {
        elements.declared(Elements::Functions(declared.into()));
    }
    Ok(())
}

/// The functions that a segment names.
pub(super) fn functions(segment: &wasmparser::Element) -> wasmparser::Result<Vec<Func>> {
    let mut found = Vec::new();
    match &segment.items {
        ElementItems::Functions(functions) => {
            for function in functions.clone() {
                found.push(Func(function?));
            }
        }
        ElementItems::Expressions(_, expressions) => {
            for expression in expressions.clone() {
                for operator in expression?.get_operators_reader() {
                    if let Operator::RefFunc { function_index } = operator? {
                        found.push(Func(function_index));
                    }
                }
            }
        }
    }
    Ok(found)
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
