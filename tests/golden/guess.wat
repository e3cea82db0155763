;; A guess: where it comes true the code address is known and the load folds; where not, the general
;; path loads.
;; run 4096 -> 65
;; run 4097 -> 66
;; run 4104 -> 0
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "specialize.guess" (func $guess (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x40)
    (request 1 (slot 0x80) (code 0x1000 0x40) (pass 1) (pass 2)))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x1000) "AB")
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (call $position (local.get 0))
    (i64.load8_u (call $guess (i32.wrap_i64 (local.get 2)) (local.get 0)))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = address base0+0
;;     v4: i64 = i64.const 65
;;     v5: i32 = i32.wrap_i64 v2
;;     v6: i32 = i32.eq v5, v3
;;     branch v6 ? bb1() : bb2()
;; bb1():
;;     return v4
;; bb2():
;;     v7: i64 = i64.load8_u v5
;;     return v7
;; }
