//! Bytecode of a program: each function that it can reach, in the order in which it is mentioned.
//!
//! A frame has, from its upper end down, the function that runs (if it has captured variables), the
//! parameters, and then what is bound and what is computed. The generator knows how deep the stack
//! is everywhere.

mod body;
mod trees;

use super::bindings::Captures;
use super::tree::{Global, Known, Lambda, Program, Variable};
use crate::datum::{Datum, Name};
use body::Body;
use std::collections::HashMap;
use std::rc::Rc;

/// The code of a program, without addresses.
pub struct Generated {
    pub functions: Vec<Function>,
    pub constants: Vec<Constant>,
    pub floats: Vec<f64>,
    pub globals: Vec<Name>,
    /// By number.
    pub fail: u32,
}

pub enum Constant {
    Datum(Datum),
    /// The closure of a function that captures nothing.
    Closure(u32),
}

/// The first one is the program itself.
pub struct Function {
    pub name: Name,
    /// How many arguments it takes, or takes at least.
    pub least: u32,
    /// Whether it takes more.
    pub rest: bool,
    /// Its entry, and its instructions.
    pub code: Vec<u32>,
    /// Which words become addresses.
    pub links: Vec<(usize, Link)>,
    /// It jumps back, or calls itself.
    pub repeats: bool,
    /// It calls itself and goes on after that.
    pub recursive: bool,
}

/// What a word is the address of, by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Link {
    Function(u32),
    Float(u32),
}

pub fn program(program: &Program) -> Generated {
    let mut variables = program.variables.clone();
    let mut captures = Captures::default();
    let globals = program
        .globals
        .iter()
        .filter_map(|global| global.function.as_ref());
    for function in globals {
        captures.add(&function.body, &mut variables);
    }
    captures.add(&program.body, &mut variables);
    let main = Rc::new(Lambda {
        name: "main".into(),
        parameters: Vec::new(),
        rest: false,
        body: program.body.clone(),
    });
    let mut generator = Generator {
        program,
        variables: &variables,
        captures: &captures,
        numbers: HashMap::new(),
        waiting: Vec::new(),
        constants: Vec::new(),
        closures: HashMap::new(),
        floats: Vec::new(),
    };
    generator.number(&main, &[], None);
    let fail = program.globals[program.fail.0 as usize].function.clone();
    let fail = generator.number(&fail.expect("it is a function"), &[], None);
    let mut functions = Vec::new();
    while let Some(waiting) = generator.waiting.get(functions.len()).cloned() {
        functions.push(Body::function(&mut generator, &waiting));
    }
    Generated {
        functions,
        constants: generator.constants,
        floats: generator.floats,
        globals: program
            .globals
            .iter()
            .map(|global| global.name.clone())
            .collect(),
        fail,
    }
}

/// A function whose code is wanted.
#[derive(Clone)]
struct Waiting {
    lambda: Rc<Lambda>,
    captured: Vec<Variable>,
    /// The variable that it is.
    own: Option<Variable>,
    number: u32,
}

struct Generator<'a> {
    program: &'a Program,
    variables: &'a [Known],
    captures: &'a Captures,
    numbers: HashMap<*const Lambda, u32>,
    waiting: Vec<Waiting>,
    constants: Vec<Constant>,
    /// The constants that closures are, by the function's number.
    closures: HashMap<u32, u32>,
    floats: Vec<f64>,
}

impl Generator<'_> {
    /// The number of a function, whose code is made some day.
    fn number(&mut self, lambda: &Rc<Lambda>, captured: &[Variable], own: Option<Variable>) -> u32 {
        let next = self.waiting.len() as u32;
        let number = *self.numbers.entry(Rc::as_ptr(lambda)).or_insert(next);
        if number == next {
            self.waiting.push(Waiting {
                lambda: lambda.clone(),
                captured: captured.to_vec(),
                own,
                number,
            });
        }
        number
    }

    fn known(&self, variable: Variable) -> &Known {
        &self.variables[variable.0 as usize]
    }

    /// Whether what the variable is lies in a box.
    fn is_boxed(&self, variable: Variable) -> bool {
        let known = self.known(variable);
        known.assigned && (known.checked || self.captures.captured.contains(&variable))
    }

    fn global_function(&self, global: Global) -> Option<Rc<Lambda>> {
        self.program.globals[global.0 as usize].function.clone()
    }

    fn constant_closure(&mut self, function: u32) -> u32 {
        if let Some(constant) = self.closures.get(&function) {
            return *constant;
        }
        let constant = self.constant(Constant::Closure(function));
        self.closures.insert(function, constant);
        constant
    }

    fn constant(&mut self, constant: Constant) -> u32 {
        self.constants.push(constant);
        self.constants.len() as u32 - 1
    }
}
