//! Reads the specialization requests that the interpreter left in its memory.
//!
//! `table` reads a table of ours ([`abi::RequestTable`]), `weval` a list as interpreters for weval
//! make it ([`abi::weval`]); nothing else knows their layouts.
//!
//! Invariant: a request that is read fits the module: its function, slot, bases and code exist, and
//! its constants have the types of their parameters. Later stages index without checking again.

mod links;
mod table;
#[cfg(test)]
mod tests;
mod weval;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::ops::Range;

use annotations as abi;

pub(crate) use self::weval::is_for_weval;

use crate::index::Map;
use crate::ir::{Base, Func, Given, Numbers, Parameter, Sig, Signature, Symbol};
use crate::module::Module;
use crate::op::Const;

/// Bytes of a request.
const REQUEST_SIZE: u32 = size_of::<abi::Request>() as u32;

/// What is known of a parameter of the generic function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Param {
    /// It is this parameter of the residual function.
    Pass(Parameter),
    /// The same, and it is the address of a frame: what is at a known distance from it is in cells.
    Frame(Parameter),
    Const(Const),
    /// It is the address of this base, inside a region.
    Pointer(Base),
    /// It is this parameter of the residual function, which points to the word at this base.
    Given(Parameter, Base),
    /// It is this parameter of the residual function, which points to bytes like those at this
    /// base.
    Buffer(Parameter, Base),
}

/// What an interpreter knows by a number, an `i64`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Numbered {
    Constant(i64),
    /// The address of this base.
    Pointer(Base),
}

/// One function to be specialized.
#[derive(Clone, Debug)]
pub struct Request {
    pub function: Func,
    /// Address of the word through which the function is called.
    pub slot: u32,
    /// The function that is in the slot at the snapshot, and its type: that of the residual
    /// function.
    pub generic: Func,
    pub sig: Sig,
    pub params: Vec<Param>,
    /// What the interpreter knows by numbers; absent ones are not known.
    pub globals: Vec<Option<Numbered>>,
    /// Address of each pointer parameter, by [`Base`]; once it is answered, also where the links
    /// lead that its residual function follows.
    pub bases: Map<Base, u32>,
    /// The code that identifies the request: the base that points to it, its address and its
    /// length.
    pub anchor: Base,
    pub code: u32,
    pub code_len: u32,
    /// Whether the code calls itself, and goes on after that.
    pub is_recursive: bool,
    /// Whether the code repeats itself.
    pub loops: bool,
    /// Whether it may soon return, without effects.
    pub returns_early: bool,
    pub boxed: Boxed,
    /// How the residual function takes and returns what is always boxed.
    pub numbers: Numbers,
    /// What people call the code. Nothing but the name section and profiles depend on it.
    pub name: Option<Box<str>>,
    /// What a profile says of it.
    pub heat: Heat,
    /// What a profile says of the calls in its code: by distance from the code's beginning, the
    /// address of the code that a call most often calls.
    pub callees: BTreeMap<u32, u32>,
}

/// What is always a box of a number: each with the index of the kind.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Boxed {
    /// Parameters of the residual function.
    pub params: Vec<(Parameter, u8)>,
    /// What it returns, unless it raises.
    pub result: Option<u8>,
}

/// One version of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Version {
    /// Address of the function's slot.
    pub slot: u32,
    /// For calls that give this parameter what points to the word at this address.
    pub given: Option<(Parameter, u32)>,
    /// For calls that pass numbers like that.
    pub numbers: Numbers,
}

impl Version {
    /// Whether it is what the slot holds.
    pub fn is_of_slot(&self) -> bool {
        self.given.is_none() && self.numbers == Numbers::Boxed
    }

    /// The version, and the one that a call for it may call in its place.
    pub fn itself_and_others(self) -> impl Iterator<Item = Self> {
        [
            self,
            Self {
                given: None,
                ..self
            },
        ]
        .into_iter()
    }
}

/// How often code runs, as a profile has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Heat {
    /// Never: it stays generic.
    Cold,
    /// There is no profile, or it says nothing special.
    #[default]
    Usual,
    /// So often that copies of it pay.
    Hot,
}

/// The first half of a BLAKE3 hash.
pub type Digest = [u8; 16];

/// Everything the interpreter asked for.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    pub requests: Vec<Request>,
    /// Constant memory: start to length, not overlapping.
    pub regions: BTreeMap<u32, u32>,
    /// Copies of the bytes that arguments point to: start to length. Residual code does not find
    /// them there.
    pub buffers: BTreeMap<u32, u32>,
    /// Words that hold an address in a region, in ascending order.
    pub links: Vec<u32>,
    /// Address to the word from which residual code loads it.
    pub cells: HashMap<u32, u32>,
    /// Where the table, the requests, their names and the list of links lie, which nothing reads
    /// once they are answered.
    pub lists: Vec<Range<u32>>,
    /// What else the linked module's memory begins with, by address.
    pub writes: Vec<(u32, Vec<u8>)>,
}

/// A request table that does not fit the module.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    #[error(
        "the module exports neither a constant global `{}` nor a function `{}`: is it annotated, \
         and is it a snapshot?",
        abi::REQUEST_TABLE_EXPORT,
        abi::weval::PENDING_EXPORT
    )]
    NoTable,
    #[error("request table at {address:#x}: {what}")]
    Malformed { address: u32, what: String },
    #[error("{which}: {what}")]
    Request { which: Which, what: String },
}

/// Which request it is that does not fit the module, for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Which {
    /// From 0 on; absent where requests are a list that is read backwards.
    pub number: Option<u32>,
    /// Where it is.
    pub address: u32,
    /// What the name section calls the generic function, if there is one.
    pub function: Option<String>,
}

impl fmt::Display for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("request ")?;
        if let Some(number) = self.number {
            write!(f, "{number} ")?;
        }
        write!(f, "at {:#x}", self.address)?;
        match &self.function {
            Some(function) => write!(f, ", for `{function}`"),
            None => Ok(()),
        }
    }
}

impl Which {
    /// The error for what is wrong with this request.
    fn is(self, what: impl Into<String>) -> RequestError {
        let what = what.into();
        RequestError::Request { which: self, what }
    }
}

impl Request {
    /// The absolute address of a symbol.
    pub fn address(&self, symbol: Symbol) -> u32 {
        self.bases[symbol.base].wrapping_add_signed(symbol.offset)
    }

    /// The version that a call from this request's code asks for, of the function in `slot`.
    pub fn version_of(&self, slot: Symbol, given: Option<Given>, numbers: Numbers) -> Version {
        Version {
            slot: self.address(slot),
            given: given.map(|Given { param, word }| (param, self.address(word))),
            numbers,
        }
    }

    /// Which version of its function this asks for.
    pub fn version(&self) -> Version {
        Version {
            slot: self.slot,
            given: self.given().map(|(param, base)| (param, self.bases[base])),
            numbers: self.numbers,
        }
    }

    /// What is given to the version that this asks for.
    pub fn given(&self) -> Option<(Parameter, Base)> {
        self.params.iter().find_map(|param| match *param {
            Param::Given(param, base) => Some((param, base)),
            Param::Pass(_)
            | Param::Const(_)
            | Param::Pointer(_)
            | Param::Buffer(..)
            | Param::Frame(_) => None,
        })
    }

    /// The request for a version of this one's function; absent if it has no such parameter, or no
    /// numbers to pass.
    pub fn for_version(&self, version: Version) -> Option<Self> {
        let mut request = self.clone();
        if version.numbers == Numbers::Bare && self.boxed == Boxed::default() {
            return None;
        }
        request.numbers = version.numbers;
        if let Some((given, word)) = version.given {
            let mut params = request.params.iter_mut();
            let param = params.find(|param| **param == Param::Pass(given))?;
            *param = Param::Given(given, request.bases.push(word));
        }
        Some(request)
    }

    /// The index of the kind of boxes of which this parameter of the residual function is the
    /// payload's bits.
    pub fn bare_param(&self, parameter: Parameter) -> Option<u8> {
        let mut params = self.boxed.params.iter();
        let kind = params.find(|(param, _)| *param == parameter)?.1;
        (self.numbers == Numbers::Bare).then_some(kind)
    }

    /// The same for its result.
    pub fn bare_result(&self) -> Option<u8> {
        self.boxed.result.filter(|_| self.numbers == Numbers::Bare)
    }

    /// Where the bytes are known that this parameter of the residual function points to.
    pub fn buffer(&self, parameter: Parameter) -> Option<Base> {
        self.params.iter().find_map(|param| match *param {
            Param::Buffer(param, base) if param == parameter => Some(base),
            _ => None,
        })
    }

    /// The parameters of the residual function that are addresses of frames.
    pub fn frames(&self) -> impl Iterator<Item = Parameter> {
        self.params.iter().filter_map(|param| match *param {
            Param::Frame(param) => Some(param),
            _ => None,
        })
    }

    /// How far a base is from the slot.
    pub fn distance(&self, base: Base) -> i32 {
        self.bases[base].wrapping_sub(self.slot) as i32
    }

    /// What to call the code.
    pub fn title(&self) -> String {
        match &self.name {
            Some(name) => name.to_string(),
            None => format!("code@{:#x}", self.code),
        }
    }

    /// Tells requests apart that ask for different things, whatever their names; places count by
    /// their distance from the slot.
    pub fn digest(&self) -> Digest {
        let bases = self.bases.iter().map(|(base, _)| self.distance(base));
        let asked = (
            self.function,
            self.sig,
            &self.params,
            &self.globals,
            bases.collect::<Vec<_>>(),
            self.anchor,
            self.code_len,
            [self.is_recursive, self.loops, self.returns_early],
            &self.boxed,
            self.heat,
            self.callees.keys().collect::<Vec<_>>(),
        );
        let hash = blake3::hash(format!("{asked:?}").as_bytes());
        *hash.as_bytes().first_chunk().expect("a hash has 32 bytes")
    }
}

impl Requests {
    /// Bytes of code of all requests that are to be answered.
    pub fn code_len(&self) -> u64 {
        let warm = self.requests.iter();
        let warm = warm.filter(|request| request.heat != Heat::Cold);
        warm.map(|request| u64::from(request.code_len)).sum()
    }

    pub fn read(module: &Module) -> Result<Self, RequestError> {
        let reader = Reader { module };
        match module.exported_address(abi::REQUEST_TABLE_EXPORT) {
            Some(table) => reader.table(table),
            None if is_for_weval(module) => reader.weval(),
            None => Err(RequestError::NoTable),
        }
    }

    /// What must hold between requests, and between them and regions; the first one is at `start`.
    fn check(&self, module: &Module, start: u32) -> Result<(), RequestError> {
        let mut slots = BTreeMap::new();
        let places = (start..).step_by(REQUEST_SIZE as usize);
        for ((number, address), request) in (0..).zip(places).zip(&self.requests) {
            let malformed = |what: String| {
                let function = Some(request.function);
                let which = Reader { module }.which(Some(number), address, function);
                Err(which.is(what))
            };
            let Request { slot, code, .. } = *request;
            if !self.is_constant(code, request.code_len) {
                let len = request.code_len;
                return malformed(format!(
                    "its code, {len} bytes at {code:#x}, is not in a region of constant memory"
                ));
            }
            for &base in request.bases.values() {
                if base == 0 || !self.is_constant(base, 0) {
                    return malformed(format!(
                        "the address {base:#x} that it gives for a pointer is not in a region of \
                         constant memory"
                    ));
                }
            }
            if let Some(other) = slots.insert(slot, number) {
                return malformed(format!(
                    "its slot, {slot:#x}, is that of request {other} as well"
                ));
            }
        }
        Ok(())
    }

    /// Whether all of `len` bytes at `address` are constant.
    pub fn is_constant(&self, address: u32, len: u32) -> bool {
        let (base, region_len) = self.region(address);
        u64::from(address) + u64::from(len) <= u64::from(base) + u64::from(region_len)
    }

    /// The same for bytes that code knows by their distance from `base`, which may be those of a
    /// buffer.
    pub fn is_constant_from(&self, base: u32, address: u32, len: u32) -> bool {
        let buffer = self.buffers.range(..=base).next_back();
        let is_in_buffer = buffer.is_some_and(|(&start, &size)| {
            let within = start..start + size;
            within.contains(&base)
                && start <= address
                && u64::from(address) + u64::from(len) <= u64::from(within.end)
        });
        is_in_buffer || self.is_constant(address, len)
    }

    /// Address and length of the last constant region that begins at or before `address`; nothing
    /// if there is none.
    pub fn region(&self, address: u32) -> (u32, u32) {
        let region = self.regions.range(..=address).next_back();
        region.map_or((0, 0), |(&base, &len)| (base, len))
    }
}

struct Reader<'m, 'a> {
    module: &'m Module<'a>,
}

impl Reader<'_, '_> {
    /// The word of a structure at `address` that is `offset` bytes from its start.
    fn word(&self, address: u32, offset: usize) -> u32 {
        self.module.image_u32(address.wrapping_add(offset as u32))
    }

    /// Whether `count` items of `size` bytes at `address` lie in the memory.
    fn fits(&self, address: u32, count: u32, size: u32) -> bool {
        let end = u64::from(address) + u64::from(count) * u64::from(size);
        end <= self.module.memory_size.unwrap_or(0).min(1 << 32)
    }

    /// The function at an index of the table, or why there is none.
    fn table_entry(&self, index: u32) -> Result<Func, String> {
        let entry = self.module.table.get(index as usize).copied().flatten();
        entry.ok_or_else(|| format!("table entry {index} is not a function"))
    }

    /// What an error says of a request, for a function if it names one. Looks for that one's name.
    fn which(&self, number: Option<u32>, address: u32, function: Option<Func>) -> Which {
        Which {
            number,
            address,
            function: function.map(|function| title(self.module, function)),
        }
    }

    /// A function's type, or why it is of no use.
    fn signature(&self, func: Func) -> Result<&Signature, String> {
        let signature = self.module.signature(func);
        signature.ok_or_else(|| {
            format!(
                "`{}` has parameters or results that are not i32, i64, f32 or f64, or several \
                 results",
                title(self.module, func)
            )
        })
    }

    fn bytes(&self, address: u32, len: u32) -> Vec<u8> {
        let mut bytes = vec![0; len as usize];
        self.module.read_image(address, &mut bytes);
        bytes
    }

    /// The words of a list that lies in the memory, each with its address. They are read one by
    /// one: a list that was overwritten may be as long as the memory.
    fn words(&self, address: u32, count: u32) -> impl Iterator<Item = (u32, u32)> {
        let places = (0..count).map(move |index| address + index * 4);
        places.map(|place| (place, self.module.image_u32(place)))
    }
}

/// A name on one line: profiles have lines of fields with tabs between them.
fn plain(name: &str) -> String {
    name.replace(char::is_control, "\u{fffd}")
}

/// What to call a function of the interpreter.
fn title(module: &Module, func: Func) -> String {
    module.name(func).unwrap_or_else(|| func.to_string())
}
