//! Shortcuts of boxed integers (`Int32`, `Int64`, `Nativeint`): arithmetic, comparison, conversion.
//!
//! Each of the three is a custom block whose data is one word, the number; of an `Int32` with its
//! sign extended.

use super::boxes::{box_integer, unbox};
use super::fields::fixed_field;
use super::registers::{Registers, tagged};
use super::shortcut::{Attempt, boxed, float};
use crate::registry::shortcut::integers::*;
use crate::value::boxed::{INT32, NATIVEINT, truncate};
use annotations::{immediate, specialize_active};

/// `n` cut to the width.
#[inline(always)]
fn cut(kind: u32, n: i64) -> i64 {
    match kind {
        INT32 => i64::from(n as i32),
        _ => n,
    }
}

/// The machine takes the distance modulo the width.
#[inline(always)]
fn distance(kind: u32, b: i64) -> u32 {
    let width = if kind == INT32 { 32 } else { 64 };
    (b >> 1) as u32 & (width - 1)
}

#[inline(always)]
fn shift_right_unsigned(kind: u32, n: i64, distance: u32) -> i64 {
    match kind {
        INT32 => i64::from(n as u32 >> distance),
        _ => (n as u64 >> distance) as i64,
    }
}

/// The result of an operator on two boxes, or on a box and a distance. No divisor is 0.
#[inline(always)]
fn binary(kind: u32, operator: u32, a: i64, b: i64) -> i64 {
    let n = unbox(a);
    match operator {
        ADD => n.wrapping_add(unbox(b)),
        SUB => n.wrapping_sub(unbox(b)),
        MUL => n.wrapping_mul(unbox(b)),
        AND => n & unbox(b),
        OR => n | unbox(b),
        XOR => n ^ unbox(b),
        SHIFT_LEFT => n << distance(kind, b),
        SHIFT_RIGHT => n >> distance(kind, b),
        SHIFT_RIGHT_UNSIGNED => shift_right_unsigned(kind, n, distance(kind, b)),
        DIV => match unbox(b) {
            // Not by the machine, to which the smallest number is an overflow.
            -1..=0 => n.wrapping_neg(),
            divisor => n / divisor,
        },
        _ => match unbox(b) {
            -1..=0 => 0,
            divisor => n % divisor,
        },
    }
}

/// The integer that an operator with one argument gives.
#[inline(always)]
fn unary(kind: u32, operator: u32, a: i64) -> i64 {
    match operator {
        NEG => unbox(a).wrapping_neg(),
        SWAP if kind == INT32 => i64::from((unbox(a) as i32).swap_bytes()),
        SWAP => unbox(a).swap_bytes(),
        OF_INT => a >> 1,
        BITS_OF_FLOAT if kind == INT32 => i64::from((float(a) as f32).to_bits()),
        BITS_OF_FLOAT => fixed_field(a, 0),
        OF_FLOAT if kind == INT32 => truncate(float(a), 32),
        OF_FLOAT => truncate(float(a), 64),
        _ => unbox(a),
    }
}

/// The kind of the integer that an operator with one argument gives.
#[inline(always)]
fn result(kind: u32, operator: u32) -> u32 {
    match operator {
        TO_INT32 => INT32,
        TO_NATIVEINT => NATIVEINT,
        _ => kind,
    }
}

#[inline(always)]
fn float_of_bits(kind: u32, n: i64) -> f64 {
    match kind {
        INT32 => f64::from(f32::from_bits(n as u32)),
        _ => f64::from_bits(n as u64),
    }
}

// No closures that read cells here: one that is not inlined would do so behind the specializer's
// back.
impl Registers {
    /// The shortcut of an operator with one argument.
    #[inline(always)]
    pub fn integer_1(&mut self, shortcut: u32) -> Attempt {
        let kind = kind(shortcut);
        match operator(shortcut) {
            // A primitive to generic code, in whose loop it would take more room than it is worth.
            SWAP if specialize_active() == 0 => Attempt::Call,
            operator @ NEG..=OF_FLOAT => {
                let Some(place) = self.place_of_integer() else {
                    return Attempt::Raised;
                };
                let kind = result(kind, operator);
                let n = cut(kind, unary(kind, operator, self.accu));
                self.done(box_integer(place, kind, n), 0)
            }
            TO_INT => self.done(immediate(tagged(unbox(self.accu))), 0),
            TO_FLOAT => boxed!(self, 0, unbox(self.accu) as f64),
            FLOAT_OF_BITS => boxed!(self, 0, float_of_bits(kind, unbox(self.accu))),
            _ => Attempt::Call,
        }
    }

    /// The shortcut of an operator with two arguments.
    #[inline(always)]
    pub fn integer_2(&mut self, shortcut: u32) -> Attempt {
        let kind = kind(shortcut);
        match operator(shortcut) {
            DIV | MOD if unbox(self.slot(0)) == 0 => Attempt::DivisionByZero,
            operator @ ADD..=MOD => {
                let Some(place) = self.place_of_integer() else {
                    return Attempt::Raised;
                };
                let n = cut(kind, binary(kind, operator, self.accu, self.slot(0)));
                self.done(box_integer(place, kind, n), 1)
            }
            COMPARE => {
                let (a, b) = (unbox(self.accu), unbox(self.slot(0)));
                let order = i64::from(a > b) - i64::from(a < b);
                self.done(immediate(tagged(order)), 1)
            }
            _ => Attempt::Call,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::custom;
    use crate::heap;
    use crate::primitives;
    use crate::registry::Code;
    use crate::registry::shortcut::number;
    use crate::testing::start_machine;
    use crate::value::Value;
    use crate::value::boxed::INT64;

    const NUMBERS: [i64; 9] = [
        i64::MIN,
        -0x1_2345_6789,
        -2,
        -1,
        0,
        1,
        5,
        0x7fff_ffff,
        i64::MAX,
    ];

    fn boxed(kind: u32, n: i64) -> Value {
        match kind {
            INT32 => custom::alloc_int32(n as i32),
            INT64 => custom::alloc_int64(n),
            _ => custom::alloc_nativeint(n),
        }
    }

    const PREFIXES: [(u32, &str); 3] =
        [(INT32, "int32"), (INT64, "int64"), (NATIVEINT, "nativeint")];

    fn code(name: &str) -> Code {
        let primitive = primitives::all().find(|primitive| primitive.name == name);
        primitive.expect("a primitive").code
    }

    #[test]
    fn arithmetic_agrees_with_the_primitives() {
        start_machine();
        let names = ["add", "sub", "mul", "and", "or", "xor", "div", "mod"];
        let shifts = ["shift_left", "shift_right", "shift_right_unsigned"];
        for (kind, prefix) in PREFIXES {
            for name in names.iter().chain(&shifts) {
                let full = format!("caml_{prefix}_{name}");
                let shortcut = number(&full);
                assert_eq!(super::kind(shortcut), kind, "{full}");
                let Code::F2(primitive) = code(&full) else {
                    panic!("{full} has two arguments")
                };
                for (a, b) in NUMBERS.iter().flat_map(|a| NUMBERS.map(|b| (*a, b))) {
                    if [DIV, MOD].contains(&operator(shortcut)) && cut(kind, b) == 0 {
                        continue;
                    }
                    let a = boxed(kind, a);
                    let b = match shifts.contains(name) {
                        true => Value::int(b & 63),
                        false => boxed(kind, b),
                    };
                    let result = binary(kind, operator(shortcut), a.0, b.0);
                    assert_eq!(cut(kind, result), unbox(primitive(a, b).0), "{full}");
                }
            }
        }
    }

    /// What the primitive and the shortcut give of the values that `arguments` makes.
    fn check(kind: u32, name: &str, arguments: &[Value]) {
        let shortcut = number(name);
        let (of, operator) = (super::kind(shortcut), operator(shortcut));
        assert_eq!(of, kind, "{name}");
        let Code::F1(primitive) = code(name) else {
            panic!("{name} has one argument")
        };
        for &argument in arguments {
            let expected = primitive(argument);
            match operator {
                TO_INT => assert_eq!(tagged(unbox(argument.0)), expected.0, "{name}"),
                TO_FLOAT => {
                    let n = unbox(argument.0);
                    assert_eq!((n as f64).to_bits(), expected.field(0).0 as u64, "{name}");
                }
                FLOAT_OF_BITS => {
                    let x = float_of_bits(kind, unbox(argument.0));
                    assert_eq!(x.to_bits(), expected.field(0).0 as u64, "{name}");
                }
                _ => {
                    let result = result(kind, operator);
                    let n = cut(result, unary(kind, operator, argument.0));
                    assert_eq!(n, unbox(expected.0), "{name} of {argument:?}");
                    assert_eq!(Value::int(result.into()), expected.field(0), "{name}");
                }
            }
        }
    }

    #[test]
    fn conversions_agree_with_the_primitives() {
        start_machine();
        let floats = [-0.0, 1.5, -1e300, f64::INFINITY].map(heap::alloc_float);
        let sizes = [f64::NAN, -0.9, 2147483647.5, 2147483648.0, -9.3e18, 1e300];
        let sizes = sizes.map(heap::alloc_float);
        for (kind, prefix) in PREFIXES {
            check(kind, &format!("caml_{prefix}_of_float"), &sizes);
            let numbers = NUMBERS.map(|n| boxed(kind, n));
            for name in ["neg", "bswap", "to_int", "to_float"] {
                check(kind, &format!("caml_{prefix}_{name}"), &numbers);
            }
            let name = format!("caml_{prefix}_of_int");
            check(kind, &name, &NUMBERS.map(|n| Value::int(n >> 1)));
        }
        for (kind, prefix) in &PREFIXES[..2] {
            let numbers = [0, 1, 0x3ff8_0000, 0x7f80_0000].map(|n| boxed(*kind, n));
            check(*kind, &format!("caml_{prefix}_float_of_bits"), &numbers);
            check(*kind, &format!("caml_{prefix}_bits_of_float"), &floats);
        }
        for (kind, from, name) in [
            (INT64, INT32, "int64_of_int32"),
            (INT64, INT64, "int64_to_int32"),
            (INT64, NATIVEINT, "int64_of_nativeint"),
            (INT64, INT64, "int64_to_nativeint"),
            (NATIVEINT, INT32, "nativeint_of_int32"),
            (NATIVEINT, NATIVEINT, "nativeint_to_int32"),
        ] {
            let numbers = NUMBERS.map(|n| boxed(from, n));
            check(kind, &format!("caml_{name}"), &numbers);
        }
    }
}
