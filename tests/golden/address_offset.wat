;; The same as address_decided.wat, with distances: that a constant of the interpreter's code is 0
;; says nothing of other accesses at a distance from 0.
;; run 5 -> 7042
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "address.within" (func $within (param i32 i32) (result i32)))
  (memory (export "memory") 4)
  (@requests 0x100
    (region 0x1000 0x100)
    (request 1 (slot 0x80) (code 0x1000 0x100) (pass 1) (pass 2)))
  (type $entry (func (param i32 i64 i32) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x1000) (i32 0))
  (func (export "run") (param i64) (result i64)
    (i64.store (i32.const 0x21008) (i64.const 7))
    (i32.store (i32.const 0x20ff0) (i32.const 0x21008))
    (call_indirect (type $entry) (i32.const 0x1000) (local.get 0) (i32.const 0x21008)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry) (local $p i32) (local $t i64) (local $v i64)
    (call $position (local.get 0))
    (local.set $v (i64.or (local.get 1) (i64.const 4)))
    (if (i64.eqz (i64.and (local.get $v) (i64.const 4)))
      (then (local.set $p (i32.shl (local.get 2) (i32.const 3))))
      (else (local.set $p (i32.shl (i32.load (local.get 0)) (i32.const 3)))))
    (local.set $t (i64.load offset=0x21008 (local.get $p)))
    (i64.store
      (call $within (i32.load offset=0x20ff0 (i32.const 0)) (i32.const 1))
      (i64.const 42))
    (i64.add
      (i64.mul (i64.const 1000) (local.get $t))
      (i64.load offset=0x21008 (local.get $p)))))
;; residual
;; function(i32, i64, i32) -> i64 {
;; bb0(v0: i32, v1: i64, v2: i32):
;;     v3: i32 = i32.const 0
;;     v4: i64 = i64.const 42
;;     v5: i64 = i64.const 1000
;;     v6: i64 = i64.load offset=135176 v3
;;     v7: i32 = i32.load offset=135152 v3
;;     i64.store v7, v4
;;     v8: i64 = i64.mul v6, v5
;;     v9: i64 = i64.load offset=135176 v3
;;     v10: i64 = i64.add v8, v9
;;     return v10
;; }
