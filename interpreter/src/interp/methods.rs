//! Methods of objects by their labels: GETPUBMET and GETDYNMET.
//!
//! A class's table holds the number of its methods (an OCaml integer), a mask, then pairs of method
//! and label in ascending order. Where a label was last searched for and found is remembered: in
//! most programs nearly all objects that get a message have it at the same place. Where objects of
//! several classes get it, where it was in each table is remembered as well.

use super::fields::field;
use crate::vm::{FIRST_LABEL, METHOD_PLACES, vm};

/// The method of the object with this label.
#[inline(always)]
pub fn method(object: i64, label: i64) -> i64 {
    let methods = field(object, 0);
    let place = FIRST_LABEL + vm().method_places[place_of(label)].get();
    match is_at(methods, label, place) {
        true => field(methods, place - 1),
        false => find(methods, label),
    }
}

/// Whether `label` is at this index of a table. Any index may be asked for: tables move.
#[inline(always)]
fn is_at(methods: i64, label: i64, place: u32) -> bool {
    place <= last(methods) && field(methods, place) == label
}

fn place_of(label: i64) -> usize {
    (label >> 1) as usize % METHOD_PLACES
}

fn place_in_table(methods: i64, label: i64) -> usize {
    place_of(label ^ (methods >> 3))
}

/// The index of the last label in a table; odd, whatever the table is.
#[inline(always)]
fn last(methods: i64) -> u32 {
    field(methods, 0) as u32 | 1
}

/// The method with this label, which is in the table.
#[inline(never)]
pub extern "C" fn find(methods: i64, label: i64) -> i64 {
    let in_table = &vm().table_places[place_in_table(methods, label)];
    let place = FIRST_LABEL + in_table.get();
    if is_at(methods, label, place) {
        return field(methods, place - 1);
    }
    // Both bounds are odd, so that the search ends.
    let (mut low, mut high) = (FIRST_LABEL, last(methods));
    while low < high {
        let middle = (low + ((high - low) >> 1)) | 1;
        if label < field(methods, middle) {
            high = middle - 2;
        } else {
            low = middle;
        }
    }
    in_table.set(low - FIRST_LABEL);
    vm().method_places[place_of(label)].set(low - FIRST_LABEL);
    field(methods, low - 1)
}
