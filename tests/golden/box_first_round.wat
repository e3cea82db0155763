;; A loop that begins with a pointer and goes on with a box: the first round is split off, so that
;; later ones make no box. What comes after the loop is there once.
;; run 0 -> 1 after 7
;; run 4 -> 11 after 7
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "env" "report" (func $report (param i64)))
  (memory (export "memory") 3)
  (global (export "BACTRIAN_REQUESTS") i32 (i32.const 0x100))
  (global (export "BACTRIAN_BOXES") i32 (i32.const 0x60))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret $box)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x60) (i32 1 2 0))
  (data (i32.const 0x90) (i32 0x2000))
  (data (i32.const 0x98) (i64 0xa0) (f64 1))
  (data (i32.const 0x100) (i32 0x54434142 1 0x120 1 0x140 1))
  (data (i32.const 0x120) (i32 0x1000 0x40))
  (data (i32.const 0x140) (i32 1 0x80 0 0x40 3 0)
    (i32 2 0) (i64 0x1000) (i32 0 0) (i64 1) (i32 0 0) (i64 2))
  (data (i32.const 0x1000) (i8 0))
  (func $box (param f64) (result i64)
    (local $at i32)
    (local.set $at (i32.load (i32.const 0x90)))
    (i32.store (i32.const 0x90) (i32.add (local.get $at) (i32.const 8)))
    (f64.store (local.get $at) (local.get 0))
    (i64.extend_i32_u (local.get $at)))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0) (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (local $sum i64)
    (local.set $sum (i64.load (i32.const 0x98)))
    (loop $again
      (call $position (local.get 0))
      (if (i64.ne (local.get 2) (i64.const 0))
        (then
          (call $position (i32.add (local.get 0) (i32.const 1)))
          (local.set $sum
            (call $box
              (f64.add (f64.load (i32.wrap_i64 (local.get $sum))) (f64.convert_i64_s (local.get 2)))))
          (local.set 2 (i64.sub (local.get 2) (i64.const 1)))
          (br $again))))
    (call $position (i32.add (local.get 0) (i32.const 2)))
    (call $report (i64.const 7))
    (i64.trunc_f64_s (f64.load (i32.wrap_i64 (local.get $sum))))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const -1
;;     v4: i32 = i32.const 152
;;     v5: i64 = i64.const 0
;;     v6: i64 = i64.const 1
;;     v7: i64 = i64.const 7
;;     v8: i32 = i32.const 144
;;     v9: i32 = i32.const 8
;;     v10: i64 = i64.load v4
;;     v11: i32 = i64.ne v2, v5
;;     branch v11 ? bb1(v2, v10) : bb4(v10)
;; bb1(v12: i64, v13: i64):
;;     v14: i32 = i32.wrap_i64 v13
;;     v15: f64 = f64.load v14
;;     v16: f64 = f64.convert_i64_s v12
;;     v17: f64 = f64.add v15, v16
;;     v18: i64 = i64.add v12, v3
;;     v19: i32 = i64.ne v12, v6
;;     v20: i32 = i32.load v8
;;     v21: i32 = i32.add v20, v9
;;     i32.store v8, v21
;;     f64.store v20, v17
;;     v22: i64 = i64.extend_i32_u v20
;;     branch v19 ? bb2() : bb3()
;; bb2():
;;     jump bb1(v18, v22)
;; bb3():
;;     jump bb4(v22)
;; bb4(v23: i64):
;;     call fn1 v7
;;     v24: i32 = i32.wrap_i64 v23
;;     v25: f64 = f64.load v24
;;     v26: i64 = i64.trunc_f64_s v25
;;     return v26
;; }
