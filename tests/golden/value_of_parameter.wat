;; A parameter that is passed on is known relative to itself only: specializing its value fans out
;; all the same.
;; run 0 -> 7
;; run 1 -> 9
;; run 2 -> 1002
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "specialize.value" (func $value (param i32 i32 i32) (result i32)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x40)
    (request 1 (slot 0x80) (code 0x1000 0x40) (pass 1)))
  (type $entry (func (param i32 i32) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x1000) (i8 7 9))
  (func (export "run") (param i32) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (local.get 0) (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (call $position (local.get 0))
    (local.set 1 (call $value (local.get 1) (i32.const 0) (i32.const 2)))
    (if (result i64) (i32.lt_u (local.get 1) (i32.const 2))
      (then (i64.load8_u (i32.add (local.get 0) (local.get 1))))
      (else (i64.add (i64.const 1000) (i64.extend_i32_u (local.get 1)))))))
;; residual
;; function(i32, i32) -> i64 {
;; bb0(v0: i32, v1: i32):
;;     v2: i32 = i32.const 1
;;     v3: i64 = i64.const 7
;;     v4: i64 = i64.const 9
;;     v5: i32 = i32.const 2
;;     v6: i32 = address base0+0
;;     v7: i64 = i64.const 1000
;;     branch v1 ? bb1() : bb6()
;; bb1():
;;     v8: i32 = i32.eq v1, v2
;;     branch v8 ? bb2() : bb3()
;; bb2():
;;     return v4
;; bb3():
;;     v9: i32 = i32.lt_u v1, v5
;;     branch v9 ? bb4() : bb5()
;; bb4():
;;     v10: i32 = i32.add v6, v1
;;     v11: i64 = i64.load8_u v10
;;     return v11
;; bb5():
;;     v12: i64 = i64.extend_i32_u v1
;;     v13: i64 = i64.add v12, v7
;;     return v13
;; bb6():
;;     return v3
;; }
