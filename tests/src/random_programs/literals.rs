//! Values written down: of every type, without a variable.

use super::declarations::Shape;
use super::generator::Generator;
use super::tree::Tree;
use super::ty::Ty;

const INTEGERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "5",
    "7",
    "10",
    "63",
    "255",
    "(-1)",
    "(-2)",
    "(-17)",
    "max_int",
    "min_int",
    "1073741824",
    "4294967296",
    "(-2147483649)",
    "123456789012345",
];
const FLOATS: &[&str] = &[
    "0.",
    "1.",
    "0.5",
    "2.25",
    "3.",
    "(-1.)",
    "(-0.)",
    "1e10",
    "1e308",
    "1e-310",
    "(-7.75)",
    "0.1",
    "infinity",
    "neg_infinity",
    "nan",
    "epsilon_float",
    "4503599627370497.",
];
const CHARS: &[&str] = &[
    "'a'", "'b'", "'z'", "'0'", "' '", "'\\000'", "'\\255'", "'A'",
];
const STRINGS: &[&str] = &[
    r#""""#,
    r#""a""#,
    r#""ab""#,
    r#""abc""#,
    r#""12""#,
    r#""-7""#,
    r#""3.5""#,
    r#""hello world""#,
    r#""a longer string, of 33 characters""#,
    r#""\000\255\n""#,
    r#""0x1F""#,
    r#""seven b""#,
];
const INT32: &[&str] = &[
    "0l",
    "1l",
    "(-1l)",
    "7l",
    "1000l",
    "0x7FFFFFFFl",
    "(-0x80000000l)",
];
const INT64: &[&str] = &[
    "0L",
    "1L",
    "(-1L)",
    "9L",
    "0x7FFFFFFFFFFFFFFFL",
    "(-0x8000000000000000L)",
    "4294967295L",
    "(-123456789012L)",
];
const NATIVEINT: &[&str] = &[
    "0n",
    "1n",
    "(-1n)",
    "11n",
    "Nativeint.max_int",
    "Nativeint.min_int",
];
const EXCEPTIONS: &[&str] = &[
    "Not_found",
    "Exit",
    "(Bad 3)",
    "(Failure \"f\")",
    "End_of_file",
];

impl Generator {
    /// A value of type `ty` whose parts are nested at most `depth` deep.
    pub fn literal(&mut self, ty: &Ty, depth: usize) -> Tree {
        match ty {
            Ty::Var(name) => panic!("no value has type '{name}"),
            Ty::Con(name, None) => self.constant(ty, name, depth),
            Ty::Con(name, Some(argument)) => self.container(ty, name, argument, depth),
            Ty::Tuple(types) => {
                let template = format!("({})", vec!["$"; types.len()].join(", "));
                self.filled(ty, &template, types, depth)
            }
            Ty::Fun(arguments, result) => {
                let template = format!("(fun{} -> $)", " _".repeat(arguments.len()));
                self.filled(ty, &template, std::slice::from_ref(result), depth)
            }
        }
    }

    /// A template with literals in its holes.
    fn filled(&mut self, ty: &Ty, template: &str, types: &[Ty], depth: usize) -> Tree {
        let parts = types.iter().map(|ty| match depth {
            0 => self.literal(ty, 0),
            _ if self.random.bool() => self.leaf_at(ty, depth - 1),
            _ => self.literal(ty, depth - 1),
        });
        let parts = parts.collect();
        Tree::expression(ty, template, parts)
    }

    fn leaf_at(&mut self, ty: &Ty, depth: usize) -> Tree {
        let names: Vec<_> = self.variables(ty).map(|found| found.name.clone()).collect();
        match names.last() {
            Some(_) => {
                let index = self.random.usize(..names.len());
                Tree::expression(ty, names[index].clone(), Vec::new())
            }
            None => self.literal(ty, depth),
        }
    }

    fn constant(&mut self, ty: &Ty, name: &str, depth: usize) -> Tree {
        let choices: &[&str] = match name {
            "unit" => &["()"],
            "bool" => &["true", "false"],
            "int" if self.random.bool() => {
                let number = self.random.i32(0..20);
                return Tree::expression(ty, number.to_string(), Vec::new());
            }
            "int" => INTEGERS,
            "float" => FLOATS,
            "char" => CHARS,
            "string" => STRINGS,
            "bytes" => &["(Bytes.of_string \"bytes\")", "(Bytes.make 20 '\\001')"],
            "int32" => INT32,
            "int64" => INT64,
            "nativeint" => NATIVEINT,
            "exn" => EXCEPTIONS,
            "buffer" => &["(Buffer.create 3)"],
            "set" => &[
                "Set_of_strings.empty",
                "(Set_of_strings.of_list [\"x\"; \"abc\"])",
            ],
            "floats" => &["(Float.Array.make 3 1.5)", "(Float.Array.create 0)"],
            "matrix" => &["(matrix_of float_of_int)"],
            _ => return self.declared(ty, name, depth),
        };
        Tree::expression(ty, choices[self.random.usize(..choices.len())], Vec::new())
    }

    fn declared(&mut self, ty: &Ty, name: &str, depth: usize) -> Tree {
        let shape = self.declarations.shape(name);
        match shape.unwrap_or_else(|| panic!("values of {name}")).clone() {
            Shape::Record(fields) => {
                let holes: Vec<_> = fields
                    .iter()
                    .map(|field| format!("{} = $", field.name))
                    .collect();
                let types: Vec<_> = fields.into_iter().map(|field| field.ty).collect();
                self.filled(ty, &format!("{{ {} }}", holes.join("; ")), &types, depth)
            }
            Shape::Variant(constructors) => {
                // The first has no arguments, so a literal of depth 0 goes no deeper.
                let end = if depth == 0 { 1 } else { constructors.len() };
                let constructor = &constructors[self.random.usize(..end)];
                let (holes, _) = super::declarations::application(&constructor.arguments);
                let template = format!("({}{holes} : {name})", constructor.name);
                self.filled(ty, &template, &constructor.arguments, depth)
            }
            Shape::Made(template, types) => self.filled(ty, &template, &types, depth),
        }
    }

    fn container(&mut self, ty: &Ty, name: &str, argument: &Ty, depth: usize) -> Tree {
        let repeated = |template: &str, count: usize| {
            let holes = vec!["$"; count].join("; ");
            (template.replace('%', &holes), count)
        };
        let count = if depth == 0 {
            0
        } else {
            self.random.usize(0..4)
        };
        let (template, count) = match name {
            "list" => repeated("[%]", count),
            "array" => repeated("[|%|]", count),
            "option" if count == 0 => ("None".to_string(), 0),
            "option" => ("(Some $)".to_string(), 1),
            "ref" => ("(ref $)".to_string(), 1),
            "lazily" => ("(lazy $)".to_string(), 1),
            "outcome" => ("(Ok $)".to_string(), 1),
            "map" if count == 0 => ("Int_map.empty".to_string(), 0),
            "map" => ("(Int_map.singleton 2 $)".to_string(), 1),
            "table" => ("(Hashtbl.create 4)".to_string(), 0),
            "queue" => ("(Queue.create ())".to_string(), 0),
            "seq" => repeated("(List.to_seq [%])", count),
            _ => panic!("values of {ty}"),
        };
        self.filled(ty, &template, &vec![argument.clone(); count], depth)
    }
}
