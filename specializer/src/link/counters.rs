//! Counters of activations: one global for each residual function, which adds one to it first.
//!
//! A counter is exported under a name that says what the function is known by and where its code
//! is, so that a host finds both without anything else, even in machine code.
//!
//! Invariant: a counter changes nothing that code can see. Generic functions are not counted.

use std::collections::HashMap;

use wasm_encoder::{
    ConstExpr, Encode, ExportKind, ExportSection, GlobalSection, GlobalType, Instruction, ValType,
};
use wasmparser::{BinaryReader, FunctionBody};

use super::Residue;
use crate::module::Module;
use crate::profile::{Identity, identities};
use crate::request::Requests;

/// What a counter's export begins with.
const PREFIX: &str = "bactrian:activations ";

/// The address of the code, and the function, whose counter is exported under `name`, if that is
/// a counter's.
pub fn counted(name: &str) -> Option<(u32, Identity)> {
    let (code, identity) = name.strip_prefix(PREFIX)?.split_once(' ')?;
    Some((code.parse().ok()?, identity.parse().ok()?))
}

/// The counter of each residual function, in order.
#[derive(Default)]
pub(super) struct Counters {
    /// The first one's index.
    base: u32,
    functions: Vec<(u32, Identity)>,
}

impl Counters {
    pub fn new(module: &Module, requests: &Requests, residues: &[Residue]) -> Self {
        let slots = requests.requests.iter().map(|request| request.slot);
        let identities: HashMap<u32, Identity> = slots.zip(identities(requests)).collect();
        let functions = residues.iter().map(|residue| {
            let identity = identities.get(&residue.request.slot);
            let identity = identity.expect("a residue answers a request");
            (residue.request.code, identity.clone())
        });
        Self {
            base: module.globals.len() as u32,
            functions: functions.collect(),
        }
    }

    /// How many globals these are.
    pub fn count(&self) -> u32 {
        self.functions.len() as u32
    }

    pub fn define(&self, globals: &mut GlobalSection) {
        let counter = GlobalType {
            val_type: ValType::I64,
            mutable: true,
            shared: false,
        };
        for _ in &self.functions {
            globals.global(counter, &ConstExpr::i64_const(0));
        }
    }

    pub fn export(&self, exports: &mut ExportSection) {
        for (index, (code, identity)) in (self.base..).zip(&self.functions) {
            let name = format!("{PREFIX}{code} {identity}");
            exports.export(&name, ExportKind::Global, index);
        }
    }

    /// The body of the residual function with this number, with what counts its activations.
    pub fn counting(&self, number: usize, body: Vec<u8>) -> Vec<u8> {
        if self.functions.is_empty() {
            return body;
        }
        let counter = self.base + number as u32;
        let start = code_start(&body);
        let mut counting = Vec::new();
        for instruction in [
            Instruction::GlobalGet(counter),
            Instruction::I64Const(1),
            Instruction::I64Add,
            Instruction::GlobalSet(counter),
        ] {
            instruction.encode(&mut counting);
        }
        [&body[..start], &counting, &body[start..]].concat()
    }
}

/// Where in a body the code begins, after its locals.
fn code_start(body: &[u8]) -> usize {
    let reader = FunctionBody::new(BinaryReader::new(body, 0)).get_operators_reader();
    reader
        .expect("lowering writes the locals of a body")
        .original_position()
}
