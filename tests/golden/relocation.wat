;; An address of the program that escapes into residual code is relocatable: base and offset, not a
;; number.
;; run 2 -> 1 after 4104
;; run 4104 -> 10 after 4104
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "env" "report" (func $report (param i64)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x40)
    (request 1 (slot 0x80) (code 0x1000 0x40) (pass 1) (pass 2)))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x1000) (i8 0))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (local $here i32)
    (call $position (local.get 0))
    (local.set $here (i32.add (local.get 0) (i32.const 8)))
    (call $report (i64.extend_i32_u (local.get $here)))
    (select (i64.const 10) (i64.const 1) (i32.eq (local.get $here) (i32.wrap_i64 (local.get 2))))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = address base0+8
;;     v4: i64 = i64.const 10
;;     v5: i64 = i64.const 1
;;     v6: i64 = i64.extend_i32_u v3
;;     call fn1 v6
;;     v7: i32 = i32.wrap_i64 v2
;;     v8: i32 = i32.eq v3, v7
;;     v9: i64 = select v4, v5, v8
;;     return v9
;; }
