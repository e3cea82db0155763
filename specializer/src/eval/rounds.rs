//! First rounds of loops, split off from the later ones.
//!
//! A loop may begin with a pointer (a parameter, a field) where each round leaves a virtual box. In
//! one version of the loop that is a pointer, so each round makes a box. So the first round gets
//! nodes of its own, and the later rounds are a loop that begins with the box. Where variables
//! change places, each round leaves one box more: then the second round gets nodes of its own as
//! well, and so on, and the loop is on the stack once for each.
//!
//! A version of a node is named by the loops in whose later rounds it is, a stack. An edge that
//! leaves a loop leaves its version too, so that what follows the loop is there once. A loop is all
//! between the first and the last position of the cycle with which it was found.
//!
//! Invariant: at most [`DEPTH`] loops are on a stack, one of [`HEIGHTS`] together, and a loop grows
//! once at most for each call in place that it is found to leave. So there are finitely many
//! versions, and it is seldom that a node is evaluated again for them.

use smallvec::SmallVec;

use super::abs::{Abs, Fact};
use super::cells::Cells;
use super::context::{ContextId, ProgramPoint};
use crate::hash::FastMap;
use crate::index::{Map, index};

index!(/// A stack of loops.
    RoundsId, "rounds");

/// How many loops within each other are split.
const DEPTH: usize = 2;

/// How many first rounds have nodes of their own, of all loops within each other: if that takes too
/// many nodes, the next is tried, and then none.
pub const HEIGHTS: [usize; 2] = [8, DEPTH];

/// The longest code of a request whose loops are split, in bytes.
pub const LONGEST: u32 = 4096;

impl RoundsId {
    /// That of nodes in no loop, or in its first round.
    pub const FIRST: Self = Self(0);
}

/// The first and the last point of a loop.
pub type Extent = [ProgramPoint; 2];

/// The loop on top of a stack, above others.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Later {
    outer: RoundsId,
    head: ContextId,
}

/// All loops of a request that are split, by the contexts of their heads; all stacks of them.
pub struct Rounds {
    height: usize,
    loops: FastMap<ContextId, Extent>,
    stacks: Map<RoundsId, Option<Later>>,
    ids: FastMap<Later, RoundsId>,
}

impl Rounds {
    pub fn new(height: usize) -> Self {
        Self {
            height,
            loops: FastMap::default(),
            stacks: vec![None].into(),
            ids: FastMap::default(),
        }
    }

    /// The stack at `point`, where it was `rounds` before: without the loops that end before it.
    pub fn at(&self, mut rounds: RoundsId, point: &ProgramPoint) -> RoundsId {
        while let Some(later) = self.stacks[rounds] {
            let [first, last] = &self.loops[&later.head];
            if (first..=last).contains(&point) {
                break;
            }
            rounds = later.outer;
        }
        rounds
    }

    /// Whether later rounds of the loop with this head may go onto a stack.
    pub fn may_split(&self, rounds: RoundsId, head: ContextId) -> bool {
        let mut heads: SmallVec<[ContextId; HEIGHTS[0]]> = self.heads(rounds).collect();
        if heads.len() >= self.height {
            return false;
        }
        heads.push(head);
        heads.sort_unstable();
        heads.dedup();
        heads.len() <= DEPTH
    }

    /// The stack with the loop that has this head on top; the cycle with which it was found extends
    /// from one point to another. Also whether that is a longer loop than before: edges that left
    /// it may do so no more.
    pub fn split(
        &mut self,
        rounds: RoundsId,
        head: ContextId,
        [first, last]: Extent,
    ) -> (RoundsId, bool) {
        let known = self.loops.entry(head);
        let extent = known.or_insert_with(|| [first.clone(), last.clone()]);
        let is_longer = first < extent[0] || last > extent[1];
        if is_longer {
            *extent = last.whole_call();
        }
        let later = Later {
            outer: rounds,
            head,
        };
        let stacks = &mut self.stacks;
        let id = self.ids.entry(later);
        (*id.or_insert_with(|| stacks.push(Some(later))), is_longer)
    }

    /// Whether nodes of this version are in later rounds of the loop.
    pub fn is_in(&self, rounds: RoundsId, head: ContextId) -> bool {
        self.heads(rounds).any(|on_stack| on_stack == head)
    }

    fn heads(&self, rounds: RoundsId) -> impl Iterator<Item = ContextId> {
        let mut next = self.stacks[rounds];
        std::iter::from_fn(move || {
            let later = next?;
            next = self.stacks[later.outer];
            Some(later.head)
        })
    }
}

/// Whether a virtual box comes where there is a value of which next to nothing is known, as of a
/// cell's that is in memory. (Where nothing nearer to the stack's top is known, the cell may be
/// dead: what the end of a round has left.) States are those of parameters and cells.
pub fn brings_box(
    (params, cells): (&[Abs], &Cells<Abs>),
    (their_params, their_cells): (&[Abs], &Cells<Abs>),
) -> bool {
    let is_box = |abs: Abs| matches!(abs, Abs::Fact(Fact::Box(_)));
    let is_unknown =
        |abs: Abs| matches!(abs, Abs::Dynamic | Abs::Fact(Fact::NonZero | Fact::Address));
    let mut params = params.iter().zip(their_params);
    let mut boxes = their_cells.iter().filter(|cell| is_box(cell.value));
    params.any(|(&mine, &theirs)| is_box(theirs) && is_unknown(mine))
        || boxes.any(|cell| match cells.get(cell.span) {
            Some(mine) => is_unknown(mine.value),
            None => cells
                .iter()
                .any(|mine| cells.window.is_nearer(mine.span, cell.span)),
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::boxes::Kind;
    use crate::eval::cells::Memory;
    use crate::eval::context::Contexts;
    use crate::eval::span::Span;
    use crate::ir::Type;
    use crate::op::{Const, Width};

    /// Contexts at positions 0 to 90, in steps of ten.
    fn positions() -> (Contexts, Vec<ContextId>) {
        let mut contexts = Contexts::new();
        let position = |n: i32| Abs::Const(Const::I32(10 * n));
        let ids = (0..10).map(|n| contexts.push(Contexts::ROOT, position(n)));
        let ids = ids.collect();
        (contexts, ids)
    }

    /// Cells at these addresses, of one stack that grows down.
    fn cells(contents: &[(i32, Abs)]) -> Cells<Abs> {
        let mut cells = Cells::default();
        for &(address, value) in contents {
            let address = Abs::Const(Const::I32(address));
            let width = Width::Eight;
            cells.set(Span { address, width }, value, Memory::Stale);
        }
        cells
    }

    /// The first round has something at 96 and whatever `known` says. Without the rule on what is
    /// nearer to the top, SHA-256 on eight references was three times as slow.
    #[test]
    fn what_a_round_leaves_beyond_the_top_of_the_stack_splits_no_loop() {
        let payload = Type::I64;
        let boxed = Abs::Fact(Fact::Box(Kind { index: 2, payload }));
        let brings = |known: &[(i32, Abs)], at: i32| {
            let here = cells(&[&[(96, Abs::Fact(Fact::Immediate))], known].concat());
            brings_box((&[], &here), (&[], &cells(&[(at, boxed)])))
        };
        assert!(brings(&[], 104), "it is in memory");
        assert!(!brings(&[], 88), "it may be dead");
        assert!(brings(&[(88, Abs::Dynamic)], 88));
        assert!(!brings(&[(88, boxed)], 88));
    }

    #[test]
    fn a_version_ends_where_its_loop_does() {
        let (contexts, at) = positions();
        let point = |n: usize| contexts.point(at[n]);
        let mut rounds = Rounds::new(HEIGHTS[0]);
        let (outer, _) = rounds.split(RoundsId::FIRST, at[1], [point(1), point(8)]);
        let (inner, _) = rounds.split(outer, at[4], [point(3), point(5)]);
        assert!(rounds.is_in(inner, at[1]) && rounds.is_in(inner, at[4]));
        assert_eq!(rounds.at(inner, &point(3)), inner);
        assert_eq!(rounds.at(inner, &point(6)), outer);
        assert_eq!(rounds.at(inner, &point(2)), outer);
        assert_eq!(rounds.at(inner, &point(9)), RoundsId::FIRST);
        assert_eq!(rounds.at(inner, &point(0)), RoundsId::FIRST);
        assert!(!rounds.may_split(inner, at[5]), "deep enough");
        assert!(rounds.may_split(outer, at[5]));
    }

    #[test]
    fn a_loop_has_a_version_for_each_of_its_first_rounds() {
        let (contexts, at) = positions();
        let point = |n: usize| contexts.point(at[n]);
        let mut rounds = Rounds::new(HEIGHTS[0]);
        let mut version = RoundsId::FIRST;
        let mut versions = vec![version];
        while rounds.may_split(version, at[1]) {
            (version, _) = rounds.split(version, at[1], [point(1), point(8)]);
            assert!(rounds.is_in(version, at[1]) && !versions.contains(&version));
            versions.push(version);
        }
        assert_eq!(versions.len(), 1 + HEIGHTS[0]);
        assert_eq!(rounds.at(version, &point(9)), RoundsId::FIRST);
    }

    #[test]
    fn a_loop_that_grows_is_all_of_the_function() {
        let (contexts, at) = positions();
        let point = |n: usize| contexts.point(at[n]);
        let mut rounds = Rounds::new(HEIGHTS[0]);
        let mut split = |last: usize| {
            let (id, is_longer) = rounds.split(RoundsId::FIRST, at[1], [point(1), point(last)]);
            (id, is_longer, rounds.at(id, &point(9)) == id)
        };
        let (id, ..) = split(3);
        assert_eq!(split(3), (id, false, false));
        assert_eq!(split(5), (id, true, true));
        assert_eq!(split(7), (id, false, true));
    }
}
