//! Deliberate miscompilations: wrong code is planted behind each stage, so that tests can show that
//! it is noticed.
//!
//! A [`Kind`] says behind which stage and how. A [`Fault`] is a kind at the `nth` place where it is
//! possible, in the residual function of one request. Code is broken before the verifier looks at
//! what the stage left, as if the stage had made the mistake.
//!
//! Invariant: a fault is part of the key of the function in which it is planted. So faulty code is
//! never taken for good code, and the store's good functions serve the other requests. Leaves out
//! stale entries of a cache, which are planted in the store (`make mutants`).

mod bounds;
mod calls;
mod cells;
mod flow;
mod linking;
mod lowering;
mod payloads;
#[cfg(test)]
mod tests;
mod traps;
mod values;

pub use linking::{plant as plant_in_links, plant_in_layout};

use std::borrow::Cow;

use self::traps::{Site, Sites};
use crate::ir::residual::Function;
use crate::lower::{self, Plan};

/// A kind of miscompilation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Kind {
    /// Behind evaluation or a pass of cleanup, which is named as for the verifier.
    Code(&'static str, Damage),
    /// In what lowering has decided and not yet written.
    Plan(Muddle),
    /// In what the linker is given, or has decided and not yet written.
    Link(Mismatch),
}

/// What is wrong with residual SSA.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Damage {
    /// An integer constant is off by two.
    Constant,
    /// Two arguments of one type change places on the way into a join.
    JoinArguments,
    /// A conditional branch goes the other way.
    SwappedEdge,
    /// A cell is not reloaded after a call: an `invalidate` was forgotten.
    StaleCell,
    /// A cell is not brought to memory where it should be: a `sync` was forgotten.
    MissingSync,
    /// A cell is read from, or stored to, its neighbour's place.
    WrongCell,
    /// An access has another offset than it should, by a word.
    WrongOffset,
    /// A store to anything but a cell does not happen.
    DroppedStore,
    /// A box is made of another float, or a join gets the payload of another box.
    WrongPayload,
    /// A constant is taken for the one before it.
    MergedConstants,
    /// A jump leads past a block that has an effect.
    SkippedBlock,
    /// A parameter is taken for one of several values that it may have.
    MergedParameter,
    /// An operator is taken for one that resembles it.
    WrongOperator,
    /// A global keeps its old value.
    DroppedGlobal,
    /// A load is taken for an earlier one of another place.
    MergedLoads,
    /// An instruction with an effect counts as dead.
    DroppedEffect,
    /// Two neighbours that depend on each other change places.
    ReorderedEffects,
    /// A call whose result is not what the function returns becomes a tail call.
    EarlyTailCall,
    /// An operand is another value of its type.
    WrongNumber,
}

/// What is wrong with the plan of a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Muddle {
    /// A jump leaves one frame too many, or too few.
    BranchDepth,
    /// Two blocks are emitted in each other's place.
    BlockOrder,
    /// Two values that are needed at once share a local.
    SharedLocal,
    /// A value is not written to its local.
    LostLocal,
    /// Two operands are pushed in the wrong order.
    StackOrder,
}

/// What is wrong with how a body is linked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Mismatch {
    /// A call goes to another function of the same type.
    WrongCallee,
    /// A call goes to the function of another slot.
    WrongSlotCallee,
    /// An address is that of the next word.
    WrongAddress,
    /// Two slots hold each other's function.
    ExchangedSlots,
    /// Dispatchers call another function of the same type in the place of the request's.
    WrongCase,
}

/// Every kind, in the order of the stages.
pub const KINDS: &[Kind] = &[
    Kind::Code("evaluation", Damage::Constant),
    Kind::Code("evaluation", Damage::JoinArguments),
    Kind::Code("evaluation", Damage::SwappedEdge),
    Kind::Code("evaluation", Damage::StaleCell),
    Kind::Code("evaluation", Damage::MissingSync),
    Kind::Code("evaluation", Damage::WrongCell),
    Kind::Code("evaluation", Damage::DroppedStore),
    Kind::Code("evaluation", Damage::WrongPayload),
    Kind::Code("reloads", Damage::MergedParameter),
    Kind::Code("switches", Damage::SwappedEdge),
    Kind::Code("constants", Damage::MergedConstants),
    Kind::Code("bits", Damage::SwappedEdge),
    Kind::Code("choices", Damage::SwappedEdge),
    Kind::Code("threads", Damage::SkippedBlock),
    Kind::Code("params", Damage::MergedParameter),
    Kind::Code("peephole", Damage::WrongOperator),
    Kind::Code("scalars", Damage::WrongNumber),
    Kind::Code("allocations", Damage::DroppedStore),
    Kind::Code("globals", Damage::DroppedGlobal),
    Kind::Code("separate", Damage::JoinArguments),
    Kind::Code("peel", Damage::JoinArguments),
    Kind::Code("numbering", Damage::MergedLoads),
    Kind::Code("numbering", Damage::SwappedEdge),
    Kind::Code("unswitch", Damage::SwappedEdge),
    Kind::Code("offsets", Damage::WrongOffset),
    Kind::Code("addresses", Damage::MergedLoads),
    Kind::Code("dce", Damage::DroppedEffect),
    Kind::Code("divisions", Damage::SwappedEdge),
    Kind::Code("choices again", Damage::SwappedEdge),
    Kind::Code("threads again", Damage::SkippedBlock),
    Kind::Code("params again", Damage::MergedParameter),
    Kind::Code("arms", Damage::WrongNumber),
    Kind::Code("dce again", Damage::DroppedEffect),
    Kind::Code("hoist", Damage::ReorderedEffects),
    Kind::Code("tailcalls", Damage::EarlyTailCall),
    Kind::Code("live-ranges", Damage::WrongNumber),
    Kind::Code("compact", Damage::WrongNumber),
    Kind::Plan(Muddle::BranchDepth),
    Kind::Plan(Muddle::BlockOrder),
    Kind::Plan(Muddle::SharedLocal),
    Kind::Plan(Muddle::LostLocal),
    Kind::Plan(Muddle::StackOrder),
    Kind::Link(Mismatch::WrongCallee),
    Kind::Link(Mismatch::WrongSlotCallee),
    Kind::Link(Mismatch::WrongAddress),
    Kind::Link(Mismatch::ExchangedSlots),
    Kind::Link(Mismatch::WrongCase),
];

/// What is done at the place of a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Act {
    /// The code is made wrong.
    Break,
    /// The code traps where it would do another thing than it should: so a test finds out whether
    /// a call ever comes to that.
    Trap,
    /// What reads the values that would be wrong traps, once the code that makes them so has run
    /// and given others: so a test finds out whether they ever matter. Nothing changes where it is
    /// not values that would be wrong.
    TrapReaders,
    /// A store that would be missing writes another value: so a test finds out whether anybody
    /// reads it. Nothing changes where it is not a store that would be missing.
    StoreOther,
}

/// One fault to plant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Fault {
    pub kind: Kind,
    /// The place, counted in the order of the code.
    pub nth: usize,
    /// Index of the request whose function gets it.
    pub request: usize,
    pub act: Act,
}

impl Fault {
    /// Whether the body of this request is made in another way: a wrong link is planted later, in
    /// a copy of what the linker is given.
    pub fn is_in_body_of(self, request: usize) -> bool {
        match self.kind {
            Kind::Code(..) | Kind::Plan(_) => self.request == request,
            Kind::Link(_) => false,
        }
    }

    /// Plants the fault in `function`, as `stage` left it, if it belongs there and there is such a
    /// place.
    pub fn plant(self, stage: &str, function: &mut Function) {
        let Kind::Code(after, damage) = self.kind else {
            return;
        };
        if after != stage {
            return;
        }
        let mut broken = function.clone();
        let sites = damage.plant(&mut broken, Place(self.nth));
        match self.act {
            Act::Break => *function = broken,
            Act::Trap => traps::trap(function, &sites),
            Act::TrapReaders => traps::trap_readers(function, &sites),
            Act::StoreOther => traps::store_other(function, &sites),
        }
    }

    /// The plan of `function`, with the fault in it if it belongs there.
    pub fn plan(self, function: &Function) -> (Cow<'_, Function>, Plan) {
        let mut plan = lower::plan(function);
        let Kind::Plan(muddle) = self.kind else {
            return (Cow::Borrowed(function), plan);
        };
        let sites = lowering::plant(muddle, self.nth, function, &mut plan);
        let mut trapping = function.clone();
        match self.act {
            Act::Break => return (Cow::Borrowed(function), plan),
            Act::Trap => traps::trap(&mut trapping, &sites),
            Act::TrapReaders => traps::trap_readers(&mut trapping, &sites),
            Act::StoreOther => traps::store_other(&mut trapping, &sites),
        }
        let plan = lower::plan(&trapping);
        (Cow::Owned(trapping), plan)
    }
}

impl Damage {
    /// Plants it, if there is such a place: where the code is wrong.
    fn plant(self, function: &mut Function, place: Place) -> Sites {
        match self {
            Damage::Constant => values::change_constant(function, place),
            Damage::MergedConstants => values::merge_constants(function, place),
            Damage::MergedParameter => values::merge_parameter(function, place),
            Damage::MergedLoads => values::merge_loads(function, place),
            Damage::WrongOperator => values::change_operator(function, place),
            Damage::WrongNumber => values::renumber(function, place),
            Damage::WrongPayload => payloads::change(function, place),
            Damage::JoinArguments => flow::swap_arguments(function, place),
            Damage::SwappedEdge => flow::swap_edge(function, place),
            Damage::SkippedBlock => flow::skip_block(function, place),
            Damage::StaleCell => cells::keep_stale(function, place),
            Damage::MissingSync => cells::drop_store(function, place, cells::Store::ToCell),
            Damage::DroppedStore => cells::drop_store(function, place, cells::Store::Elsewhere),
            Damage::WrongCell => cells::move_access(function, place),
            Damage::WrongOffset => cells::move_offset(function, place),
            Damage::DroppedGlobal => calls::drop_global(function, place),
            Damage::DroppedEffect => calls::drop_effect(function, place),
            Damage::ReorderedEffects => calls::reorder(function, place),
            Damage::EarlyTailCall => calls::tail_call(function, place),
        }
    }
}

/// How many places lie before the one that is meant.
struct Place(usize);

impl Place {
    /// Asked at each place in turn: whether it is the one.
    fn here(&mut self) -> bool {
        let here = self.0 == 0;
        self.0 = self.0.wrapping_sub(1);
        here
    }
}
