;; A loop in which nothing can come to wait for a safepoint has no poll; one that stores to an
;; address that is known, as allocation does, has it. The word at 0x1008 says which of the two it
;; is.
;; run 1 5 -> 5
;; run 0 5 -> 5
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "safepoint.passed" (func $passed))
  (import "bactrian" "safepoint.needless" (func $needless (result i32)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x20)
    (request 2 (slot 0x1004) (code 0x1000 16) (pass 1) (pass 2))
    (request 2 (slot 0x1014) (code 0x1010 16) (pass 1) (pass 2)))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 3 funcref)
  (elem (i32.const 2) $interpret)
  (data (i32.const 0x1000) (i32 1 2 0 0))
  (data (i32.const 0x1010) (i32 1 2 1 0))
  (func (export "run") (param $quiet i32) (param $rounds i64) (result i64)
    (local $code i32)
    (local.set $code (select (i32.const 0x1000) (i32.const 0x1010) (local.get $quiet)))
    (call_indirect (type $entry)
      (local.get $code) (i32.const 0x20000) (local.get $rounds)
      (i32.load offset=4 (local.get $code))))
  (func $poll (i32.store (i32.const 0x400) (i32.const 0)))
  (func $interpret (type $entry)
    (local $sum i64)
    (call $position (local.get 0))
    (call $poll)
    (call $passed)
    (loop $again
      (if (i32.eqz (call $needless)) (then (call $poll) (call $passed)))
      (if (i32.load offset=8 (local.get 0)) (then (i32.store (i32.const 0x404) (i32.const 7))))
      (i64.store (local.get 1) (local.get $sum))
      (local.set $sum (i64.add (local.get $sum) (i64.const 1)))
      (br_if $again (i64.ne (local.get $sum) (local.get 2))))
    (return (local.get $sum))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const 0
;;     v4: i64 = i64.const 1
;;     call fn4
;;     jump bb1(v3)
;; bb1(v5: i64):
;;     i64.store v1, v5
;;     v6: i64 = i64.add v5, v4
;;     v7: i32 = i64.ne v6, v2
;;     branch v7 ? bb1(v6) : bb2()
;; bb2():
;;     return v6
;; }
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const 0
;;     v4: i32 = i32.const 1028
;;     v5: i32 = i32.const 7
;;     v6: i64 = i64.const 1
;;     call fn4
;;     jump bb1(v3)
;; bb1(v7: i64):
;;     call fn4
;;     i32.store v4, v5
;;     i64.store v1, v7
;;     v8: i64 = i64.add v7, v6
;;     v9: i32 = i64.ne v8, v2
;;     branch v9 ? bb1(v8) : bb2()
;; bb2():
;;     return v8
;; }
