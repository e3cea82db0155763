//! Hand-assembled programs for tests: instructions that ocamlc does not emit, and malformed code.
//!
//! Text: instructions separated by `;`, each an [`Opcode`]'s name and its operands; `name:` is a
//! label; `@name` is the jump to it, counted as the instruction wants it. SWITCH takes its sizes as
//! one number.

use super::parse::MAGIC;
use super::verify::{self, Limits, Verified};
use crate::code::opcode::{Opcode, Operand};
use crate::heap::{self, finalise};
use crate::program;
use crate::registry::{Outcome, Raised, argument};
use crate::start::run_loaded;
use crate::value::{Value, tag};
use crate::vm::vm;
use std::cell::Cell;
use std::collections::HashMap;

/// Globals of an assembled program. Global `n` is the integer `n`, the predefined exceptions
/// included.
pub const GLOBALS: usize = 16;

/// Enough for the OCaml stack's limit to be met first.
const NATIVE_STACK: usize = if cfg!(miri) { 64 << 20 } else { 1 << 30 };

/// Primitives of an assembled program, by index.
pub const PRIMITIVES: [&str; 9] = [
    "test_digits",
    "caml_ml_string_length",
    "no_such_primitive",
    "caml_int_compare",
    "caml_get_current_environment",
    "test_dies_at_once",
    "test_retry",
    "caml_get_current_callstack",
    "caml_array_set",
];

crate::primitives! {
    Leaf "test_digits" digits, n;
    AllocatesLarge "test_dies_at_once" dies_at_once, 1;
    Leaf "test_retry" retry, 1;
}

/// The arguments, integers from 0 to 9, as the digits of a number.
fn digits(arguments: u32, count: u32) -> Value {
    let digit = |index| argument(arguments, index).as_int();
    Value::int((0..count).fold(0, |number, index| number * 10 + digit(index)))
}

/// At the first call, makes a block that `function` finalises when this returns; 0 then, 1 later.
fn dies_at_once(function: Value) -> Value {
    thread_local! { static CALLED: Cell<bool> = const { Cell::new(false) }; }
    if CALLED.replace(true) {
        return Value::int(1);
    }
    finalise::attach_last(function, heap::alloc(1, tag::ABSTRACT)).expect("memory");
    heap::note_exhausted();
    Value::int(0)
}

/// What an allocation without success does.
fn retry(_: Value) -> Value {
    vm().retry.set(1);
    Value::UNIT
}

/// The words of a program.
pub fn assemble(text: &str) -> Vec<i32> {
    let mut words = Vec::new();
    let mut labels = HashMap::new();
    let mut jumps = Vec::new();
    for item in text
        .split(';')
        .flat_map(|item| item.split_inclusive(':'))
        .map(str::trim)
    {
        if let Some(label) = item.strip_suffix(':') {
            labels.insert(label.to_owned(), words.len());
        } else if !item.is_empty() {
            instruction(item, &mut words, &mut jumps);
        }
    }
    for (place, origin, label) in jumps {
        words[place] = labels[&label] as i32 - origin as i32;
    }
    words
}

fn instruction(item: &str, words: &mut Vec<i32>, jumps: &mut Vec<(usize, usize, String)>) {
    let mut parts = item.split_whitespace();
    let name = parts.next().expect("an instruction");
    let opcode = (0..)
        .map_while(Opcode::from_word)
        .find(|opcode| format!("{opcode:?}") == name)
        .unwrap_or_else(|| panic!("no instruction {name}"));
    words.push(opcode as i32);
    let first = words.len();
    for (index, part) in parts.enumerate() {
        let place = first + index;
        if let Some(label) = part.strip_prefix('@') {
            let single = opcode.operands().get(index) == Some(&Operand::Jump);
            let origin = if single {
                place
            } else {
                first + opcode.operands().len()
            };
            jumps.push((place, origin, label.to_owned()));
            words.push(0);
        } else {
            words.push(part.parse().expect("a number"));
        }
    }
}

/// Those of a file with so many globals and primitives, of any arity.
pub fn limits(globals: usize, primitives: usize) -> Limits<'static> {
    Limits {
        parameters: 0,
        globals,
        primitives,
        rewritten: false,
        primitive_arity: &|_| None,
    }
}

/// Verified code, which is well-formed.
pub fn verified(code: &[i32], limits: &Limits) -> Verified {
    verify::verify(code, limits).expect("well-formed")
}

/// An executable with this code.
pub fn executable(code: &[i32]) -> Vec<u8> {
    let code: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    let names = PRIMITIVES.map(|name| format!("{name}\0")).concat();
    sections(&[
        ("CODE", &code),
        ("PRIM", names.as_bytes()),
        ("DATA", &data()),
    ])
}

/// A file with these sections.
pub fn sections(sections: &[(&str, &[u8])]) -> Vec<u8> {
    let mut file = Vec::new();
    for (_, bytes) in sections {
        file.extend_from_slice(bytes);
    }
    for (name, bytes) in sections {
        file.extend_from_slice(name.as_bytes());
        file.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
    }
    file.extend_from_slice(&(sections.len() as u32).to_be_bytes());
    file.extend_from_slice(MAGIC);
    file
}

/// The marshalled globals.
fn data() -> Vec<u8> {
    let mut body = vec![0x08];
    body.extend_from_slice(&((GLOBALS as u32) << 10).to_be_bytes());
    body.extend((0..GLOBALS as u8).map(|number| 0x40 | number));
    let words = [
        0x8495_a6be,
        body.len() as u32,
        1,
        GLOBALS as u32 + 1,
        GLOBALS as u32 + 1,
    ];
    let mut data: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    data.extend(body);
    data
}

/// What a program gave: the accumulator at STOP, as an integer or a description, or the exception.
pub fn run(text: &str) -> Result<i64, i64> {
    run_words(assemble(text))
}

/// The same for words.
pub fn run_words(code: Vec<i32>) -> Result<i64, i64> {
    with_program(code, |result| match result {
        Ok(value) => Ok(value.as_int()),
        Err(Raised) => Err(vm().exception.get().as_int()),
    })
}

/// Runs a program, and then `f` with what it gave.
pub fn with_program<R: Send + 'static>(
    code: Vec<i32>,
    f: impl FnOnce(Outcome) -> R + Send + 'static,
) -> R {
    with_loaded(code, || f(run_loaded()))
}

/// Loads a program, and does `f` with it, on a thread, hence a machine, of its own.
pub fn with_loaded<R: Send + 'static>(code: Vec<i32>, f: impl FnOnce() -> R + Send + 'static) -> R {
    let thread = std::thread::Builder::new()
        .stack_size(NATIVE_STACK)
        .spawn(move || {
            program::load(&executable(&code)).expect("the code is well-formed");
            f()
        });
    thread
        .expect("a thread can be started")
        .join()
        .expect("the interpreter does not panic")
}
