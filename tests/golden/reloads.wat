;; Two integers in cells. What a call in a slow path leaves of the first is loaded there, so that it
;; takes no register over that call. The second never changes in the loop, and stays a value.
;; run 2 -> 40
;; run 5 -> 218
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "cells.sync" (func $sync))
  (import "bactrian" "cells.invalidate" (func $invalidate))
  (import "bactrian" "cells.read" (func $read (param i32) (result i64)))
  (import "bactrian" "cells.write" (func $write (param i32 i64)))
  (import "bactrian" "value.immediate" (func $immediate (param i64) (result i64)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x40)
    (request 1 (slot 0x80) (code 0x1000 0x40) (pass 1) (pass 2)))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x1000) (i8 0))
  ;; Counts its calls in a word that is no cell.
  (func $other
    (i64.store (i32.const 0x90) (i64.add (i64.load (i32.const 0x90)) (i64.const 1))))
  (func (export "run") (param i64) (result i64)
    (i64.store (i32.const 0x90) (i64.const 0))
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (local $low i32) (local $round i64) (local $sum i64)
    (call $position (local.get 0))
    (local.set $low (i32.sub (local.get 1) (i32.const 8)))
    (call $write (local.get 1) (call $immediate (i64.or (local.get 2) (i64.const 1))))
    (if (i64.eqz (i64.and (local.get 2) (i64.const 2)))
      (then (call $sync) (call $other) (call $invalidate)))
    (local.set $sum (call $read (local.get 1)))
    (call $write (local.get $low)
      (call $immediate (i64.or (i64.mul (local.get 2) (i64.const 4)) (i64.const 1))))
    (loop $next
      (if (i64.eqz (i64.and (local.get $round) (i64.const 3)))
        (then (call $sync) (call $other) (call $invalidate)))
      (local.set $sum (i64.add (local.get $sum) (call $read (local.get $low))))
      (local.set $round (i64.add (local.get $round) (i64.const 1)))
      (br_if $next (i64.lt_u (local.get $round) (local.get 2))))
    (i64.add (i64.add (local.get $sum) (i64.load (i32.const 0x90)))
      (i64.mul (local.get 2) (call $read (local.get $low))))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const -8192
;;     v4: i64 = i64.const 1
;;     v5: i64 = i64.const 2
;;     v6: i64 = i64.const 4
;;     v7: i64 = i64.const 0
;;     v8: i64 = i64.const 3
;;     v9: i32 = i32.const 144
;;     v10: i32 = i32.add v1, v3
;;     v11: i64 = i64.or v2, v4
;;     v12: i64 = i64.and v2, v5
;;     v13: i32 = i64.eqz v12
;;     branch v13 ? bb1() : bb2(v11)
;; bb1():
;;     i64.store offset=8192 v10, v11
;;     call fn6
;;     v14: i64 = i64.load offset=8192 v10
;;     jump bb2(v14)
;; bb2(v15: i64):
;;     v16: i64 = i64.mul v2, v6
;;     v17: i64 = i64.or v16, v4
;;     i64.store offset=8192 v10, v15
;;     i64.store offset=8184 v10, v17
;;     jump bb3(v7, v15)
;; bb3(v18: i64, v19: i64):
;;     jump bb4(v18, v19)
;; bb4(v20: i64, v21: i64):
;;     v22: i64 = i64.and v20, v8
;;     v23: i32 = i64.eqz v22
;;     branch v23 ? bb5() : bb6()
;; bb5():
;;     call fn6
;;     v24: i64 = i64.add v21, v17
;;     v25: i64 = i64.add v20, v4
;;     v26: i32 = i64.lt_u v25, v2
;;     branch v26 ? bb3(v25, v24) : bb7(v24)
;; bb6():
;;     v27: i64 = i64.add v21, v17
;;     v28: i64 = i64.add v20, v4
;;     v29: i32 = i64.lt_u v28, v2
;;     branch v29 ? bb4(v28, v27) : bb7(v27)
;; bb7(v30: i64):
;;     v31: i64 = i64.load v9
;;     v32: i64 = i64.add v30, v31
;;     v33: i64 = i64.mul v2, v17
;;     v34: i64 = i64.add v32, v33
;;     return v34
;; }
