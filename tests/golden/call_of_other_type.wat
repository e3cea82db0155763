;; Two types that read alike, of which one may have subtypes: a call of one by the other traps. The
;; table index is in a slot, whose request is known.
;; run 5 -> trap
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x40)
    (request 1 (slot 0x1020) (code 0x1000 0x20) (pass 1)))
  (type $entry (sub (func (param i32 i64) (result i64))))
  (type $other (func (param i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x1020) (i32 1))
  (data (i32.const 0x1000) (i8 7))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (local.get 0)
      (i32.load (i32.const 0x1020))))
  (func $interpret (type $entry)
    (call $position (local.get 0))
    (if (result i64) (i64.eqz (local.get 1))
      (then (i64.const 3))
      (else
        (call_indirect (type $other) (local.get 0) (i64.const 0)
          (i32.load offset=0x20 (local.get 0)))))))
;; residual
;; function(i32, i64) -> i64 {
;; bb0(v0: i32, v1: i64):
;;     v2: i64 = i64.const 3
;;     v3: i32 = address base0+0
;;     v4: i64 = i64.const 0
;;     v5: i32 = address base0+32
;;     v6: i32 = i64.eqz v1
;;     branch v6 ? bb1() : bb2()
;; bb1():
;;     return v2
;; bb2():
;;     v7: i32 = i32.load v5
;;     tail_call_indirect sig1 t0 v3, v4, v7
;; }
