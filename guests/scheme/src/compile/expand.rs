//! Data become trees: the core of the language, calls, and programs.

use super::bindings;
use super::body;
use super::forms;
use super::integrate;
use super::scope::{Meaning, Part, Scope};
use super::tree::{Global, Lambda, Program, Tree, Variable};
use crate::datum::{self, Datum, Name, Pair, Result, TOO_DEEP, error};
use crate::runtime::table::PRIMITIVES;
use crate::value::tag;
use std::rc::Rc;

/// How deep trees may be, at most. Who visits a tree recurs as deep, and on a form of the source
/// the expander does so several times; the stack carries twice as much.
const MAX_DEPTH: usize = 16000;

/// What a form of the source adds to that.
const FORM_DEPTH: usize = 8;

pub struct Expander {
    pub scope: Scope,
    depth: usize,
}

/// The tree of a program, and of what of the prelude it uses.
pub fn program(prelude: &str, source: &str) -> Result<Program> {
    let scope = Scope::default();
    let mut expander = Expander { scope, depth: 0 };
    let mut steps = expander.part(Part::Prelude, prelude)?;
    let fail = expander.scope.prelude("%fail").expect("the prelude has it");
    steps.extend(expander.part(Part::Program, source)?);
    let Scope {
        mut globals,
        variables,
        assigned,
        ..
    } = expander.scope;
    let mut sequence = Vec::new();
    for step in steps {
        match step {
            Tree::SetGlobal(global, value) if !assigned.contains(&global) => match *value {
                Tree::Lambda(lambda) => globals[global.0 as usize].function = Some(lambda),
                value => sequence.push(Tree::SetGlobal(global, Box::new(value))),
            },
            step => sequence.push(step),
        }
    }
    Ok(Program {
        variables,
        globals,
        body: Tree::Sequence(sequence),
        fail,
    })
}

/// The line of a datum that begins with a parenthesis, or else that of what is around it.
pub fn line_of(datum: &Datum, around: u32) -> u32 {
    match datum {
        Datum::Pair(pair) => pair.line,
        _ => around,
    }
}

impl Expander {
    /// The steps of a part: definitions are assignments of globals.
    fn part(&mut self, part: Part, source: &str) -> Result<Vec<Tree>> {
        self.scope.part = part;
        let mut items = Vec::new();
        for datum in datum::read(source)? {
            body::items(self, &datum, 1, &mut items)?;
        }
        for item in &items {
            if let Some(name) = &item.name {
                self.scope.define(name);
            }
        }
        let mut steps = Vec::new();
        for item in items {
            let value = item.value(self)?;
            steps.push(match &item.name {
                Some(name) => {
                    let global = self.scope.own_global(name).expect("it was defined");
                    Tree::SetGlobal(global, Box::new(value))
                }
                None => value,
            });
        }
        Ok(steps)
    }

    /// The tree of an expression. `line` is where it is, if it does not say that itself.
    pub fn tree(&mut self, datum: &Datum, line: u32) -> Result<Tree> {
        match datum {
            Datum::Symbol(name) => self.variable(name, line),
            Datum::Pair(pair) => self.nested(FORM_DEPTH, pair.line, |e| e.form(pair)),
            Datum::Nil => error(line, "`()` is no expression; quote it"),
            constant => Ok(Tree::Constant(constant.clone())),
        }
    }

    /// Does what makes a tree so much deeper.
    pub fn nested<T>(
        &mut self,
        depth: usize,
        line: u32,
        work: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        self.depth += depth;
        if self.depth > MAX_DEPTH {
            return error(line, TOO_DEEP);
        }
        let result = work(self)?;
        self.depth -= depth;
        Ok(result)
    }

    pub fn trees(&mut self, data: &[Datum], line: u32) -> Result<Vec<Tree>> {
        data.iter().map(|datum| self.tree(datum, line)).collect()
    }

    fn variable(&mut self, name: &Name, line: u32) -> Result<Tree> {
        Ok(match self.scope.meaning(name) {
            Meaning::Local(variable) => Tree::Local(variable),
            Meaning::Global(global) => Tree::Global(global),
            Meaning::Primitive(primitive) => self.primitive(primitive),
            Meaning::Unknown if forms::is_form(name) => {
                return error(line, format!("`{name}` is a form, not a variable"));
            }
            Meaning::Unknown => return error(line, format!("there is no variable `{name}`")),
        })
    }

    /// A primitive as a value.
    fn primitive(&mut self, primitive: u32) -> Tree {
        let known = &PRIMITIVES[primitive as usize];
        let parameters: Vec<_> = (0..known.operands).map(|_| self.scope.fresh()).collect();
        let operands = parameters.iter().map(|v| Tree::Local(*v)).collect();
        Tree::Lambda(Rc::new(Lambda {
            name: known.name.into(),
            parameters,
            rest: false,
            body: Tree::Primitive(primitive, operands),
        }))
    }

    fn form(&mut self, pair: &Pair) -> Result<Tree> {
        let line = pair.line;
        let Some(operands) = pair.cdr.elements() else {
            return error(line, "an expression is no proper list");
        };
        let Some(name) = pair.car.name() else {
            let function = self.tree(&pair.car, line)?;
            let arguments = self.trees(&operands, line)?;
            return Ok(call(self, function, arguments));
        };
        match self.scope.meaning(name) {
            Meaning::Unknown if forms::is_form(name) => forms::form(self, name, &operands, line),
            Meaning::Primitive(primitive) => {
                let arguments = self.trees(&operands, line)?;
                let wanted = PRIMITIVES[primitive as usize].operands as usize;
                if arguments.len() != wanted {
                    let message = format!("`{name}` takes {wanted} operands");
                    return error(line, message);
                }
                Ok(Tree::Primitive(primitive, arguments))
            }
            Meaning::Global(global) if self.scope.prelude(name) == Some(global) => {
                match integrate::integrated(self, name, &operands, line)? {
                    Some(tree) => Ok(tree),
                    None => self.call_global(global, &operands, line),
                }
            }
            Meaning::Global(global) => self.call_global(global, &operands, line),
            Meaning::Local(_) | Meaning::Unknown => {
                let function = self.variable(name, line)?;
                let arguments = self.trees(&operands, line)?;
                Ok(Tree::Call(Box::new(function), arguments))
            }
        }
    }

    fn call_global(&mut self, global: Global, operands: &[Datum], line: u32) -> Result<Tree> {
        let arguments = self.trees(operands, line)?;
        Ok(Tree::Call(Box::new(Tree::Global(global)), arguments))
    }

    /// A call of a function of the prelude.
    pub fn call_prelude(&mut self, name: &str, arguments: Vec<Tree>) -> Tree {
        let global = self.scope.prelude(name).expect("the prelude has it");
        Tree::Call(Box::new(Tree::Global(global)), arguments)
    }

    /// A function with these parameters, which may end in a dot and a name, or be one name.
    pub fn lambda(
        &mut self,
        name: &str,
        parameters: &Datum,
        body: &[Datum],
        line: u32,
    ) -> Result<Tree> {
        let (fixed, rest) = parameters.prefix();
        let here = self.scope.here();
        let mut variables = Vec::new();
        let rest = match rest {
            Datum::Nil => None,
            rest => Some(rest),
        };
        let has_rest = rest.is_some();
        for parameter in fixed.into_iter().chain(rest) {
            let Some(name) = parameter.name() else {
                return error(line, "a parameter is no name");
            };
            variables.push(self.scope.bind(name));
        }
        let body = body::body(self, body, line)?;
        self.scope.leave(here);
        Ok(Tree::Lambda(Rc::new(Lambda {
            name: name.into(),
            parameters: variables,
            rest: has_rest,
            body,
        })))
    }

    /// Assigns a variable.
    pub fn assign(&mut self, name: &Name, value: Tree, line: u32) -> Result<Tree> {
        let value = Box::new(value);
        if let Some(variable) = self.scope.local(name) {
            self.scope.known(variable).assigned = true;
            return Ok(Tree::SetLocal(variable, value));
        }
        match self.scope.own_global(name) {
            Some(global) => {
                self.scope.assigned.insert(global);
                Ok(Tree::SetGlobal(global, value))
            }
            None => error(line, format!("there is no variable `{name}` to assign")),
        }
    }

    /// Binds variables to values; functions that nobody assigns are known.
    pub fn bind(&mut self, bindings: Vec<(Variable, Tree)>, body: Tree) -> Tree {
        let (mut functions, mut values) = (Vec::new(), Vec::new());
        for (variable, value) in bindings {
            match value {
                Tree::Lambda(lambda) if !self.scope.known(variable).assigned => {
                    functions.push((variable, lambda));
                }
                value => values.push((variable, value)),
            }
        }
        let body = bindings::functions(&mut self.scope, functions, body);
        match values.is_empty() {
            true => body,
            false => Tree::Let(values, Box::new(body)),
        }
    }
}

/// A call of any function. That of a lambda expression binds its parameters.
pub fn call(expander: &mut Expander, function: Tree, arguments: Vec<Tree>) -> Tree {
    match function {
        Tree::Lambda(lambda) if !lambda.rest && lambda.parameters.len() == arguments.len() => {
            let lambda = match Rc::try_unwrap(lambda) {
                Ok(lambda) => lambda,
                Err(shared) => return Tree::Call(Box::new(Tree::Lambda(shared)), arguments),
            };
            let bindings = lambda.parameters.into_iter().zip(arguments).collect();
            expander.bind(bindings, lambda.body)
        }
        function => Tree::Call(Box::new(function), arguments),
    }
}

/// A new vector of these elements.
pub fn vector(elements: Vec<Tree>) -> Tree {
    Tree::Block(tag::VECTOR, elements)
}
