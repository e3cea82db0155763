;; A call is tried: the callee's ways to a return that have no effects are taken in place, and the
;; call is made where they end: before a store, or where the code goes back. The first function adds
;; up the numbers below its argument, and counts in memory how often it is called; the other one
;; calls it with its argument and twice that.
;; run 0 -> 0
;; run 1 -> 1
;; run 3 -> 18
;; run 5 -> 55
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "cells.read" (func $read (param i32) (result i64)))
  (import "bactrian" "cells.write" (func $write (param i32 i64)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x20)
    (request 2 (slot 0x1004) (code 0x1000 16) (pass 1) (pass 2) recursive returns-early)
    (request 2 (slot 0x1014) (code 0x1010 16) (pass 1) (pass 2)))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 3 funcref)
  (elem (i32.const 2) $interpret)
  (data (i32.const 0x1000) (i32 1 2 0 0))
  (data (i32.const 0x1010) (i32 1 2 1 -16))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry)
      (i32.const 0x1010) (i32.const 0x20000) (local.get 0) (i32.load (i32.const 0x1014))))
  (func $sum (param $code i32) (param $sp i32) (param $n i64) (result i64)
    (call_indirect (type $entry)
      (local.get $code) (local.get $sp) (local.get $n) (i32.load offset=4 (local.get $code))))
  (func $interpret (type $entry)
    (local $callee i32)
    (call $position (local.get 0))
    (if (i32.load offset=8 (local.get 0))
      (then
        (local.set $callee (i32.add (local.get 0) (i32.load offset=12 (local.get 0))))
        (call $write (i32.sub (local.get 1) (i32.const 8))
          (call_indirect (type $entry)
            (local.get $callee) (i32.sub (local.get 1) (i32.const 8)) (local.get 2)
            (i32.load offset=4 (local.get $callee))))
        (return (i64.add
          (call_indirect (type $entry)
            (local.get $callee) (i32.sub (local.get 1) (i32.const 8))
            (i64.mul (i64.const 2) (local.get 2))
            (i32.load offset=4 (local.get $callee)))
          (call $read (i32.sub (local.get 1) (i32.const 8)))))))
    (if (i64.lt_u (local.get 2) (i64.const 2)) (then (return (i64.const 0))))
    (i32.store (i32.const 0x2000) (i32.add (i32.load (i32.const 0x2000)) (i32.const 1)))
    (return (i64.add (i64.sub (local.get 2) (i64.const 1))
      (call_indirect (type $entry)
        (local.get 0) (local.get 1) (i64.sub (local.get 2) (i64.const 1))
        (i32.load offset=4 (local.get 0)))))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const -1
;;     v4: i64 = i64.const -2
;;     v5: i32 = i32.const 8192
;;     v6: i64 = i64.const 2
;;     v7: i64 = i64.const 0
;;     v8: i32 = i32.const 1
;;     v9: i32 = address base0+0
;;     v10: i32 = i64.lt_u v2, v6
;;     branch v10 ? bb1() : bb2()
;; bb1():
;;     return v7
;; bb2():
;;     v11: i32 = i32.load v5
;;     v12: i32 = i32.add v11, v8
;;     i32.store v5, v12
;;     v13: i64 = i64.add v2, v3
;;     v14: i32 = i64.lt_u v13, v6
;;     branch v14 ? bb3() : bb4()
;; bb3():
;;     return v13
;; bb4():
;;     v15: i32 = i32.add v12, v8
;;     i32.store v5, v15
;;     v16: i64 = i64.add v2, v4
;;     v17: i32 = i64.lt_u v16, v6
;;     branch v17 ? bb6(v16) : bb5()
;; bb5():
;;     v18: i64 = call_slot sig0 base0+4 v9, v1, v16
;;     v19: i64 = i64.add v16, v18
;;     jump bb6(v19)
;; bb6(v20: i64):
;;     v21: i64 = i64.add v13, v20
;;     return v21
;; }
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const 2
;;     v4: i32 = address base0-16
;;     v5: i32 = i32.const -8
;;     v6: i64 = i64.const 0
;;     v7: i32 = i64.lt_u v2, v3
;;     branch v7 ? bb1() : bb4()
;; bb1():
;;     v8: i64 = i64.mul v2, v3
;;     v9: i32 = i64.lt_u v8, v3
;;     branch v9 ? bb2() : bb3()
;; bb2():
;;     return v6
;; bb3():
;;     v10: i32 = i32.add v1, v5
;;     tail_call_slot sig0 base0-12 v4, v10, v8
;; bb4():
;;     v11: i32 = i32.add v1, v5
;;     v12: i64 = call_slot sig0 base0-12 v4, v11, v2
;;     v13: i64 = i64.mul v2, v3
;;     v14: i32 = i64.lt_u v13, v3
;;     branch v14 ? bb5() : bb6()
;; bb5():
;;     return v12
;; bb6():
;;     v15: i32 = i32.add v1, v5
;;     v16: i64 = call_slot sig0 base0-12 v4, v15, v13
;;     v17: i64 = i64.add v16, v12
;;     return v17
;; }
