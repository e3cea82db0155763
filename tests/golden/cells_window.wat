;; More cells than are cached: an instruction pushes thirty values, and the deepest go to memory.
;; Each comes back as it was.
;; run 5 -> 149
;; run 0 -> -1
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "context.push" (func $push (param i32)))
  (import "bactrian" "context.pop" (func $pop))
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
    (local $count i32) (local $sum i64)
    (call $position (local.get 0))
    (call $push (i32.const 0))
    (loop $fill
      (call $position (local.get $count))
      (call $write (i32.sub (local.get 1) (i32.shl (local.get $count) (i32.const 3)))
        (i64.mul (local.get 2) (i64.extend_i32_u (local.get $count))))
      (local.set $count (i32.add (local.get $count) (i32.const 1)))
      (br_if $fill (i32.lt_u (local.get $count) (i32.const 30))))
    (call $pop)
    (i64.sub
      (i64.add
        (call $read (i32.sub (local.get 1) (i32.const 8)))
        (call $read (i32.sub (local.get 1) (i32.const 232))))
      (i64.const 1))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const -8192
;;     v4: i64 = i64.const -1
;;     v5: i64 = i64.const 0
;;     v6: i64 = i64.const 2
;;     v7: i64 = i64.const 3
;;     v8: i64 = i64.const 4
;;     v9: i64 = i64.const 5
;;     v10: i64 = i64.const 29
;;     v11: i32 = i32.add v1, v3
;;     v12: i64 = i64.mul v2, v6
;;     v13: i64 = i64.mul v2, v7
;;     v14: i64 = i64.mul v2, v8
;;     v15: i64 = i64.mul v2, v9
;;     i64.store offset=8192 v11, v5
;;     i64.store offset=8184 v11, v2
;;     i64.store offset=8176 v11, v12
;;     i64.store offset=8168 v11, v13
;;     i64.store offset=8160 v11, v14
;;     v16: i64 = i64.mul v2, v10
;;     i64.store offset=8152 v11, v15
;;     v17: i64 = i64.add v2, v16
;;     v18: i64 = i64.add v17, v4
;;     return v18
;; }
