//! What passes between a module and the outside.

use wasmparser::{CompositeInnerType, ExternalKind, Parser, Payload, TypeRef, WasmModuleResources};

use super::Module;
use crate::entity::{Func, Sig};

impl Module<'_> {
    /// Whether nobody outside can get at table 0.
    pub fn hides_table(&self) -> bool {
        let is_table = |(kind, _): &(ExternalKind, u32)| *kind == ExternalKind::Table;
        self.owns_table && !self.exports.values().any(is_table)
    }

    /// Whether references may go out or come in other than by table 0: the outside may then call a
    /// function that is not exported, or have its own called. A reference of any type may hold one
    /// to a function, as a structure does, and an exception leaves whether its tag does or not.
    pub fn passes_references(&self) -> bool {
        let is_passing = |&(kind, index): &(ExternalKind, u32)| match kind {
            ExternalKind::Func | ExternalKind::FuncExact => self
                .functions
                .get(Func(index))
                .is_none_or(|&sig| self.has_references(sig)),
            ExternalKind::Global => {
                let resources = self.resources.as_ref();
                let global = resources.and_then(|resources| resources.global_at(index));
                global.is_none_or(|global| global.content_type.is_reference_type())
            }
            ExternalKind::Table => true,
            // Of these, all are asked, exported or not.
            ExternalKind::Tag | ExternalKind::Memory => false,
        };
        self.imports_references()
            || self.exports.values().any(is_passing)
            || self.tags.iter().any(|&tag| self.has_references(tag))
    }

    fn imports_references(&self) -> bool {
        let is_passing = |ty: TypeRef| match ty {
            TypeRef::Func(sig) | TypeRef::FuncExact(sig) => self.has_references(Sig(sig)),
            TypeRef::Global(global) => global.content_type.is_reference_type(),
            TypeRef::Table(_) => true,
            TypeRef::Tag(_) | TypeRef::Memory(_) => false,
        };
        let mut sections = Parser::new(0).parse_all(self.bytes);
        let imports = sections.find_map(|payload| match payload {
            Ok(Payload::ImportSection(imports)) => Some(imports.into_imports()),
            _ => None,
        });
        (imports.into_iter().flatten())
            .any(|import| import.is_ok_and(|import| is_passing(import.ty)))
    }

    /// Whether functions of type `sig` take or give any, as far as that is known.
    fn has_references(&self, sig: Sig) -> bool {
        let resources = self.resources.as_ref();
        let ty = resources.and_then(|resources| resources.sub_type_at(sig.0));
        match ty.map(|ty| &ty.composite_type.inner) {
            Some(CompositeInnerType::Func(function)) => {
                let mut types = function.params().iter().chain(function.results());
                types.any(|ty| ty.is_reference_type())
            }
            _ => true,
        }
    }
}
