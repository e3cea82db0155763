//! What a program is made of, once names are variables and derived forms are gone.

use crate::datum::{Datum, Name};
use std::rc::Rc;

/// A local variable, by its number in the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Variable(pub u32);

/// A global variable, by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Global(pub u32);

#[derive(Clone, Debug)]
pub enum Tree {
    Constant(Datum),
    Local(Variable),
    Global(Global),
    SetLocal(Variable, Box<Tree>),
    SetGlobal(Global, Box<Tree>),
    If(Box<[Tree; 3]>),
    Or(Box<[Tree; 2]>),
    Sequence(Vec<Tree>),
    Lambda(Rc<Lambda>),
    Let(Vec<(Variable, Tree)>, Box<Tree>),
    /// Functions that may know each other, which nobody assigns.
    Functions(Vec<(Variable, Rc<Lambda>)>, Box<Tree>),
    /// A function all of whose calls are the last thing that the tree or the function does: a loop
    /// within the function around it.
    Loop(Variable, Rc<Lambda>, Box<Tree>),
    Call(Box<Tree>, Vec<Tree>),
    /// A function, and the list of its arguments.
    Apply(Box<[Tree; 2]>),
    Primitive(u32, Vec<Tree>),
    /// A new block of this kind.
    Block(u32, Vec<Tree>),
    /// Calls a function without arguments. Then the variables are whether it raised, and what it
    /// returned.
    Try(Box<Tree>, [Variable; 2], Box<Tree>),
}

#[derive(Debug)]
pub struct Lambda {
    pub name: Name,
    pub parameters: Vec<Variable>,
    /// The last parameter is a list of all further arguments.
    pub rest: bool,
    pub body: Tree,
}

/// What is known of a local variable.
#[derive(Clone, Debug, Default)]
pub struct Known {
    pub assigned: bool,
    /// It may be used before it is defined.
    pub checked: bool,
    /// What it always is.
    pub function: Option<Rc<Lambda>>,
    /// That function captures nothing.
    pub closed: bool,
}

#[derive(Debug)]
pub struct GlobalVariable {
    pub name: Name,
    /// What it always is.
    pub function: Option<Rc<Lambda>>,
}

#[derive(Debug)]
pub struct Program {
    pub variables: Vec<Known>,
    pub globals: Vec<GlobalVariable>,
    pub body: Tree,
    /// `%fail`.
    pub fail: Global,
}

impl Tree {
    pub fn unspecified() -> Tree {
        Tree::Constant(Datum::Unspecified)
    }

    pub fn boolean(b: bool) -> Tree {
        Tree::Constant(Datum::Boolean(b))
    }

    pub fn int(n: i64) -> Tree {
        Tree::Constant(Datum::Integer(n))
    }

    pub fn test(test: Tree, then: Tree, other: Tree) -> Tree {
        Tree::If(Box::new([test, then, other]))
    }

    /// Calls `visit` for each part.
    pub fn parts<'a>(&'a self, visit: &mut dyn FnMut(&'a Tree)) {
        match self {
            Tree::Constant(_) | Tree::Local(_) | Tree::Global(_) => {}
            Tree::SetLocal(_, value) | Tree::SetGlobal(_, value) => visit(value),
            Tree::If(parts) => parts.iter().for_each(visit),
            Tree::Or(parts) | Tree::Apply(parts) => parts.iter().for_each(visit),
            Tree::Sequence(parts) | Tree::Primitive(_, parts) | Tree::Block(_, parts) => {
                parts.iter().for_each(visit);
            }
            Tree::Lambda(lambda) => visit(&lambda.body),
            Tree::Let(bindings, body) => {
                bindings.iter().for_each(|(_, value)| visit(value));
                visit(body);
            }
            Tree::Functions(functions, body) => {
                functions.iter().for_each(|(_, lambda)| visit(&lambda.body));
                visit(body);
            }
            Tree::Loop(_, lambda, body) => {
                visit(&lambda.body);
                visit(body);
            }
            Tree::Call(function, arguments) => {
                visit(function);
                arguments.iter().for_each(visit);
            }
            Tree::Try(thunk, _, body) => {
                visit(thunk);
                visit(body);
            }
        }
    }
}
