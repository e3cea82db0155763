//! The residual function while it is written: names for values, code for known values, addresses of
//! cells.
//!
//! Invariant: a name is used only where its definition dominates. So the name of a known value
//! lasts for one block. Leaves out which blocks there are and how they are joined: see
//! [`super::emit`].

use smallvec::SmallVec;

use super::Evaluation;
use super::abs::Abs;
use super::cells::Content;
use super::transfer::Phase;
use crate::hash::FastMap;
use crate::index::Map;
use crate::ir::residual::Block;
use crate::ir::{Parameter, Type, residual};
use crate::op::{Const, LoadKind, Op, StoreKind};

/// Cells at known offsets from a parameter are addressed from `parameter - FRAME` by an unsigned
/// static offset of less than [`REACH`]. Sound because cells lie above the first 64 KiB, a contract
/// of the intrinsics: the subtraction never wraps.
const FRAME: i32 = 8192;
const REACH: u32 = 1 << 16;

/// A value: what is known of it, and its name in the residual function, once it has one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Val {
    pub abs: Abs,
    pub residual: Option<residual::Value>,
}

impl Content for Val {
    fn abs(self) -> Abs {
        self.abs
    }
}

/// The residual function being written, and the block at which.
pub struct Writer {
    pub function: residual::Function,
    current: Block,
    /// Names of known values, valid in the current block.
    names: FastMap<Abs, residual::Value>,
    /// By residual parameter: the base from which cells at offsets from it are addressed.
    frames: Map<Parameter, Option<residual::Value>>,
    pub inst_count: usize,
}

impl Writer {
    pub fn new(evaluation: &Evaluation) -> Self {
        let signature = evaluation.module.types[evaluation.request.sig].clone();
        let signature = signature.expect("requests are checked to have a supported type");
        let function = residual::Function {
            signature,
            blocks: Map::default(),
            types: Map::default(),
        };
        let mut writer = Self {
            function,
            current: Block::ENTRY,
            names: FastMap::default(),
            frames: Map::default(),
            inst_count: 0,
        };
        let entry = writer.new_block();
        let types = writer.function.signature.params.clone();
        for &ty in &types {
            writer.param(entry, Abs::Dynamic, ty);
        }
        for (index, &ty) in (0..).zip(&types) {
            let frame =
                (ty == Type::I32).then(|| writer.frame(writer.function.param(Parameter(index))));
            writer.frames.push(frame);
        }
        writer
    }

    pub fn frame(&mut self, param: residual::Value) -> residual::Value {
        let size = self.inst(
            Op::Const(Const::I32(FRAME)),
            residual::Values::new(),
            Some(Type::I32),
        );
        let size = size.expect("constants have a result");
        let args = residual::Values::from_slice(&[param, size]);
        self.inst(Op::I32Sub, args, Some(Type::I32))
            .expect("a subtraction has a result")
    }

    pub fn new_block(&mut self) -> Block {
        self.function.blocks.push(residual::BlockData::empty())
    }

    /// A target that is never reached.
    pub fn unreachable(&mut self) -> residual::Target {
        residual::Target {
            block: self.new_block(),
            args: SmallVec::new(),
        }
    }

    /// The value of a block's parameter; a residual parameter only if it is dynamic.
    pub fn param(&mut self, block: Block, abs: Abs, ty: Type) -> Val {
        if abs.is_known() {
            return Val {
                abs,
                residual: None,
            };
        }
        let value = self.function.new_value(ty);
        self.function.blocks[block].params.push(value);
        Val {
            abs,
            residual: Some(value),
        }
    }

    pub fn enter(&mut self, block: Block) {
        self.current = block;
        self.names.clear();
    }

    /// Turns to another block for a while.
    pub fn suspend(&mut self, block: Block) -> (Block, FastMap<Abs, residual::Value>) {
        let names = std::mem::take(&mut self.names);
        (std::mem::replace(&mut self.current, block), names)
    }

    pub fn resume(&mut self, (block, names): (Block, FastMap<Abs, residual::Value>)) {
        self.current = block;
        self.names = names;
    }

    pub fn end(&mut self, term: residual::Terminator) {
        self.function.blocks[self.current].term = term;
    }

    pub fn inst(
        &mut self,
        op: Op,
        args: residual::Values,
        ty: Option<Type>,
    ) -> Option<residual::Value> {
        let result = ty.map(|ty| self.function.new_value(ty));
        self.function.blocks[self.current]
            .insts
            .push(residual::Inst { op, args, result });
        self.inst_count += 1;
        result
    }

    pub fn names(&mut self, values: &[Val]) -> residual::Values {
        values.iter().map(|&value| self.name(value)).collect()
    }

    /// The residual name of a value; code for it, if it is known and has none.
    pub fn name(&mut self, value: Val) -> residual::Value {
        if let Some(name) = value.residual {
            return name;
        }
        if let Some(&name) = self.names.get(&value.abs) {
            return name;
        }
        let name = self.name_known(value.abs);
        self.names.insert(value.abs, name);
        name
    }

    pub fn name_known(&mut self, abs: Abs) -> residual::Value {
        let none = residual::Values::new;
        let result = match abs {
            Abs::Const(constant) => self.inst(Op::Const(constant), none(), Some(constant.ty())),
            Abs::Symbol(symbol) => self.inst(Op::SymbolAddress(symbol), none(), Some(Type::I32)),
            Abs::Slot(slot) => {
                let address = self.name(Val {
                    abs: Abs::Symbol(slot),
                    residual: None,
                });
                let load = Op::Load {
                    kind: LoadKind::I32Load,
                    offset: 0,
                };
                self.inst(
                    load,
                    residual::Values::from_slice(&[address]),
                    Some(Type::I32),
                )
            }
            Abs::Offset { param, offset: 0 } => Some(self.function.param(param)),
            Abs::Offset { param, offset } => {
                let offset = self.name(Val {
                    abs: Abs::Const(Const::I32(offset)),
                    residual: None,
                });
                let args = residual::Values::from_slice(&[self.function.param(param), offset]);
                self.inst(Op::I32Add, args, Some(Type::I32))
            }
            Abs::Dynamic => unreachable!("dynamic values have a name"),
        };
        result.expect("each of these has a result")
    }

    /// The address operand and static offset of the cell at `address`.
    pub fn cell_address(&mut self, address: Abs) -> (residual::Value, u32) {
        if let Abs::Offset { param, offset } = address
            && let Some(frame) = self.frames[param]
            && let Ok(offset) = u32::try_from(offset.wrapping_add(FRAME))
            && offset < REACH
        {
            return (frame, offset);
        }
        (
            self.name(Val {
                abs: address,
                residual: None,
            }),
            0,
        )
    }
}

impl Phase for Writer {
    type Value = Val;

    fn known(&mut self, abs: Abs) -> Val {
        Val {
            abs,
            residual: None,
        }
    }

    fn emit(&mut self, op: Op, args: &[Val], result: Option<Type>) -> Val {
        let args = self.names(args);
        Val {
            abs: Abs::Dynamic,
            residual: self.inst(op, args, result),
        }
    }

    fn load_cell(&mut self, address: Abs) -> Val {
        let (base, offset) = self.cell_address(address);
        let load = Op::Load {
            kind: LoadKind::I64Load,
            offset,
        };
        let residual = self.inst(load, residual::Values::from_slice(&[base]), Some(Type::I64));
        Val {
            abs: Abs::Dynamic,
            residual,
        }
    }

    fn store_cell(&mut self, address: Abs, value: Val) {
        let value = self.name(value);
        let (base, offset) = self.cell_address(address);
        let store = Op::Store {
            kind: StoreKind::I64Store,
            offset,
        };
        self.inst(store, residual::Values::from_slice(&[base, value]), None);
    }
}
