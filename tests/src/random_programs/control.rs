//! Forms: expressions that bind variables or steer the program: `let`, `match`, `try`, loops.
//!
//! Invariant: each turn of a loop uses fuel, so that every program ends.

use super::functions;
use super::generator::{Form, Generator};
use super::objects;
use super::tree::Tree;
use super::ty::Ty;

const ANY: &[(usize, Form)] = &[
    (6, let_in),
    (3, let_pattern),
    (6, match_on),
    (3, match_with_exception),
    (4, try_with),
    (3, for_loop),
    (2, while_loop),
    (3, leave_loop),
    (2, after_statements),
    (3, functions::local),
    (2, functions::local_pair),
    (2, functions::applied_at_once),
    (1, objects::immediate),
];

const UNIT: &[(usize, Form)] = &[
    (5, trace),
    (3, for_statement),
    (2, try_statement),
    (2, statements),
];

const FUNCTION: &[(usize, Form)] = &[(4, functions::lambda), (2, functions::staged)];

/// Some form for expressions of type `ty`.
pub fn form(generator: &mut Generator, ty: &Ty) -> Form {
    match ty {
        Ty::Fun(..) if generator.random.usize(0..4) > 0 => generator.weighted(FUNCTION),
        Ty::Con(name, None) if name == "unit" && generator.random.bool() => {
            generator.weighted(UNIT)
        }
        Ty::Var(_) | Ty::Con(..) | Ty::Tuple(_) | Ty::Fun(..) => generator.weighted(ANY),
    }
}

/// One to four statements, of which the first shows a variable.
pub fn statements(generator: &mut Generator, _: &Ty, depth: usize) -> Tree {
    let count = generator.random.usize(0..4);
    let mut parts = vec![trace_variable(generator)];
    parts.extend((0..count).map(|_| generator.expression(&Ty::unit(), depth)));
    let holes = vec!["$"; count + 1].join("; ");
    Tree::expression(&Ty::unit(), format!("({holes})"), parts)
}

fn let_in(generator: &mut Generator, ty: &Ty, depth: usize) -> Tree {
    let bound = generator.any_type();
    let variable = generator.variable("x", &bound);
    let value = generator.expression(&bound, depth);
    let template = format!("(let {} : {bound} = $ in $)", variable.name);
    let body = generator.within(&[variable], |generator| generator.expression(ty, depth));
    Tree::expression(ty, template, vec![value, body])
}

fn let_pattern(generator: &mut Generator, ty: &Ty, depth: usize) -> Tree {
    let types = vec![
        generator.any_type(),
        generator.any_type(),
        generator.any_type(),
    ];
    let bound = Ty::Tuple(types);
    let value = generator.expression(&bound, depth);
    let mut variables = Vec::new();
    let pattern = generator.pattern(&bound, 2, &mut variables);
    let body = generator.within(&variables, |generator| generator.expression(ty, depth));
    Tree::expression(ty, format!("(let {pattern} = $ in $)"), vec![value, body])
}

fn match_on(generator: &mut Generator, ty: &Ty, depth: usize) -> Tree {
    let matched = generator.any_type();
    let mut parts = vec![generator.expression(&matched, depth)];
    let cases = cases(generator, ty, &matched, depth, &mut parts);
    Tree::expression(ty, format!("(match ($ : {matched}) with{cases})"), parts)
}

fn match_with_exception(generator: &mut Generator, ty: &Ty, depth: usize) -> Tree {
    let matched = generator.any_type();
    let mut parts = vec![generator.expression(&matched, depth)];
    let values = cases(generator, ty, &matched, depth, &mut parts);
    let handlers = handlers(generator, ty, depth, "| exception", &mut parts);
    Tree::expression(
        ty,
        format!("(match ($ : {matched}) with{values}{handlers})"),
        parts,
    )
}

/// One to four cases, mostly with one for everything at the end.
fn cases(
    generator: &mut Generator,
    ty: &Ty,
    matched: &Ty,
    depth: usize,
    parts: &mut Vec<Tree>,
) -> String {
    let count = generator.random.usize(1..5);
    let mut text = String::new();
    for _ in 0..count {
        let mut variables = Vec::new();
        let pattern = generator.pattern(matched, 3, &mut variables);
        // Behind an unguarded case that takes everything, OCaml's pattern-match compiler gives up
        // on some others.
        let is_guarded = takes_everything(&pattern) || generator.random.usize(0..4) == 0;
        generator.within(&variables, |generator| {
            if is_guarded {
                parts.push(generator.expression(&Ty::bool(), depth.min(2)));
            }
            parts.push(generator.expression(ty, depth));
        });
        let guard = if is_guarded { " when $" } else { "" };
        text.push_str(&format!(" | {pattern}{guard} -> $"));
    }
    if generator.random.usize(0..8) > 0 {
        parts.push(generator.expression(ty, depth));
        text.push_str(" | _ -> $");
    }
    text
}

/// Whether a pattern has neither constructors nor constants.
fn takes_everything(pattern: &str) -> bool {
    let words = pattern.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let variable = |word: &str| {
        word.strip_prefix('x')
            .is_some_and(|number| number.bytes().all(|digit| digit.is_ascii_digit()))
    };
    let punctuation = pattern
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "_ |(),".contains(c));
    punctuation
        && words
            .into_iter()
            .all(|word| matches!(word, "" | "_" | "as") || variable(word))
}

fn try_with(generator: &mut Generator, ty: &Ty, depth: usize) -> Tree {
    let mut parts = vec![generator.expression(ty, depth)];
    let handlers = handlers(generator, ty, depth, "|", &mut parts);
    Tree::expression(ty, format!("(try $ with{handlers})"), parts)
}

/// One to three handlers of exceptions, each after `bar`.
fn handlers(
    generator: &mut Generator,
    ty: &Ty,
    depth: usize,
    bar: &str,
    parts: &mut Vec<Tree>,
) -> String {
    let mut text = String::new();
    for _ in 0..generator.random.usize(1..4) {
        let mut variables = Vec::new();
        let known = generator.exceptions.len();
        let pattern = if known > 0 && generator.random.usize(0..3) > 0 {
            let exception = generator.exceptions[generator.random.usize(..known)].clone();
            let types = exception.arguments.iter();
            let arguments: Vec<_> = types
                .map(|ty| generator.pattern(ty, 1, &mut variables))
                .collect();
            match arguments.len() {
                0 => exception.name,
                _ => format!("{} ({})", exception.name, arguments.join(", ")),
            }
        } else {
            generator.pattern(&Ty::con("exn"), 2, &mut variables)
        };
        let body = generator.within(&variables, |generator| generator.expression(ty, depth));
        parts.push(body);
        text.push_str(&format!(" {bar} {pattern} -> $"));
    }
    text
}

/// A loop that computes the value of a reference.
fn for_loop(generator: &mut Generator, ty: &Ty, depth: usize) -> Tree {
    let index = generator.variable("i", &Ty::int());
    let reference = generator.variable("r", &Ty::of("ref", ty.clone()));
    let direction = ["to", "downto"][generator.random.usize(0..2)];
    let (i, r) = (index.name.clone(), reference.name.clone());
    let first = generator.expression(ty, depth);
    let from = generator.expression(&Ty::int(), depth.min(1));
    let (body, next) = generator.within(&[reference, index], |generator| {
        let body = generator.expression(&Ty::unit(), depth);
        (body, generator.expression(ty, depth))
    });
    let template = format!(
        "(let {r} : {ty} ref = ref $ in \
         for {i} = small $ {direction} 4 do tick (); $; {r} := $ done; !{r})"
    );
    Tree::expression(ty, template, vec![first, from, body, next])
}

fn while_loop(generator: &mut Generator, ty: &Ty, depth: usize) -> Tree {
    let reference = generator.variable("r", &Ty::of("ref", ty.clone()));
    let r = reference.name.clone();
    let first = generator.expression(ty, depth);
    let parts = generator.within(&[reference], |generator| {
        let condition = generator.expression(&Ty::bool(), depth);
        vec![first, condition, generator.expression(ty, depth)]
    });
    let template =
        format!("(let {r} : {ty} ref = ref $ in while not (spent ()) && $ do {r} := $ done; !{r})");
    Tree::expression(ty, template, parts)
}

/// A loop that is left by an exception of its own.
fn leave_loop(generator: &mut Generator, ty: &Ty, depth: usize) -> Tree {
    let exception = generator.fresh("L");
    let index = generator.variable("i", &Ty::int());
    let i = index.name.clone();
    let parts = generator.within(&[index], |generator| {
        let condition = generator.expression(&Ty::bool(), depth);
        let found = generator.expression(ty, depth);
        vec![condition, found, generator.expression(&Ty::unit(), depth)]
    });
    let mut parts = parts;
    parts.push(generator.expression(ty, depth));
    let template = format!(
        "(let exception {exception} of {ty} in try for {i} = 0 to 9 do tick (); \
         if $ then raise ({exception} $); $ done; $ with {exception} x -> x)"
    );
    Tree::expression(ty, template, parts)
}

fn after_statements(generator: &mut Generator, ty: &Ty, depth: usize) -> Tree {
    let before = statements(generator, &Ty::unit(), depth);
    let value = generator.expression(ty, depth);
    Tree::expression(ty, "($; $)", vec![before, value])
}

fn trace(generator: &mut Generator, _: &Ty, depth: usize) -> Tree {
    if generator.random.bool() {
        return trace_variable(generator);
    }
    let shown = generator.any_type();
    let value = generator.expression(&shown, depth);
    traced(generator, "value", &shown, value)
}

/// A statement that shows a variable in scope.
pub fn trace_variable(generator: &mut Generator) -> Tree {
    match generator.any_variable() {
        None => Tree::expression(&Ty::unit(), "()", Vec::new()),
        Some(variable) => {
            let value = Tree::expression(&variable.ty, variable.name.clone(), Vec::new());
            traced(generator, &variable.name, &variable.ty, value)
        }
    }
}

/// A statement that shows `value`.
pub fn traced(generator: &Generator, name: &str, ty: &Ty, value: Tree) -> Tree {
    let template = format!("(trace \"{name}\" ({} $))", generator.printer(ty));
    Tree::expression(&Ty::unit(), template, vec![value])
}

fn for_statement(generator: &mut Generator, _: &Ty, depth: usize) -> Tree {
    let index = generator.variable("i", &Ty::int());
    let i = index.name.clone();
    let to = generator.expression(&Ty::int(), depth.min(1));
    let body = generator.within(&[index], |generator| {
        generator.expression(&Ty::unit(), depth)
    });
    let template = format!("(for {i} = 0 to small $ do tick (); $ done)");
    Tree::expression(&Ty::unit(), template, vec![to, body])
}

fn try_statement(generator: &mut Generator, _: &Ty, depth: usize) -> Tree {
    let body = generator.expression(&Ty::unit(), depth);
    let template = "(try $ with e -> trace \"caught\" (show_exn e))";
    Tree::expression(&Ty::unit(), template, vec![body])
}
