//! What each tree becomes.

use super::Link;
use super::body::{Body, Label, Place, Then};
use crate::code::{MAX_PARAMETERS, Opcode};
use crate::compile::tree::{Global, Lambda, Tree, Variable};
use crate::datum::Datum;
use crate::runtime::table;
use std::rc::Rc;

impl Body<'_, '_> {
    // Trees.

    /// The value of a tree in the accumulator, or returned.
    pub fn tree(&mut self, tree: &Tree, then: Then) {
        match tree {
            Tree::Constant(datum) => self.constant(datum),
            Tree::Local(variable) => self.local(*variable),
            Tree::Global(global) => self.global(*global),
            Tree::SetLocal(variable, value) => self.set_local(*variable, value),
            Tree::SetGlobal(global, value) => {
                self.tree(value, Then::GoOn);
                self.emit(Opcode::SetGlobal, &[global.0]);
                self.constant(&Datum::Unspecified);
            }
            Tree::If(parts) => return self.conditional(parts, then),
            Tree::Or(parts) => return self.or(parts, then),
            Tree::Sequence(parts) => return self.sequence(parts, then),
            Tree::Lambda(lambda) => self.closure(lambda, None),
            Tree::Let(bindings, body) => return self.bindings(bindings, body, then),
            Tree::Functions(group, body) => return self.functions(group, body, then),
            Tree::Loop(variable, lambda, body) => {
                return self.looping(*variable, lambda, body, then);
            }
            Tree::Call(function, arguments) => return self.call(function, arguments, then),
            Tree::Apply(parts) => return self.apply(parts, then),
            Tree::Primitive(number, operands) => {
                self.operands(operands);
                self.primitive_number(*number);
            }
            Tree::Block(tag, fields) => self.block(*tag, fields),
            Tree::Try(thunk, variables, body) => {
                return self.attempt(thunk, *variables, body, then);
            }
        }
        self.done(then);
    }

    fn global(&mut self, global: Global) {
        match self.generator.global_function(global) {
            Some(lambda) => self.closure(&lambda, None),
            None => self.emit(Opcode::Global, &[global.0]),
        }
    }

    /// All operands on the stack but the last one.
    fn operands(&mut self, operands: &[Tree]) {
        let last = operands.len().saturating_sub(1);
        for (index, operand) in operands.iter().enumerate() {
            self.tree(operand, Then::GoOn);
            if index < last {
                self.push();
            }
        }
    }

    fn pushed(&mut self, trees: &[Tree]) {
        for tree in trees {
            match tree {
                Tree::Local(variable)
                    if !self.generator.is_boxed(*variable)
                        && let Some(Place::Slot(slot)) = self.places.get(variable) =>
                {
                    let slot = *slot;
                    self.emit(Opcode::PushLocal, &[slot]);
                    self.depth += 1;
                }
                tree => {
                    self.tree(tree, Then::GoOn);
                    self.push();
                }
            }
        }
    }

    fn block(&mut self, tag: u32, fields: &[Tree]) {
        self.pushed(fields);
        self.emit(Opcode::MakeBlock, &[tag, fields.len() as u32]);
        self.depth -= fields.len() as u32;
    }

    fn sequence(&mut self, parts: &[Tree], then: Then) {
        let Some((last, before)) = parts.split_last() else {
            self.constant(&Datum::Unspecified);
            return self.done(then);
        };
        for part in before {
            self.tree(part, Then::GoOn);
        }
        self.tree(last, then);
    }

    fn bindings(&mut self, bindings: &[(Variable, Tree)], body: &Tree, then: Then) {
        let before = self.depth;
        let values: Vec<Tree> = bindings.iter().map(|(_, value)| value.clone()).collect();
        self.pushed(&values);
        for (index, (variable, _)) in (0..).zip(bindings) {
            self.places.insert(*variable, Place::Slot(before + index));
            self.box_if_needed(*variable);
        }
        self.tree(body, then);
        self.leave(before, then);
    }

    fn attempt(&mut self, thunk: &Tree, variables: [Variable; 2], body: &Tree, then: Then) {
        let before = self.depth;
        let [raised, value] = variables;
        self.tree(thunk, Then::GoOn);
        self.emit(Opcode::Try, &[]);
        self.depth += 1;
        self.bind(value);
        self.push();
        self.bind(raised);
        self.tree(body, then);
        self.leave(before, then);
    }

    // Conditions.

    fn conditional(&mut self, parts: &[Tree; 3], then: Then) {
        let [test, first, second] = parts;
        let (other, end) = (self.label(), self.label());
        self.branch(test, false, other);
        self.tree(first, then);
        if then == Then::GoOn {
            self.jump(Opcode::Jump, &[], end);
        }
        self.place(other);
        self.tree(second, then);
        self.place(end);
    }

    fn or(&mut self, parts: &[Tree; 2], then: Then) {
        let end = self.label();
        self.tree(&parts[0], Then::GoOn);
        self.jump(Opcode::JumpIfTrue, &[], end);
        self.tree(&parts[1], then);
        self.place(end);
        self.done(then);
    }

    /// Jumps if the truth of a tree is `sense`.
    fn branch(&mut self, tree: &Tree, sense: bool, label: Label) {
        let is_constant =
            |tree: &Tree, b| matches!(tree, Tree::Constant(Datum::Boolean(c)) if *c == b);
        match tree {
            Tree::Primitive(number, operands) if table::find("not") == Some(*number) => {
                self.branch(&operands[0], !sense, label);
            }
            Tree::If(parts) if is_constant(&parts[2], false) => {
                self.both(&parts[0], &parts[1], false, sense, label);
            }
            Tree::Or(parts) => self.both(&parts[0], &parts[1], true, sense, label),
            tree => {
                self.tree(tree, Then::GoOn);
                let opcode = if sense {
                    Opcode::JumpIfTrue
                } else {
                    Opcode::JumpIfFalse
                };
                self.jump(opcode, &[], label);
            }
        }
    }

    /// The same for two trees, of which the first decides if its truth is `decisive`.
    fn both(&mut self, first: &Tree, second: &Tree, decisive: bool, sense: bool, label: Label) {
        if decisive == sense {
            self.branch(first, sense, label);
            self.branch(second, sense, label);
        } else {
            let skip = self.label();
            self.branch(first, decisive, skip);
            self.branch(second, sense, label);
            self.place(skip);
        }
    }

    // Calls and loops.

    fn looping(&mut self, variable: Variable, lambda: &Lambda, body: &Tree, then: Then) {
        let before = self.depth;
        let (head, end) = (self.label(), self.label());
        self.loops.insert(variable, (head, before));
        match body {
            Tree::Call(function, values) if is_local(function, variable) => self.pushed(values),
            body => {
                let unspecified = vec![Tree::unspecified(); lambda.parameters.len()];
                self.pushed(&unspecified);
                let inside = self.depth;
                self.tree(body, then);
                if then == Then::GoOn {
                    self.jump(Opcode::Jump, &[], end);
                }
                self.depth = inside;
            }
        }
        self.repeats = true;
        self.place(head);
        for (index, parameter) in (0..).zip(&lambda.parameters) {
            self.places.insert(*parameter, Place::Slot(before + index));
            self.box_if_needed(*parameter);
        }
        self.tree(&lambda.body, then);
        self.place(end);
        self.leave(before, then);
    }

    fn call(&mut self, function: &Tree, arguments: &[Tree], then: Then) {
        if let Tree::Local(variable) = function
            && let Some((head, slot)) = self.loops.get(variable).copied()
        {
            self.pushed(arguments);
            let count = arguments.len() as u32;
            self.jump(Opcode::Again, &[count, slot], head);
            self.depth -= count;
            return;
        }
        if let Some((number, lambda)) = self.callee(function) {
            let fixed = lambda.parameters.len() - usize::from(lambda.rest);
            let fits = match lambda.rest {
                true => arguments.len() >= fixed,
                false => arguments.len() == fixed,
            };
            if fits && lambda.parameters.len() <= MAX_PARAMETERS as usize {
                return self.call_known(function, number, &lambda, arguments, then);
            }
        }
        if arguments.len() > MAX_PARAMETERS as usize {
            self.tree(function, Then::GoOn);
            self.push();
            self.list(arguments);
            return self.apply_list(then);
        }
        self.pushed(arguments);
        self.tree(function, Then::GoOn);
        let count = arguments.len() as u32;
        let opcode = match then {
            Then::GoOn => Opcode::Call,
            Then::Return => Opcode::TailCall,
        };
        self.emit(opcode, &[count]);
        self.depth -= count;
    }

    /// The function that a tree always is.
    fn callee(&mut self, function: &Tree) -> Option<(u32, Rc<Lambda>)> {
        let (lambda, own) = match function {
            Tree::Global(global) => (self.generator.global_function(*global)?, None),
            Tree::Local(variable) => {
                let known = self.generator.known(*variable);
                let own = (!known.closed).then_some(*variable);
                (known.function.clone()?, own)
            }
            _ => return None,
        };
        let captured = match self.generator.captures.has(&lambda) {
            true => self.generator.captures.of_lambda(&lambda).to_vec(),
            false => Vec::new(),
        };
        let number = self.generator.number(&lambda, &captured, own);
        Some((number, lambda))
    }

    fn call_known(
        &mut self,
        function: &Tree,
        number: u32,
        lambda: &Lambda,
        arguments: &[Tree],
        then: Then,
    ) {
        let count = lambda.parameters.len() as u32;
        match lambda.rest {
            true => {
                let (fixed, rest) = arguments.split_at(lambda.parameters.len() - 1);
                self.pushed(fixed);
                self.list(rest);
                self.push();
            }
            false => self.pushed(arguments),
        }
        if let Tree::Local(variable) = function
            && !self.generator.known(*variable).closed
        {
            self.contents(*variable);
        }
        let is_own = number == self.this.number;
        self.repeats |= is_own;
        match then {
            Then::GoOn => {
                self.recursive |= is_own;
                self.link(Opcode::CallKnown, &[count], Link::Function(number));
            }
            Then::Return if is_own => self.emit(Opcode::TailCallOwn, &[count]),
            Then::Return => self.link(Opcode::TailCallKnown, &[count], Link::Function(number)),
        }
        self.depth -= count;
    }

    /// A list of values in the accumulator.
    fn list(&mut self, trees: &[Tree]) {
        self.pushed(trees);
        self.constant(&Datum::Nil);
        for _ in trees {
            self.primitive("cons");
        }
    }

    fn apply(&mut self, parts: &[Tree; 2], then: Then) {
        self.operands(parts);
        self.apply_list(then);
    }

    fn apply_list(&mut self, then: Then) {
        let opcode = match then {
            Then::GoOn => Opcode::Apply,
            Then::Return => Opcode::TailApply,
        };
        self.emit(opcode, &[]);
        self.depth -= 1;
    }
}

fn is_local(tree: &Tree, variable: Variable) -> bool {
    matches!(tree, Tree::Local(local) if *local == variable)
}
