;; A call of a function that calls itself is tried after the cells were stored for it: where it is
;; not made, the next call finds them in memory. Where it is made, it may change them: they are
;; loaded after it, before they are joined with what they are where no call is tried.
;; run 0 -> 24
;; run 1 -> 41
;; run 5 -> 137
;; run 9 -> 26
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "cells.sync" (func $sync))
  (import "bactrian" "cells.invalidate" (func $invalidate))
  (import "bactrian" "cells.read" (func $read (param i32) (result i64)))
  (import "bactrian" "cells.write" (func $write (param i32 i64)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x300)
    (request 2 (slot 0x1200) (code 0x1000 0x200) (pass 1) (pass 2) recursive returns-early)
    (request 2 (slot 0x1284) (code 0x1280 4) (pass 1) (pass 2)))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 3 funcref)
  (elem (i32.const 2) $interpret)
  (data (i32.const 0x1000) (i32 0))
  (data (i32.const 0x1200) (i32 2))
  (data (i32.const 0x1280) (i32 1 2))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry)
      (i32.const 0x1280) (i32.const 0x20000) (local.get 0) (i32.load (i32.const 0x1284))))
  (func $interpret (type $entry)
    (local $callee i32)
    (local $results i64)
    (call $position (local.get 0))
    (if (i32.load (local.get 0))
      (then
        (local.set $callee (i32.sub (local.get 0) (i32.const 0x280)))
        (call $write (local.get 1) (i64.add (local.get 2) (i64.const 10)))
        (call $sync)
        (if (i64.eqz (i64.and (local.get 2) (i64.const 8)))
          (then
            (local.set $results (call_indirect (type $entry)
              (local.get $callee) (i32.sub (local.get 1) (i32.const 16)) (local.get 2)
              (i32.load offset=0x200 (local.get $callee))))))
        (call $invalidate)
        (call $sync)
        (local.set $results (i64.add (local.get $results) (call_indirect (type $entry)
          (local.get $callee) (i32.sub (local.get 1) (i32.const 16))
          (i64.and (local.get 2) (i64.const 4))
          (i32.load offset=0x200 (local.get $callee)))))
        (call $invalidate)
        (return (i64.add (local.get $results) (call $read (local.get 1))))))
    (if (i64.eqz (local.get 2)) (then (return (i64.const 7))))
    ;; Triples the cell of its caller.
    (local.set 1 (i32.add (local.get 1) (i32.const 16)))
    (i64.store (local.get 1) (i64.mul (i64.load (local.get 1)) (i64.const 3)))
    (i64.const 1)))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const 7
;;     v4: i32 = i32.const 16
;;     v5: i64 = i64.const 3
;;     v6: i64 = i64.const 1
;;     v7: i32 = i64.eqz v2
;;     branch v7 ? bb1() : bb2()
;; bb1():
;;     return v3
;; bb2():
;;     v8: i32 = i32.add v1, v4
;;     v9: i64 = i64.load v8
;;     v10: i64 = i64.mul v9, v5
;;     i64.store v8, v10
;;     return v6
;; }
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const -8192
;;     v4: i64 = i64.const 10
;;     v5: i64 = i64.const 8
;;     v6: i64 = i64.const 0
;;     v7: i64 = i64.const 4
;;     v8: i32 = address base0-640
;;     v9: i32 = i32.const -16
;;     v10: i64 = i64.const 7
;;     v11: i32 = i32.add v1, v3
;;     v12: i64 = i64.add v2, v4
;;     v13: i64 = i64.and v2, v5
;;     v14: i32 = i64.eqz v13
;;     branch v14 ? bb1() : bb5(v6, v12)
;; bb1():
;;     i64.store offset=8192 v11, v12
;;     v15: i32 = i64.eqz v2
;;     branch v15 ? bb2() : bb4()
;; bb2():
;;     v16: i64 = i64.and v2, v7
;;     v17: i32 = i64.eqz v16
;;     branch v17 ? bb6(v10) : bb3()
;; bb3():
;;     v18: i32 = i32.add v1, v9
;;     v19: i64 = call_slot sig0 base0-128 v8, v18, v16
;;     jump bb8(v10, v19)
;; bb4():
;;     v20: i32 = i32.add v1, v9
;;     v21: i64 = call_slot sig0 base0-128 v8, v20, v2
;;     v22: i64 = i64.load offset=8192 v11
;;     jump bb5(v21, v22)
;; bb5(v23: i64, v24: i64):
;;     i64.store offset=8192 v11, v24
;;     v25: i64 = i64.and v2, v7
;;     v26: i32 = i64.eqz v25
;;     branch v26 ? bb6(v23) : bb7()
;; bb6(v27: i64):
;;     v28: i64 = i64.add v27, v10
;;     v29: i64 = i64.load offset=8192 v11
;;     v30: i64 = i64.add v28, v29
;;     return v30
;; bb7():
;;     v31: i32 = i32.add v1, v9
;;     v32: i64 = call_slot sig0 base0-128 v8, v31, v25
;;     jump bb8(v23, v32)
;; bb8(v33: i64, v34: i64):
;;     v35: i64 = i64.add v33, v34
;;     v36: i64 = i64.load offset=8192 v11
;;     v37: i64 = i64.add v35, v36
;;     return v37
;; }
