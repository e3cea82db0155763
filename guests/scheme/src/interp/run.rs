//! The interpreter loop: one activation of one function.

use super::calls::{code_of, enter, no_call, overflow, taken, taken_of_list, tell, undefined};
use super::numbers::{self, arithmetic, comparison, divide, is_float};
use super::registers::Registers;
use crate::code::Opcode;
use crate::heap;
use crate::memory::{load_i64, load_u32, store_i64};
use crate::runtime::equality::are_same;
use crate::runtime::strings;
use crate::runtime::table::FUNCTIONS;
use crate::value::{
    NIL, RAISED, UNDEFINED, UNSPECIFIED, field, field_address, fixnum, float, integer, is,
    is_character, is_fixnum, tag, truth,
};

/// In place of a number of arguments: they are in a list.
const APPLY: u32 = u32::MAX;

/// There are none, and an exception ends here.
const TRY: u32 = u32::MAX - 1;

/// Runs the code at `code`, of the function `env`, with what it takes; the stack below `sp` is
/// free. Returns the result, or [`RAISED`].
#[inline(never)]
pub extern "C" fn interp(
    code: u32,
    env: i64,
    sp: u32,
    a0: i64,
    a1: i64,
    a2: i64,
    a3: i64,
    a4: i64,
    a5: i64,
) -> i64 {
    use Opcode::*;
    let (mut code, mut env, mut a) = (code, env, [a0, a1, a2, a3, a4, a5]);
    'activation: loop {
        let mut r = Registers::begin(code, env, sp, a);
        let failed = 'failed: {
            if !r.poll() {
                overflow();
                break 'failed r.sp;
            }
            'step: loop {
                let (n, operands, is_tail, callee) = 'call: {
                    let (x, y, z) = 'primitive: {
                        // SAFETY: the compiler wrote it.
                        match unsafe { Opcode::of(load_u32(r.pc)) } {
                            Local => r.set(r.slot(r.operand(1)), 1),
                            SetLocal => {
                                r.set_slot(r.operand(1), r.accu);
                                r.next(1);
                            }
                            Int => r.set(fixnum(i64::from(r.operand(1) as i32)), 1),
                            Immediate => r.set(r.operand(1).into(), 1),
                            Constant => r.set(r.constant(), 1),
                            Float => r.set(r.operand(1).into(), 1),
                            Global => {
                                let value = load_i64(r.global_address());
                                if value == UNDEFINED {
                                    undefined();
                                    break 'failed r.sp;
                                }
                                r.set(value, 1);
                            }
                            SetGlobal => {
                                store_i64(r.global_address(), r.accu);
                                r.next(1);
                            }
                            Captured => r.set(r.captured(), 1),
                            Own => r.set(r.slot(0), 0),
                            Push => {
                                r.push(r.accu);
                                r.next(0);
                            }
                            PushLocal => {
                                r.push(r.slot(r.operand(1)));
                                r.next(1);
                            }
                            Pop => {
                                r.drop(r.operand(1));
                                r.next(1);
                            }
                            MakeBox => r.make_box(),
                            BoxRef => r.set(field(r.accu, 0), 0),
                            BoxRefDefined => {
                                let value = field(r.accu, 0);
                                if value == UNDEFINED {
                                    undefined();
                                    break 'failed r.sp;
                                }
                                r.set(value, 0);
                            }
                            BoxSet => {
                                let place = r.pop();
                                store_i64(field_address(place, 0), r.accu);
                                r.next(0);
                            }
                            Closure => r.make_closure(),
                            Capture => r.capture(),
                            Jump => r.pc = r.target(1),
                            JumpIfFalse => r.branch(!r.is_true()),
                            JumpIfTrue => r.branch(r.is_true()),
                            Again => {
                                r.again();
                                if !r.poll() {
                                    overflow();
                                    break 'failed r.sp;
                                }
                            }
                            Call => break 'call (r.operand(1), 1, false, None),
                            TailCall => break 'call (r.operand(1), 1, true, None),
                            CallKnown => {
                                break 'call (r.operand(1), 2, false, Some(r.operand(2)));
                            }
                            TailCallKnown => {
                                break 'call (r.operand(1), 2, true, Some(r.operand(2)));
                            }
                            TailCallOwn => break 'call (r.operand(1), 1, true, Some(r.code)),
                            Apply => break 'call (APPLY, 0, false, None),
                            TailApply => break 'call (APPLY, 0, true, None),
                            Return => return r.accu,
                            Try => break 'call (TRY, 0, false, None),
                            MakeBlock => r.make_block(),
                            Primitive1 => break 'primitive (r.accu, 0, 0),
                            Primitive2 => break 'primitive (r.pop(), r.accu, 0),
                            Primitive3 => {
                                let y = r.pop();
                                break 'primitive (r.pop(), y, r.accu);
                            }
                            Cons => {
                                let car = r.pop();
                                r.set(heap::pair(car, r.accu), 1);
                            }
                            Car if is(r.accu, tag::PAIR) => r.set(field(r.accu, 0), 1),
                            Cdr if is(r.accu, tag::PAIR) => r.set(field(r.accu, 1), 1),
                            Car | Cdr => break 'primitive (r.accu, 0, 0),
                            SetCar | SetCdr => {
                                let pair = r.pop();
                                if !is(pair, tag::PAIR) {
                                    break 'primitive (pair, r.accu, 0);
                                }
                                let opcode = load_u32(r.pc);
                                let index = u32::from(opcode == SetCdr as u32);
                                r.store(field_address(pair, index), r.accu);
                            }
                            IsPair => r.decide(is(r.accu, tag::PAIR)),
                            IsNull => r.decide(r.accu == NIL),
                            Not => r.decide(!r.is_true()),
                            IsFixnum => r.decide(is_fixnum(r.accu)),
                            IsSymbol => r.decide(is(r.accu, tag::SYMBOL)),
                            IsString => r.decide(is(r.accu, tag::STRING)),
                            IsVector => r.decide(is(r.accu, tag::VECTOR)),
                            IsProcedure => r.decide(is(r.accu, tag::CLOSURE)),
                            IsCharacter => r.decide(is_character(r.accu)),
                            IsFloat => r.decide(is_float(r.accu)),
                            IsSame => {
                                let x = r.pop();
                                r.decide(x == r.accu);
                            }
                            IsEqv => {
                                let x = r.pop();
                                r.decide(are_same(x, r.accu));
                            }
                            Add => {
                                let (x, y) = (r.pop(), r.accu);
                                match arithmetic(x, y, numbers::add, |x, y| x + y) {
                                    Some(sum) => r.set(sum, 1),
                                    None => break 'primitive (x, y, 0),
                                }
                            }
                            Subtract => {
                                let (x, y) = (r.pop(), r.accu);
                                match arithmetic(x, y, numbers::subtract, |x, y| x - y) {
                                    Some(difference) => r.set(difference, 1),
                                    None => break 'primitive (x, y, 0),
                                }
                            }
                            Multiply => {
                                let (x, y) = (r.pop(), r.accu);
                                match arithmetic(x, y, numbers::multiply, |x, y| x * y) {
                                    Some(product) => r.set(product, 1),
                                    None => break 'primitive (x, y, 0),
                                }
                            }
                            Divide => {
                                let (x, y) = (r.pop(), r.accu);
                                match arithmetic(x, y, |_, _| None, |x, y| x / y) {
                                    Some(quotient) => r.set(quotient, 1),
                                    None => break 'primitive (x, y, 0),
                                }
                            }
                            Quotient => {
                                let (x, y) = (r.pop(), r.accu);
                                match divide(x, y, |m, n| m / n) {
                                    Some(quotient) => r.set(quotient, 1),
                                    None => break 'primitive (x, y, 0),
                                }
                            }
                            Remainder => {
                                let (x, y) = (r.pop(), r.accu);
                                match divide(x, y, |m, n| m % n) {
                                    Some(rest) => r.set(rest, 1),
                                    None => break 'primitive (x, y, 0),
                                }
                            }
                            Modulo => {
                                let (x, y) = (r.pop(), r.accu);
                                match divide(x, y, numbers::modulo) {
                                    Some(rest) => r.set(rest, 1),
                                    None => break 'primitive (x, y, 0),
                                }
                            }
                            Equal => {
                                let (x, y) = (r.pop(), r.accu);
                                match comparison(x, y, i64::eq, f64::eq) {
                                    Some(b) => r.decide(b),
                                    None => break 'primitive (x, y, 0),
                                }
                            }
                            Less => {
                                let (x, y) = (r.pop(), r.accu);
                                match comparison(x, y, i64::lt, f64::lt) {
                                    Some(b) => r.decide(b),
                                    None => break 'primitive (x, y, 0),
                                }
                            }
                            LessEqual => {
                                let (x, y) = (r.pop(), r.accu);
                                match comparison(x, y, i64::le, f64::le) {
                                    Some(b) => r.decide(b),
                                    None => break 'primitive (x, y, 0),
                                }
                            }
                            Greater => {
                                let (x, y) = (r.pop(), r.accu);
                                match comparison(x, y, i64::gt, f64::gt) {
                                    Some(b) => r.decide(b),
                                    None => break 'primitive (x, y, 0),
                                }
                            }
                            GreaterEqual => {
                                let (x, y) = (r.pop(), r.accu);
                                match comparison(x, y, i64::ge, f64::ge) {
                                    Some(b) => r.decide(b),
                                    None => break 'primitive (x, y, 0),
                                }
                            }
                            VectorRef => {
                                let vector = r.pop();
                                match Registers::element(vector, r.accu) {
                                    Some(address) => r.set(load_i64(address), 1),
                                    None => break 'primitive (vector, r.accu, 0),
                                }
                            }
                            VectorSet => {
                                let (index, vector) = (r.pop(), r.pop());
                                match Registers::element(vector, index) {
                                    Some(address) => r.store(address, r.accu),
                                    None => break 'primitive (vector, index, r.accu),
                                }
                            }
                            VectorLength if is(r.accu, tag::VECTOR) => {
                                let length = crate::value::fields_of(r.accu);
                                r.set(fixnum(length.into()), 1);
                            }
                            StringRef => {
                                let string = r.pop();
                                let is_there = is(string, tag::STRING)
                                    && is_fixnum(r.accu)
                                    && (integer(r.accu) as u64) < strings::length(string).into();
                                if !is_there {
                                    break 'primitive (string, r.accu, 0);
                                }
                                let place = strings::place(string, integer(r.accu) as u32);
                                r.set(i64::from(load_u32(place)) << 8 | 0b110, 1);
                            }
                            StringLength if is(r.accu, tag::STRING) => r.set(field(r.accu, 0), 1),
                            IsRecord => {
                                let record = r.pop();
                                r.decide(is(record, tag::RECORD) && field(record, 0) == r.accu);
                            }
                            RecordRef => {
                                let (kind, record) = (r.pop(), r.pop());
                                if !is(record, tag::RECORD) || field(record, 0) != kind {
                                    break 'primitive (record, kind, r.accu);
                                }
                                r.set(field(record, integer(r.accu) as u32), 1);
                            }
                            RecordSet => {
                                let (place, record) = (r.pop(), r.pop());
                                let (kind, index) = (field(place, 0), field(place, 1));
                                if !is(record, tag::RECORD) || field(record, 0) != kind {
                                    break 'primitive (record, place, r.accu);
                                }
                                r.store(field_address(record, integer(index) as u32), r.accu);
                            }
                            CharToInteger if is_character(r.accu) => {
                                r.set(fixnum(r.accu >> 8), 1);
                            }
                            Sqrt if is_float(r.accu) => {
                                r.set(heap::float(float(r.accu).sqrt()), 1);
                            }
                            ToFloat if is_fixnum(r.accu) => {
                                r.set(heap::float(integer(r.accu) as f64), 1);
                            }
                            VectorLength | StringLength | CharToInteger | Sqrt | ToFloat => {
                                break 'primitive (r.accu, 0, 0);
                            }
                        }
                        continue 'step;
                    };
                    let result = FUNCTIONS[r.operand(1) as usize](x, y, z);
                    if result == RAISED {
                        break 'failed r.sp;
                    }
                    r.set(result, 1);
                    continue 'step;
                };
                let list = r.accu;
                let function = if n == APPLY { r.pop() } else { list };
                let Some(target) = callee.or_else(|| code_of(function)) else {
                    no_call(function);
                    break 'failed r.sp;
                };
                let count = if n == TRY { 0 } else { n };
                let passed = match callee {
                    Some(_) => Some(r.arguments(n)),
                    None if n == APPLY => taken_of_list(target, list),
                    None => taken(target, count, r.arguments(count)),
                };
                let Some(passed) = passed else {
                    no_call(function);
                    break 'failed r.sp;
                };
                if is_tail {
                    (code, env, a) = (target, function, passed);
                    continue 'activation;
                }
                if n != APPLY {
                    r.drop(count);
                }
                let result = enter(target, function, r.sp, passed);
                if n == TRY {
                    let raised = result == RAISED;
                    r.push(if raised { UNSPECIFIED } else { result });
                    r.set(truth(raised), 0);
                    continue 'step;
                }
                if result == RAISED {
                    return RAISED;
                }
                r.set(result, operands);
            }
        };
        tell(failed);
        return RAISED;
    }
}
