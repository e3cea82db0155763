//! Functions: lambdas, local ones, and those of toplevel with their tests.
//!
//! Invariant: each activation of a function that could call another uses fuel.

use super::control;
use super::generator::{Generator, Variable};
use super::tree::Tree;
use super::ty::Ty;

/// How many arguments a function has: rather few, up to ten.
fn arity(generator: &mut Generator) -> usize {
    generator.weighted(&[
        (6, 1),
        (7, 2),
        (5, 3),
        (3, 4),
        (2, 5),
        (1, 6),
        (2, 7),
        (2, 8),
        (1, 9),
        (1, 10),
    ])
}

/// A function's name, parameters and result.
struct Definition {
    name: String,
    parameters: Vec<Variable>,
    result: Ty,
}

impl Definition {
    fn new(generator: &mut Generator, result: Ty) -> Self {
        let name = generator.fresh("f");
        let parameters = parameters(generator);
        Self {
            name,
            parameters,
            result,
        }
    }

    fn ty(&self) -> Ty {
        let types = self.parameters.iter().map(|parameter| parameter.ty.clone());
        Ty::function(types.collect(), self.result.clone())
    }

    fn variable(&self) -> Variable {
        Variable {
            name: self.name.clone(),
            ty: self.ty(),
        }
    }

    /// `f (x : int) : bool = (tick (); $)`, or one that ends without an exception.
    fn around(&self, generator: &mut Generator, body: Tree) -> (String, Vec<Tree>) {
        let Self {
            name,
            parameters,
            result,
        } = self;
        let end = generator.within(parameters, |generator| generator.leaf(result));
        let (template, parts) = match generator.random.usize(0..3) {
            0 => ("(tick (); $)", vec![body]),
            1 => ("(if spent () then $ else $)", vec![end, body]),
            _ => ("(try tick (); $ with _ -> $)", vec![body, end]),
        };
        let text = format!("{name} {} : {result} = {template}", written(parameters));
        (text, parts)
    }
}

fn parameters(generator: &mut Generator) -> Vec<Variable> {
    let count = arity(generator);
    let parameter = |generator: &mut Generator| {
        let ty = generator.any_type();
        generator.variable("a", &ty)
    };
    (0..count).map(|_| parameter(generator)).collect()
}

fn written(parameters: &[Variable]) -> String {
    let written: Vec<_> = parameters
        .iter()
        .map(|parameter| format!("({} : {})", parameter.name, parameter.ty))
        .collect();
    written.join(" ")
}

/// A type that is no function's: the result of a definition.
fn result_type(generator: &mut Generator) -> Ty {
    generator.any_type()
}

/// `fun x y -> …`
pub fn lambda(generator: &mut Generator, ty: &Ty, depth: usize) -> Tree {
    let Ty::Fun(arguments, result) = ty else {
        return generator.leaf(ty);
    };
    let parameters: Vec<_> = arguments
        .iter()
        .map(|ty| generator.variable("a", ty))
        .collect();
    let body = generator.within(&parameters, |generator| generator.expression(result, depth));
    let template = format!("(fun {} -> tick (); $)", written(&parameters));
    Tree::expression(ty, template, vec![body])
}

/// A function that returns a function: called with all arguments, it is called with too many.
pub fn staged(generator: &mut Generator, ty: &Ty, depth: usize) -> Tree {
    let Ty::Fun(arguments, result) = ty else {
        return generator.leaf(ty);
    };
    let first = generator.variable("a", &arguments[0]);
    let rest = Ty::function(arguments[1..].to_vec(), (**result).clone());
    let name = first.name.clone();
    let parts = generator.within(&[first], |generator| {
        let before = control::trace_variable(generator);
        vec![before, generator.expression(&rest, depth)]
    });
    let template = format!("(fun ({name} : {}) -> tick (); $; $)", arguments[0]);
    Tree::expression(ty, template, parts)
}

/// A function that is called where it is defined.
pub fn applied_at_once(generator: &mut Generator, ty: &Ty, depth: usize) -> Tree {
    let parameters = parameters(generator);
    let arguments: Vec<_> = parameters
        .iter()
        .map(|parameter| generator.expression(&parameter.ty, depth.min(2)))
        .collect();
    let body = generator.within(&parameters, |generator| generator.expression(ty, depth));
    let holes = " $".repeat(arguments.len());
    let template = format!("((fun {} -> tick (); $){holes})", written(&parameters));
    let parts = std::iter::once(body).chain(arguments).collect();
    Tree::expression(ty, template, parts)
}

/// A local function that counts down and may call itself anywhere.
pub fn local(generator: &mut Generator, ty: &Ty, depth: usize) -> Tree {
    let mut definition = Definition::new(generator, ty.clone());
    definition
        .parameters
        .insert(0, generator.variable("n", &Ty::int()));
    let name = definition.name.clone();
    let n = definition.parameters[0].name.clone();
    let mut inside = definition.parameters.clone();
    inside.push(definition.variable());
    let rest = definition.parameters[1..].to_vec();
    let calls_itself = generator.random.bool();
    let mut parts = generator.within(&inside, |generator| {
        let end = generator.expression(ty, depth.min(2));
        let statement = generator.expression(&Ty::unit(), depth.min(2));
        let mut parts = vec![end, statement];
        if calls_itself {
            let arguments = rest.iter();
            parts.extend(arguments.map(|next| generator.expression(&next.ty, depth.min(3))));
        } else {
            parts.push(generator.expression(ty, depth));
        }
        parts
    });
    parts.push(generator.expression(&Ty::int(), depth.min(1)));
    let arguments = rest.iter();
    parts.extend(arguments.map(|first| generator.expression(&first.ty, depth.min(2))));
    let holes = " $".repeat(rest.len());
    let last = if calls_itself {
        format!("{name} ({n} - 1){holes}")
    } else {
        "$".to_string()
    };
    let template = format!(
        "(let rec {name} {} : {ty} = tick (); if {n} <= 0 then $ else ($; {last}) \
         in {name} (small $){holes})",
        written(&definition.parameters),
    );
    Tree::expression(ty, template, parts)
}

/// Two local functions that can call each other.
pub fn local_pair(generator: &mut Generator, ty: &Ty, depth: usize) -> Tree {
    let other = generator.any_type();
    let definitions = [
        Definition::new(generator, ty.clone()),
        Definition::new(generator, other),
    ];
    let functions = definitions.each_ref().map(Definition::variable);
    let (template, mut parts) = group(generator, &definitions, depth);
    let body = generator.within(&functions, |generator| generator.expression(ty, depth));
    parts.push(body);
    Tree::expression(ty, format!("(let rec {template} in $)"), parts)
}

/// `f x = … and g y = …`
fn group(
    generator: &mut Generator,
    definitions: &[Definition],
    depth: usize,
) -> (String, Vec<Tree>) {
    let functions: Vec<_> = definitions.iter().map(Definition::variable).collect();
    let mut templates = Vec::new();
    let mut parts = Vec::new();
    for definition in definitions {
        let mut inside = functions.clone();
        inside.extend(definition.parameters.clone());
        let body = generator.within(&inside, |generator| {
            if depth == super::generator::DEPTH {
                generator.body(&definition.result)
            } else {
                generator.expression(&definition.result, depth)
            }
        });
        let (template, made) = definition.around(generator, body);
        templates.push(template);
        parts.extend(made);
    }
    (templates.join(" and "), parts)
}

/// One to three functions at toplevel, and a test that calls each.
pub fn definitions(generator: &mut Generator) -> Tree {
    let count = generator.weighted(&[(5, 1), (3, 2), (1, 3)]);
    let definitions: Vec<_> = (0..count)
        .map(|_| {
            let result = result_type(generator);
            Definition::new(generator, result)
        })
        .collect();
    let (template, parts) = group(generator, &definitions, super::generator::DEPTH);
    let functions = definitions.iter().map(Definition::variable);
    generator.scope.extend(functions);
    let defined = Tree::item(format!("let rec {template}"), parts);
    let mut items = vec![defined];
    items.extend(
        definitions
            .iter()
            .map(|definition| test(generator, definition)),
    );
    Tree::item("$\n".repeat(items.len()), items)
}

/// A function with labels, of which one is optional.
pub fn labelled(generator: &mut Generator) -> Tree {
    let name = generator.fresh("f");
    let types = [
        generator.any_type(),
        generator.any_type(),
        generator.any_type(),
    ];
    let parameters = types.clone().map(|ty| generator.variable("l", &ty));
    let result = result_type(generator);
    let default = generator.leaf(&types[0]);
    let body = generator.within(&parameters, |generator| generator.body(&result));
    let [first, second, third] = parameters.map(|parameter| parameter.name);
    let [one, two, three] = &types;
    let header = format!(
        "let rec {name} ?({first} : {one} = $) ~({second} : {two}) ({third} : {three}) : {result}"
    );
    let calls = [
        format!("12 {name} ~{first}:$ ~{second}:$ $ : {one} -> {two} -> {three} -> {result}"),
        format!("12 {name} $ ~{second}:$ : {three} -> {two} -> {result}"),
        format!(
            "12 {name} ?{first}:$ ~{second}:$ $ : {one} option -> {two} -> {three} -> {result}"
        ),
        format!("12 (fun x -> {name} ~{second}:$ x) : {two} -> {three} -> {result}"),
    ];
    calls.iter().for_each(|call| generator.library.add(call));
    Tree::item(format!("{header} = tick (); $"), vec![default, body])
}

/// A value at toplevel.
pub fn value(generator: &mut Generator) -> Tree {
    let ty = generator.any_type();
    let variable = generator.variable("g", &ty);
    let value = generator.literal(&ty, 3);
    let item = Tree::item(format!("let {} : {ty} = $", variable.name), vec![value]);
    generator.scope.push(variable);
    item
}

/// A test: calls a function with one set of arguments and another, and looks at what it may have
/// changed.
fn test(generator: &mut Generator, definition: &Definition) -> Tree {
    let mut attempts = Vec::new();
    for _ in 0..2 {
        attempts.push(call(generator, definition));
    }
    attempts.push(generator.body(&Ty::unit()));
    let attempts: Vec<_> = attempts
        .into_iter()
        .map(|part| Tree::expression(&Ty::unit(), "attempt (fun () -> $)", vec![part]))
        .collect();
    let name = &definition.name;
    Tree::item(
        format!("let () = test \"{name}\" (fun () -> $; $; $)"),
        attempts,
    )
}

/// A statement that shows a function's result.
fn call(generator: &mut Generator, definition: &Definition) -> Tree {
    let Definition {
        name,
        parameters,
        result,
    } = definition;
    let arguments: Vec<_> = parameters
        .iter()
        .map(|parameter| generator.expression(&parameter.ty, 2))
        .collect();
    let call = format!("({name}{})", " $".repeat(arguments.len()));
    let call = Tree::expression(result, call, arguments);
    control::traced(generator, name, result, call)
}
