;; A pointer to a register of a frame with a tag in its upper half: what is read and written by it
;; is the register, which is cached.
;; run 0 -> 7007
;; run 1 -> 5012
(module
  (import "bactrian" "context.update" (func $position (param i32)))
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
  (func $interpret (type $entry)
    (local $tagged i64) (local $read i64)
    (call $position (local.get 0))
    (i64.store (local.get 1) (i64.const 5))
    (i64.store offset=8 (local.get 1) (i64.const 12))
    (local.set $tagged
      (i64.xor
        (i64.extend_i32_u
          (i32.add (local.get 1) (i32.shl (i32.wrap_i64 (local.get 2)) (i32.const 3))))
        (i64.const 0x7ff8000000000000)))
    (i64.store (i32.wrap_i64 (local.get $tagged))
      (i64.add (i64.load (i32.wrap_i64 (local.get $tagged)))
        (i64.mul (i64.const 2) (i64.extend_i32_u (i64.eqz (local.get 2))))))
    (local.set $read (i64.load (i32.wrap_i64 (local.get $tagged))))
    (i64.add (i64.mul (i64.load (local.get 1)) (i64.const 1000)) (local.get $read))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const -8192
;;     v4: i32 = i32.const 3
;;     v5: i64 = i64.const 9221120237041090560
;;     v6: i64 = i64.const 12
;;     v7: i64 = i64.const 5
;;     v8: i64 = i64.const 2
;;     v9: i64 = i64.const 1000
;;     v10: i32 = i32.add v1, v3
;;     v11: i32 = i32.wrap_i64 v2
;;     v12: i32 = i32.shl v11, v4
;;     v13: i32 = i32.add v1, v12
;;     v14: i64 = i64.extend_i32_u v13
;;     v15: i64 = i64.xor v14, v5
;;     v16: i32 = i32.wrap_i64 v15
;;     i64.store offset=8200 v10, v6
;;     i64.store offset=8192 v10, v7
;;     v17: i64 = i64.load v16
;;     v18: i32 = i64.eqz v2
;;     v19: i64 = i64.extend_i32_u v18
;;     v20: i64 = i64.mul v19, v8
;;     v21: i64 = i64.add v17, v20
;;     i64.store v16, v21
;;     v22: i64 = i64.load offset=8192 v10
;;     v23: i64 = i64.mul v22, v9
;;     v24: i64 = i64.add v23, v21
;;     return v24
;; }
