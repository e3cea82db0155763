//! Memory that is not what a stored function relied on: each difference is a miss.

use super::*;

/// Either way: where the types agree the call is a direct one, where they do not it is indirect.
#[test]
fn a_slot_of_another_type_is_a_miss() {
    let (same, other) = (assemble(MODULE), changed(&[("{callee}", "3")]));
    for (stored, module) in [(&same, &other), (&other, &same)] {
        let (warm, cached) = specialize(module, &options(), &filled(stored));
        assert_eq!(cached, [false, false]);
        assert!(warm == specialize(module, &options(), &Memory::default()).0);
    }
}

#[test]
fn a_place_that_is_no_slot_any_more_is_a_miss() {
    let far = ("{distance}", "0x200");
    let slot = changed(&[far, ("{second}", "0x1200")]);
    let bytes = changed(&[far]);
    assert_eq!(
        specialize(&bytes, &options(), &filled(&slot)).1,
        [false, true]
    );
    assert_eq!(
        specialize(&slot, &options(), &filled(&bytes)).1,
        [false, true]
    );
}

/// One place is read twice, as one byte and as eight: the log holds both.
#[test]
fn every_byte_that_was_read_counts() {
    let store = filled(&assemble(MODULE));
    for byte in 1..=8 {
        let other = changed(&[(&format!("\\0{byte}"), "\\ff")]);
        assert_eq!(
            specialize(&other, &options(), &store).1,
            [false, false],
            "byte {byte}"
        );
    }
}

/// A fixed address that lies in the request's own code by chance is not covered by the key.
#[test]
fn fixed_addresses_in_own_code_are_logged() {
    let inside = ("0x2000)", "0x1104)");
    let near = changed(&[
        inside,
        ("(data (i32.const 0x1104) \"", "(data (i32.const 0x2000) \""),
    ]);
    let constants = (
        "(data (i32.const 0x1104) \"\\01",
        "(data (i32.const 0x2000) \"\\01",
    );
    let moved = changed(&[
        inside,
        constants,
        ("{second}", "0x1200"),
        ("{distance}", "0x200"),
    ]);
    let store = filled(&near);
    // The second function's code has moved as it is; where it was there are zeros now.
    assert!(!specialize(&moved, &options(), &store).1[1]);
}

#[test]
fn memory_that_became_constant_is_a_miss() {
    let variable = changed(&[("{constants}", "0x3000")]);
    let constant = assemble(MODULE);
    assert_eq!(
        specialize(&constant, &options(), &filled(&variable)).1,
        [false, false]
    );
    assert_eq!(
        specialize(&variable, &options(), &filled(&constant)).1,
        [false, false]
    );
}
