;; A box is made where memory has to have it, once for two cells, and opened nowhere: its payload is
;; known still after the call.
;; run 5 -> 10 after 5 1
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
  (@boxes 0x60 (box 2 0))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret $box)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x90) (i32 0x2000))
  (data (i32.const 0x1000) (i8 0))
  (func $box (param f64) (result i64)
    (local $at i32)
    (local.set $at (i32.load (i32.const 0x90)))
    (i32.store (i32.const 0x90) (i32.add (local.get $at) (i32.const 8)))
    (f64.store (local.get $at) (local.get 0))
    (i64.extend_i32_u (local.get $at)))
  (func $float (param i64) (result f64)
    (f64.load (i32.wrap_i64 (local.get 0))))
  ;; Reports what is in the box of the cell, and whether the next cell has the same box.
  (func $look (param i32)
    (call $report (i64.trunc_f64_s (call $float (i64.load (local.get 0)))))
    (call $report (i64.extend_i32_u
      (i64.eq (i64.load (local.get 0)) (i64.load offset=8 (local.get 0))))))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (local $cell i32)
    (local $a i64)
    (local.set $cell (i32.sub (local.get 1) (i32.const 16)))
    (call $position (local.get 0))
    (local.set $a (call $box (f64.convert_i64_s (local.get 2))))
    (call $write (local.get $cell) (local.get $a))
    (call $write (i32.add (local.get $cell) (i32.const 8)) (local.get $a))
    (call $sync)
    (call $look (local.get $cell))
    (call $invalidate)
    (i64.trunc_f64_s
      (f64.add
        (f64.load (i32.wrap_i64 (call $read (local.get $cell))))
        (f64.load (i32.wrap_i64 (call $read (i32.add (local.get $cell) (i32.const 8)))))))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const -8192
;;     v4: i32 = i32.const 144
;;     v5: i32 = i32.const 8
;;     v6: i32 = i32.const -16
;;     v7: i32 = i32.add v1, v3
;;     v8: f64 = f64.convert_i64_s v2
;;     v9: i32 = i32.load v4
;;     v10: i32 = i32.add v9, v5
;;     i32.store v4, v10
;;     f64.store v9, v8
;;     v11: i64 = i64.extend_i32_u v9
;;     i64.store offset=8184 v7, v11
;;     i64.store offset=8176 v7, v11
;;     v12: i32 = i32.add v1, v6
;;     call fn8 v12
;;     v13: f64 = f64.add v8, v8
;;     v14: i64 = i64.trunc_f64_s v13
;;     return v14
;; }
