//! Backtraces of hand-assembled programs, and debug events made by hand.

use super::debug;
use super::events::{self, Location, Place};
use super::*;
use crate::code::CELL;
use crate::heap;
use crate::image::assemble::{assemble, executable};
use crate::polymorphic::marshal::output::{Flags, marshal};
use crate::start::run_loaded;
use crate::testing::{start_machine, string};

/// Runs a program with recording on; the words that the backtrace then holds.
fn trace(text: &'static str) -> Vec<u32> {
    // A thread is a machine, which loads one program.
    let thread = std::thread::spawn(move || {
        let file = executable(&assemble(text));
        crate::program::load(&file).expect("well-formed code");
        let start = vm().code_start.get();
        record(1);
        // Handled or not, an exception is recorded.
        let _ = run_loaded();
        let word = |position: u32| (position - start) / CELL;
        last().into_iter().map(word).collect()
    });
    thread.join().expect("the interpreter does not panic")
}

#[test]
fn a_raise_and_the_calls_around_it() {
    // The function at 7 raises at 8; the call at 5 would return to 6.
    let program = "Closure 0 @f; Push; Acc0; Apply1; Stop; f: Acc0; Raise";
    assert_eq!(trace(program), [8, 6]);
}

#[test]
fn pending_calls_up_to_the_handler() {
    // Two calls wait for arguments: to 10 outside of the handler, to 8 inside. The handler is at 9.
    macro_rules! program {
        ($handler:literal) => {
            concat!(
                "PushRetAddr @a; PushTrap @h; PushRetAddr @b; Const1; Raise; b: Stop; h: ",
                $handler,
                "; a: Stop"
            )
        };
    }
    assert_eq!(trace(program!("Stop")), [7, 8]);
    assert_eq!(trace(program!("Raise")), [9, 10]);
    assert_eq!(trace(program!("Reraise")), [7, 8, 9, 10]);
    assert_eq!(trace(program!("RaiseNoTrace")), [7, 8]);
}

#[test]
fn a_call_returns_where_its_frame_says() {
    let program = "Branch @start; f: Acc0; Raise; start: PushRetAddr @a; Const0; Push; \
        Closure 0 @f; Apply 1; Stop; Stop; a: Stop";
    assert_eq!(trace(program), [3, 15]);
}

#[test]
fn primitives_divisions_and_untraced_raises() {
    assert_eq!(trace("Const0; CCall1 2; Stop"), [3]);
    assert_eq!(trace("Const0; PushConst1; DivInt; Stop"), [4]);
    assert_eq!(trace("Const0; RaiseNoTrace"), []);
}

#[test]
fn a_thread_finds_its_backtrace_as_long_as_it_left_it() {
    start_machine();
    restore(Value::UNIT, [4, 8, 12].into_iter());
    let mut other = vec![16];
    exchange(&mut other);
    assert_eq!(last(), [16]);
    // As C forgets it.
    LEN.set(0);
    exchange(&mut other);
    assert_eq!(last(), [4, 8, 12]);
    assert!(other.is_empty());
}

/// An event at byte `offset` of its code, on `line`.
fn event(offset: i64, line: i64) -> Value {
    let int = Value::int;
    let position =
        |character| heap::alloc_fields(0, &[string("a.ml"), int(line), int(100), int(character)]);
    let location = heap::alloc_fields(0, &[position(103), position(109), Value::FALSE]);
    heap::alloc_fields(
        0,
        &[
            int(offset),
            string("A"),
            location,
            int(0),
            string("A.f"),
            int(0),
        ],
    )
}

fn line_at(position: u32) -> Option<i32> {
    events::location(position).place.map(|place| place.line)
}

#[test]
fn events_of_added_code() {
    start_machine();
    let list = [event(8, 3), event(0, 1), event(8, 2)];
    let list = heap::alloc_list(list.into_iter());
    let start = memory::grow(6 * CELL as usize).expect("memory");
    assert!(!events::is_code(start));
    events::add(start, start + 6 * CELL, heap::alloc_fields(0, &[list]));
    assert_eq!(
        events::location(start),
        Location {
            is_raise: false,
            place: Some(Place {
                file: b"a.ml"[..].into(),
                function: b"A.f"[..].into(),
                line: 1,
                start: 3,
                end: 9,
            })
        }
    );
    let lines = [1, 2, 3].map(|word| line_at(start + word * CELL));
    // One word before an event will do; then the first of several counts, else the last.
    assert_eq!(lines, [Some(2), Some(3), None]);
    events::remove(start);
    assert_eq!(line_at(start), None);
}

#[test]
fn a_section_of_units_may_be_cut_anywhere() {
    start_machine();
    let start = memory::grow(64 * CELL as usize).expect("memory");
    vm().code_start.set(start);
    vm().code_end.set(start + 64 * CELL);
    let data = |value| marshal(value, Flags::from_list(Value::EMPTY_LIST)).expect("marshals");
    let unit = |at: u32, line| {
        let list = heap::alloc_list([event(4, line)].into_iter());
        [&at.to_be_bytes()[..], &data(list), &data(Value::EMPTY_LIST)].concat()
    };
    // Not in order.
    let section = [&2u32.to_be_bytes()[..], &unit(80, 8), &unit(0, 1)].concat();
    let lines = || [1, 21].map(|word| line_at(start + word * CELL));
    for length in 0..=section.len() {
        events::register(debug::units(&section[..length]));
        let found = lines();
        assert!(length < section.len() || found == [Some(1), Some(8)]);
        assert!(found[0].is_none() || length == section.len());
    }
}
