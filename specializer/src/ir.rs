//! The SSA form that every stage works on: functions of blocks with parameters.
//!
//! One shape serves two stages that must not be confused: [`generic`] is what the interpreter's
//! author wrote, [`residual`] is what specialization leaves. Each has types of its own for blocks
//! and values, so residual code can never name a generic block or value.
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

pub use crate::entity::{
    Base, Callee, Func, Given, Global, Numbers, Parameter, Sig, Signature, Symbol, Table, Type,
};

use crate::index::{Id, Map, index};
use crate::op::Op;

/// Whose code it is: [`Generic`] or [`Residual`].
pub trait Stage: Copy + Eq + fmt::Debug {
    /// Names a block of a function.
    type Block: Id;
    /// Names an SSA value of a function.
    type Value: Id;
    /// The block in which a function starts.
    const ENTRY: Self::Block;
}

/// Operands of an instruction or arguments of a jump.
pub type Values<S> = SmallVec<[<S as Stage>::Value; 4]>;

#[derive(Clone, Debug)]
pub struct Function<S: Stage> {
    pub signature: Signature,
    pub blocks: Map<S::Block, BlockData<S>>,
    /// The type of each value.
    pub types: Map<S::Value, Type>,
}

#[derive(Clone, Debug)]
pub struct BlockData<S: Stage> {
    pub params: Vec<S::Value>,
    pub insts: Vec<Inst<S>>,
    pub term: Terminator<S>,
}

#[derive(Clone, Debug)]
pub struct Inst<S: Stage> {
    pub op: Op,
    pub args: Values<S>,
    /// Present exactly when the operator has a result.
    pub result: Option<S::Value>,
}

/// Where control goes, and with which arguments for the block's parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target<S: Stage> {
    pub block: S::Block,
    pub args: Values<S>,
}

#[derive(Clone, Debug)]
pub enum Terminator<S: Stage> {
    Jump(Target<S>),
    /// To `then` if the `i32` `cond` is not zero.
    Branch {
        cond: S::Value,
        then: Target<S>,
        otherwise: Target<S>,
    },
    /// To `targets[index]`, or to `default` if the unsigned `i32` `index` is out of range.
    Switch {
        index: S::Value,
        targets: Vec<Target<S>>,
        default: Target<S>,
    },
    Return(Values<S>),
    /// Calls, and returns the result.
    TailCall {
        callee: Callee,
        args: Values<S>,
    },
    Unreachable,
}

macro_rules! stage {
    ($(#[$doc:meta])* $stage:ident, $module:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $stage {}

        impl Stage for $stage {
            type Block = $module::Block;
            type Value = $module::Value;
            const ENTRY: $module::Block = $module::Block::ENTRY;
        }

        $(#[$doc])*
        pub mod $module {
            use super::{$stage, index};
            index!(/// A block of this stage.
                Block, "bb");
            index!(/// An SSA value of this stage.
                Value, $prefix);
            pub type Function = super::Function<$stage>;
            pub type BlockData = super::BlockData<$stage>;
            pub type Inst = super::Inst<$stage>;
            pub type Target = super::Target<$stage>;
            pub type Terminator = super::Terminator<$stage>;
            pub type Values = super::Values<$stage>;

            impl Block {
                /// The block in which a function starts.
                pub const ENTRY: Self = Self(0);
            }
        }
    };
}

stage!(
    /// The interpreter's code, as lifted.
    Generic, generic, "g"
);
stage!(
    /// What specialization leaves of it.
    Residual, residual, "v"
);

impl residual::Function {
    /// The value that a parameter of the function is.
    pub fn param(&self, param: Parameter) -> residual::Value {
        self.blocks[residual::Block::ENTRY].params[param.index()]
    }

    /// Moves what a block does from an instruction on into a new block with these parameters. What
    /// is left of the block wants a terminator.
    pub fn split(
        &mut self,
        block: residual::Block,
        index: usize,
        params: Vec<residual::Value>,
    ) -> residual::Block {
        let data = &mut self.blocks[block];
        let rest = residual::BlockData {
            params,
            insts: data.insts.split_off(index),
            term: std::mem::replace(&mut data.term, Terminator::Unreachable),
        };
        self.blocks.push(rest)
    }

    /// Adds an instruction to the end of a block. Returns its result, which has type `ty`.
    pub fn append(
        &mut self,
        block: residual::Block,
        op: Op,
        args: &[residual::Value],
        ty: Type,
    ) -> residual::Value {
        let result = self.new_value(ty);
        self.blocks[block].insts.push(Inst {
            op,
            args: args.into(),
            result: Some(result),
        });
        result
    }
}

impl<S: Stage> Function<S> {
    /// A new value of type `ty`, not yet defined by anything.
    pub fn new_value(&mut self, ty: Type) -> S::Value {
        self.types.push(ty)
    }

    pub fn value_type(&self, value: S::Value) -> Type {
        self.types[value]
    }
}

impl<S: Stage> Target<S> {
    pub fn new(block: S::Block, args: impl IntoIterator<Item = S::Value>) -> Self {
        let args = args.into_iter().collect();
        Self { block, args }
    }
}

impl<S: Stage> BlockData<S> {
    /// A block without parameters and code, which traps.
    pub fn empty() -> Self {
        Self {
            params: Vec::new(),
            insts: Vec::new(),
            term: Terminator::Unreachable,
        }
    }

    /// The values that it defines: its parameters, then results.
    pub fn defined(&self) -> impl Iterator<Item = S::Value> {
        let results = self.insts.iter().filter_map(|inst| inst.result);
        self.params.iter().copied().chain(results)
    }

    /// Every operand of its instructions and its terminator, in order.
    pub fn operands(&self) -> impl Iterator<Item = &S::Value> {
        let args = self.insts.iter().flat_map(|inst| &inst.args);
        args.chain(self.term.operands())
    }

    /// Visits every operand, in the same order, to change it.
    pub fn for_each_operand_mut(&mut self, mut visit: impl FnMut(&mut S::Value)) {
        let args = self.insts.iter_mut().flat_map(|inst| &mut inst.args);
        args.for_each(&mut visit);
        self.term.for_each_operand_mut(visit);
    }
}

/// What blocks and values of a function are called in a copy of it.
pub trait Naming<From: Stage, To: Stage> {
    fn block(&mut self, block: From::Block) -> To::Block;
    fn value(&mut self, value: From::Value) -> To::Value;

    fn values(&mut self, values: &[From::Value]) -> Values<To> {
        values.iter().map(|&value| self.value(value)).collect()
    }

    fn target(&mut self, target: &Target<From>) -> Target<To> {
        Target {
            block: self.block(target.block),
            args: self.values(&target.args),
        }
    }

    fn terminator(&mut self, term: &Terminator<From>) -> Terminator<To> {
        match term {
            Terminator::Jump(target) => Terminator::Jump(self.target(target)),
            Terminator::Branch {
                cond,
                then,
                otherwise,
            } => Terminator::Branch {
                cond: self.value(*cond),
                then: self.target(then),
                otherwise: self.target(otherwise),
            },
            Terminator::Switch {
                index,
                targets,
                default,
            } => Terminator::Switch {
                index: self.value(*index),
                targets: targets.iter().map(|target| self.target(target)).collect(),
                default: self.target(default),
            },
            Terminator::Return(values) => Terminator::Return(self.values(values)),
            Terminator::TailCall { callee, args } => Terminator::TailCall {
                callee: *callee,
                args: self.values(args),
            },
            Terminator::Unreachable => Terminator::Unreachable,
        }
    }
}

impl<S: Stage> Terminator<S> {
    /// Every jump target, in order: of a switch, the default last.
    pub fn targets(&self) -> impl DoubleEndedIterator<Item = &Target<S>> {
        let (list, last): (&[Target<S>], [Option<&Target<S>>; 2]) = match self {
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
    pub fn targets_mut(&mut self) -> impl Iterator<Item = &mut Target<S>> {
        let (list, last): (&mut [Target<S>], [Option<&mut Target<S>>; 2]) = match self {
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

    /// Which way a branch or switch goes, if `known` gives its operand. A branch goes the same way
    /// for all numbers but 0.
    pub fn way(&self, known: impl FnOnce(S::Value) -> Option<u32>) -> Option<&Target<S>> {
        match self {
            Terminator::Branch {
                cond,
                then,
                otherwise,
            } => match known(*cond)? {
                0 => Some(otherwise),
                _ => Some(then),
            },
            Terminator::Switch {
                index,
                targets,
                default,
            } => Some(targets.get(known(*index)? as usize).unwrap_or(default)),
            Terminator::Jump(_)
            | Terminator::Return(_)
            | Terminator::TailCall { .. }
            | Terminator::Unreachable => None,
        }
    }

    /// The operands of its own, which are not arguments of a jump.
    pub fn own_operands(&self) -> &[S::Value] {
        match self {
            Terminator::Jump(_) | Terminator::Unreachable => &[],
            Terminator::Branch { cond: operand, .. }
            | Terminator::Switch { index: operand, .. } => slice::from_ref(operand),
            Terminator::Return(args) | Terminator::TailCall { args, .. } => args,
        }
    }

    fn own_operands_mut(&mut self) -> &mut [S::Value] {
        match self {
            Terminator::Jump(_) | Terminator::Unreachable => &mut [],
            Terminator::Branch { cond: operand, .. }
            | Terminator::Switch { index: operand, .. } => slice::from_mut(operand),
            Terminator::Return(args) | Terminator::TailCall { args, .. } => args,
        }
    }

    /// Every operand: its own, then the arguments of each jump.
    pub fn operands(&self) -> impl Iterator<Item = &S::Value> {
        let arguments = self.targets().flat_map(|target| &target.args);
        self.own_operands().iter().chain(arguments)
    }

    /// Visits every operand, in the same order, to change it.
    pub fn for_each_operand_mut(&mut self, mut visit: impl FnMut(&mut S::Value)) {
        self.own_operands_mut().iter_mut().for_each(&mut visit);
        self.targets_mut()
            .flat_map(|target| &mut target.args)
            .for_each(visit);
    }
}
