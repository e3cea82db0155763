;; A call that is evaluated in place needs no sync before it: where the callee returns at once, the
;; caller's cell stays a value. Where it makes a tail call, that becomes a call, which may change
;; the cell: there the cell is stored before and loaded after, and where the two ways meet, the cell
;; is what each has.
;; Code as in calls.wat: the function at 0x1010 calls the one at 0x1000.
;; run 0 -> 17
;; run 5 -> 46
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "cells.sync" (func $sync))
  (import "bactrian" "cells.invalidate" (func $invalidate))
  (import "bactrian" "cells.read" (func $read (param i32) (result i64)))
  (import "bactrian" "cells.write" (func $write (param i32 i64)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x20)
    (request 2 (slot 0x1004) (code 0x1000 16) (pass 1) (pass 2))
    (request 2 (slot 0x1014) (code 0x1010 16) (pass 1) (pass 2)))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 3 funcref)
  (elem (i32.const 2) $interpret)
  (data (i32.const 0x1000) (i32 1 2 0 0))
  (data (i32.const 0x1010) (i32 1 2 1 -16))
  ;; Triples the cell of the caller's caller.
  (func $other (param i32) (result i64)
    (local.set 0 (i32.add (local.get 0) (i32.const 16)))
    (i64.store (local.get 0) (i64.mul (i64.load (local.get 0)) (i64.const 3)))
    (i64.const 1))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry)
      (i32.const 0x1010) (i32.const 0x20000) (local.get 0) (i32.load (i32.const 0x1014))))
  (func $interpret (type $entry)
    (local $callee i32)
    (local $result i64)
    (call $position (local.get 0))
    (if (i32.load offset=8 (local.get 0))
      (then
        (local.set $callee (i32.add (local.get 0) (i32.load offset=12 (local.get 0))))
        (call $write (local.get 1) (i64.add (local.get 2) (i64.const 10)))
        (call $sync)
        (local.set $result (call_indirect (type $entry)
          (local.get $callee) (i32.sub (local.get 1) (i32.const 16)) (local.get 2)
          (i32.load offset=4 (local.get $callee))))
        (call $invalidate)
        (return (i64.add (local.get $result) (call $read (local.get 1))))))
    (if (i64.eqz (local.get 2)) (then (return (i64.const 7))))
    (call $sync)
    (return_call $other (local.get 1))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const 7
;;     v4: i32 = i64.eqz v2
;;     branch v4 ? bb1() : bb2()
;; bb1():
;;     return v3
;; bb2():
;;     tail_call fn5 v1
;; }
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const -8192
;;     v4: i64 = i64.const 17
;;     v5: i64 = i64.const 10
;;     v6: i32 = i32.const -16
;;     v7: i32 = i32.add v1, v3
;;     v8: i64 = i64.add v2, v5
;;     v9: i32 = i64.eqz v2
;;     branch v9 ? bb1() : bb2()
;; bb1():
;;     v10: i64 = i64.add v2, v4
;;     return v10
;; bb2():
;;     i64.store offset=8192 v7, v8
;;     v11: i32 = i32.add v1, v6
;;     v12: i64 = call fn5 v11
;;     v13: i64 = i64.load offset=8192 v7
;;     v14: i64 = i64.add v12, v13
;;     return v14
;; }
