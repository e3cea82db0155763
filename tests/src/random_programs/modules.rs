//! Module types, functors, their applications, first-class modules, and modules that are opened
//! locally.
//!
//! Invariant: what a module type names is in each module of that type, in its order.

use super::declarations::Shape;
use super::generator::{Generator, Variable};
use super::tree::Tree;
use super::ty::Ty;

/// A module type.
#[derive(Clone, Debug)]
pub struct Signature {
    name: String,
    values: Vec<Variable>,
}

/// A module type; its modules are also values, of a type `sN`.
pub fn signature(generator: &mut Generator) -> Tree {
    let name = generator.fresh("S");
    let mut values = Vec::new();
    for _ in 0..generator.random.usize(1..4) {
        let ty = generator.any_type();
        values.push(generator.variable("y", &ty));
    }
    let argument = generator.any_type();
    let result = generator.any_type();
    let function = Ty::function(vec![argument, Ty::int()], result);
    values.push(generator.variable("y", &function));
    let packed = name.to_lowercase();
    let mut text = format!("module type {name} = sig");
    let mut made = "(module struct".to_string();
    for value in &values {
        text.push_str(&format!(" val {} : {}", value.name, value.ty));
        made.push_str(&format!(" let {} = $", value.name));
        let use_it = format!("let module M = (val $ : {name}) in M.{}", value.name);
        generator
            .library
            .add(&format!("9 {use_it} : {packed} -> {}", value.ty));
    }
    text.push_str(&format!(" end\ntype {packed} = (module {name})"));
    text.push_str(&format!(
        "\nlet show_{packed} (_ : {packed}) = \"<module>\""
    ));
    made.push_str(&format!(" end : {name})"));
    let types = values.iter().map(|value| value.ty.clone()).collect();
    generator
        .declarations
        .add(&packed, Shape::Made(made, types));
    generator.types.push(Ty::con(&packed));
    generator.signatures.push(Signature { name, values });
    Tree::item(text, Vec::new())
}

/// A functor, and what its application to a module gives; also applied to modules that are values.
pub fn functor(generator: &mut Generator) -> Option<Tree> {
    let known = generator.signatures.len();
    let signature = (known > 0).then(|| generator.random.usize(..known.max(1)))?;
    let signature = generator.signatures[signature].clone();
    let (functor, module) = (generator.fresh("F"), generator.fresh("M"));
    let inside: Vec<_> = signature
        .values
        .iter()
        .map(|value| Variable {
            name: format!("X.{}", value.name),
            ty: value.ty.clone(),
        })
        .collect();
    let mut text = format!("module {functor} (X : {}) = struct\n", signature.name);
    let (defined, mut parts) = generator.within(&inside, |generator| {
        let values = (0..3).map(|_| member(generator, &mut text));
        values.unzip::<_, _, Vec<_>, Vec<_>>()
    });
    text.push_str(&format!("end\nmodule {module} = {functor} (struct"));
    for value in &signature.values {
        text.push_str(&format!(" let {} : {} = $", value.name, value.ty));
        parts.push(generator.literal(&value.ty, 2));
    }
    text.push_str(" end)");
    let packed = signature.name.to_lowercase();
    for Variable { name, ty } in defined {
        let apply = format!(
            "let module A = {functor} ((val $ : {})) in A.{name}",
            signature.name
        );
        generator
            .library
            .add(&format!("9 {apply} : {packed} -> {ty}"));
        let opened = format!("{module}.({name})");
        generator.scope.push(Variable {
            name: opened,
            ty: ty.clone(),
        });
        let name = format!("{module}.{name}");
        generator.scope.push(Variable { name, ty });
    }
    Some(Tree::item(text, parts))
}

/// A function of a functor's body.
fn member(generator: &mut Generator, text: &mut String) -> (Variable, Tree) {
    let argument = generator.any_type();
    let parameter = generator.variable("a", &argument);
    let result = generator.any_type();
    let name = generator.fresh("f");
    text.push_str(&format!(
        "let {name} ({} : {argument}) : {result} = tick (); $\n",
        parameter.name
    ));
    let body = generator.within(&[parameter], |generator| generator.body(&result));
    let ty = Ty::function(vec![argument], result);
    (Variable { name, ty }, body)
}
