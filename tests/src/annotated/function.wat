;; The frame of a random annotated function: constant memory at 0x12dc, cells of a stack below
;; 0x20000, of registers at 0x11000 and of boxes at 0x11040 (two of floats, one of an integer, one
;; of either), narrow cells that overlap from 0x20008 to 0x20028, scratch memory at 0x900, boxes in
;; scratch memory in the same order at 0x960, boxes
;; at 0x1000 and, those that are made, above 0x20100. An object has the upper bits of the word at
;; 0x9f0, which depends on the argument of the call, as do all registers, scratch memory, the cells
;; of the stack and the contents of the first boxes.
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "context.push" (func $push (param i32)))
  (import "bactrian" "context.pop" (func $pop))
  (import "bactrian" "specialize.value" (func $value (param i32 i32 i32) (result i32)))
  (import "bactrian" "specialize.range" (func $range (param i32 i32 i32) (result i32)))
  (import "bactrian" "specialize.guess" (func $guess (param i32 i32) (result i32)))
  (import "bactrian" "cells.read" (func $read (param i32) (result i64)))
  (import "bactrian" "cells.write" (func $write (param i32 i64)))
  (import "bactrian" "cells.read8" (func $read8 (param i32) (result i32)))
  (import "bactrian" "cells.write8" (func $write8 (param i32 i32)))
  (import "bactrian" "cells.read32" (func $read32 (param i32) (result i32)))
  (import "bactrian" "cells.write32" (func $write32 (param i32 i32)))
  (import "bactrian" "cells.forget" (func $forget (param i32 i32)))
  (import "bactrian" "cells.sync" (func $sync))
  (import "bactrian" "cells.invalidate" (func $invalidate))
  (import "bactrian" "box.exists" (func $exists (param i64 i32) (result i64)))
  (import "bactrian" "box.literal" (func $literal (param i64 i32 i64) (result i64)))
  (import "bactrian" "box.kind" (func $kind (param i64) (result i32)))
  (import "env" "report" (func $report (param i64)))
  (memory (export "memory") 5)
  (@requests 0x100
    (region 0x12dc 0x20)
    (request 1 (slot 0x80) (code 0x12dc 0x20) (; frame ;) (pass 2)))
  (@boxes 0x60 (box 2 0) (box 3 8))
  (global $fuel (mut i32) (i32.const 0))
  (global $seen (mut i64) (i64.const 1))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret $box $box_integer)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x90) (i32 0x20100 0))
  (data (i32.const 0x960) (i64 0x10a8 0x10c8 0x1148 0x1168))
  (data (i32.const 0x11040) (i64 0x1048 0x1068 0x1128 0x1088))
  ;; Of two bytes that lie 8 apart, one is 0: a test of the wrong one goes the other way.
  (data (i32.const 0x12dc) (i8
    0 17 2 0 36 0 62 7  9 0 0 43 0 5 0 0  0 -2 25 0 4 0 49 3  13 0 0 50 0 6 0 0  0 33 7 0 51 0 1 5))
  (func (export "run") (param i64) (result i64)
    (i64.store (i32.const 0x9f0) (i64.or
      (i64.and (local.get 0) (i64.const 0xffffffffffff)) (i64.const 0x5a5a000000000000)))
    (call $fill (i32.const 0x900) (i32.const 0x940) (local.get 0))
    (call $fill (i32.const 0x11000) (i32.const 0x11040) (i64.add (local.get 0) (i64.const 1)))
    (call $fill (i32.const 0x1ffc0) (i32.const 0x20028) (i64.add (local.get 0) (i64.const 2)))
    (i64.store (i32.const 0x910) (local.get 0))
    (call $constants (i64.add (local.get 0) (i64.const 3)))
    (global.set $fuel
      (i32.add (i32.const 8) (i32.and (i32.wrap_i64 (i64.load (i32.const 0x900))) (i32.const 31))))
    (call_indirect (type $entry)
      (i32.const 0x12dc) (i32.const 0x20000) (local.get 0) (i32.load (i32.const 0x80))))

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
    (f64.store (i32.const 0x1028) (f64.const 2.5))
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

  ;; Reports them.
  (func $peek (param i64)
    (call $report (call $open (local.get 0))))

  ;; Does that for a box in memory, and moves it, as a collector would.
  (func $move_box (param $place i32)
    (local $box i64)
    (local.set $box (i64.load (local.get $place)))
    (call $peek (local.get $box))
    (i64.store (local.get $place)
      (if (result i64) (call $sort (local.get $box))
        (then (call $box_integer (call $open (local.get $box))))
        (else (call $box (f64.reinterpret_i64 (call $open (local.get $box))))))))

  (func $burn (result i32)
    (call $report (i64.extend_i32_u (global.get $fuel)))
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

  ;; Reports the sum of the words from $from to $to, and moves the objects there.
  (func $scan (param $from i32) (param $to i32)
    (local $sum i64)
    (loop $next
      (local.set $sum
        (i64.add
          (i64.mul (local.get $sum) (i64.const 31))
          (i64.load (local.get $from))))
      (call $move (local.get $from))
      (local.set $from (i32.add (local.get $from) (i32.const 8)))
      (br_if $next (i32.lt_u (local.get $from) (local.get $to))))
    (call $report (local.get $sum)))

  ;; Reports the words from $from to $to.
  (func $report_words (param $from i32) (param $to i32)
    (loop $next
      (call $report (i64.load (local.get $from)))
      (local.set $from (i32.add (local.get $from) (i32.const 8)))
      (br_if $next (i32.lt_u (local.get $from) (local.get $to)))))

  ;; Reports the narrow cells and changes each byte of those from $at on, $len of them.
  (func $poke (param $sp i32) (param $at i32) (param $len i32)
    (call $report_words (i32.add (local.get $sp) (i32.const 8))
      (i32.add (local.get $sp) (i32.const 40)))
    (loop $next
      (i32.store8 (local.get $at) (i32.add (i32.load8_u (local.get $at)) (i32.const 37)))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (local.set $len (i32.sub (local.get $len) (i32.const 1)))
      (br_if $next (local.get $len))))

  ;; Reports all cells, scratch memory and the global, moves objects in cells, and changes the
  ;; register at 0x11038 and the lowest cell of the stack, which no constant is ever written to.
  (func $look (param $sp i32)
    (call $report_words (i32.add (local.get $sp) (i32.const 8))
      (i32.add (local.get $sp) (i32.const 40)))
    (call $scan (i32.sub (local.get $sp) (i32.const 64)) (i32.add (local.get $sp) (i32.const 8)))
    (call $scan (i32.const 0x11000) (i32.const 0x11040))
    (call $scan (i32.const 0x900) (i32.const 0x950))
    (call $report (global.get $seen))
    (call $move_box (i32.const 0x11040))
    (call $move_box (i32.const 0x11048))
    (call $move_box (i32.const 0x11050))
    (call $move_box (i32.const 0x11058))
    (call $move_box (i32.const 0x960))
    (call $move_box (i32.const 0x968))
    (call $move_box (i32.const 0x970))
    (call $move_box (i32.const 0x978))
    (i64.store (i32.sub (local.get $sp) (i32.const 64))
      (i64.add (i64.load (i32.sub (local.get $sp) (i32.const 64))) (i64.const 5)))
    (i64.store (i32.const 0x11038) (i64.add (i64.load (i32.const 0x11038)) (i64.const 3))))

  (func $locals (param i64 i64 i32 i32)
    (call $report (local.get 0))
    (call $report (local.get 1))
    (call $report (i64.extend_i32_u (local.get 2)))
    (call $report (i64.extend_i32_u (local.get 3))))

  ;; Of the types of functions that are called: what a call may be taken for.
  (func $report_twice (param i64)
    (call $report (local.get 0))
    (call $report (local.get 0)))
  (func $touch_twice
    (call $touch)
    (call $touch))

  ;; Changes scratch memory.
  (func $touch
    (i64.store (i32.const 0x908) (i64.add (i64.load (i32.const 0x908)) (i64.const 1))))

  (func $boxes (param i64 i64 i64 i64 i64)
    (call $peek (local.get 0))
    (call $peek (local.get 1))
    (call $peek (local.get 2))
    (call $peek (local.get 3))
    (call $peek (local.get 4)))

  (func $interpret (type $entry)
    (local $a i64) (local $b i64) (local $i i32) (local $j i32) (local $q i32) (local $p i32)
    ;; Addresses of boxes, which nobody may see: of floats, of integers, of either.
    (local $f i64) (local $g i64) (local $m i64) (local $n i64) (local $x i64)
    (local.set $f (i64.const 0x1008))
    (local.set $g (call $literal (i64.const 0x1028) (i32.const 0) (i64.const 0x4004000000000000)))
    (local.set $m (i64.const 0x10e8))
    (local.set $n (call $literal (i64.const 0x1108) (i32.const 1) (i64.const 41)))
    (local.set $x (local.get $g))
    (local.set $a (local.get 2))
    (local.set $q (local.get 1))
    (local.set $p (i32.add (local.get 1) (i32.const 8)))
    (call $write (i32.const 0x11038) (i64.load (i32.const 0x900)))
    (call $write (i32.sub (local.get 1) (i32.const 64)) (local.get 2))
    (; body ;)
    (call $report (call $read (i32.const 0x11038)))
    (call $report (call $read (i32.sub (local.get 1) (i32.const 64))))
    (call $report (global.get $seen))
    (call $boxes (local.get $f) (local.get $g) (local.get $m) (local.get $n) (local.get $x))
    (call $sync)
    (call $look (local.get 1))
    (call $invalidate)
    (i64.add (local.get $a)
      (i64.add (local.get $b)
        (i64.extend_i32_u (i32.xor (local.get $i) (local.get $j)))))))
