//! The types that a program declares, at random: records, variants, polymorphic variants. Each adds
//! what makes and takes its values to the library.
//!
//! Invariant: a type refers to earlier types only, but for constructors with one argument of their
//! own type. So no value is cyclic, and none grows faster than the program runs.

use std::collections::BTreeMap;

use super::generator::Generator;
use super::tree::Tree;
use super::ty::Ty;

/// Types whose values cannot be compared, or compare by what is not their content.
const OPAQUE: &[&str] = &["exn", "lazily", "seq", "buffer"];

/// A field of a record.
#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    pub ty: Ty,
    pub is_mutable: bool,
}

/// A constructor of a variant; the name of one of a polymorphic variant begins with a backquote.
#[derive(Clone, Debug)]
pub struct Constructor {
    pub name: String,
    pub arguments: Vec<Ty>,
}

/// How values of a declared type are made.
#[derive(Clone, Debug)]
pub enum Shape {
    Record(Vec<Field>),
    Variant(Vec<Constructor>),
    /// Objects and modules: an expression with holes for these arguments.
    Made(String, Vec<Ty>),
}

/// The declared types by name.
#[derive(Clone, Debug, Default)]
pub struct Declarations {
    shapes: BTreeMap<String, Shape>,
}

impl Declarations {
    pub fn add(&mut self, name: &str, shape: Shape) {
        self.shapes.insert(name.to_string(), shape);
    }

    pub fn names(&self) -> Vec<String> {
        self.shapes.keys().cloned().collect()
    }

    pub fn shape(&self, name: &str) -> Option<&Shape> {
        self.shapes.get(name)
    }

    /// Whether values of this type can be compared, hashed and marshalled.
    pub fn is_comparable(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Var(_) | Ty::Fun(..) => false,
            Ty::Tuple(types) => types.iter().all(|ty| self.is_comparable(ty)),
            Ty::Con(name, _) if OPAQUE.contains(&name.as_str()) => false,
            Ty::Con(name, argument) => {
                let others = argument.iter().all(|ty| self.is_comparable(ty));
                others && self.has_comparable_parts(name)
            }
        }
    }

    fn has_comparable_parts(&self, name: &str) -> bool {
        match self.shapes.get(name) {
            None => true,
            Some(Shape::Record(fields)) => fields.iter().all(|field| self.is_comparable(&field.ty)),
            Some(Shape::Variant(constructors)) => constructors
                .iter()
                .flat_map(|constructor| &constructor.arguments)
                .all(|ty| ty.is(name) || self.is_comparable(ty)),
            Some(Shape::Made(..)) => false,
        }
    }
}

/// A record type; all of its fields may be floats, which OCaml stores without boxes.
pub fn record(generator: &mut Generator) -> Tree {
    let name = generator.fresh("r");
    let all_floats = generator.random.usize(0..3) == 0;
    let count = generator.random.usize(1..6);
    let fields: Vec<_> = (0..count)
        .map(|_| Field {
            name: generator.fresh("field"),
            ty: if all_floats {
                Ty::con("float")
            } else {
                generator.any_type()
            },
            is_mutable: generator.random.bool(),
        })
        .collect();
    let mut written = Vec::new();
    let mut shown = Vec::new();
    for Field {
        name: field,
        ty,
        is_mutable,
    } in &fields
    {
        let mutable = if *is_mutable { "mutable " } else { "" };
        written.push(format!("{mutable}{field} : {ty}"));
        shown.push(format!("{} r.{field}", generator.printer(ty)));
        generator
            .library
            .add(&format!("18 $.{field} : {name} -> {ty}"));
        generator.library.add(&format!(
            "9 {{ $ with {field} = $ }} : {name} -> {ty} -> {name}"
        ));
        if *is_mutable {
            generator
                .library
                .add(&format!("18 $.{field} <- $ : {name} -> {ty} -> unit"));
        }
    }
    let text = format!(
        "type {name} = {{ {} }}\nlet show_{name} (r : {name}) = \"{{\" ^ {} ^ \"}}\"",
        written.join("; "),
        shown.join(" ^ \"; \" ^ "),
    );
    generator.declarations.add(&name, Shape::Record(fields));
    Tree::item(text, Vec::new())
}

/// A variant with constant and other constructors, of which some have an argument of the type
/// itself.
pub fn variant(generator: &mut Generator) -> Tree {
    let name = generator.fresh("v");
    let own = Ty::con(&name);
    let constructors = constructors(generator, "C", &own);
    define_variant(generator, &name, constructors)
}

/// A polymorphic variant.
pub fn polymorphic_variant(generator: &mut Generator) -> Tree {
    let name = generator.fresh("p");
    let constructors = constructors(generator, "`P", &Ty::con(&name));
    define_variant(generator, &name, constructors)
}

fn constructors(generator: &mut Generator, prefix: &str, own: &Ty) -> Vec<Constructor> {
    let constants = generator.random.usize(1..4);
    let others = generator.random.usize(1..5);
    let mut constructors = Vec::new();
    for index in 0..constants + others {
        let mut arguments = Vec::new();
        if index >= constants {
            let count = generator.random.usize(1..4);
            arguments.extend((0..count).map(|_| generator.any_type()));
            if generator.random.usize(0..3) == 0 {
                arguments[0] = own.clone();
            }
        }
        let name = generator.fresh(prefix);
        constructors.push(Constructor { name, arguments });
    }
    constructors
}

fn define_variant(generator: &mut Generator, name: &str, constructors: Vec<Constructor>) -> Tree {
    let is_polymorphic = constructors[0].name.starts_with('`');
    let mut written = Vec::new();
    let mut shown = Vec::new();
    for Constructor {
        name: constructor,
        arguments,
    } in &constructors
    {
        let types: Vec<_> = arguments.iter().map(Ty::to_string).collect();
        let names: Vec<_> = (0..arguments.len())
            .map(|index| format!("a{index}"))
            .collect();
        let parts = arguments.iter().zip(&names);
        let parts: Vec<_> = parts
            .map(|(ty, name)| format!(r#" ^ " " ^ {} {name}"#, generator.printer(ty)))
            .collect();
        let (of, of_names) = if arguments.is_empty() {
            (String::new(), String::new())
        } else {
            (
                format!(" of {}", types.join(" * ")),
                format!(" ({})", names.join(", ")),
            )
        };
        written.push(format!("{constructor}{of}"));
        shown.push(format!(
            "| {constructor}{of_names} -> \"{constructor}\"{}",
            parts.concat()
        ));
        let (holes, arrows) = application(arguments);
        generator
            .library
            .add(&format!("12 {constructor}{holes} : {arrows}{name}"));
    }
    let (open, close) = if is_polymorphic {
        ("[ ", " ]")
    } else {
        ("", "")
    };
    let text = format!(
        "type {name} = {open}{}{close}\nlet rec show_{name} : {name} -> string = function {}",
        written.join(" | "),
        shown.join(" "),
    );
    generator
        .declarations
        .add(name, Shape::Variant(constructors));
    Tree::item(text, Vec::new())
}

/// An exception with arguments.
pub fn exception(generator: &mut Generator) -> Tree {
    let name = generator.fresh("E");
    let count = generator.random.usize(0..4);
    let arguments: Vec<_> = (0..count).map(|_| generator.any_type()).collect();
    let types: Vec<_> = arguments.iter().map(Ty::to_string).collect();
    let of = if types.is_empty() { "" } else { " of " };
    let (holes, arrows) = application(&arguments);
    generator
        .library
        .add(&format!("9 {name}{holes} : {arrows}exn"));
    generator
        .library
        .add(&format!("1 raise ({name}{holes}) : {arrows}'a"));
    let text = format!("exception {name}{of}{}", types.join(" * "));
    generator.exceptions.push(Constructor { name, arguments });
    Tree::item(text, Vec::new())
}

/// The holes of a constructor's arguments, and the beginning of its type.
pub fn application(arguments: &[Ty]) -> (String, String) {
    let arrows = arguments.iter().map(|ty| format!("{ty} -> ")).collect();
    let holes = match arguments.len() {
        0 => String::new(),
        count => format!(" ({})", vec!["$"; count].join(", ")),
    };
    (holes, arrows)
}
