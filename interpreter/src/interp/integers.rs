//! Shortcuts of boxed integers (`Int32`, `Int64`, `Nativeint`): arithmetic, comparison, conversion.
//!
//! Each of the three is a custom block whose data is one word, the number; of an `Int32` with its
//! sign extended. Division is left to the primitives, which may raise.

use super::registers::{Registers, tagged};
use super::shortcut::Attempt;
use crate::custom::Kind;
use crate::memory;
use crate::registry::shortcut::integers::*;
use crate::value::{Value, WORD, tag};
use annotations::immediate;

/// Words of such a block.
const WOSIZE: u32 = 2;

#[inline(always)]
fn unbox(block: i64) -> i64 {
    memory::load_i64(block as u32 + WORD)
}

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

/// The result of an operator on two boxes, or on a box and a distance.
#[inline(always)]
fn arithmetic(kind: u32, operator: u32, a: i64, b: i64) -> i64 {
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
        _ => shift_right_unsigned(kind, n, distance(kind, b)),
    }
}

// No closures here: one that is not inlined would read cells behind the specializer's back.
impl Registers {
    /// The shortcut of an operator with one argument.
    #[inline(always)]
    pub fn integer_1(&mut self, shortcut: u32) -> Attempt {
        let kind = kind(shortcut);
        match operator(shortcut) {
            TO_INT => self.done(immediate(tagged(unbox(self.accu))), 0),
            operator @ (NEG | OF_INT) => {
                let Some(block) = self.allocate(WOSIZE, tag::CUSTOM) else {
                    return Attempt::Raised;
                };
                let n = match operator {
                    NEG => unbox(self.accu).wrapping_neg(),
                    _ => self.accu >> 1,
                };
                write(block, kind, n);
                self.done(i64::from(block), 0)
            }
            _ => Attempt::Call,
        }
    }

    /// The shortcut of an operator with two arguments.
    #[inline(always)]
    pub fn integer_2(&mut self, shortcut: u32) -> Attempt {
        match operator(shortcut) {
            COMPARE => {
                let (a, b) = (unbox(self.accu), unbox(self.slot(0)));
                let order = i64::from(a > b) - i64::from(a < b);
                self.done(immediate(tagged(order)), 1)
            }
            operator @ ..=SHIFT_RIGHT_UNSIGNED => {
                let kind = kind(shortcut);
                let Some(block) = self.allocate(WOSIZE, tag::CUSTOM) else {
                    return Attempt::Raised;
                };
                write(
                    block,
                    kind,
                    arithmetic(kind, operator, self.accu, self.slot(0)),
                );
                self.done(i64::from(block), 1)
            }
            _ => Attempt::Call,
        }
    }
}

/// Writes the fields of a new block.
#[inline(always)]
fn write(block: u32, kind: u32, n: i64) {
    memory::store_i64(block, Value::int((Kind::Int32 as u32 + kind).into()).0);
    memory::store_i64(block + WORD, cut(kind, n));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::custom;
    use crate::primitives;
    use crate::registry::Code;
    use crate::registry::shortcut::number;
    use crate::testing::start_machine;

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
            1 => custom::alloc_int64(n),
            _ => custom::alloc_nativeint(n),
        }
    }

    #[test]
    fn arithmetic_agrees_with_the_primitives() {
        start_machine();
        let names = ["add", "sub", "mul", "and", "or", "xor"];
        let shifts = ["shift_left", "shift_right", "shift_right_unsigned"];
        for (kind, prefix) in (0..).zip(["int32", "int64", "nativeint"]) {
            for name in names.iter().chain(&shifts) {
                let full = format!("caml_{prefix}_{name}");
                let shortcut = number(&full);
                assert_eq!(super::kind(shortcut), kind, "{full}");
                let primitive = primitives::all().find(|primitive| primitive.name == full);
                let Code::F2(primitive) = primitive.expect("a primitive").code else {
                    panic!("{full} has two arguments")
                };
                for (a, b) in NUMBERS.iter().flat_map(|a| NUMBERS.map(|b| (*a, b))) {
                    let a = boxed(kind, a);
                    let b = match shifts.contains(name) {
                        true => Value::int(b & 63),
                        false => boxed(kind, b),
                    };
                    let result = arithmetic(kind, operator(shortcut), a.0, b.0);
                    assert_eq!(cut(kind, result), unbox(primitive(a, b).0), "{full}");
                }
            }
        }
    }
}
