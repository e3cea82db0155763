//! Quasiquotation: data with expressions in them.

use super::expand::Expander;
use super::forms::{primitive, wants};
use super::tree::Tree;
use crate::datum::{Datum, Result};

pub fn quasiquote(e: &mut Expander, operands: &[Datum], line: u32) -> Result<Tree> {
    match operands {
        [datum] => template(e, datum, 1, line),
        _ => wants(line, "quasiquote", "a datum"),
    }
}

/// A quasiquoted datum, so many levels deep.
fn template(e: &mut Expander, datum: &Datum, depth: u32, line: u32) -> Result<Tree> {
    match datum {
        Datum::Pair(pair) => {
            let line = pair.line;
            let operand = match pair.cdr.elements().as_deref() {
                Some([operand]) => Some(operand.clone()),
                _ => None,
            };
            match (pair.car.name().map(|name| &**name), operand) {
                (Some("unquote"), Some(operand)) if depth == 1 => return e.tree(&operand, line),
                (Some("unquote"), Some(_)) => return nested(e, datum, depth - 1, line),
                (Some("quasiquote"), Some(_)) => return nested(e, datum, depth + 1, line),
                _ => {}
            }
            if let Datum::Pair(inner) = &pair.car
                && inner.car.is_symbol("unquote-splicing")
                && depth == 1
                && let Some([spliced]) = inner.cdr.elements().as_deref()
            {
                let spliced = e.tree(spliced, line)?;
                let rest = e.nested(1, line, |e| template(e, &pair.cdr, depth, line))?;
                return Ok(e.call_prelude("append", vec![spliced, rest]));
            }
            let mut part = |part| e.nested(1, line, |e| template(e, part, depth, line));
            let (car, cdr) = (part(&pair.car)?, part(&pair.cdr)?);
            Ok(match (&car, &cdr) {
                (Tree::Constant(_), Tree::Constant(_)) => Tree::Constant(datum.clone()),
                _ => primitive("cons", vec![car, cdr]),
            })
        }
        Datum::Vector(elements) => {
            let list = template(e, &Datum::list(elements, line), depth, line)?;
            Ok(primitive("list->vector", vec![list]))
        }
        constant => Ok(Tree::Constant(constant.clone())),
    }
}

/// A form within a template that changes the depth.
fn nested(e: &mut Expander, datum: &Datum, depth: u32, line: u32) -> Result<Tree> {
    let parts = datum.elements().unwrap_or_default();
    let inner = template(e, &parts[1], depth, line)?;
    let rest = primitive("cons", vec![inner, Tree::Constant(Datum::Nil)]);
    Ok(primitive(
        "cons",
        vec![Tree::Constant(parts[0].clone()), rest],
    ))
}
