//! The forms of the language, each made of the core.

use super::bindings;
use super::body;
use super::derived;
use super::expand::{Expander, call, line_of, vector};
use super::template;
use super::tree::{Lambda, Tree, Variable};
use crate::datum::{Datum, Name, Result, error};
use crate::runtime::table;
use crate::value::tag;
use std::rc::Rc;

type Form = fn(&mut Expander, &[Datum], u32) -> Result<Tree>;

const FORMS: &[(&str, Form)] = &[
    ("quote", quote),
    ("quasiquote", template::quasiquote),
    ("if", conditional),
    ("set!", set),
    ("lambda", lambda),
    ("begin", begin),
    ("let", let_),
    ("let*", let_star),
    ("letrec", letrec),
    ("letrec*", letrec),
    ("let-values", derived::let_values),
    ("let*-values", derived::let_star_values),
    ("case-lambda", derived::case_lambda),
    ("parameterize", derived::parameterize),
    ("cond", cond),
    ("case", case),
    ("and", and),
    ("or", or),
    ("when", when),
    ("unless", unless),
    ("do", do_),
    ("guard", guard),
    ("delay", delay),
    ("define", misplaced),
    ("define-values", misplaced),
    ("define-record-type", misplaced),
    ("%vector", |e, operands, line| {
        Ok(vector(e.trees(operands, line)?))
    }),
    ("%record", |e, operands, line| {
        Ok(Tree::Block(tag::RECORD, e.trees(operands, line)?))
    }),
    ("%apply", apply),
    ("%try", try_),
];

pub fn is_form(name: &str) -> bool {
    FORMS.iter().any(|(known, _)| *known == name)
}

/// The tree of a form of this name.
pub fn form(e: &mut Expander, name: &Name, operands: &[Datum], line: u32) -> Result<Tree> {
    let known = FORMS.iter().find(|(known, _)| **known == **name);
    let (name, form) = known.expect("the caller has asked");
    // Each of these operands is within what the one before it becomes.
    let chained = match *name {
        "and" | "or" | "case" => operands.len(),
        "let*" => operands
            .first()
            .map_or(0, |bindings| bindings.prefix().0.len()),
        _ => 0,
    };
    e.nested(chained, line, |e| form(e, operands, line))
}

pub fn primitive(name: &str, operands: Vec<Tree>) -> Tree {
    Tree::Primitive(
        table::find(name).expect("there is this primitive"),
        operands,
    )
}

/// What is wrong with a form.
pub fn wants<T>(line: u32, name: &str, what: &str) -> Result<T> {
    error(line, format!("`{name}` wants {what}"))
}

fn misplaced(_: &mut Expander, _: &[Datum], line: u32) -> Result<Tree> {
    error(line, "a definition stands where an expression is wanted")
}

fn quote(_: &mut Expander, operands: &[Datum], line: u32) -> Result<Tree> {
    match operands {
        [datum] => Ok(Tree::Constant(datum.clone())),
        _ => wants(line, "quote", "a datum"),
    }
}

fn conditional(e: &mut Expander, operands: &[Datum], line: u32) -> Result<Tree> {
    match operands {
        [test, then] => Ok(Tree::test(
            e.tree(test, line)?,
            e.tree(then, line)?,
            Tree::unspecified(),
        )),
        [test, then, other] => {
            let (test, then) = (e.tree(test, line)?, e.tree(then, line)?);
            Ok(Tree::test(test, then, e.tree(other, line)?))
        }
        _ => wants(line, "if", "a test and one or two expressions"),
    }
}

fn set(e: &mut Expander, operands: &[Datum], line: u32) -> Result<Tree> {
    match operands {
        [Datum::Symbol(name), value] => {
            let value = e.tree(value, line)?;
            e.assign(name, value, line)
        }
        _ => wants(line, "set!", "a name and a value"),
    }
}

fn lambda(e: &mut Expander, operands: &[Datum], line: u32) -> Result<Tree> {
    match operands {
        [parameters, body @ ..] => e.lambda("", parameters, body, line),
        [] => wants(line, "lambda", "parameters and a body"),
    }
}

fn begin(e: &mut Expander, operands: &[Datum], line: u32) -> Result<Tree> {
    let mut trees = e.trees(operands, line)?;
    Ok(match trees.len() {
        0 => Tree::unspecified(),
        1 => trees.remove(0),
        _ => Tree::Sequence(trees),
    })
}

/// The names and expressions of bindings.
fn bindings_of(datum: &Datum, line: u32) -> Result<Vec<(Name, Datum)>> {
    let Some(bindings) = datum.elements() else {
        return wants(line, "let", "a list of bindings");
    };
    let pair = |binding: &Datum| match binding.elements().as_deref() {
        Some([Datum::Symbol(name), value]) => Ok((name.clone(), value.clone())),
        _ => error(
            line_of(binding, line),
            "a binding is a name and an expression",
        ),
    };
    bindings.iter().map(pair).collect()
}

fn let_(e: &mut Expander, operands: &[Datum], line: u32) -> Result<Tree> {
    let (bindings, body) = match operands {
        [Datum::Symbol(name), bindings, body @ ..] => {
            return named_let(e, name, bindings, body, line);
        }
        [bindings, body @ ..] => (bindings_of(bindings, line)?, body),
        [] => return wants(line, "let", "bindings and a body"),
    };
    let values: Vec<Datum> = bindings.iter().map(|(_, value)| value.clone()).collect();
    let values = e.trees(&values, line)?;
    let here = e.scope.here();
    let variables: Vec<_> = bindings
        .iter()
        .map(|(name, _)| e.scope.bind(name))
        .collect();
    let body = body::body(e, body, line)?;
    e.scope.leave(here);
    Ok(e.bind(variables.into_iter().zip(values).collect(), body))
}

fn named_let(
    e: &mut Expander,
    name: &Name,
    bindings: &Datum,
    body: &[Datum],
    line: u32,
) -> Result<Tree> {
    let bindings = bindings_of(bindings, line)?;
    let values: Vec<Datum> = bindings.iter().map(|(_, value)| value.clone()).collect();
    let values = e.trees(&values, line)?;
    let names: Vec<Datum> = bindings
        .into_iter()
        .map(|(name, _)| Datum::Symbol(name))
        .collect();
    let here = e.scope.here();
    let variable = e.scope.bind(name);
    let lambda = e.lambda(name, &Datum::list(&names, line), body, line)?;
    e.scope.leave(here);
    Ok(recursive(e, variable, lambda, values))
}

/// Calls a function that knows itself as `variable`.
fn recursive(e: &mut Expander, variable: Variable, lambda: Tree, values: Vec<Tree>) -> Tree {
    let call = Tree::Call(Box::new(Tree::Local(variable)), values);
    bindings::letrec(&mut e.scope, vec![(variable, lambda)], call)
}

fn let_star(e: &mut Expander, operands: &[Datum], line: u32) -> Result<Tree> {
    let [bindings, body @ ..] = operands else {
        return wants(line, "let*", "bindings and a body");
    };
    let here = e.scope.here();
    let mut bound = Vec::new();
    for (name, value) in bindings_of(bindings, line)? {
        let value = e.tree(&value, line)?;
        bound.push((e.scope.bind(&name), value));
    }
    let body = body::body(e, body, line)?;
    e.scope.leave(here);
    let inward = bound.into_iter().rev();
    Ok(inward.fold(body, |body, binding| e.bind(vec![binding], body)))
}

fn letrec(e: &mut Expander, operands: &[Datum], line: u32) -> Result<Tree> {
    let [bindings, body @ ..] = operands else {
        return wants(line, "letrec", "bindings and a body");
    };
    let bindings = bindings_of(bindings, line)?;
    let here = e.scope.here();
    let variables: Vec<_> = bindings
        .iter()
        .map(|(name, _)| e.scope.bind(name))
        .collect();
    let values: Vec<Datum> = bindings.iter().map(|(_, value)| value.clone()).collect();
    let values = e.trees(&values, line)?;
    let body = body::body(e, body, line)?;
    e.scope.leave(here);
    let items = variables.into_iter().zip(values).collect();
    Ok(bindings::letrec(&mut e.scope, items, body))
}

fn cond(e: &mut Expander, operands: &[Datum], line: u32) -> Result<Tree> {
    clauses(e, operands, Tree::unspecified(), line)
}

/// What a clause of `cond` adds to the depth: the expander recurs on those that follow.
const CLAUSE_DEPTH: usize = 4;

/// The clauses of `cond`, and what is done if none is taken.
fn clauses(e: &mut Expander, clauses: &[Datum], otherwise: Tree, line: u32) -> Result<Tree> {
    match clauses.split_first() {
        None => Ok(otherwise),
        Some((first, rest)) => {
            let depth = CLAUSE_DEPTH;
            e.nested(depth, line, |e| clause(e, first, rest, otherwise, line))
        }
    }
}

fn clause(
    e: &mut Expander,
    clause: &Datum,
    rest: &[Datum],
    otherwise: Tree,
    line: u32,
) -> Result<Tree> {
    let line = line_of(clause, line);
    let clause = clause.elements().unwrap_or_default();
    let [test, body @ ..] = &clause[..] else {
        return wants(line, "cond", "clauses of a test and expressions");
    };
    if test.is_symbol("else") {
        return begin(e, body, line);
    }
    let test = e.tree(test, line)?;
    match body {
        [] => Ok(Tree::Or(Box::new([
            test,
            self::clauses(e, rest, otherwise, line)?,
        ]))),
        [arrow, receiver] if arrow.is_symbol("=>") => {
            let value = e.scope.fresh();
            let receiver = e.tree(receiver, line)?;
            let then = call(e, receiver, vec![Tree::Local(value)]);
            let rest = self::clauses(e, rest, otherwise, line)?;
            let body = Tree::test(Tree::Local(value), then, rest);
            Ok(Tree::Let(vec![(value, test)], Box::new(body)))
        }
        body => {
            let then = begin(e, body, line)?;
            Ok(Tree::test(
                test,
                then,
                self::clauses(e, rest, otherwise, line)?,
            ))
        }
    }
}

fn case(e: &mut Expander, operands: &[Datum], line: u32) -> Result<Tree> {
    let [key, clauses @ ..] = operands else {
        return wants(line, "case", "an expression and clauses");
    };
    let key = e.tree(key, line)?;
    let variable = e.scope.fresh();
    let mut result = Tree::unspecified();
    for clause in clauses.iter().rev() {
        let line = line_of(clause, line);
        let parts = clause.elements().unwrap_or_default();
        let Some((data, body)) = parts.split_first() else {
            return wants(line, "case", "clauses of data and expressions");
        };
        let then = match body {
            [arrow, receiver] if arrow.is_symbol("=>") => {
                let receiver = e.tree(receiver, line)?;
                call(e, receiver, vec![Tree::Local(variable)])
            }
            body => begin(e, body, line)?,
        };
        if data.is_symbol("else") {
            result = then;
            continue;
        }
        let Some(data) = data.elements() else {
            return wants(line, "case", "a list of data");
        };
        let tests = data.into_iter().map(|datum| {
            let name = match datum {
                Datum::Float(_) => "eqv?",
                _ => "%same",
            };
            primitive(name, vec![Tree::Local(variable), Tree::Constant(datum)])
        });
        let test = tests
            .rev()
            .reduce(|rest, test| Tree::Or(Box::new([test, rest])));
        result = Tree::test(test.unwrap_or_else(|| Tree::boolean(false)), then, result);
    }
    Ok(Tree::Let(vec![(variable, key)], Box::new(result)))
}

fn and(e: &mut Expander, operands: &[Datum], line: u32) -> Result<Tree> {
    let trees = e.trees(operands, line)?;
    let all = trees.into_iter().rev();
    let all = all.reduce(|rest, test| Tree::test(test, rest, Tree::boolean(false)));
    Ok(all.unwrap_or_else(|| Tree::boolean(true)))
}

fn or(e: &mut Expander, operands: &[Datum], line: u32) -> Result<Tree> {
    let trees = e.trees(operands, line)?;
    let any = trees.into_iter().rev();
    let any = any.reduce(|rest, test| Tree::Or(Box::new([test, rest])));
    Ok(any.unwrap_or_else(|| Tree::boolean(false)))
}

fn when(e: &mut Expander, operands: &[Datum], line: u32) -> Result<Tree> {
    let [test, body @ ..] = operands else {
        return wants(line, "when", "a test and expressions");
    };
    let test = e.tree(test, line)?;
    Ok(Tree::test(test, begin(e, body, line)?, Tree::unspecified()))
}

fn unless(e: &mut Expander, operands: &[Datum], line: u32) -> Result<Tree> {
    let [test, body @ ..] = operands else {
        return wants(line, "unless", "a test and expressions");
    };
    let test = e.tree(test, line)?;
    Ok(Tree::test(test, Tree::unspecified(), begin(e, body, line)?))
}

fn do_(e: &mut Expander, operands: &[Datum], line: u32) -> Result<Tree> {
    let [bindings, end, body @ ..] = operands else {
        return wants(line, "do", "variables, a test and a body");
    };
    let (Some(bindings), Some(end)) = (bindings.elements(), end.elements()) else {
        return wants(line, "do", "variables, and a list of a test and results");
    };
    let Some((test, results)) = end.split_first() else {
        return wants(line, "do", "a test");
    };
    let (mut names, mut values, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    for binding in &bindings {
        let parts = binding.elements().unwrap_or_default();
        let [Datum::Symbol(name), value, step @ ..] = &parts[..] else {
            return error(
                line,
                "a variable of `do` is a name, a value, and perhaps a step",
            );
        };
        names.push(name.clone());
        values.push(e.tree(value, line)?);
        steps.push(
            step.first()
                .cloned()
                .unwrap_or_else(|| Datum::Symbol(name.clone())),
        );
    }
    let variable = e.scope.fresh();
    let here = e.scope.here();
    let parameters = names.iter().map(|name| e.scope.bind(name)).collect();
    let (test, results) = (e.tree(test, line)?, begin(e, results, line)?);
    let mut round = e.trees(body, line)?;
    let steps = e.trees(&steps, line)?;
    round.push(Tree::Call(Box::new(Tree::Local(variable)), steps));
    e.scope.leave(here);
    let lambda = Tree::Lambda(Rc::new(Lambda {
        name: "do".into(),
        parameters,
        rest: false,
        body: Tree::test(test, results, Tree::Sequence(round)),
    }));
    Ok(recursive(e, variable, lambda, values))
}

fn guard(e: &mut Expander, operands: &[Datum], line: u32) -> Result<Tree> {
    let [head, body @ ..] = operands else {
        return wants(line, "guard", "a variable with clauses, and a body");
    };
    let parts = head.elements().unwrap_or_default();
    let Some((Datum::Symbol(name), handlers)) = parts.split_first() else {
        return wants(line, "guard", "a variable with clauses, and a body");
    };
    let thunk = e.lambda("guarded", &Datum::Nil, body, line)?;
    let here = e.scope.here();
    let variable = e.scope.bind(name);
    let again = e.call_prelude("raise-continuable", vec![Tree::Local(variable)]);
    let body = clauses(e, handlers, again, line)?;
    e.scope.leave(here);
    let handler = Tree::Lambda(Rc::new(Lambda {
        name: "handler".into(),
        parameters: vec![variable],
        rest: false,
        body,
    }));
    Ok(e.call_prelude("%guard", vec![thunk, handler]))
}

fn delay(e: &mut Expander, operands: &[Datum], line: u32) -> Result<Tree> {
    let thunk = e.lambda("delayed", &Datum::Nil, operands, line)?;
    Ok(e.call_prelude("%make-promise", vec![thunk]))
}

fn apply(e: &mut Expander, operands: &[Datum], line: u32) -> Result<Tree> {
    match operands {
        [function, list] => {
            let parts = [e.tree(function, line)?, e.tree(list, line)?];
            Ok(Tree::Apply(Box::new(parts)))
        }
        _ => wants(line, "%apply", "a function and a list"),
    }
}

/// `(%try thunk (raised value) body ...)`.
fn try_(e: &mut Expander, operands: &[Datum], line: u32) -> Result<Tree> {
    let [thunk, names, body @ ..] = operands else {
        return wants(line, "%try", "a function, two names and a body");
    };
    let names = names.elements().unwrap_or_default();
    let [Datum::Symbol(raised), Datum::Symbol(value)] = &names[..] else {
        return wants(line, "%try", "two names");
    };
    let thunk = e.tree(thunk, line)?;
    let here = e.scope.here();
    let variables = [e.scope.bind(raised), e.scope.bind(value)];
    let body = body::body(e, body, line)?;
    e.scope.leave(here);
    Ok(Tree::Try(Box::new(thunk), variables, Box::new(body)))
}
