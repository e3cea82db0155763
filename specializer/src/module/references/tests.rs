//! What is read of relocations that a linker left. The modules are written by hand, as linkers
//! would write them.

use wasm_encoder::{CustomSection, DataSymbolDefinition, LinkingSection, Section, SymbolTable};
use wasmparser::Operator;

use super::*;

const MEMORY_ADDR_SLEB: u8 = 4;
const MEMORY_ADDR_I32: u8 = 5;
const GLOBAL_INDEX_LEB: u8 = 7;

/// A relocation: its type, its place in the section, its symbol and what is added to that.
type Entry = (u8, usize, u32, Option<u8>);

/// Where the numbers of the last function's constants and globals are, in the code section.
fn operands(bytes: &[u8]) -> Vec<usize> {
    let parts = Parts::of(bytes).expect("a module");
    let (_, start) = parts.code.expect("there is code");
    let range = parts.bodies.last().expect("there is a function").clone();
    let body = wasmparser::FunctionBody::new(BinaryReader::new(&bytes[range.clone()], range.start));
    let mut operators = body.get_operators_reader().expect("a body");
    let mut found = Vec::new();
    while !operators.eof() {
        let (operator, at) = operators.read_with_offset().expect("an operator");
        if let Operator::I32Const { .. } | Operator::GlobalGet { .. } = operator {
            found.push(at + 1 - start);
        }
    }
    found
}

/// Adds relocations of a section, by its number among all sections.
fn relocate(bytes: &mut Vec<u8>, name: &str, section: u32, entries: &[Entry]) {
    use wasm_encoder::Encode;
    let mut data = Vec::new();
    section.encode(&mut data);
    entries.len().encode(&mut data);
    for &(ty, place, symbol, addend) in entries {
        data.push(ty);
        place.encode(&mut data);
        symbol.encode(&mut data);
        data.extend(addend);
    }
    let section = CustomSection {
        name: name.into(),
        data: data.into(),
    };
    section.append_to(bytes);
}

/// An array that is known by its end alone; data and a function that code knows by globals; data
/// that symbols enclose, of which a part has a name of its own.
#[test]
fn data_is_found_by_ends_by_globals_and_by_what_encloses_it() {
    let mut bytes = wat::parse_str(
        r#"(module
            (memory 1)
            (table 4 funcref)
            (global $data i32 (i32.const 0x300))
            (global $function i32 (i32.const 1))
            (elem (i32.const 1) $taken)
            (func $taken)
            (func (export "run") (result i32)
                (i32.add (i32.load (i32.const 0x200))
                    (i32.add (i32.load (i32.const 0x400))
                        (i32.add (global.get $data) (global.get $function)))))
            (data (i32.const 0x100) "\01\02\03\04\05\06\07\08\09\0a\0b\0c")
            (data (i32.const 0x200) "\0c\01\00\00")
            (data (i32.const 0x300) "\0a\00\00\00")
            (data (i32.const 0x400) "\0b\00\00\00\0c\00\00\00"))"#,
    )
    .expect("the text is a module");
    let data = |index, offset, size| {
        Some(DataSymbolDefinition {
            index,
            offset,
            size,
        })
    };
    let absolute = SymbolFlags::ABSOLUTE.bits();
    let mut symbols = SymbolTable::new();
    symbols
        .data(0, "numbers", data(0, 0, 12))
        .data(0, "end", data(1, 0, 4))
        .data(0, "by_global", data(2, 0, 4))
        .data(0, "entry", data(3, 4, 4))
        .data(absolute, "__start_entries", data(0, 0x400, 0))
        .function(0, 0, Some("taken"));
    let mut linking = LinkingSection::new();
    linking.symbol_table(&symbols);
    linking.append_to(&mut bytes);
    let [end, start, by_global, function] = operands(&bytes)[..] else {
        panic!("another number of operands");
    };
    let parts = Parts::of(&bytes).expect("a module");
    let (data, data_start) = parts.data.expect("there is data");
    let code = parts.code.expect("there is code").0;
    let pointer = parts.segments[1].bytes.start - data_start;
    let of_code = [
        (MEMORY_ADDR_SLEB, end, 1, Some(0)),
        (MEMORY_ADDR_SLEB, start, 4, Some(0)),
        (GLOBAL_INDEX_LEB, by_global, 2, None),
        (GLOBAL_INDEX_LEB, function, 5, None),
    ];
    relocate(&mut bytes, "reloc.CODE", code, &of_code);
    let of_data = [(MEMORY_ADDR_I32, pointer, 0, Some(12))];
    relocate(&mut bytes, "reloc.DATA", data, &of_data);
    let references = collect(&bytes).expect("a module");
    let expected = References {
        objects: vec![(0x200, 4), (0x300, 4)],
        functions: vec![(
            1,
            Named {
                objects: [0, 1].into(),
                elements: [1].into(),
            },
        )],
    };
    assert_eq!(references, Some(expected));
}
