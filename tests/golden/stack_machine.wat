;; A stack machine whose program sums n + … + 1: branches and a loop become branches and a loop,
;; operands become values. Opcodes: 0 push local, 1 set local, 2 add, 3 push the next byte, 4 branch
;; back by the next byte if the local is not 0, 5 return.
;; run 4 -> 10
;; run 1 -> 1
;; run 10000 -> 50005000
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "cells.read" (func $read (param i32) (result i64)))
  (import "bactrian" "cells.write" (func $write (param i32 i64)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x20)
    (request 1 (slot 0x80) (code 0x1000 12) (pass 1) (pass 2)))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 2 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x80) (i32 1))
  ;; 0; loop: local, add, local - 1 to local, branch to loop, return
  (data (i32.const 0x1000) (i8 3 0  0 2  0 3 -1 2 1  4 -8  5))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry)
      (i32.const 0x1000) (i32.const 0x20000) (local.get 0) (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (local $op i32)
    (loop $next
      (call $position (local.get 0))
      (local.set $op (i32.load8_u (local.get 0)))
      (local.set 0 (i32.add (local.get 0) (i32.const 1)))
      (block $return (block $branch (block $constant (block $add (block $set (block $get
        (br_table $get $set $add $constant $branch $return (local.get $op)))
          (local.set 1 (i32.sub (local.get 1) (i32.const 8)))
          (call $write (local.get 1) (local.get 2))
          (br $next))
        (local.set 2 (call $read (local.get 1)))
        (local.set 1 (i32.add (local.get 1) (i32.const 8)))
        (br $next))
        (call $write (i32.add (local.get 1) (i32.const 8))
          (i64.add (call $read (local.get 1)) (call $read (i32.add (local.get 1) (i32.const 8)))))
        (local.set 1 (i32.add (local.get 1) (i32.const 8)))
        (br $next))
        (local.set 1 (i32.sub (local.get 1) (i32.const 8)))
        (call $write (local.get 1) (i64.load8_s (local.get 0)))
        (local.set 0 (i32.add (local.get 0) (i32.const 1)))
        (br $next))
        (if (i64.ne (local.get 2) (i64.const 0))
          (then (local.set 0 (i32.add (local.get 0) (i32.load8_s (local.get 0)))))
          (else (local.set 0 (i32.add (local.get 0) (i32.const 1)))))
        (br $next))
      (return (call $read (local.get 1))))
    (unreachable)))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const 1
;;     v4: i64 = i64.const 0
;;     v5: i64 = i64.const -1
;;     jump bb1(v2, v4)
;; bb1(v6: i64, v7: i64):
;;     v8: i64 = i64.add v6, v7
;;     v9: i64 = i64.add v6, v5
;;     v10: i32 = i64.ne v6, v3
;;     branch v10 ? bb1(v9, v8) : bb2()
;; bb2():
;;     return v8
;; }
