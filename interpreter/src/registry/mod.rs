//! How a primitive is written and bound: name, code, and what the interpreter must do around a
//! call.
//!
//! A primitive is a Rust function from [`Value`]s to a `Value` or a [`Outcome`]; [`primitives!`]
//! makes the wrapper with the C calling convention that bytecode calls through the function table.
//!
//! Rules for a primitive's author:
//! * allocation (see [`crate::heap`]) **never collects**, so values held in Rust variables stay
//!   valid for the whole call, and fields of fresh blocks are written with `init_field`;
//! * a primitive whose effect is [`Effect::Collects`] may run the collector or OCaml code: it is
//!   called with the OCaml stack in memory and every value it needs afterwards must be kept there
//!   ([`crate::heap::Root`]);
//! * writing a value into an existing block goes through `heap::modify`.

pub mod arguments;
pub mod results;
pub mod shortcut;

use crate::value::Value;

/// The call raised: the exception is in `vm().exception`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Raised;

/// What a primitive that may raise returns.
pub type Outcome = Result<Value, Raised>;

/// What a primitive may do, hence what the interpreter does around the call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Effect {
    /// Neither allocates nor collects. It may raise.
    Leaf = 0,
    /// May allocate. The interpreter polls afterwards where allocations are safepoints.
    Allocates = 1,
    /// May run the collector or OCaml code, or look at the OCaml stack.
    Collects = 2,
    /// Allocates blocks of a size that the program chooses. The interpreter polls afterwards. When
    /// there is no memory for one, it collects and calls the primitive once more. So it must have
    /// done nothing before it allocates.
    AllocatesLarge = 4,
}

/// The machine-level entry of a primitive, by arity. More than five arguments are passed in memory:
/// the address of the first (cells, in order) and their number.
#[derive(Clone, Copy)]
pub enum Code {
    F1(extern "C" fn(Value) -> Value),
    F2(extern "C" fn(Value, Value) -> Value),
    F3(extern "C" fn(Value, Value, Value) -> Value),
    F4(extern "C" fn(Value, Value, Value, Value) -> Value),
    F5(extern "C" fn(Value, Value, Value, Value, Value) -> Value),
    FN(extern "C" fn(u32, u32) -> Value),
    /// Functions of floats: who calls them takes the arguments out of their boxes and puts the
    /// result into one. Their shortcut does so.
    Float1(extern "C" fn(f64) -> f64),
    Float2(extern "C" fn(f64, f64) -> f64),
}

/// One primitive. The interpreter binds by `name`.
#[derive(Clone, Copy)]
pub struct Primitive {
    pub name: &'static str,
    pub code: Code,
    pub effect: Effect,
    /// Whether it may raise.
    pub raises: bool,
}

impl Primitive {
    /// The number of its shortcut; 0: there is none.
    pub fn shortcut(&self) -> u32 {
        match self.code {
            Code::Float1(_) | Code::Float2(_) => shortcut::FLOAT_FUNCTION,
            _ => shortcut::number(self.name),
        }
    }
}

/// Unifies what primitives return.
pub trait IntoValue {
    /// Whether it may say that the primitive raised.
    const RAISES: bool;

    fn into_value(self) -> Value;
}

impl IntoValue for Value {
    const RAISES: bool = false;

    #[inline(always)]
    fn into_value(self) -> Value {
        self
    }
}

impl IntoValue for Outcome {
    const RAISES: bool = true;

    #[inline(always)]
    fn into_value(self) -> Value {
        self.unwrap_or(Value::RAISED)
    }
}

/// What a call returned that gives [`Value::RAISED`] if it raised.
#[inline(always)]
pub fn outcome(result: Value) -> Outcome {
    if result == Value::RAISED {
        Err(Raised)
    } else {
        Ok(result)
    }
}

/// Argument `index` of a primitive that takes its arguments in memory.
#[inline(always)]
pub fn argument(arguments: u32, index: u32) -> Value {
    Value(crate::memory::load_i64(
        arguments + index * crate::value::WORD,
    ))
}

/// Defines `pub const TABLE: &[Primitive]`. One line a primitive: effect, OCaml name, the Rust
/// function, its arity (1 to 5; `n`: the function takes the address and number of arguments in
/// memory; `float` or `floats`: it takes one or two `f64` and gives one).
///
/// ```ignore
/// primitives! {
///     Leaf "caml_ml_string_length" string_length, 1;
///     Allocates "caml_exp_float" exp, float;
///     AllocatesLarge "caml_create_bytes" create_bytes, 1;
/// }
/// ```
#[macro_export]
macro_rules! primitives {
    ($($effect:ident $name:literal $function:path, $arity:tt;)*) => {
        pub const TABLE: &[$crate::registry::Primitive] = &[$({
            let (code, raises) = $crate::primitive_code!($function, $arity);
            $crate::registry::Primitive {
                name: $name,
                code,
                effect: $crate::registry::Effect::$effect,
                raises,
            }
        }),*];
    };
}

/// The wrapper of one primitive, and whether it may raise, see [`primitives!`]:
/// `primitive_code!(function, arity)`.
#[macro_export]
macro_rules! primitive_code {
    (@wrap $variant:ident $function:path, $($arg:ident: $ty:ty),*) => {{
        const fn raises<R: $crate::registry::IntoValue>(_: fn($($ty),*) -> R) -> bool {
            R::RAISES
        }
        extern "C" fn wrapper($($arg: $ty),*) -> $crate::value::Value {
            let result = $crate::registry::IntoValue::into_value($function($($arg),*));
            debug_assert!(raises($function) || result != $crate::value::Value::RAISED);
            result
        }
        ($crate::registry::Code::$variant(wrapper), raises($function))
    }};
    (@values $variant:ident $function:path, $($arg:ident)*) => {
        $crate::primitive_code!(@wrap $variant $function, $($arg: $crate::value::Value),*)
    };
    (@floats $variant:ident $function:path, $($arg:ident)*) => {{
        extern "C" fn wrapper($($arg: f64),*) -> f64 {
            $function($($arg),*)
        }
        ($crate::registry::Code::$variant(wrapper), false)
    }};
    ($function:path, float) => { $crate::primitive_code!(@floats Float1 $function, x) };
    ($function:path, floats) => { $crate::primitive_code!(@floats Float2 $function, x y) };
    ($function:path, 1) => { $crate::primitive_code!(@values F1 $function, a) };
    ($function:path, 2) => { $crate::primitive_code!(@values F2 $function, a b) };
    ($function:path, 3) => { $crate::primitive_code!(@values F3 $function, a b c) };
    ($function:path, 4) => { $crate::primitive_code!(@values F4 $function, a b c d) };
    ($function:path, 5) => { $crate::primitive_code!(@values F5 $function, a b c d e) };
    ($function:path, n) => {
        $crate::primitive_code!(@wrap FN $function, arguments: u32, count: u32)
    };
}
