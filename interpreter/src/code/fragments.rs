//! Code pointers in marshalled data: an offset in a fragment of code and the MD5 of that fragment.
//!
//! The program's code is one fragment; each piece of code that appears at run time is another.
//! Offsets count bytes as in the executable's CODE section, four a word, whatever the layout in
//! memory.

use super::{CELL, CODE_WORD};
use crate::md5::Md5;
use crate::value::Value;
use crate::vm::vm;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// What identifies code in marshalled data.
pub type Digest = [u8; 16];

/// What a code pointer is in marshalled data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodePointer {
    pub offset: u32,
    pub digest: Digest,
}

/// Code that appeared at run time.
struct Fragment {
    end: u32,
    digest: Digest,
}

thread_local! {
    static PROGRAM: Cell<Digest> = const { Cell::new([0; 16]) };
    /// By start. Nearly every value that is asked for is outside of `BOUNDS`.
    static FRAGMENTS: RefCell<BTreeMap<u32, Fragment>> = const { RefCell::new(BTreeMap::new()) };
    /// The lowest start and the highest end that a fragment ever had.
    static BOUNDS: Cell<(u32, u32)> = const { Cell::new((u32::MAX, 0)) };
}

/// The digest of code, whose words are taken as they are in a file.
pub fn digest(code: &[i32]) -> Digest {
    let mut digest = Md5::new();
    code.iter()
        .for_each(|word| digest.consume(word.to_le_bytes()));
    digest.finalize().0
}

/// Remembers the digest of the program being loaded.
pub fn register_program(code: &[i32]) {
    PROGRAM.set(digest(code));
}

/// Notes a fragment whose cells are `start..end`.
pub fn register(start: u32, end: u32, digest: Digest) {
    FRAGMENTS.with_borrow_mut(|fragments| fragments.insert(start, Fragment { end, digest }));
    let (low, high) = BOUNDS.get();
    BOUNDS.set((low.min(start), high.max(end)));
}

/// Forgets the fragment that begins at `start`; where it ended.
pub fn remove(start: u32) -> Option<u32> {
    FRAGMENTS.with_borrow_mut(|fragments| fragments.remove(&start).map(|fragment| fragment.end))
}

/// Where code is, for who asks it of many blocks while no code appears.
#[derive(Clone, Copy)]
pub struct Ranges {
    program: u32,
    program_size: u32,
    others: u32,
    others_size: u32,
}

impl Ranges {
    #[inline]
    pub fn now() -> Self {
        let (program, (low, high)) = (vm().code_start.get(), BOUNDS.get());
        Self {
            program,
            program_size: vm().code_end.get() - program,
            others: low,
            others_size: high.saturating_sub(low),
        }
    }

    /// Whether `value`, which is no integer, may be a code pointer; false only if it is none.
    #[inline(always)]
    pub fn may_contain(&self, value: Value) -> bool {
        let address = value.address();
        self.in_program(address) || self.in_others(address)
    }

    #[inline(always)]
    fn in_program(&self, address: u32) -> bool {
        address.wrapping_sub(self.program) < self.program_size
    }

    #[inline(always)]
    fn in_others(&self, address: u32) -> bool {
        address.wrapping_sub(self.others) < self.others_size
    }
}

/// The offset that `value` has in its fragment, if it is a code pointer.
pub fn offset(value: Value) -> Option<u32> {
    if !value.is_block() {
        return None;
    }
    let (code, address) = (Ranges::now(), value.address());
    if code.in_program(address) {
        return Some(distance(code.program, address));
    }
    if code.in_others(address) {
        return in_fragment(address).map(|pointer| pointer.offset);
    }
    None
}

/// What `value` is in marshalled data, if it is a code pointer.
pub fn code_pointer(value: Value) -> Option<CodePointer> {
    let offset = offset(value)?;
    in_fragment(value.address()).or(Some(CodePointer {
        offset,
        digest: PROGRAM.get(),
    }))
}

fn in_fragment(address: u32) -> Option<CodePointer> {
    FRAGMENTS.with_borrow(|fragments| {
        let (&start, fragment) = fragments.range(..=address).next_back()?;
        (address < fragment.end).then(|| CodePointer {
            offset: distance(start, address),
            digest: fragment.digest,
        })
    })
}

fn distance(start: u32, address: u32) -> u32 {
    (address - start) / CELL * CODE_WORD
}

/// The address that a code pointer is here, if its fragment is known.
pub fn resolve(pointer: &CodePointer) -> Option<u32> {
    let (start, end) = find(&pointer.digest)?;
    let cell = pointer.offset / CODE_WORD;
    (cell < (end - start) / CELL).then(|| start + cell * CELL)
}

/// The range of the fragment with this digest.
fn find(digest: &Digest) -> Option<(u32, u32)> {
    if *digest == PROGRAM.get() {
        return Some((vm().code_start.get(), vm().code_end.get()));
    }
    FRAGMENTS.with_borrow(|fragments| {
        let found = fragments
            .iter()
            .find(|(_, fragment)| fragment.digest == *digest);
        found.map(|(&start, fragment)| (start, fragment.end))
    })
}
