//! Numbers of globals and primitives that do not depend on what else a program is linked with.
//!
//! The linker numbers both in the order of linking, and code names them by these numbers. So a
//! library more changed the code of all that came behind it. Here the place of a global follows
//! from its name, if it is a module, or from the bytes that it is made of and the definition that
//! it is in, if it is a literal; that of a primitive from its name. Code is rewritten accordingly
//! before it is laid out.
//!
//! Invariant: the program means the same. One that can look at these numbers, because it loads
//! code, keeps those that it was linked with.

#[cfg(test)]
mod tests;

use super::bind::MAX_PRIMITIVES;
use super::cells;
use super::parse::Executable;
use crate::backtrace::definitions::Definition;
use crate::code::decode;
use crate::code::opcode::Operand;
use crate::exception::PREDEFINED;
use crate::md5;
use crate::polymorphic::marshal::parts;
use crate::polymorphic::marshal::tree::{Node, Tree};
use rustc_hash::FxHashMap;

/// The section with the numbers of modules.
const SYMBOLS: &str = "SYMB";

/// Fewest places for globals of a kind.
const FEWEST: usize = 64;

/// Most globals that are numbered anew: their block stays within the room that any program has.
const MOST_GLOBALS: usize = 1 << 16;

/// For one global, so many places at least: the more, the fewer move when there is one more.
const ROOM_FOR_MODULES: usize = 4;
const ROOM_FOR_LITERALS: usize = 2;

/// By number as linked, the number here.
pub struct Numbers {
    globals: Vec<usize>,
    /// How many numbers there are; some are of nothing.
    global_count: usize,
    primitives: Vec<usize>,
    primitive_count: usize,
}

impl Numbers {
    /// Those of the linker, for so many globals and primitives.
    pub fn as_linked(globals: usize, primitives: usize) -> Self {
        Self {
            globals: (0..globals).collect(),
            global_count: globals,
            primitives: (0..primitives).collect(),
            primitive_count: primitives,
        }
    }

    /// Those that follow from what is numbered, for an executable with so many globals and these
    /// definitions; absent where its parts cannot be read.
    pub fn by_name(
        executable: &Executable,
        globals: usize,
        definitions: &[Definition],
    ) -> Option<Self> {
        let literals = parts::fields(executable.data).ok()?;
        let names = executable.primitives.iter();
        let names = names.map(|name| String::from_utf8_lossy(name).into_owned());
        if literals.len() != globals
            || !(PREDEFINED..=MOST_GLOBALS).contains(&globals)
            || 2 * executable.primitives.len() > MAX_PRIMITIVES
            || !is_readable(&executable.code)
        {
            return None;
        }
        let modules = modules(executable.section(SYMBOLS)?);
        let uses = first_uses(&executable.code);
        let definition_of = |global: usize| {
            let position = *uses.get(&global)?;
            let before = definitions.partition_point(|known| known.position <= position);
            Some(String::from_utf8_lossy(
                definitions[before.checked_sub(1)?].name,
            ))
        };
        let name = |global: usize| match modules.get(&global) {
            Some(module) => String::from_utf8_lossy(module).into_owned(),
            None => {
                let digest = md5::digest(literals[global]);
                let definition = definition_of(global).unwrap_or_default();
                format!("{digest:x} {definition}")
            }
        };
        let (of_modules, of_literals): (Vec<usize>, Vec<usize>) =
            (PREDEFINED..globals).partition(|global| modules.contains_key(global));
        let mut numbers: Vec<usize> = (0..globals).collect();
        let mut global_count = PREDEFINED;
        // Apart, as most code needs modules, but a literal belongs to a function.
        for (kind, room) in [
            (of_modules, ROOM_FOR_MODULES),
            (of_literals, ROOM_FOR_LITERALS),
        ] {
            let places = (room * kind.len()).next_power_of_two().max(FEWEST);
            let names = kind.iter().map(|&global| name(global));
            for (&global, place) in kind.iter().zip(placed(names, places)) {
                numbers[global] = global_count + place;
            }
            global_count += places;
        }
        Some(Self {
            globals: numbers,
            global_count,
            primitives: placed(names, MAX_PRIMITIVES).collect(),
            primitive_count: MAX_PRIMITIVES,
        })
    }

    pub fn global_count(&self) -> usize {
        self.global_count
    }

    /// The number of what the linker gave the number `linked`.
    pub fn global(&self, linked: usize) -> usize {
        self.globals[linked]
    }

    /// Renumbers code and primitives of the executable. What code cannot reach may have numbers of
    /// nothing, and keeps them.
    pub fn apply(&self, executable: &mut Executable) {
        let mut code = executable.code.clone();
        for instruction in decode::instructions(&executable.code) {
            let kinds = instruction.opcode.operands().iter();
            for ((at, &kind), &operand) in (instruction.position + 1..)
                .zip(kinds)
                .zip(instruction.operands)
            {
                let numbers = match kind {
                    Operand::Global => &self.globals,
                    Operand::Primitive => &self.primitives,
                    _ => continue,
                };
                if let Some(&number) = numbers.get(operand as usize) {
                    code[at] = number as i32;
                }
            }
        }
        executable.code = code;
        let mut primitives = vec![&b""[..]; self.primitive_count];
        for (&name, &number) in executable.primitives.iter().zip(&self.primitives) {
            primitives[number] = name;
        }
        executable.primitives = primitives;
    }
}

/// Where code first names each global, in words.
fn first_uses(code: &[i32]) -> FxHashMap<usize, usize> {
    let mut uses = FxHashMap::default();
    for instruction in decode::instructions(code) {
        let operands = instruction.opcode.operands().iter();
        for (kind, &operand) in operands.zip(instruction.operands) {
            if *kind == Operand::Global {
                uses.entry(operand as usize).or_insert(instruction.position);
            }
        }
    }
    uses
}

/// Whether all of the code is instructions, one behind the other.
fn is_readable(code: &[i32]) -> bool {
    let last = decode::instructions(code).last();
    last.is_some_and(|last| last.next() == code.len())
}

/// The place of each name among so many, in the order of the names.
fn placed(names: impl Iterator<Item = String>, places: usize) -> impl Iterator<Item = usize> {
    let mut placed: Vec<(u32, u32)> = cells::places(names.zip(0..).collect(), places as u32);
    placed.sort_unstable_by_key(|&(_, index)| index);
    placed.into_iter().map(|(place, _)| place as usize)
}

/// The names of modules, by the numbers of their globals; nothing of what cannot be read.
///
/// The section has what OCaml's linker keeps: how many globals there are, and a map from
/// identifiers to their numbers. Its nodes are left, key, number, right; a key's first field is a
/// name.
fn modules(section: &[u8]) -> FxHashMap<usize, &[u8]> {
    let mut modules = FxHashMap::default();
    let Ok(tree) = Tree::read(section) else {
        return modules;
    };
    let mut nodes: Vec<Node> = tree.field(tree.root(), 1).into_iter().collect();
    // Damaged data may have circles.
    for _ in 0..=2 * tree.blocks() {
        let Some(node) = nodes.pop() else { break };
        let name = tree.field(node, 1).and_then(|key| tree.field(key, 0));
        if let (Some(Node::String(name)), Some(Node::Integer(number))) = (name, tree.field(node, 2))
        {
            modules.insert(number as usize, name);
        }
        nodes.extend(tree.field(node, 0));
        nodes.extend(tree.field(node, 3));
    }
    modules
}
