//! Random patterns of a type, and the variables that they bind.
//!
//! Invariant: the alternatives of an or-pattern bind nothing, so that each binds the same
//! variables.

use super::declarations::Shape;
use super::generator::{Generator, Variable};
use super::ty::Ty;

/// Whether a pattern may bind variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Binds {
    Variables,
    Nothing,
}

impl Generator {
    /// A pattern for values of `ty`, nested at most `depth` deep; what it binds is added to
    /// `bound`.
    pub fn pattern(&mut self, ty: &Ty, depth: usize, bound: &mut Vec<Variable>) -> String {
        self.pattern_that(Binds::Variables, ty, depth, bound)
    }

    fn pattern_that(
        &mut self,
        binds: Binds,
        ty: &Ty,
        depth: usize,
        bound: &mut Vec<Variable>,
    ) -> String {
        if depth == 0 {
            return self.simple(binds, ty, bound);
        }
        match self.random.usize(0..10) {
            0..2 => self.simple(binds, ty, bound),
            2 => {
                let first = self.pattern_that(Binds::Nothing, ty, depth - 1, bound);
                let second = self.pattern_that(Binds::Nothing, ty, depth - 1, bound);
                format!("({first} | {second})")
            }
            3 if binds == Binds::Variables => {
                let inner = self.pattern_that(binds, ty, depth - 1, bound);
                let variable = self.variable("x", ty);
                let text = format!("({inner} as {})", variable.name);
                bound.push(variable);
                text
            }
            _ => self.structured(binds, ty, depth - 1, bound),
        }
    }

    fn simple(&mut self, binds: Binds, ty: &Ty, bound: &mut Vec<Variable>) -> String {
        if binds == Binds::Nothing || self.random.usize(0..4) == 0 {
            return "_".to_string();
        }
        let variable = self.variable("x", ty);
        let name = variable.name.clone();
        bound.push(variable);
        name
    }

    fn structured(
        &mut self,
        binds: Binds,
        ty: &Ty,
        depth: usize,
        bound: &mut Vec<Variable>,
    ) -> String {
        let mut part =
            |generator: &mut Self, ty: &Ty| generator.pattern_that(binds, ty, depth, bound);
        match ty {
            Ty::Tuple(types) => {
                let parts: Vec<_> = types.iter().map(|ty| part(self, ty)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::Con(name, Some(argument)) => match name.as_str() {
                "option" if self.random.bool() => "None".to_string(),
                "option" => format!("(Some {})", part(self, argument)),
                "outcome" if self.random.bool() => format!("(Error {})", part(self, &Ty::string())),
                "outcome" => format!("(Ok {})", part(self, argument)),
                "ref" => format!("{{ contents = {} }}", part(self, argument)),
                "lazily" => format!("(lazy {})", part(self, argument)),
                "list" => match self.random.usize(0..4) {
                    0 => "[]".to_string(),
                    1 => format!("[{}]", part(self, argument)),
                    2 => format!("({} :: {})", part(self, argument), part(self, ty)),
                    _ => {
                        let (first, second) = (part(self, argument), part(self, argument));
                        format!("({first} :: {second} :: {})", part(self, ty))
                    }
                },
                "array" => {
                    let count = self.random.usize(0..4);
                    let parts: Vec<_> = (0..count).map(|_| part(self, argument)).collect();
                    format!("[|{}|]", parts.join("; "))
                }
                _ => self.simple(binds, ty, bound),
            },
            Ty::Con(name, None) => match self.declarations.shape(name).cloned() {
                Some(Shape::Record(fields)) => {
                    let parts = fields
                        .iter()
                        .map(|field| format!("{} = {}; ", field.name, part(self, &field.ty)));
                    format!("{{ {}_ }}", parts.take(2).collect::<String>())
                }
                Some(Shape::Variant(constructors)) => {
                    let constructor = &constructors[self.random.usize(..constructors.len())];
                    let types = &constructor.arguments;
                    let parts: Vec<_> = types.iter().map(|ty| part(self, ty)).collect();
                    match parts.len() {
                        0 => format!("({} : {name})", constructor.name),
                        _ => format!("({} ({}) : {name})", constructor.name, parts.join(", ")),
                    }
                }
                Some(Shape::Made(..)) => self.simple(binds, ty, bound),
                None => self.constant_pattern(binds, ty, name, bound),
            },
            Ty::Var(_) | Ty::Fun(..) => self.simple(binds, ty, bound),
        }
    }

    fn constant_pattern(
        &mut self,
        binds: Binds,
        ty: &Ty,
        name: &str,
        bound: &mut Vec<Variable>,
    ) -> String {
        let choices: &[&str] = match name {
            "unit" => &["()"],
            "bool" => &["true", "false"],
            "int" => &["0", "1", "2", "3", "-1", "7", "255", "4611686018427387903"],
            "char" => &[
                "'a'",
                "'b'",
                "'a'..'m'",
                "'0'..'9'",
                "'\\000'",
                "'\\128'..'\\255'",
            ],
            "string" => &[
                r#""""#,
                r#""a""#,
                r#""abc""#,
                r#""12""#,
                r#""hello world""#,
                r#""ab""#,
            ],
            "int32" => &["0l", "1l", "-1l"],
            "int64" => &["0L", "9L", "-1L"],
            "nativeint" => &["0n", "1n"],
            "float" => &["0.", "1.", "0.5"],
            "exn" => &["Not_found", "(Bad 3)", "(Failure _)", "Out_of_fuel"],
            _ => return self.simple(binds, ty, bound),
        };
        choices[self.random.usize(..choices.len())].to_string()
    }
}
