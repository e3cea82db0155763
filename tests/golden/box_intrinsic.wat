;; What makes a box asks something of the specializer: it is called, as a copy would get no answer.
;; run 5 -> 5
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "safepoint.needless" (func $needless (result i32)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x40)
    (request 1 (slot 0x80) (code 0x1000 0x40) (pass 1) (pass 2)))
  (@boxes 0x60 (box 2 0))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret $box)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x90) (i32 0x2008))
  (data (i32.const 0x1000) (i8 0))
  (func $box (param f64) (result i64)
    (local $at i32)
    (local.set $at (i32.load (i32.const 0x90)))
    (i32.store (i32.const 0x90)
      (i32.add (local.get $at) (i32.add (i32.const 8) (call $needless))))
    (f64.store (local.get $at) (local.get 0))
    (i64.extend_i32_u (local.get $at)))
  (func (export "run") (param i64) (result i64)
    (i64.trunc_f64_s (f64.load (i32.wrap_i64
      (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
        (i32.load (i32.const 0x80)))))))
  (func $interpret (type $entry)
    (call $position (local.get 0))
    (call $box (f64.convert_i64_s (local.get 2)))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: f64 = f64.convert_i64_s v2
;;     tail_call fn2 v3
;; }
