//! Lays tables out: values of the annotations crate's types, as an exported global and data.
//!
//! Invariant: a type's layout here has each of its fields, at its offset.

use std::fmt::Write;
use std::mem::offset_of;

use annotations::{
    ALLOCATOR_EXPORT, Allocator, BOX_EXPORT, BoxKind, BoxTable, DISPATCHERS_EXPORT, MAX_PARAMS,
    PARAM_CONST, PARAM_FRAME, PARAM_PASS, PARAM_POINTER, Param, REQUEST_LOOPS, REQUEST_MAGIC,
    REQUEST_RECURSIVE, REQUEST_RETURNS_EARLY, REQUEST_TABLE_EXPORT, REQUEST_VERSION, Region,
    Request, RequestTable, STUBS_EXPORT, Stubs,
};

use crate::form::{List, Malformed};

/// What a request consists of, after its function.
const REQUEST_PARTS: [&str; 10] = [
    "slot",
    "returns",
    "code",
    "pointer",
    "const",
    "pass",
    "frame",
    "recursive",
    "loops",
    "returns-early",
];

/// The text for a table.
pub fn table(list: &List) -> Result<String, Malformed> {
    match list.name {
        "@requests" => requests(list),
        "@boxes" => boxes(list),
        "@allocator" => allocator(list),
        "@dispatchers" => dispatchers(list),
        "@stubs" => stubs(list),
        _ => Err(list.malformed("there is no such table")),
    }
}

/// Addresses of what a table of requests points to: it follows the table.
pub struct Places {
    pub regions: usize,
    pub requests: usize,
}

impl Places {
    /// Those of a table at this address, which lists so many regions.
    pub fn new(table: usize, regions: usize) -> Self {
        let start = table + size_of::<RequestTable>();
        let end = start + regions * size_of::<Region>();
        Self {
            regions: start,
            requests: end.next_multiple_of(align_of::<Request>()),
        }
    }
}

fn requests(list: &List) -> Result<String, Malformed> {
    let [address] = list.numbers(&["region", "request", "names", "links", "cells"])?;
    let regions = list.each("region", region)?;
    let requests = list.each("request", request)?;
    let names = list.each("names", |names| names.numbers(&[]))?;
    let [names, names_len] = names.first().copied().unwrap_or_default();
    let links = list.each("links", |links| links.numbers(&[]))?;
    let [links, link_count] = links.first().copied().unwrap_or_default();
    let cells = list.each("cells", |cells| cells.numbers(&[]))?;
    let [cells, cell_count] = cells.first().copied().unwrap_or_default();
    let places = Places::new(address as usize, regions.len());
    let table = RequestTable {
        magic: REQUEST_MAGIC,
        version: REQUEST_VERSION,
        regions: places.regions as u32,
        region_count: regions.len() as u32,
        requests: places.requests as u32,
        request_count: requests.len() as u32,
        names,
        names_len,
        links,
        link_count,
        cells,
        cell_count,
    };
    let table = export(REQUEST_TABLE_EXPORT, address, &[table]);
    Ok(table + &data(places.regions, &regions) + &data(places.requests, &requests))
}

fn region(list: &List) -> Result<Region, Malformed> {
    let [base, len] = list.numbers(&[])?;
    Ok(Region { base, len })
}

fn request(list: &List) -> Result<Request, Malformed> {
    let [function] = list.numbers(&REQUEST_PARTS)?;
    let slots = list.each("slot", |slot| slot.numbers(&[]))?;
    let &[[slot]] = &slots[..] else {
        return Err(list.malformed("it has one `slot`"));
    };
    let result = list.each("returns", |result| result.numbers(&[]))?;
    let result = result.first();
    let flag = |word, flag| if list.has(word) { flag } else { 0 };
    let mut request = Request {
        function,
        slot,
        anchor: 0,
        code_len: 0,
        param_count: 0,
        flags: flag("recursive", REQUEST_RECURSIVE)
            | flag("loops", REQUEST_LOOPS)
            | flag("returns-early", REQUEST_RETURNS_EARLY),
        result: result.map_or(0, |[kind]| kind + 1),
        reserved: 0,
        params: [Param::default(); MAX_PARAMS],
    };
    let is_param = |part: &&List| !["slot", "returns"].contains(&part.name);
    for param in list.lists().filter(is_param) {
        add(&mut request, param)?;
    }
    Ok(request)
}

/// Adds a parameter to the request.
fn add(request: &mut Request, list: &List) -> Result<(), Malformed> {
    let mut param = Param::default();
    if list.name == "code" {
        let [address, len] = list.numbers(&[])?;
        request.anchor = request.param_count;
        request.code_len = len;
        param.kind = PARAM_POINTER;
        param.value = address.into();
    } else {
        let [value] = list.numbers(&["box"])?;
        let kinds = list.each("box", |kind| kind.numbers::<1>(&[]))?;
        param.boxed = kinds.first().map_or(0, |[kind]| kind + 1);
        param.kind = match list.name {
            "pointer" => PARAM_POINTER,
            "const" => PARAM_CONST,
            "frame" => PARAM_FRAME,
            _ => PARAM_PASS,
        };
        param.value = value.into();
    }
    let Some(place) = request.params.get_mut(request.param_count as usize) else {
        return Err(list.malformed("there are too many parameters"));
    };
    *place = param;
    request.param_count += 1;
    Ok(())
}

fn boxes(list: &List) -> Result<String, Malformed> {
    let [address] = list.numbers(&["box"])?;
    let kinds = list.each("box", |kind| {
        let [make, offset] = kind.numbers(&[])?;
        Ok(BoxKind { make, offset })
    })?;
    let count = export(BOX_EXPORT, address, &[kinds.len() as u32]);
    Ok(count + &data(address as usize + offset_of!(BoxTable, kinds), &kinds))
}

fn allocator(list: &List) -> Result<String, Malformed> {
    let [address, allocate, pointer, floor, counted] = list.numbers(&[])?;
    let allocator = Allocator {
        allocate,
        pointer,
        floor,
        counted,
    };
    Ok(export(ALLOCATOR_EXPORT, address, &[allocator]))
}

fn dispatchers(list: &List) -> Result<String, Malformed> {
    let [address] = list.numbers(&["function"])?;
    let functions = list.each("function", |function| function.numbers::<1>(&[]))?;
    let words = [&[[functions.len() as u32]], &functions[..]].concat();
    Ok(export(DISPATCHERS_EXPORT, address, &words))
}

fn stubs(list: &List) -> Result<String, Malformed> {
    let [address, first] = list.numbers(&[])?;
    let functions = address as usize + offset_of!(Stubs, functions);
    Ok(export(STUBS_EXPORT, address, &[0u32]) + &data(functions, &[first]))
}

/// A global with the address of these values, and their data.
fn export(name: &str, address: u32, values: &[impl Layout]) -> String {
    let global = format!("(global (export {name:?}) i32 (i32.const {address}))");
    global + &data(address as usize, values)
}

/// Data of values one behind the other, up to the last byte that is not zero.
fn data(address: usize, values: &[impl Layout]) -> String {
    let bytes: Vec<u8> = values.iter().flat_map(Layout::bytes).collect();
    let end = bytes.iter().rposition(|&byte| byte != 0);
    let bytes = &bytes[..end.map_or(0, |last| last + 1)];
    let mut text = format!("\n  (data (i32.const {address}) \"");
    for byte in bytes {
        write!(text, "\\{byte:02x}").expect("writing to a string");
    }
    text + "\")"
}

/// What lies in memory as the bytes of one value.
trait Layout {
    fn bytes(&self) -> Vec<u8>;
}

impl Layout for u32 {
    fn bytes(&self) -> Vec<u8> {
        self.to_le_bytes().into()
    }
}

impl Layout for u64 {
    fn bytes(&self) -> Vec<u8> {
        self.to_le_bytes().into()
    }
}

impl<T: Layout, const COUNT: usize> Layout for [T; COUNT] {
    fn bytes(&self) -> Vec<u8> {
        self.iter().flat_map(Layout::bytes).collect()
    }
}

macro_rules! layouts {
    ($($ty:ident { $($field:ident)+ })+) => {$(
        impl Layout for $ty {
            fn bytes(&self) -> Vec<u8> {
                let Self { $($field),+ } = self;
                let mut bytes = vec![0; size_of::<Self>()];
                $({
                    let field = $field.bytes();
                    bytes[offset_of!(Self, $field)..][..field.len()].copy_from_slice(&field);
                })+
                bytes
            }
        }
    )+};
}

layouts! {
    RequestTable {
        magic version regions region_count requests request_count names names_len links link_count
        cells cell_count
    }
    Region { base len }
    Request { function slot anchor code_len param_count flags result reserved params }
    Param { kind boxed value }
    BoxKind { make offset }
    Allocator { allocate pointer floor counted }
}
