;; A program that asks how much it allocated: each block and each box is made, although nobody else
;; sees them.
;; run 0 -> 3
;; run 5 -> 8
(module
  (memory (export "memory") 5)
  (@requests 0x100
    (region 0x1000 0x10)
    (request 1 (slot 0x1004) (code 0x1000 8) (pass 1)))
  (@boxes 0x60 (box 3 0))
  (@allocator 0x98 2 0xa8 0xac 0xb0)
  (type $entry (func (param i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret $allocate $box)
  (data (i32.const 0x1000) (i32 0 1))
  (data (i32.const 0xa8) (i32 0x4fe00 0x4fd00 1))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry)
      (i32.const 0x1000) (local.get 0) (i32.load (i32.const 0x1004))))
  (func $allocate (param $bytes i32) (param $header i64) (result i32)
    (local $start i32)
    (local.set $start (i32.sub (i32.load (i32.const 0xa8)) (local.get $bytes)))
    (i32.store (i32.const 0xa8) (local.get $start))
    (i64.store (local.get $start) (local.get $header))
    (i32.add (local.get $start) (i32.const 8)))
  (func $box (param f64) (result i64)
    (local $at i32)
    (local.set $at (call $allocate (i32.const 16) (i64.const 0x4fd)))
    (f64.store (local.get $at) (local.get 0))
    (i64.extend_i32_u (local.get $at)))
  (func $interpret (type $entry)
    (local $pair i32) (local $box i64)
    (local.set $box (call $box (f64.convert_i64_s (local.get 1))))
    (local.set 1 (i64.trunc_sat_f64_s (f64.load (i32.wrap_i64 (local.get $box)))))
    (local.set $pair (call $allocate (i32.const 24) (i64.const 0x800)))
    (i64.store (local.get $pair) (local.get 1))
    (i64.store offset=8 (local.get $pair) (i64.const 3))
    (return (i64.add (i64.load (local.get $pair)) (i64.load offset=8 (local.get $pair))))))
;; residual
;; function(i32, i64) -> i64 {
;; bb0(v0: i32, v1: i64):
;;     v2: i32 = i32.const 168
;;     v3: i32 = i32.const 172
;;     v4: i32 = i32.const -40
;;     v5: i32 = i32.const -16
;;     v6: i32 = i32.const -8
;;     v7: i32 = i32.const -32
;;     v8: i32 = i32.const 16
;;     v9: i64 = i64.const 1277
;;     v10: i32 = i32.const 24
;;     v11: i64 = i64.const 2048
;;     v12: i64 = i64.const 3
;;     v13: i32 = i32.load v2
;;     v14: i32 = i32.load v3
;;     v15: i32 = i32.add v13, v4
;;     v16: i32 = i32.lt_u v15, v14
;;     branch v16 ? bb1() : bb2()
;; bb1():
;;     v17: i32 = call fn1 v8, v9
;;     v18: i32 = call fn1 v10, v11
;;     jump bb3(v17, v18)
;; bb2():
;;     i32.store v2, v15
;;     v19: i32 = i32.add v13, v5
;;     i64.store v19, v9
;;     v20: i32 = i32.add v13, v6
;;     i64.store v15, v11
;;     v21: i32 = i32.add v13, v7
;;     jump bb3(v20, v21)
;; bb3(v22: i32, v23: i32):
;;     v24: f64 = f64.convert_i64_s v1
;;     f64.store v22, v24
;;     v25: i64 = i64.trunc_sat_f64_s v24
;;     i64.store v23, v25
;;     i64.store offset=8 v23, v12
;;     v26: i64 = i64.add v25, v12
;;     return v26
;; }
