//! One function's instructions, in the order of their positions, and where each goes on.

use crate::code::decode::{self, Instruction};
use crate::code::opcode::Opcode;
use crate::code::{Entry, effect};
use crate::image::verify::{TrapNumber, Verified};
use core::ops::Range;

/// An instruction's index.
pub type Node = usize;

/// The instructions that a function reaches.
pub struct Graph<'a> {
    pub verified: &'a Verified,
    pub entry: Entry,
    pub nodes: Vec<NodeData>,
    /// Where instructions go on, one after the other.
    successors: Vec<Node>,
}

pub struct NodeData {
    /// From the instruction to the next one.
    pub words: Range<usize>,
    pub depth: u32,
    pub traps: TrapNumber,
    /// Whether its cell has room for a slot.
    pub can_be_cut: bool,
    /// For PUSHTRAP: its handler.
    pub handler: Option<Node>,
    /// How many loops it is in.
    pub loops: u32,
    successors: Range<usize>,
}

impl<'a> Graph<'a> {
    pub fn new(code: &[i32], verified: &'a Verified, entry: Entry) -> Self {
        let reached = (entry.position..entry.end).filter(|&word| {
            verified
                .at(word)
                .is_some_and(|at| at.entry == entry.position)
        });
        let positions: Vec<usize> = reached.collect();
        let mut graph = Self {
            verified,
            entry,
            nodes: Vec::with_capacity(positions.len()),
            successors: Vec::new(),
        };
        let mut numbers = vec![Node::MAX; entry.end - entry.position];
        for (number, &position) in positions.iter().enumerate() {
            numbers[position - entry.position] = number;
        }
        let number = |position: i64| numbers[position as usize - entry.position];
        for &position in &positions {
            if let Ok(instruction) = decode::instruction(code, position) {
                graph.add(&instruction, number);
            }
        }
        graph.count_loops();
        graph
    }

    /// Where the instruction `node` goes on, handlers included.
    pub fn successors(&self, node: Node) -> &[Node] {
        &self.successors[self.nodes[node].successors.clone()]
    }

    /// The outermost loops: from where a jump back leads to the end of that jump.
    pub fn loops(&self) -> Vec<Range<usize>> {
        let in_loop = |node: &&NodeData| node.loops > 0;
        let mut loops: Vec<Range<usize>> = Vec::new();
        for node in self.nodes.iter().filter(in_loop) {
            match loops.last_mut() {
                Some(last) if last.end == node.words.start => last.end = node.words.end,
                _ => loops.push(node.words.clone()),
            }
        }
        loops
    }

    fn add(&mut self, instruction: &Instruction, number: impl Fn(i64) -> Node) {
        let first = self.successors.len();
        let successors = &mut self.successors;
        effect::successors(instruction, |position| successors.push(number(position)));
        let at = self.verified.at(instruction.position);
        let (depth, traps) = at.map_or((0, 0), |at| (at.depth, at.traps));
        let is_call = effect::call_arity(instruction.opcode, instruction.operands).is_some();
        let is_entry = instruction.position == self.entry.position;
        self.nodes.push(NodeData {
            words: instruction.position..instruction.next(),
            depth,
            traps,
            can_be_cut: !is_call && !is_entry && instruction.opcode != Opcode::PopTrap,
            handler: (instruction.opcode == Opcode::PushTrap)
                .then(|| number(instruction.target(0))),
            loops: 0,
            successors: first..self.successors.len(),
        });
    }

    fn count_loops(&mut self) {
        let mut begins = vec![0u32; self.nodes.len()];
        let mut ends = vec![0u32; self.nodes.len()];
        for (node, end) in ends.iter_mut().enumerate() {
            for &back in self.successors(node).iter().filter(|&&next| next <= node) {
                begins[back] += 1;
                *end += 1;
            }
        }
        let mut depth = 0;
        for (node, data) in self.nodes.iter_mut().enumerate() {
            depth += begins[node];
            data.loops = depth;
            depth -= ends[node];
        }
    }
}
