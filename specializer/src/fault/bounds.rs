//! Which integers are never negative, whatever the function is called with: an extension with sign
//! and one without do the same with them.

use std::collections::HashMap;

use crate::ir::residual::{Block, BlockData, Function, Inst, Value};
use crate::op::compare::is_comparison;
use crate::op::{Const, LoadKind, Op};

/// Upper bounds of 32-bit integers that are not negative.
pub struct Bounds(HashMap<Value, i32>);

impl Bounds {
    /// Those of a function. A parameter has the largest bound of what is given to it, once all of
    /// that has one: so what a loop changes has none.
    pub fn new(function: &Function) -> Self {
        let mut bounds = Self(HashMap::new());
        loop {
            let known = bounds.0.len();
            for (id, block) in &function.blocks {
                if id != Block::ENTRY {
                    bounds.params(function, id, block);
                }
                for inst in &block.insts {
                    let bound = bounds.of(inst);
                    bounds.0.extend(inst.result.zip(bound));
                }
            }
            if bounds.0.len() == known {
                return bounds;
            }
        }
    }

    pub fn has(&self, value: Value) -> bool {
        self.0.contains_key(&value)
    }

    fn params(&mut self, function: &Function, id: Block, block: &BlockData) {
        for (index, &param) in block.params.iter().enumerate() {
            let blocks = function.blocks.values();
            let targets = blocks.flat_map(|block| block.term.targets());
            let given = targets.filter(|target| target.block == id);
            let given = given.map(|target| target.args[index]);
            let bounds = given.filter(|&arg| arg != param);
            let bounds: Option<Vec<i32>> = bounds.map(|arg| self.0.get(&arg).copied()).collect();
            let bound = bounds.and_then(|bounds| bounds.into_iter().max());
            self.0.extend(bound.map(|bound| (param, bound)));
        }
    }

    fn of(&self, inst: &Inst) -> Option<i32> {
        let bound = |index: usize| self.0.get(&inst.args[index]).copied();
        match inst.op {
            Op::Const(Const::I32(value)) => (value >= 0).then_some(value),
            Op::I32And => bound(0).into_iter().chain(bound(1)).min(),
            Op::I32Add | Op::I32Or | Op::I32Xor => bound(0)?.checked_add(bound(1)?),
            Op::Select => Some(bound(0)?.max(bound(1)?)),
            Op::I32Mul => bound(0)?.checked_mul(bound(1)?),
            Op::I32ShrU | Op::I32ShrS => bound(0),
            Op::Load { kind, .. } => match kind {
                LoadKind::I32Load8U => Some(0xff),
                LoadKind::I32Load16U => Some(0xffff),
                _ => None,
            },
            op => is_comparison(op).then_some(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_masked_is_not_negative() {
        let function = crate::text::parse(
            "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i32 = i32.const 7
    v3: i32 = i32.and v0, v2
    v4: i32 = i32.mul v3, v2
    v5: i32 = i32.mul v0, v2
    branch v0 ? bb1(v3, v0) : bb1(v4, v2)
bb1(v6: i32, v7: i32):
    v8: i32 = i32.add v6, v3
    jump bb2(v8)
bb2(v9: i32):
    v10: i32 = i32.add v9, v2
    branch v9 ? bb2(v10) : bb3()
bb3():
    return v1
}
",
        );
        let bounds = Bounds::new(&function.expect("the test's function parses"));
        let has = (0..11).map(|value| bounds.has(Value(value)));
        let has: Vec<u32> = (0..)
            .zip(has)
            .filter(|(_, has)| *has)
            .map(|(v, _)| v)
            .collect();
        assert_eq!(has, [2, 3, 4, 6, 8]);
    }
}
