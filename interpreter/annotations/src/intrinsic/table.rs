//! The table itself. Each entry has what the intrinsic means, whether that is a hint or a contract,
//! an example, and the mistake that one makes; `include/bactrian.h` has the same for C, and a test
//! compares the two.

use super::*;

intrinsics! {
    safe {
        /// The code from here on runs for interpreter position `position`, usually the address of
        /// the next instruction. One version of it is made for each position. It takes the place of
        /// the position before, and of what was specialized on a value since.
        ///
        /// A hint. A position that is not known degrades to "unknown".
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// fn interpret(code: &[u8], mut pc: usize) -> usize {
        ///     loop {
        ///         context_update(code[pc..].as_ptr() as usize as u32);
        ///         match code[pc] {
        ///             0 => pc += 1,
        ///             _ => return pc,
        ///         }
        ///     }
        /// }
        /// # assert_eq!(interpret(&[0, 0, 1], 0), 2);
        /// ```
        ///
        /// Mistake: a position that comes from memory which is not constant. It is unknown to the
        /// specializer, and code from there on is the generic loop again.
        ContextUpdate "context.update" fn context_update(position: u32), Nothing, Calls;
        /// Puts a position above the present one, for a loop within an instruction.
        ///
        /// A hint.
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// fn sum(operands: &[u8]) -> u32 {
        ///     let mut sum = 0;
        ///     context_push(0);
        ///     for (n, operand) in (0..).zip(operands) {
        ///         context_update(n);
        ///         sum += u32::from(*operand);
        ///     }
        ///     context_pop();
        ///     sum
        /// }
        /// # assert_eq!(sum(&[1, 2]), 3);
        /// ```
        ///
        /// Mistake: leaving the loop by a way that has no pop. Positions are then piled up, and
        /// code is made for each pile.
        ContextPush "context.push" fn context_push(position: u32), Nothing, Calls;
        /// Takes the topmost position away: the one below is the present one again.
        ///
        /// A hint.
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// fn first_zero(operands: &[u8]) -> Option<u32> {
        ///     context_push(0);
        ///     for (n, operand) in (0..).zip(operands) {
        ///         context_update(n);
        ///         if *operand == 0 {
        ///             context_pop();
        ///             return Some(n);
        ///         }
        ///     }
        ///     context_pop();
        ///     None
        /// }
        /// # assert_eq!(first_zero(&[1, 0]), Some(1));
        /// ```
        ///
        /// Mistake: a pop where nothing was pushed. It takes away the position of the interpreter
        /// itself.
        ContextPop "context.pop" fn context_pop(), Nothing, Calls;
        /// Returns `value`, and asks for one version of what follows for each value in `low..high`
        /// (unsigned), and one for all others, up to the next [`context_update`].
        ///
        /// A hint.
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// fn arguments(count: u32) -> u32 {
        ///     match specialize_value(count, 0, 4) {
        ///         count @ 0..4 => (0..count).sum(), // unrolled
        ///         many => (0..many).sum(),
        ///     }
        /// }
        /// # assert_eq!(arguments(3), 3);
        /// ```
        ///
        /// Mistake: wide bounds. Each value is a copy of all that follows.
        SpecializeValue "specialize.value"
            fn specialize_value(value: u32, low: u32, high: u32) -> u32, First, Calls;
        /// Returns `value`, which lies in `low..high` (unsigned), and asks for one version of what
        /// follows for each value, up to the next [`context_update`].
        ///
        /// A contract: with another value, residual code goes on as with one of these.
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// const KINDS: u32 = 3;
        /// fn bytes(kind: u32) -> u32 {
        ///     1 << specialize_range(kind, 0, KINDS)
        /// }
        /// # assert_eq!(bytes(2), 4);
        /// ```
        ///
        /// Mistake: a value that lies outside after all. Generic code goes on with it, specialized
        /// code as with another one.
        SpecializeRange "specialize.range"
            fn specialize_range(value: u32, low: u32, high: u32) -> u32, First, Calls;
        /// Returns `value`, and asks for a version of what follows for the case that it equals
        /// `guess`, tested at run time.
        ///
        /// A hint.
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// fn callee(found: u32, expected: u32) -> u32 {
        ///     specialize_guess(found, expected)
        /// }
        /// # assert_eq!(callee(7, 8), 7);
        /// ```
        ///
        /// Mistake: a guess that is not known while code is made. Then there is no version. Another
        /// one: to conclude from a result that is not known that the value is not `guess`. Where
        /// guesses are switched off nothing was compared.
        SpecializeGuess "specialize.guess"
            fn specialize_guess(value: u32, guess: u32) -> u32, First, Calls;
        /// The same for one guess of many: in that version a callee is evaluated in place no
        /// further than to an early return, so there are not many copies of all that it does.
        ///
        /// A hint.
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// fn callee(found: u32, expected: [u32; 8]) -> u32 {
        ///     expected.into_iter().fold(found, |found, guess| {
        ///         specialize_guess_by_name(found, guess)
        ///     })
        /// }
        /// # assert_eq!(callee(7, [8; 8]), 7);
        /// ```
        ///
        /// Mistake: guessing one of few so. A call in place knows more.
        SpecializeGuessByName "specialize.guess_by_name"
            fn specialize_guess_by_name(value: u32, guess: u32) -> u32, First, Calls;
        /// 1 in residual code, 0 in generic code: for what only one of them does.
        ///
        /// A hint.
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// fn call(compiled: fn(i64) -> i64, interpreted: fn(i64) -> i64, argument: i64) -> i64 {
        ///     if specialize_active() == 1 {
        ///         return compiled(argument);
        ///     }
        ///     interpreted(argument)
        /// }
        /// # assert_eq!(call(|_| 1, |argument| argument, 5), 5);
        /// ```
        ///
        /// Mistake: a result of the program that depends on it. Generic and residual code then
        /// differ.
        SpecializeActive "specialize.active" fn specialize_active() -> u32, Zero, Pure;
        /// 1 in residual code that runs within its caller's, where a call was; else 0. Also 0 where
        /// lockstep events are compiled in, so that both sides do the same.
        ///
        /// A hint.
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// fn enter(depth: &mut u32, check: fn(u32)) {
        ///     if specialize_inlined() == 0 {
        ///         *depth += 1;
        ///         check(*depth);
        ///     }
        /// }
        /// # let mut depth = 0;
        /// # enter(&mut depth, |_| ());
        /// # assert_eq!(depth, 1);
        /// ```
        ///
        /// Mistake: skipping what the callee's own frame needs later.
        SpecializeInlined "specialize.inlined" fn specialize_inlined() -> u32, Zero, Pure;
        /// 1 in residual code that is what its request's slot will hold; else 0: in versions for
        /// what a function is given, and where it runs within its caller's.
        ///
        /// A hint.
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// fn begin(argument: u32, slowly: fn(u32) -> u32, again: fn(u32) -> u32) -> u32 {
        ///     match specialize_in_slot() {
        ///         // This goes on with what the slot holds.
        ///         1 => slowly(argument),
        ///         _ => again(argument),
        ///     }
        /// }
        /// # assert_eq!(begin(3, |_| unreachable!(), |argument| argument), 3);
        /// ```
        ///
        /// Mistake: going on through the slot in a version. What it was given is lost from there.
        SpecializeInSlot "specialize.in_slot" fn specialize_in_slot() -> u32, Zero, Pure;
        /// 1 in residual code where `value` is known while that is made, else 0.
        ///
        /// A hint.
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// fn copy(words: u32, unrolled: fn(u32), looping: fn(u32)) {
        ///     match specialize_known(words) {
        ///         1 => unrolled(words),
        ///         _ => looping(words),
        ///     }
        /// }
        /// # copy(3, |_| unreachable!(), |_| ());
        /// ```
        ///
        /// Mistake: using it as a test of the value. In generic code it is 0 for any.
        SpecializeKnown "specialize.known" fn specialize_known(value: u32) -> u32, Zero, Pure;
        /// Returns `value`, which is not 0. So later tests for 0 go.
        ///
        /// A contract.
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// fn pair(allocate: fn() -> i64) -> i64 {
        ///     nonzero(allocate())
        /// }
        /// # assert_eq!(pair(|| 16), 16);
        /// ```
        ///
        /// Mistake: using it for a value that is 0 after an error.
        Nonzero "value.nonzero" fn nonzero(value: i64) -> i64, First, Pure;
        /// Returns `value`, the address of a box of kind `kind` (an index into the table under
        /// [`crate::BOX_EXPORT`]): the kind's function has made it, or it is like one that it
        /// makes.
        ///
        /// A contract.
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// const FLOAT: u32 = 0;
        /// fn float_constant(constants: &[i64], n: usize) -> i64 {
        ///     box_exists(constants[n], FLOAT)
        /// }
        /// # assert_eq!(float_constant(&[16], 0), 16);
        /// ```
        ///
        /// Mistake: naming it for a word that may be a small integer; or asking where the box is,
        /// for a write barrier say, and storing it after that. These may be two boxes of one
        /// number: a function that is given the box does both with one.
        BoxExists "box.exists" fn box_exists(value: i64, kind: u32) -> i64, First, Pure;
        /// The same of a box whose payload is always the same: its bits are `payload`.
        ///
        /// A contract.
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// const FLOAT: u32 = 0;
        /// fn float_constant(constants: &[i64], payloads: &[f64], n: usize) -> i64 {
        ///     box_literal(constants[n], FLOAT, payloads[n].to_bits() as i64)
        /// }
        /// # assert_eq!(float_constant(&[16], &[1.5], 0), 16);
        /// ```
        ///
        /// Mistake: a payload that is read from the box itself, or from other memory that is not
        /// constant: compiled code is then as after `box_exists`.
        BoxLiteral "box.literal"
            fn box_literal(value: i64, kind: u32, payload: i64) -> i64, First, Pure;
        /// In residual code that knows `value` for the address of a box, 1 + its kind; else 0, also
        /// where lockstep events are compiled in.
        ///
        /// A hint.
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// const FLOAT: u32 = 0;
        /// fn add(a: i64, fast: fn(i64) -> i64, slow: fn(i64) -> i64) -> i64 {
        ///     match box_kind(a) {
        ///         kind if kind == 1 + FLOAT => fast(a),
        ///         _ => slow(a), // it may be one as well
        ///     }
        /// }
        /// # assert_eq!(add(1, |_| 0, |a| a), 1);
        /// ```
        ///
        /// Mistake: taking 0 for "no box". It is "not known".
        BoxKind "box.kind" fn box_kind(value: i64) -> u32, Zero, Pure;
        /// Returns `value`, which is odd and no address: while it is in a cell, nobody else changes
        /// that.
        ///
        /// A contract.
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// /// Integers are shifted, with the lowest bit set.
        /// fn add(a: i64, b: i64) -> i64 {
        ///     immediate(a + b - 1)
        /// }
        /// # assert_eq!(add(3, 5), 7);
        /// ```
        ///
        /// Mistake: naming it for a sum whose operands were never tested.
        Immediate "value.immediate" fn immediate(value: i64) -> i64, First, Pure;
        /// Returns `value`, the address of a block: it is even and not 0.
        ///
        /// A contract.
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// fn closure(variable: i64) -> i64 {
        ///     block_address(variable)
        /// }
        /// # assert_eq!(closure(16), 16);
        /// ```
        ///
        /// Mistake: a word that is 0 after an error.
        BlockAddress "value.address" fn block_address(value: i64) -> i64, First, Pure;
        /// Returns `value`, the address of a block that begins with the word `word`, for as long as
        /// anything holds that address, or the block's after it has moved. So a call through it is
        /// a call of known code.
        ///
        /// A contract.
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// fn make(code: u32, allocate: fn(u32) -> i64) -> i64 {
        ///     points_to(allocate(code), code)
        /// }
        /// # assert_eq!(make(1, |_| 16), 16);
        /// ```
        ///
        /// Mistake: a first word that the program can write. Another: a callee that exchanges cells
        /// which hold such addresses. It may move the blocks, and has to leave each where it is.
        PointsTo "value.points_to" fn points_to(value: i64, word: u32) -> i64, First, Pure;
        /// Returns `address`, which lies within memory region `region`, 1 to 29: what an access
        /// through it touches, no access through an address within another region touches, and none
        /// at an address that is a constant in the interpreter's code. Calls touch any. If
        /// `address` is below 65,536, no sum or difference by which it is computed wraps.
        ///
        /// A contract.
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// const FLOATS: u32 = 1;
        /// fn element(array: u32, n: u32) -> u32 {
        ///     address_within(array + 8 * n, FLOATS)
        /// }
        /// # assert_eq!(element(16, 1), 24);
        /// ```
        ///
        /// Mistake: one object that is reached as both. A load then misses a store.
        AddressWithin "address.within"
            fn address_within(address: u32, region: u32) -> u32, First, Pure;
        /// Nothing waits for a safepoint, and nothing will before code calls a function, makes a
        /// box or stores to a constant address.
        ///
        /// A contract.
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// fn poll(limit: &mut u32, collect: fn()) {
        ///     if *limit == 0 {
        ///         *limit = 1;
        ///         collect();
        ///     }
        ///     safepoint_passed();
        /// }
        /// # poll(&mut 0, || ());
        /// ```
        ///
        /// Mistake: a flag that a store through a pointer can set. Another: saying so after a call
        /// that takes a box, because nothing waited before it. The box may be made for the call.
        SafepointPassed "safepoint.passed" fn safepoint_passed(), Nothing, Calls;
        /// 1 in residual code where nothing can wait for a safepoint, as [`safepoint_passed`] says;
        /// else 0. Also 0 where lockstep events are compiled in.
        ///
        /// A hint.
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// fn jump(poll: fn()) {
        ///     if safepoint_needless() == 0 {
        ///         poll();
        ///         safepoint_passed();
        ///     }
        /// }
        /// # jump(|| ());
        /// ```
        ///
        /// Mistake: asking without a [`safepoint_passed`] before. The answer is always 0.
        SafepointNeedless "safepoint.needless" fn safepoint_needless() -> u32, Zero, Calls;
        /// Cells below `address` (of the same stack) are dead: their contents need not reach
        /// memory.
        ///
        /// A contract.
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// /// The stack grows down.
        /// fn pop(sp: &mut u32) -> u32 {
        ///     let popped = *sp;
        ///     *sp += 8;
        ///     cells_drop_below(*sp);
        ///     popped
        /// }
        /// # assert_eq!(pop(&mut 16), 16);
        /// ```
        ///
        /// Mistake: dropping what an error handler still reads. Another is to return without having
        /// dropped the activation's cells: where calls are evaluated in place, they meet those of
        /// the other returns, and boxes that only they hold are made for that.
        CellsDropBelow "cells.drop_below" fn cells_drop_below(address: u32), Nothing, Calls;
        /// Cells at `address` and above (of the same stack) are dead: the stack grows upwards.
        ///
        /// A contract.
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// /// The stack pointer is the address of the next word.
        /// fn pop(sp: &mut u32) -> u32 {
        ///     *sp -= 8;
        ///     cells_drop_above(*sp);
        ///     *sp
        /// }
        /// # assert_eq!(pop(&mut 16), 8);
        /// ```
        ///
        /// Mistake: dropping what an error handler still reads.
        CellsDropAbove "cells.drop_above" fn cells_drop_above(address: u32), Nothing, Calls;
        /// Forgets what is cached of the cells within the `len` bytes at `address`, known contents
        /// as well, and does not store it.
        ///
        /// A contract: either they were synced; or other code has written all of them, and address
        /// and length are known.
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// fn call(runtime: fn(u32), register: u32) {
        ///     cells_sync();
        ///     runtime(register); // it writes the result
        ///     cells_forget(register, 16);
        /// }
        /// # call(|_| (), 8);
        /// ```
        ///
        /// Mistake: bytes that other code writes only in part, without a sync before. Another: a
        /// length that is not known, without a sync before. All cells are stored then, over what
        /// was written.
        CellsForget "cells.forget" fn cells_forget(address: u32, len: u32), Nothing, Calls;
        /// Brings memory up to date with all cells.
        ///
        /// A contract: it comes before each call whose callee may look at a cell.
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// fn call(runtime: fn(u32) -> i64, sp: u32) -> i64 {
        ///     cells_sync();
        ///     let result = runtime(sp);
        ///     cells_invalidate();
        ///     result
        /// }
        /// # assert_eq!(call(i64::from, 8), 8);
        /// ```
        ///
        /// Mistake: a call without it whose callee, or collector, reads the stack.
        CellsSync "cells.sync" fn cells_sync(), Nothing, Calls;
        /// The same for a collector, which only follows addresses: where a cell holds a box that is
        /// not made yet, memory may get an odd word.
        ///
        /// A contract: what runs next reads no numbers out of cells.
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// fn safepoint(pending: bool, collect: fn()) {
        ///     if pending {
        ///         cells_sync_roots();
        ///         collect();
        ///         cells_invalidate();
        ///     }
        /// }
        /// # safepoint(true, || ());
        /// ```
        ///
        /// Mistake: using it before code that reads numbers.
        CellsSyncRoots "cells.sync_roots" fn cells_sync_roots(), Nothing, Calls;
        /// Forgets what cells hold, as other code may have changed them in memory.
        ///
        /// A contract: every cell was synced or dropped before.
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// fn collect(collector: fn()) {
        ///     cells_sync();
        ///     collector(); // blocks move
        ///     cells_invalidate();
        /// }
        /// # collect(|| ());
        /// ```
        ///
        /// Mistake: leaving it out behind a call that moves blocks. Another: a callee that leaves
        /// its result where an argument was. If that was a constant, code goes on with it:
        /// [`cells_forget`].
        CellsInvalidate "cells.invalidate" fn cells_invalidate(), Nothing, Calls;
        /// Returns the code that the call at `call` most often calls, where residual code is made
        /// by a profile that knows it; else 0. Where residual code counts for a profile, it tells
        /// the host of `code`, which is about to be called.
        ///
        /// A hint.
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// fn callee(pc: u32, code: u32) -> u32 {
        ///     specialize_guess(code, profile_callee(pc, code))
        /// }
        /// # assert_eq!(callee(8, 16), 16);
        /// ```
        ///
        /// Mistake: calling the guess without comparing it.
        ProfileCallee "profile.callee" fn profile_callee(call: u32, code: u32) -> u32, Zero, Calls;
        /// An event for lockstep: a `kind` of the interpreter's own, its position, its stack
        /// pointer, a value. Syncs all cells where events are compiled in, else it is nothing.
        ///
        /// A contract: generic and residual code report the same events.
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// const ENTRY: u32 = 1;
        /// fn enter(pc: u32, sp: u32, argument: i64) {
        ///     lockstep_event(ENTRY, pc, sp, argument);
        /// }
        /// # enter(16, 8, 1);
        /// ```
        ///
        /// Mistake: a value that differs between two runs, such as a time.
        LockstepEvent "lockstep.event"
            fn lockstep_event(kind: u32, position: u32, sp: u32, value: i64), Nothing, Calls;
    }
    cells {
        /// The contents of the cell at `address`; in generic code, of the word in memory.
        ///
        /// A contract: see the cells of the [crate].
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// fn top(sp: u32) -> i64 {
        ///     // SAFETY: the stack is the interpreter's.
        ///     unsafe { cells_read(sp) }
        /// }
        /// # #[cfg(target_family = "wasm")]
        /// # assert_eq!(top(&raw const WORD as u32), 5);
        /// # static WORD: i64 = 5;
        /// ```
        ///
        /// Mistake: reading the same word by a plain load. Memory may be stale.
        ///
        /// # Safety
        /// The address is that of a cell, aligned to its width, inside memory the caller owns.
        CellsRead "cells.read" fn cells_read(address: u32) -> i64, Load, Reads;
        /// Changes the cell at `address`; in generic code, the word in memory.
        ///
        /// A contract: see the cells of the [crate].
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// /// The stack grows down.
        /// fn push(sp: &mut u32, value: i64) {
        ///     *sp -= 8;
        ///     // SAFETY: the stack is the interpreter's.
        ///     unsafe { cells_write(*sp, value) }
        /// }
        /// ```
        ///
        /// Mistake: writing one half of it by a plain store.
        ///
        /// # Safety
        /// The address is that of a cell, aligned to its width, inside memory the caller owns.
        CellsWrite "cells.write" fn cells_write(address: u32, value: i64), Store, Writes;
        /// The contents of the cell of one byte at `address`: 0 to 255.
        ///
        /// A contract: see the cells of the [crate].
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// fn is_integer(tag: u32) -> bool {
        ///     // SAFETY: the registers are the interpreter's.
        ///     unsafe { cells_read8(tag) == 3 }
        /// }
        /// ```
        ///
        /// Mistake: reading a part of a cell that was written as a whole. It goes through memory.
        ///
        /// # Safety
        /// The address is that of a cell, aligned to its width, inside memory the caller owns.
        CellsRead8 "cells.read8" fn cells_read8(address: u32) -> u32, Load, Reads;
        /// Changes the cell of one byte at `address` to the low byte of `value`.
        ///
        /// A contract: see the cells of the [crate].
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// fn set_integer(tag: u32) {
        ///     // SAFETY: the registers are the interpreter's.
        ///     unsafe { cells_write8(tag, 3) }
        /// }
        /// ```
        ///
        /// Mistake: writing a part of a cell that is read as a whole. It goes through memory.
        ///
        /// # Safety
        /// The address is that of a cell, aligned to its width, inside memory the caller owns.
        CellsWrite8 "cells.write8"
            fn cells_write8(address: u32, value: u32), Store, Writes;
        /// The contents of the cell of four bytes at `address`.
        ///
        /// A contract: see the cells of the [crate].
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// /// The stack grows up.
        /// fn pop(sp: &mut u32) -> u32 {
        ///     *sp -= 4;
        ///     // SAFETY: the stack is the interpreter's.
        ///     unsafe { cells_read32(*sp) }
        /// }
        /// ```
        ///
        /// Mistake: reading a part of a cell that was written as a whole. It goes through memory.
        ///
        /// # Safety
        /// The address is that of a cell, aligned to its width, inside memory the caller owns.
        CellsRead32 "cells.read32" fn cells_read32(address: u32) -> u32, Load, Reads;
        /// Changes the cell of four bytes at `address`.
        ///
        /// A contract: see the cells of the [crate].
        ///
        /// ```
        /// # use bactrian_annotations::*;
        /// /// The stack grows up.
        /// fn push(sp: &mut u32, value: u32) {
        ///     // SAFETY: the stack is the interpreter's.
        ///     unsafe { cells_write32(*sp, value) }
        ///     *sp += 4;
        /// }
        /// ```
        ///
        /// Mistake: writing a part of a cell that is read as a whole. It goes through memory.
        ///
        /// # Safety
        /// The address is that of a cell, aligned to its width, inside memory the caller owns.
        CellsWrite32 "cells.write32"
            fn cells_write32(address: u32, value: u32), Store, Writes;
    }
    weval {
        /// `specialize.value(value, low, high)`: the value, with one version of what follows for
        /// each value in `low..=high` (unsigned), and one for all others.
        WevalSpecialize "specialize.value" (u32, u32, u32) -> u32, First, Calls;
        /// `read.specialization.global(index)`: the request's constant of this number.
        WevalGlobal "read.specialization.global" (u32) -> i64, Trap, Pure;
        /// `read.reg(index)`: what was last written to this register of the activation.
        WevalReadRegister "read.reg" (i64) -> i64, Trap, Reads;
        /// `write.reg(index, value)`.
        WevalWriteRegister "write.reg" (i64, i64), Nothing, Calls;
        /// `push.stack(address, value)`: the top of the stack is now here; memory has it after a
        /// sync.
        WevalPush "push.stack" (u32, i64), Store, Writes;
        /// `pop.stack(address)`: the value on top. If memory has not got it, it never will.
        WevalPop "pop.stack" (u32) -> i64, Load, Calls;
        /// `read.stack(address, index)`: the value that many below the top, which is here.
        WevalReadStack "read.stack" (u32, u32) -> i64, Load, Reads;
        /// `write.stack(address, index, value)`: changes it.
        WevalWriteStack "write.stack" (u32, u32, i64), Store, Writes;
        /// `read.local(address, index)`: the local of this number, which is here.
        WevalReadLocal "read.local" (u32, u32) -> i64, Load, Reads;
        /// `write.local(address, index, value)`: changes it; memory has it after a sync.
        WevalWriteLocal "write.local" (u32, u32, i64), Store, Writes;
        /// `sync.stack()`: brings memory up to date with stack and locals, and forgets them.
        WevalSync "sync.stack" (), Nothing, Calls;
        /// `assert.const32(value, line)`: specialization must know the value.
        WevalAssertConst "assert.const32" (u32, u32), Nothing, Calls;
        /// `assert.specialized(line)`: it must know a position.
        WevalAssertSpecialized "assert.specialized" (u32), Nothing, Calls;
        /// `abort.specialization(line, fatal)`: it must not come here, if `fatal` is not 0.
        WevalAbort "abort.specialization" (u32, u32), Nothing, Calls;
        /// `trace.line(line)`: whoever specializes is told the line and the position.
        WevalTrace "trace.line" (u32), Nothing, Calls;
        /// `print(message, line, value)`: is told a text, the line, and what is known of the value.
        WevalPrint "print" (u32, u32, u32), Nothing, Calls;
        /// `context.bucket(bucket)`: for statistics.
        WevalBucket "context.bucket" (u32), Nothing, Calls;
        /// `reachable.at.depth(depth)`: weval does nothing about it.
        WevalReachable "reachable.at.depth" (u32), Nothing, Calls;
    }
}
