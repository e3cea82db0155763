//! The ABI of weval 0.5.1, as its header `weval.h` has it: the requests, and by which names a
//! module exports where they are. Its intrinsics are in our table.
//!
//! An interpreter for weval comes twice: with intrinsics, as the function that requests name, and
//! without, for what is not specialized. Here the first one may run as well, as long as it touches
//! no register: stack and locals are then memory.

/// The Wasm module name of weval's intrinsics.
pub const MODULE: &str = "weval";

/// The exported function that returns the address of the pointer to the first [`Request`].
pub const PENDING_EXPORT: &str = "weval.pending.head";

/// The exported function that returns the address of the `bool` which is true in a specialized
/// module.
pub const IS_SPECIALIZED_EXPORT: &str = "weval.is.wevaled";

/// `weval_req_t`: a function that is to be specialized. Requests are a list, doubly linked; those
/// that were looked at are no longer in it. All pointers are 32-bit addresses.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Request {
    pub next: u32,
    pub previous: u32,
    /// What the interpreter knows the function by.
    pub user_id: u32,
    /// How many of the arguments, the first ones, are none of the function's: constants for
    /// `read.specialization.global`.
    pub global_count: u32,
    /// Table index of the generic function, which has the signature of the residual one.
    pub function: u32,
    /// Address and length in bytes of a sequence of [`Argument`]s.
    pub arguments: u32,
    pub arguments_len: u32,
    /// Address of the word that gets the residual function's table index.
    pub specialized: u32,
}

/// `weval_req_arg_t`: what is known of an argument.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// 0 if nothing is known.
    pub is_known: u32,
    /// One of the `ARGUMENT_*` constants.
    pub kind: u32,
    /// The value. Of a buffer, its length in bytes and, in the upper half, how far it is from its
    /// beginning to the next argument; the bytes follow.
    pub value: u64,
}

pub const ARGUMENT_I32: u32 = 0;
pub const ARGUMENT_I64: u32 = 1;
pub const ARGUMENT_F32: u32 = 2;
pub const ARGUMENT_F64: u32 = 3;
/// A pointer to bytes that are known, wherever they are.
pub const ARGUMENT_BUFFER: u32 = 4;
