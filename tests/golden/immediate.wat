;; An odd number is not tested for being one, nor is its lower half; a number of which nothing is
;; known is.
;; Code as in calls.wat: two functions, of which the second says that its parameter is odd.
;; run 7 -> 7
;; run 8 -> 9
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "value.immediate" (func $immediate (param i64) (result i64)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x20)
    (request 1 (slot 0x1004) (code 0x1000 16) (pass 1))
    (request 1 (slot 0x1014) (code 0x1010 16) (pass 1)))
  (type $entry (func (param i32 i64) (result i64)))
  (table 2 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x1000) (i32 1 1 0 0))
  (data (i32.const 0x1010) (i32 1 1 1 0))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry)
      (i32.const 0x1010)
      (call_indirect (type $entry)
        (i32.const 0x1000) (local.get 0) (i32.load (i32.const 0x1004)))
      (i32.load (i32.const 0x1014))))
  (func $interpret (type $entry)
    (call $position (local.get 0))
    (if (i32.load offset=8 (local.get 0))
      (then (local.set 1 (call $immediate (local.get 1)))))
    (if (i64.eqz (i64.and (local.get 1) (i64.const 1)))
      (then (return (i64.add (local.get 1) (i64.const 1)))))
    (if (i32.eqz (i32.and (i32.wrap_i64 (local.get 1)) (i32.const 1)))
      (then (return (i64.const 0))))
    (return (local.get 1))))
;; residual
;; function(i32, i64) -> i64 {
;; bb0(v0: i32, v1: i64):
;;     v2: i64 = i64.const 1
;;     v3: i32 = i32.const 1
;;     v4: i64 = i64.const 0
;;     v5: i64 = i64.and v1, v2
;;     v6: i32 = i64.eqz v5
;;     branch v6 ? bb1() : bb2()
;; bb1():
;;     v7: i64 = i64.add v1, v2
;;     return v7
;; bb2():
;;     v8: i32 = i32.wrap_i64 v1
;;     v9: i32 = i32.and v8, v3
;;     branch v9 ? bb3() : bb4()
;; bb3():
;;     return v1
;; bb4():
;;     return v4
;; }
;; function(i32, i64) -> i64 {
;; bb0(v0: i32, v1: i64):
;;     return v1
;; }
