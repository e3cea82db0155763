;; A box that is made for the argument of a call is another one behind it: the call moves boxes.
;; run 3 -> 4 after 4
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "cells.read" (func $read (param i32) (result i64)))
  (import "bactrian" "cells.write" (func $write (param i32 i64)))
  (import "bactrian" "cells.sync_roots" (func $sync_roots))
  (import "bactrian" "cells.invalidate" (func $invalidate))
  (import "env" "report" (func $report (param i64)))
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
  (func $open (param i64) (result i64)
    (i64.trunc_f64_s (f64.load (i32.wrap_i64 (local.get 0)))))
  ;; Reports what is in a box; moves the one in a cell if there is one, and wipes what is left.
  (func $collect (param $box i64) (param $cell i32)
    (local $moved i64)
    (call $report (call $open (local.get $box)))
    (local.set $moved (i64.load (local.get $cell)))
    (if (i64.eqz (i64.and (local.get $moved) (i64.const 1)))
      (then
        (i64.store (local.get $cell)
          (call $box (f64.load (i32.wrap_i64 (local.get $moved)))))))
    (f64.store (i32.wrap_i64 (local.get $box)) (f64.const 0)))
  (func (export "run") (param i64) (result i64)
    (call $open
      (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
        (i32.load (i32.const 0x80)))))
  (func $interpret (type $entry)
    (call $position (local.get 0))
    (call $write (local.get 1)
      (call $box (f64.convert_i64_s (i64.add (local.get 2) (i64.const 1)))))
    (call $sync_roots)
    (call $collect (call $read (local.get 1)) (local.get 1))
    (call $invalidate)
    (call $read (local.get 1))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const -8192
;;     v4: i64 = i64.const 1
;;     v5: i32 = i32.const 144
;;     v6: i32 = i32.const 8
;;     v7: i32 = i32.add v1, v3
;;     v8: i64 = i64.add v2, v4
;;     v9: f64 = f64.convert_i64_s v8
;;     i64.store offset=8192 v7, v4
;;     v10: i32 = i32.load v5
;;     v11: i32 = i32.add v10, v6
;;     i32.store v5, v11
;;     f64.store v10, v9
;;     v12: i64 = i64.extend_i32_u v10
;;     call fn8 v12, v1
;;     v13: i32 = i32.load v5
;;     v14: i32 = i32.add v13, v6
;;     i32.store v5, v14
;;     f64.store v13, v9
;;     v15: i64 = i64.extend_i32_u v13
;;     return v15
;; }
