//! What is known of variables and functions: which are loops, which capture nothing, and in which
//! order definitions that may know each other can be made.

use super::scope::Scope;
use super::tree::{Known, Lambda, Tree, Variable};
use crate::datum::Datum;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

type Set = BTreeSet<Variable>;

/// The variables that a tree mentions.
pub fn references(tree: &Tree) -> Set {
    let mut found = Set::new();
    add_references(tree, &mut found);
    found
}

fn add_references(tree: &Tree, found: &mut Set) {
    if let Tree::Local(variable) | Tree::SetLocal(variable, _) = tree {
        found.insert(*variable);
    }
    tree.parts(&mut |part| add_references(part, found));
}

/// Definitions of a body, in order, and what follows them (`letrec*`).
pub fn letrec(scope: &mut Scope, items: Vec<(Variable, Tree)>, body: Tree) -> Tree {
    match Plan::of(scope, &items) {
        Some(steps) => steps.into_iter().rev().fold(body, |body, step| match step {
            Step::Value(variable, value) => Tree::Let(vec![(variable, value)], Box::new(body)),
            Step::Functions(group) => functions(scope, group, body),
        }),
        None => checked(scope, items, body),
    }
}

enum Step {
    Value(Variable, Tree),
    Functions(Vec<(Variable, Rc<Lambda>)>),
}

/// Definitions in an order in which each mentions those before it only, functions of one group
/// apart.
#[derive(Default)]
struct Plan {
    steps: Vec<Step>,
    /// Functions that are not made yet.
    pending: Vec<(Variable, Rc<Lambda>)>,
}

impl Plan {
    /// `None` if there is no such order.
    fn of(scope: &mut Scope, items: &[(Variable, Tree)]) -> Option<Vec<Step>> {
        let mut plan = Plan::default();
        for (index, (variable, tree)) in items.iter().enumerate() {
            match tree {
                Tree::Lambda(lambda) if !scope.known(*variable).assigned => {
                    plan.pending.push((*variable, lambda.clone()));
                }
                value => plan.value(*variable, value, &items[index..])?,
            }
        }
        plan.flush();
        Some(plan.steps)
    }

    fn value(
        &mut self,
        variable: Variable,
        value: &Tree,
        later: &[(Variable, Tree)],
    ) -> Option<()> {
        let is_later = |mentioned: &Set| later.iter().any(|(v, _)| mentioned.contains(v));
        let mentioned = references(value);
        if is_later(&mentioned) {
            return None;
        }
        if self.pending.iter().any(|(v, _)| mentioned.contains(v)) {
            if self
                .pending
                .iter()
                .any(|(_, lambda)| is_later(&references(&lambda.body)))
            {
                return None;
            }
            self.flush();
        }
        self.steps.push(Step::Value(variable, value.clone()));
        Some(())
    }

    fn flush(&mut self) {
        if !self.pending.is_empty() {
            self.steps
                .push(Step::Functions(std::mem::take(&mut self.pending)));
        }
    }
}

/// Each value has a box, which says whether it is defined.
fn checked(scope: &mut Scope, items: Vec<(Variable, Tree)>, body: Tree) -> Tree {
    let (mut group, mut values, mut sequence) = (Vec::new(), Vec::new(), Vec::new());
    for (variable, tree) in items {
        match tree {
            Tree::Lambda(lambda) if !scope.known(variable).assigned => {
                group.push((variable, lambda));
            }
            value => {
                let known = scope.known(variable);
                (known.assigned, known.checked) = (true, true);
                values.push((variable, Tree::Constant(Datum::Undefined)));
                sequence.push(Tree::SetLocal(variable, Box::new(value)));
            }
        }
    }
    sequence.push(body);
    let body = functions(scope, group, Tree::Sequence(sequence));
    Tree::Let(values, Box::new(body))
}

/// Functions that nobody assigns, and the tree that knows them: those that know no other come
/// first, each by itself.
pub fn functions(scope: &mut Scope, group: Vec<(Variable, Rc<Lambda>)>, body: Tree) -> Tree {
    let mut rest: Vec<_> = group
        .into_iter()
        .map(|(variable, lambda)| {
            let mentioned = references(&lambda.body);
            (variable, lambda, mentioned)
        })
        .collect();
    let mut single = Vec::new();
    while let Some(index) = rest.iter().position(|(variable, _, mentioned)| {
        let mut others = rest.iter().filter(|(other, ..)| other != variable);
        others.all(|(other, ..)| !mentioned.contains(other))
    }) {
        let (variable, lambda, _) = rest.remove(index);
        single.push((variable, lambda));
    }
    let group: Vec<_> = rest.into_iter().map(|(v, lambda, _)| (v, lambda)).collect();
    for (variable, lambda) in single.iter().chain(&group) {
        scope.known(*variable).function = Some(lambda.clone());
    }
    let body = match group.is_empty() {
        true => body,
        false => Tree::Functions(group, Box::new(body)),
    };
    single
        .into_iter()
        .rev()
        .fold(body, |body, (variable, lambda)| {
            if is_loop(variable, &lambda, &body) {
                scope.known(variable).function = None;
                Tree::Loop(variable, lambda, Box::new(body))
            } else {
                Tree::Functions(vec![(variable, lambda)], Box::new(body))
            }
        })
}

/// Whether all that is done with a function is to call it last.
fn is_loop(variable: Variable, lambda: &Lambda, body: &Tree) -> bool {
    let calls = Calls {
        variable,
        count: lambda.parameters.len(),
    };
    !lambda.rest && calls.are_last(&lambda.body) && calls.are_last(body)
}

struct Calls {
    variable: Variable,
    count: usize,
}

impl Calls {
    fn is_absent(&self, tree: &Tree) -> bool {
        !references(tree).contains(&self.variable)
    }

    fn are_absent(&self, trees: &[Tree]) -> bool {
        trees.iter().all(|tree| self.is_absent(tree))
    }

    /// Whether the function is only called where the tree ends.
    fn are_last(&self, tree: &Tree) -> bool {
        match tree {
            Tree::Call(function, arguments) => match &**function {
                Tree::Local(variable) if *variable == self.variable => {
                    arguments.len() == self.count && self.are_absent(arguments)
                }
                function => self.is_absent(function) && self.are_absent(arguments),
            },
            Tree::If(parts) => {
                let [test, then, other] = &**parts;
                self.is_absent(test) && self.are_last(then) && self.are_last(other)
            }
            Tree::Or(parts) => self.is_absent(&parts[0]) && self.are_last(&parts[1]),
            Tree::Sequence(parts) => match parts.split_last() {
                Some((last, before)) => self.are_absent(before) && self.are_last(last),
                None => true,
            },
            Tree::Let(bindings, body) => {
                bindings.iter().all(|(_, value)| self.is_absent(value)) && self.are_last(body)
            }
            Tree::Functions(functions, body) => {
                let mut bodies = functions.iter().map(|(_, lambda)| &lambda.body);
                bodies.all(|body| self.is_absent(body)) && self.are_last(body)
            }
            Tree::Loop(_, lambda, body) => self.are_last(&lambda.body) && self.are_last(body),
            Tree::Try(thunk, _, body) => self.is_absent(thunk) && self.are_last(body),
            other => self.is_absent(other),
        }
    }
}

/// What functions capture, and which variables are captured.
#[derive(Default)]
pub struct Captures {
    free: HashMap<*const Lambda, Vec<Variable>>,
    pub captured: HashSet<Variable>,
}

impl Captures {
    /// Finds out which functions of a tree are closed, outer ones first, and what the others
    /// capture.
    pub fn add(&mut self, body: &Tree, variables: &mut [Known]) {
        close(body, variables);
        self.visit(body, variables);
    }

    /// Whether the function is within another one; those of global variables capture nothing.
    pub fn has(&self, lambda: &Rc<Lambda>) -> bool {
        self.free.contains_key(&Rc::as_ptr(lambda))
    }

    /// What a function captures.
    pub fn of_lambda(&self, lambda: &Rc<Lambda>) -> &[Variable] {
        &self.free[&Rc::as_ptr(lambda)]
    }

    fn visit(&mut self, tree: &Tree, variables: &[Known]) {
        let mut all = Vec::new();
        match tree {
            Tree::Lambda(lambda) => all.push((None, lambda)),
            Tree::Functions(functions, _) => {
                all.extend(
                    functions
                        .iter()
                        .map(|(variable, lambda)| (Some(*variable), lambda)),
                );
            }
            _ => {}
        }
        for (own, lambda) in all {
            let mut free = free(lambda);
            free.retain(|v| Some(*v) != own && !variables[v.0 as usize].closed);
            self.captured.extend(&free);
            self.free
                .insert(Rc::as_ptr(lambda), free.into_iter().collect());
        }
        tree.parts(&mut |part| self.visit(part, variables));
    }
}

/// Marks functions that capture nothing, and that of those of their group that they know, the same
/// is true.
fn close(tree: &Tree, variables: &mut [Known]) {
    if let Tree::Functions(functions, _) = tree {
        let mut all = functions.iter();
        let closed = all.all(|(_, lambda)| {
            free(lambda).iter().all(|free| {
                let known = &variables[free.0 as usize];
                known.closed || functions.iter().any(|(v, _)| v == free)
            })
        });
        for (variable, _) in functions {
            variables[variable.0 as usize].closed = closed;
        }
    }
    tree.parts(&mut |part| close(part, variables));
}

/// What a function mentions that is bound outside of it.
fn free(lambda: &Lambda) -> Set {
    let mut free = references(&lambda.body);
    let mut bound = Set::new();
    add_bound(&lambda.body, &mut bound);
    free.retain(|v| !bound.contains(v) && !lambda.parameters.contains(v));
    free
}

fn add_bound(tree: &Tree, bound: &mut Set) {
    match tree {
        Tree::Lambda(lambda) => bound.extend(&lambda.parameters),
        Tree::Let(bindings, _) => bound.extend(bindings.iter().map(|(v, _)| *v)),
        Tree::Functions(functions, _) => {
            for (variable, lambda) in functions {
                bound.insert(*variable);
                bound.extend(&lambda.parameters);
            }
        }
        Tree::Loop(variable, lambda, _) => {
            bound.insert(*variable);
            bound.extend(&lambda.parameters);
        }
        Tree::Try(_, variables, _) => bound.extend(variables),
        _ => {}
    }
    tree.parts(&mut |part| add_bound(part, bound));
}
