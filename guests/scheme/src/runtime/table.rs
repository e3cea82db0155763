//! The table of primitives: name, number of operands, function, and the instruction of those that
//! the loop does itself where operands are as usual.

use super::{equality, numbers, objects, print, strings};
use crate::code::Opcode;

/// Operands that are not used are 0.
pub type Function = extern "C" fn(i64, i64, i64) -> i64;

pub struct Primitive {
    pub name: &'static str,
    pub operands: u32,
    pub opcode: Opcode,
}

macro_rules! primitives {
    ($($name:literal $operands:literal $function:path, $opcode:ident;)*) => {
        /// The functions, by the number that is in code.
        pub static FUNCTIONS: [Function; [$($operands),*].len()] = [$($function),*];

        /// The same primitives, for the compiler.
        pub static PRIMITIVES: [Primitive; FUNCTIONS.len()] = [$(Primitive {
            name: $name,
            operands: $operands,
            opcode: Opcode::$opcode,
        }),*];
    };
}

primitives! {
    "cons" 2 objects::cons, Cons;
    "car" 1 objects::car, Car;
    "cdr" 1 objects::cdr, Cdr;
    "set-car!" 2 objects::set_car, SetCar;
    "set-cdr!" 2 objects::set_cdr, SetCdr;
    "pair?" 1 objects::is_pair, IsPair;
    "null?" 1 objects::is_null, IsNull;
    "not" 1 objects::not, Not;
    "symbol?" 1 objects::is_symbol, IsSymbol;
    "string?" 1 objects::is_string, IsString;
    "vector?" 1 objects::is_vector, IsVector;
    "procedure?" 1 objects::is_procedure, IsProcedure;
    "char?" 1 objects::is_char, IsCharacter;
    "boolean?" 1 objects::is_boolean, Primitive1;
    "eof-object?" 1 objects::is_end, Primitive1;
    "list?" 1 objects::is_list, Primitive1;
    "number?" 1 numbers::is_number, Primitive1;
    "real?" 1 numbers::is_number, Primitive1;
    "integer?" 1 numbers::is_integer, Primitive1;
    "exact?" 1 numbers::is_fixnum_value, IsFixnum;
    "exact-integer?" 1 numbers::is_fixnum_value, IsFixnum;
    "inexact?" 1 numbers::is_float, IsFloat;
    // What constants are compared with where no float can be among them.
    "%same" 2 equality::same, IsSame;
    "eq?" 2 equality::same, IsEqv;
    "eqv?" 2 equality::same, IsEqv;
    "equal?" 2 equality::equal, Primitive2;
    "%hash" 2 equality::hash_below, Primitive2;
    "%add" 2 numbers::add, Add;
    "%subtract" 2 numbers::subtract, Subtract;
    "%multiply" 2 numbers::multiply, Multiply;
    "%divide" 2 numbers::divide, Divide;
    "quotient" 2 numbers::quotient, Quotient;
    "remainder" 2 numbers::remainder, Remainder;
    "modulo" 2 numbers::modulo, Modulo;
    "%equal" 2 numbers::equal, Equal;
    "%less" 2 numbers::less, Less;
    "%less-equal" 2 numbers::less_equal, LessEqual;
    "%greater" 2 numbers::greater, Greater;
    "%greater-equal" 2 numbers::greater_equal, GreaterEqual;
    "sqrt" 1 numbers::sqrt, Sqrt;
    "exp" 1 numbers::exp, Primitive1;
    "%log" 1 numbers::log, Primitive1;
    "sin" 1 numbers::sin, Primitive1;
    "cos" 1 numbers::cos, Primitive1;
    "%atan" 1 numbers::atan, Primitive1;
    "%atan2" 2 numbers::atan2, Primitive2;
    "%power" 2 numbers::power, Primitive2;
    "floor" 1 numbers::floor, Primitive1;
    "ceiling" 1 numbers::ceiling, Primitive1;
    "truncate" 1 numbers::truncate, Primitive1;
    "round" 1 numbers::round, Primitive1;
    "exact" 1 numbers::exact, Primitive1;
    "inexact" 1 numbers::to_float, ToFloat;
    "bitwise-and" 2 numbers::bitwise_and, Primitive2;
    "bitwise-or" 2 numbers::bitwise_or, Primitive2;
    "bitwise-xor" 2 numbers::bitwise_xor, Primitive2;
    "arithmetic-shift" 2 numbers::shift, Primitive2;
    "%number->string" 2 numbers::to_string, Primitive2;
    "%string->number" 2 numbers::of_string, Primitive2;
    "char->integer" 1 numbers::char_to_integer, CharToInteger;
    "integer->char" 1 numbers::integer_to_char, Primitive1;
    "char-upcase" 1 numbers::char_upcase, Primitive1;
    "char-downcase" 1 numbers::char_downcase, Primitive1;
    "char-alphabetic?" 1 numbers::is_alphabetic, Primitive1;
    "char-numeric?" 1 numbers::is_numeric, Primitive1;
    "char-whitespace?" 1 numbers::is_whitespace, Primitive1;
    "%make-string" 2 strings::make, Primitive2;
    "string-length" 1 strings::string_length, StringLength;
    "string-ref" 2 strings::string_ref, StringRef;
    "string-set!" 3 strings::string_set, Primitive3;
    "%string-append" 2 strings::append, Primitive2;
    "%concatenate" 1 strings::concatenate, Primitive1;
    "%substring" 3 strings::substring, Primitive3;
    "%string-equal" 2 strings::equal, Primitive2;
    "%string-less" 2 strings::less, Primitive2;
    "string->symbol" 1 strings::to_symbol, Primitive1;
    "symbol->string" 1 strings::of_symbol, Primitive1;
    "list->string" 1 strings::of_list, Primitive1;
    "%string->list" 1 strings::to_list, Primitive1;
    "string-upcase" 1 strings::upcase, Primitive1;
    "string-downcase" 1 strings::downcase, Primitive1;
    "length" 1 objects::length, Primitive1;
    "%check-count" 3 objects::check_count, Primitive3;
    "%make-vector" 2 objects::make_vector, Primitive2;
    "%vector-fill!" 2 objects::vector_fill, Primitive2;
    "vector-length" 1 objects::vector_length, VectorLength;
    "vector-ref" 2 objects::vector_ref, VectorRef;
    "vector-set!" 3 objects::vector_set, VectorSet;
    "list->vector" 1 objects::list_to_vector, Primitive1;
    "%record?" 2 objects::is_record, IsRecord;
    "%record-ref" 3 objects::record_ref, RecordRef;
    "%record-set!" 3 objects::record_set, RecordSet;
    "display" 1 print::display, Primitive1;
    "write" 1 print::write, Primitive1;
    "%fatal" 1 print::fatal, Primitive1;
    "%read-line" 1 strings::read_line, Primitive1;
    "%unwind" 1 objects::unwind, Primitive1;
    "%set-status" 1 objects::set_status, Primitive1;
    "%exit" 1 objects::exit, Primitive1;
}

/// The number of the primitive of this name.
pub fn find(name: &str) -> Option<u32> {
    let mut all = PRIMITIVES.iter();
    let index = all.position(|primitive| primitive.name == name)?;
    Some(index as u32)
}
