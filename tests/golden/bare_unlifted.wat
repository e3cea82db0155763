;; The version for bare numbers of a function that another interpreter runs, which is not lifted: it
;; makes the box, calls the function and looks into what that returns. The function at 0x1000
;; returns a box of the number rounded up; for a negative number it returns 0.
;; run 60 -> 60
;; run -2 -> -1
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x100)
    (request 4 (slot 0x1004) (code 0x1000 16) (pass 1 (box 0)) (returns 0))
    (request 2 (slot 0x1024) (code 0x1020 16) (pass 1)))
  (@boxes 0x60 (box 3 0))
  (type $entry (func (param i32 i64) (result i64)))
  (table 5 funcref)
  (elem (i32.const 2) $interpret $box $other)
  (data (i32.const 0x90) (i32 0x2000))
  (data (i32.const 0x1000) (i32 1 4 1 0))
  (data (i32.const 0x1020) (i32 1 2 2 -32))
  (func $box (param f64) (result i64)
    (local $at i32)
    (local.set $at (i32.load (i32.const 0x90)))
    (i32.store (i32.const 0x90) (i32.add (local.get $at) (i32.const 8)))
    (f64.store (local.get $at) (local.get 0))
    (i64.extend_i32_u (local.get $at)))
  (func $float (param i64) (result f64)
    (f64.load (i32.wrap_i64 (local.get 0))))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1020) (local.get 0) (i32.load (i32.const 0x1024))))
  (func $interpret (type $entry)
    (local $callee i32) (local $result i64)
    (call $position (i32.const 0))
    (if (i32.eq (i32.load offset=8 (local.get 0)) (i32.const 2))
      (then
        (local.set $callee (i32.add (local.get 0) (i32.load offset=12 (local.get 0))))
        (local.set $result
          (call_indirect (type $entry)
            (local.get $callee)
            (call $box (f64.convert_i64_s (local.get 1)))
            (i32.load offset=4 (local.get $callee))))
        (if (i64.eqz (local.get $result)) (then (return (i64.const -1))))
        (return (i64.trunc_f64_s (f64.load (i32.wrap_i64 (local.get $result)))))))
    (unreachable))
  (func $other (type $entry)
    (local $wide v128) (local $left f64)
    (local.set $wide (f64x2.ceil (f64x2.splat (f64.load (i32.wrap_i64 (local.get 1))))))
    (local.set $left (f64x2.extract_lane 0 (local.get $wide)))
    (if (f64.lt (local.get $left) (f64.const 0))
      (then (return (i64.const 0))))
    (call $box (local.get $left))))
;; residual
;; declined: the interpreter's function `other` (fn5) cannot be specialized: offset 0x129: a local is of type v128, and only i32, i64, f32 and f64 are known
;; function(i32, i64) -> i64 {
;; bb0(v0: i32, v1: i64):
;;     v2: i32 = address base0-32
;;     v3: i32 = i32.const 100
;;     v4: i32 = i32.const 0
;;     v5: i64 = i64.const -1
;;     v6: f64 = f64.convert_i64_s v1
;;     v7: i64 = i64.reinterpret_f64 v6
;;     v8: i64 = call_slot sig0 base0-28 bare v2, v7
;;     v9: i32 = i32.load v3
;;     v10: f64 = f64.reinterpret_i64 v8
;;     branch v9 ? bb1() : bb2()
;; bb1():
;;     i32.store v3, v4
;;     return v5
;; bb2():
;;     v11: i64 = i64.trunc_f64_s v10
;;     return v11
;; }
;; function(i32, i64) -> i64 {
;; bb0(v0: i32, v1: i64):
;;     v2: i32 = i32.const 144
;;     v3: i32 = i32.const 8
;;     v4: i32 = i32.const 100
;;     v5: f64 = f64.reinterpret_i64 v1
;;     v6: i32 = i32.load v2
;;     v7: i32 = i32.add v6, v3
;;     i32.store v2, v7
;;     f64.store v6, v5
;;     v8: i64 = i64.extend_i32_u v6
;;     v9: i64 = call_slot sig0 base0+4 v0, v8
;;     v10: i32 = i64.eqz v9
;;     i32.store v4, v10
;;     v11: i32 = i32.wrap_i64 v9
;;     v12: i64 = i64.load v11
;;     return v12
;; }
