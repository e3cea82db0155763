//! Names of nodes: [`super::analyse`] makes them, and what it stands on speaks of them.

use crate::index::index;

index!(/// A node: (context, block, position).
    NodeId, "node");

impl NodeId {
    /// The node in which evaluation starts.
    pub const ENTRY: Self = Self(0);
}
