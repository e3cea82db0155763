//! Debug events as compilers write them: in the DBUG section of an executable, and in the heap for
//! code that is loaded at run time.
//!
//! The section can be ten times as large as the code; what is wanted of it are places and names.
//!
//! A malformed section is no error: what cannot be read gives no events, as with `ocamlrun`.

use crate::code::CODE_WORD;
use crate::polymorphic::marshal::input;
use crate::polymorphic::marshal::tree::{Node, Tree};
use crate::value::{Value, tag};

/// A place in the source; names are in any form that holds bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place<N> {
    pub file: N,
    /// The definition around it.
    pub function: N,
    pub line: i32,
    /// Characters, counted from the start of that line.
    pub start: i32,
    pub end: i32,
}

/// An `Instruct.debug_event`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event<N> {
    /// Words from the beginning of its unit's code.
    pub word: u32,
    pub place: Place<N>,
    /// Whether a function's own code begins here.
    pub begins: bool,
}

/// The name of a definition where there is none, as `ocamlrun` has it.
pub const NO_FUNCTION: &[u8] = b"<old bytecode>";

/// One compilation unit in a DBUG section.
pub struct Unit<'a> {
    /// Where its code begins, in words of the program.
    pub start: u32,
    pub events: Vec<Event<&'a [u8]>>,
}

/// The units in a DBUG section: their number, then for each the position of its code in bytes, the
/// marshalled list of events, and a marshalled list of directories.
pub fn units(section: &[u8]) -> Vec<Unit<'_>> {
    let mut rest = section;
    let count = word(&mut rest).unwrap_or(0);
    let units = (0..count).map_while(|_| {
        let start = word(&mut rest)? / CODE_WORD;
        let bytes = value(&mut rest)?;
        let _directories = value(&mut rest)?;
        let mut events = Vec::new();
        if let Ok(tree) = Tree::read(bytes) {
            let node = tree.root();
            // A malformed list may lead back into itself.
            let elements = elements(Part { tree: &tree, node }).take(tree.blocks());
            events.extend(elements.filter_map(read));
        }
        Some(Unit { start, events })
    });
    units.collect()
}

/// The events in an OCaml array of lists of them.
pub fn events(lists: Value) -> Vec<Event<Vec<u8>>> {
    let mut events = Vec::new();
    if lists.is_block() {
        for index in 0..lists.wosize() {
            events.extend(elements(lists.field(index)).filter_map(read));
        }
    }
    events
}

fn word(rest: &mut &[u8]) -> Option<u32> {
    let (word, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(u32::from_be_bytes(*word))
}

/// The bytes of one marshalled value.
fn value<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let header = input::header(rest, "").ok()?;
    let length = header.header_len + header.data(rest)?.len();
    let (value, after) = rest.split_at(length);
    *rest = after;
    Some(value)
}

/// OCaml data that events are read from.
trait Data: Copy {
    type Name;

    /// A name that is not in the data.
    fn constant(name: &'static [u8]) -> Self::Name;

    /// A field of a block with tag 0.
    fn field(self, index: usize) -> Option<Self>;
    fn integer(self) -> Option<i64>;
    fn string(self) -> Option<Self::Name>;
}

/// A part of a tree.
#[derive(Clone, Copy)]
struct Part<'t, 'a> {
    tree: &'t Tree<'a>,
    node: Node<'a>,
}

impl<'a> Data for Part<'_, 'a> {
    type Name = &'a [u8];

    fn constant(name: &'static [u8]) -> &'a [u8] {
        name
    }

    fn field(self, index: usize) -> Option<Self> {
        let node = self.tree.field(self.node, index)?;
        Some(Self { node, ..self })
    }

    fn integer(self) -> Option<i64> {
        match self.node {
            Node::Integer(integer) => Some(integer),
            Node::String(_) | Node::Block(_) | Node::Other => None,
        }
    }

    fn string(self) -> Option<&'a [u8]> {
        match self.node {
            Node::String(bytes) => Some(bytes),
            Node::Integer(_) | Node::Block(_) | Node::Other => None,
        }
    }
}

impl Data for Value {
    type Name = Vec<u8>;

    fn constant(name: &'static [u8]) -> Vec<u8> {
        name.to_vec()
    }

    fn field(self, index: usize) -> Option<Self> {
        let has_it = self.is_block() && self.tag() == 0 && index < self.wosize();
        has_it.then(|| Value::field(self, index))
    }

    fn integer(self) -> Option<i64> {
        self.is_int().then(|| self.as_int())
    }

    fn string(self) -> Option<Vec<u8>> {
        let is_string = self.is_block() && self.tag() == tag::STRING;
        // SAFETY: the name is copied to memory of Rust's.
        is_string.then(|| unsafe { self.string_bytes() }.to_vec())
    }
}

/// The elements of a list.
fn elements<D: Data>(list: D) -> impl Iterator<Item = D> {
    let mut rest = Some(list);
    std::iter::from_fn(move || {
        let cell = rest?;
        rest = cell.field(1);
        cell.field(0)
    })
}

/// One `Instruct.debug_event`, if it is one.
fn read<D: Data>(event: D) -> Option<Event<D::Name>> {
    const POSITION: usize = 0;
    const LOCATION: usize = 2;
    const DEFINITION: usize = 4;
    const INFO: usize = 5;
    // Fields of `Location.t`, then of `Lexing.position`.
    const START: usize = 0;
    const END: usize = 1;
    const FILE: usize = 0;
    const LINE: usize = 1;
    const LINE_START: usize = 2;
    const CHARACTER: usize = 3;
    /// The constant constructor of `Instruct.debug_event_info` that marks a function's code.
    const FUNCTION: i64 = 0;
    let location = event.field(LOCATION)?;
    let (first, last) = (location.field(START)?, location.field(END)?);
    let integer = |block: D, index| block.field(index)?.integer();
    let line_start = integer(first, LINE_START)?;
    let function = event.field(DEFINITION).and_then(D::string);
    Some(Event {
        word: (integer(event, POSITION)? / i64::from(CODE_WORD)) as u32,
        place: Place {
            file: first.field(FILE)?.string()?,
            function: function.unwrap_or_else(|| D::constant(NO_FUNCTION)),
            line: integer(first, LINE)? as i32,
            start: (integer(first, CHARACTER)? - line_start) as i32,
            end: (integer(last, CHARACTER)? - line_start) as i32,
        },
        begins: integer(event, INFO) == Some(FUNCTION),
    })
}
