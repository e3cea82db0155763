;; An interpreter that counts from the beginning of its code: a base is never 0, what is computed of
;; one may be.
;; run 0 -> 1
(module
  (import "bactrian" "context.update" (func $position (param i32)))
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
    (call $position (local.get 0))
    (if (i32.eqz (i32.sub (local.get 0) (i32.const 0x1000))) (then (return (i64.const 1))))
    (i64.const 2)))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = address base0-4096
;;     v4: i64 = i64.const 1
;;     v5: i64 = i64.const 2
;;     branch v3 ? bb1() : bb2()
;; bb1():
;;     return v5
;; bb2():
;;     return v4
;; }
