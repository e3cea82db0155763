;; A loop inside one instruction: its counter is a known value only because each round pushes, and
;; in the end pops, a context of its own. The instruction multiplies the argument by each byte of a
;; list and reports the products.
;; run 10 -> 210 after 10 20 30 40 50 60
;; run 0 -> 0 after 0 0 0 0 0 0
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "context.push" (func $push (param i32)))
  (import "bactrian" "context.pop" (func $pop))
  (import "env" "report" (func $report (param i64)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x40)
    (request 1 (slot 0x80) (code 0x1000 0x40) (pass 1) (pass 2)))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x1000) (i8 6  1 2 3 4 5 6))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (local $end i32) (local $sum i64) (local $product i64)
    (call $position (local.get 0))
    (local.set $end (i32.add (local.get 0) (i32.add (i32.load8_u (local.get 0)) (i32.const 1))))
    (call $push (local.get 0))
    (loop $next
      (local.set 0 (i32.add (local.get 0) (i32.const 1)))
      (call $position (local.get 0))
      (if (i32.ne (local.get 0) (local.get $end))
        (then
          (local.set $product (i64.mul (local.get 2) (i64.load8_u (local.get 0))))
          (call $report (local.get $product))
          (local.set $sum (i64.add (local.get $sum) (local.get $product)))
          (br $next))))
    (call $pop)
    (local.get $sum)))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const 2
;;     v4: i64 = i64.const 3
;;     v5: i64 = i64.const 4
;;     v6: i64 = i64.const 5
;;     v7: i64 = i64.const 6
;;     call fn3 v2
;;     v8: i64 = i64.mul v2, v3
;;     call fn3 v8
;;     v9: i64 = i64.add v2, v8
;;     v10: i64 = i64.mul v2, v4
;;     call fn3 v10
;;     v11: i64 = i64.add v9, v10
;;     v12: i64 = i64.mul v2, v5
;;     call fn3 v12
;;     v13: i64 = i64.add v11, v12
;;     v14: i64 = i64.mul v2, v6
;;     call fn3 v14
;;     v15: i64 = i64.add v13, v14
;;     v16: i64 = i64.mul v2, v7
;;     call fn3 v16
;;     v17: i64 = i64.add v15, v16
;;     return v17
;; }
