//! Forms that few programs use: those of several values, and functions of various numbers of
//! arguments.

use super::body;
use super::expand::Expander;
use super::forms::{primitive, wants};
use super::tree::{Lambda, Tree};
use crate::datum::{Datum, Result};
use std::rc::Rc;

/// The parts of a binding of names to several values.
fn binding(form: &str, binding: &Datum, line: u32) -> Result<(Datum, Datum)> {
    match &binding.elements().unwrap_or_default()[..] {
        [formals, value] => Ok((formals.clone(), value.clone())),
        _ => wants(line, form, "names and an expression"),
    }
}

/// Several values are one record, which a function takes apart.
pub fn let_star_values(e: &mut Expander, operands: &[Datum], line: u32) -> Result<Tree> {
    let [bindings, body @ ..] = operands else {
        return wants(line, "let*-values", "bindings and a body");
    };
    let Some(bindings) = bindings.elements() else {
        return wants(line, "let*-values", "a list of bindings");
    };
    let Some((first, rest)) = bindings.split_first() else {
        return body::body(e, body, line);
    };
    let (formals, value) = binding("let*-values", first, line)?;
    let rest = Datum::list(rest, line);
    let inner = [&[Datum::symbol("let*-values"), rest], body].concat();
    let consumer = e.lambda("", &formals, &[Datum::list(&inner, line)], line)?;
    let value = e.tree(&value, line)?;
    Ok(e.call_prelude("%spread", vec![value, consumer]))
}

/// The same, with names that no program has until all values are known.
pub fn let_values(e: &mut Expander, operands: &[Datum], line: u32) -> Result<Tree> {
    let [bindings, body @ ..] = operands else {
        return wants(line, "let-values", "bindings and a body");
    };
    let Some(bindings) = bindings.elements() else {
        return wants(line, "let-values", "a list of bindings");
    };
    if bindings.len() < 2 {
        return let_star_values(e, operands, line);
    }
    let (mut outer, mut inner) = (Vec::new(), Vec::new());
    for (number, binding) in bindings.iter().enumerate() {
        let (formals, value) = self::binding("let-values", binding, line)?;
        let (names, rest) = formals.prefix();
        let mut renamed = |name: Datum| {
            let other = Datum::symbol(&format!("%value:{number}:{}", inner.len()));
            inner.push(Datum::list(&[name, other.clone()], line));
            other
        };
        let names: Vec<Datum> = names.into_iter().map(&mut renamed).collect();
        let rest = match rest {
            Datum::Nil => Datum::Nil,
            rest => renamed(rest),
        };
        let pair = |rest, name: &Datum| Datum::pair(name.clone(), rest, line);
        let formals = names.iter().rev().fold(rest, pair);
        outer.push(Datum::list(&[formals, value], line));
    }
    let bound = [&[Datum::symbol("let"), Datum::list(&inner, line)], body].concat();
    let operands = [Datum::list(&outer, line), Datum::list(&bound, line)];
    let_star_values(e, &operands, line)
}

/// A function that takes a list, and looks which clause takes so many.
pub fn case_lambda(e: &mut Expander, operands: &[Datum], line: u32) -> Result<Tree> {
    let arguments = e.scope.fresh();
    let list = || Tree::Local(arguments);
    let mut body = e.call_prelude("%no-clause", vec![list()]);
    for clause in operands.iter().rev() {
        let Datum::Pair(clause) = clause else {
            return wants(line, "case-lambda", "clauses of parameters and a body");
        };
        let (fixed, rest) = clause.car.prefix();
        let test = match rest {
            Datum::Nil => "%equal",
            _ => "%greater-equal",
        };
        let length = primitive("length", vec![list()]);
        let test = primitive(test, vec![length, Tree::int(fixed.len() as i64)]);
        let clause_body = clause.cdr.elements().unwrap_or_default();
        let function = e.lambda("", &clause.car, &clause_body, clause.line)?;
        let then = Tree::Apply(Box::new([function, list()]));
        body = Tree::test(test, then, body);
    }
    Ok(Tree::Lambda(Rc::new(Lambda {
        name: "".into(),
        parameters: vec![arguments],
        rest: true,
        body,
    })))
}

pub fn parameterize(e: &mut Expander, operands: &[Datum], line: u32) -> Result<Tree> {
    let [bindings, body @ ..] = operands else {
        return wants(line, "parameterize", "bindings and a body");
    };
    let Some(bindings) = bindings.elements() else {
        return wants(line, "parameterize", "a list of bindings");
    };
    let end = || Tree::Constant(Datum::Nil);
    let (mut parameters, mut values) = (end(), end());
    for bound in bindings.iter().rev() {
        let (parameter, value) = binding("parameterize", bound, line)?;
        parameters = primitive("cons", vec![e.tree(&parameter, line)?, parameters]);
        values = primitive("cons", vec![e.tree(&value, line)?, values]);
    }
    let thunk = e.lambda("parameterized", &Datum::Nil, body, line)?;
    Ok(e.call_prelude("%parameterize", vec![parameters, values, thunk]))
}
