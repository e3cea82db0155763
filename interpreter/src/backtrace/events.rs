//! Debug events: where in the source a code position is.
//!
//! The program's own events are the DBUG section of its executable. They can be ten times as large
//! as the code, so those of a compilation unit are kept compressed until somebody asks for a
//! position in that unit. Code that is loaded at run time brings its events along ([`add`],
//! [`remove`]). A position without events is recorded, but has no place in the source.
//!
//! What the stack looks like at each instruction ([`Shapes`]) is kept along.
//!
//! A malformed section is no error: what cannot be read gives no places, as with `ocamlrun`.

use super::shapes::Shapes;
use crate::allocator;
use crate::code::opcode::Opcode;
use crate::code::{self, CELL, CODE_WORD};
use crate::memory;
use crate::polymorphic::marshal::{self, input};
use crate::value::{Value, tag};
use crate::vm::vm;
use lz4_flex::block::{compress_prepend_size, decompress_size_prepended};
use std::cell::RefCell;
use std::rc::Rc;

/// A place in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    pub file: Rc<[u8]>,
    /// The definition around it.
    pub function: Rc<[u8]>,
    pub line: i32,
    /// Characters, counted from the start of that line.
    pub start: i32,
    pub end: i32,
}

/// What is known of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// Whether the instruction there raises.
    pub is_raise: bool,
    pub place: Option<Place>,
}

/// A position and its place.
#[derive(Clone, Debug)]
struct Event {
    position: u32,
    place: Place,
}

/// One compilation unit in the DBUG section.
#[derive(Debug)]
struct Unit {
    /// Where its code begins.
    start: u32,
    /// Its marshalled list of events, compressed.
    data: Box<[u8]>,
    /// The list, once it is read: by ascending position.
    events: Option<Vec<Event>>,
}

/// Code that was loaded at run time.
#[derive(Debug)]
struct Fragment {
    start: u32,
    end: u32,
    events: Vec<Event>,
    shapes: Option<Shapes>,
}

/// What is known of the code.
#[derive(Debug)]
struct Table {
    /// The units of the program's DBUG section by ascending position.
    units: Vec<Unit>,
    /// Whether a position of the program was looked for.
    is_read: bool,
    shapes: Option<Shapes>,
    fragments: Vec<Fragment>,
}

thread_local! {
    static TABLE: RefCell<Table> = const {
        RefCell::new(Table {
            units: Vec::new(),
            is_read: false,
            shapes: None,
            fragments: Vec::new(),
        })
    };
}

/// Remembers the DBUG section of the program, whose code has been laid out.
pub fn register(section: &[u8]) {
    let units = units(section);
    TABLE.with_borrow_mut(|table| {
        table.units = units;
        table.is_read = false;
    });
}

/// Adds the code from `start` to `end`, loaded at run time, with its events: an OCaml array of
/// lists of `Instruct.debug_event`, whose positions count bytes of code from `start`; or unit for
/// none.
pub fn add(start: u32, end: u32, events: Value) {
    let mut list = Vec::new();
    if events.is_block() {
        for index in 0..events.wosize() {
            read_list(events.field(index), start, &mut list);
        }
    }
    sort(&mut list);
    let fragment = Fragment {
        start,
        end,
        events: list,
        shapes: None,
    };
    TABLE.with_borrow_mut(|table| table.fragments.push(fragment));
}

/// Forgets the code that begins at `start`.
pub fn remove(start: u32) {
    TABLE.with_borrow_mut(|table| {
        let place = table
            .fragments
            .iter()
            .position(|fragment| fragment.start == start);
        if let Some(index) = place {
            table.fragments.remove(index);
        }
    });
}

/// Whether `position` is in the program's code or in code that was added.
pub fn is_code(position: u32) -> bool {
    is_program(position)
        || TABLE.with_borrow(|table| {
            let holds = |fragment: &Fragment| fragment.holds(position);
            table.fragments.iter().any(holds)
        })
}

fn is_program(position: u32) -> bool {
    (vm().code_start.get()..vm().code_end.get()).contains(&position)
}

/// Hands the shapes of the code around `pc` to `look`, if it is known code.
pub fn with_shapes(pc: u32, look: impl FnOnce(&Shapes)) {
    TABLE.with_borrow_mut(|table| {
        if is_program(pc) {
            let walk = || Shapes::new(vm().code_start.get(), vm().code_end.get());
            return look(table.shapes.get_or_insert_with(walk));
        }
        let mut fragments = table.fragments.iter_mut();
        if let Some(fragment) = fragments.find(|fragment| fragment.holds(pc)) {
            let (start, end) = (fragment.start, fragment.end);
            look(
                fragment
                    .shapes
                    .get_or_insert_with(|| Shapes::new(start, end)),
            );
        }
    });
}

/// Whether the program's DBUG section has been looked at.
pub fn is_read() -> bool {
    TABLE.with_borrow(|table| table.is_read)
}

/// What is known of `position`, which may be anything.
pub fn location(position: u32) -> Location {
    if !is_code(position) || !position.is_multiple_of(CELL) {
        return Location {
            is_raise: false,
            place: None,
        };
    }
    let opcode = (memory::load_u32(position) & 0xff) as i32;
    Location {
        is_raise: matches!(
            Opcode::from_word(opcode),
            Some(Opcode::Raise | Opcode::Reraise)
        ),
        place: TABLE.with_borrow_mut(|table| table.place(position)),
    }
}

impl Fragment {
    fn holds(&self, position: u32) -> bool {
        (self.start..self.end).contains(&position)
    }
}

impl Table {
    fn place(&mut self, position: u32) -> Option<Place> {
        if !is_program(position) {
            let mut fragments = self.fragments.iter();
            let fragment = fragments.find(|fragment| fragment.holds(position));
            return find(&fragment?.events, position);
        }
        self.is_read = true;
        let next = self.units.partition_point(|unit| unit.start <= position);
        let unit = &mut self.units[next.checked_sub(1)?];
        find(unit.events(), position)
    }
}

impl Unit {
    fn events(&mut self) -> &[Event] {
        let (start, data) = (self.start, &self.data);
        self.events.get_or_insert_with(|| {
            let mut events = Vec::new();
            let data = decompress_size_prepended(data).expect("what was compressed here");
            // The list needs no root: nothing is collected until this returns.
            if let Ok(list) = marshal::unmarshal(&data) {
                read_list(list, start, &mut events);
            }
            sort(&mut events);
            events
        })
    }
}

/// The place of the event at `position` or, if there is none, one word after it: ocamlc puts some
/// events behind the PUSH that follows. Several events at one place are resolved as in the runtime:
/// at `position` the last counts, one word after it the first.
fn find(events: &[Event], position: u32) -> Option<Place> {
    let next = events.partition_point(|event| event.position <= position);
    let last = next.checked_sub(1).map(|index| &events[index]);
    let event = last
        .filter(|event| event.position == position)
        .or_else(|| {
            let event = events.get(next)?;
            (event.position == position + CELL).then_some(event)
        })?;
    Some(event.place.clone())
}

fn sort(events: &mut [Event]) {
    events.sort_by_key(|event| {
        let place = &event.place;
        (event.position, place.line, place.start, place.end)
    });
}

fn units(section: &[u8]) -> Vec<Unit> {
    let mut units = Vec::new();
    for (start, data) in raw_units(section) {
        let compressed = compress_prepend_size(data);
        let unit = Unit {
            start: address(vm().code_start.get(), i64::from(start)),
            data: allocator::lasting(|| Box::from(&compressed[..])),
            events: None,
        };
        allocator::lasting(|| units.push(unit));
    }
    units.sort_by_key(|unit| unit.start);
    units
}

/// Finds the units in a DBUG section: their number, then for each the position of its code in
/// bytes, the marshalled list of events, and a marshalled list of directories. Gives the first two
/// of each.
pub(super) fn raw_units(section: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    let mut rest = section;
    let count = word(&mut rest).unwrap_or(0);
    (0..count).map_while(move |_| {
        let start = word(&mut rest)?;
        let events = value(&mut rest)?;
        let _directories = value(&mut rest)?;
        Some((start, events))
    })
}

fn word(rest: &mut &[u8]) -> Option<u32> {
    let (word, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(u32::from_be_bytes(*word))
}

/// The bytes of one marshalled value.
fn value<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let header = input::header(rest, "").ok()?;
    let length = header.header_len.checked_add(header.data_len)?;
    let (value, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(value)
}

/// The position of the byte `offset` of code that begins at `start`.
fn address(start: u32, offset: i64) -> u32 {
    code::address(start, (offset / i64::from(CODE_WORD)) as u32 as usize)
}

/// Reads a list of events of code that begins at `start`. What is no event is left out.
fn read_list(list: Value, start: u32, events: &mut Vec<Event>) {
    // Events come in order, so files and definitions often repeat.
    let mut names = [Rc::from(&b""[..]), Rc::from(&b""[..])];
    let mut rest = list;
    while let (Some(event), Some(next)) = (field(rest, 0), field(rest, 1)) {
        events.extend(read(event, start, &mut names));
        rest = next;
    }
}

/// One `Instruct.debug_event`.
fn read(event: Value, start: u32, names: &mut [Rc<[u8]>; 2]) -> Option<Event> {
    const POSITION: usize = 0;
    const LOCATION: usize = 2;
    const DEFINITION: usize = 4;
    // Fields of `Location.t`, then of `Lexing.position`.
    const START: usize = 0;
    const END: usize = 1;
    const FILE: usize = 0;
    const LINE: usize = 1;
    const LINE_START: usize = 2;
    const CHARACTER: usize = 3;
    let location = field(event, LOCATION)?;
    let (first, last) = (field(location, START)?, field(location, END)?);
    let integer = |block, index| Some(field(block, index)?.as_int());
    let line_start = integer(first, LINE_START)?;
    let [file, function] = names;
    let definition = field(event, DEFINITION)?;
    Some(Event {
        position: address(start, integer(event, POSITION)?),
        place: Place {
            file: name(field(first, FILE)?, file)?,
            function: name(definition, function).unwrap_or_else(|| b"<old bytecode>"[..].into()),
            line: integer(first, LINE)? as i32,
            start: (integer(first, CHARACTER)? - line_start) as i32,
            end: (integer(last, CHARACTER)? - line_start) as i32,
        },
    })
}

fn field(block: Value, index: usize) -> Option<Value> {
    (block.is_block() && block.tag() == 0 && index < block.wosize()).then(|| block.field(index))
}

/// The string's bytes up to the first NUL; `last` is the name before, and shared if it is the same.
fn name(string: Value, last: &mut Rc<[u8]>) -> Option<Rc<[u8]>> {
    if !string.is_block() || string.tag() != tag::STRING {
        return None;
    }
    // SAFETY: the name is copied to memory of Rust's.
    let bytes = unsafe { string.string_bytes() };
    let bytes = bytes.split(|&byte| byte == 0).next()?;
    if **last != *bytes {
        *last = bytes.into();
    }
    Some(last.clone())
}
