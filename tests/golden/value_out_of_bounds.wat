;; Code after a value specialization sees the value itself, inside the bounds and outside: table
;; entries are constants only inside.
;; run 0 -> 11
;; run 1 -> 22
;; run 2 -> 33
;; run 3 -> 0
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "specialize.value" (func $value (param i32 i32 i32) (result i32)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x40)
    (request 1 (slot 0x80) (code 0x1000 0x40) (pass 1) (pass 2)))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x1000) (i8 0 11 22 33))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (local $v i32)
    (call $position (local.get 0))
    (local.set $v (call $value (i32.wrap_i64 (local.get 2)) (i32.const 0) (i32.const 2)))
    (i64.load8_u offset=1 (i32.add (local.get 0) (local.get $v)))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const 1
;;     v4: i64 = i64.const 11
;;     v5: i64 = i64.const 22
;;     v6: i32 = address base0+0
;;     v7: i32 = i32.wrap_i64 v2
;;     branch v7 ? bb1() : bb4()
;; bb1():
;;     v8: i32 = i32.eq v7, v3
;;     branch v8 ? bb2() : bb3()
;; bb2():
;;     return v5
;; bb3():
;;     v9: i32 = i32.add v6, v7
;;     v10: i64 = i64.load8_u offset=1 v9
;;     return v10
;; bb4():
;;     return v4
;; }
