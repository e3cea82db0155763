//! A compiled program becomes memory: code, constants, global variables.

use crate::code::CELL;
use crate::compile::{self, Constant, Generated, Link};
use crate::datum::Datum;
use crate::heap;
use crate::interp::entries::GENERIC;
use crate::interp::requests::publish;
use crate::memory::{store_f64, store_i64, store_u32, take};
use crate::runtime::procedures::{self, Procedure};
use crate::runtime::symbols;
use crate::value::{FALSE, NIL, TRUE, UNDEFINED, UNSPECIFIED, WORD, character, fixnum, tag};
use crate::vm::vm;

/// Compiles a source and loads it, in place of what there was.
pub fn load(source: &str) -> Result<(), String> {
    let generated = compile::compile(source).map_err(|error| error.to_string())?;
    heap::start();
    symbols::start();
    let layout = Layout::of(&generated)?;
    layout.write(&generated);
    let globals = room(generated.globals.len() as u32 * WORD)?;
    let constants = room(generated.constants.len() as u32 * WORD)?;
    for index in 0..generated.globals.len() as u32 {
        store_i64(globals + index * WORD, UNDEFINED);
    }
    for (index, constant) in (0..).zip(&generated.constants) {
        let value = match constant {
            Constant::Datum(datum) => value(datum),
            Constant::Closure(function) => closure(layout.functions[*function as usize]),
        };
        store_i64(constants + index * WORD, value);
    }
    vm().globals.set(globals);
    vm().global_count.set(generated.globals.len() as u32);
    vm().constants.set(constants);
    vm().constant_count.set(generated.constants.len() as u32);
    vm().fail
        .set(closure(layout.functions[generated.fail as usize]));
    procedures::start(layout.procedures(&generated));
    vm().main.set(layout.functions[0]);
    publish(&layout.functions, layout.floats, &generated);
    Ok(())
}

fn room(bytes: u32) -> Result<u32, String> {
    let bytes = bytes.next_multiple_of(16).max(16);
    take(bytes).ok_or_else(|| "the program does not fit into memory".to_owned())
}

/// Where the code of functions is, and where constant floats are.
struct Layout {
    functions: Vec<u32>,
    floats: u32,
}

/// Bytes of a constant float, header included.
const FLOAT_BYTES: u32 = 2 * WORD;

impl Layout {
    fn of(generated: &Generated) -> Result<Self, String> {
        let words = generated
            .functions
            .iter()
            .map(|function| function.code.len() as u32);
        let code = room(words.sum::<u32>() * CELL)?;
        let floats = room(generated.floats.len() as u32 * FLOAT_BYTES)?;
        let mut at = code;
        let mut next = |words: usize| {
            let start = at;
            at += words as u32 * CELL;
            start
        };
        let functions = generated
            .functions
            .iter()
            .map(|f| next(f.code.len()))
            .collect();
        Ok(Self { functions, floats })
    }

    fn write(&self, generated: &Generated) {
        for (index, x) in (0..).zip(&generated.floats) {
            let at = self.floats + index * FLOAT_BYTES;
            store_i64(at, crate::value::header(1, tag::FLOAT));
            store_f64(at + WORD, *x);
        }
        for (start, function) in self.functions.iter().zip(&generated.functions) {
            for (index, word) in (0..).zip(&function.code) {
                store_u32(start + index * CELL, *word);
            }
            for (index, link) in &function.links {
                store_u32(start + *index as u32 * CELL, self.address(*link));
            }
            let generic = &GENERIC[crate::code::parameters(*start) as usize];
            store_u32(crate::code::slot(*start), generic.0 as usize as u32);
        }
    }

    /// The functions with their code.
    fn procedures(&self, generated: &Generated) -> impl Iterator<Item = (u32, Procedure)> {
        let functions = self.functions.iter().zip(&generated.functions);
        functions.map(|(code, function)| {
            let known = Procedure {
                name: function.name.to_string(),
                least: function.least,
                rest: function.rest,
            };
            (*code, known)
        })
    }

    fn address(&self, link: Link) -> u32 {
        match link {
            Link::Function(function) => self.functions[function as usize],
            Link::Float(float) => self.floats + float * FLOAT_BYTES + WORD,
        }
    }
}

/// The closure of code that captures nothing.
fn closure(code: u32) -> i64 {
    let closure = heap::permanent(1, tag::CLOSURE).into();
    heap::init(closure, 0, code.into());
    closure
}

/// A datum as a value that does not move.
fn value(datum: &Datum) -> i64 {
    let block = |kind, fields: &[i64]| {
        let block = heap::permanent(fields.len() as u32, kind).into();
        for (index, field) in (0..).zip(fields) {
            heap::init(block, index, *field);
        }
        block
    };
    match datum {
        Datum::Nil => NIL,
        Datum::Unspecified => UNSPECIFIED,
        Datum::Undefined => UNDEFINED,
        Datum::Boolean(b) => {
            if *b {
                TRUE
            } else {
                FALSE
            }
        }
        Datum::Integer(n) => fixnum(*n),
        Datum::Character(c) => character(*c),
        Datum::Float(x) => {
            let float = heap::permanent(1, tag::FLOAT);
            store_f64(float, *x);
            float.into()
        }
        Datum::String(text) => heap::permanent_string(text),
        Datum::Symbol(name) => symbols::intern(name),
        Datum::Vector(elements) => {
            let elements: Vec<i64> = elements.iter().map(value).collect();
            block(tag::VECTOR, &elements)
        }
        Datum::Pair(_) => {
            let (items, tail) = datum.prefix();
            let inward = items.iter().rev();
            inward.fold(value(&tail), |rest, item| {
                block(tag::PAIR, &[value(item), rest])
            })
        }
    }
}
