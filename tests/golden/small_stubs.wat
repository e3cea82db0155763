;; Small functions of stubs are evaluated where they are called: the box that one opens and the box
;; that it makes are not made, and an odd result is not zero. Not the interpreter's own functions,
;; and none with a branch. $twice is function 6.
;; run 3 -> 15
;; run -2 -> -6
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "env" "report" (func $report (param i64)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x40)
    (request 1 (slot 0x80) (code 0x1000 0x40) (pass 1) (pass 2)))
  (@boxes 0x60 (box 2 0))
  (@stubs 0x40 6)
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret $box)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x90) (i32 0x2000))
  (data (i32.const 0x1000) (i8 0))
  (func $box (param f64) (result i64)
    (local $at i32)
    (local.set $at (i32.load (i32.const 0x90)))
    (i32.store (i32.const 0x90) (i32.add (local.get $at) (i32.const 8)))
    (f64.store (local.get $at) (local.get 0))
    (i64.extend_i32_u (local.get $at)))
  (func $copy (param f64) (result i64)
    (call $box (local.get 0)))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (local $a i64)
    (local $b i64)
    (call $position (local.get 0))
    (local.set $a (call $twice (call $box (f64.convert_i64_s (local.get 2)))))
    (local.set $b (call $odd (local.get 2)))
    (i64.add
      (i64.add
        (i64.trunc_f64_s (f64.load (i32.wrap_i64 (local.get $a))))
        (i64.add
          (local.get $b)
          (i64.mul (i64.extend_i32_u (i64.eqz (local.get $b))) (i64.const 100))))
      (i64.add
        (call $sign (local.get 2))
        (i64.and (call $copy (f64.const 1)) (i64.const 1)))))
  (func $twice (param i64) (result i64)
    (call $copy (f64.mul (f64.load (i32.wrap_i64 (local.get 0))) (f64.const 2))))
  (func $odd (param i64) (result i64)
    (i64.or (i64.shl (local.get 0) (i64.const 1)) (i64.const 1)))
  (func $sign (param i64) (result i64)
    (if (i64.lt_s (local.get 0) (i64.const 0)) (then (return (i64.const 1))))
    (i64.const 2)))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: f64 = f64.const 0x4000000000000000
;;     v4: i64 = i64.const 1
;;     v5: f64 = f64.const 0x3ff0000000000000
;;     v6: f64 = f64.convert_i64_s v2
;;     v7: f64 = f64.mul v6, v3
;;     v8: i64 = i64.shl v2, v4
;;     v9: i64 = i64.or v8, v4
;;     v10: i64 = i64.trunc_f64_s v7
;;     v11: i64 = i64.add v10, v9
;;     v12: i64 = call fn8 v2
;;     v13: i64 = call fn3 v5
;;     v14: i64 = i64.and v13, v4
;;     v15: i64 = i64.add v12, v14
;;     v16: i64 = i64.add v11, v15
;;     return v16
;; }
