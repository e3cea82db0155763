//! Primitives that the interpreter does itself in the usual case: array and string access, float
//! arithmetic and what is around functions of floats, polymorphic comparison of integers; and what
//! only the interpreter knows, the running function's closure.
//!
//! Which shortcut a primitive has is a constant of the primitive table, so compiled code holds the
//! operation itself in place of a call. Anything unusual (a float array behind a polymorphic
//! access, blocks to compare) is left to the primitive: a shortcut gives what the primitive would.
//! Only an index out of bounds and a divisor of 0 raise at once, so that compiled code has nothing
//! to go on with after it.

use super::boxes::{are_floats, are_integers, unbox};
use super::fields::{byte, element, fixed_field, header, modify};
use super::registers::{Registers, UNIT, tagged, truth};
use crate::image::bind;
use crate::memory::{self, Region, within};
use crate::registry::shortcut::*;
use crate::value::{Value, WORD, boxed::truncate, tag};
use crate::vm::vm;
use annotations::immediate;

/// How far an attempt came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attempt {
    /// The accumulator holds the result, the other arguments are popped.
    Done,
    /// Nothing happened, or only a collection: the primitive has to be called.
    Call,
    /// A finaliser raised at the safepoint of an allocation.
    Raised,
    /// The primitive would raise that an index is out of bounds.
    OutOfBounds,
    /// The primitive would raise that the divisor is 0.
    DivisionByZero,
}

#[inline(always)]
pub fn float(value: i64) -> f64 {
    memory::load_f64(within(value as u32, Region::Fixed))
}

/// Above the OCaml integers that are indices of a block, as words without a sign, and not above any
/// other: twice its size, plus a bit of its colour.
#[inline(always)]
fn elements(block: i64) -> u64 {
    header(block) >> 9
}

#[inline(always)]
pub fn string_length(string: i64) -> i64 {
    let size = (header(string) >> 10) as u32 * WORD;
    let padding = memory::load_u8(within(string as u32 + size - 1, Region::Fixed));
    i64::from(size) - 1 - i64::from(padding)
}

#[inline(always)]
fn integers(a: i64, b: i64) -> bool {
    a & 1 == 1 && b & 1 == 1
}

/// Whether index `b` of `a` is out of bounds for a shortcut that checks it.
#[inline(always)]
fn is_outside(shortcut: u32, a: i64, b: i64) -> bool {
    match shortcut {
        ARRAY_GET | ARRAY_GET_ADDR | FLOAT_ARRAY_GET | ARRAY_SET | ARRAY_SET_ADDR
        | FLOAT_ARRAY_SET => b as u64 >= elements(a),
        STRING_GET | BYTES_SET => (b >> 1) as u64 >= string_length(a) as u64,
        _ => false,
    }
}

/// The result of a shortcut that does not allocate, whose index is inside if it is checked.
#[inline(always)]
fn unary(shortcut: u32, a: i64) -> Option<i64> {
    match shortcut {
        STRING_LENGTH => Some(immediate(tagged(string_length(a)))),
        SWAP_16 => Some(immediate(tagged(i64::from(((a >> 1) as u16).swap_bytes())))),
        OBJ_TAG if a & 1 == 1 => Some(immediate(tagged(tag::OF_INTEGER))),
        // Of others the primitive has to find out whether they are blocks.
        OBJ_TAG if vm().is_young(Value(a)) && a & 7 == 0 => {
            Some(immediate(tagged(i64::from(header(a) as u8))))
        }
        _ => None,
    }
}

#[inline(always)]
fn binary(shortcut: u32, a: i64, b: i64) -> Option<i64> {
    match shortcut {
        ARRAY_GET | ARRAY_UNSAFE_GET if !header_is_of_values(a) => None,
        ARRAY_GET | ARRAY_UNSAFE_GET | ARRAY_GET_ADDR => {
            Some(memory::load_i64(element(a, b, Region::Fields)))
        }
        STRING_GET => Some(immediate(tagged(i64::from(memory::load_u8(byte(a, b)))))),
        EQUAL..=COMPARE if are_floats(a, b) => {
            Some(immediate(compared(shortcut, float(a), float(b))))
        }
        EQUAL..=COMPARE => {
            let (a, b) = numbers(a, b)?;
            Some(immediate(compared(shortcut, a, b)))
        }
        FLOAT_EQ => Some(immediate(truth(float(a) == float(b)))),
        FLOAT_NEQ => Some(immediate(truth(float(a) != float(b)))),
        FLOAT_LT => Some(immediate(truth(float(a) < float(b)))),
        FLOAT_LE => Some(immediate(truth(float(a) <= float(b)))),
        FLOAT_GT => Some(immediate(truth(float(a) > float(b)))),
        FLOAT_GE => Some(immediate(truth(float(a) >= float(b)))),
        FLOAT_COMPARE => Some(immediate(compared(COMPARE, float(a), float(b)))),
        _ => None,
    }
}

/// The numbers to compare in place of two values, if they are integers, boxed or not.
#[inline(always)]
fn numbers(a: i64, b: i64) -> Option<(i64, i64)> {
    if integers(a, b) {
        Some((a, b))
    } else if are_integers(a, b) {
        Some((unbox(a), unbox(b)))
    } else {
        None
    }
}

/// The result of a polymorphic comparison of two numbers. `compare` alone orders NaN, before all
/// others.
#[inline(always)]
fn compared<Number: PartialOrd + Copy>(shortcut: u32, a: Number, b: Number) -> i64 {
    match shortcut {
        EQUAL => truth(a == b),
        NOT_EQUAL => truth(a != b),
        LESS_THAN => truth(a < b),
        LESS_EQUAL => truth(a <= b),
        GREATER_THAN => truth(a > b),
        GREATER_EQUAL => truth(a >= b),
        _ => {
            let is_nan = |x: Number| i64::from(x.partial_cmp(&x).is_none());
            let order = i64::from(a > b) - i64::from(a < b);
            tagged(order + is_nan(b) - is_nan(a))
        }
    }
}

#[inline(always)]
fn header_is_of_values(array: i64) -> bool {
    header(array) as u8 != tag::DOUBLE_ARRAY
}

/// Whether the store was done; the index is inside if it is checked.
#[inline(always)]
fn ternary(shortcut: u32, a: i64, b: i64, c: i64) -> bool {
    let fine = match shortcut {
        ARRAY_SET | ARRAY_UNSAFE_SET => header_is_of_values(a),
        ARRAY_SET_ADDR | FLOAT_ARRAY_SET | BYTES_SET | FLOAT_ARRAY_UNSAFE_SET => true,
        _ => false,
    };
    if !fine {
        return false;
    }
    match shortcut {
        BYTES_SET => memory::store_u8(byte(a, b), (c >> 1) as u8),
        FLOAT_ARRAY_SET | FLOAT_ARRAY_UNSAFE_SET => {
            memory::store_i64(element(a, b, Region::Floats), fixed_field(c, 0));
        }
        _ => modify(element(a, b, Region::Fields), c),
    }
    true
}

/// Boxes a float, which is computed after the box has its place. No closure computes it: one that
/// is not inlined would read cells behind the specializer's back.
macro_rules! boxed {
    ($registers:ident, $pops:expr, $compute:expr) => {
        match $registers.place_of_float() {
            Some(place) => {
                let block = $crate::interp::boxes::box_number(place, $compute);
                $registers.done(block, $pops)
            }
            None => Attempt::Raised,
        }
    };
}
pub(super) use boxed;

impl Registers {
    #[inline(always)]
    pub fn done(&mut self, result: i64, pops: u32) -> Attempt {
        self.drop(pops);
        self.accu = result;
        Attempt::Done
    }

    /// A shortcut with one argument.
    #[inline(always)]
    pub fn shortcut_1(&mut self, shortcut: u32) -> Attempt {
        match shortcut {
            FLOAT_NEG => boxed!(self, 0, -float(self.accu)),
            FLOAT_ABS => boxed!(self, 0, float(self.accu).abs()),
            FLOAT_SQRT => boxed!(self, 0, float(self.accu).sqrt()),
            FLOAT_OF_INT => boxed!(self, 0, (self.accu >> 1) as f64),
            FLOAT_TO_INT => {
                let n = truncate(float(self.accu), 64);
                self.done(immediate(tagged(n)), 0)
            }
            FLOAT_FUNCTION => {
                let primitive = self.operand(1);
                // SAFETY: those with this shortcut are functions of floats.
                boxed!(self, 0, unsafe {
                    bind::call_float(primitive, float(self.accu))
                })
            }
            ENVIRONMENT => self.done(self.env(), 0),
            BIGARRAY_DIM_1..=BIGARRAY_DIM_3 => self.bigarray_dim(shortcut),
            integers::FIRST.. => self.integer_1(shortcut),
            _ => match unary(shortcut, self.accu) {
                Some(result) => self.done(result, 0),
                None => Attempt::Call,
            },
        }
    }

    /// A shortcut with two arguments.
    #[inline(always)]
    pub fn shortcut_2(&mut self, shortcut: u32) -> Attempt {
        if is_word(shortcut) {
            return self.get_word(shortcut);
        }
        if is_outside(shortcut, self.accu, self.slot(0)) {
            return Attempt::OutOfBounds;
        }
        match shortcut {
            FLOAT_ADD => boxed!(self, 1, float(self.accu) + float(self.slot(0))),
            FLOAT_SUB => boxed!(self, 1, float(self.accu) - float(self.slot(0))),
            FLOAT_MUL => boxed!(self, 1, float(self.accu) * float(self.slot(0))),
            FLOAT_DIV => boxed!(self, 1, float(self.accu) / float(self.slot(0))),
            FLOAT_FUNCTION => {
                let primitive = self.operand(1);
                // SAFETY: those with this shortcut are functions of floats.
                boxed!(self, 1, unsafe {
                    bind::call_floats(primitive, float(self.accu), float(self.slot(0)))
                })
            }
            FLOAT_ARRAY_GET | FLOAT_ARRAY_UNSAFE_GET => boxed!(self, 1, self.float_element()),
            BIGARRAY_GET_1 => self.bigarray_get(shortcut),
            integers::FIRST.. => self.integer_2(shortcut),
            _ => match binary(shortcut, self.accu, self.slot(0)) {
                Some(result) => self.done(result, 1),
                None => Attempt::Call,
            },
        }
    }

    /// A shortcut with three arguments.
    #[inline(always)]
    pub fn shortcut_3(&mut self, shortcut: u32) -> Attempt {
        match shortcut {
            BIGARRAY_GET_2 => return self.bigarray_get(shortcut),
            BIGARRAY_SET_1 => return self.bigarray_set(shortcut),
            _ if is_word(shortcut) => return self.set_word(shortcut),
            _ => {}
        }
        if is_outside(shortcut, self.accu, self.slot(0)) {
            return Attempt::OutOfBounds;
        }
        if ternary(shortcut, self.accu, self.slot(0), self.slot(1)) {
            self.done(UNIT, 2)
        } else {
            Attempt::Call
        }
    }

    /// A shortcut with four arguments.
    #[inline(always)]
    pub fn shortcut_4(&mut self, shortcut: u32) -> Attempt {
        match shortcut {
            BIGARRAY_GET_3 => self.bigarray_get(shortcut),
            BIGARRAY_SET_2 => self.bigarray_set(shortcut),
            _ => Attempt::Call,
        }
    }

    /// A shortcut with five arguments.
    #[inline(always)]
    pub fn shortcut_5(&mut self, shortcut: u32) -> Attempt {
        match shortcut {
            BIGARRAY_SET_3 => self.bigarray_set(shortcut),
            _ => Attempt::Call,
        }
    }

    #[inline(always)]
    fn float_element(&self) -> f64 {
        memory::load_f64(element(self.accu, self.slot(0), Region::Floats))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap;
    use crate::primitives;
    use crate::registry::Code;
    use crate::testing::{start_machine, string};

    /// What the loop does first.
    fn access(shortcut: u32, a: i64, b: i64) -> Option<i64> {
        if is_outside(shortcut, a, b) {
            None
        } else {
            binary(shortcut, a, b)
        }
    }

    fn store(shortcut: u32, a: i64, b: i64, c: i64) -> bool {
        !is_outside(shortcut, a, b) && ternary(shortcut, a, b, c)
    }

    fn code(name: &str) -> Code {
        primitives::all()
            .find(|primitive| primitive.name == name)
            .expect("a primitive")
            .code
    }

    /// The result of a shortcut, if it has one, is what the primitive returns.
    fn check(name: &str, a: Value, b: Value) {
        let Code::F2(primitive) = code(name) else {
            panic!("{name} has two arguments")
        };
        if let Some(result) = access(number(name), a.0, b.0) {
            assert_eq!(result, primitive(a, b).0, "{name} of {a:?} and {b:?}");
        }
    }

    #[test]
    fn comparisons_agree_with_the_primitives() {
        start_machine();
        let integers = [i64::MIN >> 1, -2, -1, 0, 1, 2, i64::MAX >> 1].map(Value::int);
        let floats = [f64::NAN, f64::NEG_INFINITY, -1.5, -0.0, 0.0, 1.5].map(heap::alloc_float);
        let polymorphic = [
            "equal",
            "notequal",
            "lessthan",
            "lessequal",
            "greaterthan",
            "greaterequal",
            "compare",
        ];
        for name in polymorphic.map(|name| format!("caml_{name}")) {
            for a in integers {
                for b in integers {
                    assert!(binary(number(&name), a.0, b.0).is_some());
                    check(&name, a, b);
                }
                assert_eq!(binary(number(&name), a.0, floats[0].0), None);
            }
        }
        let relations = ["eq", "neq", "lt", "le", "gt", "ge"];
        let relations = relations.map(|name| format!("caml_{name}_float"));
        for name in relations
            .iter()
            .map(String::as_str)
            .chain(["caml_float_compare"])
        {
            floats
                .iter()
                .for_each(|&a| floats.iter().for_each(|&b| check(name, a, b)));
        }
    }

    #[test]
    fn functions_of_floats_have_the_shortcut_and_nothing_else_has() {
        for primitive in primitives::all() {
            let is_function = matches!(primitive.code, Code::Float1(_) | Code::Float2(_));
            let has_shortcut = primitive.shortcut() == FLOAT_FUNCTION;
            assert_eq!(is_function, has_shortcut, "{}", primitive.name);
        }
    }

    #[test]
    fn accesses_agree_with_the_primitives() {
        start_machine();
        let array = heap::alloc_fields(0, &[Value::int(5), Value::int(6), Value::int(7)]);
        let floats = heap::alloc_fields(tag::DOUBLE_ARRAY, &[Value::int(1)]);
        for index in [i64::MIN >> 1, -1, 0, 1, 2, 3, 8, i64::MAX >> 1] {
            let index = Value::int(index);
            let fine = (0..3).contains(&index.as_int());
            for name in ["caml_array_get", "caml_array_get_addr"] {
                assert_eq!(
                    access(number(name), array.0, index.0).is_some(),
                    fine,
                    "{name} at {index:?}"
                );
                check(name, array, index);
            }
            assert_eq!(access(ARRAY_GET, floats.0, index.0), None);
            for text in ["", "abc", "abcdefg", "abcdefgh"] {
                let fine = (0..text.len() as i64).contains(&index.as_int());
                let text = string(text);
                assert_eq!(access(STRING_GET, text.0, index.0).is_some(), fine);
                check("caml_string_get", text, index);
            }
        }
    }

    #[test]
    fn tags_are_those_of_the_primitive() {
        start_machine();
        let Code::F1(primitive) = code("caml_obj_tag") else {
            panic!("it has one argument")
        };
        let young = heap::alloc_fields(tag::FORWARD, &[Value::int(5)]);
        for value in [Value::int(5), young, string("abc")] {
            let tag = unary(OBJ_TAG, value.0);
            assert_eq!(tag, Some(primitive(value).0), "{value:?}");
        }
        let within = Value(young.0 + 4);
        assert_eq!(unary(OBJ_TAG, within.0), None);
    }

    #[test]
    fn stores_are_done_inside_only() {
        start_machine();
        let array = heap::alloc_fields(0, &[Value::int(5), Value::int(6)]);
        let bytes = string("abc");
        for (index, fine) in [(-1, false), (0, true), (1, true), (2, false)] {
            let index = Value::int(index);
            assert_eq!(store(ARRAY_SET, array.0, index.0, tagged(9)), fine);
            assert_eq!(store(ARRAY_SET_ADDR, array.0, index.0, tagged(9)), fine);
        }
        assert_eq!([array.field(0), array.field(1)], [Value::int(9); 2]);
        assert!(store(BYTES_SET, bytes.0, tagged(2), tagged(0x78)));
        assert!(!store(BYTES_SET, bytes.0, tagged(3), tagged(0x78)));
        assert_eq!(bytes.to_bytes(), b"abx");
        assert_eq!(unary(STRING_LENGTH, bytes.0), Some(tagged(3)));
    }
}
