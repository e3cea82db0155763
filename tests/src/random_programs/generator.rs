//! Random expressions of a wanted type, in a scope.
//!
//! Invariant: what [`Generator::expression`] gives has the type that was wanted, whatever the
//! random numbers are. Ways to make an expression are entries of the [`Library`], which bind
//! nothing, and *forms* (in [`super::control`] and [`super::functions`]), which do.

use fastrand::Rng;

use super::control;
use super::declarations::{Constructor, Declarations};
use super::library::{Candidate, Entry, Library};
use super::modules::Signature;
use super::objects::Class;
use super::tree::Tree;
use super::ty::Ty;

/// How deep expressions may be nested.
pub const DEPTH: usize = 5;

/// How many inner nodes the expressions of one definition may have.
const BUDGET: usize = 30;

/// A form: makes an expression of the wanted type, whose parts have this depth.
pub type Form = fn(&mut Generator, &Ty, usize) -> Tree;

/// A variable in scope.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub ty: Ty,
}

/// The state of making a program.
#[derive(Clone, Debug)]
pub struct Generator {
    pub random: Rng,
    pub library: Library,
    pub declarations: Declarations,
    pub scope: Vec<Variable>,
    /// The types that variables, arguments and results are given.
    pub types: Vec<Ty>,
    /// How many of them are common.
    pub common: usize,
    pub exceptions: Vec<Constructor>,
    pub classes: Vec<Class>,
    pub signatures: Vec<Signature>,
    names: usize,
    budget: usize,
}

impl Generator {
    pub fn new(seed: u64) -> Self {
        Self {
            random: Rng::with_seed(seed),
            library: Library::standard(),
            declarations: Declarations::default(),
            scope: Vec::new(),
            types: Vec::new(),
            common: 0,
            exceptions: Vec::new(),
            classes: Vec::new(),
            signatures: Vec::new(),
            names: 0,
            budget: 0,
        }
    }

    /// The body of a definition.
    pub fn body(&mut self, ty: &Ty) -> Tree {
        self.budget = BUDGET / 2 + self.random.usize(0..BUDGET);
        self.expression(ty, DEPTH)
    }

    /// An expression of type `ty`, nested at most `depth` deep.
    pub fn expression(&mut self, ty: &Ty, depth: usize) -> Tree {
        if depth == 0 || self.budget == 0 || self.random.usize(0..12) == 0 {
            return self.leaf(ty);
        }
        self.budget -= 1;
        match self.random.usize(0..10) {
            0..3 => control::form(self, ty)(self, ty, depth - 1),
            3..6 => {
                let own = self.functions_giving(ty);
                if own.is_empty() {
                    self.of_library(ty, depth - 1)
                } else {
                    let candidate = own[self.random.usize(..own.len())].clone();
                    self.applied(ty, &candidate, depth - 1)
                }
            }
            _ => self.of_library(ty, depth - 1),
        }
    }

    /// A variable or a literal.
    pub fn leaf(&mut self, ty: &Ty) -> Tree {
        let names: Vec<_> = self.variables(ty).map(|found| found.name.clone()).collect();
        if names.is_empty() || self.random.usize(0..5) == 0 {
            return self.literal(ty, 1);
        }
        // Half of the time one of the last, which are arguments and locals.
        let last = names.len().min(6);
        let from = if self.random.bool() {
            names.len() - last
        } else {
            0
        };
        let index = self.random.usize(from..names.len());
        Tree::expression(ty, names[index].clone(), Vec::new())
    }

    pub fn variables(&self, ty: &Ty) -> impl Iterator<Item = &Variable> {
        self.scope.iter().filter(move |variable| variable.ty == *ty)
    }

    /// Some variable that can be shown.
    pub fn any_variable(&mut self) -> Option<Variable> {
        let shown = |variable: &&Variable| !matches!(variable.ty, Ty::Fun(..));
        let names: Vec<_> = self.scope.iter().filter(shown).collect();
        let last = names.len().min(8);
        let names = &names[names.len() - last..];
        (last > 0).then(|| names[self.random.usize(..last)].clone())
    }

    /// Some type of the program; rather a common one, so that values of a type meet.
    pub fn any_type(&mut self) -> Ty {
        let end = if self.random.usize(0..5) < 3 {
            self.common
        } else {
            self.types.len()
        };
        self.types[self.random.usize(..end)].clone()
    }

    /// Some type whose values can be compared.
    pub fn comparable_type(&mut self) -> Ty {
        for _ in 0..20 {
            let ty = self.any_type();
            if self.declarations.is_comparable(&ty) {
                return ty;
            }
        }
        Ty::int()
    }

    /// A name that nothing else has.
    pub fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// A variable that is not in scope yet.
    pub fn variable(&mut self, prefix: &str, ty: &Ty) -> Variable {
        Variable {
            name: self.fresh(prefix),
            ty: ty.clone(),
        }
    }

    /// What `make` makes where `variables` are in scope.
    pub fn within<T>(&mut self, variables: &[Variable], make: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.scope.len();
        self.scope.extend_from_slice(variables);
        let made = make(self);
        self.scope.truncate(outside);
        made
    }

    /// One of these with the frequency that each is given.
    pub fn weighted<T: Clone>(&mut self, choices: &[(usize, T)]) -> T {
        let total: usize = choices.iter().map(|(weight, _)| weight).sum();
        let mut at = self.random.usize(..total);
        for (weight, choice) in choices {
            if at < *weight {
                return choice.clone();
            }
            at -= weight;
        }
        unreachable!("the weights add up to {total}")
    }

    /// The printer of values of type `ty`, an OCaml expression.
    pub fn printer(&self, ty: &Ty) -> String {
        match ty {
            Ty::Var(name) => panic!("values of type '{name} are not shown"),
            Ty::Con(name, None) => format!("show_{name}"),
            Ty::Con(name, Some(argument)) => format!("(show_{name} {})", self.printer(argument)),
            Ty::Fun(..) => "show_function".to_string(),
            Ty::Tuple(types) => {
                let names: Vec<_> = (0..types.len()).map(|index| format!("v{index}")).collect();
                let shown = types.iter().zip(&names);
                let shown: Vec<_> = shown
                    .map(|(ty, name)| format!("{} {name}", self.printer(ty)))
                    .collect();
                let shown = shown.join(r#" ^ ", " ^ "#);
                format!(r#"(fun ({}) -> "(" ^ {shown} ^ ")")"#, names.join(", "))
            }
        }
    }

    /// The functions in scope that can give `ty`.
    fn functions_giving(&self, ty: &Ty) -> Vec<Candidate> {
        let functions = self
            .scope
            .iter()
            .filter(|variable| matches!(variable.ty, Ty::Fun(..)));
        functions
            .filter_map(|variable| Entry::variable(&variable.name, &variable.ty).giving(ty))
            .collect()
    }

    fn of_library(&mut self, ty: &Ty, depth: usize) -> Tree {
        let candidates = self.library.candidates(ty).into_iter();
        let candidates: Vec<_> = candidates
            .map(|candidate| (candidate.entry.weight, candidate))
            .collect();
        let candidate = self.weighted(&candidates);
        self.applied(ty, &candidate, depth)
    }

    fn applied(&mut self, ty: &Ty, candidate: &Candidate, depth: usize) -> Tree {
        let Candidate {
            entry,
            applied,
            binding,
        } = candidate;
        let mut binding = binding.clone();
        let arguments = &entry.arguments[..*applied];
        let mut variables = Vec::new();
        arguments.iter().for_each(|ty| ty.variables(&mut variables));
        for name in variables {
            let chosen = if name.starts_with('c') {
                self.comparable_type()
            } else {
                self.any_type()
            };
            binding.entry(name).or_insert(chosen);
        }
        if !self.allows(&binding) {
            return self.leaf(ty);
        }
        let mut template = entry.text.clone();
        if !entry.is_template {
            template.push_str(&" $".repeat(*applied));
        }
        let parts = arguments
            .iter()
            .map(|scheme| self.expression(&scheme.substitute(&binding), depth));
        let parts = parts.collect();
        Tree::expression(ty, format!("({template})"), parts)
    }

    /// Whether what has to be comparable is.
    fn allows(&self, binding: &super::ty::Binding) -> bool {
        let mut compared = binding.iter().filter(|(name, _)| name.starts_with('c'));
        compared.all(|(_, ty)| self.declarations.is_comparable(ty))
    }
}
