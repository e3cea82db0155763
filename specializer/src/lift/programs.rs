//! Random structured programs, as WebAssembly text and as their own reference interpreter: what the
//! lifter makes of the text has to compute what the tree computes.
//!
//! Programs are valid by construction and end: each loop iteration takes from a common supply, in
//! the program itself.

use fastrand::Rng;

/// Locals are `i32`: two parameters, then these; the last one is the supply of loop iterations.
pub const LOCALS: usize = 6;
const SUPPLY: usize = LOCALS - 1;
const ITERATIONS: i32 = 20;

/// What the function returns when it runs out of iterations.
const EXHAUSTED: i32 = -1234;

/// A tree of statements.
pub struct Program(Vec<Statement>, Expr);

enum Statement {
    Set(usize, Expr),
    Block(Vec<Statement>),
    Loop(Vec<Statement>),
    If(Expr, Vec<Statement>, Vec<Statement>),
    /// A branch to the label so many constructs out: its condition, if it has one, and its value,
    /// if the label takes one.
    Branch(usize, Option<Expr>, Option<Expr>),
    /// To labels without values; the last one is the default.
    Switch(Expr, Vec<usize>),
    Return(Expr),
}

enum Expr {
    Number(i32),
    Local(usize),
    Tee(usize, Box<Expr>),
    Binary(usize, Box<Expr>, Box<Expr>),
    /// A block with a result, which branches may give early.
    Block(Vec<Statement>, Box<Expr>),
    /// As a block, each arm.
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
}

type Operation = fn(i32, i32) -> i32;

const OPERATIONS: [(&str, Operation); 5] = [
    ("i32.add", i32::wrapping_add),
    ("i32.sub", i32::wrapping_sub),
    ("i32.mul", i32::wrapping_mul),
    ("i32.xor", |a, b| a ^ b),
    ("i32.lt_s", |a, b| i32::from(a < b)),
];

/// What a label takes.
#[derive(Clone, Copy, PartialEq)]
enum Label {
    Nothing,
    Value,
}

struct Generator<'r> {
    random: &'r mut Rng,
    labels: Vec<Label>,
    budget: usize,
}

/// A random program.
pub fn random(random: &mut Rng) -> Program {
    let budget = 10 + random.usize(..120);
    let mut generator = Generator {
        random,
        labels: vec![],
        budget,
    };
    let statements = generator.statements();
    Program(statements, generator.expr(3))
}

impl Generator<'_> {
    fn statements(&mut self) -> Vec<Statement> {
        let count = self.random.usize(..5);
        (0..count).map(|_| self.statement()).collect()
    }

    fn inside(&mut self, label: Label) -> Vec<Statement> {
        self.labels.push(label);
        let statements = self.statements();
        self.labels.pop();
        statements
    }

    fn statement(&mut self) -> Statement {
        self.budget = self.budget.saturating_sub(1);
        let choices = if self.budget == 0 { 3 } else { 9 };
        match self.random.usize(..choices) {
            0..3 => Statement::Set(self.random.usize(..SUPPLY), self.expr(2)),
            3 => Statement::Block(self.inside(Label::Nothing)),
            4 => Statement::Loop(self.inside(Label::Nothing)),
            5 => {
                let condition = self.expr(2);
                let then = self.inside(Label::Nothing);
                Statement::If(condition, then, self.inside(Label::Nothing))
            }
            6 => self.branch(),
            7 => self.switch(),
            _ if self.random.usize(..3) == 0 => Statement::Return(self.expr(2)),
            _ => self.branch(),
        }
    }

    fn branch(&mut self) -> Statement {
        if self.labels.is_empty() {
            return Statement::Set(0, self.expr(2));
        }
        let depth = self.random.usize(..self.labels.len());
        let label = self.labels[self.labels.len() - 1 - depth];
        let condition = (self.random.usize(..4) > 0).then(|| self.expr(1));
        let value = (label == Label::Value).then(|| self.expr(1));
        Statement::Branch(depth, condition, value)
    }

    fn switch(&mut self) -> Statement {
        let takes_nothing =
            |&depth: &usize| self.labels[self.labels.len() - 1 - depth] == Label::Nothing;
        let candidates: Vec<usize> = (0..self.labels.len()).filter(takes_nothing).collect();
        if candidates.is_empty() {
            return Statement::Set(1, self.expr(2));
        }
        let count = 1 + self.random.usize(..4);
        let labels = (0..count)
            .map(|_| candidates[self.random.usize(..candidates.len())])
            .collect();
        Statement::Switch(self.expr(1), labels)
    }

    fn expr(&mut self, depth: usize) -> Expr {
        let boxed = |generator: &mut Self| Box::new(generator.expr(depth - 1));
        match self.random.usize(..if depth == 0 { 2 } else { 7 }) {
            0 => Expr::Number(self.random.usize(..7) as i32 - 2),
            1 => Expr::Local(self.random.usize(..SUPPLY)),
            2 => Expr::Tee(self.random.usize(..SUPPLY), boxed(self)),
            3 | 4 => Expr::Binary(
                self.random.usize(..OPERATIONS.len()),
                boxed(self),
                boxed(self),
            ),
            5 if self.budget > 0 => {
                self.labels.push(Label::Value);
                let block = Expr::Block(self.statements(), boxed(self));
                self.labels.pop();
                block
            }
            _ => {
                let condition = boxed(self);
                self.labels.push(Label::Value);
                let choice = Expr::Choice(condition, boxed(self), boxed(self));
                self.labels.pop();
                choice
            }
        }
    }
}

impl Program {
    /// The program as a module with one function.
    pub fn wat(&self) -> String {
        let mut code = String::new();
        code += &format!("i32.const {ITERATIONS} local.set {SUPPLY} ");
        write_all(&mut code, &self.0);
        self.1.write(&mut code);
        let locals = "i32 ".repeat(LOCALS - 2);
        format!("(module (func (param i32 i32) (result i32) (local {locals}) {code}))")
    }

    /// What the program returns.
    pub fn run(&self, first: i32, second: i32) -> i32 {
        let mut locals = [0; LOCALS];
        (locals[0], locals[1], locals[SUPPLY]) = (first, second, ITERATIONS);
        let result = run_all(&self.0, &mut locals).and_then(|()| self.1.run(&mut locals));
        match result {
            Ok(value) | Err(Exit::Return(value)) => value,
            Err(Exit::Branch(..)) => unreachable!("branches go to labels around them"),
        }
    }
}

fn write_all(code: &mut String, statements: &[Statement]) {
    statements
        .iter()
        .for_each(|statement| statement.write(code));
}

impl Statement {
    fn write(&self, code: &mut String) {
        match self {
            Statement::Set(local, value) => {
                value.write(code);
                *code += &format!("local.set {local} ");
            }
            Statement::Block(body) => {
                *code += "block ";
                write_all(code, body);
                *code += "end ";
            }
            Statement::Loop(body) => {
                *code += &format!(
                    "loop local.get {SUPPLY} i32.eqz if i32.const {EXHAUSTED} return end \
                     local.get {SUPPLY} i32.const 1 i32.sub local.set {SUPPLY} "
                );
                write_all(code, body);
                *code += "end ";
            }
            Statement::If(condition, then, otherwise) => {
                condition.write(code);
                *code += "if ";
                write_all(code, then);
                if !otherwise.is_empty() {
                    *code += "else ";
                    write_all(code, otherwise);
                }
                *code += "end ";
            }
            Statement::Branch(depth, condition, value) => {
                if let Some(value) = value {
                    value.write(code);
                }
                match condition {
                    Some(condition) => {
                        condition.write(code);
                        *code += &format!("br_if {depth} ");
                        *code += if value.is_some() { "drop " } else { "" };
                    }
                    None => *code += &format!("br {depth} "),
                }
            }
            Statement::Switch(index, labels) => {
                index.write(code);
                let labels: Vec<_> = labels.iter().map(usize::to_string).collect();
                *code += &format!("br_table {} ", labels.join(" "));
            }
            Statement::Return(value) => {
                value.write(code);
                *code += "return ";
            }
        }
    }
}

impl Expr {
    fn write(&self, code: &mut String) {
        match self {
            Expr::Number(number) => *code += &format!("i32.const {number} "),
            Expr::Local(local) => *code += &format!("local.get {local} "),
            Expr::Tee(local, value) => {
                value.write(code);
                *code += &format!("local.tee {local} ");
            }
            Expr::Binary(operation, first, second) => {
                first.write(code);
                second.write(code);
                *code += &format!("{} ", OPERATIONS[*operation].0);
            }
            Expr::Block(statements, value) => {
                *code += "block (result i32) ";
                write_all(code, statements);
                value.write(code);
                *code += "end ";
            }
            Expr::Choice(condition, first, second) => {
                condition.write(code);
                *code += "if (result i32) ";
                first.write(code);
                *code += "else ";
                second.write(code);
                *code += "end ";
            }
        }
    }
}

/// Control that leaves constructs.
enum Exit {
    Branch(usize, Option<i32>),
    Return(i32),
}

type Run<T> = Result<T, Exit>;

fn run_all(statements: &[Statement], locals: &mut [i32; LOCALS]) -> Run<()> {
    statements
        .iter()
        .try_for_each(|statement| statement.run(locals))
}

/// Takes a branch to the construct that gave `result`.
fn arrive<T>(result: Run<T>, here: impl FnOnce(Option<i32>) -> Run<T>) -> Run<T> {
    match result {
        Err(Exit::Branch(0, value)) => here(value),
        Err(Exit::Branch(depth, value)) => Err(Exit::Branch(depth - 1, value)),
        other => other,
    }
}

fn value_arrives(value: Option<i32>) -> Run<i32> {
    Ok(value.expect("the label takes a value"))
}

impl Statement {
    fn run(&self, locals: &mut [i32; LOCALS]) -> Run<()> {
        match self {
            Statement::Set(local, value) => locals[*local] = value.run(locals)?,
            Statement::Block(body) => arrive(run_all(body, locals), |_| Ok(()))?,
            Statement::Loop(body) => {
                let mut again = true;
                while again {
                    if locals[SUPPLY] == 0 {
                        return Err(Exit::Return(EXHAUSTED));
                    }
                    locals[SUPPLY] -= 1;
                    again = false;
                    arrive(run_all(body, locals), |_| {
                        again = true;
                        Ok(())
                    })?;
                }
            }
            Statement::If(condition, then, otherwise) => {
                let arm = if condition.run(locals)? != 0 {
                    then
                } else {
                    otherwise
                };
                arrive(run_all(arm, locals), |_| Ok(()))?;
            }
            Statement::Branch(depth, condition, value) => {
                let value = value.as_ref().map(|value| value.run(locals)).transpose()?;
                let taken = condition
                    .as_ref()
                    .map_or(Ok(1), |condition| condition.run(locals))?;
                if taken != 0 {
                    return Err(Exit::Branch(*depth, value));
                }
            }
            Statement::Switch(index, labels) => {
                let index = index.run(locals)? as u32 as usize;
                let depth = labels[index.min(labels.len() - 1)];
                return Err(Exit::Branch(depth, None));
            }
            Statement::Return(value) => return Err(Exit::Return(value.run(locals)?)),
        }
        Ok(())
    }
}

impl Expr {
    fn run(&self, locals: &mut [i32; LOCALS]) -> Run<i32> {
        Ok(match self {
            Expr::Number(number) => *number,
            Expr::Local(local) => locals[*local],
            Expr::Tee(local, value) => {
                locals[*local] = value.run(locals)?;
                locals[*local]
            }
            Expr::Binary(operation, first, second) => {
                let first = first.run(locals)?;
                OPERATIONS[*operation].1(first, second.run(locals)?)
            }
            Expr::Block(statements, value) => {
                let result = run_all(statements, locals).and_then(|()| value.run(locals));
                arrive(result, value_arrives)?
            }
            Expr::Choice(condition, first, second) => {
                let arm = if condition.run(locals)? != 0 {
                    first
                } else {
                    second
                };
                arrive(arm.run(locals), value_arrives)?
            }
        })
    }
}
