//! Makes a request table, without unsafe code and checked by the compiler.
//!
//! ```
//! use bactrian_annotations::{Published, Requests, Slot, code, constant, pass};
//!
//! type Entry = extern "C" fn(argument: i64, sp: *mut i64) -> i64;
//!
//! extern "C" fn interpret(pc: *const u8, debug: u32, argument: i64, sp: *mut i64) -> i64 {
//!     // …
//! #   argument
//! }
//!
//! extern "C" fn generic_double(argument: i64, sp: *mut i64) -> i64 {
//!     interpret(DOUBLE.as_ptr(), 0, argument, sp)
//! }
//!
//! static DOUBLE: [u8; 3] = [0, 0, 1];
//! static ENTRY: Slot<Entry> = Slot::new(generic_double);
//! static TABLE: Published = Published::new(); // request_table!() exports one
//!
//! let mut requests = Requests::new();
//! requests.add(
//!     "double",
//!     interpret as extern "C" fn(_, _, _, _) -> _,
//!     &ENTRY,
//!     (code(&DOUBLE), constant(0_u32), pass::<0>(), pass::<1>()),
//! );
//! requests.publish(&TABLE);
//! ```
//!
//! There is one description for each parameter of the generic function. A constant of another type,
//! a parameter of the residual function that does not exist or has another type, another result:
//! each is an error of the compiler.
//!
//! ```compile_fail
//! # use bactrian_annotations::{Requests, Slot, code, pass};
//! # extern "C" fn interpret(pc: *const u8, argument: i64) -> i64 { argument }
//! # extern "C" fn generic(argument: i64) -> i64 { argument }
//! # static ENTRY: Slot<extern "C" fn(i64) -> i64> = Slot::new(generic);
//! # static CODE: [u8; 1] = [0];
//! # let interpret = interpret as extern "C" fn(_, _) -> _;
//! // The residual function has one parameter, number 0.
//! Requests::new().add("f", interpret, &ENTRY, (code(&CODE), pass::<1>()));
//! ```
//!
//! Code that the interpreter lays out itself can have [links](Requests::link), so that residual
//! code does not depend on where they lead, and the program [cells](Requests::cells), so that it
//! does not depend on where the code lies.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::function::{At, Function, Scalar, Slot};
use crate::request::{
    MAX_NAME, MAX_PARAMS, Param, Published, REQUEST_LOOPS, REQUEST_RECURSIVE,
    REQUEST_RETURNS_EARLY, Region, Request, RequestTable,
};

/// The requests of a program, and its constant memory.
#[derive(Debug, Default)]
pub struct Requests {
    regions: Vec<Region>,
    requests: Vec<Request>,
    names: Vec<u8>,
    links: Vec<u32>,
    /// Address and number.
    cells: (u32, u32),
}

/// The last request, of which more may be said.
#[derive(Debug)]
pub struct Added<'r>(&'r mut Request);

/// What is known of a parameter of the generic function; made by [`code`], [`pointer`],
/// [`slots`], [`constant`], [`pass`] and [`frame`].
pub trait Describe<Parameter, Residual> {
    #[doc(hidden)]
    fn describe(self) -> Description;
}

/// A [`Describe`] for each parameter of `Generic`, as a tuple.
pub trait DescribeAll<Generic, Residual> {
    #[doc(hidden)]
    fn describe_all(self) -> Vec<Description>;
}

/// A parameter as the table has it, and the constant memory that it points to.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Description {
    param: Param,
    memory: Option<Region>,
    is_code: bool,
}

/// See [`constant`].
#[derive(Clone, Copy, Debug)]
pub struct Constant<T>(T);

/// See [`pass`].
#[derive(Clone, Copy, Debug)]
pub struct Pass<const NUMBER: usize>;

/// See [`frame`].
#[derive(Clone, Copy, Debug)]
pub struct Frame<const NUMBER: usize>;

/// See [`code`], [`pointer`] and [`slots`].
#[derive(Debug)]
pub struct Pointer<T: 'static> {
    memory: &'static [T],
    is_code: bool,
}

/// A pointer to the code that the request stands for: a parameter of type `*const T` or `u32`.
/// Each request has one. The code is constant memory, as it can not be written.
pub fn code<T: Copy>(code: &'static [T]) -> Pointer<T> {
    let memory = code;
    Pointer {
        memory,
        is_code: true,
    }
}

/// A pointer to other constant memory: a parameter of type `*const T` or `u32`. Where there is none
/// (a program without constants, say), it is a constant.
pub fn pointer<T: Copy>(memory: &'static [T]) -> Pointer<T> {
    Pointer {
        memory,
        is_code: false,
    }
}

/// A pointer to slots, which nobody writes: a parameter of type `*const Slot<F>` or `u32`. A call
/// through a slot that is found by it is a call of the function that the slot's request asks for.
pub fn slots<F: Function>(slots: &'static [Slot<F>]) -> Pointer<Slot<F>> {
    let memory = slots;
    Pointer {
        memory,
        is_code: false,
    }
}

/// A constant of the parameter's type.
pub fn constant<T: Scalar>(value: T) -> Constant<T> {
    Constant(value)
}

/// The residual function's parameter of this number.
pub fn pass<const NUMBER: usize>() -> Pass<NUMBER> {
    Pass
}

/// The residual function's parameter of this number, the address of a frame of registers: plain
/// loads and stores at known distances from it read and write cells
/// ([`PARAM_FRAME`](crate::PARAM_FRAME)).
pub fn frame<const NUMBER: usize>() -> Frame<NUMBER> {
    Frame
}

impl Requests {
    pub fn new() -> Self {
        Self::default()
    }

    /// Declares memory that never changes, beside what parameters point to: tables that the
    /// interpreter looks things up in. Neighbours count as one, and 1,048,576 is the most.
    pub fn region<T: Copy>(&mut self, memory: &'static [T]) -> &mut Self {
        self.regions.push(region(memory));
        self
    }

    /// Declares that a word of constant memory is a link: it holds an address in constant memory,
    /// by which the interpreter gets at more code. Specialization knows that by the link alone, so
    /// a residual function stays the same when what the link leads to lies elsewhere.
    ///
    /// ```
    /// # use bactrian_annotations::Requests;
    /// struct Instruction {
    ///     target: *const Instruction,
    ///     operand: u32,
    /// }
    /// # fn declare(requests: &mut Requests, code: &'static [Instruction]) {
    /// for instruction in code {
    ///     requests.link(&instruction.target);
    /// }
    /// # }
    /// ```
    ///
    /// Mistake: a word that is no address in a region, or none. The table is malformed then. A word
    /// of another size than an address or a `u32` is an error of the compiler.
    pub fn link<T: Copy>(&mut self, word: &'static T) -> &mut Self {
        const { is_word::<T>() };
        self.links.push(address(core::slice::from_ref(word)));
        self
    }

    /// Declares the program's cells: words that hold addresses in constant memory, or 0, and that
    /// stay where they are. Residual code loads such an address from its cell, so that its machine
    /// code stays the same when what lies there moves. Without cells, addresses are constants of
    /// the code.
    ///
    /// # Panics
    /// If cells were declared before.
    pub fn cells<T: Copy>(&mut self, cells: &'static [T]) -> &mut Self {
        const { is_word::<T>() };
        assert_eq!(self.cells.1, 0, "cells are declared once");
        self.cells = (address(cells), cells.len() as u32);
        self
    }

    /// Asks for a residual function of `generic` in `slot`, with this known of its parameters. The
    /// name is for people; of a long one, the beginning counts.
    ///
    /// # Panics
    /// If not exactly one of the parameters is [`code`], if it is empty, or if the name has a NUL.
    pub fn add<G, R>(
        &mut self,
        name: &str,
        generic: G,
        slot: &'static Slot<R>,
        params: impl DescribeAll<G::Params, R::Params>,
    ) -> Added<'_>
    where
        G: Function,
        R: Function<Result = G::Result>,
    {
        let described = params.describe_all();
        let mut code = described.iter().enumerate().filter(|(_, one)| one.is_code);
        let anchor = code.next().filter(|_| code.next().is_none());
        let (anchor, code_len) = anchor
            .and_then(|(index, one)| Some((index, one.memory?.len)))
            .expect("exactly one parameter is the code that the request stands for");
        assert!(code_len > 0, "the code of {name} is empty");
        self.name(name);
        let memory = described.iter().filter_map(|one| one.memory);
        self.regions.extend(memory);
        let mut params = [Param::default(); MAX_PARAMS];
        for (param, one) in params.iter_mut().zip(&described) {
            *param = one.param;
        }
        self.requests.push(Request {
            function: generic.index(),
            slot: slot.address(),
            anchor: anchor as u32,
            code_len,
            param_count: described.len() as u32,
            flags: 0,
            result: 0,
            reserved: 0,
            params,
        });
        let last = self.requests.last_mut();
        Added(last.expect("it was pushed"))
    }

    fn name(&mut self, name: &str) {
        assert!(!name.contains('\0'), "a NUL ends a name");
        let name = &name[..name.floor_char_boundary(MAX_NAME)];
        self.names.extend(name.as_bytes());
        self.names.push(0);
    }

    /// Leaves all in memory for the specializer. It has to be called before the snapshot is taken.
    pub fn publish(self, table: &'static Published) {
        table.publish(self.table());
    }

    /// The table, whose parts stay in memory.
    fn table(self) -> RequestTable {
        let regions: &[_] = Box::leak(disjoint(self.regions).into());
        let requests: &[_] = Box::leak(self.requests.into());
        let names: &[_] = Box::leak(self.names.into());
        let links: &[_] = Box::leak(ascending(self.links).into());
        let (cells, cell_count) = self.cells;
        RequestTable {
            regions: address(regions),
            region_count: regions.len() as u32,
            requests: address(requests),
            request_count: requests.len() as u32,
            names: address(names),
            names_len: names.len() as u32,
            links: address(links),
            link_count: links.len() as u32,
            cells,
            cell_count,
            ..RequestTable::EMPTY
        }
    }
}

impl Added<'_> {
    /// Its code calls itself and goes on after that, see [`REQUEST_RECURSIVE`].
    pub fn recursive(self) -> Self {
        self.0.flags |= REQUEST_RECURSIVE;
        self
    }

    /// Its code repeats itself, see [`REQUEST_LOOPS`].
    pub fn loops(self) -> Self {
        self.0.flags |= REQUEST_LOOPS;
        self
    }

    /// It may soon return, see [`REQUEST_RETURNS_EARLY`].
    pub fn returns_early(self) -> Self {
        self.0.flags |= REQUEST_RETURNS_EARLY;
        self
    }
}

/// Addresses in ascending order, each once.
fn ascending(mut addresses: Vec<u32>) -> Vec<u32> {
    addresses.sort_unstable();
    addresses.dedup();
    addresses
}

/// Fails unless a value of this type is one word, as addresses are.
const fn is_word<T>() {
    let size = size_of::<T>();
    assert!(
        size == size_of::<u32>() || size == size_of::<*const ()>(),
        "links and cells are words"
    );
}

/// The same memory, in regions that do not overlap and are not empty, by address.
fn disjoint(mut regions: Vec<Region>) -> Vec<Region> {
    regions.retain(|region| region.len > 0);
    regions.sort_unstable_by_key(|region| region.base);
    let mut disjoint: Vec<Region> = Vec::new();
    for region in regions {
        match disjoint.last_mut() {
            Some(last) if region.base - last.base <= last.len => {
                last.len = last.len.max(region.base - last.base + region.len);
            }
            _ => disjoint.push(region),
        }
    }
    disjoint
}

fn region<T>(memory: &'static [T]) -> Region {
    Region {
        base: address(memory),
        len: size_of_val(memory) as u32,
    }
}

/// Where memory is. (Where addresses are wider than Wasm's, nothing reads the table.)
fn address<T>(memory: &[T]) -> u32 {
    memory.as_ptr() as usize as u32
}

impl<T: Scalar, Residual> Describe<T, Residual> for Constant<T> {
    fn describe(self) -> Description {
        plain(Param::constant(self.0.bits()))
    }
}

impl<T, Residual: At<NUMBER, Type = T>, const NUMBER: usize> Describe<T, Residual>
    for Pass<NUMBER>
{
    fn describe(self) -> Description {
        plain(Param::pass(NUMBER as u32))
    }
}

impl<T, Residual: At<NUMBER, Type = *mut T>, const NUMBER: usize> Describe<*mut T, Residual>
    for Frame<NUMBER>
{
    fn describe(self) -> Description {
        plain(Param::frame(NUMBER as u32))
    }
}

impl<T, Residual> Describe<*const T, Residual> for Pointer<T> {
    fn describe(self) -> Description {
        self.description()
    }
}

impl<T, Residual> Describe<u32, Residual> for Pointer<T> {
    fn describe(self) -> Description {
        self.description()
    }
}

impl<T> Pointer<T> {
    fn description(self) -> Description {
        let address = address(self.memory);
        let memory = region(self.memory);
        Description {
            // Nothing lies where no memory is, so that address is in no region.
            param: match memory.len {
                0 => Param::constant(address.into()),
                _ => Param::pointer(address),
            },
            memory: Some(memory),
            is_code: self.is_code,
        }
    }
}

fn plain(param: Param) -> Description {
    Description {
        param,
        memory: None,
        is_code: false,
    }
}

/// Implements [`DescribeAll`] for tuples of each length.
macro_rules! tuples {
    ($($generic:ident $given:ident $value:ident)*) => {
        tuples!(@each [] $($generic $given $value)*);
    };
    (@each [$($generic:ident $given:ident $value:ident)*]) => {
        tuples!(@tuple $($generic $given $value)*);
    };
    (@each [$($before:ident)*] $generic:ident $given:ident $value:ident $($rest:ident)*) => {
        tuples!(@each [$($before)*]);
        tuples!(@each [$($before)* $generic $given $value] $($rest)*);
    };
    (@tuple $($generic:ident $given:ident $value:ident)*) => {
        impl<$($generic, $given: Describe<$generic, Residual>,)* Residual>
            DescribeAll<($($generic,)*), Residual> for ($($given,)*)
        {
            fn describe_all(self) -> Vec<Description> {
                let ($($value,)*) = self;
                [$($value.describe()),*].into()
            }
        }
    };
}

tuples!(A A1 a B B1 b C C1 c D D1 d E E1 e F F1 f G G1 g H H1 h
    I I1 i J J1 j K K1 k L L1 l M M1 m N N1 n O O1 o P P1 p);

/// Exports an empty table as the static `BACTRIAN_REQUESTS`, for [`Requests::publish`]. Once in an
/// interpreter, at the top of a module.
///
/// ```
/// bactrian_annotations::request_table!();
///
/// fn no_program() {
///     bactrian_annotations::Requests::new().publish(&BACTRIAN_REQUESTS);
/// }
/// ```
#[macro_export]
macro_rules! request_table {
    () => {
        /// Where the specializer finds the requests.
        #[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
        pub static BACTRIAN_REQUESTS: $crate::Published = $crate::Published::new();
    };
}

#[cfg(test)]
mod tests;
