//! What a builder leaves in the table.

use super::*;

#[test]
fn memory_that_overlaps_is_one_region() {
    let region = |base, len| Region { base, len };
    let regions = [(64, 8), (16, 16), (24, 4), (32, 8), (41, 1), (60, 2)];
    let regions = regions.map(|(base, len)| region(base, len));
    let found = disjoint(regions.into()).into_iter();
    let found: Vec<_> = found.map(|region| (region.base, region.len)).collect();
    assert_eq!(found, [(16, 24), (41, 1), (60, 2), (64, 8)]);
}

extern "C" fn interpret(_: f32, _: *const u16, _: i32, _: u32) -> i64 {
    0
}

extern "C" fn generic(_: f64, _: i32) -> i64 {
    0
}

static SLOT: Slot<extern "C" fn(f64, i32) -> i64> = Slot::new(generic);
static CODE: [u16; 3] = [1, 2, 3];

type Generic = extern "C" fn(f32, *const u16, i32, u32) -> i64;

#[test]
fn a_request_has_what_was_said() {
    let mut requests = Requests::new();
    let long = "ä".repeat(MAX_NAME);
    let params = (constant(0.5), code(&CODE), pass::<1>(), pointer(&CODE[1..]));
    requests
        .add("f", interpret as Generic, &SLOT, params)
        .loops();
    let params = (constant(-0.0), code(&CODE), constant(-1), constant(7));
    let added = requests.add(&long, interpret as Generic, &SLOT, params);
    added.loops().recursive().returns_early();
    let [first, second] = &requests.requests[..] else {
        panic!("two were added")
    };
    let at = address(&CODE);
    let kinds = |request: &Request| request.params.map(|param| (param.kind, param.value));
    let expected = [
        Param::constant(0.5_f32.to_bits().into()),
        Param::pointer(at),
        Param::pass(1),
        Param::pointer(at + 2),
    ];
    let expected = expected.map(|param| (param.kind, param.value));
    assert_eq!(kinds(first)[..4], expected);
    assert_eq!((first.anchor, first.code_len, first.param_count), (1, 6, 4));
    assert_eq!((first.flags, second.flags), (REQUEST_LOOPS, 7));
    assert_eq!(second.params[0].value, 0x8000_0000);
    assert_eq!(second.params[2].value, 0xffff_ffff);
    assert_eq!(first.slot, SLOT.address());
    assert_eq!(first.function, (interpret as Generic).index());
    assert_eq!(requests.names.len(), 2 + MAX_NAME + 1);
    assert_eq!(requests.names[..3], *b"f\0\xc3");
    let regions = disjoint(requests.regions);
    assert_eq!(regions.len(), 1);
    assert_eq!((regions[0].base, regions[0].len), (at, 6));
    assert_eq!(
        SLOT.get().index(),
        (generic as extern "C" fn(_, _) -> _).index()
    );
}

/// A program without constants has an empty table of them.
#[test]
fn a_pointer_to_no_memory_is_a_constant() {
    let mut requests = Requests::new();
    let params = (constant(0.5), code(&CODE), pass::<1>(), pointer(&CODE[3..]));
    requests.add("f", interpret as Generic, &SLOT, params);
    assert_eq!(requests.requests[0].params[1].kind, crate::PARAM_POINTER);
    assert_eq!(requests.requests[0].params[3].kind, crate::PARAM_CONST);
    static NOTHING: [u64; 0] = [];
    requests.region(&NOTHING);
    let regions = disjoint(requests.regions);
    let found: Vec<_> = regions.iter().map(|region| region.len).collect();
    assert_eq!(found, [6]);
}

#[test]
#[should_panic(expected = "the code of f is empty")]
fn a_request_has_code() {
    let params = (constant(0.5), code(&CODE[3..]), pass::<1>(), constant(0));
    Requests::new().add("f", interpret as Generic, &SLOT, params);
}

#[test]
fn a_frame_is_a_pointer() {
    extern "C" fn registers(_: *const u16, frame: *mut i64) -> *mut i64 {
        frame
    }
    extern "C" fn generic(frame: *mut i64) -> *mut i64 {
        frame
    }
    static SLOT: Slot<extern "C" fn(*mut i64) -> *mut i64> = Slot::new(generic);
    let mut requests = Requests::new();
    let function = registers as extern "C" fn(_, _) -> _;
    requests.add("f", function, &SLOT, (code(&CODE), frame::<0>()));
    let param = requests.requests[0].params[1];
    assert_eq!((param.kind, param.value), (crate::PARAM_FRAME, 0));
}

#[test]
fn links_and_cells_are_in_the_table() {
    static LINKS: [u32; 3] = [1, 2, 3];
    static CELLS: [u32; 2] = [0, 0];
    let mut requests = Requests::new();
    requests.link(&LINKS[2]).link(&LINKS[0]).link(&LINKS[2]);
    requests.cells(&CELLS);
    let at = address(&LINKS);
    assert_eq!(ascending(requests.links.clone()), [at, at + 8]);
    let table = requests.table();
    assert_eq!((table.cells, table.cell_count), (address(&CELLS), 2));
    assert_eq!(table.link_count, 2);
    assert_eq!(Requests::new().table().link_count, 0);
}

#[test]
#[should_panic = "cells are declared once"]
fn cells_are_declared_once() {
    static CELLS: [u32; 2] = [0, 0];
    Requests::new().cells(&CELLS).cells(&CELLS);
}

#[test]
#[should_panic = "exactly one parameter is the code"]
fn a_request_stands_for_one_code() {
    let params = (constant(0.5), pointer(&CODE), pass::<1>(), pointer(&CODE));
    Requests::new().add("f", interpret as Generic, &SLOT, params);
}
