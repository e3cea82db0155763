;; A division whose result is not used still traps; a division of constants that traps is left in
;; residual code, one that does not is folded.
;; run 0 -> trap
;; run 1 -> 5
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x40)
    (request 1 (slot 0x80) (code 0x1000 0x40) (pass 1) (pass 2)))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x1000) (i8 2 0))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (call $position (local.get 0))
    (drop (i64.div_s (i64.const 1) (local.get 2)))
    (if (i64.eq (local.get 2) (i64.const 2))
      (then (drop (i32.div_u (i32.const 1) (i32.load8_u offset=1 (local.get 0))))))
    (i64.extend_i32_u (i32.div_u (i32.const 10) (i32.load8_u (local.get 0))))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const 32
;;     v4: i64 = i64.const 1
;;     v5: i64 = i64.const 2
;;     v6: i32 = i32.const 1
;;     v7: i32 = i32.const 0
;;     v8: i64 = i64.const 5
;;     v9: i64 = i64.or v4, v2
;;     v10: i64 = i64.shr_u v9, v3
;;     v11: i32 = i32.wrap_i64 v10
;;     branch v11 ? bb1() : bb2()
;; bb1():
;;     v12: i64 = i64.div_s v4, v2
;;     jump bb3()
;; bb2():
;;     v13: i32 = i32.wrap_i64 v4
;;     v14: i32 = i32.wrap_i64 v2
;;     v15: i32 = i32.div_u v13, v14
;;     jump bb3()
;; bb3():
;;     v16: i32 = i64.eq v2, v5
;;     branch v16 ? bb4() : bb5()
;; bb4():
;;     v17: i32 = i32.div_u v6, v7
;;     return v8
;; bb5():
;;     return v8
;; }
