//! One function's instructions, in the order of their positions, and where each goes on.

use crate::code::decode::{self, Instruction};
use crate::code::opcode::Opcode;
use crate::code::{Entry, effect};
use crate::image::verify::{TrapNumber, Verified};
use core::ops::Range;

/// Words of the code before a loop that is compiled with it, at most.
const APPROACH: usize = 32;

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

    /// The outermost loops: from where a jump back leads to the end of that jump; with what leads
    /// to them (see [`Graph::approach`]).
    pub fn loops(&self, has_objects: bool) -> Vec<Range<usize>> {
        let arrivals = self.count_arrivals();
        let mut loops: Vec<Range<usize>> = Vec::new();
        for (node, data) in self.nodes.iter().enumerate() {
            if data.loops == 0 {
                continue;
            }
            match loops.last_mut() {
                Some(last) if last.end == data.words.start => last.end = data.words.end,
                _ => {
                    let first = self.approach(node, &arrivals, has_objects);
                    loops.push(self.nodes[first].words.start..data.words.end);
                }
            }
        }
        loops
    }

    /// Where the straight code begins that leads to the loop at `node`. It makes the values that
    /// the loop begins with. Compiled together with the loop, it need not leave them in memory: a
    /// float has no box from the first round on. But what is called in it, an evaluation at build
    /// time does not run: in a program with objects it begins behind the last call, as methods are
    /// only known once their classes are made.
    fn approach(&self, node: Node, arrivals: &[u32], has_objects: bool) -> Node {
        let beginning = &self.nodes[node];
        let earliest = beginning.words.start.saturating_sub(APPROACH);
        let (mut at, mut first) = (node, node);
        while let Some(before) = at.checked_sub(1) {
            let data = &self.nodes[before];
            let next = self.successors(before);
            let leads_on = match at == node {
                true => next.iter().any(|&next| next >= node),
                false => arrivals[at] == 1 && next.contains(&at),
            };
            let is_plain = data.loops == 0 && data.traps == beginning.traps;
            let adjoins = data.words.end == self.nodes[at].words.start;
            let is_near = adjoins && data.words.start >= earliest;
            if !(leads_on && is_plain && is_near) || has_objects && !data.can_be_cut {
                break;
            }
            at = before;
            if data.can_be_cut {
                first = at;
            }
        }
        first
    }

    /// From how many instructions control comes to each.
    fn count_arrivals(&self) -> Vec<u32> {
        let mut arrivals = vec![0; self.nodes.len()];
        for &next in &self.successors {
            arrivals[next] += 1;
        }
        arrivals
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
