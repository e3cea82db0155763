//! Random OCaml programs, well-typed by construction, that always end and show what they compute.
//!
//! [`program`] makes one from a seed. Modules in the order in which they build on each other:
//!
//! * [`tree`]: program text with holes, so that a failing program can be made smaller ([`shrink`]);
//! * [`ty`]: types, and schemes that match them;
//! * [`library`]: what can be called, in `library.txt` with types as OCaml writes them;
//! * [`generator`]: an expression of a wanted type in a scope; [`control`], [`functions`],
//!   [`patterns`], [`literals`] and [`objects`] have its forms;
//! * [`declarations`], [`objects`], [`modules`]: what a program declares;
//! * [`check`]: runs a program in all modes.
//!
//! Invariant: the same seed gives the same text. A program's output depends on nothing but the
//! program, as `prelude.ml` shows no address, no closure, and nothing of when collections are done.

pub mod check;
pub mod control;
pub mod declarations;
pub mod functions;
pub mod generator;
pub mod library;
pub mod literals;
pub mod modules;
pub mod objects;
pub mod patterns;
pub mod shrink;
pub mod tree;
pub mod ty;

use generator::Generator;
use tree::Tree;
use ty::Ty;

const PRELUDE: &str = include_str!("prelude.ml");

/// The types that a program's variables have, beside some that are put together at random.
const BASIC: &[&str] = &[
    "unit",
    "bool",
    "bool",
    "int",
    "int",
    "int",
    "int",
    "int",
    "float",
    "float",
    "float",
    "float",
    "char",
    "string",
    "string",
    "bytes",
    "int32",
    "int64",
    "int64",
    "nativeint",
    "exn",
    "buffer",
    "int ref",
    "float ref",
    "float array",
    "int list",
    "int array",
    "string list",
    "int -> int",
    "float -> float",
    "int -> float -> int",
    "floats",
    "unit -> unit",
    "int * float",
    "string option",
];

const CONTAINERS: &[&str] = &[
    "list", "list", "array", "option", "ref", "ref", "lazily", "outcome", "map", "table", "queue",
    "seq",
];

/// A program: the prelude, then these items.
#[derive(Clone, Debug)]
pub struct Program {
    pub items: Tree,
    /// The generator that made them, which knows their types.
    pub generator: Generator,
}

impl Program {
    /// The source file.
    pub fn text(&self) -> String {
        format!(
            "{PRELUDE}\n{}\nlet () = Printf.printf \"%x\\n\" !hash\n",
            self.items
        )
    }
}

/// The program of a seed, with about `tests` functions at toplevel.
pub fn program(seed: u64, tests: usize) -> Program {
    let mut generator = Generator::new(seed);
    let mut items = Vec::new();
    generator.types = BASIC.iter().map(|name| Ty::parse(name)).collect();
    generator.common = BASIC.len();
    for _ in 0..4 {
        let ty = compound(&mut generator);
        generator.types.push(ty);
    }
    for _ in 0..3 {
        items.extend(declared_types(&mut generator));
    }
    for _ in 0..8 {
        let ty = compound(&mut generator);
        generator.types.push(ty);
    }
    for _ in 0..4 {
        items.push(declarations::exception(&mut generator));
    }
    items.extend((0..4).map(|_| functions::value(&mut generator)));
    items.push(modules::signature(&mut generator));
    items.push(modules::signature(&mut generator));
    for index in 0..tests {
        if index % 6 == 1 {
            items.push(objects::class(&mut generator));
        }
        if index % 6 == 3 {
            items.extend(modules::functor(&mut generator));
        }
        if index % 4 == 2 {
            items.push(functions::labelled(&mut generator));
        }
        items.push(functions::definitions(&mut generator));
    }
    // Outside of the items, none of their names is in scope.
    generator.scope.clear();
    Program {
        items: Tree::item("$\n".repeat(items.len()), items),
        generator,
    }
}

/// A record, a variant and a polymorphic variant.
fn declared_types(generator: &mut Generator) -> Vec<Tree> {
    let makers = [
        declarations::record,
        declarations::variant,
        declarations::polymorphic_variant,
    ];
    let items = makers.map(|make| make(generator));
    for name in generator.declarations.names() {
        let ty = Ty::con(&name);
        if !generator.types.contains(&ty) {
            generator.types.push(ty);
        }
    }
    items.into()
}

/// A type made of types that there are.
fn compound(generator: &mut Generator) -> Ty {
    let count = generator.random.usize(1..5);
    let mut types: Vec<_> = (0..count).map(|_| generator.any_type()).collect();
    match generator.random.usize(0..10) {
        0..5 => {
            let container = CONTAINERS[generator.random.usize(..CONTAINERS.len())];
            Ty::of(container, types.remove(0))
        }
        5..7 if count > 1 => Ty::Tuple(types),
        _ => {
            let result = generator.any_type();
            Ty::function(types, result)
        }
    }
}
