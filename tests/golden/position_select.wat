;; The same as position_phi.wat, with a select: it becomes a branch.
;; run 0 -> 20
;; run 1 -> 10
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
  (data (i32.const 0x1000) (i8 0 3 10 20))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (local $target i32)
    (call $position (local.get 0))
    (local.set $target
      (select
        (i32.add (local.get 0) (i32.load8_u offset=1 (local.get 0)))
        (i32.add (local.get 0) (i32.const 2))
        (i64.eqz (local.get 2))))
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
