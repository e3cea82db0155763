;; A load stays before a store to the same place, also where its value is used only after it.
;; run 5 -> 1
;; run 1 -> 1
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x40)
    (request 1 (slot 0x80) (code 0x1000 0x40) (pass 1) (pass 2)))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x1000) (i8 0))
  (data (i32.const 0x900) (i64 1))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (local $before i64)
    (call $position (local.get 0))
    (local.set $before (i64.load (i32.const 0x900)))
    (i64.store (i32.const 0x900) (local.get 2))
    (local.get $before)))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const 2304
;;     v4: i64 = i64.load v3
;;     i64.store v3, v2
;;     return v4
;; }
