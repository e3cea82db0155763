//! Classes with fields, methods, and inheritance; objects without a class.
//!
//! Invariant: a class that inherits has at least the methods of its parent, so its objects can be
//! coerced.

use super::declarations::Shape;
use super::generator::{Generator, Variable};
use super::tree::Tree;
use super::ty::Ty;

/// A class as later ones need it.
#[derive(Clone, Debug)]
pub struct Class {
    name: String,
    parameters: Vec<Ty>,
    methods: Vec<Method>,
}

/// A method, that takes at least one argument, so that only calls run it.
#[derive(Clone, Debug)]
struct Method {
    name: String,
    arguments: Vec<Ty>,
    result: Ty,
}

/// A class; now and then it inherits from an earlier one and overrides a method.
pub fn class(generator: &mut Generator) -> Tree {
    let known = generator.classes.len();
    let parent = (known > 0 && generator.random.usize(0..3) > 0)
        .then(|| generator.classes[generator.random.usize(..known)].clone());
    let name = generator.fresh("c");
    let parameters = vec![generator.any_type(), Ty::int()];
    let variables = |generator: &mut Generator, prefix| {
        let variables = parameters.iter().map(|ty| generator.variable(prefix, ty));
        variables.collect::<Vec<_>>()
    };
    let (given, fields) = (variables(generator, "a"), variables(generator, "z"));
    let (mut text, mut parts) = head(generator, &name, parent.as_ref(), &given);
    for (field, given) in fields.iter().zip(&given) {
        let Variable { name, ty } = field;
        text.push_str(&format!("  val mutable {name} : {ty} = {}\n", given.name));
    }
    let methods = methods(generator, parent.as_ref(), &fields, &mut text, &mut parts);
    text.push_str(&format!("end\nlet show_{name} (_ : {name}) = \"<{name}>\""));
    if let Some(Class { name: parent, .. }) = &parent {
        let line = format!("15 ($ :> {parent}) : {name} -> {parent}");
        generator.library.add(&line);
    }
    let class = Class {
        name,
        parameters,
        methods,
    };
    class.declare(generator);
    Tree::item(text, parts)
}

/// A class up to what it inherits.
fn head(
    generator: &mut Generator,
    name: &str,
    parent: Option<&Class>,
    given: &[Variable],
) -> (String, Vec<Tree>) {
    let mut text = format!("class {name}");
    for Variable { name, ty } in given {
        text.push_str(&format!(" ({name} : {ty})"));
    }
    text.push_str(" = object (self)\n");
    let mut arguments = Vec::new();
    if let Some(Class {
        name, parameters, ..
    }) = parent
    {
        let holes = " $".repeat(parameters.len());
        text.push_str(&format!("  inherit {name}{holes} as super\n"));
        for ty in parameters {
            arguments.push(generator.within(given, |generator| generator.literal(ty, 2)));
        }
    }
    (text, arguments)
}

/// Writes the methods of a class; all that it has, inherited ones first.
fn methods(
    generator: &mut Generator,
    parent: Option<&Class>,
    fields: &[Variable],
    text: &mut String,
    parts: &mut Vec<Tree>,
) -> Vec<Method> {
    let mut all = parent.map_or_else(Vec::new, |parent| parent.methods.clone());
    let inherited = all.len();
    for _ in 0..generator.random.usize(1..4) {
        all.push(method(generator));
    }
    let overridden = (inherited > 0 && generator.random.bool()).then(|| all[0].clone());
    let outside = generator.library.clone();
    for method in &all {
        generator.library.add(&method.entry(18, "self", None));
    }
    for Variable { name, ty } in fields {
        generator
            .library
            .add(&format!("18 {name} <- $ : {ty} -> unit"));
    }
    // The overriding method may call the one that it overrides.
    if let Some(method) = &overridden {
        generator.library.add(&method.entry(36, "super", None));
    }
    for method in all[inherited..].iter().chain(&overridden) {
        let (header, body) = method.definition(generator, fields);
        text.push_str(&header);
        parts.push(body);
    }
    generator.library = outside;
    all
}

/// An object that is made only to call a method of it.
pub fn immediate(generator: &mut Generator, ty: &Ty, depth: usize) -> Tree {
    let field = generator.any_type();
    let variable = generator.variable("z", &field);
    let name = generator.fresh("m");
    let value = generator.expression(&field, depth);
    let template = format!(
        "((object val mutable {} : {field} = $ method {name} : {ty} = tick (); $ end)#{name})",
        variable.name
    );
    let body = generator.within(&[variable], |generator| generator.expression(ty, depth));
    Tree::expression(ty, template, vec![value, body])
}

fn method(generator: &mut Generator) -> Method {
    let count = generator.random.usize(1..4);
    Method {
        name: generator.fresh("m"),
        arguments: (0..count).map(|_| generator.any_type()).collect(),
        result: generator.any_type(),
    }
}

impl Class {
    /// Makes the class known.
    fn declare(self, generator: &mut Generator) {
        let name = &self.name;
        for method in &self.methods {
            generator.library.add(&method.entry(12, "$", Some(name)));
        }
        generator.types.push(Ty::con(name));
        let made = Shape::Made(format!("(new {name} $ $)"), self.parameters.clone());
        generator.declarations.add(name, made);
        generator.classes.push(self);
    }
}

impl Method {
    /// The line of the library that calls this method of `object`.
    fn entry(&self, weight: usize, object: &str, class: Option<&str>) -> String {
        let holes = " $".repeat(self.arguments.len());
        let class = class
            .map(|class| format!("{class} -> "))
            .unwrap_or_default();
        let arguments = self.arguments.iter().map(|ty| format!("{ty} -> "));
        let arguments = arguments.collect::<String>();
        let Self { name, result, .. } = self;
        format!("{weight} {object}#{name}{holes} : {class}{arguments}{result}")
    }

    fn definition(&self, generator: &mut Generator, fields: &[Variable]) -> (String, Tree) {
        let parameters = self.arguments.iter();
        let parameters: Vec<_> = parameters.map(|ty| generator.variable("a", ty)).collect();
        let mut text = format!("  method {}", self.name);
        for parameter in &parameters {
            text.push_str(&format!(" ({} : {})", parameter.name, parameter.ty));
        }
        text.push_str(&format!(" : {} = tick (); $\n", self.result));
        let inside: Vec<_> = fields.iter().cloned().chain(parameters).collect();
        let body = generator.within(&inside, |generator| generator.body(&self.result));
        (text, body)
    }
}
