;; Around a call that looks at cells and changes one: what is dirty is stored before, what may have
;; changed is loaded after, and the constant cell neither is loaded nor stored again.
;; run 5 -> 1035
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "cells.sync" (func $sync))
  (import "bactrian" "cells.invalidate" (func $invalidate))
  (import "bactrian" "cells.read" (func $read (param i32) (result i64)))
  (import "bactrian" "cells.write" (func $write (param i32 i64)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x40)
    (request 1 (slot 0x80) (code 0x1000 0x40) (pass 1) (pass 2)))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x1000) (i8 0))
  ;; Triples a cell.
  (func $other (param i32)
    (i64.store (local.get 0) (i64.mul (i64.load (local.get 0)) (i64.const 3))))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (call $position (local.get 0))
    (call $write (local.get 1) (local.get 2))
    (call $write (i32.sub (local.get 1) (i32.const 8)) (i64.const 1000))
    (call $sync)
    (call $other (local.get 1))
    (call $invalidate)
    (i64.add
      (call $read (local.get 1))
      (i64.add (call $read (local.get 1)) (call $read (i32.sub (local.get 1) (i32.const 8)))))
    (i64.add (local.get 2))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const -8192
;;     v4: i64 = i64.const 1000
;;     v5: i32 = i32.add v1, v3
;;     i64.store offset=8192 v5, v2
;;     i64.store offset=8184 v5, v4
;;     call fn5 v1
;;     v6: i64 = i64.load offset=8192 v5
;;     v7: i64 = i64.add v6, v4
;;     v8: i64 = i64.add v6, v7
;;     v9: i64 = i64.add v8, v2
;;     return v9
;; }
