//! Which definitions the program's code is of: what its debug events say.

use super::debug::{NO_FUNCTION, Unit};

/// Where a definition's code is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Definition<'a> {
    /// In words of the program.
    pub position: usize,
    /// The definition's name, with those of the modules and definitions around it.
    pub name: &'a [u8],
    /// Whether a function's own code begins here.
    pub begins: bool,
}

/// All events whose definition has a name, by ascending position.
pub fn of<'a>(units: &[Unit<'a>]) -> Vec<Definition<'a>> {
    let mut definitions: Vec<_> = (units.iter())
        .flat_map(|unit| {
            unit.events.iter().filter_map(|event| {
                Some(Definition {
                    position: unit.start.wrapping_add(event.word) as usize,
                    name: known(event.place.function)?,
                    begins: event.begins,
                })
            })
        })
        .collect();
    definitions.sort_by_key(|definition| (definition.position, !definition.begins));
    definitions
}

/// The name up to a NUL, unless it is what the compiler writes where it knows none.
fn known(name: &[u8]) -> Option<&[u8]> {
    let name = name.split(|&byte| byte == 0).next()?;
    let unknown = [b"", &b"??"[..], b"<unknown>", NO_FUNCTION];
    (!unknown.contains(&name)).then_some(name)
}
