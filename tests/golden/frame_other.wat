;; Registers of a frame that are also reached by another address, which comes from memory: with a
;; sync and a forget before, what was stored there is read, though no call came between.
;; run 5 -> 21
;; run 0 -> 1
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "cells.forget" (func $forget (param i32 i32)))
  (import "bactrian" "cells.sync" (func $sync))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x40)
    (request 1 (slot 0x80) (code 0x1000 0x40) (frame 1) (pass 2)))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x90) (i32 0x20000))
  (data (i32.const 0x1000) (i8 0))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (local $at i32) (local $sum i64)
    (call $position (local.get 0))
    ;; Two registers; in a loop, both get twice the argument.
    (i64.store (local.get 1) (local.get 2))
    (i64.store offset=16 (local.get 1) (i64.const 7))
    (local.set $sum (i64.sub (i64.const 8) (i64.load offset=16 (local.get 1))))
    (call $sync)
    (call $forget (local.get 1) (i32.const 32))
    (local.set $at (i32.load (i32.const 0x90)))
    (loop $next
      (i64.store (local.get $at) (i64.shl (local.get 2) (i64.const 1)))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $at) (i32.add (local.get 1) (i32.const 32)))))
    (i64.add (local.get $sum)
      (i64.add (i64.load (local.get 1)) (i64.load offset=16 (local.get 1))))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const -8192
;;     v4: i64 = i64.const 7
;;     v5: i32 = i32.const 144
;;     v6: i64 = i64.const 1
;;     v7: i32 = i32.const 16
;;     v8: i32 = i32.const 32
;;     v9: i32 = i32.add v1, v3
;;     i64.store offset=8208 v9, v4
;;     i64.store offset=8192 v9, v2
;;     v10: i32 = i32.load v5
;;     jump bb1(v10)
;; bb1(v11: i32):
;;     v12: i64 = i64.shl v2, v6
;;     i64.store v11, v12
;;     v13: i32 = i32.add v11, v7
;;     v14: i32 = i32.add v1, v8
;;     v15: i32 = i32.lt_u v13, v14
;;     branch v15 ? bb1(v13) : bb2()
;; bb2():
;;     v16: i64 = i64.load offset=8192 v9
;;     v17: i64 = i64.load offset=8208 v9
;;     v18: i64 = i64.add v16, v17
;;     v19: i64 = i64.add v18, v6
;;     return v19
;; }
