;; Each round of a loop calls. What it leaves alone is stored before the loop, and not again: one
;; cell that nobody reads before the end, one that each round reads. A third one changes, and is
;; stored in each round. On one way through the second loop there is no call, so nothing is settled
;; there.
;; run 1 -> 23
;; run 4 -> 300
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "cells.sync" (func $sync))
  (import "bactrian" "cells.invalidate" (func $invalidate))
  (import "bactrian" "cells.read" (func $read (param i32) (result i64)))
  (import "bactrian" "cells.write" (func $write (param i32 i64)))
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
    (local $read i32) (local $changing i32) (local $sum i64)
    (call $position (local.get 0))
    (local.set $read (i32.sub (local.get 1) (i32.const 8)))
    (local.set $changing (i32.sub (local.get 1) (i32.const 16)))
    (call $write (local.get 1) (i64.mul (local.get 2) (i64.const 3)))
    (call $write (local.get $read) (i64.add (local.get 2) (i64.const 1)))
    (call $write (local.get $changing) (local.get 2))
    (loop $next
      (local.set $sum (i64.add (local.get $sum) (call $read (local.get $read))))
      (call $write (local.get $changing)
        (i64.sub (call $read (local.get $changing)) (i64.const 1)))
      (call $sync) (call $other) (call $invalidate)
      (br_if $next (i64.ne (call $read (local.get $changing)) (i64.const 0))))
    (call $write (local.get $changing) (local.get 2))
    (loop $next
      (local.set $sum (i64.add (local.get $sum) (call $read (local.get $read))))
      (call $write (local.get $changing)
        (i64.sub (call $read (local.get $changing)) (i64.const 1)))
      (if (i64.eqz (i64.and (call $read (local.get $changing)) (i64.const 1)))
        (then (call $sync) (call $other) (call $invalidate)))
      (br_if $next (i64.ne (call $read (local.get $changing)) (i64.const 0))))
    (i64.add (i64.mul (local.get $sum) (i64.load (i32.const 0x90)))
      (i64.mul (call $read (local.get 1)) (i64.const 5)))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const -8192
;;     v4: i64 = i64.const -1
;;     v5: i64 = i64.const 3
;;     v6: i64 = i64.const 1
;;     v7: i64 = i64.const 0
;;     v8: i32 = i32.const 144
;;     v9: i64 = i64.const 5
;;     v10: i32 = i32.add v1, v3
;;     v11: i64 = i64.mul v2, v5
;;     v12: i64 = i64.add v2, v6
;;     i64.store offset=8192 v10, v11
;;     i64.store offset=8184 v10, v12
;;     i64.store offset=8176 v10, v2
;;     jump bb1(v7, v2)
;; bb1(v13: i64, v14: i64):
;;     v15: i64 = i64.load offset=8184 v10
;;     v16: i64 = i64.add v13, v15
;;     v17: i64 = i64.add v14, v4
;;     i64.store offset=8176 v10, v17
;;     call fn5
;;     v18: i64 = i64.load offset=8176 v10
;;     v19: i32 = i64.ne v18, v7
;;     branch v19 ? bb1(v16, v18) : bb2()
;; bb2():
;;     v20: i64 = i64.load offset=8184 v10
;;     jump bb3(v16, v20, v2)
;; bb3(v21: i64, v22: i64, v23: i64):
;;     jump bb4(v21, v23)
;; bb4(v24: i64, v25: i64):
;;     v26: i64 = i64.add v24, v22
;;     v27: i64 = i64.add v25, v4
;;     v28: i64 = i64.and v27, v6
;;     v29: i32 = i64.eqz v28
;;     branch v29 ? bb5() : bb6()
;; bb5():
;;     i64.store offset=8176 v10, v27
;;     call fn5
;;     v30: i64 = i64.load offset=8184 v10
;;     v31: i64 = i64.load offset=8176 v10
;;     v32: i32 = i64.ne v31, v7
;;     branch v32 ? bb3(v26, v30, v31) : bb7()
;; bb6():
;;     v33: i32 = i64.ne v27, v7
;;     branch v33 ? bb4(v26, v27) : bb7()
;; bb7():
;;     v34: i64 = i64.load v8
;;     v35: i64 = i64.mul v26, v34
;;     v36: i64 = i64.load offset=8192 v10
;;     v37: i64 = i64.mul v36, v9
;;     v38: i64 = i64.add v35, v37
;;     return v38
;; }
