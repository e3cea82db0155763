//! Strings: a length and characters of 32 bits each.

use super::failure::{fail, out_of_range, wrong};
use super::objects::list_length;
use super::symbols;
use crate::heap;
use crate::memory::{load_u32, store_u32};
use crate::value::{
    END_OF_FILE, NIL, UNSPECIFIED, WORD, character, field, integer, is, is_character, is_fixnum,
    tag, to_char, truth,
};
use std::cmp::Ordering;

/// Characters that a string may have.
const LIMIT: i64 = 1 << 28;

#[inline(always)]
pub fn length(string: i64) -> u32 {
    integer(field(string, 0)) as u32
}

/// Where a character of a string is.
#[inline(always)]
pub fn place(string: i64, index: u32) -> u32 {
    (string as u32 + WORD).wrapping_add(index.wrapping_mul(4))
}

fn get(string: i64, index: u32) -> u32 {
    load_u32(place(string, index))
}

pub fn from_str(text: &str) -> i64 {
    let string = heap::string(text.chars().count() as u32);
    for (index, c) in (0..).zip(text.chars()) {
        store_u32(place(string, index), c as u32);
    }
    string
}

pub fn to_string(string: i64) -> String {
    let c = |index| char::from_u32(get(string, index));
    let known = (0..length(string)).map(|index| c(index).unwrap_or(char::REPLACEMENT_CHARACTER));
    known.collect()
}

/// A new string of characters `from..to` of one.
fn part(string: i64, from: u32, to: u32) -> i64 {
    let new = heap::string(to - from);
    for index in from..to {
        store_u32(place(new, index - from), get(string, index));
    }
    new
}

/// A fixnum in `0..=limit`.
fn index(value: i64, limit: u32) -> Option<u32> {
    let index = u32::try_from(integer(value)).ok()?;
    (is_fixnum(value) && index <= limit).then_some(index)
}

pub extern "C" fn make(count: i64, fill: i64, _: i64) -> i64 {
    if !is_fixnum(count) || !(0..LIMIT).contains(&integer(count)) {
        return wrong("make-string", "a length", count);
    }
    if !is_character(fill) {
        return wrong("make-string", "a character", fill);
    }
    let string = heap::string(integer(count) as u32);
    for index in 0..length(string) {
        store_u32(place(string, index), to_char(fill) as u32);
    }
    string
}

pub extern "C" fn string_length(a: i64, _: i64, _: i64) -> i64 {
    match is(a, tag::STRING) {
        true => field(a, 0),
        false => wrong("string-length", "a string", a),
    }
}

pub extern "C" fn string_ref(a: i64, at: i64, _: i64) -> i64 {
    if !is(a, tag::STRING) {
        return wrong("string-ref", "a string", a);
    }
    match index(at, length(a)).filter(|at| *at < length(a)) {
        Some(at) => i64::from(get(a, at)) << 8 | 0b110,
        None => out_of_range("string-ref", at),
    }
}

pub extern "C" fn string_set(a: i64, at: i64, c: i64) -> i64 {
    if !is(a, tag::STRING) {
        return wrong("string-set!", "a string", a);
    }
    if !is_character(c) {
        return wrong("string-set!", "a character", c);
    }
    match index(at, length(a)).filter(|at| *at < length(a)) {
        Some(at) => {
            store_u32(place(a, at), to_char(c) as u32);
            UNSPECIFIED
        }
        None => out_of_range("string-set!", at),
    }
}

/// The operands, if both are strings.
fn both(operation: &str, a: i64, b: i64) -> Result<(), i64> {
    let other = [a, b].into_iter().find(|value| !is(*value, tag::STRING));
    other.map_or(Ok(()), |other| Err(wrong(operation, "a string", other)))
}

pub extern "C" fn append(a: i64, b: i64, _: i64) -> i64 {
    if let Err(raised) = both("string-append", a, b) {
        return raised;
    }
    let (m, n) = (length(a), length(b));
    if i64::from(m) + i64::from(n) >= LIMIT {
        return fail("string-append: the string is too long", &[]);
    }
    let new = heap::string(m + n);
    for index in 0..m {
        store_u32(place(new, index), get(a, index));
    }
    for index in 0..n {
        store_u32(place(new, m + index), get(b, index));
    }
    new
}

/// One string of all in a list, in time that is linear in their lengths.
pub extern "C" fn concatenate(list: i64, _: i64, _: i64) -> i64 {
    let (mut rest, mut count) = (list, 0);
    while is(rest, tag::PAIR) {
        if !is(field(rest, 0), tag::STRING) {
            return wrong("string-append", "a string", field(rest, 0));
        }
        count += i64::from(length(field(rest, 0)));
        rest = field(rest, 1);
    }
    if count >= LIMIT {
        return fail("string-append: the string is too long", &[]);
    }
    let (new, mut at, mut rest) = (heap::string(count as u32), 0, list);
    while is(rest, tag::PAIR) {
        let part = field(rest, 0);
        for index in 0..length(part) {
            store_u32(place(new, at + index), get(part, index));
        }
        (rest, at) = (field(rest, 1), at + length(part));
    }
    new
}

pub extern "C" fn substring(a: i64, from: i64, to: i64) -> i64 {
    if !is(a, tag::STRING) {
        return wrong("substring", "a string", a);
    }
    let Some(end) = index(to, length(a)) else {
        return out_of_range("substring", to);
    };
    match index(from, end) {
        Some(start) => part(a, start, end),
        None => out_of_range("substring", from),
    }
}

fn compare(a: i64, b: i64) -> Ordering {
    let characters = |string| (0..length(string)).map(move |index| get(string, index));
    characters(a).cmp(characters(b))
}

/// Whether two strings have the same characters.
pub fn are_equal(a: i64, b: i64) -> bool {
    length(a) == length(b) && compare(a, b).is_eq()
}

pub extern "C" fn equal(a: i64, b: i64, _: i64) -> i64 {
    both("string=?", a, b).map_or_else(|raised| raised, |()| truth(are_equal(a, b)))
}

pub extern "C" fn less(a: i64, b: i64, _: i64) -> i64 {
    let less = |()| truth(compare(a, b).is_lt());
    both("string<?", a, b).map_or_else(|raised| raised, less)
}

pub extern "C" fn to_symbol(a: i64, _: i64, _: i64) -> i64 {
    match is(a, tag::STRING) {
        true => symbols::intern(&to_string(a)),
        false => wrong("string->symbol", "a string", a),
    }
}

/// A new string, as strings can be changed.
pub extern "C" fn of_symbol(a: i64, _: i64, _: i64) -> i64 {
    if !is(a, tag::SYMBOL) {
        return wrong("symbol->string", "a symbol", a);
    }
    let name = field(a, 0);
    part(name, 0, length(name))
}

pub extern "C" fn of_list(list: i64, _: i64, _: i64) -> i64 {
    let Some(count) = list_length(list).filter(|count| *count < LIMIT) else {
        return wrong("list->string", "a list of characters", list);
    };
    let mut rest = list;
    while is(rest, tag::PAIR) {
        if !is_character(field(rest, 0)) {
            return wrong("list->string", "a character", field(rest, 0));
        }
        rest = field(rest, 1);
    }
    let count = count as u32;
    let (new, mut rest) = (heap::string(count), list);
    for index in 0..count {
        store_u32(place(new, index), to_char(field(rest, 0)) as u32);
        rest = field(rest, 1);
    }
    new
}

pub extern "C" fn to_list(a: i64, _: i64, _: i64) -> i64 {
    if !is(a, tag::STRING) {
        return wrong("string->list", "a string", a);
    }
    let c = |index| character(char::from_u32(get(a, index)).unwrap_or_default());
    (0..length(a))
        .rev()
        .fold(NIL, |rest, index| heap::pair(c(index), rest))
}

macro_rules! cases {
    ($($name:ident $scheme:literal $function:ident;)*) => {$(
        pub extern "C" fn $name(a: i64, _: i64, _: i64) -> i64 {
            match is(a, tag::STRING) {
                true => from_str(&to_string(a).$function()),
                false => wrong($scheme, "a string", a),
            }
        }
    )*};
}

cases! {
    upcase "string-upcase" to_uppercase;
    downcase "string-downcase" to_lowercase;
}

pub extern "C" fn read_line(_: i64, _: i64, _: i64) -> i64 {
    crate::output::read_line().map_or(END_OF_FILE, |line| from_str(&line))
}
