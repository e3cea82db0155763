//! The automata of `ocamllex`: tables of 16-bit numbers, a buffer that OCaml code refills.

use crate::memory;
use crate::raise;
use crate::registry::Outcome;
use crate::value::Value;

crate::primitives! {
    Leaf "caml_lex_engine" lex_engine, 3;
    Leaf "caml_new_lex_engine" new_lex_engine, 3;
}

/// Fields of `Lexing.lexbuf`.
mod lexbuf {
    pub const BUFFER: usize = 1;
    pub const BUFFER_LEN: usize = 2;
    pub const START_POS: usize = 4;
    pub const CURR_POS: usize = 5;
    pub const LAST_POS: usize = 6;
    pub const LAST_ACTION: usize = 7;
    pub const EOF_REACHED: usize = 8;
    pub const MEM: usize = 9;
}

/// Fields of `Lexing.lex_tables`.
#[derive(Clone, Copy)]
#[repr(usize)]
enum Table {
    Base,
    Backtrack,
    Default,
    Transition,
    Check,
    BaseCode,
    BacktrackCode,
    DefaultCode,
    TransitionCode,
    CheckCode,
    Code,
}

/// The pseudo-character at the end of the input.
const END_OF_INPUT: i32 = 256;

/// No action is known yet.
const NO_ACTION: Value = Value::int(-1);

fn lex_engine(tables: Value, start: Value, buffer: Value) -> Outcome {
    run::<false>(tables, start, buffer)
}

/// The engine with code that remembers positions.
fn new_lex_engine(tables: Value, start: Value, buffer: Value) -> Outcome {
    run::<true>(tables, start, buffer)
}

/// Entry `index` of a table.
#[inline(always)]
fn entry(tables: Value, table: Table, index: i32) -> i32 {
    let table = tables.field(table as usize).address();
    memory::load_u16(table.wrapping_add_signed(index * 2)) as i16 as i32
}

fn run<const CODE: bool>(tables: Value, start: Value, buffer: Value) -> Outcome {
    let mut state = start.as_int() as i32;
    if state >= 0 {
        let position = buffer.field(lexbuf::CURR_POS);
        buffer.init_field(lexbuf::LAST_POS, position);
        buffer.init_field(lexbuf::START_POS, position);
        buffer.init_field(lexbuf::LAST_ACTION, NO_ACTION);
    } else {
        // The scan goes on where it stopped for a refill.
        state = -state - 1;
    }
    loop {
        let base = entry(tables, Table::Base, state);
        if base < 0 {
            if CODE {
                let code = entry(tables, Table::BaseCode, state);
                remember(tables, buffer, code, NO_ACTION);
            }
            return Ok(Value::int(-base as i64 - 1));
        }
        let backtrack = entry(tables, Table::Backtrack, state);
        if backtrack >= 0 {
            if CODE {
                let code = entry(tables, Table::BacktrackCode, state);
                remember(tables, buffer, code, NO_ACTION);
            }
            buffer.init_field(lexbuf::LAST_POS, buffer.field(lexbuf::CURR_POS));
            buffer.init_field(lexbuf::LAST_ACTION, Value::int(backtrack as i64));
        }
        let Some(input) = next_input(buffer) else {
            return Ok(Value::int(-state as i64 - 1));
        };
        let previous = state;
        state = if entry(tables, Table::Check, base + input) == previous {
            entry(tables, Table::Transition, base + input)
        } else {
            entry(tables, Table::Default, previous)
        };
        if state < 0 {
            return backtrack_to_action(buffer);
        }
        if CODE {
            move_code(tables, buffer, previous, input);
        }
        // The end of the input has been consumed.
        if input == END_OF_INPUT {
            buffer.init_field(lexbuf::EOF_REACHED, Value::FALSE);
        }
    }
}

/// The next character, or `None`: the buffer must be refilled.
#[inline(always)]
fn next_input(buffer: Value) -> Option<i32> {
    let position = buffer.field(lexbuf::CURR_POS);
    if position.0 < buffer.field(lexbuf::BUFFER_LEN).0 {
        buffer.init_field(lexbuf::CURR_POS, Value(position.0 + 2));
        let address = buffer.field(lexbuf::BUFFER).address() + position.as_int() as u32;
        return Some(memory::load_u8(address) as i32);
    }
    buffer
        .field(lexbuf::EOF_REACHED)
        .as_bool()
        .then_some(END_OF_INPUT)
}

/// No transition: what was last accepted is the token.
fn backtrack_to_action(buffer: Value) -> Outcome {
    buffer.init_field(lexbuf::CURR_POS, buffer.field(lexbuf::LAST_POS));
    match buffer.field(lexbuf::LAST_ACTION) {
        NO_ACTION => Err(raise::failure("lexing: empty token")),
        action => Ok(action),
    }
}

/// The code that belongs to a transition.
fn move_code(tables: Value, buffer: Value, state: i32, input: i32) {
    let base = entry(tables, Table::BaseCode, state);
    let code = if entry(tables, Table::CheckCode, base + input) == state {
        entry(tables, Table::TransitionCode, base + input)
    } else {
        entry(tables, Table::DefaultCode, state)
    };
    if code > 0 {
        remember(tables, buffer, code, buffer.field(lexbuf::CURR_POS));
    }
}

/// Ends code; as a source it stands for the value that is not in memory.
const END: u8 = 0xFF;

/// Runs code from `offset`: pairs of target and source in the memory of positions.
fn remember(tables: Value, buffer: Value, offset: i32, fresh: Value) {
    let mut pc = tables
        .field(Table::Code as usize)
        .address()
        .wrapping_add_signed(offset);
    let positions = buffer.field(lexbuf::MEM);
    loop {
        let target = memory::load_u8(pc);
        if target == END {
            return;
        }
        let value = match memory::load_u8(pc + 1) {
            END => fresh,
            source => positions.field(source as usize),
        };
        positions.init_field(target as usize, value);
        pc += 2;
    }
}
