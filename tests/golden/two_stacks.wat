;; Two stacks that grow towards each other: operands downwards from one parameter, and an inner
;; stack upwards from another. Each has cells of its own; what one drops, the other keeps. Opcodes:
;; 0 push the argument, 1 push the next byte, 2 move the top to the other stack, 3 move it back, 4
;; add, 5 return.
;; run 5 -> 19
;; run 0 -> 9
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "cells.read" (func $read (param i32) (result i64)))
  (import "bactrian" "cells.write" (func $write (param i32 i64)))
  (import "bactrian" "cells.drop_below" (func $drop_below (param i32)))
  (import "bactrian" "cells.drop_above" (func $drop_above (param i32)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x20)
    (request 1 (slot 0x80) (code 0x1000 14) (pass 1) (pass 2) (pass 3)))
  (type $entry (func (param i32 i32 i32 i64) (result i64)))
  (table 2 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x80) (i32 1))
  ;; argument; 4 and 5, which go to the other stack; argument; 5 and 4 come back; sums; return
  (data (i32.const 0x1000) (i8 0  1 4 2  1 5 2  0  3 4  3 4  4  5))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry)
      (i32.const 0x1000) (i32.const 0x20000) (i32.const 0x18000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (local $op i32)
    (loop $next
      (call $position (local.get 0))
      (local.set $op (i32.load8_u (local.get 0)))
      (local.set 0 (i32.add (local.get 0) (i32.const 1)))
      (block $return (block $add (block $back (block $over (block $byte (block $argument
        (br_table $argument $byte $over $back $add $return (local.get $op)))
            (local.set 1 (i32.sub (local.get 1) (i32.const 8)))
            (call $write (local.get 1) (local.get 3))
            (br $next))
          (local.set 1 (i32.sub (local.get 1) (i32.const 8)))
          (call $write (local.get 1) (i64.load8_u (local.get 0)))
          (local.set 0 (i32.add (local.get 0) (i32.const 1)))
          (br $next))
        (call $write (local.get 2) (call $read (local.get 1)))
        (local.set 2 (i32.add (local.get 2) (i32.const 8)))
        (local.set 1 (i32.add (local.get 1) (i32.const 8)))
        (call $drop_below (local.get 1))
        (br $next))
        (local.set 2 (i32.sub (local.get 2) (i32.const 8)))
        (local.set 1 (i32.sub (local.get 1) (i32.const 8)))
        (call $write (local.get 1) (call $read (local.get 2)))
        (call $drop_above (local.get 2))
        (br $next))
        (local.set 1 (i32.add (local.get 1) (i32.const 8)))
        (call $write (local.get 1)
          (i64.add (call $read (local.get 1))
            (call $read (i32.sub (local.get 1) (i32.const 8)))))
        (call $drop_below (local.get 1))
        (br $next))
      (return (call $read (local.get 1))))
    (unreachable)))
;; residual
;; function(i32, i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i32, v3: i64):
;;     v4: i64 = i64.const 9
;;     v5: i64 = i64.add v3, v4
;;     v6: i64 = i64.add v3, v5
;;     return v6
;; }
