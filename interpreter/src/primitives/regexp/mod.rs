//! The matcher of the library `str`: it runs the programs that `Str.regexp` compiles, with
//! backtracking.
//!
//! Left out: compiling expressions, which is done in OCaml.

mod matcher;
mod prefix;
mod program;
mod search;

use crate::heap;
use crate::raise;
use crate::registry::{Outcome, Raised};
use crate::value::Value;
use matcher::{Matcher, Mode, Scratch};
use program::Program;
use std::cell::RefCell;

crate::primitives! {
    Allocates "re_string_match" string_match, 3;
    Allocates "re_partial_match" partial_match, 3;
    Allocates "re_search_forward" search_forward, 3;
    Allocates "re_search_backward" search_backward, 3;
    Allocates "re_replacement_text" replacement_text, 3;
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = const { RefCell::new(Scratch::new()) };
}

fn string_match(expression: Value, text: Value, position: Value) -> Outcome {
    at_position(expression, text, position, Mode::Whole, "Str.string_match")
}

fn partial_match(expression: Value, text: Value, position: Value) -> Outcome {
    let name = "Str.string_partial_match";
    at_position(expression, text, position, Mode::Partial, name)
}

fn at_position(expression: Value, text: Value, position: Value, mode: Mode, name: &str) -> Outcome {
    let start = checked(text, position, name)?;
    let find = |matcher: &mut Matcher| matcher.matches(start, mode);
    Ok(groups_found(expression, text, find))
}

fn search_forward(expression: Value, text: Value, position: Value) -> Outcome {
    let start = checked(text, position, "Str.search_forward")?;
    let find = |matcher: &mut Matcher| search::forward(expression, matcher, start);
    Ok(groups_found(expression, text, find))
}

fn search_backward(expression: Value, text: Value, position: Value) -> Outcome {
    let start = checked(text, position, "Str.search_backward")?;
    let find = |matcher: &mut Matcher| search::backward(matcher, start);
    Ok(groups_found(expression, text, find))
}

/// The bounds of the groups of the match that `find` finds, else none.
fn groups_found(expression: Value, text: Value, find: impl FnOnce(&mut Matcher) -> bool) -> Value {
    SCRATCH.with_borrow_mut(|scratch| {
        // SAFETY: a matcher writes to its scratch, and to new blocks at most.
        let (program, text) = unsafe { (Program::of(expression), text.string_bytes()) };
        let mut matcher = Matcher::new(program, text, scratch);
        match find(&mut matcher) {
            true => matcher.bounds(),
            false => heap::atom(0),
        }
    })
}

fn checked(text: Value, position: Value, name: &str) -> Result<usize, Raised> {
    match usize::try_from(position.as_int()) {
        Ok(position) if position <= text.string_len() => Ok(position),
        _ => Err(raise::invalid_argument(name)),
    }
}

/// A template, with what `\0` to `\9` stand for in the text that was matched.
fn replacement_text(template: Value, groups: Value, text: Value) -> Outcome {
    let mut result = Vec::new();
    // SAFETY: the result is put together outside of the heap.
    let (template, text) = unsafe { (template.string_bytes(), text.string_bytes()) };
    let mut rest = template.iter();
    while let Some(&byte) = rest.next() {
        if byte != b'\\' {
            result.push(byte);
            continue;
        }
        match rest.next() {
            None => return Err(raise::failure("Str.replace: illegal backslash sequence")),
            Some(b'\\') => result.push(b'\\'),
            Some(&digit @ b'0'..=b'9') => {
                let group = group(groups, (digit - b'0') as usize, text);
                let unmatched = || raise::failure("Str.replace: reference to unmatched group");
                result.extend_from_slice(group.ok_or_else(unmatched)?);
            }
            Some(&other) => result.extend_from_slice(&[b'\\', other]),
        }
    }
    Ok(heap::alloc_string(&result))
}

fn group(groups: Value, index: usize, text: &[u8]) -> Option<&[u8]> {
    if 2 * index >= groups.wosize() {
        return None;
    }
    let bound = |at: usize| usize::try_from(groups.field(at).as_int()).ok();
    text.get(bound(2 * index)?..bound(2 * index + 1)?)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{call, start_machine, string, text};
    use super::*;

    /// A compiled expression: operations with their arguments, strings, and the numbers of groups
    /// and marks.
    fn expression(program: &[(i64, i64)], pool: &[&[u8]], groups: i64, marks: i64) -> Value {
        let words: Vec<Value> = program
            .iter()
            .map(|&(operation, argument)| Value::int(argument << 8 | operation))
            .collect();
        let pool: Vec<Value> = pool.iter().map(|bytes| heap::alloc_string(bytes)).collect();
        let normal: Vec<u8> = (0..=255u8).map(|c| c.to_ascii_lowercase()).collect();
        let fields = [
            heap::alloc_fields(0, &words),
            heap::alloc_fields(0, &pool),
            heap::alloc_string(&normal),
            Value::int(groups),
            Value::int(marks),
            Value::int(-1),
        ];
        heap::alloc_fields(0, &fields)
    }

    fn bounds(name: &str, expression: Value, text: &str, position: i64) -> Vec<i64> {
        let arguments = [expression, string(text), Value::int(position)];
        let array = call(name, &arguments).expect("it does not raise");
        (0..array.wosize())
            .map(|index| array.field(index).as_int())
            .collect()
    }

    /// `\(a\|ab\)c`
    fn alternatives() -> Value {
        let program = [
            (8, 1),
            (16, 2),
            (0, 97),
            (15, 1),
            (2, 0),
            (9, 1),
            (0, 99),
            (11, 0),
        ];
        expression(&program, &[b"ab"], 2, 0)
    }

    #[test]
    fn choices_are_undone() {
        start_machine();
        let found = |text| bounds("re_string_match", alternatives(), text, 0);
        assert_eq!(found("ac"), [0, 2, 0, 1]);
        assert_eq!(found("abc"), [0, 3, 0, 2]);
        assert_eq!(found("abd"), []);
    }

    #[test]
    fn searching_goes_both_ways() {
        start_machine();
        let found = |name, position| bounds(name, alternatives(), "xacxabcx", position);
        assert_eq!(found("re_search_forward", 0), [1, 3, 1, 2]);
        assert_eq!(found("re_search_forward", 2), [4, 7, 4, 6]);
        assert_eq!(found("re_search_backward", 8), [4, 7, 4, 6]);
        assert_eq!(found("re_search_backward", 0), []);
    }

    #[test]
    fn the_end_of_the_text_is_a_partial_match() {
        start_machine();
        let found = |text| bounds("re_partial_match", alternatives(), text, 0);
        assert_eq!(found("a"), [0, 1, 0, 1]);
        assert_eq!(found(""), [0, 0, -1, -1]);
        assert_eq!(found("b"), []);
    }

    #[test]
    fn repetition_of_nothing_ends() {
        start_machine();
        // `\(a?\)*`, the class of `a` as 256 bits.
        let mut class = [0; 32];
        class[12] = 2;
        let program = [(16, 4), (17, 0), (12, 0), (18, 0), (15, -5), (11, 0)];
        let expression = expression(&program, &[&class], 1, 1);
        let found = bounds("re_string_match", expression, "aab", 0);
        assert_eq!(found, [0, 2]);
    }

    #[test]
    fn positions_outside_are_refused() {
        start_machine();
        for position in [-1, 2] {
            let arguments = [alternatives(), string("a"), Value::int(position)];
            let raised = call("re_search_forward", &arguments);
            let message = "Invalid_argument: Str.search_forward";
            assert_eq!(raised.expect_err("it is outside"), message);
        }
    }

    #[test]
    fn templates_name_groups() {
        start_machine();
        let groups = [0, 3, 1, 2, -1, -1].map(Value::int);
        let groups = heap::alloc_fields(0, &groups);
        let result = |template| {
            let arguments = [string(template), groups, string("abc")];
            call("re_replacement_text", &arguments)
        };
        let arguments = [string(r"<\0-\1\\\x>"), groups, string("abc")];
        assert_eq!(text("re_replacement_text", &arguments), r"<abc-b\\x>");
        for template in [r"\2", r"\3"] {
            let message = "Failure: Str.replace: reference to unmatched group";
            assert_eq!(result(template).expect_err("it was not met"), message);
        }
        assert!(result("\\").is_err());
    }
}
