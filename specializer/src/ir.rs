//! The SSA form that every stage works on: functions of blocks with parameters.
//!
//! One shape serves two languages that must not be confused: [`generic`] is what the interpreter's
//! author wrote, [`residual`] is what specialization leaves. They differ in their value type, so a
//! residual operand can never name a generic value.
//!
//! Invariants (checked by [`crate::verify`]):
//! * block 0 is the entry; its parameters are the function's parameters, and nothing jumps to it;
//! * **generic** functions are in *maximal* SSA: a block uses only its own parameters and its own
//!   instructions' results. No value is live across a block boundary except as an argument. So the
//!   evaluator may process any (context, block) pair on its own, without looking at dominance;
//! * **residual** functions are in ordinary SSA: definitions dominate uses.
//!
//! Leaves out: multi-value results, SIMD, references, exceptions. A function that uses one of these
//! can be copied by the linker but not specialized ([`crate::lift`] says so).

use smallvec::SmallVec;
use std::{fmt, slice};

use crate::index::{Id, index};
use crate::op::Op;

index!(/// A block of a function.
    Block, "bb");
index!(/// A function of the generic module (imports first, as in Wasm).
    Func, "fn");
index!(/// A function type of the generic module.
    Sig, "sig");
index!(/// A global of the generic module.
    Global, "global");
index!(/// A table of the generic module.
    Table, "t");
index!(/// A pointer parameter of a request: the base to which relocatable addresses are relative.
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

/// An index type for SSA values: [`generic::Value`] or [`residual::Value`].
pub trait ValueId: Id + Eq + Ord + fmt::Debug + fmt::Display + std::hash::Hash {}

/// Operands of an instruction or arguments of a jump.
pub type Values<V> = SmallVec<[V; 4]>;

#[derive(Clone, Debug)]
pub struct Function<V> {
    pub signature: Signature,
    pub blocks: Vec<BlockData<V>>,
    /// The type of each value, by index.
    pub types: Vec<Type>,
}

#[derive(Clone, Debug)]
pub struct BlockData<V> {
    pub params: Vec<V>,
    pub insts: Vec<Inst<V>>,
    pub term: Terminator<V>,
}

#[derive(Clone, Debug)]
pub struct Inst<V> {
    pub op: Op,
    pub args: Values<V>,
    /// Present exactly when the operator has a result.
    pub result: Option<V>,
}

/// Where control goes, and with which arguments for the block's parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target<V> {
    pub block: Block,
    pub args: Values<V>,
}

#[derive(Clone, Debug)]
pub enum Terminator<V> {
    Jump(Target<V>),
    /// To `then` if the `i32` `cond` is not zero.
    Branch {
        cond: V,
        then: Target<V>,
        otherwise: Target<V>,
    },
    /// To `targets[index]`, or to `default` if the unsigned `i32` `index` is out of range.
    Switch {
        index: V,
        targets: Vec<Target<V>>,
        default: Target<V>,
    },
    Return(Values<V>),
    /// Residual code only (the lifter takes Wasm's tail calls as well): calls and returns the
    /// result.
    TailCall {
        callee: Callee,
        args: Values<V>,
    },
    Unreachable,
}

/// What a call goes to. For `Indirect` the table index is the last operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Callee {
    Direct(Func),
    Indirect {
        sig: Sig,
        table: Table,
    },
    /// Residual code only: the function that the linker puts into the request slot at this address.
    /// `sig` is the type with which the generic code calls it.
    Slot {
        sig: Sig,
        slot: Symbol,
    },
}

/// A relocatable address: that of a request's pointer parameter, plus an offset in bytes (which may
/// lead outside of the region: everything is expressed relative to the request's own code).
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct Symbol {
    pub base: Base,
    pub offset: i32,
}

macro_rules! stage {
    ($(#[$doc:meta])* $module:ident, $prefix:literal) => {
        $(#[$doc])*
        pub mod $module {
            use super::{ValueId, index};
            index!(/// An SSA value of this stage.
                Value, $prefix);
            impl ValueId for Value {}
            pub type Function = super::Function<Value>;
            pub type BlockData = super::BlockData<Value>;
            pub type Inst = super::Inst<Value>;
            pub type Target = super::Target<Value>;
            pub type Terminator = super::Terminator<Value>;
            pub type Values = super::Values<Value>;
        }
    };
}

stage!(
    /// The interpreter's function, as lifted.
    generic, "g"
);
stage!(
    /// What specialization leaves of it.
    residual, "v"
);

impl residual::Function {
    /// The value that a parameter of the function is.
    pub fn param(&self, param: Parameter) -> residual::Value {
        self.blocks[0].params[param.index()]
    }
}

impl<V: ValueId> Function<V> {
    /// A new value of type `ty`, not yet defined by anything.
    pub fn new_value(&mut self, ty: Type) -> V {
        let value = V::new(self.types.len());
        self.types.push(ty);
        value
    }

    pub fn value_type(&self, value: V) -> Type {
        self.types[value.index()]
    }
}

impl<V> Terminator<V> {
    /// Every jump target, in order: of a switch, the default last.
    pub fn targets(&self) -> impl Iterator<Item = &Target<V>> {
        let (list, last): (&[Target<V>], [Option<&Target<V>>; 2]) = match self {
            Terminator::Jump(target) => (&[], [Some(target), None]),
            Terminator::Branch {
                then, otherwise, ..
            } => (&[], [Some(then), Some(otherwise)]),
            Terminator::Switch {
                targets, default, ..
            } => (targets, [Some(default), None]),
            Terminator::Return(_) | Terminator::TailCall { .. } | Terminator::Unreachable => {
                (&[], [None, None])
            }
        };
        list.iter().chain(last.into_iter().flatten())
    }

    /// Every jump target, in the same order, to be changed.
    pub fn targets_mut(&mut self) -> impl Iterator<Item = &mut Target<V>> {
        let (list, last): (&mut [Target<V>], [Option<&mut Target<V>>; 2]) = match self {
            Terminator::Jump(target) => (&mut [], [Some(target), None]),
            Terminator::Branch {
                then, otherwise, ..
            } => (&mut [], [Some(then), Some(otherwise)]),
            Terminator::Switch {
                targets, default, ..
            } => (targets, [Some(default), None]),
            Terminator::Return(_) | Terminator::TailCall { .. } | Terminator::Unreachable => {
                (&mut [], [None, None])
            }
        };
        list.iter_mut().chain(last.into_iter().flatten())
    }

    /// The operands of its own, which are not arguments of a jump.
    pub fn own_operands(&self) -> &[V] {
        match self {
            Terminator::Jump(_) | Terminator::Unreachable => &[],
            Terminator::Branch { cond: operand, .. }
            | Terminator::Switch { index: operand, .. } => slice::from_ref(operand),
            Terminator::Return(args) | Terminator::TailCall { args, .. } => args,
        }
    }

    fn own_operands_mut(&mut self) -> &mut [V] {
        match self {
            Terminator::Jump(_) | Terminator::Unreachable => &mut [],
            Terminator::Branch { cond: operand, .. }
            | Terminator::Switch { index: operand, .. } => slice::from_mut(operand),
            Terminator::Return(args) | Terminator::TailCall { args, .. } => args,
        }
    }

    /// Every operand: its own, then the arguments of each jump.
    pub fn operands(&self) -> impl Iterator<Item = &V> {
        let arguments = self.targets().flat_map(|target| &target.args);
        self.own_operands().iter().chain(arguments)
    }

    /// Visits every operand, in the same order, to change it.
    pub fn for_each_operand_mut(&mut self, mut visit: impl FnMut(&mut V)) {
        self.own_operands_mut().iter_mut().for_each(&mut visit);
        self.targets_mut()
            .flat_map(|target| &mut target.args)
            .for_each(visit);
    }
}
