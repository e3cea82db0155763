//! The partial evaluator: a generic function and a request give a residual function.
//!
//! Constant propagation over a product of contexts and blocks. Three steps:
//! 1. [`prepare`] finds the values that decide the interpreter's position;
//! 2. [`analyse`] runs the transfer function ([`transfer`]) to a fixpoint: which nodes (context,
//!    block, position) are reached, and in which state ([`abs`], [`cells`], [`context`]);
//! 3. [`emit`] runs it once more over each node and writes the residual function.
//!
//! The parts of the transfer function:
//! * values: [`abs`]; their residual code: [`abstracted`] in the analysis, [`value`], [`write`] and
//!   [`copy`] in the emission; numbers in boxes: [`boxes`]; what the interpreter says: [`facts`];
//! * the state: [`cells`] and their extent ([`span`]), [`stack`], [`context`];
//! * calls, the ends of blocks ([`exit`]): [`calls`], in place ([`inline`], [`trial`], [`small`],
//!   [`continuation`], by [`decisions`]), with less to pass ([`bare`], [`given`]), by a profile
//!   ([`profile`]);
//! * choices: [`choices`]; loops: [`rounds`], [`settled`];
//! * modules for weval: [`weval`], [`frame`], [`said`].
//!
//! Why a request is declined: [`refusal`], [`growth`], [`blame`]; what a guest does wrong:
//! [`examine`]; both by way of [`revisit`].
//!
//! Invariant: the residual function, called with the request's dynamic parameters, does what the
//! generic function does with all of them, provided constant memory holds what the read log says.
//! Leaves out: virtual objects other than boxes of numbers ([`crate::cleanup`] takes blocks apart),
//! a certificate.

pub mod abs;
mod abstracted;
mod analyse;
mod bare;
mod blame;
mod boxes;
mod calls;
mod cells;
mod choices;
mod context;
mod continuation;
mod copy;
mod decisions;
mod emit;
mod examine;
mod exit;
mod facts;
mod frame;
mod given;
mod growth;
mod inline;
mod node;
mod prepare;
mod profile;
mod refusal;
mod revisit;
mod rounds;
mod said;
mod settled;
mod small;
mod span;
mod stack;
mod transfer;
mod trial;
mod value;
mod weval;
mod write;

use self::abs::{Abs, Fact, Frames};
use self::span::Window;
use crate::image::{Image, ReadLog, Reads};
use crate::ir::generic::Block;
use crate::ir::{Global, Symbol, Type, generic, residual};
use crate::lift::Places;
use crate::module::Module;
use crate::op::Const;
use crate::optimisations::Optimisations;
use crate::request::{Param, Request};

pub use bare::boxing;
pub use blame::Cause;
pub use boxes::{Boxes, Boxing};
pub use examine::{Count, Remark, Remarks, examine};
pub use inline::Inlining;
pub use prepare::Prepared;
pub use refusal::Refusal;
pub use small::Small;
pub use write::Reload;

/// Prepares a lifted function; once for all requests of it.
pub fn prepare(function: generic::Function, places: Places) -> Prepared {
    prepare::function(function, places)
}

/// How many nodes there may be for a request's code, however much that is. A node takes 600 bytes
/// or more. A residual function as long as engines take had 1.1 million.
const MOST_NODES_OF_CODE: u64 = 1_500_000;

/// Limits of one request's evaluation. Beyond them it is declined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Budgets {
    /// (context, block, position) nodes, beside those for each byte of the request's code.
    pub nodes: u32,
    pub nodes_per_byte: u32,
    /// Evaluations of nodes, as a multiple of the number of nodes: bounds the fixpoint.
    pub rounds: u32,
    /// Instructions of the residual function.
    pub insts: u32,
    /// Outcomes of one value specialization.
    pub fan_out: u32,
}

impl Default for Budgets {
    fn default() -> Self {
        Self {
            nodes: 20_000,
            nodes_per_byte: 16,
            rounds: 32,
            insts: 2_000_000,
            fan_out: 4096,
        }
    }
}

impl Budgets {
    /// Each of them, with what the command line calls it.
    pub fn named(&mut self) -> [(&'static str, &mut u32); 5] {
        [
            ("nodes", &mut self.nodes),
            ("nodes-per-byte", &mut self.nodes_per_byte),
            ("rounds", &mut self.rounds),
            ("instructions", &mut self.insts),
            ("fan-out", &mut self.fan_out),
        ]
    }

    /// How many nodes there may be where this is the request's code, in bytes.
    pub fn nodes_for(&self, code_len: u32) -> usize {
        let of_code = u64::from(self.nodes_per_byte) * u64::from(code_len);
        self.nodes as usize + of_code.min(MOST_NODES_OF_CODE) as usize
    }
}

/// Why a request was not specialized.
#[derive(Clone, PartialEq, Eq, Debug, Hash, thiserror::Error)]
pub enum Declined {
    #[error("more than {0} nodes (context, block, position); see `--budget nodes=N`")]
    Nodes(usize),
    #[error(
        "more than {0} registers, locals and entries of the stack at all nodes; \
             see `--budget nodes=N`"
    )]
    Framed(usize),
    #[error("no fixpoint after evaluating each node {0} times; see `--budget rounds=N`")]
    Rounds(u32),
    #[error("more than {0} residual instructions; see `--budget instructions=N`")]
    Insts(u32),
    #[error("its residual function has {0} bytes, more than engines take of one function")]
    Length(usize),
    #[error("its residual function has {0} locals, more than engines take of one function")]
    Locals(usize),
    #[error("it is cold, by the profile")]
    Cold,
    #[error("it does nothing with what it is given")]
    Idle,
    #[error("it reads or writes a register that is not known, or that not every path has written")]
    UnknownRegister,
    #[error("it reads a specialization constant that the request does not have")]
    UnknownGlobal,
    #[error("the interpreter says that specialization must not come to its line {0}")]
    Aborted(u32),
    #[error("the interpreter asserts a constant at its line {0}, and there is none")]
    NotConstant(u32),
    #[error("the interpreter asserts at its line {0} that its position is known, and it is not")]
    NotSpecialized(u32),
    /// What [`crate::lift::Unsupported`] says.
    #[error("{0}")]
    Unsupported(String),
}

/// Everything that evaluation of one request depends on.
pub struct Evaluation<'a> {
    pub prepared: &'a Prepared,
    pub request: &'a Request,
    pub image: &'a Image<'a>,
    pub module: &'a Module<'a>,
    pub budgets: Budgets,
    pub inlining: Inlining,
    pub optimisations: Optimisations,
    /// Whether residual code reports lockstep events.
    pub lockstep_events: bool,
    /// Whether residual code reports callees.
    pub counts: bool,
    /// Whether both phases are compared: that writing a node begins in the state that analysis
    /// found. For tests, as [`crate::Options::verify`] says.
    pub verify: bool,
    /// Whether each block is a node of its own.
    pub apart: bool,
    /// How the interpreter boxes numbers, and how residual code does.
    pub boxes: &'a Boxes,
    pub boxing: Boxing,
    /// The functions of stubs that are evaluated where they are called.
    pub small: &'a Small,
}

/// What evaluation gives.
pub struct Residual {
    pub function: residual::Function,
    /// Integers that it loads again after calls.
    pub reloads: Vec<Reload>,
    pub log: ReadLog,
    /// The links that it followed, see [`Bases`](crate::image::Bases).
    pub links: Vec<Symbol>,
    pub contexts: usize,
    pub nodes: usize,
    /// Contexts in which the interpreter's position is not known at specialization time.
    pub unknown_positions: usize,
}

/// Evaluates a request; `said` gets what the interpreter says on the way, also if it is declined.
pub fn run(evaluation: &Evaluation, said: &mut Vec<String>) -> Result<Residual, Declined> {
    attempts(evaluation, |height| attempt(evaluation, height, said))
}

/// Does it with later rounds of loops apart from the first ones, of which there are fewer if that
/// takes too much, down to none.
fn attempts<T>(
    evaluation: &Evaluation,
    mut attempt: impl FnMut(usize) -> Result<T, Declined>,
) -> Result<T, Declined> {
    if evaluation.request.code_len <= rounds::LONGEST {
        for height in rounds::HEIGHTS {
            match attempt(height) {
                Err(Declined::Nodes(_) | Declined::Rounds(_) | Declined::Framed(_)) => {}
                done => return done,
            }
        }
    }
    attempt(0)
}

fn attempt(
    evaluation: &Evaluation,
    height: usize,
    said: &mut Vec<String>,
) -> Result<Residual, Declined> {
    said.clear();
    let mut reads = Reads::new(evaluation.request);
    let mut analysis = analyse::run(evaluation, height, &mut reads)?;
    let (function, reloads) = emit::run(evaluation, &mut analysis, &mut reads, said)?;
    Ok(Residual {
        function,
        reloads,
        log: reads.log,
        links: reads.bases.into_links(),
        contexts: analysis.contexts.len(),
        nodes: analysis.nodes.len(),
        unknown_positions: analysis.contexts.unknown_positions(),
    })
}

impl Evaluation<'_> {
    /// Whether the node that leads to this block goes on in it.
    fn goes_on_in(&self, block: Block) -> bool {
        !self.apart && self.prepared.continues[block]
    }

    /// What is known of each parameter of the generic function.
    fn entry(&self) -> impl Iterator<Item = (Param, Abs)> {
        let types = &self.prepared.function.signature.params;
        self.request.params.iter().zip(types).map(|(&param, &ty)| {
            let known = match param {
                Param::Const(constant) => Abs::Const(constant),
                Param::Pointer(base) => Abs::Symbol(Symbol { base, offset: 0 }),
                Param::Buffer(param, _) | Param::Frame(param) => Abs::Offset { param, offset: 0 },
                Param::Pass(param) if ty == Type::I32 => Abs::Offset { param, offset: 0 },
                Param::Pass(param) => self
                    .bare_param(param)
                    .map_or(Abs::Dynamic, |kind| Abs::Fact(Fact::Box(kind))),
                Param::Given(_, base) => Abs::Fact(Fact::Pointer(Symbol { base, offset: 0 })),
            };
            (param, known)
        })
    }

    /// How many cells are cached. Those of a frame come in twos and threes: a register is several.
    fn window(&self) -> Window {
        let usual = Window::default().size;
        Window {
            size: match self.request.frames().next() {
                Some(_) => 3 * usual,
                None => usual,
            },
            grows_up: self.prepared.grows_up,
            frames: Frames::new(self.request.frames()),
        }
    }

    /// Whether an address is known to be in a frame, so that loads and stores read and write cells.
    fn is_in_frame(&self, address: Abs) -> bool {
        let Abs::Offset { param, .. } = address else {
            return false;
        };
        self.request.params.contains(&Param::Frame(param))
    }

    fn constant_global(&self, global: Global) -> Option<Const> {
        let info = &self.module.globals[global];
        if info.mutable { None } else { info.init }
    }
}
