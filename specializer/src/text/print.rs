//! Prints functions of both stages.
//!
//! ```text
//! function(i32, i64) -> i64 {
//! bb0(v0: i32, v1: i64):
//!     v2: i64 = i64.load offset=8 v0
//!     branch v0 ? bb1(v2) : bb2()
//! …
//! }
//! ```
//!
//! Invariant: [`super::parse`] gives the same function back. So each result carries its type, and
//! floats are printed as bits.

use std::fmt::{self, Display, Formatter};

use crate::ir::{
    BlockData, Callee, Function, Given, Inst, Numbers, Signature, Stage, Symbol, Target,
    Terminator, Type,
};
use crate::op::{Beyond, Const, Op};

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Type::I32 => "i32",
            Type::I64 => "i64",
            Type::F32 => "f32",
            Type::F64 => "f64",
        })
    }
}

impl Display for Signature {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "({})", List(&self.params))?;
        if self.results.is_empty() {
            return Ok(());
        }
        write!(f, " -> {}", List(&self.results))
    }
}

impl Display for Symbol {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:+}", self.base, self.offset)
    }
}

impl Display for Const {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Const::I32(value) => write!(f, "i32.const {value}"),
            Const::I64(value) => write!(f, "i64.const {value}"),
            Const::F32(bits) => write!(f, "f32.const {bits:#010x}"),
            Const::F64(bits) => write!(f, "f64.const {bits:#018x}"),
        }
    }
}

/// The callee as it follows `call` or `tail_call`.
impl Display for Callee {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Callee::Direct(func) => write!(f, " {func}"),
            Callee::Indirect { sig, table } => write!(f, "_indirect {sig} {table}"),
            Callee::Slot {
                sig,
                slot,
                given,
                numbers,
            } => {
                write!(f, "_slot {sig} {slot}")?;
                if let Some(Given { param, word }) = given {
                    write!(f, " given {param} {word}")?;
                }
                match numbers {
                    Numbers::Boxed => Ok(()),
                    Numbers::Bare => f.write_str(" bare"),
                }
            }
        }
    }
}

/// The operator with whatever is not an operand.
impl Display for Op {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Op::Const(value) => value.fmt(f),
            Op::Plain(plain) => f.write_str(plain.name()),
            Op::Select => f.write_str("select"),
            Op::Load { kind, offset } => access(f, kind.name(), *offset),
            Op::Store { kind, offset } => access(f, kind.name(), *offset),
            Op::Call(callee) => write!(f, "call{callee}"),
            Op::GlobalGet(global) => write!(f, "global.get {global}"),
            Op::GlobalSet(global) => write!(f, "global.set {global}"),
            Op::MemorySize => f.write_str("memory.size"),
            Op::MemoryGrow => f.write_str("memory.grow"),
            Op::MemoryCopy => f.write_str("memory.copy"),
            Op::MemoryFill => f.write_str("memory.fill"),
            Op::Beyond(beyond) => beyond.fmt(f),
            Op::SymbolAddress(symbol) => write!(f, "address {symbol}"),
            Op::Intrinsic(intrinsic) => f.write_str(intrinsic.name()),
        }
    }
}

/// As for memory 0, with the number of the memory.
impl Display for Beyond {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Beyond::Load {
                memory,
                kind,
                offset,
            } => access(f, &format!("{} memory={memory}", kind.name()), offset),
            Beyond::Store {
                memory,
                kind,
                offset,
            } => access(f, &format!("{} memory={memory}", kind.name()), offset),
            Beyond::Size(memory) => write!(f, "memory.size memory={memory}"),
            Beyond::Grow(memory) => write!(f, "memory.grow memory={memory}"),
            Beyond::Fill(memory) => write!(f, "memory.fill memory={memory}"),
            Beyond::Copy { to, from } => write!(f, "memory.copy memory={to} from={from}"),
        }
    }
}

fn access(f: &mut Formatter<'_>, name: &str, offset: u32) -> fmt::Result {
    if offset == 0 {
        f.write_str(name)
    } else {
        write!(f, "{name} offset={offset}")
    }
}

impl<S: Stage> Display for Function<S> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "function{} {{", self.signature)?;
        for (block, data) in &self.blocks {
            self.print_block(f, block, data)?;
        }
        writeln!(f, "}}")
    }
}

impl<S: Stage> Function<S> {
    fn print_block(
        &self,
        f: &mut Formatter<'_>,
        block: S::Block,
        data: &BlockData<S>,
    ) -> fmt::Result {
        let typed = |&value: &S::Value| format!("{value}: {}", self.value_type(value));
        let params: Vec<_> = data.params.iter().map(typed).collect();
        writeln!(f, "{block}({}):", List(&params))?;
        for inst in &data.insts {
            self.print_inst(f, inst)?;
        }
        writeln!(f, "    {}", data.term)
    }

    fn print_inst(&self, f: &mut Formatter<'_>, inst: &Inst<S>) -> fmt::Result {
        write!(f, "    ")?;
        if let Some(result) = inst.result {
            write!(f, "{result}: {} = ", self.value_type(result))?;
        }
        writeln!(f, "{}{}", inst.op, Operands(&inst.args))
    }
}

impl<S: Stage> Display for Target<S> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.block, List(&self.args))
    }
}

impl<S: Stage> Display for Terminator<S> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Terminator::Jump(target) => write!(f, "jump {target}"),
            Terminator::Branch {
                cond,
                then,
                otherwise,
            } => {
                write!(f, "branch {cond} ? {then} : {otherwise}")
            }
            Terminator::Switch {
                index,
                targets,
                default,
            } => {
                write!(f, "switch {index} [{}] default {default}", List(targets))
            }
            Terminator::Return(values) => write!(f, "return{}", Operands(values)),
            Terminator::TailCall { callee, args } => {
                write!(f, "tail_call{callee}{}", Operands(args))
            }
            Terminator::Unreachable => f.write_str("unreachable"),
        }
    }
}

/// Items separated by commas.
struct List<'a, T>(&'a [T]);

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, item) in self.0.iter().enumerate() {
            write!(f, "{}{item}", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// As a list, but set off from what stands before it.
struct Operands<'a, T>(&'a [T]);

impl<T: Display> Display for Operands<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            Ok(())
        } else {
            write!(f, " {}", List(self.0))
        }
    }
}
