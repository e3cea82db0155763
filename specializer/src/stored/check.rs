//! Checks a stored residual function against the snapshot in which it is to be used.
//!
//! What holds of a function that passes:
//! 1. the image holds what was read when the function was made;
//! 2. relocations ascend and do not overlap; each covers the operand of an instruction of its kind,
//!    and each call of a function by its index has one;
//! 3. what relocations name exists: bases, slots, functions that are no intrinsic, imports that
//!    linking keeps;
//! 4. the body is one that lowering could have written, and valid as a function of the request's
//!    type.
//!
//! Leaves out whether the body computes the right thing: the key and the digest vouch for that.

use wasmparser::{BinaryReader, BinaryReaderError, FunctionBody, Operator};

use super::Stored;
use crate::image::{Bases, Image, Location};
use crate::ir::{Func, Numbers, Symbol};
use crate::link;
use crate::lower::{Lowered, OPERAND, Relocation, RelocationKind};
use crate::module::Module;
use crate::op::{Intrinsic, Op};
use crate::request::{Boxed, Request};

/// The snapshot that a stored function is to be used in.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    pub module: &'a Module<'a>,
    pub image: &'a Image<'a>,
    /// Intrinsics whose imports linking keeps.
    pub kept: &'a [Intrinsic],
}

/// Why a stored function is not used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Misfit {
    #[error("memory at {0:?} is not what was read")]
    Memory(Location),
    #[error("links lead to other places than they did")]
    Links,
    #[error("{0:?} is relative to a pointer that the request does not have")]
    Base(Symbol),
    #[error("{0:?} is no request slot")]
    Slot(Symbol),
    #[error("{0} does not exist, or is an intrinsic")]
    Function(Func),
    #[error("linking does not keep the import `{}`", .0.name())]
    Intrinsic(Intrinsic),
    #[error("the relocation at {0:#x} covers no operand of its kind")]
    Relocation(u32),
    #[error("the instruction at {0:#x} is not one that lowering writes")]
    Instruction(usize),
    #[error("not valid: {0}")]
    Invalid(String),
}

impl From<BinaryReaderError> for Misfit {
    fn from(error: BinaryReaderError) -> Self {
        Misfit::Invalid(error.to_string())
    }
}

/// Checks that `stored` answers `request`.
pub fn run(around: &Surroundings, request: &Request, stored: &Stored) -> Result<(), Misfit> {
    let bases = Bases::found(request, &stored.links, around.image).ok_or(Misfit::Links)?;
    let check = Check {
        around,
        request,
        bases,
    };
    check.memory(stored)?;
    check.places(&stored.lowered)?;
    let body = stored.lowered.relocated(|kind| check.generic_value(kind))?;
    check.body(&body, &stored.lowered.relocations)
}

struct Check<'a> {
    around: &'a Surroundings<'a>,
    request: &'a Request,
    bases: Bases,
}

impl Check<'_> {
    fn memory(&self, stored: &Stored) -> Result<(), Misfit> {
        for (&(location, width), &seen) in &stored.log {
            if let Location::Relative(symbol) = location {
                self.base(symbol)?;
            }
            if self.around.image.look(&self.bases, location, width) != Some(seen) {
                return Err(Misfit::Memory(location));
            }
        }
        Ok(())
    }

    /// Checks that relocations lie in the body, one behind the other.
    fn places(&self, lowered: &Lowered) -> Result<(), Misfit> {
        let mut free = 0;
        for &Relocation { offset, .. } in &lowered.relocations {
            let end = offset as usize + OPERAND;
            if (offset as usize) < free || end > lowered.body.len() {
                return Err(Misfit::Relocation(offset));
            }
            free = end;
        }
        Ok(())
    }

    /// What a relocation stands for in the generic module, whose types and indices validation
    /// knows.
    fn generic_value(&self, kind: RelocationKind) -> Result<u32, Misfit> {
        let Surroundings { module, image, .. } = *self.around;
        match kind {
            RelocationKind::SymbolAddress(symbol) => self.base(symbol),
            RelocationKind::CallSlot {
                slot,
                given,
                numbers,
            } => {
                given.map_or(Ok(0), |given| self.base(given.word))?;
                let known = image.slot(self.base(slot)?).ok_or(Misfit::Slot(slot))?;
                if numbers == Numbers::Bare && known.boxed == Boxed::default() {
                    return Err(Misfit::Slot(slot));
                }
                Ok(known.generic.0)
            }
            RelocationKind::CallFunction(func) => {
                let import = module.import(func);
                let is_intrinsic =
                    import.is_some_and(|import| annotations::has_intrinsics(import.module));
                let exists = func.index() < module.functions.len() && !is_intrinsic;
                exists.then_some(func.0).ok_or(Misfit::Function(func))
            }
            RelocationKind::CallIntrinsic(intrinsic) => {
                self.kept(intrinsic).ok_or(Misfit::Intrinsic(intrinsic))
            }
        }
    }

    /// The address of a symbol, if the request has its base.
    fn base(&self, symbol: Symbol) -> Result<u32, Misfit> {
        self.bases.get(symbol).ok_or(Misfit::Base(symbol))
    }

    /// The index of an import that linking keeps.
    fn kept(&self, intrinsic: Intrinsic) -> Option<u32> {
        if !self.around.kept.contains(&intrinsic) {
            return None;
        }
        let mut imports = self.around.module.imports.iter();
        let index = imports.position(|import| link::intrinsic(import) == Some(intrinsic));
        index.map(|index| index as u32)
    }

    fn body(&self, body: &[u8], relocations: &[Relocation]) -> Result<(), Misfit> {
        let validation = self.around.module.validation(self.request.sig);
        let validation = validation.expect("a request names a function that has a body");
        let mut validator = validation.into_validator(Default::default());
        let body = FunctionBody::new(BinaryReader::new(body, 0));
        validator.read_locals(&mut body.get_binary_reader())?;
        let mut operators = body.get_operators_reader()?;
        let mut relocations = relocations.iter().peekable();
        while !operators.eof() {
            let (operator, offset) = operators.read_with_offset()?;
            // Instructions with relocated operands have opcodes of one byte.
            let relocation = relocations.next_if(|next| next.offset as usize == offset + 1);
            match relocation {
                Some(&Relocation { offset, kind }) if !takes(&operator, kind) => {
                    return Err(Misfit::Relocation(offset));
                }
                None if !is_placeless(&operator) => return Err(Misfit::Instruction(offset)),
                Some(_) | None => validator.op(offset, &operator)?,
            }
        }
        operators.finish()?;
        match relocations.next() {
            Some(&Relocation { offset, .. }) => Err(Misfit::Relocation(offset)),
            None => Ok(()),
        }
    }
}

/// Whether the operator's operand is what a relocation of this kind fills in.
fn takes(operator: &Operator, kind: RelocationKind) -> bool {
    match kind {
        RelocationKind::SymbolAddress(_) => matches!(operator, Operator::I32Const { .. }),
        RelocationKind::CallSlot { .. }
        | RelocationKind::CallFunction(_)
        | RelocationKind::CallIntrinsic(_) => {
            matches!(
                operator,
                Operator::Call { .. } | Operator::ReturnCall { .. }
            )
        }
    }
}

/// Whether lowering writes this operator without a relocation, because linking does not renumber
/// what it names.
fn is_placeless(operator: &Operator) -> bool {
    let is_control = matches!(
        operator,
        Operator::Unreachable
            | Operator::Block { .. }
            | Operator::Loop { .. }
            | Operator::If { .. }
            | Operator::Else
            | Operator::End
            | Operator::Br { .. }
            | Operator::BrIf { .. }
            | Operator::BrTable { .. }
            | Operator::Return
            | Operator::CallIndirect { .. }
            | Operator::ReturnCallIndirect { .. }
            | Operator::LocalGet { .. }
            | Operator::LocalSet { .. }
            | Operator::LocalTee { .. }
            | Operator::Drop
    );
    is_control || Op::decode(operator).is_some()
}
