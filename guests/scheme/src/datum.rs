//! Data as the reader finds it in the source, and the reader.

mod reader;

pub use reader::{CHARACTERS, number, prefixed_number, read};
use std::fmt;
use std::rc::Rc;

pub type Name = Rc<str>;

/// What is wrong where it is deeper.
pub const TOO_DEEP: &str = "this is nested too deeply";

#[derive(Clone, Debug)]
pub enum Datum {
    Nil,
    Unspecified,
    /// What a variable holds that is not defined yet.
    Undefined,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    Character(char),
    String(Rc<str>),
    Symbol(Name),
    Vector(Rc<[Datum]>),
    Pair(Rc<Pair>),
}

#[derive(Debug)]
pub struct Pair {
    pub car: Datum,
    pub cdr: Datum,
    /// The line of the source where it begins.
    pub line: u32,
}

/// What is wrong with a program, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    pub line: u32,
    pub message: String,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

pub type Result<T> = std::result::Result<T, SyntaxError>;

pub fn error<T>(line: u32, message: impl Into<String>) -> Result<T> {
    let message = message.into();
    Err(SyntaxError { line, message })
}

impl Datum {
    pub fn symbol(name: &str) -> Datum {
        Datum::Symbol(name.into())
    }

    pub fn pair(car: Datum, cdr: Datum, line: u32) -> Datum {
        Datum::Pair(Rc::new(Pair { car, cdr, line }))
    }

    pub fn list(items: &[Datum], line: u32) -> Datum {
        let pair = |rest, item: &Datum| Datum::pair(item.clone(), rest, line);
        items.iter().rev().fold(Datum::Nil, pair)
    }

    /// The elements of a proper list.
    pub fn elements(&self) -> Option<Vec<Datum>> {
        let (elements, rest) = self.prefix();
        matches!(rest, Datum::Nil).then_some(elements)
    }

    /// The elements up to the end of the chain of pairs, and that end.
    pub fn prefix(&self) -> (Vec<Datum>, Datum) {
        let (mut elements, mut rest) = (Vec::new(), self.clone());
        while let Datum::Pair(pair) = rest {
            elements.push(pair.car.clone());
            rest = pair.cdr.clone();
        }
        (elements, rest)
    }

    pub fn name(&self) -> Option<&Name> {
        match self {
            Datum::Symbol(name) => Some(name),
            _ => None,
        }
    }

    pub fn is_symbol(&self, name: &str) -> bool {
        self.name().is_some_and(|known| &**known == name)
    }
}
