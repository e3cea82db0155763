//! What is needed of the files, and where it lies: functions behind the guest's, their entries
//! behind the table's, data behind the guest's memory.
//!
//! Needed is what programs may call, constructors, and what these refer to.
//!
//! Leaves out: what names mean (see `resolve`).

use std::collections::HashMap;
use std::ops::Range;

use anyhow::{Context, Result, bail, ensure};
use wasmparser::{FuncType, RelocationEntry, RelocationType};

use super::guest::Guest;
use super::module::PAGE;
use super::object::{Object, Place, Symbol};
use super::resolve::{Definition, data_of, defined, function_name, resolve, shared};

/// What is called when the program ends, in order, and which function shows by being needed that it
/// is: of the C library, what `exit` does beside leaving.
const FINISHERS: [(&str, &str); 2] = [
    ("__funcs_on_exit", "__cxa_atexit"),
    ("__stdio_exit", "__towrite"),
];

/// A function that is added to the guest before what the guest calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    /// File and number of the body.
    Body(usize, u32),
    /// Stands for one that nothing defines, and raises.
    Missing { name: String, ty: u32 },
    /// Stands for one that is only called where it is defined, which it is not.
    Absent { ty: u32 },
}

/// Where everything is.
pub struct Placed {
    /// The guest's types and those of the files.
    pub types: Types,
    /// In the order of their indices, which follow the guest's.
    pub pieces: Vec<Piece>,
    indices: HashMap<Piece, u32>,
    /// In the order of their table indices, which follow the guest's.
    pub elements: Vec<u32>,
    element_of: HashMap<u32, u32>,
    /// By file and number, where a segment lies that is needed.
    pub segments: Vec<Vec<Option<u32>>>,
    /// By the same, in order of addresses.
    pub order: Vec<(usize, u32)>,
    /// Behind all of them.
    pub end: u32,
    /// More data: address and contents.
    pub more: Vec<(u32, Vec<u8>)>,
    /// Indices of functions to call when everything begins, and when it ends.
    pub constructors: Vec<u32>,
    pub finishers: Vec<u32>,
}

/// What a relocation of code or data refers to.
pub enum Target {
    Function(u32),
    /// A weak reference to nothing.
    Null,
    Address(u32),
}

/// Function types, each once.
pub struct Types {
    pub all: Vec<FuncType>,
    known: HashMap<FuncType, u32>,
}

impl Types {
    fn new(guest: &Guest) -> Self {
        let mut known = HashMap::new();
        for (index, ty) in guest.types.iter().enumerate() {
            known.entry(ty.clone()).or_insert(index as u32);
        }
        Self {
            all: guest.types.clone(),
            known,
        }
    }

    /// The index of a type that is there.
    pub fn known_index(&self, ty: &FuncType) -> u32 {
        self.known[ty]
    }

    /// The index of a type, which is added if it is new.
    pub fn index(&mut self, ty: &FuncType) -> u32 {
        let all = &mut self.all;
        *self.known.entry(ty.clone()).or_insert_with(|| {
            all.push(ty.clone());
            all.len() as u32 - 1
        })
    }
}

/// Finds what is needed of the files, and places it.
pub fn place(guest: &Guest, objects: &[Object]) -> Result<Placed> {
    let mut search = Search {
        guest,
        objects,
        placed: Placed {
            types: Types::new(guest),
            pieces: Vec::new(),
            indices: HashMap::new(),
            elements: Vec::new(),
            element_of: HashMap::new(),
            segments: objects
                .iter()
                .map(|object| vec![None; object.segments.len()])
                .collect(),
            order: Vec::new(),
            end: guest.pages * PAGE,
            more: Vec::new(),
            constructors: Vec::new(),
            finishers: Vec::new(),
        },
        data: Vec::new(),
        done: 0,
    };
    search.roots()?;
    search.reach()?;
    search.finishers()?;
    search.reach()?;
    search.addresses();
    Ok(search.placed)
}

/// The functions of a file that programs may call: all that it says, but for those of a file before
/// it.
pub fn exported(objects: &[Object], file: usize) -> impl Iterator<Item = &String> {
    let (before, names) = (&objects[..file], &objects[file].exports);
    let is_new = |name: &&String| !before.iter().any(|object| object.exports.contains(name));
    names.iter().filter(is_new)
}

struct Search<'a> {
    guest: &'a Guest,
    objects: &'a [Object],
    placed: Placed,
    /// Segments that are needed and were not looked at.
    data: Vec<(usize, u32)>,
    /// So many pieces were looked at.
    done: usize,
}

impl Search<'_> {
    fn roots(&mut self) -> Result<()> {
        for (file, object) in self.objects.iter().enumerate() {
            for name in exported(self.objects, file) {
                if let Some(number) = defined(object, name) {
                    self.piece(Piece::Body(file, number));
                }
            }
            for &symbol in &object.constructors {
                if let Some(index) = self.function(file, symbol)? {
                    ensure!(
                        index >= self.guest.functions,
                        "{}: a constructor is a function of the guest's",
                        object.name
                    );
                    self.placed.constructors.push(index);
                }
            }
        }
        Ok(())
    }

    /// Functions that have something to do in the end if others of their file are used.
    fn finishers(&mut self) -> Result<()> {
        for (file, object) in self.objects.iter().enumerate() {
            for (name, cause) in FINISHERS {
                let cause = defined(object, cause).map(|number| Piece::Body(file, number));
                let is_used = cause.is_some_and(|piece| self.placed.indices.contains_key(&piece));
                if let Some(number) = defined(object, name).filter(|_| is_used) {
                    let index = self.piece(Piece::Body(file, number));
                    self.placed.finishers.push(index);
                }
            }
        }
        Ok(())
    }

    /// Looks at all that is needed until nothing new is.
    fn reach(&mut self) -> Result<()> {
        loop {
            if let Some(piece) = self.placed.pieces.get(self.done).cloned() {
                self.done += 1;
                if let Piece::Body(file, number) = piece {
                    let body = &self.objects[file].bodies[number as usize];
                    let in_body = || format!("in {}", function_name(&self.objects[file], number));
                    self.relocations(file, &body.relocations)
                        .with_context(in_body)?;
                }
            } else if let Some((file, number)) = self.data.pop() {
                let segment = &self.objects[file].segments[number as usize];
                self.relocations(file, &segment.relocations)
                    .context("in data")?;
            } else {
                return Ok(());
            }
        }
    }

    fn relocations(&mut self, file: usize, relocations: &[RelocationEntry]) -> Result<()> {
        use RelocationType as R;
        for relocation in relocations {
            match relocation.ty {
                R::FunctionIndexLeb => {
                    if self.function(file, relocation.index)?.is_none() {
                        self.absent(file, relocation.index)?;
                    }
                }
                R::TableIndexSleb | R::TableIndexI32 => {
                    if let Some(index) = self.function(file, relocation.index)? {
                        self.placed.element(self.guest, index);
                    }
                }
                R::MemoryAddrLeb | R::MemoryAddrSleb | R::MemoryAddrI32 | R::MemoryAddrTlsSleb => {
                    self.segment(file, relocation.index)?;
                }
                R::TypeIndexLeb => {
                    let ty = self.objects[file].types.get(relocation.index as usize);
                    self.placed.types.index(ty.context("no such type")?);
                }
                R::GlobalIndexLeb | R::TableNumberLeb => {}
                other => bail!("relocation {other:?}: it was compiled for another way of linking"),
            }
        }
        Ok(())
    }

    /// The index of a function that is needed; absent for a weak one that nothing defines.
    fn function(&mut self, file: usize, symbol: u32) -> Result<Option<u32>> {
        Ok(match resolve(self.guest, self.objects, file, symbol)? {
            Definition::Guest(index) => Some(index),
            Definition::Body(file, number) => Some(self.piece(Piece::Body(file, number))),
            Definition::Missing(name, ty) => {
                let (name, ty) = (name.into(), self.placed.types.index(ty));
                Some(self.piece(Piece::Missing { name, ty }))
            }
            Definition::Nowhere => None,
        })
    }

    /// Something to call where a weak function is called.
    fn absent(&mut self, file: usize, symbol: u32) -> Result<()> {
        let object = &self.objects[file];
        if let Symbol::Function {
            place: Place::Import(import),
            ..
        } = &object.symbols[symbol as usize]
        {
            let ty = &object.types[object.imports[*import as usize].ty as usize];
            let ty = self.placed.types.index(ty);
            self.piece(Piece::Absent { ty });
        }
        Ok(())
    }

    fn piece(&mut self, piece: Piece) -> u32 {
        if let Piece::Body(file, number) = &piece {
            let object = &self.objects[*file];
            let ty = object.bodies[*number as usize].ty as usize;
            self.placed.types.index(&object.types[ty]);
        }
        let placed = &mut self.placed;
        let next = self.guest.functions + placed.pieces.len() as u32;
        let pieces = &mut placed.pieces;
        *placed.indices.entry(piece.clone()).or_insert_with(|| {
            pieces.push(piece);
            next
        })
    }

    fn segment(&mut self, file: usize, symbol: u32) -> Result<()> {
        if let Some((file, number, _)) = data_of(self.objects, file, symbol)? {
            let address = &mut self.placed.segments[file][number as usize];
            if address.is_none() {
                // It has an address once all are known.
                *address = Some(0);
                self.data.push((file, number));
            }
        }
        Ok(())
    }

    fn addresses(&mut self) {
        let placed = &mut self.placed;
        for (file, object) in self.objects.iter().enumerate() {
            for (number, segment) in object.segments.iter().enumerate() {
                if let Some(address) = &mut placed.segments[file][number] {
                    *address = placed.end.next_multiple_of(segment.align.max(8));
                    placed.end = *address + segment.bytes.len() as u32;
                    placed.order.push((file, number as u32));
                }
            }
        }
    }
}

impl Placed {
    /// Puts data behind what there is; its address.
    pub fn add(&mut self, data: Vec<u8>) -> u32 {
        let address = self.end.next_multiple_of(8);
        self.end = address + data.len() as u32;
        self.more.push((address, data));
        address
    }

    /// Writes over data that was put there.
    pub fn fill(&mut self, address: u32, bytes: &[u8]) {
        let piece = self.more.iter_mut().find(|(start, data)| {
            address >= *start && (address - start) as usize + bytes.len() <= data.len()
        });
        let (start, data) = piece.expect("data was put there");
        let at = (address - *start) as usize;
        data[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// The same for a string of C.
    pub fn string(&mut self, text: &str) -> u32 {
        self.add([text.as_bytes(), &[0]].concat())
    }

    /// Where the last segment lies that begins at or before this address.
    pub fn segment_at(&self, objects: &[Object], address: u32) -> Option<Range<u32>> {
        let start = |&(file, number): &(usize, u32)| {
            self.segments[file][number as usize].expect("what is in order has an address")
        };
        let after = self.order.partition_point(|place| start(place) <= address);
        let &(file, number) = self.order.get(after.checked_sub(1)?)?;
        let start = start(&(file, number));
        let len = objects[file].segments[number as usize].bytes.len() as u32;
        Some(start..start + len)
    }

    /// The table index of a function, which gets one if it has none.
    pub fn element(&mut self, guest: &Guest, function: u32) -> u32 {
        let elements = &mut self.elements;
        *self.element_of.entry(function).or_insert_with(|| {
            elements.push(function);
            guest.table + elements.len() as u32 - 1
        })
    }

    /// What a relocation of this file refers to, but for types.
    pub fn target(&self, guest: &Guest, objects: &[Object], file: usize, symbol: u32) -> Target {
        match &objects[file].symbols[symbol as usize] {
            Symbol::Function { .. } => self.function(guest, objects, file, symbol),
            Symbol::Data { name, .. } => {
                let data = data_of(objects, file, symbol).expect("it was looked up before");
                match (data, shared(name)) {
                    (Some((file, number, offset)), _) => {
                        let start = self.segments[file][number as usize];
                        Target::Address(start.expect("it is needed") + offset)
                    }
                    (None, Some(offset)) => Target::Address(guest.stubs + offset as u32),
                    (None, None) => Target::Null,
                }
            }
            Symbol::StackPointer | Symbol::ThreadBase | Symbol::Other => Target::Null,
        }
    }

    fn function(&self, guest: &Guest, objects: &[Object], file: usize, symbol: u32) -> Target {
        let definition = resolve(guest, objects, file, symbol).expect("it was looked up before");
        let piece = match definition {
            Definition::Guest(index) => return Target::Function(index),
            Definition::Body(file, number) => Piece::Body(file, number),
            Definition::Missing(name, ty) => Piece::Missing {
                name: name.into(),
                ty: self.types.known[ty],
            },
            Definition::Nowhere => return Target::Null,
        };
        Target::Function(self.indices[&piece])
    }

    /// What stands for a function that is nowhere, where it is called.
    pub fn absent_for(&self, objects: &[Object], file: usize, symbol: u32) -> Option<u32> {
        let object = &objects[file];
        let Symbol::Function {
            place: Place::Import(import),
            ..
        } = object.symbols[symbol as usize]
        else {
            return None;
        };
        let ty = object.imports[import as usize].ty;
        let ty = self.types.known_index(&object.types[ty as usize]);
        self.indices.get(&Piece::Absent { ty }).copied()
    }

    /// The table index of a function that has one.
    pub fn known_element(&self, function: u32) -> u32 {
        self.element_of[&function]
    }

    /// The index of the function that is defined under this name in this file, if it is needed.
    pub fn exported(&self, file: usize, object: &Object, name: &str) -> Option<(u32, u32)> {
        let number = defined(object, name)?;
        Some((*self.indices.get(&Piece::Body(file, number))?, number))
    }
}
