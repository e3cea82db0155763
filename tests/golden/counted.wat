;; A program that asks how much it allocated: each block is made, although nobody else sees it.
;; run 0 -> 3
;; run 5 -> 8
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
  (func $interpret (type $entry)
    (local $pair i32)
    (local.set $pair (call $allocate (i32.const 24) (i64.const 0x800)))
    (i64.store (local.get $pair) (local.get 1))
    (i64.store offset=8 (local.get $pair) (i64.const 3))
    (return (i64.add (i64.load (local.get $pair)) (i64.load offset=8 (local.get $pair))))))
;; residual
;; function(i32, i64) -> i64 {
;; bb0(v0: i32, v1: i64):
;;     v2: i32 = i32.const 168
;;     v3: i32 = i32.const 172
;;     v4: i32 = i32.const -24
;;     v5: i32 = i32.const -16
;;     v6: i32 = i32.const 24
;;     v7: i64 = i64.const 2048
;;     v8: i64 = i64.const 3
;;     v9: i32 = i32.load v2
;;     v10: i32 = i32.load v3
;;     v11: i32 = i32.add v9, v4
;;     v12: i32 = i32.lt_u v11, v10
;;     branch v12 ? bb1() : bb2()
;; bb1():
;;     v13: i32 = call fn1 v6, v7
;;     jump bb3(v13)
;; bb2():
;;     i32.store v2, v11
;;     i64.store v11, v7
;;     v14: i32 = i32.add v9, v5
;;     jump bb3(v14)
;; bb3(v15: i32):
;;     i64.store v15, v1
;;     i64.store offset=8 v15, v8
;;     v16: i64 = i64.add v1, v8
;;     return v16
;; }
