;; Cells below the stack pointer are dead: of three that were written, only the one above is stored.
;; run 5 -> 5 after 5
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "cells.drop_below" (func $drop_below (param i32)))
  (import "bactrian" "cells.sync" (func $sync))
  (import "env" "report" (func $report (param i64)))
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
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (call $position (local.get 0))
    (call $write (local.get 1) (local.get 2))
    (call $write (i32.sub (local.get 1) (i32.const 8)) (i64.const 1))
    (call $write (i32.sub (local.get 1) (i32.const 16)) (i64.const 2))
    (call $drop_below (local.get 1))
    (call $sync)
    (call $report (i64.load (local.get 1)))
    (call $read (local.get 1))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const -8192
;;     v4: i32 = i32.add v1, v3
;;     i64.store offset=8192 v4, v2
;;     call fn3 v2
;;     v5: i64 = i64.load offset=8192 v4
;;     return v5
;; }
