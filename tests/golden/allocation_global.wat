;; An allocation's slow path may set a global: what is read of one before it stays before it.
;; run 5 -> 5
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (memory (export "memory") 8)
  (@requests 0x100
    (region 0x1000 0x100)
    (request 1 (slot 0x80) (code 0x1000 0x100) (pass 1)))
  (@allocator 0x60 2 0x90 0x94 0x98)
  (type $entry (func (param i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret $allocate)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x90) (i32 0x30000 0x30000 0))
  (data (i32.const 0x1000) (i32 0x21008))
  (global $chunks (mut i32) (i32.const 0))
  (func $allocate (param $bytes i32) (param $header i64) (result i32) (local $start i32)
    (local.set $start (i32.sub (i32.load (i32.const 0x90)) (local.get $bytes)))
    (if (i32.lt_u (local.get $start) (i32.load (i32.const 0x94)))
      (then
        (global.set $chunks (i32.add (global.get $chunks) (i32.const 1)))
        (i32.store (i32.const 0x90) (i32.const 0x40000))
        (local.set $start (i32.sub (i32.const 0x40000) (local.get $bytes)))))
    (i32.store (i32.const 0x90) (local.get $start))
    (i64.store (local.get $start) (local.get $header))
    (i32.add (local.get $start) (i32.const 8)))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (local.get 0) (i32.load (i32.const 0x80))))
  (func $interpret (type $entry) (local $p i32) (local $n i32)
    (call $position (local.get 0))
    (local.set $n (global.get $chunks))
    (local.set $p (call $allocate (i32.const 16) (i64.const 1024)))
    (i64.store (local.get $p) (local.get 1))
    (i32.store (i32.const 0x20000) (local.get $p))
    (i64.add
      (i64.load (i32.load (i32.const 0x20000)))
      (i64.extend_i32_u (i32.mul (local.get $n) (i32.const 100))))))
;; residual
;; function(i32, i64) -> i64 {
;; bb0(v0: i32, v1: i64):
;;     v2: i32 = i32.const 144
;;     v3: i32 = i32.const 148
;;     v4: i32 = i32.const -16
;;     v5: i32 = i32.const -8
;;     v6: i32 = i32.const 16
;;     v7: i64 = i64.const 1024
;;     v8: i32 = i32.const 131072
;;     v9: i32 = i32.const 100
;;     v10: i32 = global.get global2
;;     v11: i32 = i32.load v2
;;     v12: i32 = i32.load v3
;;     v13: i32 = i32.add v11, v4
;;     v14: i32 = i32.lt_u v13, v12
;;     branch v14 ? bb1() : bb2()
;; bb1():
;;     v15: i32 = call fn1 v6, v7
;;     jump bb3(v15)
;; bb2():
;;     i32.store v2, v13
;;     i64.store v13, v7
;;     v16: i32 = i32.add v11, v5
;;     jump bb3(v16)
;; bb3(v17: i32):
;;     i64.store v17, v1
;;     i32.store v8, v17
;;     v18: i64 = i64.load v17
;;     v19: i32 = i32.mul v10, v9
;;     v20: i64 = i64.extend_i32_u v19
;;     v21: i64 = i64.add v18, v20
;;     return v21
;; }
