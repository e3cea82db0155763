//! The format of marshalled data: header, codes and their operands' sizes, as in OCaml's
//! `intext.h`.

/// First word of data whose sizes fit in 32 bits, and of other data.
pub const MAGIC_SMALL: u32 = 0x8495_A6BE;
pub const MAGIC_BIG: u32 = 0x8495_A6BF;
/// Lengths of the two headers.
pub const HEADER_SMALL: usize = 20;
pub const HEADER_BIG: usize = 32;

/// A code with one of the first three prefixes carries its operand in its low bits.
pub const PREFIX_SMALL_BLOCK: u8 = 0x80;
pub const PREFIX_SMALL_INT: u8 = 0x40;
pub const PREFIX_SMALL_STRING: u8 = 0x20;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal;)*) => {
        /// The codes below the prefixes.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub enum Code { $($(#[$doc])* $name = $code,)* }

        impl Code {
            /// The code in a byte, if it is one.
            pub fn from_byte(byte: u8) -> Option<Code> {
                match byte {
                    $($code => Some(Code::$name),)*
                    _ => None,
                }
            }
        }
    };
}

codes! {
    Int8 = 0x00;
    Int16 = 0x01;
    Int32 = 0x02;
    Int64 = 0x03;
    Shared8 = 0x04;
    Shared16 = 0x05;
    Shared32 = 0x06;
    DoubleArray32Little = 0x07;
    Block32 = 0x08;
    String8 = 0x09;
    String32 = 0x0A;
    DoubleBig = 0x0B;
    DoubleLittle = 0x0C;
    DoubleArray8Big = 0x0D;
    DoubleArray8Little = 0x0E;
    DoubleArray32Big = 0x0F;
    /// Offset in the code and digest of the code.
    FunctionPointer = 0x10;
    /// Offset of an infix pointer in its closure, then the closure.
    InfixPointer = 0x11;
    /// Identifier and data, without sizes: written by old versions only.
    Custom = 0x12;
    Block64 = 0x13;
    Shared64 = 0x14;
    String64 = 0x15;
    DoubleArray64Big = 0x16;
    DoubleArray64Little = 0x17;
    /// Identifier, sizes for 32 and 64 bits, data.
    CustomLen = 0x18;
    /// Identifier, data of the size that the kind fixes.
    CustomFixed = 0x19;
}
