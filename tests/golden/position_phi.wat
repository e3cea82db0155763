;; Two arms of a conditional end in one announcement of the position. They are kept apart: each arm
;; has its own constants.
;; run 0 -> 20
;; run 1 -> 10
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (memory (export "memory") 3)
  (global (export "BACTRIAN_REQUESTS") i32 (i32.const 0x100))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x100) (i32 0x54434142 2 0x120 1 0x140 1))
  (data (i32.const 0x120) (i32 0x1000 0x40))
  (data (i32.const 0x140) (i32 1 0x80 0 0x40 3 0)
    (i32 2 0) (i64 0x1000) (i32 0 0) (i64 1) (i32 0 0) (i64 2))
  (data (i32.const 0x1000) (i8 0 3 10 20))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (local $target i32)
    (call $position (local.get 0))
    (local.set $target
      (if (result i32) (i64.eqz (local.get 2))
        (then (i32.add (local.get 0) (i32.load8_u offset=1 (local.get 0))))
        (else (i32.add (local.get 0) (i32.const 2)))))
    (call $position (local.get $target))
    (i64.load8_u (local.get $target))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const 20
;;     v4: i64 = i64.const 10
;;     v5: i32 = i64.eqz v2
;;     branch v5 ? bb1() : bb2()
;; bb1():
;;     return v3
;; bb2():
;;     return v4
;; }
