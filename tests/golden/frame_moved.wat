;; Registers of a frame that a loop moves along: it writes each by a pointer which is at a known
;; distance from the frame in its first round only, and another loop reads them likewise. What was
;; cached of a register before is not what is read after that.
;; run 5 -> 386
;; run 0 -> 16
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
    (local $at i32) (local $sum i64)
    (call $position (local.get 0))
    (i64.store (local.get 1) (i64.const 1))
    (i64.store offset=8 (local.get 1) (i64.const 2))
    (i64.store offset=16 (local.get 1) (i64.const 3))
    (i64.store offset=24 (local.get 1) (i64.const 4))
    ;; 1 2 3 4 and the argument times 2, 3, 4 and so on
    (local.set $at (local.get 1))
    (local.set $sum (local.get 2))
    (loop $next
      (local.set $sum (i64.add (local.get $sum) (local.get 2)))
      (i64.store (local.get $at) (i64.add (i64.load (local.get $at)) (local.get $sum)))
      (local.set $at (i32.add (local.get $at) (i32.const 8)))
      (br_if $next (i32.lt_u (local.get $at) (i32.add (local.get 1) (i32.const 32)))))
    ;; Their sum, and that of the first and the last once more, which are known to be registers.
    (local.set $sum (i64.const 0))
    (local.set $at (local.get 1))
    (loop $next
      (local.set $sum (i64.add (local.get $sum) (i64.load (local.get $at))))
      (local.set $at (i32.add (local.get $at) (i32.const 8)))
      (br_if $next (i32.lt_u (local.get $at) (i32.add (local.get 1) (i32.const 32)))))
    (i64.add (local.get $sum)
      (i64.mul (i64.sub (i64.load offset=24 (local.get 1)) (i64.load (local.get 1)))
        (i64.load offset=8 (local.get 1))))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const -8192
;;     v4: i64 = i64.const 4
;;     v5: i64 = i64.const 3
;;     v6: i64 = i64.const 2
;;     v7: i64 = i64.const 1
;;     v8: i32 = i32.const 8
;;     v9: i32 = i32.const 32
;;     v10: i64 = i64.const 0
;;     v11: i32 = i32.add v1, v3
;;     i64.store offset=8216 v11, v4
;;     i64.store offset=8208 v11, v5
;;     i64.store offset=8200 v11, v6
;;     i64.store offset=8192 v11, v7
;;     jump bb1(v1, v2)
;; bb1(v12: i32, v13: i64):
;;     v14: i64 = i64.add v13, v2
;;     v15: i64 = i64.load v12
;;     v16: i64 = i64.add v15, v14
;;     i64.store v12, v16
;;     v17: i32 = i32.add v12, v8
;;     v18: i32 = i32.add v1, v9
;;     v19: i32 = i32.lt_u v17, v18
;;     branch v19 ? bb1(v17, v14) : bb2()
;; bb2():
;;     v20: i64 = i64.load offset=8192 v11
;;     jump bb3(v1, v10)
;; bb3(v21: i32, v22: i64):
;;     v23: i64 = i64.load v21
;;     v24: i64 = i64.add v22, v23
;;     v25: i32 = i32.add v21, v8
;;     v26: i32 = i32.add v1, v9
;;     v27: i32 = i32.lt_u v25, v26
;;     branch v27 ? bb3(v25, v24) : bb4()
;; bb4():
;;     v28: i64 = i64.load offset=8216 v11
;;     v29: i64 = i64.sub v28, v20
;;     v30: i64 = i64.load offset=8200 v11
;;     v31: i64 = i64.mul v29, v30
;;     v32: i64 = i64.add v24, v31
;;     return v32
;; }
