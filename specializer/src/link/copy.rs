//! Copies a module section by section with the linker's changes.

use std::collections::BTreeSet;

use wasm_encoder::reencode::{self, Reencode, utils};
use wasm_encoder::{
    CodeSection, DataSection, ElementSection, ExportSection, FunctionSection, ImportSection,
    Instruction, MemArg,
};
use wasmparser::{FunctionBody, Operator};

use super::{Layout, LinkError, Place};
use crate::ir::Func;
use crate::module::Module;
use crate::op::Intrinsic;

/// Exports that only the snapshot needed: a command module has no initialiser.
const DROPPED_EXPORTS: &[&str] = &["_initialize"];

pub(super) fn run(
    module: &Module,
    layout: &Layout,
    bodies: Vec<Vec<u8>>,
) -> Result<Vec<u8>, LinkError> {
    if !module.owns_table && !bodies.is_empty() {
        return Err(LinkError::NoTable);
    }
    let mut copier = Copier {
        layout,
        bodies,
        own_segments: own_segments(module, layout),
    };
    let mut linked = wasm_encoder::Module::new();
    let parser = wasmparser::Parser::new(0);
    copier
        .parse_core_module(&mut linked, parser, module.bytes)
        .map_err(|error| match error {
            reencode::Error::UserError(error) => error,
            other => LinkError::Copy(other.to_string()),
        })?;
    Ok(linked.finish())
}

/// The slots that no data segment holds, or one only in part: a snapshot leaves out bytes that are zero.
fn own_segments(module: &Module, layout: &Layout) -> BTreeSet<u32> {
    let mut missing: BTreeSet<u32> = layout.slots.keys().copied().collect();
    let mut split = BTreeSet::new();
    for &(start, len) in &module.segments {
        let end = u64::from(start) + u64::from(len);
        for (&slot, _) in layout.slots.range(start.saturating_sub(3)..) {
            if u64::from(slot) >= end {
                break;
            }
            if start <= slot && u64::from(slot) + 4 <= end {
                missing.remove(&slot);
            } else {
                split.insert(slot);
            }
        }
    }
    missing.append(&mut split);
    missing
}

struct Copier<'a> {
    layout: &'a Layout,
    bodies: Vec<Vec<u8>>,
    /// Slots that get a data segment of their own.
    own_segments: BTreeSet<u32>,
}

type Copied<T> = Result<T, reencode::Error<LinkError>>;

impl Copier<'_> {
    fn annotation(&self, operator: &Operator) -> Option<Intrinsic> {
        let Operator::Call { function_index } = operator else {
            return None;
        };
        match self.layout.functions.get(*function_index as usize)? {
            Place::Annotation(intrinsic) => Some(*intrinsic),
            Place::Function(_) => None,
        }
    }
}

/// The plain operation that an annotation stands for in generic code.
fn plain(intrinsic: Intrinsic) -> Vec<Instruction<'static>> {
    let word = MemArg {
        offset: 0,
        align: 3,
        memory_index: 0,
    };
    match intrinsic {
        Intrinsic::CellsRead => vec![Instruction::I64Load(word)],
        Intrinsic::CellsWrite => vec![Instruction::I64Store(word)],
        Intrinsic::ContextUpdate | Intrinsic::ContextPush | Intrinsic::CellsDropBelow => {
            vec![Instruction::Drop]
        }
        Intrinsic::ContextPop | Intrinsic::CellsSync | Intrinsic::CellsInvalidate => vec![],
        Intrinsic::SpecializeValue | Intrinsic::SpecializeRange => vec![Instruction::Drop; 2],
        Intrinsic::SpecializeGuess => vec![Instruction::Drop],
        Intrinsic::SpecializeActive => vec![Instruction::I32Const(0)],
        Intrinsic::LockstepEvent => vec![Instruction::Drop; 4],
    }
}

impl Reencode for Copier<'_> {
    type Error = LinkError;

    fn function_index(&mut self, func: u32) -> Copied<u32> {
        self.layout
            .function(Func(func))
            .map_err(reencode::Error::UserError)
    }

    fn parse_import_section(
        &mut self,
        imports: &mut ImportSection,
        section: wasmparser::ImportSectionReader<'_>,
    ) -> Copied<()> {
        let mut func = 0;
        for import in section.into_imports() {
            let import = import?;
            let is_function = matches!(import.ty, wasmparser::TypeRef::Func(_));
            if is_function {
                func += 1;
            }
            if is_function && matches!(self.layout.functions[func - 1], Place::Annotation(_)) {
                continue;
            }
            imports.import(import.module, import.name, self.entity_type(import.ty)?);
        }
        Ok(())
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: wasmparser::FunctionSectionReader<'_>,
    ) -> Copied<()> {
        utils::parse_function_section(self, functions, section)?;
        for (_, sig) in &self.layout.residual {
            functions.function(sig.0);
        }
        Ok(())
    }

    fn parse_table_section(
        &mut self,
        tables: &mut wasm_encoder::TableSection,
        section: wasmparser::TableSectionReader<'_>,
    ) -> Copied<()> {
        for (index, table) in section.into_iter().enumerate() {
            let mut table = table?;
            if index == 0 {
                table.ty.initial += self.bodies.len() as u64;
                table.ty.maximum = table
                    .ty
                    .maximum
                    .map(|maximum| maximum.max(table.ty.initial));
            }
            self.parse_table(tables, table)?;
        }
        Ok(())
    }

    fn parse_export(
        &mut self,
        exports: &mut ExportSection,
        export: wasmparser::Export<'_>,
    ) -> Copied<()> {
        if DROPPED_EXPORTS.contains(&export.name) {
            return Ok(());
        }
        utils::parse_export(self, exports, export)
    }

    fn parse_element_section(
        &mut self,
        elements: &mut ElementSection,
        section: wasmparser::ElementSectionReader<'_>,
    ) -> Copied<()> {
        utils::parse_element_section(self, elements, section)?;
        let functions: Vec<u32> = self
            .layout
            .residual
            .iter()
            .map(|(function, _)| *function)
            .collect();
        if !functions.is_empty() {
            let offset = wasm_encoder::ConstExpr::i32_const(self.layout.table_base as i32);
            elements.active(
                None,
                &offset,
                wasm_encoder::Elements::Functions(functions.into()),
            );
        }
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: wasmparser::CodeSectionReader<'_>,
    ) -> Copied<()> {
        utils::parse_code_section(self, code, section)?;
        for body in &self.bodies {
            code.raw(body);
        }
        Ok(())
    }

    fn parse_function_body(
        &mut self,
        code: &mut CodeSection,
        body: FunctionBody<'_>,
    ) -> Copied<()> {
        let mut function = self.new_function_with_parsed_locals(&body)?;
        let mut reader = body.get_operators_reader()?;
        while !reader.eof() {
            let operator = reader.read()?;
            match self.annotation(&operator) {
                Some(intrinsic) => plain(intrinsic).iter().for_each(|plain| {
                    function.instruction(plain);
                }),
                None => {
                    function.instruction(&self.instruction(operator)?);
                }
            }
        }
        code.function(&function);
        Ok(())
    }

    fn data_count(&mut self, count: u32) -> Copied<u32> {
        Ok(count + self.own_segments.len() as u32)
    }

    fn parse_data_section(
        &mut self,
        data: &mut DataSection,
        section: wasmparser::DataSectionReader<'_>,
    ) -> Copied<()> {
        utils::parse_data_section(self, data, section)?;
        for address in &self.own_segments {
            let offset = wasm_encoder::ConstExpr::i32_const(*address as i32);
            data.active(0, &offset, self.layout.slots[address].to_le_bytes());
        }
        Ok(())
    }

    fn parse_data(&mut self, data: &mut DataSection, segment: wasmparser::Data<'_>) -> Copied<()> {
        let wasmparser::DataKind::Active {
            memory_index: 0,
            offset_expr,
        } = &segment.kind
        else {
            return utils::parse_data(self, data, segment);
        };
        let Some(crate::op::Const::I32(start)) = crate::module::constant(offset_expr) else {
            return utils::parse_data(self, data, segment);
        };
        let start = start as u32;
        let mut bytes = segment.data.to_vec();
        for (&address, &table_index) in self.layout.slots.range(start..) {
            let at = (address - start) as usize;
            if at >= bytes.len() {
                break;
            }
            if let Some(word) = bytes.get_mut(at..at + 4) {
                word.copy_from_slice(&table_index.to_le_bytes());
            }
        }
        data.active(0, &self.const_expr(offset_expr.clone())?, bytes);
        Ok(())
    }

    /// Debug information of the generic module does not fit the linked one; names are dropped with it.
    fn parse_custom_section(
        &mut self,
        module: &mut wasm_encoder::Module,
        section: wasmparser::CustomSectionReader<'_>,
    ) -> Copied<()> {
        if section.name() == "name" || section.name().starts_with(".debug") {
            return Ok(());
        }
        utils::parse_custom_section(self, module, section)
    }
}
