//! Parses what [`super::print`] prints.
//!
//! Line breaks end operand lists and mean nothing otherwise; `;` starts a comment. Values may be
//! numbered as one likes, blocks are numbered in order. Checks syntax only: [`crate::verify`] does
//! the rest.

use std::collections::HashMap;

use super::lex::{ParseError, Token, Tokens};
use crate::index::{Id, Map};
use crate::ir::{
    Base, BlockData, Callee, Func, Function, Given, Global, Inst, Numbers, Parameter, Sig,
    Signature, Stage, Symbol, Table, Target, Terminator, Type, Values,
};
use crate::op::{Beyond, Const, Intrinsic, LoadKind, Op, Plain, StoreKind};

type Parsed<T> = Result<T, ParseError>;

/// Parses one function of the stage.
pub fn function<S: Stage>(input: &str) -> Parsed<Function<S>> {
    let mut parser = Parser::new(input)?;
    let function = parser.function()?;
    parser.tokens.end()?;
    Ok(function)
}

struct Parser<'t, S: Stage> {
    tokens: Tokens<'t>,
    /// Operators that are a name and nothing else, or a name and an offset.
    names: HashMap<&'static str, Op>,
    value_prefix: String,
    types: Map<S::Value, Type>,
    blocks: Map<S::Block, BlockData<S>>,
}

/// Every operator whose text is its name (for accesses: with offset 0).
fn names() -> HashMap<&'static str, Op> {
    let plain = Plain::ALL.iter().map(|&op| (op.name(), Op::Plain(op)));
    let loads = LoadKind::ALL
        .iter()
        .map(|&kind| (kind.name(), Op::Load { kind, offset: 0 }));
    let stores = StoreKind::ALL
        .iter()
        .map(|&kind| (kind.name(), Op::Store { kind, offset: 0 }));
    let intrinsics = Intrinsic::ALL
        .iter()
        .map(|&op| (op.name(), Op::Intrinsic(op)));
    let others = [
        ("select", Op::Select),
        ("memory.size", Op::MemorySize),
        ("memory.grow", Op::MemoryGrow),
        ("memory.copy", Op::MemoryCopy),
        ("memory.fill", Op::MemoryFill),
    ];
    plain
        .chain(loads)
        .chain(stores)
        .chain(intrinsics)
        .chain(others)
        .collect()
}

/// Functions, blocks and jumps.
impl<'t, S: Stage> Parser<'t, S> {
    fn new(input: &'t str) -> Parsed<Self> {
        let zero = S::Value::new(0).to_string();
        Ok(Self {
            tokens: Tokens::new(input),
            names: names(),
            value_prefix: zero.trim_end_matches('0').to_owned(),
            types: Map::default(),
            blocks: Map::default(),
        })
    }

    fn function(&mut self) -> Parsed<Function<S>> {
        self.tokens.keyword("function")?;
        self.tokens.expect("(")?;
        let params = self.list(")", Self::ty)?;
        let results = if self.tokens.eat("->") {
            vec![self.ty()?]
        } else {
            vec![]
        };
        self.tokens.expect("{")?;
        while !self.tokens.eat("}") {
            let block = self.block()?;
            self.blocks.push(block);
        }
        let signature = Signature { params, results };
        let (blocks, types) = (
            std::mem::take(&mut self.blocks),
            std::mem::take(&mut self.types),
        );
        Ok(Function {
            signature,
            blocks,
            types,
        })
    }

    fn block(&mut self) -> Parsed<BlockData<S>> {
        if self.label()? != self.blocks.next_key() {
            return Err(self.tokens.error("blocks are numbered in order"));
        }
        self.tokens.expect("(")?;
        let params = self.list(")", Self::definition)?;
        self.tokens.expect(":")?;
        let mut insts = Vec::new();
        loop {
            if let Some(term) = self.terminator()? {
                return Ok(BlockData {
                    params,
                    insts,
                    term,
                });
            }
            insts.push(self.inst()?);
        }
    }

    /// The terminator, if one comes next.
    fn terminator(&mut self) -> Parsed<Option<Terminator<S>>> {
        let Some(Token { text, .. }) = self.tokens.peek() else {
            return Err(self.tokens.error("a block ends with a terminator"));
        };
        let term = match text {
            "jump" | "branch" | "switch" | "return" | "unreachable" | "tail_call"
            | "tail_call_indirect" | "tail_call_slot" => text,
            _ => return Ok(None),
        };
        self.tokens.next();
        Ok(Some(match term {
            "jump" => Terminator::Jump(self.target()?),
            "branch" => self.branch()?,
            "switch" => self.switch()?,
            "return" => Terminator::Return(self.operands()?),
            "unreachable" => Terminator::Unreachable,
            call => Terminator::TailCall {
                callee: self.callee(call.trim_start_matches("tail_"))?,
                args: self.operands()?,
            },
        }))
    }

    fn branch(&mut self) -> Parsed<Terminator<S>> {
        let cond = self.value()?;
        self.tokens.expect("?")?;
        let then = self.target()?;
        self.tokens.expect(":")?;
        Ok(Terminator::Branch {
            cond,
            then,
            otherwise: self.target()?,
        })
    }

    fn switch(&mut self) -> Parsed<Terminator<S>> {
        let index = self.value()?;
        self.tokens.expect("[")?;
        let targets = self.list("]", Self::target)?;
        self.tokens.keyword("default")?;
        Ok(Terminator::Switch {
            index,
            targets,
            default: self.target()?,
        })
    }

    fn target(&mut self) -> Parsed<Target<S>> {
        let block = self.label()?;
        self.tokens.expect("(")?;
        Ok(Target {
            block,
            args: self.list(")", Self::value)?.into(),
        })
    }

    fn label(&mut self) -> Parsed<S::Block> {
        Ok(S::Block::new(self.index("bb")? as usize))
    }

    /// Items separated by commas up to `close`.
    fn list<T>(&mut self, close: &str, item: fn(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        if self.tokens.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.tokens.eat(close) {
                return Ok(items);
            }
            self.tokens.expect(",")?;
        }
    }
}

/// Instructions and what they consist of.
impl<S: Stage> Parser<'_, S> {
    fn inst(&mut self) -> Parsed<Inst<S>> {
        let result = if self.at_value() {
            let value = self.definition()?;
            self.tokens.expect("=")?;
            Some(value)
        } else {
            None
        };
        Ok(Inst {
            op: self.op()?,
            args: self.operands()?,
            result,
        })
    }

    fn op(&mut self) -> Parsed<Op> {
        let word = self.tokens.word()?;
        match self.names.get(word).copied() {
            Some(op) if self.tokens.eat("memory") => {
                let memory = self.assigned()?;
                return self.beyond(op, memory);
            }
            Some(Op::Load { kind, .. }) => {
                return Ok(Op::Load {
                    kind,
                    offset: self.offset()?,
                });
            }
            Some(Op::Store { kind, .. }) => {
                return Ok(Op::Store {
                    kind,
                    offset: self.offset()?,
                });
            }
            Some(op) => return Ok(op),
            None => {}
        }
        Ok(match word {
            "i32.const" => Op::Const(Const::I32(self.number(str::parse)?)),
            "i64.const" => Op::Const(Const::I64(self.number(str::parse)?)),
            "f32.const" => Op::Const(Const::F32(
                self.number(|word| hex(word).map(|bits| bits as u32))?,
            )),
            "f64.const" => Op::Const(Const::F64(self.number(hex)?)),
            "global.get" => Op::GlobalGet(Global(self.index("global")?)),
            "global.set" => Op::GlobalSet(Global(self.index("global")?)),
            "address" => Op::SymbolAddress(self.symbol()?),
            _ => Op::Call(self.callee(word)?),
        })
    }

    /// The same operator for another memory than the first.
    fn beyond(&mut self, op: Op, memory: u32) -> Parsed<Op> {
        Ok(Op::Beyond(match op {
            Op::Load { kind, .. } => Beyond::Load {
                memory,
                kind,
                offset: self.offset()?,
            },
            Op::Store { kind, .. } => Beyond::Store {
                memory,
                kind,
                offset: self.offset()?,
            },
            Op::MemorySize => Beyond::Size(memory),
            Op::MemoryGrow => Beyond::Grow(memory),
            Op::MemoryFill => Beyond::Fill(memory),
            Op::MemoryCopy => {
                self.tokens.expect("from")?;
                let from = self.assigned()?;
                Beyond::Copy { to: memory, from }
            }
            _ => return Err(self.tokens.error("an operator that reaches no memory")),
        }))
    }

    fn callee(&mut self, word: &str) -> Parsed<Callee> {
        Ok(match word {
            "call" => Callee::Direct(Func(self.index("fn")?)),
            "call_indirect" => Callee::Indirect {
                sig: Sig(self.index("sig")?),
                table: Table(self.index("t")?),
            },
            "call_slot" => Callee::Slot {
                sig: Sig(self.index("sig")?),
                slot: self.symbol()?,
                given: self.given()?,
                numbers: match self.tokens.eat("bare") {
                    true => Numbers::Bare,
                    false => Numbers::Boxed,
                },
            },
            _ => return Err(self.tokens.error(&format!("unknown operator `{word}`"))),
        })
    }

    fn given(&mut self) -> Parsed<Option<Given>> {
        if !self.tokens.eat("given") {
            return Ok(None);
        }
        let (param, word) = (Parameter(self.index("param")?), self.symbol()?);
        Ok(Some(Given { param, word }))
    }

    fn offset(&mut self) -> Parsed<u32> {
        if !self.tokens.eat("offset") {
            return Ok(0);
        }
        self.assigned()
    }

    /// The number behind `=`.
    fn assigned(&mut self) -> Parsed<u32> {
        self.tokens.expect("=")?;
        self.number(str::parse)
    }

    /// Values on the line of what came before.
    fn operands(&mut self) -> Parsed<Values<S>> {
        let mut values = Values::<S>::new();
        if self.tokens.at_line_start() || !self.at_value() {
            return Ok(values);
        }
        loop {
            values.push(self.value()?);
            if !self.tokens.eat(",") {
                return Ok(values);
            }
        }
    }

    fn at_value(&self) -> bool {
        let digits = self
            .tokens
            .peek()
            .and_then(|token| token.text.strip_prefix(&self.value_prefix[..]));
        digits.is_some_and(|digits| digits.parse::<u32>().is_ok())
    }

    fn value(&mut self) -> Parsed<S::Value> {
        let prefix = self.value_prefix.clone();
        Ok(S::Value::new(self.index(&prefix)? as usize))
    }

    /// A value with its type.
    fn definition(&mut self) -> Parsed<S::Value> {
        /// Values are numbered densely enough to be an index.
        const MOST: usize = 1 << 24;
        let value = self.value()?;
        if value.index() >= MOST {
            return Err(self.tokens.error("too large a number for a value"));
        }
        self.tokens.expect(":")?;
        let ty = self.ty()?;
        while self.types.len() <= value.index() {
            self.types.push(Type::I32);
        }
        self.types[value] = ty;
        Ok(value)
    }

    fn ty(&mut self) -> Parsed<Type> {
        match self.tokens.word()? {
            "i32" => Ok(Type::I32),
            "i64" => Ok(Type::I64),
            "f32" => Ok(Type::F32),
            "f64" => Ok(Type::F64),
            other => Err(self.tokens.error(&format!("`{other}` is no type"))),
        }
    }

    /// `base0+8` or `base0-8`.
    fn symbol(&mut self) -> Parsed<Symbol> {
        let word = self.tokens.word()?;
        let parse = || {
            let (base, offset) = word
                .strip_prefix("base")?
                .split_at_checked(word.find(['+', '-'])? - 4)?;
            Some(Symbol {
                base: Base(base.parse().ok()?),
                offset: offset.parse().ok()?,
            })
        };
        parse().ok_or_else(|| self.tokens.error(&format!("`{word}` is no symbol")))
    }

    /// An index printed with this prefix.
    fn index(&mut self, prefix: &str) -> Parsed<u32> {
        let word = self.tokens.word()?;
        let number = word
            .strip_prefix(prefix)
            .and_then(|digits| digits.parse().ok());
        number.ok_or_else(|| {
            self.tokens
                .error(&format!("`{word}` is not {prefix} and a number"))
        })
    }

    fn number<T, E>(&mut self, parse: impl FnOnce(&str) -> Result<T, E>) -> Parsed<T> {
        let word = self.tokens.word()?;
        parse(word).map_err(|_| {
            self.tokens
                .error(&format!("`{word}` is no number that fits here"))
        })
    }
}

fn hex(word: &str) -> Result<u64, std::num::ParseIntError> {
    u64::from_str_radix(word.trim_start_matches("0x"), 16)
}
