;; A call through a slot with another type than the slot's function has: it traps, before and after.
;; So does one through another table, where the index means another function.
;; run 0 -> trap
;; run 1 -> 9
;; run 2 -> 7
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 16)
    (request 1 (slot 0x1004) (code 0x1000 16) (pass 1) (pass 2)))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (type $other (func (param i32) (result i64)))
  (table 2 funcref)
  (table $second 2 funcref)
  (elem (i32.const 1) $interpret)
  (elem (table $second) (i32.const 1) func $nine)
  (data (i32.const 0x1000) (i32 7 1))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry)
      (i32.const 0x1000) (i32.const 0x20000) (local.get 0) (i32.load (i32.const 0x1004))))
  (func $nine (type $other) (i64.const 9))
  (func $interpret (type $entry)
    (call $position (local.get 0))
    (if (i64.eqz (local.get 2))
      (then (return (call_indirect (type $other) (local.get 1) (i32.load offset=4 (local.get 0))))))
    (if (i64.eq (local.get 2) (i64.const 1))
      (then (return
        (call_indirect $second (type $other) (local.get 1) (i32.const 1)))))
    (i64.load32_u (local.get 0))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = address base0+4
;;     v4: i64 = i64.const 1
;;     v5: i32 = i32.const 1
;;     v6: i64 = i64.const 7
;;     v7: i32 = i64.eqz v2
;;     branch v7 ? bb1() : bb2()
;; bb1():
;;     v8: i32 = i32.load v3
;;     tail_call_indirect sig1 t0 v1, v8
;; bb2():
;;     v9: i32 = i64.eq v2, v4
;;     branch v9 ? bb3() : bb4()
;; bb3():
;;     tail_call_indirect sig1 t1 v1, v5
;; bb4():
;;     return v6
;; }
