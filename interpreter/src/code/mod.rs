//! Code: one instruction of an executable, and the cells of what is loaded, eight bytes a word, as
//! ARCHITECTURE.md describes them ("Code").
//!
//! The lower half of a cell, by bit, and what the upper half is then:
//!
//! | cell | bits | upper half |
//! | --- | --- | --- |
//! | all | 0 to 7: the opcode | |
//! | an entry | 8: it need not poll; 9 on: its arity | its request slot |
//! | a RESTART | 9 on: [`RESTART_ARITY`] | its request slot |
//! | a call | 27: several callees; 28: its hint is certain | the hint: entry or candidates |
//! | a load | 29: of an integer; 30: a closure; both: a box | the integer, the entry, the kind |
//! | a BRANCH, a POP | 29 and 30: the accumulator is a box | the kind |
//! | a cut | 31 | the request slot of the piece |
//! | a POPTRAP | | the distance of the outer trap frame |
//!
//! A cell is one of these; one that is an entry and something else counts as an entry. The upper
//! half of an operand's cell says what is known of its instruction: of a GETGLOBAL, 1 and the kind
//! of the box that it gives; of a C_CALL the kind of an element, or, beyond all kinds, the words of
//! a literal. After a RESTART, the second cell has two slots more.
//!
//! [`opcode`] lists the instructions; [`decode`] finds one in a slice of words; [`effect`] is what
//! each does to the stack's depth; [`load`], what it loads if that is all; [`fragments`] says which
//! code an address belongs to; [`error`], why code is rejected.

pub mod decode;
pub mod effect;
pub mod error;
pub mod fragments;
pub mod load;
pub mod opcode;

pub use error::{CodeProblem, ImageError};

use opcode::Opcode;

use crate::memory;
use crate::registry::arguments::Kind;
use crate::value::boxed;
use crate::vm::vm;
use core::iter;

/// Bytes in a cell.
pub const CELL: u32 = 8;

/// Bytes of a word in the executable, where debug events and marshalled code pointers count in
/// them.
pub const CODE_WORD: u32 = 4;

/// Marks the arity in the cell of a RESTART. It and all above it are no arities.
const RESTART_MARK: u32 = 1 << 21;

/// Functions have fewer parameters than this.
pub const ARITY_LIMIT: u32 = RESTART_MARK;

/// Arity in the cell of a RESTART, which takes one argument to three, see [`restart_holder`].
pub const RESTART_ARITY: u32 = RESTART_MARK | 1;

/// Most arguments that RESTARTs have slots for.
pub const MAX_RESTART: u32 = 3;

/// Where the arity begins in an entry's cell, above the instruction and [`LEAF`].
const ARITY_SHIFT: u32 = 9;

/// Marks the entry's cell of a function that need not poll, see `image::quiet`.
const LEAF: u32 = 1 << 8;

/// A function of the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Word index of the first instruction: GRAB if there are several parameters.
    pub position: usize,
    /// Number of parameters; 0 for the program itself.
    pub arity: u32,
    /// Word index after the last instruction that the function reaches.
    pub end: usize,
}

/// The function that an instruction is in, of `entries` in ascending order; absent for code that no
/// function reaches.
pub fn entry_around(entries: &[Entry], position: usize) -> Option<&Entry> {
    let after = entries.partition_point(|entry| entry.position <= position);
    let last = entries[..after].last();
    last.filter(|entry| position < entry.end)
}

/// The words of code as an executable has it.
pub fn words(bytes: &[u8]) -> Vec<i32> {
    bytes
        .chunks_exact(CODE_WORD as usize)
        .map(|word| i32::from_le_bytes(word.try_into().expect("four bytes")))
        .collect()
}

/// The arity in the cell of an entry.
#[inline(always)]
pub fn arity(entry: u32) -> u32 {
    memory::load_u32(entry) >> ARITY_SHIFT
}

/// Whether the slot of the code at `code` takes `n` arguments for its closures: it is an entry with
/// this arity, or `n` is 1 and it is a RESTART. Natively there are no slots.
#[inline(always)]
pub fn takes(code: u32, n: u32) -> bool {
    let arity = arity(code);
    match n {
        1 if cfg!(target_family = "wasm") => arity & !RESTART_MARK == 1,
        _ => arity == n,
    }
}

/// Whether it is a RESTART, which has slots for up to [`MAX_RESTART`] arguments. (By the mark
/// alone, as LLVM makes a switch of comparisons of the arity: a jump more for all calls.)
#[inline(always)]
pub fn is_restart(code: u32) -> bool {
    cfg!(target_family = "wasm") && arity(code) & RESTART_MARK != 0
}

/// Whose slot, for [`slot`], the RESTART at `code` has for `n` arguments. That for one is its own;
/// those for two and three are the words of the second cell after it: that of the operand of its
/// GRAB, which nobody reads.
#[inline(always)]
pub fn restart_holder(code: u32, n: u32) -> u32 {
    match n {
        1 => code,
        2 => code + 2 * CELL,
        _ => code + 2 * CELL - 4,
    }
}

/// The first word of a cell that stands for the entry of a function and has no instruction.
pub const fn entry_word(arity: u32) -> u32 {
    arity << ARITY_SHIFT
}

/// Whether the function at `entry` need not poll when it begins.
#[inline(always)]
pub fn is_leaf(entry: u32) -> bool {
    memory::load_u32(entry) & LEAF != 0
}

/// Says so of the function at `entry`.
pub fn note_leaf(entry: u32) {
    memory::store_u32(entry, memory::load_u32(entry) | LEAF);
}

/// The function-table index in the request slot of an entry.
#[inline(always)]
pub fn slot(entry: u32) -> u32 {
    memory::load_u32(slot_address(entry))
}

/// The address of an entry's request slot.
#[inline(always)]
pub fn slot_address(entry: u32) -> u32 {
    entry + 4
}

/// Marks the word of a cell where an activation can be left, see `image::pieces`.
const CUT: u32 = 1 << 31;

/// Whether this word of a cell may say something of its instruction: that it is a cut, or what it
/// loads.
#[inline(always)]
pub fn is_marked(word: u32) -> bool {
    word >= LOADS_INTEGER
}

/// Whether this word of a cell is that of a cut. Its other half is the request slot of the piece
/// that begins there.
#[inline(always)]
pub fn is_cut(word: u32) -> bool {
    word & CUT != 0
}

/// Makes the instruction at `cell` a cut with this slot. The other half of its word is free for it.
pub fn cut(cell: u32, slot: u32) {
    memory::store_u32(cell, memory::load_u32(cell) | CUT);
    memory::store_u32(slot_address(cell), slot);
}

/// For the POPTRAP at `pc`: the distance from the frame's upper end to the trap frame that is the
/// innermost after it, 0 if there is none.
#[inline(always)]
pub fn outer_trap(pc: u32) -> u32 {
    memory::load_u32(pc + 4)
}

/// Stores what [`outer_trap`] gives.
pub fn set_outer_trap(pc: u32, distance: u32) {
    memory::store_u32(pc + 4, distance);
}

/// How much a callee hint can be relied on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Certainty {
    /// What is called has to be compared with it.
    Guessed,
    /// Nothing else is ever called.
    Certain,
}

/// Most functions that a call is known to be of.
pub const MAX_CANDIDATES: usize = 16;

/// Most functions that a call is compared with where others may be called as well.
pub const MAX_GUESSED: usize = 8;

/// Most functions that a call may take in place. Where there are more, each is called by name
/// behind its comparison: copies of what all of them do would be too long.
pub const MAX_IN_PLACE: usize = 4;

/// What is known of the callee of a call instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callee {
    Unknown,
    /// The entry.
    Certain(u32),
    /// An entry, with which what is called has to be compared.
    Guessed(u32),
    /// The address of candidates ([`put_candidates`]).
    Several(u32),
}

/// How many words `count` candidates take: the entry that is called if it is none of the others, or
/// 0 if that is not certain; the entries with which what is called has to be compared, in turn; 0,
/// so that [`MAX_IN_PLACE`] and one more can always be asked for.
pub const fn candidate_words(count: usize) -> u32 {
    let room = if count < MAX_IN_PLACE {
        MAX_IN_PLACE
    } else {
        count
    };
    room as u32 + 2
}

/// Marks a call instruction whose hint is certain. At an entry this bit belongs to the arity.
const CERTAIN: u32 = 1 << 28;

/// Marks a call instruction whose hint, the other half, is the address of candidates.
const SEVERAL: u32 = 1 << 27;

/// The callee hint of the call instruction at `call`.
#[inline(always)]
pub fn callee(call: u32) -> Callee {
    let hint = memory::load_u32(call + 4);
    match memory::load_u32(call) & (CERTAIN | SEVERAL) {
        _ if hint == 0 => Callee::Unknown,
        CERTAIN => Callee::Certain(hint),
        SEVERAL => Callee::Several(hint),
        _ => Callee::Guessed(hint),
    }
}

/// Stores the callee hint of the call instruction at `call`. Returns the address of the word that
/// is a link then ([`annotations::RequestTable::links`]), if one is.
pub fn set_callee(call: u32, callee: Callee) -> Option<u32> {
    let (mark, hint) = match callee {
        Callee::Unknown => return None,
        Callee::Guessed(entry) => (0, entry),
        Callee::Certain(entry) => (CERTAIN, entry),
        Callee::Several(candidates) => (SEVERAL, candidates),
    };
    let word = memory::load_u32(call) & !(CERTAIN | SEVERAL);
    memory::store_u32(call, word | mark);
    memory::store_u32(call + 4, hint);
    Some(call + 4)
}

/// Stores candidates, none of them 0, at `place`, which has room for `room` of them
/// ([`candidate_words`]). Returns the addresses of its words, all of which are links
/// ([`annotations::RequestTable::links`]).
pub fn put_candidates(
    place: u32,
    room: usize,
    entries: &[u32],
    certainty: Certainty,
) -> impl Iterator<Item = u32> {
    let (compared, otherwise) = match (entries, certainty) {
        ([compared @ .., last], Certainty::Certain) => (compared, *last),
        _ => (entries, 0),
    };
    let words = (0..candidate_words(room)).map(move |index| place + 4 * index);
    let entries = iter::once(otherwise).chain(compared.iter().copied());
    for (word, entry) in words.clone().zip(entries.chain(iter::repeat(0))) {
        memory::store_u32(word, entry);
    }
    words
}

/// Candidate `index` of those at `candidates`, if there are so many to compare. It is less than
/// [`MAX_CANDIDATES`], and up to [`MAX_IN_PLACE`], or all before it are there.
#[inline(always)]
pub fn candidate(candidates: u32, index: u32) -> Option<u32> {
    let entry = memory::load_u32(candidates + 4 + index * 4);
    (entry != 0).then_some(entry)
}

/// What is called if it is none of the candidates at `candidates`, if that is certain.
#[inline(always)]
pub fn otherwise_called(candidates: u32) -> Option<u32> {
    let entry = memory::load_u32(candidates);
    (entry != 0).then_some(entry)
}

/// Marks the word of a cell whose instruction loads a closure: the other half is the closure's
/// entry. At an entry this bit belongs to the arity.
const LOADS_CLOSURE: u32 = 1 << 30;

/// Marks the word of a cell whose instruction loads an integer: the other half is that.
const LOADS_INTEGER: u32 = 1 << 29;

/// Marks the word of a cell whose instruction loads a number's box, or ends an arm with one: the
/// other half is its kind.
const LOADS_NUMBER: u32 = LOADS_CLOSURE | LOADS_INTEGER;

/// The entry of the closure that the instruction at `cell` loads, if it is known.
#[inline(always)]
pub fn known_closure(cell: u32) -> Option<u32> {
    known(cell, LOADS_CLOSURE)
}

/// Notes that the instruction at `cell` loads a closure with this entry, unless the cell is in use.
/// Returns the address of the word that is a link to the entry then.
pub fn note_known_closure(cell: u32, entry: u32) -> Option<u32> {
    note_known(cell, LOADS_CLOSURE, entry).then_some(cell + 4)
}

/// The integer that the instruction at `cell` loads, if it is known.
#[inline(always)]
pub fn known_integer(cell: u32) -> Option<i32> {
    known(cell, LOADS_INTEGER).map(|integer| integer as i32)
}

/// Notes that the instruction at `cell` loads this integer, unless the cell is in use.
pub fn note_known_integer(cell: u32, integer: i32) {
    let _was_free = note_known(cell, LOADS_INTEGER, integer as u32);
}

/// The kind of the box of a number that the instruction at `cell` loads, or has before it in the
/// accumulator where it ends an arm, if it is known.
#[inline(always)]
pub fn known_number(cell: u32) -> Option<u32> {
    known(cell, LOADS_NUMBER)
}

/// Notes that kind, unless the cell is in use.
pub fn note_known_number(cell: u32, kind: u32) {
    let _was_free = note_known(cell, LOADS_NUMBER, kind);
}

/// The other half of a cell that has this mark and no other.
#[inline(always)]
fn known(cell: u32, mark: u32) -> Option<u32> {
    let marks = memory::load_u32(cell) & !0xff;
    (marks == mark).then(|| memory::load_u32(cell + 4))
}

/// Returns whether the cell was free.
fn note_known(cell: u32, mark: u32, what: u32) -> bool {
    let word = memory::load_u32(cell);
    let is_free = word & !0xff == 0 && memory::load_u32(cell + 4) == 0;
    if is_free {
        memory::store_u32(cell, word | mark);
        memory::store_u32(cell + 4, what);
    }
    is_free
}

/// Whether no closure's code pointer is ever changed: a constant of the program.
#[inline(always)]
pub fn closures_keep_code() -> bool {
    vm().closures_keep_code.get() != 0
}

/// The kind of the box that the GETGLOBAL at `cell` gives, if that is a constant of the program.
/// Its operand's cell says so: its own may be that of an entry or a cut.
#[inline(always)]
pub fn constant_box(cell: u32) -> Option<u32> {
    let mark = memory::load_u32(cell + CELL + 4);
    (mark != 0).then(|| mark - 1)
}

/// Says so of the GETGLOBAL at `cell`.
pub fn note_constant_box(cell: u32, kind: u32) {
    memory::store_u32(cell + CELL + 4, 1 + kind);
}

/// Whether the analysis of the program found this kind for the element of a bigarray that the
/// C_CALL at `cell` reads or writes. Its operand's cell says so, as that of a GETGLOBAL.
#[inline(always)]
pub fn is_of_kind(cell: u32, kind: Kind) -> bool {
    memory::load_u32(cell + CELL + 4) == kind as u32
}

/// The kind of boxed integers that such an element is, if the analysis found one.
#[inline(always)]
pub fn element_box(cell: u32) -> Option<u32> {
    let kind = memory::load_u32(cell + CELL + 4);
    let first = Kind::Int32 as u32;
    (first..=Kind::Nativeint as u32)
        .contains(&kind)
        .then(|| boxed::INT32 + (kind - first))
}

/// Notes that kind.
pub fn note_kind(cell: u32, kind: Kind) {
    memory::store_u32(cell + CELL + 4, kind as u32);
}

/// What follows all kinds.
const LITERAL: u32 = Kind::Nativeint as u32;

// Kinds of integers are in one order in both lists.
const _: () = assert!(
    Kind::Int64 as u32 - Kind::Int32 as u32 == boxed::INT64 - boxed::INT32
        && Kind::Nativeint as u32 - Kind::Int32 as u32 == boxed::NATIVEINT - boxed::INT32
        && LITERAL >= Kind::Float as u32
        && LITERAL >= Kind::Integer as u32
);

/// The words of the literal that is the second string which the C_CALL at `cell` compares, if it is
/// one; otherwise 0. Its operand's cell says so, as it does of elements.
#[inline(always)]
pub fn literal_words(cell: u32) -> u32 {
    memory::load_u32(cell + CELL + 4).saturating_sub(LITERAL)
}

/// Notes that there are so many.
pub fn note_literal(cell: u32, words: u32) {
    memory::store_u32(cell + CELL + 4, LITERAL + words);
}

/// Makes the instruction at `cell`, which has no operands, one that does nothing.
pub fn silence(cell: u32) {
    memory::store_u8(cell, Opcode::Event as u8);
}

/// The address of the cell of word `position` in code loaded at `start`.
pub fn address(start: u32, position: usize) -> u32 {
    start + position as u32 * CELL
}

/// Makes the cell at `cell` that of an entry of this arity.
pub fn set_arity(cell: u32, arity: u32) {
    memory::store_u32(cell, memory::load_u32(cell) | arity << ARITY_SHIFT);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_that_are_not_there_are_not_those_of_another_call() {
        let size = 4 * candidate_words(2);
        let first = memory::grow(2 * size as usize).expect("room for candidates");
        for place in [first, first + size] {
            let _links = put_candidates(place, 2, &[8, 16], Certainty::Certain);
        }
        let compared = (0..=MAX_IN_PLACE as u32).map(|index| candidate(first, index));
        assert_eq!(
            compared.collect::<Vec<_>>(),
            [Some(8), None, None, None, None]
        );
        assert_eq!(otherwise_called(first), Some(16));
    }
}
