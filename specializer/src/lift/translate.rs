//! First step of lifting: operators over a symbolic operand stack.
//!
//! The result is a [`Draft`]: blocks whose parameters and arguments are the operand stack. Beside
//! each block it says which locals the block reads before writing them, and what the locals that it
//! touched hold at its end. A local that is read first gets a value of its own; the next step makes
//! that a parameter.

use smallvec::SmallVec;
use wasmparser::Operator;

use super::{Places, Reason, Unsupported};
use crate::index::Map;
use crate::ir::generic::{Block, Function, Inst, Terminator, Value, Values};
use crate::ir::{Callee, Func, Sig, Signature, Table, Type};
use crate::module::{Import, Module, value_type};
use crate::op::{Const, Intrinsic, Op, OpType, Types, intrinsic};

/// A function without its locals' data flow.
pub(super) struct Draft {
    pub function: Function,
    pub locals: Map<Block, BlockLocals>,
    pub places: Places,
    /// By local, the parameters first.
    pub types: Vec<Type>,
}

/// How a block uses locals.
#[derive(Default)]
pub(super) struct BlockLocals {
    /// Locals read before they are written, with the value that stands for their contents at the
    /// start.
    pub reads: Vec<(usize, Value)>,
    /// Locals read or written, with their contents at the end.
    pub ends: Vec<(usize, Value)>,
}

/// What kind of construct a label belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Function,
    Block,
    Loop,
    If,
}

/// An open construct.
pub(super) struct Frame {
    pub kind: Kind,
    /// Stack height below its parameters.
    pub height: usize,
    pub params: SmallVec<[Type; 2]>,
    pub results: SmallVec<[Type; 2]>,
    /// Where a branch to its label goes, once there is one. For a loop: its header.
    pub label: Option<Block>,
    /// Of an `if` whose `else` has not come: the block for it.
    pub otherwise: Option<Block>,
}

pub(super) struct Translator<'m, 'a> {
    pub module: &'m Module<'a>,
    pub func: Func,
    /// Of the operator at hand.
    pub offset: usize,
    pub draft: Draft,
    pub frames: Vec<Frame>,
    pub stack: Vec<Value>,
    /// The block being filled; absent in unreachable code.
    pub current: Option<Block>,
    /// How many constructs were opened in unreachable code.
    pub skipped: usize,
    /// What locals hold in the current block, where it touched them.
    pub contents: Vec<Option<Value>>,
    pub touched: Vec<usize>,
}

pub(super) type Lifted<T = ()> = Result<T, Reason>;

/// Translates the body of `func`.
pub(super) fn run(module: &Module<'_>, func: Func) -> Result<Draft, Unsupported> {
    let unsupported = |offset, reason| Unsupported {
        func,
        name: module.name(func),
        offset,
        reason,
    };
    let start = module.body(func).map_or(0, |body| body.range().start);
    let translator = Translator::new(module, func);
    let mut translator = translator.map_err(|reason| unsupported(start, reason))?;
    match translator.body() {
        Ok(()) => Ok(translator.draft),
        Err(reason) => Err(unsupported(translator.offset, reason)),
    }
}

impl<'m, 'a> Translator<'m, 'a> {
    fn new(module: &'m Module<'a>, func: Func) -> Lifted<Self> {
        let body = module.body(func).ok_or(Reason::NoBody)?;
        let signature = module.function(func).ok_or(Reason::Types)?.clone();
        let mut types = signature.params.clone();
        for group in body.get_locals_reader()? {
            let (count, ty) = group?;
            let what = "a local";
            let ty = value_type(ty).ok_or(Reason::Type { what, ty })?;
            types.resize(types.len() + count as usize, ty);
        }
        let function = Function {
            signature,
            blocks: Map::default(),
            types: Map::default(),
        };
        Ok(Self {
            module,
            func,
            offset: body.range().start,
            contents: vec![None; types.len()],
            draft: Draft {
                function,
                locals: Map::default(),
                places: Map::default(),
                types,
            },
            frames: Vec::new(),
            stack: Vec::new(),
            current: None,
            skipped: 0,
            touched: Vec::new(),
        })
    }

    fn body(&mut self) -> Lifted {
        self.open_function();
        let body = self.module.body(self.func).ok_or(Reason::NoBody)?;
        let mut reader = body.get_operators_reader()?;
        while !reader.eof() {
            self.offset = reader.original_position();
            let operator = reader.read()?;
            if self.current.is_some() {
                self.operator(&operator)?;
            } else {
                self.skip(&operator)?;
            }
        }
        if self.frames.is_empty() {
            Ok(())
        } else {
            Err(Reason::Invalid("the body ends early"))
        }
    }

    /// The entry block: its parameters are the function's, which the first locals hold.
    fn open_function(&mut self) {
        let Signature { params, results } = self.draft.function.signature.clone();
        let entry = self.new_block(&params);
        self.start(entry);
        for (local, value) in std::mem::take(&mut self.stack).into_iter().enumerate() {
            self.set_local(local, value);
        }
        self.frames.push(Frame {
            kind: Kind::Function,
            height: 0,
            params: SmallVec::new(),
            results: results.into(),
            label: None,
            otherwise: None,
        });
    }

    /// An operator of unreachable code: only its structure matters.
    fn skip(&mut self, operator: &Operator<'_>) -> Lifted {
        match operator {
            Operator::Block { .. }
            | Operator::Loop { .. }
            | Operator::If { .. }
            | Operator::TryTable { .. } => self.skipped += 1,
            Operator::Else if self.skipped == 0 => self.otherwise()?,
            Operator::End if self.skipped == 0 => self.close()?,
            Operator::End => self.skipped -= 1,
            _ => {}
        }
        Ok(())
    }

    fn operator(&mut self, operator: &Operator<'_>) -> Lifted {
        match *operator {
            Operator::Nop => {}
            Operator::Unreachable => self.finish(Terminator::Unreachable),
            Operator::Block { blockty } => self.open(Kind::Block, blockty)?,
            Operator::Loop { blockty } => self.open(Kind::Loop, blockty)?,
            Operator::If { blockty } => self.open(Kind::If, blockty)?,
            Operator::Else => self.otherwise()?,
            Operator::End => self.close()?,
            Operator::Br { relative_depth } => self.branch(relative_depth)?,
            Operator::BrIf { relative_depth } => self.branch_if(relative_depth)?,
            Operator::BrTable { ref targets } => self.switch(targets)?,
            Operator::Return => self.return_()?,
            Operator::Call { function_index } => self.call(Func(function_index))?,
            Operator::CallIndirect {
                type_index,
                table_index,
            } => {
                let callee = self.indirect(operator, type_index, table_index)?;
                self.push_op(Op::Call(callee))?;
            }
            Operator::ReturnCall { function_index } => {
                let func = Func(function_index);
                match self.module.import(func) {
                    Some(import) if annotations::has_intrinsics(import.module) => {
                        self.call(func)?;
                        self.return_()?;
                    }
                    Some(_) | None => self.tail_call(Callee::Direct(func))?,
                }
            }
            Operator::ReturnCallIndirect {
                type_index,
                table_index,
            } => {
                let callee = self.indirect(operator, type_index, table_index)?;
                self.tail_call(callee)?;
            }
            Operator::Drop => drop(self.pop()?),
            Operator::LocalGet { local_index } => {
                let value = self.get_local(local_index as usize)?;
                self.stack.push(value);
            }
            Operator::LocalSet { local_index } => {
                let value = self.pop()?;
                self.check_local(local_index as usize, value)?;
                self.set_local(local_index as usize, value);
            }
            Operator::LocalTee { local_index } => {
                let value = *self.stack.last().ok_or(UNDERFLOW)?;
                self.check_local(local_index as usize, value)?;
                self.set_local(local_index as usize, value);
            }
            _ => {
                let op = Op::decode(operator).ok_or_else(|| unsupported(operator))?;
                if let Op::Beyond(beyond) = op
                    && beyond.memories().iter().any(|&memory| self.is_wide(memory))
                {
                    return Err(wide(operator));
                }
                self.push_op(op)?;
            }
        }
        Ok(())
    }

    /// Whether a memory has addresses of 64 bits.
    fn is_wide(&self, memory: u32) -> bool {
        let memory = self.module.wide_memories.get(memory as usize);
        memory == Some(&true)
    }

    /// What calls through a table, unless its indices have 64 bits.
    fn indirect(
        &self,
        operator: &Operator<'_>,
        type_index: u32,
        table_index: u32,
    ) -> Lifted<Callee> {
        if self.module.wide_tables.get(table_index as usize) == Some(&true) {
            return Err(wide(operator));
        }
        Ok(Callee::Indirect {
            sig: Sig(type_index),
            table: Table(table_index),
        })
    }
}

pub(super) const UNDERFLOW: Reason =
    Reason::Invalid("an operator takes more operands than there are");

/// Names an operator for a memory or a table whose addresses have 64 bits.
fn wide(operator: &Operator<'_>) -> Reason {
    Reason::Operator {
        operator: format!("{operator:?}"),
        proposal: "memory64",
    }
}

/// Names an operator that the SSA form does not have.
fn unsupported(operator: &Operator<'_>) -> Reason {
    macro_rules! proposal {
        ($(@$proposal:ident $name:ident $({ $($arg:ident: $ty:ty),* })?
            => $visit:ident ($($arity:tt)*))*) => {
            match operator {
                $(Operator::$name { .. } => stringify!($proposal),)*
                #[allow(unreachable_patterns, reason = "reached only if wasmparser knows SIMD")]
                _ => "simd",
            }
        };
    }
    let proposal = match wasmparser::for_each_visit_operator!(proposal) {
        // All are known, but for static offsets beyond 32 bits.
        "mvp" => "memory64",
        other => other,
    };
    Reason::Operator {
        operator: format!("{operator:?}"),
        proposal,
    }
}

/// Straight-line code.
impl Translator<'_, '_> {
    fn pop(&mut self) -> Lifted<Value> {
        let floor = self.frames.last().map_or(0, |frame| frame.height);
        if self.stack.len() <= floor {
            return Err(UNDERFLOW);
        }
        self.stack.pop().ok_or(UNDERFLOW)
    }

    /// Pops operands of these types.
    pub(super) fn pop_all(&mut self, types: &[Type]) -> Lifted<Values> {
        let floor = self.frames.last().map_or(0, |frame| frame.height);
        let start = self
            .stack
            .len()
            .checked_sub(types.len())
            .filter(|&start| start >= floor);
        let values: Values = self.stack.drain(start.ok_or(UNDERFLOW)?..).collect();
        self.check(&values, types)?;
        Ok(values)
    }

    pub(super) fn check(&self, values: &[Value], types: &[Type]) -> Lifted {
        let fits = |(&value, &ty): (&Value, &Type)| self.draft.function.value_type(value) == ty;
        if values.iter().zip(types).all(fits) {
            return Ok(());
        }
        Err(Reason::Invalid(
            "an operand has another type than the operator takes",
        ))
    }

    /// Appends an instruction to the current block.
    pub(super) fn append(&mut self, op: Op, args: Values, result: Option<Type>) -> Option<Value> {
        let result = result.map(|ty| self.draft.function.new_value(ty));
        let block = self
            .current
            .expect("operators are translated in reachable code");
        self.draft.function.blocks[block]
            .insts
            .push(Inst { op, args, result });
        self.draft.places[block].insts.push(self.offset);
        result
    }

    fn push_op(&mut self, op: Op) -> Lifted {
        let first = match op {
            Op::Select => {
                let below = self.stack.len().checked_sub(3).ok_or(UNDERFLOW)?;
                Some(self.draft.function.value_type(self.stack[below]))
            }
            _ => None,
        };
        let OpType { operands, result } = op.ty(first, self.module).ok_or(Reason::Types)?;
        let args = self.pop_all(&operands)?;
        let result = self.append(op, args, result);
        self.stack.extend(result);
        Ok(())
    }

    fn call(&mut self, func: Func) -> Lifted {
        let op = match self.module.import(func) {
            Some(import) if annotations::has_intrinsics(import.module) => {
                self.intrinsic(func, import)?
            }
            Some(_) | None => Op::Call(Callee::Direct(func)),
        };
        self.push_op(op)
    }

    fn intrinsic(&self, func: Func, import: &Import) -> Lifted<Op> {
        let unknown = || Reason::Intrinsic(import.name.to_owned());
        let found = Intrinsic::imported(import.module, import.name).ok_or_else(unknown)?;
        let signature = self.module.function(func).ok_or_else(unknown)?;
        intrinsic::agrees(found, signature)
            .then_some(Op::Intrinsic(found))
            .ok_or_else(unknown)
    }

    fn check_local(&self, local: usize, value: Value) -> Lifted {
        if self.draft.types.get(local) == Some(&self.draft.function.value_type(value)) {
            return Ok(());
        }
        Err(Reason::Invalid("a local of this type does not exist"))
    }

    fn set_local(&mut self, local: usize, value: Value) {
        if self.contents[local].replace(value).is_none() {
            self.touched.push(local);
        }
    }

    fn get_local(&mut self, local: usize) -> Lifted<Value> {
        let slot = self
            .contents
            .get(local)
            .ok_or(Reason::Invalid("no such local"))?;
        if let Some(value) = *slot {
            return Ok(value);
        }
        let ty = self.draft.types[local];
        let block = self
            .current
            .expect("operators are translated in reachable code");
        let value = if block == Block::ENTRY {
            let zero = Op::Const(Const::from_bits(ty, 0));
            self.append(zero, Values::new(), Some(ty))
                .expect("a constant has a result")
        } else {
            let value = self.draft.function.new_value(ty);
            self.draft.locals[block].reads.push((local, value));
            value
        };
        self.set_local(local, value);
        Ok(value)
    }
}
