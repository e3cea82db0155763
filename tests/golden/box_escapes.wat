;; On one way the box is looked at, on the other something else comes: the join has a pointer, and
;; the box is made on its edge.
;; run 0 -> 77
;; run 3 -> 6
(module
  (import "bactrian" "context.update" (func $position (param i32)))
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
  (data (i32.const 0x98) (f64 77))
  (data (i32.const 0x1000) (i8 0))
  (func $box (param f64) (result i64)
    (local $at i32)
    (local.set $at (i32.load (i32.const 0x90)))
    (i32.store (i32.const 0x90) (i32.add (local.get $at) (i32.const 8)))
    (f64.store (local.get $at) (local.get 0))
    (i64.extend_i32_u (local.get $at)))
  (func $float (param i64) (result f64)
    (f64.load (i32.wrap_i64 (local.get 0))))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (local $value i64)
    (call $position (local.get 0))
    (local.set $value (local.get 2))
    (if (i64.eqz (local.get 2))
      (then (local.set $value (i64.const 0x98)))
      (else
        (local.set $value
          (call $box (f64.convert_i64_s (i64.shl (local.get 2) (i64.const 1)))))))
    (i64.trunc_f64_s (call $float (local.get $value)))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const 152
;;     v4: i64 = i64.const 1
;;     v5: i32 = i32.const 144
;;     v6: i32 = i32.const 8
;;     v7: i32 = i64.eqz v2
;;     branch v7 ? bb2(v3) : bb1()
;; bb1():
;;     v8: i64 = i64.shl v2, v4
;;     v9: f64 = f64.convert_i64_s v8
;;     v10: i32 = i32.load v5
;;     v11: i32 = i32.add v10, v6
;;     i32.store v5, v11
;;     f64.store v10, v9
;;     v12: i64 = i64.extend_i32_u v10
;;     jump bb2(v12)
;; bb2(v13: i64):
;;     v14: f64 = call fn3 v13
;;     v15: i64 = i64.trunc_f64_s v14
;;     return v15
;; }
