;; A value specialization whose bounds do not begin at 0: the selector is rebased, each value has its own
;; constants, and values outside of the bounds take the general path.
;; run 3 -> 103
;; run 4 -> 104
;; run 5 -> 105
;; run 2 -> 102
;; run 6 -> 106
;; run 0 -> 100
;; run -1 -> 4294967395
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "specialize.value" (func $value (param i32 i32 i32) (result i32)))
  (memory (export "memory") 3)
  (global (export "BACTRIAN_REQUESTS") i32 (i32.const 0x100))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x100) (i32 0x54434142 1 0x120 1 0x140 1))
  (data (i32.const 0x120) (i32 0x1000 0x40))
  (data (i32.const 0x140) (i32 1 0x80 0 0x40 3 0)
    (i32 2 0) (i64 0x1000) (i32 0 0) (i64 1) (i32 0 0) (i64 2))
  (data (i32.const 0x1000) (i8 0))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0) (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (local $v i32)
    (call $position (local.get 0))
    (local.set $v (call $value (i32.wrap_i64 (local.get 2)) (i32.const 3) (i32.const 6)))
    (i64.extend_i32_u (local.get $v))
    (i64.add (i64.const 100))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const -3
;;     v4: i64 = i64.const 103
;;     v5: i64 = i64.const 104
;;     v6: i64 = i64.const 105
;;     v7: i64 = i64.const 100
;;     v8: i32 = i32.wrap_i64 v2
;;     v9: i32 = i32.add v8, v3
;;     switch v9 [bb1(), bb2(), bb3()] default bb4()
;; bb1():
;;     return v4
;; bb2():
;;     return v5
;; bb3():
;;     return v6
;; bb4():
;;     v10: i64 = i64.extend_i32_u v8
;;     v11: i64 = i64.add v10, v7
;;     return v11
;; }
