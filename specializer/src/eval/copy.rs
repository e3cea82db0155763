//! Copies a generic function into a residual one, at the place that is being written.
//!
//! The copy is not evaluated: what it does is left as it is. Its blocks are new ones, and writing
//! goes on in a block that all its returns lead to.

use super::write::Writer;
use crate::index::Map;
use crate::ir::{Generic, Naming, Residual, Terminator, generic, residual};

/// Writes `body`, which has one result and only jumps, branches and returns, with these arguments;
/// the result.
pub fn run(
    writer: &mut Writer,
    body: &generic::Function,
    args: &[residual::Value],
) -> residual::Value {
    let after = writer.new_block();
    let result = writer.function.new_value(body.signature.results[0]);
    writer.function.blocks[after].params.push(result);
    let mut copy = Copied {
        writer,
        body,
        values: Map::filled_like(&body.types, None),
        blocks: Map::filled_like(&body.blocks, None),
    };
    for (&param, &arg) in body.blocks[generic::Block::ENTRY].params.iter().zip(args) {
        copy.values[param] = Some(arg);
    }
    for (block, data) in body.blocks.iter() {
        if block != generic::Block::ENTRY {
            let target = copy.block(block);
            copy.writer.go_on(target);
        }
        copy.insts(data);
        let term = match &data.term {
            Terminator::Return(values) => Terminator::Jump(residual::Target {
                block: after,
                args: copy.values(values),
            }),
            Terminator::Switch { .. } | Terminator::TailCall { .. } => {
                unreachable!("bodies with these are not copied")
            }
            term => copy.terminator(term),
        };
        copy.writer.end(term);
    }
    copy.writer.go_on(after);
    result
}

struct Copied<'a, 'w> {
    writer: &'a mut Writer<'w>,
    body: &'a generic::Function,
    values: Map<generic::Value, Option<residual::Value>>,
    blocks: Map<generic::Block, Option<residual::Block>>,
}

impl Copied<'_, '_> {
    fn insts(&mut self, data: &generic::BlockData) {
        for inst in &data.insts {
            let args = self.values(&inst.args);
            let ty = inst.result.map(|result| self.body.value_type(result));
            let value = self.writer.inst(inst.op, args, ty);
            if let Some(result) = inst.result {
                self.values[result] = value;
            }
        }
    }
}

impl Naming<Generic, Residual> for Copied<'_, '_> {
    /// Of a block other than the entry; makes it, with its parameters.
    fn block(&mut self, block: generic::Block) -> residual::Block {
        if let Some(block) = self.blocks[block] {
            return block;
        }
        let copy = self.writer.new_block();
        self.blocks[block] = Some(copy);
        for &param in &self.body.blocks[block].params {
            let value = self.writer.function.new_value(self.body.value_type(param));
            self.writer.function.blocks[copy].params.push(value);
            self.values[param] = Some(value);
        }
        copy
    }

    fn value(&mut self, value: generic::Value) -> residual::Value {
        self.values[value].expect("generic functions are in maximal SSA, blocks in order")
    }
}
