//! Which definitions the program's code is of: what its debug events say, read without building
//! them, because the section is many times as large as what is wanted.
//!
//! A malformed section is no error: events are read up to the first fault of their compilation
//! unit.

use super::events::raw_units;
use crate::code::CODE_WORD;
use crate::polymorphic::marshal::input::Error;
use crate::polymorphic::marshal::skim::{Item, Skim};

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

/// All events of a DBUG section whose definition has a name, by ascending position.
pub fn read(section: &[u8]) -> Vec<Definition<'_>> {
    let mut definitions = Vec::new();
    for (start, list) in raw_units(section) {
        // What was read before a fault counts.
        let _ = read_list(list, i64::from(start), &mut definitions);
    }
    definitions.sort_by_key(|definition| (definition.position, !definition.begins));
    definitions
}

/// What a value is, by where it lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    /// A list of `Instruct.debug_event`.
    List,
    Event,
    /// Fields of an event.
    Position,
    Name,
    Info,
    Unknown,
}

impl Role {
    /// The role of a field.
    fn of_field(self, index: usize) -> Role {
        match (self, index) {
            (Role::List, 0) => Role::Event,
            (Role::List, 1) => Role::List,
            (Role::Event, 0) => Role::Position,
            (Role::Event, 4) => Role::Name,
            (Role::Event, 5) => Role::Info,
            (
                Role::List | Role::Event | Role::Position | Role::Name | Role::Info | Role::Unknown,
                _,
            ) => Role::Unknown,
        }
    }
}

/// A block whose fields from `next` on are still to come.
struct Open {
    role: Role,
    next: usize,
    size: usize,
}

/// Reads a marshalled list of events of code that begins at byte `start`.
fn read_list<'a>(
    list: &'a [u8],
    start: i64,
    definitions: &mut Vec<Definition<'a>>,
) -> Result<(), Error> {
    /// The constant constructor of `Instruct.debug_event_info` that marks a function's code.
    const FUNCTION: Item = Item::Integer(0);
    let mut skim = Skim::new(list)?;
    let mut open = vec![Open {
        role: Role::List,
        next: 1,
        size: 2,
    }];
    let (mut position, mut name) = (None, None);
    while let Some(block) = open.last_mut() {
        let role = block.role.of_field(block.next);
        block.next += 1;
        if block.next == block.size {
            open.pop();
        }
        let item = skim.item()?;
        match (role, item) {
            (Role::Position, Item::Integer(offset)) => {
                position = usize::try_from((start + offset) / i64::from(CODE_WORD)).ok();
            }
            (Role::Name, Item::String(bytes)) => name = known(bytes),
            (Role::Info, _) => {
                if let (Some(position), Some(name)) = (position.take(), name.take()) {
                    definitions.push(Definition {
                        position,
                        name,
                        begins: item == FUNCTION,
                    });
                }
            }
            (Role::List | Role::Event | Role::Position | Role::Name | Role::Unknown, _) => {}
        }
        if let Item::Block { size: size @ 1.. } = item {
            let next = 0;
            open.push(Open { role, next, size });
        }
    }
    Ok(())
}

/// The name up to a NUL, unless it is what the compiler writes where it knows none.
fn known(name: &[u8]) -> Option<&[u8]> {
    let name = name.split(|&byte| byte == 0).next()?;
    (!name.is_empty() && name != b"??" && name != b"<unknown>").then_some(name)
}
