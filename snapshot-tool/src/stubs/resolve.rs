//! What names in a file of stubs mean.
//!
//! Names are looked for in the guest's interface, then in the file itself, then in the other files,
//! in order. So there is one `malloc`, the guest's, whatever a file brings along. What its own
//! source alone sees is never looked for elsewhere.

use anyhow::{Context, Result, bail, ensure};
use wasmparser::{FuncType, SymbolFlags};

use super::guest::{C, Guest};
use super::object::{Object, Place, Symbol};

/// Data of the guest's that stubs may name: fields of [`annotations::Stubs`].
const SHARED: [(&str, usize); 2] = [
    (
        "bactrian_local_roots",
        std::mem::offset_of!(annotations::Stubs, local_roots),
    ),
    (
        "bactrian_unordered",
        std::mem::offset_of!(annotations::Stubs, unordered),
    ),
];

/// Where a function is that a symbol names.
pub enum Definition<'a> {
    /// The guest's, by index.
    Guest(u32),
    /// File and number of the body.
    Body(usize, u32),
    /// Nowhere, but it may be missing: name and type.
    Missing(&'a str, &'a FuncType),
    /// Nowhere, and its reference is weak.
    Nowhere,
}

/// Finds what a symbol of this file names.
pub fn resolve<'a>(
    guest: &Guest,
    objects: &'a [Object],
    file: usize,
    symbol: u32,
) -> Result<Definition<'a>> {
    let object = &objects[file];
    let symbol = object
        .symbols
        .get(symbol as usize)
        .context("no such symbol")?;
    let Symbol::Function { name, place, flags } = symbol else {
        bail!("a relocation names a function that is none");
    };
    let (ty, module) = match *place {
        Place::Here(number) => (object.bodies[number as usize].ty, None),
        Place::Import(import) => {
            let import = &object.imports[import as usize];
            (import.ty, Some((&*import.module, &*import.name)))
        }
    };
    let ty = object.types.get(ty as usize).context("no such type")?;
    let same_type = |defined: &FuncType| {
        ensure!(
            ty == defined,
            "the C function `{name}` is called as {ty}, and is {defined}"
        );
        Ok(())
    };
    let is_local = flags.contains(SymbolFlags::BINDING_LOCAL);
    let (module, field) = module.unwrap_or((C, name));
    if let Some(function) = guest.function(module, field).filter(|_| !is_local) {
        same_type(&guest.types[function.ty as usize])?;
        return Ok(Definition::Guest(function.index));
    }
    if let Place::Here(number) = *place {
        return Ok(Definition::Body(file, number));
    }
    for (other, object) in objects.iter().enumerate() {
        if let Some(number) = defined(object, name) {
            let body = &object.bodies[number as usize];
            same_type(&object.types[body.ty as usize])?;
            return Ok(Definition::Body(other, number));
        }
    }
    if flags.contains(SymbolFlags::BINDING_WEAK) {
        return Ok(Definition::Nowhere);
    }
    if object.missing.contains(name) {
        return Ok(Definition::Missing(name, ty));
    }
    bail!(
        "{}: nothing defines the C function `{name}`; with `bactrian stubs --without {name}` a \
         call of it raises Failure, `--with FILE` joins stubs that define it",
        object.name
    );
}

/// File, segment and offset of data; absent where it is the guest's, or weak and nowhere.
pub fn data_of(objects: &[Object], file: usize, symbol: u32) -> Result<Option<(usize, u32, u32)>> {
    let object = &objects[file];
    let symbol = object
        .symbols
        .get(symbol as usize)
        .context("no such symbol")?;
    let Symbol::Data { name, place, flags } = symbol else {
        bail!("a relocation names data that is none");
    };
    if let Some((number, offset)) = *place {
        return Ok(Some((file, number, offset)));
    }
    for (other, object) in objects.iter().enumerate() {
        for symbol in &object.symbols {
            if let Symbol::Data {
                name: known,
                place: Some((number, offset)),
                flags,
            } = symbol
                && known == name
                && !flags.contains(SymbolFlags::BINDING_LOCAL)
            {
                return Ok(Some((other, *number, *offset)));
            }
        }
    }
    if shared(name).is_some() || flags.contains(SymbolFlags::BINDING_WEAK) {
        return Ok(None);
    }
    bail!(
        "{}: nothing defines the C variable `{name}`; `bactrian stubs --with FILE` joins stubs \
         that define it",
        object.name
    );
}

/// Where in [`annotations::Stubs`] data of this name is.
pub fn shared(name: &str) -> Option<usize> {
    let known = SHARED.iter().find(|(known, _)| *known == name);
    known.map(|&(_, offset)| offset)
}

/// The number of the body of a function that is not its own source's alone.
pub fn defined(object: &Object, name: &str) -> Option<u32> {
    object.symbols.iter().find_map(|symbol| match symbol {
        Symbol::Function {
            name: known,
            place: Place::Here(number),
            flags,
        } if known == name && !flags.contains(SymbolFlags::BINDING_LOCAL) => Some(*number),
        _ => None,
    })
}

/// The name of a body, for people.
pub fn function_name(object: &Object, body: u32) -> String {
    let named = object.symbols.iter().find_map(|symbol| match symbol {
        Symbol::Function {
            name,
            place: Place::Here(number),
            ..
        } if *number == body => Some(name.clone()),
        _ => None,
    });
    named.unwrap_or_else(|| format!("function {body}"))
}
