//! The pieces of one function.
//!
//! Its instructions are first divided, in the order of their positions, into code not worth
//! compiling and parts of a bounded length. An instruction that control reaches from another part
//! is a cut. Within a part, an instruction that two pieces reach is a cut, too. These are found by
//! passes in the order of positions; most jumps lead forwards, so one pass is nearly always enough.
//! A part's length bounds its pieces, and each of its instructions is in one piece.

use super::Cut;
use super::graph::{Graph, Node, NodeData};
use core::ops::Range;

/// How a function is compiled.
pub struct Pieces {
    /// The words of the piece that begins at the entry, if it is worth compiling.
    pub first: Option<Range<usize>>,
    pub cuts: Vec<Cut>,
}

/// Cuts a function whose words in `worth`, ascending ranges of whole instructions, are compiled.
pub fn cut(graph: &Graph, worth: &[Range<usize>], longest: usize) -> Pieces {
    let count = graph.nodes.len();
    let mut cutting = Cutting {
        graph,
        parts: parts(graph, worth, longest),
        part_of: vec![None; count],
        arrivals: vec![false; count],
        regions: vec![Region::None; count],
        back: vec![Region::None; count],
        crossed: vec![false; graph.verified.trap_count()],
    };
    for (number, part) in cutting.parts.iter().enumerate() {
        cutting.part_of[part.clone()].fill(Some(number));
    }
    cutting.arrivals[0] = true;
    cutting.cross_parts();
    loop {
        for part in 0..cutting.parts.len() {
            cutting.settle(part);
        }
        if !cutting.cross_handlers() {
            return cutting.pieces();
        }
    }
}

/// Which piece an instruction is in: the one that begins at this instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Region {
    /// None yet.
    None,
    One(Node),
    Many,
}

impl Region {
    fn join(self, other: Region) -> Region {
        match (self, other) {
            (Region::None, region) | (region, Region::None) => region,
            (a, b) if a == b => a,
            (Region::One(_) | Region::Many, _) => Region::Many,
        }
    }
}

struct Cutting<'a> {
    graph: &'a Graph<'a>,
    /// Ranges of instructions, ascending.
    parts: Vec<Range<Node>>,
    /// By instruction; none: not worth compiling.
    part_of: Vec<Option<usize>>,
    /// Instructions that control reaches from another piece.
    arrivals: Vec<bool>,
    regions: Vec<Region>,
    /// What jumps back bring to an instruction.
    back: Vec<Region>,
    /// Trap frames that are on the stack at a cut.
    crossed: Vec<bool>,
}

impl Cutting<'_> {
    fn cross_parts(&mut self) {
        for node in 0..self.part_of.len() {
            for &next in self.graph.successors(node) {
                if self.part_of[node] != self.part_of[next] {
                    self.arrive(next);
                }
            }
        }
    }

    /// Notes that control reaches `node` from another piece. Where it cannot be a cut, the
    /// instructions that follow it are noted.
    fn arrive(&mut self, node: Node) {
        let mut work = vec![node];
        while let Some(node) = work.pop() {
            let known = core::mem::replace(&mut self.arrivals[node], true);
            if !known && !self.graph.nodes[node].can_be_cut {
                work.extend(self.graph.successors(node));
            }
        }
    }

    /// Finds the regions of a part.
    fn settle(&mut self, part: usize) {
        let nodes = self.parts[part].clone();
        loop {
            self.regions[nodes.clone()].copy_from_slice(&self.back[nodes.clone()]);
            let mut again = false;
            for node in nodes.clone() {
                let region = self.region(node);
                self.regions[node] = region;
                if region == Region::None {
                    continue;
                }
                for &next in self.graph.successors(node) {
                    if self.part_of[next] != Some(part) {
                        continue;
                    }
                    let known = if next > node {
                        &mut self.regions[next]
                    } else {
                        &mut self.back[next]
                    };
                    let joined = known.join(region);
                    again |= next <= node && joined != *known;
                    *known = joined;
                }
            }
            if !again {
                return;
            }
        }
    }

    /// The region of `node`, once what comes before it is settled.
    fn region(&mut self, node: Node) -> Region {
        let can_begin = node == 0 || self.graph.nodes[node].can_be_cut;
        match self.regions[node] {
            Region::None | Region::One(_) if !self.arrivals[node] => self.regions[node],
            Region::None | Region::One(_) | Region::Many if can_begin => {
                self.arrivals[node] = true;
                Region::One(node)
            }
            Region::None | Region::One(_) | Region::Many => Region::Many,
        }
    }

    /// Makes cuts of the handlers of trap frames that are on the stack at cuts; whether there were
    /// new ones.
    fn cross_handlers(&mut self) -> bool {
        let verified = self.graph.verified;
        for (node, data) in self.graph.nodes.iter().enumerate() {
            let mut traps = data.traps;
            while self.arrivals[node] && !self.crossed[traps as usize] {
                self.crossed[traps as usize] = true;
                traps = verified.trap(traps).map_or(0, |(_, outer)| outer);
            }
        }
        let mut found = false;
        for node in 0..self.graph.nodes.len() {
            let Some(handler) = self.graph.nodes[node].handler else {
                continue;
            };
            let pushed = self.graph.nodes[node + 1].traps;
            if self.crossed[pushed as usize] && !self.arrivals[handler] {
                self.arrive(handler);
                found = true;
            }
        }
        found
    }

    fn pieces(&self) -> Pieces {
        let mut words: Vec<Option<Range<usize>>> = vec![None; self.regions.len()];
        for (node, &region) in self.regions.iter().enumerate() {
            if let Region::One(first) = region {
                let own = self.graph.nodes[node].words.clone();
                let known = words[first].get_or_insert(own.clone());
                *known = known.start.min(own.start)..known.end.max(own.end);
            }
        }
        let first = words[0].take();
        let cuts = words.into_iter().zip(&self.graph.nodes).zip(&self.arrivals);
        let cuts = cuts.filter(|((_, data), arrival)| **arrival && data.can_be_cut);
        Pieces {
            first,
            cuts: cuts
                .map(|((piece, data), _)| self.cut_at(data, piece))
                .collect(),
        }
    }

    fn cut_at(&self, data: &NodeData, piece: Option<Range<usize>>) -> Cut {
        Cut {
            position: data.words.start,
            entry: self.graph.entry.position,
            depth: data.depth,
            trap: self.graph.verified.trap(data.traps).map(|(depth, _)| depth),
            piece,
        }
    }
}

/// Parts the instructions in `worth` so that each has at most `longest` words, unless it is one
/// instruction.
fn parts(graph: &Graph, worth: &[Range<usize>], longest: usize) -> Vec<Range<Node>> {
    let node_at = |word: usize| graph.nodes.partition_point(|node| node.words.start < word);
    let mut parts = Vec::new();
    for words in worth {
        let (mut first, end) = (node_at(words.start), node_at(words.end));
        while first < end {
            let next = boundary(graph, first..end, longest);
            parts.push(first..next);
            first = next;
        }
    }
    parts
}

/// Where the first part of `nodes` ends: in the second half of the length that it may have, where
/// the fewest loops are open; of such places, where the stack is least deep; of those, the last.
fn boundary(graph: &Graph, nodes: Range<Node>, longest: usize) -> Node {
    let start = graph.nodes[nodes.start].words.start;
    let length = |node: Node| graph.nodes[node].words.end - start;
    if length(nodes.end - 1) <= longest {
        return nodes.end;
    }
    let fits = |node: &Node| length(node - 1) <= longest;
    let candidates = (nodes.start + 1..nodes.end).take_while(fits);
    let late = candidates.filter(|&node| 2 * length(node - 1) >= longest);
    let cost = |node: &Node| {
        let data = &graph.nodes[*node];
        (data.loops, data.depth, core::cmp::Reverse(*node))
    };
    late.min_by_key(cost).unwrap_or(nodes.start + 1)
}
