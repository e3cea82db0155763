//! What code refers to besides its own blocks and values: functions, types, globals, tables, and
//! relocatable addresses.
//!
//! The generic module numbers the first four, a request numbers bases and parameters.

use crate::index::index;

index!(/// A function of the generic module (imports first, as in Wasm).
    Func, "fn");
index!(/// A function type of the generic module.
    Sig, "sig");
index!(/// A global of the generic module.
    Global, "global");
index!(/// A table of the generic module.
    Table, "t");
index!(/// What relocatable addresses are relative to: a pointer parameter of a request, or what
    /// its code leads to (`crate::image::bases`).
    Base, "base");
index!(/// A parameter of a residual function.
    Parameter, "param");

/// Types of SSA values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Type {
    I32,
    I64,
    F32,
    F64,
}

/// Parameter and result types of a function.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Signature {
    pub params: Vec<Type>,
    /// At most one.
    pub results: Vec<Type>,
}

/// What a call goes to. For `Indirect` the table index is the last operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Callee {
    Direct(Func),
    Indirect {
        sig: Sig,
        table: Table,
    },
    /// The function that the linker puts into the request slot at this address, or its version for
    /// what it is given, if the linker has one. `sig` is the type with which the generic code calls
    /// it. Residual code only.
    Slot {
        sig: Sig,
        slot: Symbol,
        given: Option<Given>,
        numbers: Numbers,
    },
}

/// How a function takes and returns numbers of which its request says that they are always boxed.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    Debug,
    PartialOrd,
    Ord,
    Default,
    serde::Serialize,
    serde::Deserialize,
)]
pub enum Numbers {
    /// In boxes.
    #[default]
    Boxed,
    /// As their bits.
    Bare,
}

/// What is known of an argument: it points to this word.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct Given {
    pub param: Parameter,
    pub word: Symbol,
}

/// A relocatable address: that of a base, plus an offset in bytes (which may lead outside of the
/// base's region: everything is expressed relative to what the request knows).
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct Symbol {
    pub base: Base,
    pub offset: i32,
}
