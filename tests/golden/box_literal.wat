;; The payload of a literal is known; its pointer is loaded where somebody wants it, and no second
;; box is made.
;; run 0 -> 3
;; run 4 -> 13 after 152
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "env" "report" (func $report (param i64)))
  (import "bactrian" "box.literal" (func $literal (param i64 i32 i64) (result i64)))
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
  (data (i32.const 0x98) (f64 1 2))
  (data (i32.const 0xb8) (i64 0x98 0xa0))
  (data (i32.const 0x1000) (i8 0))
  (data (i32.const 0x1008) (f64 1 2))
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
    (local $one i64) (local $two i64) (local $sum f64)
    (call $position (local.get 0))
    (local.set $one
      (call $literal (i64.load (i32.const 0xb8)) (i32.const 0) (i64.load offset=8 (local.get 0))))
    (local.set $two
      (call $literal (i64.load (i32.const 0xc0)) (i32.const 0) (i64.load offset=16 (local.get 0))))
    (local.set $sum
      (f64.add
        (f64.load (i32.wrap_i64 (local.get $one)))
        (f64.load (i32.wrap_i64 (local.get $two)))))
    (if (i64.ne (local.get 2) (i64.const 0))
      (then (call $report (local.get $one))))
    (i64.trunc_f64_s
      (f64.add
        (local.get $sum)
        (f64.mul (f64.convert_i64_s (local.get 2)) (f64.const 2.5))))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: f64 = f64.const 0x4008000000000000
;;     v4: i32 = i32.const 184
;;     v5: i64 = i64.const 0
;;     v6: f64 = f64.const 0x4004000000000000
;;     v7: i64 = i64.load v4
;;     v8: i32 = i64.ne v2, v5
;;     branch v8 ? bb1() : bb2()
;; bb1():
;;     call fn1 v7
;;     jump bb2()
;; bb2():
;;     v9: f64 = f64.convert_i64_s v2
;;     v10: f64 = f64.mul v9, v6
;;     v11: f64 = f64.add v3, v10
;;     v12: i64 = i64.trunc_f64_s v11
;;     return v12
;; }
