;; An address that specialization makes constant, and what is stored there: it may be what an
;; address within a region leads to. A constant in the interpreter's code is not.
;; run 0 -> 5
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "address.within" (func $within (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x40)
    (request 1 (slot 0x80) (code 0x1000 0x40) (pass 1) (pass 2)))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x1000) (i32 0x2000))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x2000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (local $object i32)
    (call $position (local.get 0))
    (local.set 2 (i64.load (call $within (local.get 1) (i32.const 1))))
    (i64.store (i32.const 0x3000) (local.get 2))
    ;; The constant that the code has, in which the region is lost.
    (local.set $object (call $within (i32.load (local.get 0)) (i32.const 1)))
    (i64.store (local.get $object) (i64.const 5))
    (i64.add (local.get 2) (i64.load (call $within (local.get 1) (i32.const 1))))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const 8192
;;     v4: i32 = i32.const 12288
;;     v5: i64 = i64.const 5
;;     v6: i64 = i64.load v1
;;     i64.store v4, v6
;;     i64.store v3, v5
;;     v7: i64 = i64.load v1
;;     v8: i64 = i64.add v6, v7
;;     return v8
;; }
