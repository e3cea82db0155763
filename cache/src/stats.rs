//! How much of each kind a cache has.

use crate::Kind;

/// Entries and bytes of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindStats {
    pub entries: u64,
    pub bytes: u64,
}

/// What is in a cache, by default in an empty one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stats {
    pub kinds: Vec<(Kind, KindStats)>,
}

impl Default for Stats {
    fn default() -> Self {
        let nothing = |kind| (kind, KindStats::default());
        Self {
            kinds: Kind::ALL.map(nothing).to_vec(),
        }
    }
}

impl Stats {
    pub fn total(&self) -> KindStats {
        self.kinds
            .iter()
            .fold(KindStats::default(), |sum, (_, kind)| KindStats {
                entries: sum.entries + kind.entries,
                bytes: sum.bytes + kind.bytes,
            })
    }
}
