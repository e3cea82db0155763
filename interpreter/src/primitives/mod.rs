//! What bytecode calls by name: one module a subject, each with a `TABLE`.

pub mod arrays;
pub mod backtrace;
pub mod channels;
pub mod dummies;
mod dynamic;
pub mod dynlink;
pub mod exit;
pub mod files;
pub mod finalise;
pub mod floats;
pub mod format;
pub mod gc;
pub mod ints;
pub mod lexing;
pub mod math;
pub mod named;
pub mod obj;
pub mod parse;
pub mod parsing;
pub mod regexp;
pub mod reify;
pub mod signals;
pub mod strings;
pub mod sys;
#[cfg(test)]
pub mod testing;
pub mod threads;
pub mod unix;
pub mod weak;

use crate::foreign;
use crate::md5;
use crate::polymorphic::{bigarray, compare, hash, marshal};
use crate::registry::Primitive;

/// The tables of all modules.
#[rustfmt::skip]
const TABLES: &[&[Primitive]] = &[
    #[cfg(test)]
    crate::image::assemble::TABLE,
    arrays::TABLE,
    backtrace::TABLE,
    bigarray::access::TABLE,
    bigarray::content::TABLE,
    bigarray::shape::TABLE,
    channels::TABLE,
    compare::TABLE,
    dummies::TABLE,
    dynlink::TABLE,
    files::TABLE,
    finalise::TABLE,
    floats::TABLE,
    gc::TABLE,
    hash::TABLE,
    ints::TABLE,
    ints::boxed::TABLE,
    lexing::TABLE,
    marshal::TABLE,
    math::TABLE,
    md5::TABLE,
    named::TABLE,
    obj::TABLE,
    parsing::TABLE,
    regexp::TABLE,
    reify::TABLE,
    signals::TABLE,
    strings::TABLE,
    sys::TABLE,
    threads::TABLE,
    weak::TABLE,
];

/// Every primitive: those of stubs come last, so that they replace none of this runtime.
pub fn all() -> impl Iterator<Item = &'static Primitive> {
    TABLES
        .iter()
        .chain(unix::TABLES)
        .flat_map(|table| table.iter())
        .chain(foreign::all())
}

/// Those of a program that can create threads or handle signals, or of one that can do neither: the
/// first of a name counts.
pub fn of_program(is_disturbed: bool) -> impl Iterator<Item = &'static Primitive> {
    let shared = is_disturbed.then_some(channels::shared::TABLE);
    shared.into_iter().flatten().chain(all())
}

/// The primitive with this name, in a program that loads code: what is loaded may handle signals.
pub fn find(name: &[u8]) -> Option<&'static Primitive> {
    of_program(true).find(|primitive| primitive.name.as_bytes() == name)
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_name_is_defined_twice() {
        let mut names: Vec<&str> = super::all().map(|primitive| primitive.name).collect();
        names.sort_unstable();
        let twice: Vec<&str> = names
            .windows(2)
            .filter(|pair| pair[0] == pair[1])
            .map(|pair| pair[0])
            .collect();
        assert!(twice.is_empty(), "defined twice: {twice:?}");
    }
}
