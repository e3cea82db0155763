//! The primitives that the interpreter does itself in the usual case (see
//! [`crate::interp::shortcut`]), numbered: the number of a primitive's shortcut is a constant of
//! the primitive table.

/// That of all functions of floats, whatever their names (see [`Code`](super::Code)).
pub const FLOAT_FUNCTION: u32 = 48;

macro_rules! shortcuts {
    ($($number:literal $constant:ident $($name:literal)+;)*) => {
        $(pub const $constant: u32 = $number;)*

        /// The number of the shortcut that the primitive `name` has for its name; 0: there is none.
        pub fn number(name: &str) -> u32 {
            match name {
                $($($name)|+ => $constant,)*
                _ => integers::number(name),
            }
        }
    };
}

/// The shortcuts of boxed integers: [`FIRST`], [`EACH`] for each kind, and the operator.
///
/// [`FIRST`]: integers::FIRST
/// [`EACH`]: integers::EACH
pub mod integers {
    use crate::value::boxed::{INT32, INT64, NATIVEINT};

    pub const FIRST: u32 = 73;
    const EACH: u32 = 32;

    const KINDS: [(u32, &str); 3] = [
        (INT32, "caml_int32_"),
        (INT64, "caml_int64_"),
        (NATIVEINT, "caml_nativeint_"),
    ];

    macro_rules! operators {
        ($($number:literal $constant:ident $name:literal;)*) => {
            $(pub const $constant: u32 = $number;)*
            const OPERATORS: &[&str] = &[$($name),*];
        };
    }

    // In the order of their numbers: those with two arguments and a box as the result, division
    // last of them; comparison; those with one argument and a boxed integer as the result; others.
    operators! {
        0 ADD "add";
        1 SUB "sub";
        2 MUL "mul";
        3 AND "and";
        4 OR "or";
        5 XOR "xor";
        6 SHIFT_LEFT "shift_left";
        7 SHIFT_RIGHT "shift_right";
        8 SHIFT_RIGHT_UNSIGNED "shift_right_unsigned";
        9 DIV "div";
        10 MOD "mod";
        11 COMPARE "compare";
        12 NEG "neg";
        13 SWAP "bswap";
        14 OF_INT "of_int";
        15 OF_INT32 "of_int32";
        16 TO_INT32 "to_int32";
        17 OF_NATIVEINT "of_nativeint";
        18 TO_NATIVEINT "to_nativeint";
        19 BITS_OF_FLOAT "bits_of_float";
        20 OF_FLOAT "of_float";
        21 TO_INT "to_int";
        22 TO_FLOAT "to_float";
        23 FLOAT_OF_BITS "float_of_bits";
    }

    /// The number of the shortcut for the primitive `name`; 0: there is none.
    pub fn number(name: &str) -> u32 {
        let of = |&(kind, prefix): &(u32, &str)| {
            let operator = name.strip_prefix(prefix)?;
            let operator = OPERATORS.iter().position(|&known| known == operator)?;
            Some(FIRST + (kind - INT32) * EACH + operator as u32)
        };
        KINDS.iter().find_map(of).unwrap_or(0)
    }

    /// Which kind of boxed integers a shortcut is for.
    #[inline(always)]
    pub fn kind(shortcut: u32) -> u32 {
        INT32 + (shortcut - FIRST) / EACH
    }

    /// The kind of boxed integers that a shortcut gives, if it gives any. That of a shortcut which
    /// is none of this module's is none.
    pub fn result(shortcut: u32) -> Option<u32> {
        shortcut.checked_sub(FIRST)?;
        match operator(shortcut) {
            TO_INT32 => Some(INT32),
            TO_NATIVEINT => Some(NATIVEINT),
            ADD..=MOD | NEG..=OF_FLOAT => Some(kind(shortcut)),
            _ => None,
        }
    }

    #[inline(always)]
    pub fn operator(shortcut: u32) -> u32 {
        (shortcut - FIRST) % EACH
    }
}

/// Whether a shortcut makes a block.
pub fn allocates(shortcut: u32) -> bool {
    matches!(
        shortcut,
        FLOAT_ADD..=FLOAT_OF_INT
            | FLOAT_ARRAY_GET
            | FLOAT_ARRAY_UNSAFE_GET
            | FLOAT_FUNCTION
            | BIGARRAY_GET_1..=BIGARRAY_GET_3
    )
}

/// Whether a shortcut computes or loads, and calls only in unusual cases.
pub fn computes(shortcut: u32) -> bool {
    matches!(
        shortcut,
        ARRAY_GET..=ARRAY_UNSAFE_GET
            | STRING_LENGTH..=STRING_GET
            | EQUAL..=FLOAT_ARRAY_UNSAFE_GET
            | FLOAT_TO_INT
            | FLOAT_COMPARE
            | IDENTITY
            | INT_COMPARE
            | integers::FIRST..
    )
}

/// Whether a shortcut gives an element of an array of values.
pub fn reads_array(shortcut: u32) -> bool {
    matches!(shortcut, ARRAY_GET..=ARRAY_UNSAFE_GET)
}

/// Whether a shortcut writes an element of an array of values.
pub fn writes_array(shortcut: u32) -> bool {
    matches!(shortcut, ARRAY_SET..=ARRAY_UNSAFE_SET)
}

/// Whether a shortcut reads or writes 2, 4 or 8 bytes at once.
#[inline(always)]
pub fn is_word(shortcut: u32) -> bool {
    matches!(shortcut, STRING_GET_16..=BIGSTRING_SET_64)
}

/// Whether a shortcut gives an element of a bigarray.
pub fn reads_bigarray(shortcut: u32) -> bool {
    matches!(shortcut, BIGARRAY_GET_1..=BIGARRAY_GET_3)
}

/// Whether a shortcut compares two strings.
pub fn compares_strings(shortcut: u32) -> bool {
    matches!(shortcut, STRING_EQUAL..=STRING_COMPARE)
}

/// Whether a shortcut writes an element of a bigarray.
pub fn writes_bigarray(shortcut: u32) -> bool {
    matches!(shortcut, BIGARRAY_SET_1..=BIGARRAY_SET_3)
}

shortcuts! {
    1 ARRAY_GET "caml_array_get";
    2 ARRAY_GET_ADDR "caml_array_get_addr";
    3 ARRAY_UNSAFE_GET "caml_array_unsafe_get";
    4 ARRAY_SET "caml_array_set";
    5 ARRAY_SET_ADDR "caml_array_set_addr";
    6 ARRAY_UNSAFE_SET "caml_array_unsafe_set";
    7 STRING_LENGTH "caml_ml_string_length" "caml_ml_bytes_length";
    8 STRING_GET "caml_string_get" "caml_bytes_get";
    9 BYTES_SET "caml_bytes_set";
    10 EQUAL "caml_equal";
    11 NOT_EQUAL "caml_notequal";
    12 LESS_THAN "caml_lessthan";
    13 LESS_EQUAL "caml_lessequal";
    14 GREATER_THAN "caml_greaterthan";
    15 GREATER_EQUAL "caml_greaterequal";
    16 COMPARE "caml_compare";
    17 FLOAT_EQ "caml_eq_float";
    18 FLOAT_NEQ "caml_neq_float";
    19 FLOAT_LT "caml_lt_float";
    20 FLOAT_LE "caml_le_float";
    21 FLOAT_GT "caml_gt_float";
    22 FLOAT_GE "caml_ge_float";
    23 FLOAT_ADD "caml_add_float";
    24 FLOAT_SUB "caml_sub_float";
    25 FLOAT_MUL "caml_mul_float";
    26 FLOAT_DIV "caml_div_float";
    27 FLOAT_NEG "caml_neg_float";
    28 FLOAT_ABS "caml_abs_float";
    29 FLOAT_SQRT "caml_sqrt_float";
    30 FLOAT_OF_INT "caml_float_of_int";
    31 FLOAT_ARRAY_GET "caml_floatarray_get";
    32 FLOAT_ARRAY_UNSAFE_GET "caml_floatarray_unsafe_get";
    33 FLOAT_ARRAY_SET "caml_floatarray_set";
    34 FLOAT_ARRAY_UNSAFE_SET "caml_floatarray_unsafe_set";
    35 ENVIRONMENT "caml_get_current_environment";
    36 BIGARRAY_GET_1 "caml_ba_get_1";
    37 BIGARRAY_GET_2 "caml_ba_get_2";
    38 BIGARRAY_GET_3 "caml_ba_get_3";
    39 BIGARRAY_SET_1 "caml_ba_set_1";
    40 BIGARRAY_SET_2 "caml_ba_set_2";
    41 BIGARRAY_SET_3 "caml_ba_set_3";
    42 BIGARRAY_DIM_1 "caml_ba_dim_1";
    43 BIGARRAY_DIM_2 "caml_ba_dim_2";
    44 BIGARRAY_DIM_3 "caml_ba_dim_3";
    45 FLOAT_TO_INT "caml_int_of_float";
    46 FLOAT_COMPARE "caml_float_compare";
    47 OBJ_TAG "caml_obj_tag";
    49 SWAP_16 "caml_bswap16";
    50 STRING_GET_16 "caml_string_get16" "caml_bytes_get16";
    51 STRING_GET_32 "caml_string_get32" "caml_bytes_get32";
    52 STRING_GET_64 "caml_string_get64" "caml_bytes_get64";
    53 BIGSTRING_GET_16 "caml_ba_uint8_get16";
    54 BIGSTRING_GET_32 "caml_ba_uint8_get32";
    55 BIGSTRING_GET_64 "caml_ba_uint8_get64";
    56 BYTES_SET_16 "caml_bytes_set16";
    57 BYTES_SET_32 "caml_bytes_set32";
    58 BYTES_SET_64 "caml_bytes_set64";
    59 BIGSTRING_SET_16 "caml_ba_uint8_set16";
    60 BIGSTRING_SET_32 "caml_ba_uint8_set32";
    61 BIGSTRING_SET_64 "caml_ba_uint8_set64";
    62 STRING_EQUAL "caml_string_equal" "caml_bytes_equal";
    63 STRING_NOT_EQUAL "caml_string_notequal" "caml_bytes_notequal";
    64 STRING_LESS_THAN "caml_string_lessthan" "caml_bytes_lessthan";
    65 STRING_LESS_EQUAL "caml_string_lessequal" "caml_bytes_lessequal";
    66 STRING_GREATER_THAN "caml_string_greaterthan" "caml_bytes_greaterthan";
    67 STRING_GREATER_EQUAL "caml_string_greaterequal" "caml_bytes_greaterequal";
    68 STRING_COMPARE "caml_string_compare" "caml_bytes_compare";
    69 FLOAT_SIGN "caml_signbit_float" "caml_signbit";
    70 FLOAT_CLASS "caml_classify_float";
    71 IDENTITY "caml_string_of_bytes" "caml_bytes_of_string";
    72 INT_COMPARE "caml_int_compare";
}
