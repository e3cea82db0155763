;; An address that becomes constant as a block is never made may be within a region: it is no
;; constant of the interpreter's code.
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
  (elem (i32.const 1) $interpret $allocate)
  (@allocator 0x60 2 0x90 0x94 0x98)
  (data (i32.const 0x90) (i32 0x30000 0x28000 0))
  (data (i32.const 0x80) (i32 1))
  ;; the program: a pointer to an object
  (data (i32.const 0x1000) (i32 0x21008))
  (func $allocate (param $bytes i32) (param $header i64) (result i32) (local $start i32)
    (local.set $start (i32.sub (i32.load (i32.const 0x90)) (local.get $bytes)))
    (if (i32.lt_u (local.get $start) (i32.load (i32.const 0x94))) (then (unreachable)))
    (i32.store (i32.const 0x90) (local.get $start))
    (i64.store (local.get $start) (local.get $header))
    (i32.add (local.get $start) (i32.const 8)))
  (func (export "run") (param i64) (result i64)
    (i64.store (i32.const 0x21008) (i64.const 7))
    (i32.store (i32.const 0x20ff0) (i32.const 0x21008))
    (call_indirect (type $entry) (i32.const 0x1000) (local.get 0) (i32.const 0x21008)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry) (local $p i32) (local $b i32) (local $t i64) (local $v i64)
    (call $position (local.get 0))
    (local.set $b (call $allocate (i32.const 16) (i64.const 1024)))
    (i32.store (local.get $b) (i32.load (local.get 0)))
    (local.set $p (i32.load (local.get $b)))
    (local.set $t (i64.load (local.get $p)))
    (i64.store (call $within (i32.load (i32.const 0x20ff0)) (i32.const 1)) (i64.const 42))
    (i64.add (i64.mul (i64.const 1000) (local.get $t)) (i64.load (local.get $p)))))
;; residual
;; function(i32, i64, i32) -> i64 {
;; bb0(v0: i32, v1: i64, v2: i32):
;;     v3: i32 = i32.const 135176
;;     v4: i32 = i32.const 135152
;;     v5: i64 = i64.const 42
;;     v6: i64 = i64.const 1000
;;     v7: i64 = i64.load v3
;;     v8: i32 = i32.load v4
;;     i64.store v8, v5
;;     v9: i64 = i64.mul v7, v6
;;     v10: i64 = i64.load v3
;;     v11: i64 = i64.add v9, v10
;;     return v11
;; }
