;; Virtual registers at absolute addresses. One that was not written yet is loaded from memory, not
;; taken for 0; one that is written on one path only is right on both.
;; run 0 -> 40
;; run 1 -> 41
(module
  (import "bactrian" "context.update" (func $position (param i32)))
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
  (data (i32.const 0x11000) (i64 40))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (call $position (local.get 0))
    (if (i64.ne (local.get 2) (i64.const 0))
      (then (call $write (i32.const 0x11000) (i64.const 41))))
    (call $read (i32.const 0x11000))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const 0
;;     v4: i64 = i64.const 41
;;     v5: i32 = i32.const 69632
;;     v6: i32 = i64.ne v2, v3
;;     branch v6 ? bb1() : bb2()
;; bb1():
;;     return v4
;; bb2():
;;     v7: i64 = i64.load v5
;;     return v7
;; }
