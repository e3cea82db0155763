//! Methods of objects by their labels: GETPUBMET and GETDYNMET.
//!
//! A class's table holds the number of its methods (an OCaml integer), a mask, then pairs of method
//! and label in ascending order. Where a label was last found is remembered: in most programs
//! nearly all objects that get a message have it at the same place.

use super::fields::field;
use crate::vm::{FIRST_LABEL, METHOD_PLACES, vm};

/// The method of the object with this label.
#[inline(always)]
pub fn method(object: i64, label: i64) -> i64 {
    let methods = field(object, 0);
    let place = vm().method_places[place_of(label)].get();
    if place <= last(methods) && field(methods, place) == label {
        field(methods, place - 1)
    } else {
        find(methods, label)
    }
}

fn place_of(label: i64) -> usize {
    (label >> 1) as usize % METHOD_PLACES
}

/// The index of the last label in a table; odd, whatever the table is.
#[inline(always)]
fn last(methods: i64) -> u32 {
    field(methods, 0) as u32 | 1
}

/// The method with this label, which is in the table.
#[inline(never)]
pub extern "C" fn find(methods: i64, label: i64) -> i64 {
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
    vm().method_places[place_of(label)].set(low);
    field(methods, low - 1)
}
