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
  (global (export "BACTRIAN_REQUESTS") i32 (i32.const 0x100))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x100) (i32 0x54434142 2 0x120 1 0x140 1))
  (data (i32.const 0x120) (i32 0x1000 0x40))
  (data (i32.const 0x140) (i32 1 0x80 0 0x40 3 0)
    (i32 2 0) (i64 0x1000) (i32 0 0) (i64 1) (i32 0 0) (i64 2))
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
;;     return v2
;; }
