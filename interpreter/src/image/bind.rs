//! The program's primitives, bound by name: the table that C_CALL instructions index.
//!
//! Under Wasm the table is a static at a constant address, a constant region for the specializer: a
//! function pointer, an effect and the number of a shortcut for each primitive. Natively it is a
//! table of [`Primitive`]s. A name that nothing defines is no error until it is called.

use super::parse::Executable;
use crate::allocator;
use crate::code::ImageError;
use crate::code::decode;
use crate::code::effect;
use crate::code::opcode::Opcode;
use crate::foreign;
use crate::registry::{Code, Effect, Primitive, results};
use core::hint::black_box;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// Most primitives that a program can refer to.
pub const MAX_PRIMITIVES: usize = 2048;

/// Effect of a primitive that nothing defines.
pub const EFFECT_UNKNOWN: u32 = 3;

/// What the program's primitives are, by index: those of the PRIM section, then those that were
/// added.
#[derive(Default)]
struct Bound {
    /// Each is ended by a NUL.
    names: Vec<u8>,
    /// Those that have a name, but nothing defines them.
    missing: Vec<usize>,
    /// Those that are called with another number of arguments than they have.
    misfits: Vec<usize>,
    /// None where it is missing or was taken back; empty once nobody will ask.
    definitions: Vec<Option<&'static Primitive>>,
}

impl Bound {
    fn push(&mut self, name: &[u8], definition: Option<&'static Primitive>) {
        self.names.extend(name);
        self.names.push(0);
        if definition.is_none() && !name.is_empty() {
            self.missing.push(self.definitions.len());
        }
        self.definitions.push(definition);
    }
}

impl Drop for Bound {
    /// Leaves no trace in the program's memory: neither of names, nor of addresses, by which the
    /// linker would take all primitives for reached.
    fn drop(&mut self) {
        self.names.fill(0);
        self.definitions.fill(None);
        black_box((&mut self.names, &mut self.definitions));
    }
}

thread_local! {
    static BOUND: RefCell<Bound> = RefCell::default();
}

/// The name of primitive `index`.
pub fn name(index: u32) -> String {
    BOUND.with_borrow(|bound| {
        let mut names = bound.names.split(|&byte| byte == 0);
        String::from_utf8_lossy(names.nth(index as usize).unwrap_or(b"?")).into_owned()
    })
}

/// Fills the table with those of `defined` that have these names. Returns, by index, what was
/// found.
pub fn bind(
    names: &[&[u8]],
    defined: impl Iterator<Item = &'static Primitive>,
) -> Result<Vec<Option<&'static Primitive>>, ImageError> {
    if names.len() > MAX_PRIMITIVES {
        return Err(ImageError::TooManyPrimitives { count: names.len() });
    }
    let mut by_name: HashMap<&[u8], &'static Primitive> = HashMap::new();
    for primitive in defined {
        // The first of a name counts.
        by_name
            .entry(primitive.name.as_bytes())
            .or_insert(primitive);
    }
    let found: Vec<_> = names
        .iter()
        .map(|name| by_name.get(name).copied())
        .collect();
    drop(BOUND.take());
    let length = names.iter().map(|name| name.len() + 1).sum();
    BOUND.set(allocator::lasting(|| {
        let mut bound = Bound {
            // All at once: smaller blocks would leave their bytes in the program's memory.
            names: Vec::with_capacity(length),
            definitions: Vec::with_capacity(names.len()),
            missing: Vec::new(),
            misfits: Vec::new(),
        };
        for (name, &definition) in names.iter().zip(&found) {
            bound.push(name, definition);
        }
        bound
    }));
    table::fill(&found);
    Ok(found)
}

/// Takes back the definitions of primitives with these names: a call of one raises Failure.
/// Returns, by index, what is left.
pub fn withdraw(is_unexpected: impl Fn(&str) -> bool) -> Vec<Option<&'static Primitive>> {
    BOUND.with_borrow_mut(|bound| {
        for (index, definition) in bound.definitions.iter_mut().enumerate() {
            if definition.is_some_and(|primitive| is_unexpected(primitive.name)) {
                *definition = None;
                table::set(index, None);
            }
        }
        bound.definitions.clone()
    })
}

/// Takes back the definitions of stubs that instructions call with another number of arguments than
/// they have: who calls one gets Failure. Returns, by index, what is left.
pub fn withdraw_misfits(executable: &Executable) -> Vec<Option<&'static Primitive>> {
    let stubs: HashSet<*const Primitive> = foreign::all().map(core::ptr::from_ref).collect();
    BOUND.with_borrow_mut(|bound| {
        if stubs.is_empty() {
            return bound.definitions.clone();
        }
        for instruction in decode::instructions(&executable.code) {
            let Some((index, arguments)) = effect::primitive(&instruction) else {
                continue;
            };
            let Some(&Some(primitive)) = bound.definitions.get(index) else {
                continue;
            };
            let is_stub = stubs.contains(&core::ptr::from_ref(primitive));
            if is_stub && arity(primitive) != arguments {
                bound.definitions[index] = None;
                allocator::lasting(|| bound.misfits.push(index));
                table::set(index, None);
            }
        }
        bound.definitions.clone()
    })
}

/// Whether primitive `index` was taken back because of the number of its arguments.
pub fn is_misfit(index: usize) -> bool {
    BOUND.with_borrow(|bound| bound.misfits.contains(&index))
}

/// Takes back primitive `index`, whoever can reach it.
#[cfg(test)]
pub fn take_back(index: usize) {
    table::set(index, None);
}

/// Forgets where primitives are defined, for a program that loads no code: what is called is in the
/// table, and so the program's module need not have the others. Names stay of those that
/// instructions call and that are not defined, as messages have these.
pub fn forget(called: &HashSet<&[u8]>) {
    let bound = BOUND.take();
    let mut names = Vec::with_capacity(bound.names.len());
    for (name, definition) in bound.names.split(|&byte| byte == 0).zip(&bound.definitions) {
        if definition.is_none() && called.contains(name) {
            names.extend(name);
        }
        names.push(0);
    }
    BOUND.set(allocator::lasting(|| Bound {
        names: names.as_slice().to_vec(),
        missing: bound.missing.clone(),
        misfits: bound.misfits.clone(),
        definitions: Vec::new(),
    }));
    foreign::forget();
}

/// Whether nothing defines primitive `index`.
pub fn is_missing(index: usize) -> bool {
    BOUND.with_borrow(|bound| bound.missing.contains(&index))
}

/// How many primitives the program and what it has loaded can refer to.
pub fn count() -> usize {
    BOUND.with_borrow(|bound| bound.definitions.len())
}

/// Adds a primitive that code which appears at run time will refer to; its index, `None` when the
/// table is full.
pub fn add(primitive: &'static Primitive) -> Option<u32> {
    let index = count();
    if index == MAX_PRIMITIVES {
        return None;
    }
    BOUND.with_borrow_mut(|bound| bound.push(primitive.name.as_bytes(), Some(primitive)));
    table::set(index, Some(primitive));
    Some(index as u32)
}

/// The definition of primitive `index`, if there is one and it was not forgotten.
pub fn definition(index: usize) -> Option<&'static Primitive> {
    BOUND.with_borrow(|bound| *bound.definitions.get(index)?)
}

/// Number of arguments in the instruction that calls this primitive; 6 for more than 5.
pub fn arity(primitive: &Primitive) -> u32 {
    match primitive.code {
        Code::F1(_) | Code::Float1(_) => 1,
        Code::F2(_) | Code::Float2(_) => 2,
        Code::F3(_) => 3,
        Code::F4(_) => 4,
        Code::F5(_) => 5,
        Code::FN(_) => 6,
    }
}

/// The names of the primitives that instructions of the program call. Every program names all
/// primitives of its runtime, but calls few.
pub fn called<'a>(executable: &Executable<'a>) -> HashSet<&'a [u8]> {
    use Opcode::{CCall1, CCall2, CCall3, CCall4, CCall5, CCallN};
    let mut called = HashSet::new();
    for instruction in decode::instructions(&executable.code) {
        if let CCall1 | CCall2 | CCall3 | CCall4 | CCall5 | CCallN = instruction.opcode {
            let index = instruction.operands.last();
            called.extend(index.and_then(|&index| executable.primitives.get(index as usize)));
        }
    }
    called
}

/// The effect, whether it may raise, the number of the shortcut, and of what kind the result is if
/// it is a box of a number.
fn properties(primitive: Option<&Primitive>) -> u32 {
    primitive.map_or(EFFECT_UNKNOWN, |primitive| {
        let shortcut = primitive.shortcut() << SHORTCUT_SHIFT;
        let gives = results::gives_box(primitive.name).map_or(0, |kind| 1 + kind);
        let returns = if primitive.raises { 0 } else { RETURNS };
        primitive.effect as u32 | returns | shortcut | gives << GIVES_SHIFT
    })
}

/// Marks what never raises.
const RETURNS: u32 = 1 << 7;
const SHORTCUT_SHIFT: u32 = 8;
const GIVES_SHIFT: u32 = 24;

/// The effect of primitive `index`.
#[inline(always)]
pub fn effect(index: u32) -> u32 {
    table::properties(index) & (RETURNS - 1)
}

/// Whether primitive `index` may raise.
#[inline(always)]
pub fn raises(index: u32) -> bool {
    table::properties(index) & RETURNS == 0
}

/// The number of the shortcut of primitive `index`.
#[inline(always)]
pub fn shortcut(index: u32) -> u32 {
    table::properties(index) << (32 - GIVES_SHIFT) >> (32 - GIVES_SHIFT + SHORTCUT_SHIFT)
}

/// The kind of all boxes that primitive `index` returns, if it returns boxes of numbers alone.
#[inline(always)]
pub fn gives_box(index: u32) -> Option<u32> {
    let gives = table::properties(index) >> GIVES_SHIFT;
    (gives != 0).then(|| gives - 1)
}

const _: () = assert!(
    Effect::Leaf as u32 == 0
        && Effect::Allocates as u32 == 1
        && Effect::Collects as u32 == 2
        && Effect::AllocatesLarge as u32 > EFFECT_UNKNOWN
);

#[cfg(target_family = "wasm")]
mod table {
    use super::*;
    use crate::memory;
    use crate::value::Value;
    use std::cell::UnsafeCell;

    /// Bytes of a function's table index, and of its properties. These are stored so that an entry
    /// for nothing is zero.
    const ENTRY: u32 = 8;

    struct Table(UnsafeCell<[u64; MAX_PRIMITIVES]>);
    // SAFETY: the module has one thread.
    unsafe impl Sync for Table {}
    static TABLE: Table = Table(UnsafeCell::new([0; MAX_PRIMITIVES]));

    /// Address and length in bytes of the table.
    pub fn region() -> (u32, u32) {
        (base(), MAX_PRIMITIVES as u32 * ENTRY)
    }

    #[inline(always)]
    fn base() -> u32 {
        TABLE.0.get() as usize as u32
    }

    pub fn fill(bound: &[Option<&'static Primitive>]) {
        for (index, &primitive) in bound.iter().enumerate() {
            set(index, primitive);
        }
    }

    pub fn set(index: usize, primitive: Option<&'static Primitive>) {
        let entry = base() + index as u32 * ENTRY;
        memory::store_u32(
            entry,
            primitive.map_or(0, |primitive| function(primitive.code)),
        );
        memory::store_u32(entry + 4, super::properties(primitive) ^ EFFECT_UNKNOWN);
    }

    fn function(code: Code) -> u32 {
        let pointer = match code {
            Code::F1(f) => f as usize,
            Code::F2(f) => f as usize,
            Code::F3(f) => f as usize,
            Code::F4(f) => f as usize,
            Code::F5(f) => f as usize,
            Code::FN(f) => f as usize,
            Code::Float1(f) => f as usize,
            Code::Float2(f) => f as usize,
        };
        pointer as u32
    }

    #[inline(always)]
    pub fn properties(index: u32) -> u32 {
        memory::load_u32(base() + index * ENTRY + 4) ^ EFFECT_UNKNOWN
    }

    macro_rules! callers {
        ($($name:ident($($argument:ident: $ty:ty),*) -> $result:ty;)*) => {$(
            /// Calls primitive `index`.
            ///
            /// # Safety
            ///
            /// The primitive is known and takes so many arguments, values or floats. The verifier
            /// compares the arities; its callers look at the effect and the shortcut.
            #[inline(always)]
            pub unsafe fn $name(index: u32, $($argument: $ty),*) -> $result {
                let pointer = memory::load_u32(base() + index * ENTRY) as usize as *const ();
                let function: extern "C" fn($($ty),*) -> $result =
                    // SAFETY: `set` stored a function, of this type as the caller promises.
                    unsafe { core::mem::transmute(pointer) };
                function($($argument),*)
            }
        )*};
    }

    callers! {
        call_1(a: Value) -> Value;
        call_2(a: Value, b: Value) -> Value;
        call_3(a: Value, b: Value, c: Value) -> Value;
        call_4(a: Value, b: Value, c: Value, d: Value) -> Value;
        call_5(a: Value, b: Value, c: Value, d: Value, e: Value) -> Value;
        call_n(arguments: u32, count: u32) -> Value;
        call_float(x: f64) -> f64;
        call_floats(x: f64, y: f64) -> f64;
    }
}

#[cfg(not(target_family = "wasm"))]
mod table {
    use super::*;
    use crate::os::native;
    use crate::value::Value;

    /// A primitive and its properties.
    type Row = (Option<&'static Primitive>, u32);

    thread_local! {
        static TABLE: RefCell<Vec<Row>> = const { RefCell::new(Vec::new()) };
    }

    pub fn fill(bound: &[Option<&'static Primitive>]) {
        TABLE.set(Vec::new());
        for (index, &primitive) in bound.iter().enumerate() {
            set(index, primitive);
        }
    }

    pub fn set(index: usize, primitive: Option<&'static Primitive>) {
        TABLE.with_borrow_mut(|table| {
            table.resize(table.len().max(index + 1), (None, EFFECT_UNKNOWN));
            table[index] = (primitive, super::properties(primitive));
        });
    }

    fn get(index: u32) -> Row {
        let row = TABLE.with_borrow(|table| table.get(index as usize).copied());
        row.unwrap_or_else(|| native::trap("no such primitive"))
    }

    pub fn properties(index: u32) -> u32 {
        get(index).1
    }

    macro_rules! callers {
        ($($name:ident $variant:ident($($argument:ident: $ty:ty),*) -> $result:ty;)*) => {$(
            /// Calls primitive `index`. One of another type is noticed here, but not under Wasm.
            ///
            /// # Safety
            ///
            /// As under Wasm.
            pub unsafe fn $name(index: u32, $($argument: $ty),*) -> $result {
                match get(index).0.map(|primitive| primitive.code) {
                    Some(Code::$variant(function)) => function($($argument),*),
                    // The verifier compared the arities of code. Data that a program takes for a
                    // closure is not verified.
                    _ => native::trap("the primitive has another type"),
                }
            }
        )*};
    }

    callers! {
        call_1 F1(a: Value) -> Value;
        call_2 F2(a: Value, b: Value) -> Value;
        call_3 F3(a: Value, b: Value, c: Value) -> Value;
        call_4 F4(a: Value, b: Value, c: Value, d: Value) -> Value;
        call_5 F5(a: Value, b: Value, c: Value, d: Value, e: Value) -> Value;
        call_n FN(arguments: u32, count: u32) -> Value;
        call_float Float1(x: f64) -> f64;
        call_floats Float2(x: f64, y: f64) -> f64;
    }
}

#[cfg(target_family = "wasm")]
pub use table::region;
pub use table::{call_1, call_2, call_3, call_4, call_5, call_float, call_floats, call_n};
