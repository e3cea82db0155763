//! Debug events: where in the source a code position is.
//!
//! The program's own events are the DBUG section of its executable. Their places are kept packed,
//! unit by unit, until somebody asks for a position in that unit. Code that is loaded at run time
//! brings its events along ([`add`], [`remove`]). A position without events is recorded, but has no
//! place in the source.
//!
//! What the stack looks like at each instruction ([`Shapes`]) is kept along.

use super::debug::{self, Event};
use super::packed;
use super::shapes::Shapes;
use crate::allocator;
use crate::code::opcode::Opcode;
use crate::code::{self, CELL};
use crate::memory;
use crate::value::Value;
use crate::vm::vm;
use std::cell::RefCell;
use std::rc::Rc;

/// A place in the source.
pub type Place = debug::Place<Rc<[u8]>>;

/// What is known of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// Whether the instruction there raises.
    pub is_raise: bool,
    pub place: Option<Place>,
}

/// The places of one compilation unit's code.
#[derive(Debug)]
struct Unit {
    /// Where the code begins.
    start: u32,
    packed: Box<[u8]>,
    /// The places, once somebody asked for one: by ascending position.
    places: Option<Vec<(u32, Place)>>,
}

/// Code that was loaded at run time.
#[derive(Debug)]
struct Fragment {
    unit: Unit,
    end: u32,
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

/// Remembers what the DBUG section says of the program, whose code has been laid out.
pub fn register(units: Vec<debug::Unit>) {
    let code_start = vm().code_start.get();
    let unit = |unit: debug::Unit| {
        let start = code::address(code_start, unit.start as usize);
        Unit::new(start, unit.events)
    };
    let mut units: Vec<Unit> = units.into_iter().map(unit).collect();
    units.sort_by_key(|unit| unit.start);
    let units = allocator::lasting(|| units.iter().map(Unit::lasting).collect());
    TABLE.with_borrow_mut(|table| {
        table.units = units;
        table.is_read = false;
    });
}

/// Adds the code from `start` to `end`, loaded at run time, with its events: an OCaml array of
/// lists of `Instruct.debug_event`, whose positions count bytes of code from `start`; or unit for
/// none.
pub fn add(start: u32, end: u32, events: Value) {
    let fragment = Fragment {
        unit: Unit::new(start, debug::events(events)),
        end,
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
            .position(|fragment| fragment.unit.start == start);
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
            let (start, end) = (fragment.unit.start, fragment.end);
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
        (self.unit.start..self.end).contains(&position)
    }
}

impl Table {
    fn place(&mut self, position: u32) -> Option<Place> {
        if !is_program(position) {
            let mut fragments = self.fragments.iter_mut();
            let fragment = fragments.find(|fragment| fragment.holds(position));
            return fragment?.unit.place(position);
        }
        self.is_read = true;
        let next = self.units.partition_point(|unit| unit.start <= position);
        let unit = &mut self.units[next.checked_sub(1)?];
        unit.place(position)
    }
}

impl Unit {
    fn new<N: AsRef<[u8]>>(start: u32, events: Vec<Event<N>>) -> Self {
        Self {
            start,
            packed: packed::pack(events).into(),
            places: None,
        }
    }

    /// The same in memory for what lasts.
    fn lasting(&self) -> Self {
        Self {
            packed: self.packed.clone(),
            start: self.start,
            places: None,
        }
    }

    /// The place of the event at `position` or, if there is none, one word after it: ocamlc puts
    /// some events behind the PUSH that follows. Several events at one place are resolved as in the
    /// runtime: at `position` the last counts, one word after it the first.
    fn place(&mut self, position: u32) -> Option<Place> {
        let places = self.places.get_or_insert_with(|| {
            let address = |(word, place)| (code::address(self.start, word as usize), place);
            packed::unpack(&self.packed)
                .into_iter()
                .map(address)
                .collect()
        });
        let next = places.partition_point(|(at, _)| *at <= position);
        let last = next.checked_sub(1).map(|index| &places[index]);
        let (_, place) = last.filter(|(at, _)| *at == position).or_else(|| {
            let place = places.get(next)?;
            (place.0 == position + CELL).then_some(place)
        })?;
        Some(place.clone())
    }
}
