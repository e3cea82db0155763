;; A loop that begins with a pointer and goes on with a box: the first round is split off, so that
;; later ones make no box. What comes after the loop is there once.
;; run 0 -> 1 after 7
;; run 4 -> 11 after 7
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
  (data (i32.const 0x98) (i64 0xa0) (f64 1))
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
    (local $sum i64)
    (local.set $sum (i64.load (i32.const 0x98)))
    (loop $again
      (call $position (local.get 0))
      (if (i64.ne (local.get 2) (i64.const 0))
        (then
          (call $position (i32.add (local.get 0) (i32.const 1)))
          (local.set $sum
            (call $box
              (f64.add
                (f64.load (i32.wrap_i64 (local.get $sum)))
                (f64.convert_i64_s (local.get 2)))))
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
;;     branch v11 ? bb1() : bb5(v10)
;; bb1():
;;     v12: i32 = i32.wrap_i64 v10
;;     v13: f64 = f64.load v12
;;     v14: f64 = f64.convert_i64_s v2
;;     v15: f64 = f64.add v13, v14
;;     v16: i64 = i64.add v2, v3
;;     v17: i32 = i64.ne v2, v6
;;     v18: i64 = i64.reinterpret_f64 v15
;;     v19: f64 = f64.reinterpret_i64 v18
;;     branch v17 ? bb2(v16, v19) : bb4()
;; bb2(v20: i64, v21: f64):
;;     v22: f64 = f64.convert_i64_s v20
;;     v23: f64 = f64.add v21, v22
;;     v24: i64 = i64.add v20, v3
;;     v25: i32 = i64.ne v20, v6
;;     branch v25 ? bb2(v24, v23) : bb3()
;; bb3():
;;     v26: i64 = i64.reinterpret_f64 v23
;;     v27: f64 = f64.reinterpret_i64 v26
;;     call fn1 v7
;;     v28: i64 = i64.trunc_f64_s v27
;;     return v28
;; bb4():
;;     v29: i32 = i32.load v8
;;     v30: i32 = i32.add v29, v9
;;     i32.store v8, v30
;;     f64.store v29, v15
;;     v31: i64 = i64.extend_i32_u v29
;;     jump bb5(v31)
;; bb5(v32: i64):
;;     call fn1 v7
;;     v33: i32 = i32.wrap_i64 v32
;;     v34: f64 = f64.load v33
;;     v35: i64 = i64.trunc_f64_s v34
;;     return v35
;; }
