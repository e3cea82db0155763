//! Checkpoints in the program's own code, the initialiser: the beginnings of its compiled pieces,
//! which are loops, and elsewhere the calls of closures and primitives. A program that is parked at
//! one goes on in compiled code where there is some.
//!
//! Each is made a cut (see `image::pieces`), whose slot holds [`checkpoint`]: so generic code hands
//! the activation over there, with all of its registers, and other runs pay nothing. The first
//! visit puts the instruction back and counts; later ones pass unseen.

use crate::code::decode::{self, Instruction};
use crate::code::effect;
use crate::code::opcode::Opcode;
use crate::code::{self, CELL};
use crate::evaluation::{self, BACTRIAN_EVALUATION, Piece, get};
use crate::image::lives;
use crate::interp::entries;
use crate::memory;
use crate::vm::vm;
use core::ops::Range;
use core::sync::atomic::Ordering::Relaxed;
use std::cell::Cell;

/// Marks of cells: whether they are followed, whether they are in a piece.
const VISITED: u8 = 1;
const COMPILED: u8 = 2;

/// Where an activation of the initialiser goes on. Distances are in bytes.
#[derive(Clone, Copy)]
pub struct Registers {
    pub pc: u32,
    pub entry: u32,
    /// From the stack's upper end down to the frame's, and to its lower end.
    pub above: u32,
    pub depth: u32,
    pub trap: u32,
    pub accu: i64,
}

thread_local! {
    /// Where the instructions are that checkpoints stand for: as far from here as their cells from
    /// the code.
    static ORIGINALS: Cell<u32> = const { Cell::new(0) };
    static ARRIVED: Cell<Option<Registers>> = const { Cell::new(None) };
}

/// The checkpoints that are set.
pub struct Breakpoints {
    originals: Range<u32>,
}

/// Where the program was parked, if it was.
pub fn arrived() -> Option<Registers> {
    ARRIVED.take()
}

impl Breakpoints {
    /// Sets all of them. Stops if the program can find out what has died.
    pub fn set() -> Self {
        let (start, end) = (vm().code_start.get(), vm().code_end.get());
        let len = end - start;
        let take = |len: u32| {
            let address = memory::grow(len as usize).unwrap_or_else(|| evaluation::stop("memory"));
            address..address + len
        };
        let (originals, marks) = (take(len), take(len / CELL));
        ORIGINALS.set(originals.start);
        let set = |cell: u32| {
            memory::store_u64(originals.start + (cell - start), memory::load_u64(cell));
            code::cut(cell, checkpoint as *const () as usize as u32);
        };
        let pieces = evaluation::take_pieces();
        let mark = |cell: u32| marks.start + (cell - start) / CELL;
        for Piece { cells, .. } in &pieces {
            memory::fill(mark(cells.start), cells.len() / CELL as usize, COMPILED);
        }
        for_each_instruction(start, mark, |cell, instruction| {
            if is_call(instruction.opcode) && memory::load_u8(mark(cell)) & COMPILED == 0 {
                set(cell);
            }
        });
        if let Some(teller) = lives::teller() {
            evaluation::stop(teller);
        }
        pieces.iter().for_each(|piece| set(piece.cut));
        memory::fill(marks.start, marks.len(), 0);
        Self { originals }
    }

    /// Puts back what was not visited.
    pub fn clear(self) {
        let start = vm().code_start.get();
        for offset in (0..self.originals.len() as u32).step_by(CELL as usize) {
            let original = memory::load_u64(self.originals.start + offset);
            if original != 0 {
                memory::store_u64(start + offset, original);
            }
        }
        memory::fill(self.originals.start, self.originals.len(), 0);
    }
}

/// Follows the initialiser from its first cell, at `start`. `mark` is where a byte is for a cell.
fn for_each_instruction(
    start: u32,
    mark: impl Fn(u32) -> u32,
    mut visit: impl FnMut(u32, &Instruction),
) {
    let mut work = vec![start];
    let mut words = Vec::new();
    while let Some(cell) = work.pop() {
        let marks = memory::load_u8(mark(cell));
        if marks & VISITED != 0 {
            continue;
        }
        memory::store_u8(mark(cell), marks | VISITED);
        read(cell, &mut words);
        let instruction = decode::instruction(&words, 0).expect("only verified code is loaded");
        effect::successors(&instruction, |distance| {
            work.push(cell.wrapping_add((distance as u32).wrapping_mul(CELL)));
        });
        visit(cell, &instruction);
    }
}

/// The instruction at `cell` as the words that it was loaded from.
fn read(cell: u32, words: &mut Vec<i32>) {
    let operand = |index: u32| memory::load_u32(cell + index * CELL) as i32;
    // Above the lowest byte are marks.
    let opcode = i32::from(memory::load_u8(cell));
    words.clear();
    words.push(opcode);
    let opcode = Opcode::from_word(opcode).expect("only verified code is loaded");
    let fixed = opcode.operands().len() as u32;
    let more = match opcode {
        Opcode::Switch => {
            let sizes = operand(1) as u32;
            (sizes & 0xffff) + (sizes >> 16)
        }
        Opcode::ClosureRec => operand(1) as u32,
        _ => 0,
    };
    words.extend((1..=fixed + more).map(operand));
}

fn is_call(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        Apply | Apply1 | Apply2 | Apply3 | CCall1 | CCall2 | CCall3 | CCall4 | CCall5 | CCallN
    )
}

type Resume = extern "C" fn(u32, u32, u32, u32, u32, i64) -> i64;

/// What is in the slots of checkpoints. One call at the end: so that is a tail call.
extern "C" fn checkpoint(pc: u32, entry: u32, base: u32, size: u32, trap: u32, accu: i64) -> i64 {
    let high = vm().stack_high.get();
    let registers = Registers {
        pc,
        entry,
        above: high - base,
        depth: high - base + size,
        trap,
        accu,
    };
    let next: Resume = match passes(registers) {
        true => entries::resume,
        false => stay,
    };
    next(pc, entry, base, size, trap, accu)
}

/// Puts the instruction back and counts; whether the program goes on.
#[inline(never)]
fn passes(registers: Registers) -> bool {
    let Registers { pc, .. } = registers;
    let original = ORIGINALS.get() + (pc - vm().code_start.get());
    memory::store_u64(pc, memory::load_u64(original));
    let state = &BACTRIAN_EVALUATION;
    let number = get(&state.checkpoints) + 1;
    state.checkpoints.store(number, Relaxed);
    state.position.store(pc, Relaxed);
    let parks = number == get(&state.limit);
    if parks {
        ARRIVED.set(Some(registers));
    }
    !parks
}

/// Leaves the activation as it is.
extern "C" fn stay(_: u32, _: u32, _: u32, _: u32, _: u32, _: i64) -> i64 {
    crate::value::Value::UNIT.0
}
