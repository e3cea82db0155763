;; A box that was made is not made again on the branches after that.
;; run 0 -> 1
;; run 4 -> 1 after 1
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
  (data (i32.const 0x1000) (i8 0))
  (func $box (param f64) (result i64)
    (local $at i32)
    (local.set $at (i32.load (i32.const 0x90)))
    (i32.store (i32.const 0x90) (i32.add (local.get $at) (i32.const 8)))
    (f64.store (local.get $at) (local.get 0))
    (i64.extend_i32_u (local.get $at)))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (local $a i64)
    (call $position (local.get 0))
    (local.set $a (call $box (f64.convert_i64_s (local.get 2))))
    (i64.store (i32.const 0x300) (local.get $a))
    (if (i64.eqz (local.get 2))
      (then (i64.store (i32.const 0x308) (local.get $a)))
      (else
        (call $report (i64.const 1))
        (i64.store (i32.const 0x308) (i64.load (i32.const 0x300)))))
    (i64.extend_i32_u
      (i64.eq (i64.load (i32.const 0x300)) (i64.load (i32.const 0x308))))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const 768
;;     v4: i32 = i32.const 144
;;     v5: i32 = i32.const 8
;;     v6: i32 = i32.const 776
;;     v7: i64 = i64.const 1
;;     v8: f64 = f64.convert_i64_s v2
;;     v9: i32 = i32.load v4
;;     v10: i32 = i32.add v9, v5
;;     i32.store v4, v10
;;     f64.store v9, v8
;;     v11: i64 = i64.extend_i32_u v9
;;     i64.store v3, v11
;;     v12: i32 = i64.eqz v2
;;     branch v12 ? bb1() : bb2()
;; bb1():
;;     i64.store v6, v11
;;     jump bb3()
;; bb2():
;;     call fn1 v7
;;     v13: i64 = i64.load v3
;;     i64.store v6, v13
;;     jump bb3()
;; bb3():
;;     v14: i64 = i64.load v3
;;     v15: i64 = i64.load v6
;;     v16: i32 = i64.eq v14, v15
;;     v17: i64 = i64.extend_i32_u v16
;;     return v17
;; }
