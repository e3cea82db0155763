;; The address of a box is never 0, so a condition on it is known, and no box is made for it. Where
;; a condition looks at another address in it, a box is made, which may ask for a safepoint: the
;; loop polls. The word at 0x1008 says which of the two it is.
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
  (@boxes 0x60 (box 3 0))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 2) $interpret $box)
  (data (i32.const 0x90) (i32 0x2008))
  (data (i32.const 0x1000) (i32 1 2 0 0))
  (data (i32.const 0x1010) (i32 1 2 1 0))
  (func $box (param f64) (result i64)
    (local $at i32)
    (local.set $at (i32.load (i32.const 0x90)))
    (i32.store (i32.const 0x90) (i32.add (local.get $at) (i32.const 8)))
    (f64.store (local.get $at) (local.get 0))
    (i64.extend_i32_u (local.get $at)))
  (func (export "run") (param $plain i32) (param $rounds i64) (result i64)
    (local $code i32)
    (local.set $code (select (i32.const 0x1000) (i32.const 0x1010) (local.get $plain)))
    (call_indirect (type $entry)
      (local.get $code) (i32.const 0x20000) (local.get $rounds)
      (i32.load offset=4 (local.get $code))))
  (func $poll (i32.store (i32.const 0x400) (i32.const 0)))
  (func $interpret (type $entry)
    (local $sum i64) (local $at i32)
    (call $position (local.get 0))
    (call $poll)
    (call $passed)
    (loop $again
      (if (i32.eqz (call $needless)) (then (call $poll) (call $passed)))
      (local.set $at
        (i32.wrap_i64 (call $box (f64.convert_i64_s (local.get $sum)))))
      (if (i32.load offset=8 (local.get 0))
        (then (local.set $at (i32.sub (local.get $at) (i32.const 0x2008)))))
      (local.set $sum (i64.add (local.get $sum) (i64.const 1)))
      (if (local.get $at) (then (i64.store (local.get 1) (local.get $sum))))
      (br_if $again (i64.ne (local.get $sum) (local.get 2))))
    (return (local.get $sum))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const 0
;;     v4: i64 = i64.const 1
;;     call fn5
;;     jump bb1(v3)
;; bb1(v5: i64):
;;     v6: i64 = i64.add v5, v4
;;     i64.store v1, v6
;;     v7: i32 = i64.ne v6, v2
;;     branch v7 ? bb1(v6) : bb2()
;; bb2():
;;     return v6
;; }
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const 0
;;     v4: i64 = i64.const 1
;;     v5: i32 = i32.const 144
;;     v6: i32 = i32.const 8
;;     v7: i32 = i32.const -8200
;;     call fn5
;;     jump bb1(v3)
;; bb1(v8: i64):
;;     call fn5
;;     v9: f64 = f64.convert_i64_s v8
;;     v10: i64 = i64.add v8, v4
;;     v11: i32 = i32.load v5
;;     v12: i32 = i32.add v11, v6
;;     i32.store v5, v12
;;     f64.store v11, v9
;;     v13: i32 = i32.add v11, v7
;;     branch v13 ? bb2() : bb3()
;; bb2():
;;     i64.store v1, v10
;;     jump bb3()
;; bb3():
;;     v14: i32 = i64.ne v10, v2
;;     branch v14 ? bb1(v10) : bb4()
;; bb4():
;;     return v10
;; }
