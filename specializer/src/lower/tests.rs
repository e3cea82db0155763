//! Tests of lowering: what is written for each shape of code, and that random functions keep their
//! meaning through lowering and lifting.

use wasm_encoder as enc;

use super::{Lowered, RelocationKind, patch_address, patch_index};
use crate::ir::residual::Function;
use crate::random::{self, Random};

/// A module with `lowered` as function 1 after an imported `report`, a memory and a global.
pub fn module(lowered: Lowered) -> Vec<u8> {
    use enc::ValType::{I32, I64};
    let mut types = enc::TypeSection::new();
    types.ty().function([I32, I64], [I64]);
    let mut imports = enc::ImportSection::new();
    imports.import("host", "report", enc::EntityType::Function(0));
    let mut functions = enc::FunctionSection::new();
    functions.function(0);
    let mut memories = enc::MemorySection::new();
    let memory = enc::MemoryType {
        minimum: 1,
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    };
    memories.memory(memory);
    let mut globals = enc::GlobalSection::new();
    let global = enc::GlobalType {
        val_type: I32,
        mutable: true,
        shared: false,
    };
    globals.global(global, &enc::ConstExpr::i32_const(16));
    let mut code = enc::CodeSection::new();
    code.raw(&relocate(lowered));
    let mut module = enc::Module::new();
    module
        .section(&types)
        .section(&imports)
        .section(&functions)
        .section(&memories);
    module.section(&globals).section(&code);
    module.finish()
}

/// The body with direct calls to the generic module's functions, and symbols at address 0.
fn relocate(lowered: Lowered) -> Vec<u8> {
    let mut body = lowered.body;
    for relocation in lowered.relocations {
        match relocation.kind {
            RelocationKind::CallFunction(func) => patch_index(&mut body, relocation.offset, func.0),
            RelocationKind::SymbolAddress(symbol) => {
                patch_address(&mut body, relocation.offset, symbol.offset as u32);
            }
            RelocationKind::CallSlot(_) | RelocationKind::CallIntrinsic(_) => {
                unreachable!("these tests do not call slots or annotations")
            }
        }
    }
    body
}

pub fn validate(bytes: &[u8]) -> Result<(), wasmparser::BinaryReaderError> {
    wasmparser::Validator::new_with_features(wasmparser::WasmFeatures::all())
        .validate_all(bytes)
        .map(drop)
}

fn check_valid(function: &Function) {
    let bytes = module(super::function(function));
    validate(&bytes).expect("lowered code is valid");
}

#[test]
fn random_functions_lower_to_valid_code() {
    for seed in 0..2000 {
        let function = random::function(&mut Random::new(seed), 1 + seed as usize % 24);
        check_valid(&function);
        let mut clean = function.clone();
        crate::cleanup::run(&mut clean);
        check_valid(&clean);
    }
}
