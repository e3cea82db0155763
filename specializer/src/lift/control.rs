//! Control flow of the first step: labels become blocks when something first jumps to them.
//!
//! Invariant: at its start a block's operand stack is its parameters, all of them.

use wasmparser::{BlockType, BrTable};

use super::translate::{BlockLocals, Frame, Kind, Lifted, Translator, UNDERFLOW};
use super::{BlockPlaces, Reason};
use crate::ir::generic::{Block, BlockData, Target, Terminator, Value, Values};
use crate::ir::{Callee, Sig, Signature, Type};
use crate::module::value_type;
use crate::op::{OpType, Types};

impl Translator<'_, '_> {
    /// A block without contents whose parameters have these types.
    pub(super) fn new_block(&mut self, params: &[Type]) -> Block {
        let function = &mut self.draft.function;
        let params = params.iter().map(|&ty| function.new_value(ty)).collect();
        self.draft.locals.push(BlockLocals::default());
        self.draft.places.push(BlockPlaces::default());
        function.blocks.push(BlockData {
            params,
            ..BlockData::empty()
        })
    }

    pub(super) fn start(&mut self, block: Block) {
        self.current = Some(block);
        self.draft.places[block].start = self.offset;
        self.stack
            .clone_from(&self.draft.function.blocks[block].params);
    }

    /// Ends the current block; what follows is unreachable until a block starts.
    pub(super) fn finish(&mut self, term: Terminator) {
        let block = self.current.take().expect("a block ends once");
        self.draft.function.blocks[block].term = term;
        self.draft.places[block].end = self.offset;
        let contents = &mut self.contents;
        let end = |local: usize| (local, contents[local].take().expect("it was touched"));
        self.draft.locals[block].ends = self.touched.drain(..).map(end).collect();
    }

    fn block_type(&self, ty: BlockType) -> Lifted<Signature> {
        Ok(match ty {
            BlockType::Empty => Signature::default(),
            BlockType::Type(ty) => Signature {
                params: vec![],
                results: vec![value_type(ty).ok_or(Reason::Type {
                    what: "a block's result",
                    ty,
                })?],
            },
            BlockType::FuncType(sig) => {
                let signature = Types::signature(self.module, Sig(sig));
                signature.ok_or(Reason::Types)?.clone()
            }
        })
    }

    pub(super) fn open(&mut self, kind: Kind, ty: BlockType) -> Lifted {
        let Signature { params, results } = self.block_type(ty)?;
        let condition = if kind == Kind::If {
            Some(self.pop_all(&[Type::I32])?[0])
        } else {
            None
        };
        let args = self.pop_all(&params)?;
        let height = self.stack.len();
        self.stack.extend(args);
        let label = (kind == Kind::Loop).then(|| self.open_loop());
        let otherwise = condition.map(|condition| self.open_if(condition));
        let (params, results) = (params.into(), results.into());
        self.frames.push(Frame {
            kind,
            height,
            params,
            results,
            label,
            otherwise,
        });
        Ok(())
    }

    /// Enters the loop header.
    fn open_loop(&mut self) -> Block {
        let header = self.new_block(&self.stack_types());
        self.finish(Terminator::Jump(self.fall_through(header)));
        self.start(header);
        header
    }

    /// Enters the first arm; the result is the second.
    fn open_if(&mut self, cond: Value) -> Block {
        let types = self.stack_types();
        let (first, second) = (self.new_block(&types), self.new_block(&types));
        let (then, otherwise) = (self.fall_through(first), self.fall_through(second));
        self.finish(Terminator::Branch {
            cond,
            then,
            otherwise,
        });
        self.start(first);
        second
    }

    pub(super) fn otherwise(&mut self) -> Lifted {
        let block = self
            .frames
            .last_mut()
            .and_then(|frame| frame.otherwise.take());
        let block = block.ok_or(Reason::Invalid("`else` without `if`"))?;
        self.leave(0)?;
        self.start(block);
        Ok(())
    }

    /// `end`: control continues with whatever fell through and whatever branched to the label.
    pub(super) fn close(&mut self) -> Lifted {
        let frame = self
            .frames
            .last_mut()
            .ok_or(Reason::Invalid("`end` without a construct"))?;
        match frame.kind {
            Kind::Function => return self.close_function(),
            Kind::Loop => {}
            Kind::Block | Kind::If => {
                if let Some(block) = frame.otherwise.take() {
                    self.leave(0)?;
                    self.start(block);
                }
                if self
                    .frames
                    .last()
                    .is_some_and(|frame| frame.label.is_some())
                {
                    self.leave(0)?;
                }
            }
        }
        let frame = self.frames.pop().expect("it was there");
        match (frame.kind, frame.label) {
            (Kind::Block | Kind::If, Some(label)) => self.start(label),
            (Kind::Block | Kind::If, None) | (Kind::Loop | Kind::Function, _) => {}
        }
        if self.current.is_some() && self.stack.len() != frame.height + frame.results.len() {
            return Err(Reason::Invalid("a construct does not leave its results"));
        }
        Ok(())
    }

    /// The label of the function is reached by conditional branches only: others return at once.
    fn close_function(&mut self) -> Lifted {
        if self.current.is_some() {
            self.return_()?;
        }
        let frame = self.frames.pop().expect("the function's frame is the last");
        if let Some(label) = frame.label {
            self.start(label);
            let results = self.stack.drain(..).collect();
            self.finish(Terminator::Return(results));
        }
        Ok(())
    }

    /// If control gets here, it goes to the label `depth` constructs out.
    fn leave(&mut self, depth: u32) -> Lifted {
        if self.current.is_some() {
            let target = self.target(depth)?;
            self.finish(Terminator::Jump(target));
        }
        Ok(())
    }

    fn stack_types(&self) -> Vec<Type> {
        self.stack
            .iter()
            .map(|&value| self.draft.function.value_type(value))
            .collect()
    }

    /// A jump that keeps the stack.
    fn fall_through(&self, block: Block) -> Target {
        Target {
            block,
            args: self.stack.iter().copied().collect(),
        }
    }

    /// A jump to the label `depth` constructs out: the stack is cut to the label's height, below
    /// the values that the label takes.
    fn target(&mut self, depth: u32) -> Lifted<Target> {
        const LABEL: Reason = Reason::Invalid("a branch to a label that does not exist");
        let index = self
            .frames
            .len()
            .checked_sub(1 + depth as usize)
            .ok_or(LABEL)?;
        let frame = &self.frames[index];
        let carried = if frame.kind == Kind::Loop {
            &frame.params
        } else {
            &frame.results
        };
        let start = self
            .stack
            .len()
            .checked_sub(carried.len())
            .ok_or(UNDERFLOW)?;
        if start < frame.height {
            return Err(UNDERFLOW);
        }
        self.check(&self.stack[start..], carried)?;
        let args = self.stack[..frame.height]
            .iter()
            .chain(&self.stack[start..])
            .copied();
        let args: Values = args.collect();
        let block = match frame.label {
            Some(block) => block,
            None => {
                let types: Vec<_> = args
                    .iter()
                    .map(|&value| self.draft.function.value_type(value))
                    .collect();
                let block = self.new_block(&types);
                self.frames[index].label = Some(block);
                block
            }
        };
        Ok(Target { block, args })
    }

    pub(super) fn branch(&mut self, depth: u32) -> Lifted {
        if depth as usize + 1 == self.frames.len() {
            self.return_()
        } else {
            self.leave(depth)
        }
    }

    pub(super) fn branch_if(&mut self, depth: u32) -> Lifted {
        let cond = self.pop_all(&[Type::I32])?[0];
        let then = self.target(depth)?;
        let next = self.new_block(&self.stack_types());
        let otherwise = self.fall_through(next);
        self.finish(Terminator::Branch {
            cond,
            then,
            otherwise,
        });
        self.start(next);
        Ok(())
    }

    pub(super) fn switch(&mut self, table: &BrTable<'_>) -> Lifted {
        let index = self.pop_all(&[Type::I32])?[0];
        let mut targets = Vec::with_capacity(table.len() as usize);
        for depth in table.targets() {
            targets.push(self.target(depth?)?);
        }
        let default = self.target(table.default())?;
        self.finish(Terminator::Switch {
            index,
            targets,
            default,
        });
        Ok(())
    }

    pub(super) fn return_(&mut self) -> Lifted {
        let results = self.draft.function.signature.results.clone();
        let start = self
            .stack
            .len()
            .checked_sub(results.len())
            .ok_or(UNDERFLOW)?;
        self.check(&self.stack[start..], &results)?;
        let values = self.stack[start..].iter().copied().collect();
        self.finish(Terminator::Return(values));
        Ok(())
    }

    pub(super) fn tail_call(&mut self, callee: Callee) -> Lifted {
        let OpType { operands, result } = callee.ty(self.module).ok_or(Reason::Types)?;
        if result.as_slice() != self.draft.function.signature.results {
            return Err(Reason::Invalid(
                "a tail call returns another type than the function",
            ));
        }
        let args = self.pop_all(&operands)?;
        self.finish(Terminator::TailCall { callee, args });
        Ok(())
    }
}
