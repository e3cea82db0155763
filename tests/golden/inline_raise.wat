;; Where a call that is evaluated in place returns 0, which says that it raised, and where what it
;; returns is said to be another number, the caller's test is decided.
;; Code as in calls.wat: the function at 0x1010 calls the one at 0x1000.
;; run 0 -> -1
;; run 4 -> 8
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "value.nonzero" (func $nonzero (param i64) (result i64)))
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
        (local.set $result (call_indirect (type $entry)
          (local.get $callee) (local.get 1) (local.get 2) (i32.load offset=4 (local.get $callee))))
        (if (i64.eqz (local.get $result)) (then (return (i64.const -1))))
        (return (i64.mul (local.get $result) (i64.const 2)))))
    (if (i64.eqz (local.get 2)) (then (return (i64.const 0))))
    (return (call $nonzero (local.get 2)))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const 0
;;     v4: i32 = i64.eqz v2
;;     branch v4 ? bb1() : bb2()
;; bb1():
;;     return v3
;; bb2():
;;     return v2
;; }
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const -1
;;     v4: i64 = i64.const 2
;;     v5: i32 = i64.eqz v2
;;     branch v5 ? bb1() : bb2()
;; bb1():
;;     return v3
;; bb2():
;;     v6: i64 = i64.mul v2, v4
;;     return v6
;; }
