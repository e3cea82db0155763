//! The interpreter loop: one activation of one function.

use super::calls::{
    all, apply, below, code_in, code_of, collect, overflow, spread, tell, undefined,
};
use super::entries::{dispatch, enter};
use super::numbers::{self, arithmetic, comparison, divide, is_float};
use super::registers::Registers;
use super::requests::events;
use crate::code::{Opcode, has_environment, takes};
use crate::heap;
use crate::memory::{load_i64, load_u32, store_i64};
use crate::runtime::equality::are_same;
use crate::runtime::strings;
use crate::value::{
    NIL, RAISED, UNDEFINED, UNSPECIFIED, field, field_address, fixnum, float, integer, is,
    is_character, is_fixnum, tag, truth,
};
use annotations::{
    box_exists, cells_drop_below, cells_invalidate, cells_sync_roots, context_update, immediate,
    lockstep_event, nonzero, points_to, safepoint_passed, specialize_active, specialize_inlined,
    specialize_known,
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
    // Within its caller's code, a function has the margin of its caller's stack.
    let mut polls = specialize_inlined() == 0;
    'activation: loop {
        let mut r = Registers::begin(code, env, sp, a);
        'failed: {
            if polls && r.is_alerted() {
                if !r.safepoint() {
                    overflow();
                    break 'failed;
                }
                if specialize_active() != 0 {
                    return r.begin_again();
                }
            }
            if polls {
                safepoint_passed();
            }
            polls = true;
            lockstep_event(events::ENTRY, code, r.sp, UNSPECIFIED);
            'step: loop {
                let (n, operands, is_tail, callee) = 'call: {
                    let (x, y, z) = 'primitive: {
                        context_update(r.pc);
                        cells_drop_below(r.sp);
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
                            Function => r.set(points_to(r.constant(), r.operand(2)), 2),
                            Float => r.set(box_exists(r.operand(1).into(), 0), 1),
                            Global => {
                                let value = load_i64(r.global_address());
                                if value == UNDEFINED {
                                    undefined();
                                    break 'failed;
                                }
                                r.set(value, 1);
                            }
                            SetGlobal => {
                                store_i64(r.global_address(), r.accu);
                                r.next(1);
                            }
                            Captured => r.set(r.captured(), 1),
                            Own => r.set(points_to(r.slot(0), r.code), 0),
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
                                    break 'failed;
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
                            JumpIfFalse => {
                                let is_true = r.is_true();
                                r.accu = UNSPECIFIED;
                                r.branch(!is_true);
                            }
                            JumpIfTrue => r.branch(r.is_true()),
                            Again => {
                                r.again();
                                if r.is_alerted() && !r.safepoint() {
                                    overflow();
                                    break 'failed;
                                }
                                safepoint_passed();
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
                            Return => {
                                lockstep_event(events::EXIT, r.pc, r.sp, r.accu);
                                cells_drop_below(r.base);
                                return nonzero(r.accu);
                            }
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
                                    Some(result) => r.set(result, 1),
                                    None => break 'primitive (x, y, 0),
                                }
                            }
                            Subtract => {
                                let (x, y) = (r.pop(), r.accu);
                                match arithmetic(x, y, numbers::subtract, |x, y| x - y) {
                                    Some(result) => r.set(result, 1),
                                    None => break 'primitive (x, y, 0),
                                }
                            }
                            Multiply => {
                                let (x, y) = (r.pop(), r.accu);
                                match arithmetic(x, y, numbers::multiply, |x, y| x * y) {
                                    Some(result) => r.set(result, 1),
                                    None => break 'primitive (x, y, 0),
                                }
                            }
                            Divide => {
                                let (x, y) = (r.pop(), r.accu);
                                match arithmetic(x, y, |_, _| None, |x, y| x / y) {
                                    Some(result) => r.set(result, 1),
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
                                r.set(immediate(fixnum(length.into())), 1);
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
                                r.set(immediate(fixnum(r.accu >> 8)), 1);
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
                    let result = r.primitive(x, y, z);
                    if result == RAISED {
                        break 'failed;
                    }
                    // Of numbers among which is a float, the loop has made the result itself.
                    let is_fixnum = Opcode::gives_fixnum(load_u32(r.pc));
                    r.set(if is_fixnum { immediate(result) } else { result }, 1);
                    continue 'step;
                };
                let function = if n == APPLY { r.pop() } else { r.accu };
                let count = if n >= TRY { 0 } else { n };
                let passed = r.arguments(count);
                if is_tail {
                    r.sp = r.base;
                } else if n != APPLY {
                    r.drop(count);
                }
                cells_drop_below(r.sp);
                let known = callee.or_else(|| code_known(function, count));
                if is_tail && known.is_none() && specialize_active() == 0 {
                    let target = match n {
                        APPLY => spread(function, r.sp, r.accu),
                        n => collect(function, r.sp, n, passed),
                    };
                    if target != 0 {
                        (code, env, a) = (target, function, all(|k| load_i64(below(r.sp, k))));
                        continue 'activation;
                    }
                }
                let result = if n == APPLY {
                    cells_sync_roots();
                    apply(function, r.sp, r.accu)
                } else if let Some(target) = known {
                    if is_tail && (specialize_active() == 0 || callee == Some(r.code)) {
                        (code, env, a) = (target, function, passed);
                        continue 'activation;
                    }
                    let is_closed = specialize_active() != 0 && !has_environment(target);
                    let env = if is_closed { UNSPECIFIED } else { function };
                    enter(target, env, r.sp, count, passed)
                } else {
                    dispatch(function, r.sp, count, passed)
                };
                if is_tail {
                    return result;
                }
                cells_invalidate();
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
        }
        cells_drop_below(r.base);
        cells_sync_roots();
        tell(r.base);
        return RAISED;
    }
}

/// The code of a function that takes so many arguments, as far as that is known.
#[inline(always)]
fn code_known(function: i64, n: u32) -> Option<u32> {
    let code = match specialize_active() {
        0 => code_of(function)?,
        _ => Some(code_in(function)).filter(|code| specialize_known(*code) != 0)?,
    };
    takes(code, n).then_some(code)
}
