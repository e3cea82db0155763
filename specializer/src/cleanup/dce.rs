//! Removes instructions and block parameters that nothing observable depends on.
//!
//! Marks backwards from what must stay: effects, conditions, results. So parameters that only feed
//! each other go as well. Leaves out stores that are overwritten.

use smallvec::SmallVec;

use super::params::retain_params;
use crate::dominators::Order;
use crate::index::Map;
use crate::ir::residual::{Block, Function, Target, Value};

pub fn run(function: &mut Function) {
    let order = Order::new(function);
    let live = Marking::new(function, &order).run();
    for &block in &order.blocks {
        function.blocks[block].insts.retain(|inst| {
            let used = inst.result.is_some_and(|result| live[result]);
            used || !inst.op.effect().removable()
        });
    }
    let mut shrinks = Map::filled_like(&function.blocks, true);
    shrinks[Block::ENTRY] = false;
    retain_params(function, &order, &shrinks, |param| live[param]);
}

#[derive(Clone, Copy)]
enum Source {
    Inst(Block, u32),
    Param(Block, u32),
}

struct Marking<'f> {
    function: &'f Function,
    order: &'f Order,
    /// By block: the targets that lead to it.
    edges: Map<Block, SmallVec<[&'f Target; 2]>>,
    source: Map<Value, Option<Source>>,
    live: Map<Value, bool>,
    pending: Vec<Value>,
}

impl<'f> Marking<'f> {
    fn new(function: &'f Function, order: &'f Order) -> Self {
        let mut source = Map::filled_like(&function.types, None);
        let mut edges = Map::filled_like(&function.blocks, SmallVec::new());
        for &block in &order.blocks {
            let data = &function.blocks[block];
            for target in data.term.targets() {
                edges[target.block].push(target);
            }
            for (index, param) in data.params.iter().enumerate() {
                source[*param] = Some(Source::Param(block, index as u32));
            }
            for (index, inst) in data.insts.iter().enumerate() {
                if let Some(result) = inst.result {
                    source[result] = Some(Source::Inst(block, index as u32));
                }
            }
        }
        let live = Map::filled_like(&function.types, false);
        Self {
            function,
            order,
            edges,
            source,
            live,
            pending: Vec::new(),
        }
    }

    fn run(mut self) -> Map<Value, bool> {
        let function = self.function;
        for &block in &self.order.blocks {
            let data = &function.blocks[block];
            for inst in data
                .insts
                .iter()
                .filter(|inst| !inst.op.effect().removable())
            {
                inst.args.iter().for_each(|&arg| self.mark(arg));
            }
            data.term
                .own_operands()
                .iter()
                .for_each(|&arg| self.mark(arg));
        }
        while let Some(value) = self.pending.pop() {
            match self.source[value].expect("an operand is defined in a reachable block") {
                Source::Inst(block, index) => {
                    let inst = &function.blocks[block].insts[index as usize];
                    inst.args.iter().for_each(|&arg| self.mark(arg));
                }
                Source::Param(block, index) => {
                    for edge in 0..self.edges[block].len() {
                        self.mark(self.edges[block][edge].args[index as usize]);
                    }
                }
            }
        }
        self.live
    }

    fn mark(&mut self, value: Value) {
        if !std::mem::replace(&mut self.live[value], true) {
            self.pending.push(value);
        }
    }
}
