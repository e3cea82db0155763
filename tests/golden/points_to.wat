;; The word behind a pointer that is said to point to it is not loaded, not even after the pointer
;; has gone through a cell that another function may have changed; there the pointer is loaded
;; again. A call through the word is known.
;; Code as in calls.wat: the function at 0x1010 calls what is in the block that it makes, the one at
;; 0x1000.
;; run 4 -> 5
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "cells.sync" (func $sync))
  (import "bactrian" "cells.invalidate" (func $invalidate))
  (import "bactrian" "cells.read" (func $read (param i32) (result i64)))
  (import "bactrian" "cells.write" (func $write (param i32 i64)))
  (import "bactrian" "value.points_to" (func $points_to (param i64 i32) (result i64)))
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
  (data (i32.const 0x3000) (i64 0x2000))
  (func $other)
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry)
      (i32.const 0x1010) (i32.const 0x20000) (local.get 0) (i32.load (i32.const 0x1014))))
  (func $interpret (type $entry)
    (local $callee i32)
    (call $position (local.get 0))
    (if (i32.eqz (i32.load offset=8 (local.get 0)))
      (then (return (i64.add (local.get 2) (i64.const 1)))))
    (i32.store (i32.const 0x2000) (i32.add (local.get 0) (i32.load offset=12 (local.get 0))))
    (call $write (local.get 1)
      (call $points_to (i64.load (i32.const 0x3000))
        (i32.add (local.get 0) (i32.load offset=12 (local.get 0)))))
    (call $sync)
    (call $other)
    (call $invalidate)
    (local.set $callee (i32.load (i32.wrap_i64 (call $read (local.get 1)))))
    (return (call_indirect (type $entry)
      (local.get $callee) (local.get 1) (local.get 2) (i32.load offset=4 (local.get $callee))))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const 1
;;     v4: i64 = i64.add v2, v3
;;     return v4
;; }
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const -8192
;;     v4: i32 = i32.const 8192
;;     v5: i32 = address base0-16
;;     v6: i32 = i32.const 12288
;;     v7: i64 = i64.const 1
;;     v8: i32 = i32.add v1, v3
;;     i32.store v4, v5
;;     v9: i64 = i64.load v6
;;     i64.store offset=8192 v8, v9
;;     call fn6
;;     v10: i64 = i64.add v2, v7
;;     return v10
;; }
