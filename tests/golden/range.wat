;; A value in bounds by contract: no path for others, and the residual code switches over exactly
;; these.
;; run 2 -> 20
;; run 3 -> 30
;; run 4 -> 40
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "specialize.range" (func $range (param i32 i32 i32) (result i32)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x40)
    (request 1 (slot 0x80) (code 0x1000 0x40) (pass 1) (pass 2)))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x1000) (i8 0 0 20 30 40))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (call $position (local.get 0))
    (i64.load8_u (i32.add (local.get 0)
      (call $range (i32.wrap_i64 (local.get 2)) (i32.const 2) (i32.const 5))))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const -2
;;     v4: i32 = i32.const 3
;;     v5: i64 = i64.const 20
;;     v6: i64 = i64.const 30
;;     v7: i64 = i64.const 40
;;     v8: i32 = i32.wrap_i64 v2
;;     v9: i32 = i32.add v8, v3
;;     branch v9 ? bb1() : bb4()
;; bb1():
;;     v10: i32 = i32.eq v8, v4
;;     branch v10 ? bb2() : bb3()
;; bb2():
;;     return v6
;; bb3():
;;     return v7
;; bb4():
;;     return v5
;; }
