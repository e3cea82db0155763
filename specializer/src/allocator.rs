//! How an interpreter takes memory for blocks ([`annotations::Allocator`]).

use std::mem::offset_of;

use annotations::ALLOCATOR_EXPORT;

use crate::ir::{Func, Type};
use crate::module::Module;

/// Bytes of a block's header.
pub const HEADER: u32 = 8;

/// What a module says of its allocator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allocator {
    pub allocate: Func,
    /// Address of the word that says where the memory begins that is in use.
    pub pointer: u32,
    /// Address of the word that says how far down it may be taken.
    pub floor: u32,
    /// Whether each block and each box is made, because the program asks how much was allocated.
    pub is_counted: bool,
}

impl Allocator {
    /// That of a module, if it has one that is as it should be.
    pub fn declared(module: &Module) -> Option<Self> {
        let table = module.exported_address(ALLOCATOR_EXPORT)?;
        let word = |field: usize| module.image_u32(table.wrapping_add(field as u32));
        let allocate = word(offset_of!(annotations::Allocator, allocate));
        let allocate = module.table.get(allocate as usize).copied().flatten()?;
        let signature = module.signature(allocate)?;
        let fits =
            signature.params[..] == [Type::I32, Type::I64] && signature.results[..] == [Type::I32];
        fits.then_some(Self {
            allocate,
            pointer: word(offset_of!(annotations::Allocator, pointer)),
            floor: word(offset_of!(annotations::Allocator, floor)),
            is_counted: module.image_u32(word(offset_of!(annotations::Allocator, counted))) != 0,
        })
    }
}
