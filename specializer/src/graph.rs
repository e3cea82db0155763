//! Graphs whose nodes are an index space: orders of what an entry leads to.

use crate::index::{Id, Map};

/// What `entry` leads to, of `len` nodes, in reverse postorder: each node comes after those that
/// lead to it, but for edges that close a cycle. Where a node leads to several, what only the last
/// of its `successors` leads to comes first.
pub fn reverse_postorder<N: Id, S: Iterator<Item = N>>(
    entry: N,
    len: usize,
    successors: impl Fn(N) -> S,
) -> Vec<N> {
    let mut order = Vec::with_capacity(len);
    let mut seen = Map::filled(false, len);
    seen[entry] = true;
    let mut open = vec![(entry, successors(entry))];
    while let Some((node, rest)) = open.last_mut() {
        match rest.next() {
            Some(next) => {
                if !std::mem::replace(&mut seen[next], true) {
                    open.push((next, successors(next)));
                }
            }
            None => {
                order.push(*node);
                open.pop();
            }
        }
    }
    order.reverse();
    order
}

/// The position of a node that an order does not have.
pub const UNREACHED: u32 = u32::MAX;

/// The position in `order` of each of `len` nodes, or [`UNREACHED`].
pub fn positions<N: Id>(order: &[N], len: usize) -> Map<N, u32> {
    let mut positions = Map::filled(UNREACHED, len);
    for (position, &node) in (0..).zip(order) {
        positions[node] = position;
    }
    positions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::residual::Block;

    fn order(successors: &[&[u32]]) -> Vec<u32> {
        let targets = |block: Block| successors[block.index()].iter().copied().map(Block);
        let order = reverse_postorder(Block(0), successors.len(), targets);
        order.into_iter().map(|block| block.0).collect()
    }

    #[test]
    fn joins_come_after_what_leads_to_them() {
        assert_eq!(order(&[&[1, 2], &[3], &[3], &[]]), [0, 2, 1, 3]);
        assert_eq!(order(&[&[2, 1], &[3], &[3], &[]]), [0, 1, 2, 3]);
    }

    #[test]
    fn edges_back_and_what_nothing_leads_to_do_not_count() {
        assert_eq!(order(&[&[2], &[2], &[3, 2], &[0]]), [0, 2, 3]);
    }
}
