;; The shape of an allocation: the slow path syncs, calls and invalidates, the fast path goes
;; around. The join keeps the cell; the fast path stores nothing, the slow path reloads.
;; run 0 -> 7
;; run 1 -> 8 after 7
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "env" "report" (func $report (param i64)))
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
  ;; Reports a cell less 1, and leaves it as it is.
  (func $slow (param i32)
    (call $report (i64.sub (i64.load (local.get 0)) (i64.const 1))))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (local $cell i32)
    (local.set $cell (i32.sub (local.get 1) (i32.const 16)))
    (call $position (local.get 0))
    (call $write (local.get $cell) (i64.add (local.get 2) (i64.const 7)))
    (if (i64.ne (local.get 2) (i64.const 0))
      (then
        (call $sync)
        (call $slow (local.get $cell))
        (call $invalidate)))
    (call $read (local.get $cell))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const -8192
;;     v4: i64 = i64.const 7
;;     v5: i64 = i64.const 0
;;     v6: i32 = i32.const -16
;;     v7: i32 = i32.add v1, v3
;;     v8: i64 = i64.add v2, v4
;;     v9: i32 = i64.ne v2, v5
;;     branch v9 ? bb1() : bb2()
;; bb1():
;;     i64.store offset=8176 v7, v8
;;     v10: i32 = i32.add v1, v6
;;     call fn6 v10
;;     v11: i64 = i64.load offset=8176 v7
;;     return v11
;; bb2():
;;     return v8
;; }
