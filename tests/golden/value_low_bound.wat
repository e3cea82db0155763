;; A value specialization whose bounds do not begin at 0: the selector is rebased, each value has
;; its own constants, and values outside of the bounds take the general path.
;; run 3 -> 103
;; run 4 -> 104
;; run 5 -> 105
;; run 2 -> 102
;; run 6 -> 106
;; run 0 -> 100
;; run -1 -> 4294967395
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "specialize.value" (func $value (param i32 i32 i32) (result i32)))
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
    (local $v i32)
    (call $position (local.get 0))
    (local.set $v (call $value (i32.wrap_i64 (local.get 2)) (i32.const 3) (i32.const 6)))
    (i64.extend_i32_u (local.get $v))
    (i64.add (i64.const 100))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const -3
;;     v4: i32 = i32.const 4
;;     v5: i32 = i32.const 5
;;     v6: i64 = i64.const 103
;;     v7: i64 = i64.const 104
;;     v8: i64 = i64.const 105
;;     v9: i64 = i64.const 100
;;     v10: i32 = i32.wrap_i64 v2
;;     v11: i32 = i32.add v10, v3
;;     branch v11 ? bb1() : bb6()
;; bb1():
;;     v12: i32 = i32.eq v10, v4
;;     branch v12 ? bb2() : bb3()
;; bb2():
;;     return v7
;; bb3():
;;     v13: i32 = i32.eq v10, v5
;;     branch v13 ? bb4() : bb5()
;; bb4():
;;     return v8
;; bb5():
;;     v14: i64 = i64.extend_i32_u v10
;;     v15: i64 = i64.add v14, v9
;;     return v15
;; bb6():
;;     return v6
;; }
