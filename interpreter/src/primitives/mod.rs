//! What bytecode calls by name: one module a subject, each with a `TABLE`.

pub mod channels;
pub mod code_fragment;
pub mod marshal;
pub mod md5;
pub mod registry;

use registry::Primitive;

/// The tables of all modules.
#[rustfmt::skip]
const TABLES: &[&[Primitive]] = &[
    channels::TABLE,
    marshal::TABLE,
    md5::TABLE,
];

/// Every primitive, in no particular order.
pub fn all() -> impl Iterator<Item = &'static Primitive> {
    TABLES.iter().flat_map(|table| table.iter())
}
