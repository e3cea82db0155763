;; A block that nobody else sees is not made; one that only one way hands on is made there.
;; run 0 -> 3
;; run 5 -> 38
(module
  (memory (export "memory") 5)
  (@requests 0x100
    (region 0x1000 0x10)
    (request 1 (slot 0x1004) (code 0x1000 8) (pass 1)))
  (@allocator 0x98 2 0xa8 0xac 0xb0)
  (type $entry (func (param i32 i64) (result i64)))
  (table 3 funcref)
  (elem (i32.const 1) $interpret $allocate)
  (data (i32.const 0x1000) (i32 0 1))
  (data (i32.const 0xa8) (i32 0x4fe00 0x4fd00))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry)
      (i32.const 0x1000) (local.get 0) (i32.load (i32.const 0x1004))))
  (func $allocate (param $bytes i32) (param $header i64) (result i32)
    (local $start i32)
    (local.set $start (i32.sub (i32.load (i32.const 0xa8)) (local.get $bytes)))
    (i32.store (i32.const 0xa8) (local.get $start))
    (i64.store (local.get $start) (local.get $header))
    (i32.add (local.get $start) (i32.const 8)))
  (func $sum (param i64) (result i64)
    (i64.add
      (i64.load (i32.wrap_i64 (local.get 0)))
      (i64.load offset=8 (i32.wrap_i64 (local.get 0)))))
  (func $interpret (type $entry)
    (local $pair i32) (local $kept i32)
    ;; taken apart at once: n + 3
    (local.set $pair (call $allocate (i32.const 24) (i64.const 0x800)))
    (i64.store (local.get $pair) (local.get 1))
    (i64.store offset=8 (local.get $pair) (i64.const 3))
    (local.set 1 (i64.add (i64.load (local.get $pair)) (i64.load offset=8 (local.get $pair))))
    ;; handed on, unless it is 3: with the tag, which is 20
    (local.set $kept (call $allocate (i32.const 24) (i64.const 0x814)))
    (i64.store (local.get $kept) (local.get 1))
    (i64.store offset=8 (local.get $kept) (i64.load8_u (i32.sub (local.get $kept) (i32.const 8))))
    (if (i64.eq (i64.load (local.get $kept)) (i64.const 3))
      (then (return (i64.const 3))))
    (return (i64.add (call $sum (i64.extend_i32_u (local.get $kept))) (i64.const 10)))))
;; residual
;; function(i32, i64) -> i64 {
;; bb0(v0: i32, v1: i64):
;;     v2: i32 = i32.const 168
;;     v3: i32 = i32.const 172
;;     v4: i32 = i32.const -24
;;     v5: i32 = i32.const -16
;;     v6: i64 = i64.const 20
;;     v7: i32 = i32.const 24
;;     v8: i64 = i64.const 3
;;     v9: i64 = i64.const 2068
;;     v10: i32 = i32.const 8
;;     v11: i64 = i64.const 10
;;     v12: i64 = i64.add v1, v8
;;     v13: i32 = i64.eq v12, v8
;;     branch v13 ? bb1() : bb2()
;; bb1():
;;     return v8
;; bb2():
;;     v14: i32 = i32.load v2
;;     v15: i32 = i32.load v3
;;     v16: i32 = i32.add v14, v4
;;     v17: i32 = i32.lt_u v16, v15
;;     branch v17 ? bb3() : bb4()
;; bb3():
;;     v18: i32 = call fn1 v7, v9
;;     jump bb5(v18)
;; bb4():
;;     i32.store v2, v16
;;     i64.store v16, v9
;;     v19: i32 = i32.add v14, v5
;;     jump bb5(v19)
;; bb5(v20: i32):
;;     i64.store v20, v12
;;     v21: i32 = i32.add v20, v10
;;     i64.store v21, v6
;;     v22: i64 = i64.extend_i32_u v20
;;     v23: i64 = call fn2 v22
;;     v24: i64 = i64.add v23, v11
;;     return v24
;; }
