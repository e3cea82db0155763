//! Shared libraries of primitives, which code that is loaded at run time may ask for.
//!
//! A library file holds machine code for another machine: it is not loaded. Opening one succeeds
//! where `dlopen` would find the file. Its primitives are those of this runtime, whatever the
//! library is; a name that the runtime does not define is in no library.

use crate::image::{bind, sections};
use crate::os::{self, Descriptor, Errno, OpenFlags};
use crate::registry::{Outcome, Primitive};
use crate::value::{Value, tag};
use crate::{heap, primitives, raise};

crate::primitives! {
    Allocates "caml_dynlink_open_lib" open_lib, 2;
    Leaf "caml_dynlink_close_lib" close_lib, 1;
    Allocates "caml_dynlink_lookup_symbol" lookup_symbol, 2;
    Leaf "caml_dynlink_add_primitive" add_primitive, 1;
    Allocates "caml_dynlink_get_current_libs" get_current_libs, 1;
}

/// Size and beginning of the header that every library file has.
const ELF_HEADER: usize = 64;
const ELF_MAGIC: &[u8] = b"\x7fELF";

/// An abstract block that holds a number.
fn handle(number: usize) -> Value {
    let block = heap::alloc(1, tag::ABSTRACT);
    block.init_field(0, Value::int(number as i64));
    block
}

fn open_lib(_mode: Value, name: Value) -> Outcome {
    let name = name.to_bytes();
    match check_library(&name) {
        Ok(()) => Ok(handle(0)),
        Err(problem) => Err(raise::failure(
            [&name, &b": "[..], problem.as_bytes()].concat(),
        )),
    }
}

/// Whether the file can be opened and looks like a library; else what `dlerror` says. `dlopen`
/// searches for a name without a directory among the system's libraries; here there are none.
fn check_library(name: &[u8]) -> Result<(), String> {
    let cannot_open = |error: Errno| format!("cannot open shared object file: {}", error.message());
    if !name.contains(&b'/') {
        return Err(cannot_open(Errno::NOENT));
    }
    let file = os::open(name, OpenFlags::READ, 0).map_err(cannot_open)?;
    let header = read_header(file);
    // Only looked at: an error in closing changes nothing.
    let _ = os::close(file);
    let header = header.map_err(|error| format!("cannot read file data: {}", error.message()))?;
    if header.len() < ELF_HEADER {
        Err("file too short".into())
    } else if !header.starts_with(ELF_MAGIC) {
        Err("invalid ELF header".into())
    } else {
        Ok(())
    }
}

fn read_header(file: Descriptor) -> Result<Vec<u8>, Errno> {
    let mut header = vec![0; ELF_HEADER];
    let mut filled = 0;
    while filled < header.len() {
        match os::read(file, &mut header[filled..])? {
            0 => break,
            read => filled += read,
        }
    }
    header.truncate(filled);
    Ok(header)
}

fn close_lib(_handle: Value) -> Value {
    Value::UNIT
}

/// The primitive of this name as an abstract block; unit if there is none.
fn lookup_symbol(_handle: Value, symbol: Value) -> Value {
    let name = symbol.to_bytes();
    let found = primitives::all().position(|primitive| primitive.name.as_bytes() == name);
    found.map_or(Value::UNIT, handle)
}

/// Gives a primitive that was looked up the next index.
fn add_primitive(symbol: Value) -> Outcome {
    let mut all = primitives::all();
    let primitive: &Primitive = all
        .nth(symbol.field(0).as_int() as usize)
        .expect("lookup_symbol made the handle");
    match bind::add(primitive) {
        Some(index) => Ok(Value::int(index.into())),
        None => Err(raise::failure("too many primitives")),
    }
}

/// A handle for each library that the program was linked with.
fn get_current_libs(_: Value) -> Value {
    let count = sections::library_count();
    if count == 0 {
        return heap::atom(0);
    }
    let libraries: Vec<Value> = (0..count).map(handle).collect();
    heap::alloc_fields(0, &libraries)
}
