//! Loop unswitching: a short loop whose rounds ask again what cannot change gets versions in which
//! that is decided.
//!
//! An interpreter asks each value and each array what it is, and in a loop it is the same each
//! time. Where one answer ends the loop, a copy of the first round decides it for all others
//! ([`super::peel`]). Where rounds go on with either, this asks before the loop, once:
//!
//! ```text
//! gate:  branch is_usual ? head' : head
//! head:  … branch is_usual ? a : b        head':  … jump a'
//! ```
//!
//! There is a version for the answer with which a round has nothing further to ask, and one for the
//! other. Each may ask further what the answer leaves open: of an array whether it has words, and
//! if not whether it has bytes. Where more than two things are asked that do not depend on each
//! other, one version is for the usual answers to all, one for the others, and the loop as it was
//! for some of these and some of those.
//!
//! Leaves out loops with loops within them, and loops that call: there, the question costs little.

#[cfg(test)]
mod tests;

use super::compact::empty_unreached;
use super::copies::{self, Copies};
use super::separate;
use crate::dominators::{Dominators, Order};
use crate::hash::{FastMap, FastSet};
use crate::ir::residual::{Block, BlockData, Function, Inst, Target, Terminator, Value, Values};
use crate::op::{Effect, Op};

/// Most questions that are decided in a loop.
const MOST_QUESTIONS: usize = 8;

/// Most loops of a function that would be copied: whether they can be takes a look at all of it.
const MOST_LOOPS: usize = 64;

/// Most things that are decided one by one, with a version for each combination of answers.
const MOST_SINGLE: usize = 2;

/// How often a version of a loop gets versions in turn.
const MOST_TURNS: usize = 1;

pub fn run(function: &mut Function) {
    let mut order = Order::new(function);
    let heads = order.blocks.iter().rev().copied();
    let heads = heads.filter(|&block| block != Block::ENTRY && order.begins_loop(block));
    let mut waiting: Vec<(Block, usize)> = heads.map(|head| (head, 0)).collect();
    if waiting.is_empty() {
        return;
    }
    let mut dominators = Dominators::new(function, &order);
    let mut looked_at = 0;
    while let Some((head, turn)) = waiting.pop() {
        let Some(mut found) = Loop::new(function, &order, &dominators, head) else {
            continue;
        };
        if looked_at == MOST_LOOPS {
            break;
        }
        looked_at += 1;
        if !copies::are_needed_little(function, &order, &found.blocks) {
            continue;
        }
        if found.questions.len() <= MOST_SINGLE {
            found.questions.truncate(1);
        }
        let mut versions = vec![found.unswitch(function, &mut order, Answers::Usual)];
        if found.questions.len() == 1 {
            versions.push(head);
        } else if copies::are_needed_little(function, &order, &found.blocks) {
            versions.push(found.unswitch(function, &mut order, Answers::Others));
        }
        if turn < MOST_TURNS {
            waiting.extend(versions.iter().map(|&head| (head, turn + 1)));
        }
        dominators = Dominators::new(function, &order);
    }
}

/// A loop, and what its rounds ask.
struct Loop {
    /// The head first.
    blocks: Vec<Block>,
    unchanging: Unchanging,
    questions: Vec<Question>,
}

/// A condition that is the same in all rounds, and whether it usually holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Question {
    condition: Value,
    holds: bool,
}

/// What a version of the loop is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Answers {
    Usual,
    Others,
}

impl Question {
    /// Whether the condition holds with these answers.
    fn holds(self, answers: Answers) -> bool {
        self.holds == (answers == Answers::Usual)
    }
}

impl Loop {
    /// Nothing if this one is to stay as it is.
    fn new(
        function: &Function,
        order: &Order,
        dominators: &Dominators,
        head: Block,
    ) -> Option<Self> {
        let mut blocks = copies::short_loop(function, order, dominators, head)?;
        blocks.sort_unstable_by_key(|&block| order.number[block]);
        let datas = || blocks.iter().map(|&block| &function.blocks[block]);
        if datas().any(separate::calls) {
            return None;
        }
        let unchanging = Unchanging::new(datas());
        let mut questions: Vec<Question> = Vec::new();
        // Where rounds go on that have got an unusual answer: what they ask there comes later.
        let mut unusual: Vec<Block> = Vec::new();
        for &block in &blocks {
            let Terminator::Branch {
                cond,
                then,
                otherwise,
            } = &function.blocks[block].term
            else {
                continue;
            };
            let stays = |target: &Target| blocks.contains(&target.block);
            let Some(condition) = unchanging.name(*cond) else {
                continue;
            };
            let is_behind = |&place: &Block| dominators.dominates(place, block);
            if !stays(then) || !stays(otherwise) || unusual.iter().any(is_behind) {
                continue;
            }
            let known = questions.iter().find(|known| known.condition == condition);
            let question = known.copied().unwrap_or_else(|| {
                let asks = [then, otherwise].map(|target| asks(&function.blocks[target.block]));
                let holds = asks != [true, false];
                questions.push(Question { condition, holds });
                questions[questions.len() - 1]
            });
            let other = if question.holds { otherwise } else { then };
            if order.preds.of(other.block).len() == 1 {
                unusual.push(other.block);
            }
        }
        questions.truncate(MOST_QUESTIONS);
        (!questions.is_empty()).then_some(Self {
            blocks,
            unchanging,
            questions,
        })
    }

    /// Adds the version for these answers: where it begins. `order` is the function's, before and
    /// after.
    fn unswitch(&self, function: &mut Function, order: &mut Order, answers: Answers) -> Block {
        let head = self.blocks[0];
        let copies = Copies::new(function, &self.blocks);
        let gate = self.gate(function, copies.of(head), answers);
        copies::enter(function, order, &self.blocks, gate);
        for &block in &self.blocks {
            let Terminator::Branch { cond, .. } = function.blocks[block].term else {
                continue;
            };
            self.decide(cond, answers, &mut function.blocks[copies.of(block)]);
            // The loop as it was is there for the other answer then.
            if self.questions.len() == 1 {
                self.decide(cond, Answers::Others, &mut function.blocks[block]);
            }
        }
        *order = Order::new(function);
        empty_unreached(function, order);
        copies.mend(function, order);
        copies.of(head)
    }

    /// Has a block of a version go where the question leads that `cond` is in the loop as it was.
    fn decide(&self, cond: Value, answers: Answers, data: &mut BlockData) {
        let condition = self.unchanging.name(cond);
        let mut questions = self.questions.iter();
        let Some(question) = questions.find(|question| Some(question.condition) == condition)
        else {
            return;
        };
        if let Terminator::Branch {
            then, otherwise, ..
        } = &data.term
        {
            let target = match question.holds(answers) {
                true => then,
                false => otherwise,
            };
            data.term = Terminator::Jump(target.clone());
        }
    }

    /// New blocks that ask all questions: the first of them, with the parameters of the head. They
    /// lead to `version` with these answers, or else to the head.
    fn gate(&self, function: &mut Function, version: Block, answers: Answers) -> Block {
        let head = self.blocks[0];
        let params = copies::params_like(function, head);
        let to = |block| Target {
            block,
            args: params.iter().copied().collect(),
        };
        let conditions = self.questions.iter().map(|question| question.condition);
        let conditions: Vec<Value> = conditions.collect();
        let (insts, conditions) = self.unchanging.compute(function, &conditions);
        let mut next = to(version);
        for (question, cond) in self.questions.iter().zip(conditions).rev() {
            let (then, otherwise) = match question.holds(answers) {
                true => (next, to(head)),
                false => (to(head), next),
            };
            let gate = function.blocks.push(BlockData {
                params: Vec::new(),
                insts: Vec::new(),
                term: Terminator::Branch {
                    cond,
                    then,
                    otherwise,
                },
            });
            next = Target {
                block: gate,
                args: Values::new(),
            };
        }
        let gate = &mut function.blocks[next.block];
        gate.insts = insts;
        gate.params = params;
        next.block
    }
}

/// What is the same in all rounds of a loop.
struct Unchanging {
    defined: FastSet<Value>,
    /// What the loop computes of what is the same, in this order: each once, under one name.
    insts: Vec<Inst>,
    names: FastMap<Value, Value>,
}

impl Unchanging {
    /// Of the loop of these blocks, in the order of their evaluation.
    fn new<'f>(blocks: impl Iterator<Item = &'f BlockData> + Clone) -> Self {
        let mut unchanging = Self {
            defined: blocks.clone().flat_map(BlockData::defined).collect(),
            insts: Vec::new(),
            names: FastMap::default(),
        };
        let mut known: FastMap<(Op, Values), Value> = FastMap::default();
        for inst in blocks.flat_map(|data| &data.insts) {
            let Some(result) = inst.result else { continue };
            let args = inst.args.iter().map(|&arg| unchanging.name(arg));
            if inst.op.effect() == Effect::Pure
                && let Some(args) = args.collect::<Option<Values>>()
            {
                let name = *known.entry((inst.op, args.clone())).or_insert(result);
                unchanging.names.insert(result, name);
                if name == result {
                    unchanging.insts.push(Inst {
                        op: inst.op,
                        args,
                        result: Some(result),
                    });
                }
            }
        }
        unchanging
    }

    /// The name of a value, if it is the same in all rounds.
    fn name(&self, value: Value) -> Option<Value> {
        match self.defined.contains(&value) {
            true => self.names.get(&value).copied(),
            false => Some(value),
        }
    }

    /// Computes these outside of the loop: how, and the values.
    fn compute(&self, function: &mut Function, names: &[Value]) -> (Vec<Inst>, Vec<Value>) {
        let mut needed: FastSet<Value> = names.iter().copied().collect();
        for inst in self.insts.iter().rev() {
            if inst.result.is_some_and(|result| needed.contains(&result)) {
                needed.extend(&inst.args);
            }
        }
        let mut insts = Vec::new();
        let mut computed: FastMap<Value, Value> = FastMap::default();
        for inst in &self.insts {
            let Some(result) = inst.result.filter(|result| needed.contains(result)) else {
                continue;
            };
            let value = function.new_value(function.value_type(result));
            let args = inst.args.iter();
            insts.push(Inst {
                op: inst.op,
                args: args.map(|arg| outside(&computed, arg)).collect(),
                result: Some(value),
            });
            computed.insert(result, value);
        }
        let values = names.iter().map(|name| outside(&computed, name));
        (insts, values.collect())
    }
}

/// What has been computed of a value that the loop defines; others are there anyway.
fn outside(computed: &FastMap<Value, Value>, value: &Value) -> Value {
    computed.get(value).copied().unwrap_or(*value)
}

/// Whether a block ends in a question of its own.
fn asks(data: &BlockData) -> bool {
    matches!(
        data.term,
        Terminator::Branch { .. } | Terminator::Switch { .. }
    )
}
