;; An annotated interpreter for random programs. An instruction is 4 bytes: opcode, a small operand
;; (8 bits), a signed operand (16 bits). A function's code begins with a header: request slot,
;; function to call (an offset), four offsets of computed jumps. Registers are cells at 0x11000,
;; always of dynamic contents, as callees change them; scratch memory is at 0x900, of which the
;; words from 0x910 are region 1 and those from 0x950 region 2. Of four registers at 0x11040 two
;; have boxes of floats, the third one of an integer, the last one of either; boxes are at 0x1000
;; and, those that are made, above 0x20100. An object has the upper bits of the word at 0x9f0, which
;; depends on the argument of the call, as do the registers, scratch memory and the contents of the
;; first boxes. Blocks are taken from 0x4fe00 down; the last that was kept is at 0x978. Before a
;; function's code is its closure, a word that leads to the code.
;; `$dispatch` is a dispatcher. The accumulator is given and returned as it is or, in other modules,
;; as the box of an integer; 0 is returned there for some.
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "specialize.value" (func $value (param i32 i32 i32) (result i32)))
  (import "bactrian" "specialize.range" (func $range (param i32 i32 i32) (result i32)))
  (import "bactrian" "specialize.guess" (func $guess (param i32 i32) (result i32)))
  (import "bactrian" "specialize.guess_by_name"
    (func $guess_by_name (param i32 i32) (result i32)))
  (import "bactrian" "cells.read" (func $read (param i32) (result i64)))
  (import "bactrian" "cells.write" (func $write (param i32 i64)))
  (import "bactrian" "cells.drop_below" (func $drop_below (param i32)))
  (import "bactrian" "cells.sync" (func $sync))
  (import "bactrian" "cells.sync_roots" (func $sync_roots))
  (import "bactrian" "cells.invalidate" (func $invalidate))
  (import "bactrian" "address.within" (func $within (param i32 i32) (result i32)))
  (import "bactrian" "box.exists" (func $exists (param i64 i32) (result i64)))
  (import "bactrian" "box.literal" (func $literal (param i64 i32 i64) (result i64)))
  (import "bactrian" "box.kind" (func $kind (param i64) (result i32)))
  (import "bactrian" "specialize.known" (func $known (param i32) (result i32)))
  (import "bactrian" "value.points_to" (func $points_to (param i64 i32) (result i64)))
  (import "bactrian" "value.immediate" (func $immediate (param i64) (result i64)))
  (import "env" "report" (func $report (param i64)))
  (memory (export "memory") 5)
  (@requests 0x100
    (region 0x12dc 0x1000)
    (; requests ;))
  (@boxes 0x60 (box 2 0) (box 3 8))
  (@dispatchers 0x88 (function 4))
  (@allocator 0x98 5 0xa8 0xac 0xb0)
  (global $fuel (mut i32) (i32.const 0))
  ;; The number of the last collection: no address.
  (global $collection (mut i32) (i32.const 0x80000000))
  ;; Where the boxes begin that were made since.
  (global $young (mut i32) (i32.const 0x20100))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 6 funcref)
  (elem (i32.const 1) $interpret $box $box_integer $dispatch $allocate)
  (data (i32.const 0x90) (i32 0x20100 0))
  (data (i32.const 0x11040) (i64 0x1008 0x1028 0x10e8 0x1048))
  (data (i32.const 0xa8) (i32 0x4fe00 0x4fd00))
  (; program ;)
  (func (export "run") (param i64) (result i64)
    (i64.store (i32.const 0x9f0) (i64.or
      (i64.and (local.get 0) (i64.const 0xffffffffffff)) (i64.const 0x5a5a000000000000)))
    (call $fill (i32.const 0x900) (i32.const 0x940) (local.get 0))
    (call $fill (i32.const 0x11000) (i32.const 0x11040) (i64.add (local.get 0) (i64.const 1)))
    (i64.store (i32.const 0x908) (local.get 0))
    (call $constants (i64.add (local.get 0) (i64.const 3)))
    (global.set $fuel
      (i32.add (i32.const 16) (i32.and (i32.wrap_i64 (i64.load (i32.const 0x900))) (i32.const 31))))
    (; open ;)
    (call_indirect (type $entry)
      (i32.const 0x12dc) (i32.const 0x20000) (; give ;) (local.get 0) (; given ;)
      (i32.load (i32.const 0x12dc)))
    (; opened ;)
    (call $report_kept))

  ;; Numbers that depend on $x in the words from $from to $to: of all bits and of four in turn.
  (func $fill (param $from i32) (param $to i32) (param $x i64)
    (loop $next
      (local.set $x
        (i64.add
          (i64.mul (local.get $x) (i64.const 6364136223846793005))
          (i64.const 1442695040888963407)))
      (i64.store (local.get $from)
        (i64.shr_u (i64.xor (local.get $x) (i64.shr_u (local.get $x) (i64.const 29)))
          (select (i64.const 60) (i64.const 0) (i32.and (local.get $from) (i32.const 8)))))
      (local.set $from (i32.add (local.get $from) (i32.const 8)))
      (br_if $next (i32.lt_u (local.get $from) (local.get $to)))))

  ;; Makes the boxes that are there from the start, one in 32 bytes, with contents that depend on
  ;; $x: seven of floats, never 0, which is what a missing payload would be, then five of integers.
  ;; No two places begin with the same one. One of each kind is a literal.
  (func $constants (param $x i64)
    (local $at i32) (local $sort i32)
    (local.set $at (i32.const 0x1000))
    (loop $next
      (local.set $x
        (i64.add
          (i64.mul (local.get $x) (i64.const 6364136223846793005))
          (i64.const 1442695040888963407)))
      (local.set $sort (i32.ge_u (local.get $at) (i32.const 0x10e0)))
      (i32.store (local.get $at) (i32.or (local.get $at) (local.get $sort)))
      (if (local.get $sort)
        (then
          (i64.store offset=8 (local.get $at) (i64.const 7))
          (i64.store offset=16 (local.get $at) (local.get $x)))
        (else
          (f64.store offset=8 (local.get $at)
            (f64.add
              (f64.convert_i32_s (i32.wrap_i64 (i64.shr_s (local.get $x) (i64.const 32))))
              (f64.const 0.5)))))
      (local.set $at (i32.add (local.get $at) (i32.const 32)))
      (br_if $next (i32.lt_u (local.get $at) (i32.const 0x1180))))
    (f64.store (i32.const 0x1068) (f64.const 2.5))
    (i64.store (i32.const 0x1110) (i64.const 41)))

  ;; A box of a float: a word with its own address, then the float. Traps where there is a box
  ;; already, and where only a part of its place is left.
  (func $box (param f64) (result i64)
    (local $place i64) (local $at i32)
    (local.set $place (i64.load (i32.const 0x90)))
    (local.set $at (i32.wrap_i64 (local.get $place)))
    (if (i32.load (local.get $at)) (then (unreachable)))
    (if (i32.and (local.get $at) (i32.const 15)) (then (unreachable)))
    (i64.store (i32.const 0x90) (i64.add (local.get $place) (i64.const 16)))
    (i32.store (local.get $at) (local.get $at))
    (f64.store offset=8 (local.get $at) (local.get 0))
    (i64.add (local.get $place) (i64.const 8)))

  ;; A box of an integer: a word with its own address plus 1, a word that is 7, then the integer.
  (func $box_integer (param i64) (result i64)
    (local $place i64) (local $at i32)
    (local.set $place (i64.load (i32.const 0x90)))
    (local.set $at (i32.wrap_i64 (local.get $place)))
    (if (i32.load (local.get $at)) (then (unreachable)))
    (if (i32.and (local.get $at) (i32.const 15)) (then (unreachable)))
    (i64.store (i32.const 0x90) (i64.add (local.get $place) (i64.const 32)))
    (i32.store (local.get $at) (i32.or (local.get $at) (i32.const 1)))
    (i64.store offset=8 (local.get $at) (i64.const 7))
    (i64.store offset=16 (local.get $at) (local.get 0))
    (i64.add (local.get $place) (i64.const 8)))

  ;; Whether a box is of a float (0) or an integer (1). Traps if it is no box.
  (func $sort (param i64) (result i32)
    (local $at i32) (local $sort i32)
    (local.set $at (i32.sub (i32.wrap_i64 (local.get 0)) (i32.const 8)))
    (local.set $sort (i32.sub (i32.load (local.get $at)) (local.get $at)))
    (if (i32.gt_u (local.get $sort) (i32.const 1)) (then (unreachable)))
    (if (local.get $sort)
      (then (if (i64.ne (i64.load offset=8 (local.get $at)) (i64.const 7)) (then (unreachable)))))
    (local.get $sort))

  ;; The bits of what a box of any kind holds.
  (func $open (param i64) (result i64)
    (if (result i64) (call $sort (local.get 0))
      (then (i64.load offset=8 (i32.wrap_i64 (local.get 0))))
      (else (i64.load (i32.wrap_i64 (local.get 0))))))

  ;; The same, or a number for 0.
  (func $returned (param i64) (result i64)
    (if (result i64) (i64.eqz (local.get 0))
      (then (i64.const 77))
      (else (call $open (local.get 0)))))

  ;; Reports the bits of what a box holds.
  (func $peek (param i64)
    (call $report (call $open (local.get 0))))

  ;; Does that for a box in memory, which it moves first.
  (func $move_box (param $place i32)
    (call $move_root (local.get $place))
    (call $peek (i64.load (local.get $place))))

  ;; Moves a box in memory, as a collector would: once in each collection. An odd word is none.
  (func $move_root (param $place i32)
    (local $box i64) (local $at i32)
    (local.set $box (i64.load (local.get $place)))
    (if (i64.ne (i64.and (local.get $box) (i64.const 1)) (i64.const 0)) (then (return)))
    (local.set $at (i32.sub (i32.wrap_i64 (local.get $box)) (i32.const 8)))
    (if (i32.eq (i32.load (local.get $at)) (global.get $collection))
      (then
        (i64.store (local.get $place) (i64.load32_u offset=4 (local.get $at)))
        (return)))
    (i64.store (local.get $place)
      (if (result i64) (call $sort (local.get $box))
        (then (call $box_integer (call $open (local.get $box))))
        (else (call $box (f64.reinterpret_i64 (call $open (local.get $box)))))))
    ;; Boxes that are there from the start stay.
    (if (i32.ge_u (local.get $at) (i32.const 0x20100))
      (then
        (i32.store (local.get $at) (global.get $collection))
        (i32.store offset=4 (local.get $at) (i32.load (local.get $place))))))

  ;; Moves the boxes in all registers.
  (func $collect
    (local $end i32)
    (local.set $end (call $begin_collection))
    (call $move_root (i32.const 0x11040))
    (call $move_root (i32.const 0x11048))
    (call $move_root (i32.const 0x11050))
    (call $move_root (i32.const 0x11058))
    (call $end_collection (local.get $end)))

  ;; Begins a collection; where the boxes end that there are.
  (func $begin_collection (result i32)
    (global.set $collection (i32.add (global.get $collection) (i32.const 1)))
    (i32.load (i32.const 0x90)))

  ;; Wipes the boxes that were not moved: no box is where they were.
  (func $end_collection (param $end i32)
    (memory.fill (global.get $young) (i32.const 0x55)
      (i32.sub (local.get $end) (global.get $young)))
    (global.set $young (local.get $end)))

  ;; Reports what the boxes in the registers hold.
  (func $peek_registers
    (call $peek (i64.load (i32.const 0x11040)))
    (call $peek (i64.load (i32.const 0x11048)))
    (call $peek (i64.load (i32.const 0x11050)))
    (call $peek (i64.load (i32.const 0x11058))))

  ;; Leaves no boxes in the registers: a collection traps on one that nobody stores to before it.
  ;; Reports that, as its place matters.
  (func $forget
    (call $report (i64.const 6))
    (i64.store (i32.const 0x11040) (i64.const 0x1188))
    (i64.store (i32.const 0x11048) (i64.const 0x1188))
    (i64.store (i32.const 0x11050) (i64.const 0x1188))
    (i64.store (i32.const 0x11058) (i64.const 0x1188)))

  ;; Takes memory for a block; says how many bytes it has, and what it is. Goes on below the floor,
  ;; which it moves.
  (func $allocate (param $bytes i32) (param $header i64) (result i32)
    (local $start i32)
    (local.set $start (i32.sub (i32.load (i32.const 0xa8)) (local.get $bytes)))
    (if (i32.lt_u (local.get $start) (i32.load (i32.const 0xac)))
      (then
        (i32.store (i32.const 0xac) (i32.sub (local.get $start) (i32.const 0x100)))))
    (i32.store (i32.const 0xa8) (local.get $start))
    (i64.store (local.get $start) (local.get $header))
    (i32.add (local.get $start) (i32.const 8)))

  ;; Reports what the block holds that was kept last, if there is one.
  (func $report_kept
    (local $block i32)
    (local.set $block (i32.load (i32.const 0x978)))
    (if (local.get $block)
      (then
        (call $report (i64.load (i32.sub (local.get $block) (i32.const 8))))
        (call $report (i64.load offset=8 (local.get $block)))
        (call $report (i64.load (i32.load (local.get $block)))))))

  ;; Traps where memory was taken for blocks that there is not.
  (func $check_room
    (if (i32.lt_u (i32.load (i32.const 0xa8)) (i32.load (i32.const 0xac))) (then (unreachable))))

  ;; Takes one unit of fuel, if there is one; reports it, so that no other call may come before it.
  (func $burn (result i32)
    (call $report (i64.extend_i32_u (global.get $fuel)))
    (call $check_room)
    (if (result i32) (global.get $fuel)
      (then (global.set $fuel (i32.sub (global.get $fuel) (i32.const 1))) (i32.const 1))
      (else (i32.const 0))))

  ;; Moves what is marked as an object, as a collector would. No constant has the mark.
  (func $move (param $cell i32)
    (if (i64.eq (i64.shr_u (i64.load (local.get $cell)) (i64.const 48)) (i64.const 0x5a5a))
      (then
        (i64.store (local.get $cell) (i64.add (i64.load (local.get $cell))
          (i64.or
            (i64.and (i64.extend_i32_u (local.get $cell)) (i64.const 0xff8))
            (i64.const 9)))))))

  ;; Reports the sum of the words from $from to $to.
  (func $sum (param $from i32) (param $to i32) (result i64)
    (local $sum i64)
    (loop $next
      (if (i32.lt_u (local.get $from) (local.get $to))
        (then
          (local.set $sum
            (i64.add
              (i64.mul (local.get $sum) (i64.const 31))
              (i64.load (local.get $from))))
          (local.set $from (i32.add (local.get $from) (i32.const 8)))
          (br $next))))
    (call $report (local.get $sum))
    (local.get $sum))

  ;; Looks at all cells of the stack from $sp up, at the registers and at scratch memory; moves
  ;; objects, and changes each register.
  (func $look (param $sp i32)
    (local $cell i32) (local $sum i64) (local $end i32)
    (call $check_room)
    (call $report_kept)
    (local.set $sum (call $sum (local.get $sp) (i32.const 0x20000)))
    (local.set $sum (i64.add (local.get $sum) (call $sum (i32.const 0x11000) (i32.const 0x11040))))
    (drop (call $sum (i32.const 0x900) (i32.const 0x970)))
    (local.set $end (call $begin_collection))
    (call $move_box (i32.const 0x11040))
    (call $move_box (i32.const 0x11048))
    (call $move_box (i32.const 0x11050))
    (call $move_box (i32.const 0x11058))
    (call $end_collection (local.get $end))
    (loop $next
      (if (i32.lt_u (local.get $sp) (i32.const 0x20000))
        (then
          (call $move (local.get $sp))
          (local.set $sp (i32.add (local.get $sp) (i32.const 8)))
          (br $next))))
    (local.set $cell (i32.const 0x11000))
    (loop $next
      (i64.store (local.get $cell)
        (i64.add
          (i64.load (local.get $cell))
          (i64.extend_i32_u (i32.or (local.get $cell) (i32.const 1)))))
      (local.set $cell (i32.add (local.get $cell) (i32.const 8)))
      (br_if $next (i32.lt_u (local.get $cell) (i32.const 0x11040))))
    (i64.store (i32.const 0x11038) (i64.add (local.get $sum) (i64.load (i32.const 0x11038)))))

  (func $dispatch (param i64 i32 i32) (result i64)
    (return_call_indirect (type $entry)
      (local.get 1) (local.get 2) (local.get 0) (i32.load (local.get 1))))

  (func $interpret (type $entry)
    (local $code i32) (local $op i32) (local $small i32) (local $large i32)
    (local $at i32) (local $pc i32)
    (local $box i64) (local $block i32) (local $given i64)
    (local.set $code (local.get 0))
    (; take ;)
    (local.set $given (local.get 2))
    ;; 41 as a function's first instruction: it returns before it has any effect, if the accumulator
    ;; is odd.
    (if (i32.eq (i32.load8_u offset=16 (local.get 0)) (i32.const 41))
      (then
        (call $write (i32.sub (local.get 1) (i32.const 8)) (i64.const 41))
        (call $position (i32.add (local.get 0) (i32.const 16)))
        (if (i32.and (i32.wrap_i64 (local.get 2)) (i32.const 1))
          (then
            (local.set 2 (i64.add (call $read (i32.sub (local.get 1) (i32.const 8)))
              (i64.xor (local.get 2) (call $read (local.get 1)))))
            (return (; give ;) (local.get 2) (; given ;))))))
    (call $peek (call $read (i32.const 0x11040)))
    (call $peek (call $read (i32.const 0x11048)))
    (call $peek (call $read (i32.const 0x11050)))
    (call $peek (call $read (i32.const 0x11058)))
    (call $sync)
    (call $peek_registers)
    (call $forget)
    (call $invalidate)
    (call $write (i32.const 0x11040) (call $box (f64.convert_i32_s (i32.wrap_i64 (local.get 2)))))
    (call $write (i32.const 0x11048) (call $literal (i64.const 0x1068) (i32.const 0)
      (i64.const 0x4004000000000000)))
    (call $write (i32.const 0x11050) (call $literal (i64.const 0x1108) (i32.const 1)
      (i64.const 41)))
    (call $write (i32.const 0x11058) (call $box_integer (local.get 2)))
    (local.set $pc (i32.add (local.get 0) (i32.const 16)))
    (loop $next
      (call $position (local.get $pc))
      (local.set $op (i32.load8_u (local.get $pc)))
      (local.set $small (i32.load8_u offset=1 (local.get $pc)))
      (local.set $large (i32.load16_s offset=2 (local.get $pc)))
      (local.set $at (local.get $pc))
      (local.set $pc (i32.add (local.get $pc) (i32.const 4)))
      (if (i32.eq (local.get $op) (i32.const 0))
        (then (local.set 2 (i64.extend_i32_s (local.get $large))) (br $next)))
      (if (i32.eq (local.get $op) (i32.const 1))
        (then
          ;; An object, if the operand says so.
          (if (local.get $small)
            (then
              (local.set 2 (i64.xor
                (i64.shr_u (i64.mul (local.get 2) (i64.const 0x9e3779b97f4a7c15)) (i64.const 16))
                (i64.load (i32.const 0x9f0))))))
          (local.set 1 (i32.sub (local.get 1) (i32.const 8)))
          (call $write (local.get 1) (local.get 2))
          (br $next)))
      (if (i32.eq (local.get $op) (i32.const 2))
        (then
          (block $done
            (if (i32.eq (local.get $small) (i32.const 0))
              (then (local.set 2 (call $read (local.get 1))) (br $done)))
            (if (i32.eq (local.get $small) (i32.const 1))
              (then (local.set 2 (i64.add (local.get 2) (call $read (local.get 1)))) (br $done)))
            (if (i32.eq (local.get $small) (i32.const 2))
              (then (local.set 2 (i64.mul (local.get 2) (call $read (local.get 1)))) (br $done)))
            (local.set 2 (i64.xor (local.get 2) (call $read (local.get 1)))))
          (local.set 1 (i32.add (local.get 1) (i32.const 8)))
          (br $next)))
      (if (i32.eq (local.get $op) (i32.const 3))
        (then
          (local.set 2
            (call $read
              (i32.add (i32.const 0x11000) (i32.shl (local.get $small) (i32.const 3)))))
          (br $next)))
      (if (i32.eq (local.get $op) (i32.const 4))
        (then
          (call $write (i32.add (i32.const 0x11000) (i32.shl (local.get $small) (i32.const 3)))
            (i64.add (local.get 2) (i64.load (i32.const 0x908))))
          (br $next)))
      (if (i32.eq (local.get $op) (i32.const 5))
        (then (call $report (local.get 2)) (br $next)))
      (if (i32.eq (local.get $op) (i32.const 6))
        (then (call $sync) (call $look (local.get 1)) (call $invalidate) (br $next)))
      (if (i32.eq (local.get $op) (i32.const 7))
        (then (local.set $pc (i32.add (local.get $at) (local.get $large))) (br $next)))
      (if (i32.eq (local.get $op) (i32.const 8))
        (then
          (if (i64.eqz (i64.and (local.get 2) (i64.const 1)))
            (then (local.set $pc (i32.add (local.get $at) (local.get $large)))))
          (br $next)))
      (if (i32.eq (local.get $op) (i32.const 9))
        (then
          (if (call $burn) (then (local.set $pc (i32.add (local.get $at) (local.get $large)))))
          (br $next)))
      (if (i32.eq (local.get $op) (i32.const 10))
        (then
          (local.set $pc (i32.add (local.get $at)
            (select
              (local.get $large) (i32.const 4)
              (i64.eqz (i64.and (local.get 2) (i64.const 2))))))
          (br $next)))
      (if (i32.eq (local.get $op) (i32.const 11))
        (then
          (if (call $burn)
            (then (local.set $pc (i32.add (local.get $code)
              (i32.load16_u offset=8 (i32.add (local.get $code)
                (i32.shl (i32.and (i32.wrap_i64 (local.get 2)) (i32.const 3)) (i32.const 1))))))))
          (br $next)))
      (if (i32.eq (local.get $op) (i32.const 12))
        (then
          (local.set $at
            (call $value
              (i32.and (i32.wrap_i64 (local.get 2)) (i32.const 7))
              (i32.const 2) (i32.const 5)))
          ;; So that it differs how often this is done.
          (call $report (i64.extend_i32_u (local.get $at)))
          (local.set 2
            (i64.add
              (i64.mul (local.get 2) (i64.const 10))
              (i64.extend_i32_u (local.get $at))))
          (br $next)))
      (if (i32.eq (local.get $op) (i32.const 13))
        (then
          (local.set 2 (i64.extend_i32_s (i32.mul (local.get $large)
            (if (result i32) (i32.and (local.get $large) (i32.const 1))
              (then (call $guess
                (i32.and (i32.wrap_i64 (local.get 2)) (i32.const 7)) (local.get $small)))
              (else (call $guess_by_name
                (i32.and (i32.wrap_i64 (local.get 2)) (i32.const 7)) (local.get $small)))))))
          (br $next)))
      (if (i32.eq (local.get $op) (i32.const 14))
        (then
          (local.set 2 (i64.add (local.get 2) (i64.load8_u offset=8 (i32.add (local.get $code)
            (call $range
              (i32.and (i32.wrap_i64 (local.get 2)) (i32.const 3))
              (i32.const 0) (i32.const 4))))))
          (br $next)))
      (if (i32.eq (local.get $op) (i32.const 15))
        (then
          (local.set 2
            (call $read
              (i32.add (local.get 1) (i32.shl (local.get $small) (i32.const 3)))))
          (br $next)))
      (if (i32.eq (local.get $op) (i32.const 16))
        (then
          (local.set 1 (i32.add (local.get 1) (i32.shl (local.get $small) (i32.const 3))))
          (call $drop_below (local.get 1))
          (br $next)))
      ;; 17, 33 and 40: a call of the function that the operand says, of one that is not known, and
      ;; of that whose closure was given. The callee is given the accumulator, or a closure.
      (if (i32.eq (local.get $op) (i32.const 40))
        (then
          (if (i32.and (i64.ne (local.get $given) (i64.const 0x12d8))
              (i64.ne (local.get $given) (i64.const 0x1ad8)))
            (then (br $next)))))
      (if (i32.or (i32.eq (local.get $op) (i32.const 17))
          (i32.or (i32.eq (local.get $op) (i32.const 33)) (i32.eq (local.get $op) (i32.const 40))))
        (then
          (if (call $burn)
            (then
              (local.set $at (i32.add (local.get $code)
                (select (i32.load offset=4 (local.get $code)) (i32.const 0)
                  (if (result i32) (i32.eq (local.get $op) (i32.const 33))
                    (then (i32.and (i32.wrap_i64 (local.get 2)) (i32.const 1)))
                    (else (i32.and (local.get $small) (i32.const 1)))))))
              (if (i32.eq (local.get $op) (i32.const 40))
                (then (local.set $at (i32.load (i32.wrap_i64 (local.get $given))))))
              (if (local.get $large)
                (then
                  (local.set $block (i32.add (local.get $code)
                    (select (i32.load offset=4 (local.get $code)) (i32.const 0)
                      (i32.eq (local.get $large) (i32.const 1)))))
                  (local.set 2 (call $points_to
                    (i64.extend_i32_u (i32.sub (local.get $block) (i32.const 4)))
                    (local.get $block)))))
              (local.set $box (local.get 2))
              (call $sync)
              ;; The call is not made if the operand says so, and the accumulator.
              (if (i32.or (i32.eqz (i32.and (local.get $small) (i32.const 2)))
                  (i64.eqz (i64.and (local.get 2) (i64.const 2))))
                (then
                  (local.set 2
                    (if (result i64) (call $known (local.get $at))
                      (then (call_indirect (type $entry)
                        (local.get $at) (local.get 1) (; give ;) (local.get 2) (; given ;)
                        (i32.load (local.get $at))))
                      (else (call $dispatch
                        (; give ;) (local.get 2) (; given ;) (local.get $at) (local.get 1)))))
                  (; returned ;)))
              (call $forget)
              (call $invalidate)
              ;; The callee's boxes are gone.
              (call $write (i32.const 0x11040) (call $exists (i64.const 0x1088) (i32.const 0)))
              (call $write (i32.const 0x11048)
                (call $box (f64.convert_i32_s (i32.wrap_i64 (local.get 2)))))
              ;; A box of what the callee was given: the one that it got is gone, too.
              (call $write (i32.const 0x11050) (call $box_integer (local.get $box)))
              (call $write (i32.const 0x11058) (call $read (i32.const 0x11048)))))
          (br $next)))
      (if (i32.eq (local.get $op) (i32.const 18))
        (then
          (call $sync)
          (call $look (local.get 1))
          (call $invalidate)
          ;; A tail call of the other function, or of one that is not known.
          (if (i32.and (local.get $small) (call $burn))
            (then
              (local.set $at (i32.add (local.get $code)
                (select (i32.load offset=4 (local.get $code)) (i32.const 0)
                  (if (result i32) (i32.and (local.get $small) (i32.const 2))
                    (then (i32.and (i32.wrap_i64 (local.get 2)) (i32.const 1)))
                    (else (i32.const 1))))))
              (if (i32.eqz (call $known (local.get $at)))
                (then (return_call $dispatch
                  (; give ;) (local.get 2) (; given ;) (local.get $at) (local.get 1))))
              (return_call_indirect (type $entry)
                (local.get $at) (local.get 1) (; give ;) (local.get 2) (; given ;)
                (i32.load (local.get $at)))))
          (; return ;)
          (return (; give ;) (local.get 2) (; given ;))))
      (if (i32.eq (local.get $op) (i32.const 19))
        (then
          (local.set $at
            (i32.add (i32.const 0x910) (i32.and (i32.wrap_i64 (local.get 2)) (i32.const 0x38))))
          (if (local.get $small)
            (then (local.set $at (call $within (local.get $at) (i32.const 1)))))
          (i64.store (local.get $at)
            (i64.add (i64.mul (i64.load (local.get $at)) (i64.const 3)) (local.get 2)))
          (br $next)))
      ;; 21 and 22: where the code is
      (if (i32.eq (local.get $op) (i32.const 21))
        (then (call $report (i64.extend_i32_u (local.get $pc))) (br $next)))
      (if (i32.eq (local.get $op) (i32.const 22))
        (then
          (i64.store (i32.const 0x900)
            (i64.add (i64.mul (i64.load (i32.const 0x900)) (i64.const 3))
              (i64.extend_i32_u (local.get $pc))))
          (br $next)))
      ;; 23: constant memory at an address that is not known
      (if (i32.eq (local.get $op) (i32.const 23))
        (then
          (local.set 2 (i64.add (local.get 2) (i64.load offset=12
            (i32.add (local.get $code) (i32.and (i32.wrap_i64 (local.get 2)) (i32.const 31))))))
          (br $next)))
      ;; 24: the accumulator and scratch memory
      (if (i32.eq (local.get $op) (i32.const 24))
        (then
          (call $report (local.get 2))
          (drop (call $sum (i32.const 0x900) (i32.const 0x970)))
          (br $next)))
      ;; 25 to 28: floats
      (if (i32.eq (local.get $op) (i32.const 25))
        (then
          (call $write (i32.add (i32.const 0x11040) (i32.shl (local.get $small) (i32.const 3)))
            (call $box (f64.add (f64.convert_i32_s (i32.wrap_i64 (local.get 2)))
              (f64.load (i32.wrap_i64 (call $read
                (i32.add (i32.const 0x11040) (i32.shl (local.get $large) (i32.const 3)))))))))
          (br $next)))
      (if (i32.eq (local.get $op) (i32.const 26))
        (then
          (local.set 2 (i64.load (i32.wrap_i64 (call $read
            (i32.add (i32.const 0x11040) (i32.shl (local.get $small) (i32.const 3)))))))
          (br $next)))
      (if (i32.eq (local.get $op) (i32.const 27))
        (then
          (local.set 2 (i64.add (local.get 2) (i64.extend_i32_u (f64.lt
            (f64.load (i32.wrap_i64 (call $read (i32.const 0x11040))))
            (f64.load (i32.wrap_i64 (call $read (i32.const 0x11048))))))))
          (br $next)))
      (if (i32.eq (local.get $op) (i32.const 28))
        (then
          (call $write (i32.add (i32.const 0x11040) (i32.shl (local.get $small) (i32.const 3)))
            (call $exists
              (call $read (i32.add (i32.const 0x11040) (i32.shl (local.get $large) (i32.const 3))))
              (i32.const 0)))
          (br $next)))
      ;; 29 to 32: integers, and boxes of either kind
      (if (i32.eq (local.get $op) (i32.const 29))
        (then
          (call $write (i32.const 0x11050) (call $box_integer (i64.add (local.get 2)
            (i64.load offset=8 (i32.wrap_i64 (call $read (i32.const 0x11050)))))))
          (br $next)))
      (if (i32.eq (local.get $op) (i32.const 30))
        (then
          (local.set 2 (i64.load
            (i32.add (i32.wrap_i64 (call $read (i32.const 0x11050))) (i32.const 8))))
          (br $next)))
      (if (i32.eq (local.get $op) (i32.const 31))
        (then
          (call $write (i32.const 0x11058)
            (call $read (i32.add (i32.const 0x11040) (i32.shl (local.get $small) (i32.const 3)))))
          (br $next)))
      (if (i32.eq (local.get $op) (i32.const 32))
        (then
          (local.set $box (call $read (i32.const 0x11058)))
          (local.set $at (call $kind (local.get $box)))
          (if (i32.eq (local.get $at) (i32.const 1))
            (then
              (local.set 2 (i64.add (local.get 2) (i64.load (i32.wrap_i64 (local.get $box)))))
              (br $next)))
          (if (i32.eq (local.get $at) (i32.const 2))
            (then
              (local.set 2
                (i64.add
                  (local.get 2)
                  (i64.load offset=8 (i32.wrap_i64 (local.get $box)))))
              (br $next)))
          (local.set 2 (i64.add (local.get 2) (call $open (local.get $box))))
          (br $next)))
      ;; 34: two blocks, the second of which leads to the first; its address is kept, or it is if
      ;; the accumulator says so
      (if (i32.eq (local.get $op) (i32.const 34))
        (then
          (local.set $at (call $allocate (i32.const 16) (i64.const 0x700)))
          (i64.store (local.get $at) (local.get 2))
          (local.set 2 (i64.add (local.get 2)
            (i64.load (call $within (i32.const 0x930) (i32.const 1)))))
          (local.set $block (call $allocate (i32.const 24) (i64.const 0xb01)))
          (i32.store (local.get $block) (local.get $at))
          (i64.store offset=8 (local.get $block) (local.get 2))
          (local.set 2 (i64.add (local.get 2) (i64.load (i32.load (local.get $block)))))
          (local.set 2 (i64.add (local.get 2) (i64.load offset=8 (local.get $block))))
          (if (i32.eq (local.get $small) (i32.const 1))
            (then
              (if (i64.ne (i64.and (local.get 2) (i64.const 4)) (i64.const 0))
                (then (i64.store (i32.const 0x978) (i64.extend_i32_u (local.get $block)))))))
          (if (i32.eq (local.get $small) (i32.const 2))
            (then (i64.store (i32.const 0x978) (i64.extend_i32_u (local.get $block)))))
          (br $next)))
      ;; 38: what the last block that was kept holds
      (if (i32.eq (local.get $op) (i32.const 38))
        (then
          (local.set $block (i32.load (i32.const 0x978)))
          (if (local.get $block)
            (then
              (call $report (i64.load (i32.sub (local.get $block) (i32.const 8))))
              (call $report (i64.load offset=8 (local.get $block)))
              (call $report (i64.load (i32.load (local.get $block))))))
          (br $next)))
      ;; 35: a number that nobody changes
      (if (i32.eq (local.get $op) (i32.const 35))
        (then
          (local.set 2 (call $immediate
            (i64.or (i64.shr_u (local.get 2) (i64.const 16)) (i64.const 1))))
          (br $next)))
      ;; 36: a collection, which has no use for boxes that are not made
      (if (i32.eq (local.get $op) (i32.const 36))
        (then (call $sync_roots) (call $collect) (call $invalidate) (br $next)))
      ;; 37: a loop that loads a word again and again, and writes to another region of memory
      (if (i32.eq (local.get $op) (i32.const 37))
        (then
          (local.set $at
            (i32.add (i32.const 0x910) (i32.and (i32.wrap_i64 (local.get 2)) (i32.const 0x30))))
          (local.set $large
            (i32.and (i32.wrap_i64 (i64.shr_u (local.get 2) (i64.const 8))) (i32.const 3)))
          (loop $again
            (local.set 2 (i64.add (i64.mul (local.get 2) (i64.const 5))
              (i64.load (call $within (local.get $at) (i32.const 1)))))
            (i64.store
              (call $within
                (i32.add (i32.const 0x950) (i32.and (i32.wrap_i64 (local.get 2)) (i32.const 0x18)))
                (i32.const 2))
              (local.get 2))
            (local.set $large (i32.sub (local.get $large) (i32.const 1)))
            (br_if $again (i32.ge_s (local.get $large) (i32.const 0))))
          (br $next)))
      (if (i32.eq (local.get $op) (i32.const 41)) (then (br $next)))
      ;; 20: a cell at an address that is not known
      (call $write
        (i32.add
          (local.get 1)
          (i32.shl (i32.and (i32.wrap_i64 (local.get 2)) (local.get $small)) (i32.const 3)))
        (i64.xor
          (i64.shr_u (i64.mul (local.get 2) (i64.const 0x9e3779b97f4a7c15)) (i64.const 16))
          (i64.load (i32.const 0x9f0))))
      (br $next))
    (unreachable)))
