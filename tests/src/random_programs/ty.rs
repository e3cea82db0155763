//! OCaml's types, as far as random programs need them: reading, printing, matching.
//!
//! Invariant: a function type's result is no function type, so that each type has one form.

use std::collections::BTreeMap;
use std::fmt;

/// A type, or a scheme if it has variables.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ty {
    /// `'a`; one whose name begins with `c` stands for types that can be compared.
    Var(String),
    /// `int`, `int list`: a constructor and its argument.
    Con(String, Option<Box<Ty>>),
    Tuple(Vec<Ty>),
    Fun(Vec<Ty>, Box<Ty>),
}

/// What a scheme's variables stand for.
pub type Binding = BTreeMap<String, Ty>;

impl Ty {
    /// A type without arguments.
    pub fn con(name: &str) -> Self {
        Ty::Con(name.to_string(), None)
    }

    /// A type constructor applied.
    pub fn of(name: &str, argument: Ty) -> Self {
        Ty::Con(name.to_string(), Some(Box::new(argument)))
    }

    pub fn unit() -> Self {
        Self::con("unit")
    }

    pub fn bool() -> Self {
        Self::con("bool")
    }

    pub fn int() -> Self {
        Self::con("int")
    }

    pub fn string() -> Self {
        Self::con("string")
    }

    /// The type of a function of these arguments.
    pub fn function(mut arguments: Vec<Ty>, result: Ty) -> Self {
        match result {
            result if arguments.is_empty() => result,
            Ty::Fun(more, result) => {
                arguments.extend(more);
                Ty::Fun(arguments, result)
            }
            result => Ty::Fun(arguments, Box::new(result)),
        }
    }

    /// Reads `('a -> 'b) -> 'a list -> 'b list`.
    ///
    /// # Panics
    ///
    /// If it is no type.
    pub fn parse(text: &str) -> Self {
        let mut parser = Parser { rest: text.trim() };
        let ty = parser.function();
        assert!(parser.rest.is_empty(), "`{}` in `{text}`", parser.rest);
        ty
    }

    /// Whether the type is `name` with or without an argument.
    pub fn is(&self, name: &str) -> bool {
        matches!(self, Ty::Con(own, _) if own == name)
    }

    /// Extends `binding` so that this scheme becomes `ty`; whether it can.
    pub fn matches(&self, ty: &Ty, binding: &mut Binding) -> bool {
        match (self, ty) {
            (Ty::Var(name), _) => match binding.get(name) {
                Some(bound) => bound == ty,
                None => {
                    binding.insert(name.clone(), ty.clone());
                    true
                }
            },
            (Ty::Con(name, None), Ty::Con(other, None)) => name == other,
            (Ty::Con(name, Some(scheme)), Ty::Con(other, Some(ty))) => {
                name == other && scheme.matches(ty, binding)
            }
            (Ty::Tuple(schemes), Ty::Tuple(types)) => {
                schemes.len() == types.len()
                    && schemes
                        .iter()
                        .zip(types)
                        .all(|(a, b)| a.matches(b, binding))
            }
            (Ty::Fun(schemes, scheme), Ty::Fun(types, ty)) => {
                schemes.len() == types.len()
                    && schemes
                        .iter()
                        .zip(types)
                        .all(|(a, b)| a.matches(b, binding))
                    && scheme.matches(ty, binding)
            }
            (Ty::Con(..) | Ty::Tuple(_) | Ty::Fun(..), _) => false,
        }
    }

    /// The variables, each once or more.
    pub fn variables(&self, found: &mut Vec<String>) {
        match self {
            Ty::Var(name) => found.push(name.clone()),
            Ty::Con(_, argument) => argument.iter().for_each(|ty| ty.variables(found)),
            Ty::Tuple(types) => types.iter().for_each(|ty| ty.variables(found)),
            Ty::Fun(types, result) => {
                types.iter().for_each(|ty| ty.variables(found));
                result.variables(found);
            }
        }
    }

    /// The type that this scheme is where its variables stand for what they are bound to.
    pub fn substitute(&self, binding: &Binding) -> Ty {
        let all = |types: &[Ty]| types.iter().map(|ty| ty.substitute(binding)).collect();
        match self {
            Ty::Var(name) => binding[name].clone(),
            Ty::Con(name, argument) => Ty::Con(
                name.clone(),
                argument.as_ref().map(|ty| Box::new(ty.substitute(binding))),
            ),
            Ty::Tuple(types) => Ty::Tuple(all(types)),
            Ty::Fun(types, result) => Ty::function(all(types), result.substitute(binding)),
        }
    }
}

impl fmt::Display for Ty {
    /// As OCaml writes it, in parentheses where any context could need them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Var(name) => write!(f, "'{name}"),
            Ty::Con(name, None) => f.write_str(name),
            Ty::Con(name, Some(argument)) => write!(f, "({argument} {name})"),
            Ty::Tuple(types) => {
                let types: Vec<_> = types.iter().map(Ty::to_string).collect();
                write!(f, "({})", types.join(" * "))
            }
            Ty::Fun(types, result) => {
                f.write_str("(")?;
                types.iter().try_for_each(|ty| write!(f, "{ty} -> "))?;
                write!(f, "{result})")
            }
        }
    }
}

struct Parser<'t> {
    rest: &'t str,
}

impl Parser<'_> {
    fn function(&mut self) -> Ty {
        let mut types = vec![self.tuple()];
        while self.eat("->") {
            types.push(self.tuple());
        }
        let result = types.pop().expect("at least one type");
        Ty::function(types, result)
    }

    fn tuple(&mut self) -> Ty {
        let mut types = vec![self.applied()];
        while self.eat("*") {
            types.push(self.applied());
        }
        match types.len() {
            1 => types.remove(0),
            _ => Ty::Tuple(types),
        }
    }

    fn applied(&mut self) -> Ty {
        let mut ty = if self.eat("(") {
            let ty = self.function();
            assert!(self.eat(")"), "`)` before `{}`", self.rest);
            ty
        } else if self.eat("'") {
            Ty::Var(self.name())
        } else {
            Ty::Con(self.name(), None)
        };
        while self.rest.starts_with(|c: char| c.is_ascii_lowercase()) {
            ty = Ty::of(&self.name(), ty);
        }
        ty
    }

    fn eat(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn name(&mut self) -> String {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        assert!(end > 0, "a name before `{}`", self.rest);
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        name.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemes_are_read_and_matched() {
        let scheme = Ty::parse("('a -> 'b) -> 'a list -> 'b list");
        assert_eq!(scheme.to_string(), "(('a -> 'b) -> ('a list) -> ('b list))");
        let mut binding = Binding::new();
        let ty = Ty::parse("(int -> float * string) -> int list -> (float * string) list");
        assert!(scheme.matches(&ty, &mut binding));
        assert_eq!(scheme.substitute(&binding), ty);
        let other = Ty::parse("(int -> bool) -> bool list -> bool list");
        assert!(!scheme.matches(&other, &mut Binding::new()));
    }

    #[test]
    fn a_result_that_is_a_function_adds_its_arguments() {
        let scheme = Ty::parse("'a -> 'b");
        let binding = Binding::from([
            ("a".to_string(), Ty::int()),
            ("b".to_string(), Ty::parse("bool -> string")),
        ]);
        let function = scheme.substitute(&binding);
        assert_eq!(function, Ty::parse("int -> bool -> string"));
    }
}
