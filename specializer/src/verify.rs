//! Checks functions against the rules of the SSA form.
//!
//! * **V1** There is an entry block; its parameters have the types of the signature; nothing jumps
//!   to it.
//! * **V2** Every value is defined once, as a parameter or a result, and has a type.
//! * **V3** A jump goes to a block that exists, with an argument of the right type for each
//!   parameter.
//! * **V4** An instruction's operands and result are as many as its operator says, and of those
//!   types.
//! * **V5** Conditions and switch indices are `i32`; what returns or is tail-called fits the
//!   signature.
//! * **V6** Generic: a use is preceded by its definition in the same block (maximal SSA).
//!   Residual: a use is dominated by its definition, where the entry reaches it.
//! * **V7** Symbols and request slots occur in residual code only; cells in generic code only, and
//!   so do hints, but for those that cleanup and the linker use.
//!
//! Leaves out termination and what values mean.

mod dominance;

#[cfg(test)]
mod tests;

use std::fmt::{self, Display, Formatter};

use crate::index::Map;
use crate::ir::{
    BlockData, Callee, Function, Generic, Inst, Residual, Stage, Target, Terminator, Type, generic,
    residual,
};
use crate::op::{Op, OpType, Types, intrinsic};
use dominance::Dominance;

/// A rule that is broken, and where.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {rule}: {message}")]
pub struct Fault<S: Stage> {
    pub place: Place<S>,
    /// `V1` and so on: see the module's documentation.
    pub rule: &'static str,
    pub message: String,
}

/// A place in a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place<S: Stage> {
    Start(S::Block),
    Inst(S::Block, usize),
    Terminator(S::Block),
}

/// Checks the rules for generic code.
pub fn generic(function: &generic::Function, types: &dyn Types) -> Result<(), Fault<Generic>> {
    Verifier::new(function, types, Scope::Block)?.run()
}

/// Checks the rules for residual code.
pub fn residual(function: &residual::Function, types: &dyn Types) -> Result<(), Fault<Residual>> {
    Verifier::new(function, types, Scope::Dominated(Dominance::of(function)))?.run()
}

/// Where a definition may be used: the two cases of V6.
enum Scope<S: Stage> {
    /// In its own block.
    Block,
    /// Where it dominates.
    Dominated(Dominance<S>),
}

struct Verifier<'f, S: Stage> {
    function: &'f Function<S>,
    types: &'f dyn Types,
    scope: Scope<S>,
    /// Where each value is defined: its block, and how many instructions come before.
    definitions: Map<S::Value, Option<(S::Block, usize)>>,
}

type Check<S> = Result<(), Fault<S>>;

fn fault<S: Stage>(place: Place<S>, rule: &'static str, message: impl Display) -> Check<S> {
    Err(Fault {
        place,
        rule,
        message: message.to_string(),
    })
}

impl<'f, S: Stage> Verifier<'f, S> {
    /// Collects definitions (V2).
    fn new(
        function: &'f Function<S>,
        types: &'f dyn Types,
        scope: Scope<S>,
    ) -> Result<Self, Fault<S>> {
        let definitions = Map::filled_like(&function.types, None);
        let mut verifier = Self {
            function,
            types,
            scope,
            definitions,
        };
        for (block, data) in &function.blocks {
            for &param in &data.params {
                verifier.define(Place::Start(block), param, (block, 0))?;
            }
            for (index, inst) in data.insts.iter().enumerate() {
                if let Some(result) = inst.result {
                    verifier.define(Place::Inst(block, index), result, (block, index + 1))?;
                }
            }
        }
        Ok(verifier)
    }

    fn define(&mut self, place: Place<S>, value: S::Value, at: (S::Block, usize)) -> Check<S> {
        match self.definitions.get_mut(value) {
            None => fault(place, "V2", format_args!("{value} has no type")),
            Some(Some(_)) => fault(place, "V2", format_args!("{value} is defined twice")),
            Some(definition) => {
                *definition = Some(at);
                Ok(())
            }
        }
    }

    fn run(&self) -> Check<S> {
        self.entry()?;
        for (block, data) in &self.function.blocks {
            for (index, inst) in data.insts.iter().enumerate() {
                let place = Place::Inst(block, index);
                self.inst(place, inst)?;
                self.uses(place, &inst.args, (block, index))?;
            }
            self.terminator(block, data)?;
        }
        Ok(())
    }

    fn entry(&self) -> Check<S> {
        let place = Place::Start(S::ENTRY);
        let Some(entry) = self.function.blocks.get(S::ENTRY) else {
            return fault(place, "V1", "there is no block");
        };
        self.expect(place, "V1", &entry.params, &self.function.signature.params)
    }

    /// Whether `values` have these types.
    fn expect(
        &self,
        place: Place<S>,
        rule: &'static str,
        values: &[S::Value],
        types: &[Type],
    ) -> Check<S> {
        if values.len() != types.len() {
            let message =
                format_args!("{} values where {} belong", values.len(), types.len()).to_string();
            return fault(place, rule, message);
        }
        for (&value, &ty) in values.iter().zip(types) {
            match self.function.types.get(value) {
                Some(&found) if found == ty => {}
                Some(found) => {
                    return fault(
                        place,
                        rule,
                        format_args!("{value} is of type {found}, not {ty}"),
                    );
                }
                None => return fault(place, "V2", format_args!("{value} has no type")),
            }
        }
        Ok(())
    }

    fn inst(&self, place: Place<S>, inst: &Inst<S>) -> Check<S> {
        self.stage_allows(place, inst.op)?;
        let first = inst
            .args
            .first()
            .and_then(|&value| self.function.types.get(value));
        let Some(OpType { operands, result }) = inst.op.ty(first.copied(), self.types) else {
            return fault(
                place,
                "V4",
                format_args!("`{}` names something without a type", inst.op),
            );
        };
        self.expect(place, "V4", &inst.args, &operands)?;
        self.expect(place, "V4", inst.result.as_slice(), result.as_slice())
    }

    fn stage_allows(&self, place: Place<S>, op: Op) -> Check<S> {
        let generic = matches!(self.scope, Scope::Block);
        let belongs = match op {
            Op::SymbolAddress(_) | Op::Call(Callee::Slot { .. }) => !generic,
            Op::Intrinsic(op) => generic || intrinsic::is_residual(op),
            Op::Const(_)
            | Op::Plain(_)
            | Op::Select
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::Call(Callee::Direct(_) | Callee::Indirect { .. })
            | Op::GlobalGet(_)
            | Op::GlobalSet(_)
            | Op::MemorySize
            | Op::MemoryGrow
            | Op::MemoryCopy
            | Op::MemoryFill
            | Op::Beyond(_) => true,
        };
        if belongs {
            Ok(())
        } else {
            fault(
                place,
                "V7",
                format_args!("`{op}` belongs to the other stage"),
            )
        }
    }

    fn terminator(&self, block: S::Block, data: &BlockData<S>) -> Check<S> {
        let place = Place::Terminator(block);
        let at = (block, data.insts.len());
        for target in data.term.targets() {
            self.target(place, target)?;
            self.uses(place, &target.args, at)?;
        }
        match &data.term {
            Terminator::Jump(_) | Terminator::Unreachable => Ok(()),
            Terminator::Branch { cond: value, .. } | Terminator::Switch { index: value, .. } => {
                self.expect(place, "V5", &[*value], &[Type::I32])?;
                self.uses(place, &[*value], at)
            }
            Terminator::Return(values) => {
                self.expect(place, "V5", values, &self.function.signature.results)?;
                self.uses(place, values, at)
            }
            Terminator::TailCall { callee, args } => {
                self.tail_call(place, callee, args)?;
                self.uses(place, args, at)
            }
        }
    }

    fn target(&self, place: Place<S>, target: &Target<S>) -> Check<S> {
        if target.block == S::ENTRY {
            return fault(place, "V1", "a jump to the entry block");
        }
        let Some(data) = self.function.blocks.get(target.block) else {
            return fault(place, "V3", format_args!("{} does not exist", target.block));
        };
        let types: Vec<_> = data
            .params
            .iter()
            .map(|&param| self.function.value_type(param))
            .collect();
        self.expect(place, "V3", &target.args, &types)
    }

    fn tail_call(&self, place: Place<S>, callee: &Callee, args: &[S::Value]) -> Check<S> {
        self.stage_allows(place, Op::Call(*callee))?;
        let Some(OpType { operands, result }) = callee.ty(self.types) else {
            return fault(place, "V5", "the callee has no type");
        };
        if result.as_slice() != self.function.signature.results {
            return fault(
                place,
                "V5",
                "the callee returns another type than the function",
            );
        }
        self.expect(place, "V5", args, &operands)
    }

    /// Whether `values` are defined where control has come to `at` (V6).
    fn uses(&self, place: Place<S>, values: &[S::Value], at: (S::Block, usize)) -> Check<S> {
        for &value in values {
            let Some(definition) = self.definitions[value] else {
                return fault(place, "V2", format_args!("{value} is not defined"));
            };
            let defined = match &self.scope {
                _ if definition.0 == at.0 => definition.1 <= at.1,
                Scope::Block => false,
                Scope::Dominated(dominance) => dominance.dominates(definition.0, at.0),
            };
            if !defined {
                return fault(
                    place,
                    "V6",
                    format_args!("{value} is not defined on all paths to here"),
                );
            }
        }
        Ok(())
    }
}

impl<S: Stage> Display for Place<S> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Place::Start(block) => write!(f, "{block}"),
            Place::Inst(block, index) => write!(f, "{block}, instruction {index}"),
            Place::Terminator(block) => write!(f, "{block}, terminator"),
        }
    }
}
