//! The interpreter loop: one activation of one function.
//!
//! This is what the specializer turns into compiled functions, once for each entry of a program, so
//! it is written for two readers. It has no memory of its own (no shadow stack frame, no panics);
//! positions in the code depend on constants only; what other code must see is synced. The sections
//! behind the instructions (call, raise, tail call) are shared by the instructions that lead there.
//!
//! An activation that comes to a cut (see `image::pieces`) is left there by compiled code, and goes
//! on in the function in the cut's slot, with all cells in memory.
//!
//! An activation's frame, from `base` downwards: the closure (environment), the arguments, the
//! rest. More than seven arguments are on the stack already, at `sp`, and the cell above them is
//! the activation's as well.

use super::calls::{apply_at, call};
use super::entries::{MAX_DIRECT, RESUMED, UNUSED, enter, enter_through_slot};
use super::events;
use super::fields::{byte, element, field, fixed_field, header, modify, store_field};
use super::methods::method;
use super::polls::polls_for_nothing;
use super::registers::{FALSE, Registers, TRUE, UNIT, tagged, truth};
use super::restarted;
use crate::code;
use crate::code::effect::{RETURN_SIZE, frame_size};
use crate::code::opcode::Opcode;
use crate::heap;
use crate::memory::{self, Region, cell_write};
use crate::value::{Value, WORD};
use crate::vm::vm;
use annotations::{
    cells_drop_below, cells_invalidate, cells_sync, context_update, lockstep_event, nonzero,
    safepoint_passed, specialize_active, specialize_guess, specialize_inlined, specialize_known,
};

/// Runs the code at `code`, whose arity is `nargs`, with the closure `env`; the stack below `sp` is
/// free. Returns the result, or 0 if it raised.
///
/// With [`RESUMED`] as `nargs`, goes on with an activation that another function left, as
/// [`Registers::resumed`] says: `sp` is its frame's upper end, `code` an address near the
/// instruction where it goes on. From that, the instruction is `a3` bytes up and the entry `env`
/// bytes down. `a0` is the accumulator, `a1` the frame's size, `a2` its trap register.
/// With [`restarted::restarted`] as `nargs`, `code` is a RESTART and `env` a partial application.
#[inline(never)]
pub extern "C" fn interp(
    code: u32,
    env: i64,
    sp: u32,
    nargs: u32,
    a0: i64,
    a1: i64,
    a2: i64,
    a3: i64,
    a4: i64,
    a5: i64,
    a6: i64,
) -> i64 {
    use Opcode::*;
    let (mut nargs, mut begins) = (nargs, nargs != RESUMED);
    let mut r = if let Some(missing) = restarted::missing(nargs) {
        match restarted::begin(code, env, sp, missing, [a0, a1, a2]) {
            Ok((registers, arity)) => {
                nargs = arity;
                registers
            }
            Err(result) => return result,
        }
    } else if begins {
        let direct = nargs.wrapping_sub(1) < MAX_DIRECT;
        let base = if direct { sp } else { sp + frame_size(nargs) };
        let mut r = Registers::entered(code, base, nargs);
        cell_write(base - WORD, env);
        if direct {
            r.write_arguments(nargs, [a0, a1, a2, a3, a4, a5, a6]);
        }
        r
    } else {
        let pc = code.wrapping_add(a3 as u32);
        let entry = code.wrapping_sub(env as u32);
        Registers::resumed(pc, entry, sp, a1 as u32, a2 as u32, a0)
    };
    let base = r.base;
    // Within its caller, a function runs on the stack's margin, and the caller has polled.
    let mut polls = specialize_inlined() == 0;
    'activation: loop {
        if begins {
            r.begin();
            if polls && !code::is_leaf(r.entry) {
                if r.is_alerted()
                    && let Some(result) = r.begin_slowly(nargs)
                {
                    return result;
                }
                safepoint_passed();
            }
            lockstep_event(events::ENTER, r.entry, r.sp, r.env());
        }
        begins = true;
        'step: loop {
            let n = 'tail_call: {
                'raise: {
                    // Goes on behind an instruction and its operands, unless it raised.
                    macro_rules! or_raise {
                        ($fine:expr $(, $operands:expr)?) => {{
                            if !$fine {
                                break 'raise;
                            }
                            $(r.next($operands))?
                        }};
                    }
                    let (n, frame) = 'call: {
                        context_update(r.pc);
                        cells_drop_below(r.sp);
                        #[cfg(test)]
                        if !crate::image::fuzz::tick() {
                            return Value::RAISED.0;
                        }
                        let cell = memory::load_u32(r.pc);
                        if code::is_marked(cell) {
                            if code::is_cut(cell) && r.leaves() {
                                return r.leave();
                            }
                            if r.ends_with_number(cell) {
                                continue 'step;
                            }
                        }
                        // SAFETY: only verified code is loaded.
                        match unsafe { Opcode::from_cell(cell) } {
                            Acc0 => r.acc(0, 0),
                            Acc1 => r.acc(1, 0),
                            Acc2 => r.acc(2, 0),
                            Acc3 => r.acc(3, 0),
                            Acc4 => r.acc(4, 0),
                            Acc5 => r.acc(5, 0),
                            Acc6 => r.acc(6, 0),
                            Acc7 => r.acc(7, 0),
                            Acc => r.acc(r.operand(1), 1),
                            Push => r.push_set(r.accu, 0),
                            PushAcc0 => r.push_acc(0, 0),
                            PushAcc1 => r.push_acc(1, 0),
                            PushAcc2 => r.push_acc(2, 0),
                            PushAcc3 => r.push_acc(3, 0),
                            PushAcc4 => r.push_acc(4, 0),
                            PushAcc5 => r.push_acc(5, 0),
                            PushAcc6 => r.push_acc(6, 0),
                            PushAcc7 => r.push_acc(7, 0),
                            PushAcc => r.push_acc(r.operand(1), 1),
                            Pop => {
                                r.drop(r.operand(1));
                                r.next(1);
                            }
                            Assign => {
                                cell_write(r.slot_address(r.operand(1)), r.accu);
                                r.set(UNIT, 1);
                            }
                            OffsetSlot => r.offset_slot(),
                            PushOffsetSlot => r.push_offset_slot(),
                            EnvAcc1 => r.set(r.env_field(1), 0),
                            EnvAcc2 => r.set(r.env_field(2), 0),
                            EnvAcc3 => r.set(r.env_field(3), 0),
                            EnvAcc4 => r.set(r.env_field(4), 0),
                            EnvAcc => r.set(r.env_field(r.operand(1)), 1),
                            PushEnvAcc1 => r.push_set(r.env_field(1), 0),
                            PushEnvAcc2 => r.push_set(r.env_field(2), 0),
                            PushEnvAcc3 => r.push_set(r.env_field(3), 0),
                            PushEnvAcc4 => r.push_set(r.env_field(4), 0),
                            PushEnvAcc => r.push_set(r.env_field(r.operand(1)), 1),
                            PushRetAddr => r.push_return(),
                            Apply => {
                                let n = r.operand(1);
                                break 'call (n, n + RETURN_SIZE);
                            }
                            Apply1 => break 'call (1, 1),
                            Apply2 => break 'call (2, 2),
                            Apply3 => break 'call (3, 3),
                            AppTerm => break 'tail_call r.operand(1),
                            AppTerm1 => break 'tail_call 1,
                            AppTerm2 => break 'tail_call 2,
                            AppTerm3 => break 'tail_call 3,
                            Return => {
                                lockstep_event(events::EXIT, r.pc, r.sp, r.accu);
                                cells_drop_below(base);
                                return nonzero(r.accu);
                            }
                            // Calls go past these two: the entry's cell has told the caller what
                            // they would do.
                            Restart => r.next(0),
                            Grab => r.next(1),
                            Closure => or_raise!(r.make_closure(r.operand(1), r.operand(2)), 2),
                            ClosureRec => {
                                let n = r.operand(1);
                                or_raise!(r.make_closures(n, r.operand(2)), 2 + n);
                            }
                            OffsetClosureM3 => r.set(r.sibling(-3), 0),
                            OffsetClosure0 => r.set(r.sibling(0), 0),
                            OffsetClosure3 => r.set(r.sibling(3), 0),
                            OffsetClosure => r.set(r.sibling(r.int(1)), 1),
                            PushOffsetClosureM3 => r.push_set(r.sibling(-3), 0),
                            PushOffsetClosure0 => r.push_set(r.sibling(0), 0),
                            PushOffsetClosure3 => r.push_set(r.sibling(3), 0),
                            PushOffsetClosure => r.push_set(r.sibling(r.int(1)), 1),
                            GetGlobal => r.set(r.global(), 1),
                            PushGetGlobal => r.push_set(r.global(), 1),
                            GetGlobalField => r.set(r.module_field(), 2),
                            PushGetGlobalField => r.push_set(r.module_field(), 2),
                            SetGlobal => {
                                r.set_global(r.operand(1));
                                r.set(UNIT, 1);
                            }
                            Atom0 => r.set(heap::atom(0).0, 0),
                            Atom => r.set(heap::atom(r.operand(1) as u8).0, 1),
                            PushAtom0 => r.push_set(heap::atom(0).0, 0),
                            PushAtom => r.push_set(heap::atom(r.operand(1) as u8).0, 1),
                            MakeBlock => {
                                or_raise!(r.make_block(r.operand(1), r.operand(2) as u8), 2)
                            }
                            MakeBlock1 => or_raise!(r.make_small_block(1, r.operand(1) as u8), 1),
                            MakeBlock2 => or_raise!(r.make_small_block(2, r.operand(1) as u8), 1),
                            MakeBlock3 => or_raise!(r.make_small_block(3, r.operand(1) as u8), 1),
                            MakeFloatBlock => or_raise!(r.make_float_block(r.operand(1)), 1),
                            GetField0 => r.set(field(r.accu, 0), 0),
                            GetField1 => r.set(field(r.accu, 1), 0),
                            GetField2 => r.set(field(r.accu, 2), 0),
                            GetField3 => r.set(field(r.accu, 3), 0),
                            GetField => r.set(field(r.accu, r.operand(1)), 1),
                            GetFloatField => or_raise!(r.box_float_field(r.operand(1)), 1),
                            SetField0 => r.set_field(0, 0),
                            SetField1 => r.set_field(1, 0),
                            SetField2 => r.set_field(2, 0),
                            SetField3 => r.set_field(3, 0),
                            SetField => r.set_field(r.operand(1), 1),
                            SetFloatField => {
                                let x = fixed_field(r.pop(), 0);
                                store_field(r.accu, r.operand(1), Region::Floats, x);
                                r.set(UNIT, 1);
                            }
                            VectLength => r.set_int(tagged((header(r.accu) >> 10) as i64), 0),
                            GetVectItem => r.binary(|block, index| {
                                memory::load_i64(element(block, index, Region::Fields))
                            }),
                            SetVectItem => {
                                let (index, value) = (r.pop(), r.pop());
                                modify(element(r.accu, index, Region::Fields), value);
                                r.set(UNIT, 0);
                            }
                            GetBytesChar => r.binary_int(|bytes, index| {
                                tagged(i64::from(memory::load_u8(byte(bytes, index))))
                            }),
                            SetBytesChar => {
                                let (index, char) = (r.pop(), r.pop());
                                memory::store_u8(byte(r.accu, index), (char >> 1) as u8);
                                r.set(UNIT, 0);
                            }
                            Branch => r.jump(r.target(1, 1)),
                            BranchIf => r.branch(1, r.accu != FALSE),
                            BranchIfNot => r.branch(1, r.accu == FALSE),
                            Switch => r.switch(),
                            BoolNot => r.set_int(TRUE + FALSE - r.accu, 0),
                            PushTrap => {
                                r.push_trap(r.target(1, 1));
                                r.next(1);
                            }
                            PopTrap => or_raise!(r.pop_trap(), 0),
                            Raise | Reraise | RaiseNoTrace => {
                                vm().exception.set(Value(r.accu));
                                break 'raise;
                            }
                            CheckSignals => {
                                r.begin_round();
                                or_raise!(r.poll(), 0);
                            }
                            CCall1 => or_raise!(r.primitive_1()),
                            CCall2 => or_raise!(r.primitive_2()),
                            CCall3 => or_raise!(r.primitive_3()),
                            CCall4 => or_raise!(r.primitive_4()),
                            CCall5 => or_raise!(r.primitive_5()),
                            CCallN => or_raise!(r.primitive_n()),
                            Const0 => r.set(tagged(0), 0),
                            Const1 => r.set(tagged(1), 0),
                            Const2 => r.set(tagged(2), 0),
                            Const3 => r.set(tagged(3), 0),
                            ConstInt => r.set(tagged(r.int(1)), 1),
                            PushConst0 => r.push_set(tagged(0), 0),
                            PushConst1 => r.push_set(tagged(1), 0),
                            PushConst2 => r.push_set(tagged(2), 0),
                            PushConst3 => r.push_set(tagged(3), 0),
                            PushConstInt => r.push_set(tagged(r.int(1)), 1),
                            NegInt => r.set_int(2i64.wrapping_sub(r.accu), 0),
                            AddInt => r.binary_int(|a, b| a.wrapping_add(b).wrapping_sub(1)),
                            SubInt => r.binary_int(|a, b| a.wrapping_sub(b).wrapping_add(1)),
                            MulInt => {
                                r.binary_int(|a, b| (a - 1).wrapping_mul(b >> 1).wrapping_add(1))
                            }
                            DivInt => or_raise!(r.divide(i64::wrapping_div)),
                            ModInt => or_raise!(r.divide(i64::wrapping_rem)),
                            AndInt => r.binary_int(|a, b| a & b),
                            OrInt => r.binary_int(|a, b| a | b),
                            XorInt => r.binary_int(|a, b| (a ^ b) | 1),
                            LslInt => {
                                r.binary_int(|a, b| (a - 1).wrapping_shl((b >> 1) as u32) + 1)
                            }
                            LsrInt => r.binary_int(|a, b| {
                                ((a as u64).wrapping_shr((b >> 1) as u32) | 1) as i64
                            }),
                            AsrInt => r.binary_int(|a, b| a.wrapping_shr((b >> 1) as u32) | 1),
                            Eq => r.binary_int(|a, b| truth(a == b)),
                            Neq => r.binary_int(|a, b| truth(a != b)),
                            LtInt => r.binary_int(|a, b| truth(a < b)),
                            LeInt => r.binary_int(|a, b| truth(a <= b)),
                            GtInt => r.binary_int(|a, b| truth(a > b)),
                            GeInt => r.binary_int(|a, b| truth(a >= b)),
                            OffsetInt => r.set_int(r.accu.wrapping_add(r.int(1) << 1), 1),
                            OffsetRef => {
                                let n = field(r.accu, 0).wrapping_add(r.int(1) << 1);
                                store_field(r.accu, 0, Region::Fields, n);
                                r.set(UNIT, 1);
                            }
                            IsInt => r.set_int(truth(r.accu & 1 == 1), 0),
                            GetMethod => r.set(field(field(r.slot(0), 0), (r.accu >> 1) as u32), 0),
                            Beq => r.compare_branch(|operand, accu| operand == accu),
                            Bneq => r.compare_branch(|operand, accu| operand != accu),
                            BltInt => r.compare_branch(|operand, accu| operand < accu),
                            BleInt => r.compare_branch(|operand, accu| operand <= accu),
                            BgtInt => r.compare_branch(|operand, accu| operand > accu),
                            BgeInt => r.compare_branch(|operand, accu| operand >= accu),
                            UltInt => r.binary_int(|a, b| truth((a as u64) < b as u64)),
                            UgeInt => r.binary_int(|a, b| truth(a as u64 >= b as u64)),
                            BultInt => {
                                r.compare_branch(|operand, accu| (operand as u64) < accu as u64)
                            }
                            BugeInt => {
                                r.compare_branch(|operand, accu| operand as u64 >= accu as u64)
                            }
                            GetPubMet => {
                                let object = r.accu;
                                r.push_set(method(object, tagged(r.int(1))), 2);
                            }
                            GetDynMet => r.set(method(r.slot(0), r.accu), 0),
                            Stop => {
                                lockstep_event(events::EXIT, r.pc, r.sp, r.accu);
                                return r.accu;
                            }
                            Event => r.next(0),
                            Break => std::process::abort(),
                            GetStringChar => r.binary_int(|string, index| {
                                tagged(i64::from(memory::load_u8(byte(string, index))))
                            }),
                        }
                        continue 'step;
                    };
                    let closure = r.accu;
                    let code = r.callee();
                    let result = if n <= MAX_DIRECT {
                        let arguments = r.arguments(n);
                        r.drop(frame);
                        let top = r.sp;
                        r.keep_position();
                        cells_drop_below(r.sp);
                        let result = call(code, closure, r.sp, n, arguments);
                        r.sp = top;
                        result
                    } else {
                        r.keep_position_above(n);
                        cells_sync();
                        let result = if code::arity(code) == n {
                            enter_through_slot(code, closure, r.sp)
                        } else {
                            apply_at(closure, r.sp, n)
                        };
                        r.drop(frame);
                        result
                    };
                    cells_invalidate();
                    if result != Value::RAISED.0 {
                        r.accu = result;
                        r.next(u32::from(frame > n));
                        continue 'step;
                    }
                }
                if r.trap == 0 || r.thread_ends() {
                    lockstep_event(events::EXIT, r.pc, r.sp, 0);
                    cells_drop_below(base);
                    return r.unwind_last();
                }
                if r.handler_is_elsewhere() {
                    return r.leave_to_handler();
                }
                r.handle();
                continue 'step;
            };
            let closure = r.accu;
            let code = r.callee();
            let a = if n <= MAX_DIRECT {
                r.arguments(n)
            } else {
                r.sp = r.move_arguments(n);
                [UNUSED; MAX_DIRECT as usize]
            };
            let is_unknown = specialize_active() != 0 && specialize_known(code) == 0;
            if n <= MAX_DIRECT && is_unknown || code::arity(code) != n {
                if n > MAX_DIRECT {
                    cells_sync();
                    return apply_at(closure, r.sp, n);
                }
                cells_drop_below(base);
                return call(code, closure, base, n, a);
            }
            // A second name for the entry, so that its equality with `code` tells LLVM nothing
            // about `r.entry`.
            let own = specialize_guess(r.entry, r.entry);
            if specialize_active() == 0 {
                r.entry = code;
            } else if r.piece != 0 || code::arity(own) != n || code != own {
                if n > MAX_DIRECT {
                    cells_sync();
                    return enter_through_slot(code, closure, r.sp);
                }
                cells_drop_below(base);
                return enter(code, closure, base, n, a);
            }
            polls = !polls_for_nothing();
            r.leave_version();
            r.trap = 0;
            cell_write(base - WORD, closure);
            if n <= MAX_DIRECT {
                r.sp = base - frame_size(n);
                r.write_arguments(n, a);
            }
            continue 'activation;
        }
    }
}
