//! The functions by which a module has several stacks, see [`annotations::StackFunction`], of the
//! stack-switching proposal's instructions.
//!
//! Each stack is a continuation in a table of its own. One that was not used yet begins in a
//! function of the linker's, which calls what the guest has named. Locals in memory are copied out
//! where a stack stops, and back where it goes on: here, as these functions have none themselves.
//!
//! Invariant: what is added to the module comes behind what it has, and nothing is added where it
//! makes no stack.

use annotations::{LOCALS_LEN, MOST_STACKS, STACKS_EXPORT, StackFunction};
use wasm_encoder::{
    BlockType, ConstExpr, ContType, ElementSection, Elements, ExportKind, ExportSection, Function,
    GlobalSection, GlobalType, Handle, HeapType, MemArg, RefType, TableSection, TableType, TagKind,
    TagSection, TagType, TypeSection, ValType,
};
use wasmparser::{Parser, Payload, TypeRef};

use super::LinkError;
use crate::ir::{Func, Type};
use crate::module::{Import, Module};
use crate::op::Const;

/// Where in the module is what its stacks are made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stacks {
    /// The type of a function without parameters and results, and behind it that of continuations.
    types: u32,
    /// The table of continuations.
    table: u32,
    /// The global that is the end of the present stack's locals, and its value without any.
    locals: u32,
    top: i32,
    /// The global that holds what a new stack begins with.
    start: u32,
    /// The function that a new stack begins in.
    entry: u32,
}

/// The only tag: of a stack that suspends itself.
const TAG: u32 = 0;

impl Stacks {
    /// For a module that has `globals` globals when it is linked, and the function `entry` last;
    /// nothing if it is not made for stacks: it has no locals in memory, or tags of its own.
    pub fn find(module: &Module, globals: u32, entry: u32) -> Result<Option<Self>, LinkError> {
        let (mut tables, mut has_tags) = (0, false);
        for payload in Parser::new(0).parse_all(module.bytes) {
            match payload? {
                Payload::TableSection(section) => tables += section.count(),
                Payload::TagSection(_) => has_tags = true,
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        match import?.ty {
                            TypeRef::Table(_) => tables += 1,
                            TypeRef::Tag(_) => has_tags = true,
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        let mut pointers = (0..).zip(module.globals.values());
        let pointer = pointers.find(|(_, global)| global.mutable && global.ty == Some(Type::I32));
        let Some((locals, Some(Const::I32(top)))) =
            pointer.map(|(index, global)| (index, global.init))
        else {
            return Ok(None);
        };
        let is_fit = !has_tags && module.owns_table && module.memory_size.is_some();
        Ok(is_fit.then_some(Self {
            types: module.types.len() as u32,
            table: tables,
            locals,
            top,
            start: globals,
            entry,
        }))
    }

    /// The index and the type of the function that new stacks begin in.
    pub fn entry(&self) -> (u32, u32) {
        (self.entry, self.types)
    }

    /// How many types [`Stacks::define_types`] defines.
    pub const TYPES: u32 = 2;

    pub fn define_types(&self, types: &mut TypeSection) {
        types.ty().function([], []);
        types.ty().cont(&ContType(self.types));
    }

    pub fn define_table(&self, tables: &mut TableSection) {
        tables.table(TableType {
            element_type: self.continuation(),
            table64: false,
            minimum: 0,
            maximum: Some(MOST_STACKS.into()),
            shared: false,
        });
    }

    pub fn tags(&self) -> TagSection {
        let mut tags = TagSection::new();
        tags.tag(TagType {
            kind: TagKind::Exception,
            func_type_idx: self.types,
        });
        tags
    }

    pub fn define_globals(&self, globals: &mut GlobalSection) {
        let start = GlobalType {
            val_type: ValType::I32,
            mutable: true,
            shared: false,
        };
        globals.global(start, &ConstExpr::i32_const(0));
    }

    /// Says that there are stacks.
    pub fn export(&self, exports: &mut ExportSection) {
        exports.export(STACKS_EXPORT, ExportKind::Global, self.start);
    }

    /// That code refers to the entry has to be declared.
    pub fn declare(&self, elements: &mut ElementSection) {
        elements.declared(Elements::Functions(vec![self.entry].into()));
    }

    fn continuation(&self) -> RefType {
        RefType {
            nullable: true,
            heap_type: HeapType::Concrete(self.types + 1),
        }
    }

    /// The code of the function that new stacks begin in.
    pub fn code_of_entry(&self) -> Function {
        let mut code = Function::new([]);
        code.instructions()
            .i32_const(self.top)
            .global_set(self.locals)
            .global_get(self.start)
            .call_indirect(0, self.types)
            .end();
        code
    }

    /// The code of a function that the module imported.
    pub fn code(&self, function: StackFunction) -> Function {
        match function {
            StackFunction::Locals => self.locals(),
            StackFunction::New => self.new_stack(),
            StackFunction::Resume => self.resume(),
            StackFunction::Suspend => self.suspend(),
        }
    }

    fn locals(&self) -> Function {
        let mut code = Function::new([]);
        code.instructions()
            .i32_const(self.top)
            .global_get(self.locals)
            .i32_sub()
            .end();
        code
    }

    fn new_stack(&self) -> Function {
        let mut code = Function::new([]);
        code.instructions()
            .ref_func(self.entry)
            .cont_new(self.types + 1)
            .i32_const(1)
            .table_grow(self.table)
            .end();
        code
    }

    fn resume(&self) -> Function {
        let [stack, start, own, its] = [0, 1, 2, 3];
        let [pointer, continuation] = [4, 5];
        let mut code = Function::new([(1, ValType::I32), (1, ValType::Ref(self.continuation()))]);
        let suspended = RefType {
            nullable: false,
            ..self.continuation()
        };
        self.copy_out(own, pointer, &mut code);
        self.copy_in(its, &mut code);
        code.instructions()
            .local_get(start)
            .global_set(self.start)
            .block(BlockType::Result(ValType::Ref(suspended)))
            .local_get(stack)
            .table_get(self.table)
            .resume(self.types + 1, [Handle::OnLabel { tag: TAG, label: 0 }])
            .unreachable()
            .end()
            .local_set(continuation)
            .local_get(stack)
            .local_get(continuation)
            .table_set(self.table);
        self.copy_in(own, &mut code);
        code.instructions()
            .local_get(pointer)
            .global_set(self.locals)
            .i32_const(0)
            .end();
        code
    }

    fn suspend(&self) -> Function {
        let [own, pointer] = [0, 1];
        let mut code = Function::new([(1, ValType::I32)]);
        self.copy_out(own, pointer, &mut code);
        code.instructions()
            .suspend(TAG)
            .local_get(pointer)
            .global_set(self.locals)
            .i32_const(0)
            .end();
        code
    }

    /// Keeps where locals end in `pointer`, and copies them, their number and that address to where
    /// `own` says.
    fn copy_out(&self, own: u32, pointer: u32, code: &mut Function) {
        code.instructions()
            .global_get(self.locals)
            .local_set(pointer)
            .local_get(own)
            .i32_const(self.top)
            .local_get(pointer)
            .i32_sub()
            .i32_store(LENGTH)
            .local_get(own)
            .local_get(pointer)
            .i32_store(ADDRESS)
            .local_get(own)
            .i32_const(LOCALS_LEN as i32)
            .i32_add()
            .local_get(pointer)
            .i32_const(self.top)
            .local_get(pointer)
            .i32_sub()
            .memory_copy(0, 0);
    }

    /// Copies locals back from where they were kept.
    fn copy_in(&self, kept: u32, code: &mut Function) {
        code.instructions()
            .i32_const(self.top)
            .local_get(kept)
            .i32_load(LENGTH)
            .i32_sub()
            .local_get(kept)
            .i32_const(LOCALS_LEN as i32)
            .i32_add()
            .local_get(kept)
            .i32_load(LENGTH)
            .memory_copy(0, 0);
    }
}

/// Where kept locals say how many they are.
const LENGTH: MemArg = MemArg {
    offset: 0,
    align: 2,
    memory_index: 0,
};

/// Where they say what address they have.
const ADDRESS: MemArg = MemArg {
    offset: 4,
    ..LENGTH
};

/// The function that an import stands for, if the module means [`annotations::STACKS_MODULE`]; an
/// error if there is none of this name and type.
pub(super) fn function(
    module: &Module,
    func: Func,
    import: &Import,
) -> Result<Option<StackFunction>, LinkError> {
    if import.module != annotations::STACKS_MODULE {
        return Ok(None);
    }
    let function = StackFunction::imported(import.module, import.name);
    let is_its = |function: &StackFunction| {
        module.signature(func).is_some_and(|signature| {
            signature.params == vec![Type::I32; function.parameters()]
                && signature.results == [Type::I32]
        })
    };
    match function.filter(is_its) {
        Some(function) => Ok(Some(function)),
        None => Err(LinkError::UnknownIntrinsic {
            module: import.module.to_owned(),
            name: import.name.to_owned(),
        }),
    }
}
