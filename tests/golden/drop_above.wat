;; A stack that grows upwards: of three cells that were written, those from the stack pointer on are
;; dead, and only the one below is stored. What is forgotten is read again, even if it was known.
;; run 5 -> 9 after 5 4 5
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "cells.drop_above" (func $drop_above (param i32)))
  (import "bactrian" "cells.forget" (func $forget (param i32 i32)))
  (import "bactrian" "cells.sync" (func $sync))
  (import "env" "report" (func $report (param i64)))
  (import "bactrian" "cells.read" (func $read (param i32) (result i64)))
  (import "bactrian" "cells.write" (func $write (param i32 i64)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x40)
    (request 1 (slot 0x80) (code 0x1000 0x40) (frame 1) (pass 2)))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x1000) (i8 0))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  ;; Reports a cell, which is 4 from then on.
  (func $change (param i32)
    (call $report (i64.load (local.get 0)))
    (i64.store (local.get 0) (i64.const 4)))
  (func $interpret (type $entry)
    (call $position (local.get 0))
    (call $write (local.get 1) (local.get 2))
    (call $write (i32.add (local.get 1) (i32.const 8)) (i64.const 1))
    (call $write (i32.add (local.get 1) (i32.const 16)) (i64.const 2))
    (call $drop_above (i32.add (local.get 1) (i32.const 8)))
    (call $sync)
    (call $change (local.get 1))
    (call $forget (local.get 1) (i32.const 8))
    (call $report (call $read (local.get 1)))
    (call $write (i32.add (local.get 1) (i32.const 8)) (i64.const 5))
    (call $sync)
    (call $change (i32.add (local.get 1) (i32.const 8)))
    ;; Of the frame nothing else was forgotten: the first cell is not loaded again.
    (i64.add (call $read (local.get 1)) (i64.const 5))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const -8192
;;     v4: i64 = i64.const 5
;;     v5: i32 = i32.const 8
;;     v6: i32 = i32.add v1, v3
;;     i64.store offset=8192 v6, v2
;;     call fn8 v1
;;     v7: i64 = i64.load offset=8192 v6
;;     call fn4 v7
;;     i64.store offset=8200 v6, v4
;;     v8: i32 = i32.add v1, v5
;;     call fn8 v8
;;     v9: i64 = i64.add v7, v4
;;     return v9
;; }
