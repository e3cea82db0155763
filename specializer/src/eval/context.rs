//! Contexts: the interpreter position, and the assumed values, for which code is evaluated.
//!
//! A context is a stack of positions, which `context.push`, `context.pop` and `context.update`
//! change. On top of the last position are the outcomes of the value specializations since.
//!
//! Invariant: contexts are interned, so equal ones have equal ids.

use super::abs::Abs;
use crate::hash::FastMap;
use crate::index::{Map, index};
use crate::ir::generic::Block;

index!(/// An interned context.
    ContextId, "cx");

/// One step from a context to another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Context {
    Root,
    /// At a position, above an outer context.
    At {
        outer: ContextId,
        position: Abs,
    },
    /// Where the specialization at the end of `site` had this outcome.
    Assuming {
        outer: ContextId,
        site: Block,
        value: Abs,
    },
}

/// All contexts of one request.
pub struct Contexts {
    contexts: Map<ContextId, Context>,
    ids: FastMap<Context, ContextId>,
}

impl Contexts {
    pub const ROOT: ContextId = ContextId(0);

    pub fn new() -> Self {
        Self {
            contexts: vec![Context::Root].into(),
            ids: FastMap::from_iter([(Context::Root, Self::ROOT)]),
        }
    }

    pub fn len(&self) -> usize {
        self.contexts.len()
    }

    /// How many of them stand for a position that is not known.
    pub fn unknown_positions(&self) -> usize {
        let unknown = |context: &&Context| matches!(context, Context::At { position, .. } if !position.is_known());
        self.contexts.values().filter(unknown).count()
    }

    pub fn push(&mut self, context: ContextId, position: Abs) -> ContextId {
        self.intern(Context::At {
            outer: context,
            position,
        })
    }

    /// The context below the innermost position.
    pub fn pop(&self, context: ContextId) -> ContextId {
        match self.contexts[context] {
            Context::Root => Self::ROOT,
            Context::At { outer, .. } => outer,
            Context::Assuming { outer, .. } => self.pop(outer),
        }
    }

    /// The same stack with another innermost position.
    pub fn update(&mut self, context: ContextId, position: Abs) -> ContextId {
        let outer = self.pop(context);
        self.push(outer, position)
    }

    /// `context`, where the value specialization at the end of `site` had the outcome `value`.
    /// `Dynamic` is the outcome "none of those guessed".
    pub fn assume(&mut self, context: ContextId, site: Block, value: Abs) -> ContextId {
        self.intern(Context::Assuming {
            outer: context,
            site,
            value,
        })
    }

    /// The innermost position.
    pub fn position(&self, context: ContextId) -> Abs {
        match self.contexts[context] {
            Context::Root => Abs::Dynamic,
            Context::At { position, .. } => position,
            Context::Assuming { outer, .. } => self.position(outer),
        }
    }

    fn intern(&mut self, context: Context) -> ContextId {
        *self
            .ids
            .entry(context)
            .or_insert_with(|| self.contexts.push(context))
    }
}
