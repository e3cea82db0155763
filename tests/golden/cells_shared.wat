;; Cells are synced for a call, and a load comes before it: what the call changes is forgotten at
;; the call all the same. It joins a way on which the cell is written once more.
;; run 0 -> 5
;; run 1 -> 77
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
  (func (export "run") (param i64) (result i64)
    (i64.store (i32.const 0x2000) (local.get 0))
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (i64.const 3)
      (i32.load (i32.const 0x80))))
  (func $change (param i32) (i64.store (local.get 0) (i64.const 77)))
  (func $interpret (type $entry)
    (call $position (local.get 0))
    (call $write (local.get 1) (local.get 2))
    (call $sync)
    (if (i64.eqz (i64.load (i32.const 0x2000)))
      (then (call $write (local.get 1) (i64.const 5)) (call $sync))
      (else (call $change (local.get 1))))
    (call $invalidate)
    (call $read (local.get 1))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const -8192
;;     v4: i32 = i32.const 8192
;;     v5: i64 = i64.const 5
;;     v6: i32 = i32.add v1, v3
;;     i64.store offset=8192 v6, v2
;;     v7: i64 = i64.load v4
;;     v8: i32 = i64.eqz v7
;;     branch v8 ? bb2(v5) : bb1()
;; bb1():
;;     call fn6 v1
;;     v9: i64 = i64.load offset=8192 v6
;;     jump bb2(v9)
;; bb2(v10: i64):
;;     i64.store offset=8192 v6, v10
;;     return v10
;; }
