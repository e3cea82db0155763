;; Cells of 1, 4 and 8 bytes that overlap: what is read is what was written last, by way of memory
;; where it has another width. One way writes a word, the other a byte in it: they meet as a word.
;; run 0 -> 258
;; run 7 -> 274
;; run -1 -> 258
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "cells.read" (func $read (param i32) (result i64)))
  (import "bactrian" "cells.write" (func $write (param i32 i64)))
  (import "bactrian" "cells.read8" (func $read8 (param i32) (result i32)))
  (import "bactrian" "cells.write8" (func $write8 (param i32 i32)))
  (import "bactrian" "cells.read32" (func $read32 (param i32) (result i32)))
  (import "bactrian" "cells.write32" (func $write32 (param i32 i32)))
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
    ;; A byte of its own: its upper bits are cut off.
    (call $write8 (i32.add (local.get 1) (i32.const 8))
      (i32.add (i32.wrap_i64 (local.get 2)) (i32.const 0x101)))
    (if (i64.eqz (local.get 2))
      (then (call $write (local.get 1) (i64.const 0)))
      (else
        (call $write (local.get 1) (local.get 2))
        (call $write8 (local.get 1) (i32.const 2))))
    (call $write32 (i32.add (local.get 1) (i32.const 4)) (i32.const 1))
    ;; The word's low bytes, twice the byte, and the upper half 256 times.
    (i64.add
      (i64.add
        (i64.and (call $read (local.get 1)) (i64.const 0xff))
        (i64.extend_i32_u
          (i32.shl (call $read8 (i32.add (local.get 1) (i32.const 8))) (i32.const 1))))
      (i64.extend_i32_u (i32.shl (call $read32 (i32.add (local.get 1) (i32.const 4)))
        (i32.const 8))))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const -8192
;;     v4: i32 = i32.const 257
;;     v5: i32 = i32.const 255
;;     v6: i64 = i64.const 0
;;     v7: i32 = i32.const 2
;;     v8: i32 = i32.const 1
;;     v9: i64 = i64.const 255
;;     v10: i32 = i32.const 8
;;     v11: i32 = i32.add v1, v3
;;     v12: i32 = i32.wrap_i64 v2
;;     v13: i32 = i32.add v12, v4
;;     v14: i32 = i32.and v13, v5
;;     v15: i32 = i64.eqz v2
;;     branch v15 ? bb2(v6) : bb1()
;; bb1():
;;     i64.store offset=8192 v11, v2
;;     i32.store8 offset=8192 v11, v7
;;     v16: i64 = i64.load offset=8192 v11
;;     jump bb2(v16)
;; bb2(v17: i64):
;;     i64.store offset=8192 v11, v17
;;     i32.store offset=8196 v11, v8
;;     v18: i64 = i64.load offset=8192 v11
;;     v19: i64 = i64.and v18, v9
;;     v20: i32 = i32.shl v14, v8
;;     v21: i64 = i64.extend_i32_u v20
;;     v22: i64 = i64.add v19, v21
;;     v23: i32 = i32.shl v8, v10
;;     v24: i64 = i64.extend_i32_u v23
;;     v25: i64 = i64.add v22, v24
;;     return v25
;; }
