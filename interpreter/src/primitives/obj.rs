//! Module `Obj` and what the compiler itself uses of it: raw blocks, tags, objects' identities and
//! methods.
//!
//! These see through types. The collector's invariants hold as long as programs keep to the rules
//! of OCaml's own: for instance, initialise each block that they make here.

use crate::custom;
use crate::heap;
use crate::memory;
use crate::polymorphic::seen::Seen;
use crate::raise;
use crate::registry::Outcome;
use crate::value::{Value, WORD, closure_info, header, tag};
use crate::vm::vm;

crate::primitives! {
    Leaf "caml_obj_tag" obj_tag, 1;
    Leaf "caml_obj_set_tag" set_tag, 2;
    AllocatesLarge "caml_obj_block" block, 2;
    AllocatesLarge "caml_obj_with_tag" with_tag, 2;
    AllocatesLarge "caml_obj_dup" dup, 1;
    Leaf "caml_obj_truncate" truncate, 2;
    Leaf "caml_obj_add_offset" add_offset, 2;
    Leaf "caml_obj_make_forward" make_forward, 2;
    Allocates "caml_lazy_make_forward" lazy_make_forward, 1;
    Allocates "caml_obj_raw_field" raw_field, 2;
    Leaf "caml_obj_set_raw_field" set_raw_field, 3;
    Leaf "caml_obj_reachable_words" reachable_words, 1;
    Leaf "caml_int_as_pointer" int_as_pointer, 1;
    Leaf "caml_get_public_method" get_public_method, 2;
    Leaf "caml_set_oo_id" set_oo_id, 1;
    Leaf "caml_fresh_oo_id" fresh_oo_id, 1;
    Leaf "caml_get_global_data" get_global_data, 1;
}

/// What `Obj.tag` answers for data outside of the heap, and for an odd pointer.
const OUT_OF_HEAP_TAG: i64 = 1001;
const UNALIGNED_TAG: i64 = 1002;

fn obj_tag(value: Value) -> Value {
    Value::int(match value {
        value if value.is_int() => tag::OF_INTEGER,
        value if value.0 & 7 != 0 => UNALIGNED_TAG,
        value if heap::is_known_block(value) => value.tag() as i64,
        _ => OUT_OF_HEAP_TAG,
    })
}

fn set_tag(block: Value, tag: Value) -> Value {
    memory::store_u8(block.address() - WORD, tag.as_int() as u8);
    Value::UNIT
}

fn block(tag: Value, size: Value) -> Outcome {
    let tag = tag.as_int() as u8;
    let size = size.as_int();
    if size == 0 && !matches!(tag, tag::CLOSURE | tag::STRING | tag::CUSTOM) {
        return Ok(heap::atom(tag));
    }
    let refused = match tag {
        tag::CLOSURE => size < 2,
        tag::STRING => size < 1,
        tag::CUSTOM => true,
        _ => false,
    };
    if refused {
        return Err(raise::invalid_argument("Obj.new_block"));
    }
    let size = usize::try_from(size).map_err(|_| raise::out_of_memory())?;
    new_block(size, tag)
}

/// A block whose fields are what is safe for its tag.
fn new_block(size: usize, tag: u8) -> Outcome {
    let block = heap::try_alloc(size, tag).ok_or_else(raise::out_of_memory)?;
    match tag {
        tag::CLOSURE => {
            (2..size).for_each(|index| block.init_field(index, Value::UNIT));
            block.init_field(0, Value::UNIT);
            block.init_field(1, closure_info(2));
        }
        tag::STRING => block.init_field(size - 1, Value(0)),
        _ => (0..size).for_each(|index| block.init_field(index, Value::UNIT)),
    }
    Ok(block)
}

fn with_tag(tag: Value, from: Value) -> Outcome {
    copy(from, tag.as_int() as u8)
}

fn dup(from: Value) -> Outcome {
    copy(from, from.tag())
}

#[inline(always)]
fn copy(from: Value, tag: u8) -> Outcome {
    let size = from.wosize();
    if size == 0 {
        return Ok(heap::atom(tag));
    }
    let to = heap::try_alloc(size, tag).ok_or_else(raise::out_of_memory)?;
    memory::copy(from.address(), to.address(), size * WORD as usize);
    Ok(to)
}

fn truncate(block: Value, size: Value) -> Outcome {
    let (old, new) = (block.wosize(), size.as_int());
    if new <= 0 || new > old as i64 {
        return Err(raise::invalid_argument("Obj.truncate"));
    }
    let new = new as usize;
    if new < old {
        // What is cut off looks like a block of its own, so that its space can still be walked.
        let colour = block.header() & heap::COLOUR_MASK;
        block.init_field(
            new,
            Value((header(old - new - 1, tag::ABSTRACT) | colour) as i64),
        );
        block.set_header(header(new, block.tag()) | colour);
    }
    Ok(Value::UNIT)
}

fn add_offset(value: Value, offset: Value) -> Value {
    Value(value.0.wrapping_add(custom::as_int32(offset) as i64))
}

fn make_forward(block: Value, target: Value) -> Value {
    heap::modify(block, 0, target);
    memory::store_u8(block.address() - WORD, tag::FORWARD);
    Value::UNIT
}

fn lazy_make_forward(target: Value) -> Value {
    heap::alloc_fields(tag::FORWARD, &[target])
}

fn raw_field(block: Value, index: Value) -> Value {
    custom::alloc_nativeint(block.field(index.as_int() as usize).0)
}

fn set_raw_field(block: Value, index: Value, bits: Value) -> Value {
    block.init_field(index.as_int() as usize, Value(custom::as_int64(bits)));
    Value::UNIT
}

fn int_as_pointer(n: Value) -> Value {
    Value(n.0 - 1)
}

/// Words of all blocks that can be reached from `root`, each once, headers included.
fn reachable_words(root: Value) -> Value {
    let mut seen = Seen::default();
    seen.begin();
    let mut waiting = vec![root];
    let mut words = 0;
    while let Some(value) = waiting.pop() {
        if !heap::is_known_block(value) || value.wosize() == 0 {
            continue;
        }
        let block = match value.tag() {
            tag::INFIX => Value::block(value.address() - value.wosize() as u32 * WORD),
            _ => value,
        };
        if seen.meet(block.address()).is_none() {
            words += block.wosize() as i64 + 1;
            waiting.extend(heap::scanned_fields(block).map(|index| block.field(index)));
        }
    }
    Value::int(words)
}

/// The method with hash `tag`, by bisection: the table holds pairs (method, hash) from word 2 on,
/// in order of hash. Unit if there is none.
pub fn get_public_method(object: Value, tag: Value) -> Value {
    let methods = object.field(0);
    let (mut low, mut high) = (3, methods.field(0).0);
    while low < high {
        let middle = (low + high) >> 1 | 1;
        if tag.0 < methods.field(middle as usize).0 {
            high = middle - 2;
        } else {
            low = middle;
        }
    }
    match methods.field(low as usize) == tag {
        true => methods.field(low as usize - 1),
        false => Value::UNIT,
    }
}

pub fn set_oo_id(object: Value) -> Value {
    object.init_field(1, fresh_oo_id(Value::UNIT));
    object
}

fn fresh_oo_id(_: Value) -> Value {
    let next = &vm().next_object_id;
    let id = next.get();
    next.set(id + 1);
    Value::int(id)
}

fn get_global_data(_: Value) -> Value {
    vm().globals.get()
}
