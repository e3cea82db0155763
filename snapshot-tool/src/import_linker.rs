//! Defines the host functions that a module imports, out of all that there are.

use std::collections::HashSet;

use wasmtime::{Engine, IntoFunc, Linker, Module};

/// A linker of the functions that a module imports, out of all that it may: to define one takes
/// microseconds, and a small program runs for a few milliseconds.
pub struct ImportLinker<'m, T: 'static> {
    linker: Linker<T>,
    imports: HashSet<(&'m str, &'m str)>,
}

impl<'m, T: 'static> ImportLinker<'m, T> {
    pub fn new(engine: &Engine, module: &'m Module) -> Self {
        Self {
            linker: Linker::new(engine),
            imports: imported(module),
        }
    }

    /// [`Linker::func_wrap`], if the module imports the function.
    pub fn func_wrap<Params, Results>(
        &mut self,
        module: &str,
        name: &str,
        function: impl IntoFunc<T, Params, Results>,
    ) -> wasmtime::Result<()> {
        if self.imports.contains(&(module, name)) {
            self.linker.func_wrap(module, name, function)?;
        }
        Ok(())
    }

    /// With all that was defined.
    pub fn finish(self) -> Linker<T> {
        self.linker
    }
}

/// The modules and names of what a module imports.
pub fn imported(module: &Module) -> HashSet<(&str, &str)> {
    let imports = module.imports();
    imports
        .map(|import| (import.module(), import.name()))
        .collect()
}
