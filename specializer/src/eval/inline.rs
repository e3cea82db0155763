//! Copies a generic function into a residual one, at the place that is being written.
//!
//! The copy is not evaluated: what it does is left as it is. Its blocks are new ones, and writing
//! goes on in a block that all its returns lead to.

use super::write::Writer;
use crate::index::Map;
use crate::ir::{Terminator, generic, residual};

/// Writes `body`, which has one result and only jumps, branches and returns, with these arguments;
/// the result.
pub fn run(
    writer: &mut Writer,
    body: &generic::Function,
    args: &[residual::Value],
) -> residual::Value {
    let mut copy = Copy {
        writer,
        values: Map::filled(None, body.types.len()),
        blocks: Map::filled(None, body.blocks.len()),
    };
    let after = copy.writer.new_block();
    let result = copy.writer.function.new_value(body_result(body));
    copy.writer.function.blocks[after].params.push(result);
    for (&param, &arg) in body.blocks[generic::Block::ENTRY].params.iter().zip(args) {
        copy.values[param] = Some(arg);
    }
    for (block, data) in body.blocks.iter() {
        if block != generic::Block::ENTRY {
            let target = copy.block(body, block);
            copy.writer.go_on(target);
        }
        copy.insts(body, data);
        let term = copy.terminator(body, &data.term, after);
        copy.writer.end(term);
    }
    copy.writer.go_on(after);
    result
}

fn body_result(body: &generic::Function) -> crate::ir::Type {
    body.signature.results[0]
}

struct Copy<'a, 'w> {
    writer: &'a mut Writer<'w>,
    values: Map<generic::Value, Option<residual::Value>>,
    blocks: Map<generic::Block, Option<residual::Block>>,
}

impl Copy<'_, '_> {
    /// The copy of a block other than the entry, with its parameters.
    fn block(&mut self, body: &generic::Function, block: generic::Block) -> residual::Block {
        if let Some(block) = self.blocks[block] {
            return block;
        }
        let copy = self.writer.new_block();
        self.blocks[block] = Some(copy);
        for &param in &body.blocks[block].params {
            let value = self.writer.function.new_value(body.value_type(param));
            self.writer.function.blocks[copy].params.push(value);
            self.values[param] = Some(value);
        }
        copy
    }

    fn insts(&mut self, body: &generic::Function, data: &generic::BlockData) {
        for inst in &data.insts {
            let args = self.names(&inst.args);
            let ty = inst.result.map(|result| body.value_type(result));
            let value = self.writer.inst(inst.op, args, ty);
            if let Some(result) = inst.result {
                self.values[result] = value;
            }
        }
    }

    fn names(&self, values: &[generic::Value]) -> residual::Values {
        let name = |&value: &generic::Value| {
            self.values[value].expect("generic functions are in maximal SSA, blocks in order")
        };
        values.iter().map(name).collect()
    }

    fn target(&mut self, body: &generic::Function, target: &generic::Target) -> residual::Target {
        residual::Target {
            block: self.block(body, target.block),
            args: self.names(&target.args),
        }
    }

    fn terminator(
        &mut self,
        body: &generic::Function,
        term: &generic::Terminator,
        after: residual::Block,
    ) -> residual::Terminator {
        match term {
            Terminator::Jump(target) => Terminator::Jump(self.target(body, target)),
            Terminator::Branch {
                cond,
                then,
                otherwise,
            } => Terminator::Branch {
                cond: self.names(&[*cond])[0],
                then: self.target(body, then),
                otherwise: self.target(body, otherwise),
            },
            Terminator::Return(values) => Terminator::Jump(residual::Target {
                block: after,
                args: self.names(values),
            }),
            Terminator::Unreachable => Terminator::Unreachable,
            Terminator::Switch { .. } | Terminator::TailCall { .. } => {
                unreachable!("bodies with these are not copied")
            }
        }
    }
}
