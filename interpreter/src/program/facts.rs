//! What is known of a program beside its code: its primitives by their names, and its constants.

use super::calls::Calls;
use crate::custom;
use crate::image::elements;
use crate::image::hints::{self, Access, Given};
use crate::memory;
use crate::registry::arguments::{self, Kind};
use crate::registry::{Code, Primitive, results, shortcut};
use crate::value::{Value, boxed, tag};

/// Primitive `index`, if something defines it. Unreachable code is not verified: it may name one
/// that does not exist.
pub fn primitive<'a>(bound: &[Option<&'a Primitive>], index: usize) -> Option<&'a Primitive> {
    bound.get(index).copied().flatten()
}

/// Its name; empty if there is none.
pub fn name_of(bound: &[Option<&'static Primitive>], index: usize) -> &'static str {
    primitive(bound, index).map_or("", |primitive| primitive.name)
}

/// What is known of the program's primitives by their names.
pub struct Known<'a> {
    bound: &'a [Option<&'a Primitive>],
    /// The numbers of their shortcuts.
    shortcuts: Vec<u32>,
}

impl<'a> Known<'a> {
    pub fn new(bound: &'a [Option<&'a Primitive>]) -> Self {
        let shortcut = |primitive: &Option<&Primitive>| primitive.map_or(0, Primitive::shortcut);
        let shortcuts = bound.iter().map(shortcut).collect();
        Self { bound, shortcuts }
    }

    fn shortcut(&self, index: usize) -> u32 {
        self.shortcuts.get(index).copied().unwrap_or(0)
    }

    fn name(&self, index: usize) -> Option<&str> {
        Some(primitive(self.bound, index)?.name)
    }

    /// Whether it compares two strings.
    pub fn compares_strings(&self, index: usize) -> bool {
        shortcut::compares_strings(self.shortcut(index))
    }

    /// What a primitive gives that tells a constant of the system, as `Sys.big_endian` is one.
    fn system_constant(&self, index: usize) -> Option<i32> {
        let primitive = primitive(self.bound, index)?;
        match primitive.code {
            Code::F1(constant) if primitive.name.starts_with("caml_sys_const_") => {
                let value = constant(Value::UNIT);
                value.is_int().then(|| value.as_int().try_into().ok())?
            }
            _ => None,
        }
    }
}

impl elements::Primitives for Known<'_> {
    fn reads(&self, index: usize) -> bool {
        shortcut::reads_bigarray(self.shortcut(index))
    }

    fn writes(&self, index: usize) -> bool {
        shortcut::writes_bigarray(self.shortcut(index))
    }

    fn gives_float(&self, index: usize) -> bool {
        self.name(index).and_then(results::gives_box) == Some(boxed::FLOAT)
    }

    fn takes(&self, index: usize, argument: u32) -> Option<Kind> {
        arguments::takes(self.name(index)?, argument)
    }
}

/// What is known of a program beside its code.
pub struct Gives<'a> {
    known: Known<'a>,
    globals: Value,
    is_closed: bool,
}

impl<'a> Gives<'a> {
    pub fn new(bound: &'a [Option<&'a Primitive>], globals: Value, calls: &Calls) -> Self {
        Self {
            known: Known::new(bound),
            globals,
            is_closed: !calls.gives_closures(),
        }
    }
}

impl hints::Facts for Gives<'_> {
    fn given_by(&self, primitive: usize) -> Option<Given> {
        let by_name = self.known.name(primitive).and_then(results::gives_box);
        let kind = by_name.or_else(|| shortcut::integers::result(self.known.shortcut(primitive)));
        kind.map(Given::Number)
            .or_else(|| self.known.system_constant(primitive).map(Given::Integer))
    }

    fn opens(&self, primitive: usize) -> bool {
        self.known
            .name(primitive)
            .is_some_and(arguments::are_opened)
    }

    fn access(&self, primitive: usize) -> Option<Access> {
        let shortcut = self.known.shortcut(primitive);
        if shortcut::reads_array(shortcut) {
            Some(Access::Read)
        } else if shortcut::writes_array(shortcut) {
            Some(Access::Write)
        } else {
            None
        }
    }

    fn computes(&self, primitive: usize) -> bool {
        shortcut::computes(self.known.shortcut(primitive))
    }

    fn constant(&self, global: usize) -> Option<u32> {
        box_kind(self.globals, global)
    }

    fn is_closed(&self) -> bool {
        self.is_closed
    }
}

/// The words of the string that the global of this number is, if it is one.
pub fn string_words(globals: Value, global: usize) -> Option<u32> {
    let value = block(globals, global)?;
    (value.tag() == tag::STRING).then(|| value.wosize() as u32)
}

/// The kind of boxes that the global of this number is of, if there is one and it boxes a number.
pub fn box_kind(globals: Value, global: usize) -> Option<u32> {
    let value = block(globals, global)?;
    match value.tag() {
        tag::DOUBLE => Some(boxed::FLOAT),
        tag::CUSTOM => match custom::Kind::of(value) {
            custom::Kind::Int32 => Some(boxed::INT32),
            custom::Kind::Int64 => Some(boxed::INT64),
            custom::Kind::Nativeint => Some(boxed::NATIVEINT),
            custom::Kind::Bigarray
            | custom::Kind::Channel
            | custom::Kind::Lock
            | custom::Kind::Foreign
            | custom::Kind::Thread => None,
        },
        _ => None,
    }
}

/// The bits of the number in a box of this kind.
pub fn payload(boxed: Value, kind: u32) -> i64 {
    match kind {
        boxed::FLOAT => memory::load_i64(boxed.address()),
        _ => custom::as_int64(boxed),
    }
}

/// The block that the global of this number is, if there is such a global, and it is one.
fn block(globals: Value, global: usize) -> Option<Value> {
    let value = (global < globals.wosize()).then(|| globals.field(global))?;
    (!value.is_int()).then_some(value)
}
