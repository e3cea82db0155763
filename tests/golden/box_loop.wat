;; A box that goes round a loop is its payload; the one that exists at the beginning is opened.
;; run 0 -> 1
;; run 4 -> 11
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "env" "report" (func $report (param i64)))
  (import "bactrian" "box.exists" (func $exists (param i64 i32) (result i64)))
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
  (data (i32.const 0x98) (f64 1))
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
    (local $sum i64)
    (call $position (local.get 0))
    (local.set $sum (call $exists (i64.const 0x98) (i32.const 0)))
    (loop $again
      (call $position (local.get 0))
      (if (i64.ne (local.get 2) (i64.const 0))
        (then
          (local.set $sum
            (call $box
              (f64.add
                (f64.load (i32.wrap_i64 (local.get $sum)))
                (f64.convert_i64_s (local.get 2)))))
          (local.set 2 (i64.sub (local.get 2) (i64.const 1)))
          (br $again))))
    (i64.trunc_f64_s (f64.load (i32.wrap_i64 (local.get $sum))))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const -1
;;     v4: i32 = i32.const 152
;;     v5: i64 = i64.const 0
;;     v6: f64 = f64.load v4
;;     jump bb1(v2, v6)
;; bb1(v7: i64, v8: f64):
;;     v9: i32 = i64.ne v7, v5
;;     branch v9 ? bb2() : bb3()
;; bb2():
;;     v10: f64 = f64.convert_i64_s v7
;;     v11: f64 = f64.add v8, v10
;;     v12: i64 = i64.add v7, v3
;;     jump bb1(v12, v11)
;; bb3():
;;     v13: i64 = i64.trunc_f64_s v8
;;     return v13
;; }
