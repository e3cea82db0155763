//! The code of one function: instructions, variables, closures.

use super::{Constant, Function, Generator, Link, Waiting};
use crate::code::{CELL, MAX_PARAMETERS, Opcode, entry_word};
use crate::compile::tree::{Lambda, Tree, Variable};
use crate::datum::Datum;
use crate::runtime::table;
use crate::value::{FALSE, NIL, TRUE, UNDEFINED, UNSPECIFIED, character};
use std::collections::HashMap;
use std::rc::Rc;

/// Where a variable is.
#[derive(Clone, Copy)]
pub enum Place {
    Slot(u32),
    Captured(u32),
    Own,
}

/// What is done with a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Then {
    GoOn,
    Return,
}

/// A place in code that jumps lead to.
#[derive(Clone, Copy)]
pub struct Label(usize);

pub struct Body<'a, 'b> {
    pub generator: &'a mut Generator<'b>,
    pub this: Waiting,
    pub places: HashMap<Variable, Place>,
    /// Loops around: where they begin, and the first of their variables' slots.
    pub loops: HashMap<Variable, (Label, u32)>,
    pub depth: u32,
    code: Vec<u32>,
    links: Vec<(usize, Link)>,
    labels: Vec<Option<usize>>,
    jumps: Vec<(usize, Label)>,
    pub repeats: bool,
    pub recursive: bool,
}

impl<'a, 'b> Body<'a, 'b> {
    pub fn function(generator: &'a mut Generator<'b>, waiting: &Waiting) -> Function {
        let lambda = waiting.lambda.clone();
        let has_environment = !waiting.captured.is_empty();
        let count = lambda.parameters.len() as u32;
        let taken = count.min(MAX_PARAMETERS);
        let rest = lambda.rest || count > MAX_PARAMETERS;
        let mut body = Body {
            generator,
            this: waiting.clone(),
            places: HashMap::new(),
            loops: HashMap::new(),
            depth: (taken + u32::from(has_environment)).max(1),
            code: vec![entry_word(taken, rest, has_environment), 0],
            links: Vec::new(),
            labels: Vec::new(),
            jumps: Vec::new(),
            repeats: false,
            recursive: false,
        };
        for (index, variable) in (0..).zip(&waiting.captured) {
            body.places.insert(*variable, Place::Captured(index));
        }
        if let Some(own) = waiting.own {
            body.places.insert(own, Place::Own);
        }
        let first = u32::from(has_environment);
        for (index, parameter) in (0..taken).zip(&lambda.parameters) {
            body.places.insert(*parameter, Place::Slot(first + index));
        }
        if count > MAX_PARAMETERS {
            body.take_from_list(&lambda, first + MAX_PARAMETERS - 1);
        }
        for parameter in &lambda.parameters {
            body.box_if_needed(*parameter);
        }
        body.tree(&lambda.body, Then::Return);
        body.finish(&lambda)
    }

    fn finish(mut self, lambda: &Lambda) -> Function {
        for (at, label) in &self.jumps {
            let target = self.labels[label.0].expect("each label is placed");
            self.code[*at] = (target as u32).wrapping_sub(*at as u32).wrapping_mul(CELL);
        }
        Function {
            name: lambda.name.clone(),
            least: lambda.parameters.len() as u32 - u32::from(lambda.rest),
            rest: lambda.rest,
            code: self.code,
            links: self.links,
            repeats: self.repeats,
            recursive: self.recursive,
        }
    }

    /// Takes the parameters beyond those that functions have from the list in a slot.
    pub fn take_from_list(&mut self, lambda: &Lambda, list: u32) {
        let further = &lambda.parameters[MAX_PARAMETERS as usize - 1..];
        let count = further.len() - usize::from(lambda.rest);
        if !lambda.rest {
            self.emit(Opcode::PushLocal, &[list]);
            self.depth += 1;
            self.emit(Opcode::Int, &[count as u32]);
            self.push();
            // For its name, whatever it has captured.
            let this = self.this.number;
            let constant = self.generator.constant_closure(this);
            self.link(Opcode::Function, &[constant], Link::Function(this));
            self.primitive("%check-count");
        }
        for (index, parameter) in further.iter().enumerate() {
            self.emit(Opcode::Local, &[list]);
            for _ in 0..index {
                self.primitive("cdr");
            }
            if index < count {
                self.primitive("car");
            }
            self.push();
            self.places.insert(*parameter, Place::Slot(self.depth - 1));
        }
    }

    // Instructions.

    pub fn emit(&mut self, opcode: Opcode, operands: &[u32]) {
        debug_assert_eq!(operands.len() as u32, opcode.operands(), "{opcode:?}");
        self.code.push(opcode as u32);
        self.code.extend(operands);
    }

    pub fn push(&mut self) {
        self.emit(Opcode::Push, &[]);
        self.depth += 1;
    }

    pub fn pop(&mut self, count: u32) {
        if count > 0 {
            self.emit(Opcode::Pop, &[count]);
            self.depth -= count;
        }
    }

    /// The last operand is in the accumulator, the others are on the stack.
    pub fn primitive(&mut self, name: &str) {
        self.primitive_number(table::find(name).expect("there is this primitive"));
    }

    pub fn primitive_number(&mut self, number: u32) {
        let known = &table::PRIMITIVES[number as usize];
        self.emit(known.opcode, &[number]);
        self.depth -= known.operands - 1;
    }

    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    pub fn place(&mut self, label: Label) {
        self.labels[label.0] = Some(self.code.len());
    }

    pub fn jump(&mut self, opcode: Opcode, operands: &[u32], label: Label) {
        self.emit(opcode, &[operands, &[0]].concat());
        self.jumps.push((self.code.len() - 1, label));
    }

    /// The last operand becomes an address.
    pub fn link(&mut self, opcode: Opcode, operands: &[u32], link: Link) {
        self.emit(opcode, &[operands, &[0]].concat());
        self.links.push((self.code.len() - 1, link));
    }

    pub fn done(&mut self, then: Then) {
        if then == Then::Return {
            self.emit(Opcode::Return, &[]);
        }
    }

    // Variables.

    /// Gives a variable that was just pushed its place.
    pub fn bind(&mut self, variable: Variable) {
        self.places.insert(variable, Place::Slot(self.depth - 1));
        self.box_if_needed(variable);
    }

    pub fn box_if_needed(&mut self, variable: Variable) {
        if self.generator.is_boxed(variable)
            && let Place::Slot(slot) = self.places[&variable]
        {
            self.emit(Opcode::MakeBox, &[slot]);
        }
    }

    /// What is in the place of a variable: its value or its box.
    pub fn contents(&mut self, variable: Variable) {
        match self.places[&variable] {
            Place::Slot(slot) => self.emit(Opcode::Local, &[slot]),
            Place::Captured(index) => self.emit(Opcode::Captured, &[index]),
            Place::Own => self.emit(Opcode::Own, &[]),
        }
    }

    pub fn local(&mut self, variable: Variable) {
        let known = self.generator.known(variable);
        let checked = known.checked;
        if known.closed
            && let Some(lambda) = known.function.clone()
        {
            return self.closure(&lambda, None);
        }
        self.contents(variable);
        if self.generator.is_boxed(variable) {
            let opcode = if checked {
                Opcode::BoxRefDefined
            } else {
                Opcode::BoxRef
            };
            self.emit(opcode, &[]);
        }
    }

    pub fn set_local(&mut self, variable: Variable, value: &Tree) {
        if self.generator.is_boxed(variable) {
            self.contents(variable);
            self.push();
            self.tree(value, Then::GoOn);
            self.emit(Opcode::BoxSet, &[]);
            self.depth -= 1;
        } else {
            self.tree(value, Then::GoOn);
            if let Place::Slot(slot) = self.places[&variable] {
                self.emit(Opcode::SetLocal, &[slot]);
            }
        }
        self.constant(&Datum::Unspecified);
    }

    pub fn constant(&mut self, datum: &Datum) {
        let immediate = match datum {
            Datum::Integer(n) => match i32::try_from(*n) {
                Ok(n) => return self.emit(Opcode::Int, &[n as u32]),
                Err(_) => None,
            },
            Datum::Float(x) => {
                self.generator.floats.push(*x);
                let float = self.generator.floats.len() as u32 - 1;
                return self.link(Opcode::Float, &[], Link::Float(float));
            }
            Datum::Nil => Some(NIL),
            Datum::Unspecified => Some(UNSPECIFIED),
            Datum::Undefined => Some(UNDEFINED),
            Datum::Boolean(b) => Some(if *b { TRUE } else { FALSE }),
            Datum::Character(c) => Some(character(*c)),
            Datum::String(_) | Datum::Symbol(_) | Datum::Vector(_) | Datum::Pair(_) => None,
        };
        match immediate {
            Some(word) => self.emit(Opcode::Immediate, &[word as u32]),
            None => {
                let constant = self.generator.constant(Constant::Datum(datum.clone()));
                self.emit(Opcode::Constant, &[constant]);
            }
        }
    }

    // Functions.

    /// The accumulator becomes a closure of this function.
    pub fn closure(&mut self, lambda: &Rc<Lambda>, own: Option<Variable>) {
        let captured = match own.is_none() && !self.generator.captures.has(lambda) {
            true => Vec::new(),
            false => self.generator.captures.of_lambda(lambda).to_vec(),
        };
        let number = self.generator.number(lambda, &captured, own);
        if captured.is_empty() {
            let constant = self.generator.constant_closure(number);
            return self.link(Opcode::Function, &[constant], Link::Function(number));
        }
        for variable in &captured {
            match self.places.get(variable) {
                Some(_) => self.contents(*variable),
                // A function of the same group, which is put there later.
                None => self.emit(Opcode::Immediate, &[UNSPECIFIED as u32]),
            }
            self.push();
        }
        let count = captured.len() as u32;
        self.link(Opcode::Closure, &[count], Link::Function(number));
        self.depth -= count;
    }

    /// Functions that know each other, and the tree that knows them.
    pub fn functions(&mut self, group: &[(Variable, Rc<Lambda>)], body: &Tree, then: Then) {
        let before = self.depth;
        let is_open = |variable: &Variable| !self.generator.known(*variable).closed;
        let open: Vec<_> = group
            .iter()
            .filter(|(variable, _)| is_open(variable))
            .collect();
        for (variable, lambda) in &open {
            self.closure(lambda, Some(*variable));
            self.push();
            self.bind(*variable);
        }
        for (index, (_, lambda)) in open.iter().enumerate() {
            let captured = self.generator.captures.of_lambda(lambda).to_vec();
            for (field, variable) in (0..).zip(captured) {
                let later = open[index..].iter().any(|(other, _)| *other == variable);
                if later {
                    self.contents(variable);
                    self.emit(Opcode::Capture, &[before + index as u32, field]);
                }
            }
        }
        self.tree(body, then);
        self.leave(before, then);
    }

    /// Drops what was bound since the stack was that deep.
    pub fn leave(&mut self, before: u32, then: Then) {
        match then {
            Then::GoOn => self.pop(self.depth - before),
            Then::Return => self.depth = before,
        }
    }
}
