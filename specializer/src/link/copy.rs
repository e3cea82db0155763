//! Copies a module section by section with the linker's changes.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use wasm_encoder::reencode::{self, Reencode, utils};
use wasm_encoder::{
    CodeSection, CompositeInnerType, DataSection, ElementSection, ExportSection, FunctionSection,
    GlobalSection, ImportSection, Instruction, SectionId, ValType,
};
use wasmparser::{FunctionBody, KnownCustom, Operator};

use super::data::Data;
use super::dispatch::Dispatch;
use super::layout::{Fate, Layout};
use super::names::Names;
use super::{LinkError, custom, elements, plain};
use crate::ir::{Func, Sig};
use crate::module::{Module, references};
use crate::op::Intrinsic;

/// Whether the linked module has this export: what has been initialised has no initialiser, and
/// what is evaluated at build time was evaluated.
pub(super) fn keeps(module: &Module, to_initialise: bool, export: &str) -> bool {
    match export {
        // Nobody says that a module for weval is a command.
        _ if module
            .exports
            .contains_key(annotations::weval::PENDING_EXPORT) =>
        {
            true
        }
        "_initialize" | annotations::EVALUATE_EXPORT => to_initialise,
        annotations::STUBS_EXPORT => false,
        // What a guest has in place of a C library's functions is for its own code.
        "getenv" | "strdup" => false,
        // The linker of stubs has used them, or there are none.
        _ if export.starts_with(annotations::STUB_INTERFACE_EXPORT) => false,
        _ => true,
    }
}

pub(super) fn run(
    module: &Module,
    layout: &Layout,
    bodies: Vec<Vec<u8>>,
    names: Option<Names>,
) -> Result<Vec<u8>, LinkError> {
    if !module.owns_table && !bodies.is_empty() {
        return Err(LinkError::NoTable);
    }
    let mut fates = layout.functions.values();
    let needs_locals = fates
        .any(|fate| matches!(fate, Fate::Intrinsic(intrinsic) if plain::needs_local(*intrinsic)));
    let mut copier = Copier {
        module,
        layout,
        types: 0,
        copied: 0,
        bodies,
        names,
        data: layout.memory.segments(module, layout.names_placed_data),
        has_elements: false,
        has_data: false,
        needs_locals,
    };
    let mut linked = wasm_encoder::Module::new();
    let parser = wasmparser::Parser::new(0);
    copier
        .parse_core_module(&mut linked, parser, module.bytes)
        .map_err(|error| match error {
            reencode::Error::UserError(error) => error,
            other => LinkError::Copy(other.to_string()),
        })?;
    if let Some(names) = &copier.names {
        linked.section(&names.section());
    }
    Ok(linked.finish())
}

pub(super) struct Copier<'a> {
    pub module: &'a Module<'a>,
    pub layout: &'a Layout,
    /// Types that were copied.
    types: u32,
    /// Function bodies that were.
    copied: usize,
    bodies: Vec<Vec<u8>>,
    names: Option<Names>,
    data: Data,
    /// Whether the snapshot has these sections, as far as it was copied.
    has_elements: bool,
    has_data: bool,
    /// Whether a plain operation of the module's intrinsics needs a local.
    needs_locals: bool,
}

pub(super) type Copied<T> = Result<T, reencode::Error<LinkError>>;

impl Copier<'_> {
    /// The intrinsic that is called and has no import any more.
    fn intrinsic(&self, operator: &Operator) -> Option<Intrinsic> {
        let (Operator::Call { function_index } | Operator::ReturnCall { function_index }) =
            operator
        else {
            return None;
        };
        match self.layout.functions.get(Func(*function_index))? {
            Fate::Intrinsic(intrinsic) => Some(*intrinsic),
            Fate::Function(_) | Fate::Stub(_) | Fate::Dropped => None,
        }
    }
}

impl<'a> Copier<'a> {
    /// The types of a function's locals, in groups.
    fn locals(&mut self, body: &FunctionBody) -> Copied<Vec<(u32, ValType)>> {
        let mut locals = Vec::new();
        for group in body.get_locals_reader()? {
            let (count, ty) = group?;
            locals.push((count, self.val_type(ty)?));
        }
        Ok(locals)
    }

    /// The first local after those of `func` that are declared so far.
    fn next_local(&self, func: Func, locals: &[(u32, ValType)]) -> u32 {
        let params = self.module.params(self.module.functions[func]) as u32;
        let declared: u32 = locals.iter().map(|(count, _)| count).sum();
        params + declared
    }

    /// The local that plain operations in `func` need, if any does; adds it.
    fn local_for_stores(
        &self,
        func: Func,
        body: &FunctionBody,
        locals: &mut Vec<(u32, ValType)>,
    ) -> Copied<u32> {
        let local = self.next_local(func, locals);
        let mut operators = body.get_operators_reader()?;
        while self.needs_locals && !operators.eof() {
            if self
                .intrinsic(&operators.read()?)
                .is_some_and(plain::needs_local)
            {
                locals.push((1, ValType::I64));
                break;
            }
        }
        Ok(local)
    }

    /// Adds a body of the function `func`.
    fn body(&self, code: &mut CodeSection, func: Func, body: Vec<u8>) -> Copied<()> {
        let sig = self.module.functions[func];
        let body = self.layout.passing.apply(self.module, sig, body);
        code.raw(&body.map_err(reencode::Error::UserError)?);
        Ok(())
    }

    /// What copies the calls of the dispatcher `func`; adds the locals that it needs.
    fn dispatch(
        &self,
        func: Func,
        body: &FunctionBody,
        locals: &mut Vec<(u32, ValType)>,
    ) -> Copied<Dispatch<'a>> {
        let local = self.next_local(func, locals);
        let (dispatch, types) = Dispatch::new(&self.layout.cases, body, local)?;
        locals.extend(types.into_iter().map(|ty| (1, ty)));
        Ok(dispatch)
    }
}

impl Reencode for Copier<'_> {
    type Error = LinkError;

    fn function_index(&mut self, func: u32) -> Copied<u32> {
        self.layout
            .function(Func(func))
            .map_err(reencode::Error::UserError)
    }

    fn parse_type_section(
        &mut self,
        types: &mut wasm_encoder::TypeSection,
        section: wasmparser::TypeSectionReader<'_>,
    ) -> Copied<()> {
        utils::parse_type_section(self, types, section)?;
        if let Some(stacks) = &self.layout.stacks {
            stacks.define_types(types);
        }
        self.layout.passing.define_types(types);
        Ok(())
    }

    fn sub_type(&mut self, ty: wasmparser::SubType) -> Copied<wasm_encoder::SubType> {
        let mut ty = utils::sub_type(self, ty)?;
        let sig = Sig(self.types);
        self.types += 1;
        if let Some(changed) = self.layout.passing.changed(sig) {
            ty.composite_type.inner = CompositeInnerType::Func(changed);
        }
        Ok(ty)
    }

    /// Adds sections that the snapshot does not have, and the linked module has: tags come before
    /// globals, elements before the number of data segments or code, data at the end.
    fn intersperse_section_hook(
        &mut self,
        module: &mut wasm_encoder::Module,
        _after: Option<SectionId>,
        before: Option<SectionId>,
    ) -> Copied<()> {
        match before {
            Some(SectionId::Global) => {
                if let Some(stacks) = &self.layout.stacks {
                    module.section(&stacks.tags());
                }
            }
            Some(SectionId::DataCount | SectionId::Code) if !self.has_elements => {
                self.has_elements = true;
                let mut elements = ElementSection::new();
                elements::declare(self, &mut elements, &HashSet::new())?;
                if let Some(stacks) = &self.layout.stacks {
                    stacks.declare(&mut elements);
                }
                if !elements.is_empty() {
                    module.section(&elements);
                }
            }
            None if !self.has_data => {
                let mut data = DataSection::new();
                self.data.add_to(&mut data);
                if !data.is_empty() {
                    module.section(&data);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn parse_import_section(
        &mut self,
        imports: &mut ImportSection,
        section: wasmparser::ImportSectionReader<'_>,
    ) -> Copied<()> {
        let mut fates = self.layout.functions.values();
        for import in section.into_imports() {
            let import = import?;
            if let wasmparser::TypeRef::Func(_) = import.ty
                && let Some(Fate::Intrinsic(_) | Fate::Stub(_) | Fate::Dropped) = fates.next()
            {
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
        let fates = self.layout.functions.values();
        for (sig, fate) in section
            .into_iter()
            .zip(fates.skip(self.module.imports.len()))
        {
            if !matches!(fate, Fate::Dropped) {
                functions.function(sig?);
            }
        }
        for (_, sig) in &self.layout.residual {
            functions.function(sig.0);
        }
        for stub in self.layout.stubs.values() {
            functions.function(stub.sig.0);
        }
        if let Some(stacks) = &self.layout.stacks {
            functions.function(stacks.entry().1);
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
                // Versions are called directly.
                let added = self.layout.table.len() as u64;
                table.ty.initial += added;
                // There is as much room to grow as before.
                let most = if table.ty.table64 {
                    u64::MAX
                } else {
                    u32::MAX.into()
                };
                table.ty.maximum = table
                    .ty
                    .maximum
                    .map(|maximum| maximum.saturating_add(added).min(most));
            }
            self.parse_table(tables, table)?;
        }
        if let Some(stacks) = &self.layout.stacks {
            stacks.define_table(tables);
        }
        Ok(())
    }

    fn parse_export(
        &mut self,
        exports: &mut ExportSection,
        export: wasmparser::Export<'_>,
    ) -> Copied<()> {
        if !keeps(self.module, self.layout.to_initialise, export.name) {
            return Ok(());
        }
        utils::parse_export(self, exports, export)
    }

    fn parse_global_section(
        &mut self,
        globals: &mut GlobalSection,
        section: wasmparser::GlobalSectionReader<'_>,
    ) -> Copied<()> {
        utils::parse_global_section(self, globals, section)?;
        self.layout.counters.define(globals);
        if let Some(stacks) = &self.layout.stacks {
            stacks.define_globals(globals);
        }
        Ok(())
    }

    fn parse_export_section(
        &mut self,
        exports: &mut ExportSection,
        section: wasmparser::ExportSectionReader<'_>,
    ) -> Copied<()> {
        utils::parse_export_section(self, exports, section)?;
        self.layout.counters.export(exports);
        if let Some(stacks) = &self.layout.stacks {
            stacks.export(exports);
        }
        Ok(())
    }

    fn parse_element_section(
        &mut self,
        elements: &mut ElementSection,
        section: wasmparser::ElementSectionReader<'_>,
    ) -> Copied<()> {
        self.has_elements = true;
        elements::copy(self, elements, section)?;
        if let Some(stacks) = &self.layout.stacks {
            stacks.declare(elements);
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
        for stub in self.layout.stubs.values() {
            code.function(&stub.code(self.layout.stacks.as_ref()));
        }
        if let Some(stacks) = &self.layout.stacks {
            code.function(&stacks.code_of_entry());
        }
        Ok(())
    }

    fn parse_function_body(
        &mut self,
        code: &mut CodeSection,
        body: FunctionBody<'_>,
    ) -> Copied<()> {
        let func = Func((self.module.imports.len() + self.copied) as u32);
        self.copied += 1;
        if let Fate::Dropped = self.layout.functions[func] {
            return Ok(());
        }
        if let Some(lowered) = self.layout.plain.get(&func) {
            let body = self.layout.relocate_plain(lowered);
            return self.body(code, func, body.map_err(reencode::Error::UserError)?);
        }
        let mut locals = self.locals(&body)?;
        let mut dispatch = match self.layout.dispatchers.contains(&func) {
            true => Some(self.dispatch(func, &body, &mut locals)?),
            false => None,
        };
        let value = self.local_for_stores(func, &body, &mut locals)?;
        let mut function = wasm_encoder::Function::new(locals);
        let mut reader = body.get_operators_reader()?;
        while !reader.eof() {
            let operator = reader.read()?;
            if let Some(dispatch) = &mut dispatch
                && dispatch.write(&operator, &mut function)
            {
                continue;
            }
            match self.intrinsic(&operator) {
                Some(intrinsic) => {
                    plain::write(intrinsic, value, &mut function);
                    if let Operator::ReturnCall { .. } = operator {
                        function.instruction(&Instruction::Return);
                    }
                }
                None => {
                    let instruction = self.instruction(operator)?;
                    self.layout.indices.write(&instruction, &mut function);
                }
            }
        }
        self.body(code, func, function.into_raw_body())
    }

    fn data_index(&mut self, data: u32) -> Copied<u32> {
        let index = self.data.others.get(&data).copied().or(self.data.empty);
        index.ok_or_else(|| {
            let what = format!("there is no data segment {data}");
            reencode::Error::UserError(LinkError::Copy(what))
        })
    }

    fn data_count(&mut self, _count: u32) -> Copied<u32> {
        Ok(self.data.count())
    }

    fn parse_data_section(
        &mut self,
        data: &mut DataSection,
        section: wasmparser::DataSectionReader<'_>,
    ) -> Copied<()> {
        self.has_data = true;
        for (index, segment) in (0..).zip(section) {
            if self.data.others.contains_key(&index) {
                utils::parse_data(self, data, segment?)?;
            }
        }
        self.data.add_to(data);
        Ok(())
    }

    /// Drops what speaks of code that is another now. Names are collected: their section comes
    /// last.
    fn parse_custom_section(
        &mut self,
        module: &mut wasm_encoder::Module,
        section: wasmparser::CustomSectionReader<'_>,
    ) -> Copied<()> {
        if let KnownCustom::Name(section) = section.as_known() {
            if let Some(names) = &mut self.names {
                names.read(self.layout, section);
            }
            return Ok(());
        }
        if custom::is_outdated(section.name()) || references::is_section(&section) {
            return Ok(());
        }
        utils::parse_custom_section(self, module, section)
    }
}
