//! Bytecode: words of 32 bits.
//!
//! A function begins with its *entry*, [`ENTRY_WORDS`] words: what it takes, and its *slot*, the
//! index in the table of functions of what runs it. The address of the entry is what closures hold.
//! Instructions follow, an opcode and its operands each. Distances count bytes from the word that
//! holds them.

use crate::memory::load_u32;

/// Bytes in a word of code.
pub const CELL: u32 = 4;

pub const ENTRY_WORDS: u32 = 2;

/// Parameters that a function may have. The compiler makes a list of what is beyond.
pub const MAX_PARAMETERS: u32 = 6;

const REST: u32 = 1 << 8;
const ENVIRONMENT: u32 = 1 << 9;

/// The first word of an entry: the number of parameters; whether the last one is a list of all
/// further arguments; whether the function has captured variables.
pub fn entry_word(parameters: u32, rest: bool, environment: bool) -> u32 {
    parameters | if rest { REST } else { 0 } | if environment { ENVIRONMENT } else { 0 }
}

/// How many parameters the function has.
#[inline(always)]
pub fn parameters(code: u32) -> u32 {
    load_u32(code) & 0xff
}

#[inline(always)]
pub fn has_rest(code: u32) -> bool {
    load_u32(code) & REST != 0
}

#[inline(always)]
pub fn has_environment(code: u32) -> bool {
    load_u32(code) & ENVIRONMENT != 0
}

/// The address of the function's slot.
#[inline(always)]
pub fn slot(code: u32) -> u32 {
    code + CELL
}

/// Whether the function takes `n` arguments as they are.
#[inline(always)]
pub fn takes(code: u32, n: u32) -> bool {
    load_u32(code) & (REST | 0xff) == n
}

macro_rules! opcodes {
    ($($(#[$doc:meta])* $name:ident $operands:literal;)*) => {
        /// Instructions. `accu` is the accumulator; slots count from the frame's upper end.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u32)]
        pub enum Opcode {
            $($(#[$doc])* $name,)*
        }

        impl Opcode {
            const ALL: &[Opcode] = &[$(Opcode::$name,)*];

            pub const fn operands(self) -> u32 {
                match self {
                    $(Opcode::$name => $operands,)*
                }
            }
        }
    };
}

opcodes! {
    /// accu = slot.
    Local 1;
    /// A slot = accu.
    SetLocal 1;
    /// accu = a fixnum.
    Int 1;
    /// accu = a constant or character.
    Immediate 1;
    /// accu = a constant of the program.
    Constant 1;
    /// The same: the function, which captures nothing, of the code at an address.
    Function 2;
    /// accu = the float at an address.
    Float 1;
    /// accu = a global variable; an error if it is not defined yet.
    Global 1;
    /// A global variable = accu.
    SetGlobal 1;
    /// accu = a captured variable.
    Captured 1;
    /// accu = the function that runs.
    Own 0;
    Push 0;
    /// Pushes a slot.
    PushLocal 1;
    Pop 1;
    /// A slot = a box of what is in it.
    MakeBox 1;
    /// accu = the contents of the box in it.
    BoxRef 0;
    /// The same; an error if they are not defined yet.
    BoxRefDefined 0;
    /// Pops a box, whose contents become accu.
    BoxSet 0;
    /// accu = a closure of the code at an address with so many captured variables, which are
    /// popped.
    Closure 2;
    /// A captured variable, by number, of the closure in a slot = accu.
    Capture 2;
    Jump 1;
    JumpIfFalse 1;
    JumpIfTrue 1;
    /// Pops so many words into as many slots from one on, drops what is above these, and jumps.
    Again 3;
    /// Calls the function in accu with so many arguments, which are popped.
    Call 1;
    /// The same; its result is the result.
    TailCall 1;
    /// The same with the code at an address, of the closure in accu, which takes so many.
    CallKnown 2;
    TailCallKnown 2;
    /// The same with the code that runs.
    TailCallOwn 1;
    /// Calls the popped function with the arguments in the list in accu.
    Apply 0;
    TailApply 0;
    Return 0;
    /// Calls the function in accu without arguments. Pushes what it returned; accu = whether it
    /// raised.
    Try 0;
    /// accu = a block of a kind with so many fields, which are popped.
    MakeBlock 2;
    /// accu = a primitive of so many operands; the last is accu, the others are popped.
    Primitive1 1;
    Primitive2 1;
    Primitive3 1;
    // What the loop does itself where operands are as usual. The operand is the primitive.
    Cons 1;
    Car 1;
    Cdr 1;
    SetCar 1;
    SetCdr 1;
    IsPair 1;
    IsNull 1;
    Not 1;
    IsFixnum 1;
    IsSymbol 1;
    IsString 1;
    IsVector 1;
    IsProcedure 1;
    IsCharacter 1;
    IsFloat 1;
    IsSame 1;
    IsEqv 1;
    Add 1;
    Subtract 1;
    Multiply 1;
    Divide 1;
    Quotient 1;
    Remainder 1;
    Modulo 1;
    Equal 1;
    Less 1;
    LessEqual 1;
    Greater 1;
    GreaterEqual 1;
    VectorRef 1;
    VectorSet 1;
    VectorLength 1;
    StringRef 1;
    StringLength 1;
    IsRecord 1;
    RecordRef 1;
    RecordSet 1;
    CharToInteger 1;
    Sqrt 1;
    ToFloat 1;
}

impl Opcode {
    /// Whether the primitive in the instruction of this word gives a fixnum: where floats are among
    /// the operands, the loop does it itself. Not so quotients.
    #[inline(always)]
    pub fn gives_fixnum(word: u32) -> bool {
        (Opcode::Add as u32..=Opcode::Multiply as u32).contains(&word)
    }

    /// The opcode of a word.
    ///
    /// # Safety
    /// The word is an opcode that the compiler wrote.
    #[inline(always)]
    pub unsafe fn of(word: u32) -> Opcode {
        debug_assert!((word as usize) < Self::ALL.len(), "a word is no opcode");
        // SAFETY: the enumeration begins at 0 and has no gaps.
        unsafe { core::mem::transmute(word) }
    }
}
