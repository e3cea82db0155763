//! Wrong floats in boxes: those that are made, and those whose payload goes on into a join.

use super::{Place, Sites};
use crate::index::Map;
use crate::ir::Type;
use crate::ir::residual::{Function, Value};
use crate::op::Op;

/// Takes the nearest other float of the block for one that is stored or handed on to a block.
pub fn change(function: &mut Function, mut place: Place) -> Sites {
    let types = &function.types;
    let mut params = Map::filled_like(&function.blocks, Vec::new());
    for (id, block) in &function.blocks {
        params[id] = block.params.clone();
    }
    for (id, block) in &mut function.blocks {
        let mut floats = Floats::default();
        floats.extend(types, block.params.iter().copied());
        for (index, inst) in block.insts.iter_mut().enumerate() {
            if let Op::Store { .. } = inst.op
                && let Some(other) = floats.instead_of(inst.args[1])
                && place.here()
            {
                let payload = std::mem::replace(&mut inst.args[1], other);
                return Sites::inst(id, index).unless_same(payload, other);
            }
            floats.extend(types, inst.result);
        }
        for (edge, target) in block.term.targets_mut().enumerate() {
            for (arg, &param) in target.args.iter_mut().zip(&params[target.block]) {
                if let Some(other) = floats.instead_of(*arg)
                    && place.here()
                {
                    let payload = std::mem::replace(arg, other);
                    return Sites::edge(id, edge)
                        .with_values(vec![param])
                        .unless_same(payload, other);
                }
            }
        }
    }
    Sites::none()
}

/// The floats of a block that are defined so far.
#[derive(Default)]
struct Floats(Vec<Value>);

impl Floats {
    /// Adds those of the values that are floats.
    fn extend(&mut self, types: &Map<Value, Type>, values: impl IntoIterator<Item = Value>) {
        let floats = values.into_iter();
        self.0
            .extend(floats.filter(|&value| types[value] == Type::F64));
    }

    /// The last float but `value`, if that is one.
    fn instead_of(&self, value: Value) -> Option<Value> {
        let is_float = self.0.contains(&value);
        let mut others = self.0.iter().rev().filter(|&&other| other != value);
        others.next().copied().filter(|_| is_float)
    }
}
