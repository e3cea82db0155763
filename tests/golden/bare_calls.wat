;; A parameter that is always a box, and a result that is one or 0: calls by name pass the bits, to
;; a version of the function for that. Where it raises, it says so by a word.
;; The function at 0x1000 returns twice the number, and 0 for a negative one; 0x1020 boxes a number,
;; calls it, and returns what is in the box, or -1.
;; run 4 -> 8
;; run -4 -> -1
;; run 6 -> 12
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x100)
    (request 2 (slot 0x1004) (code 0x1000 16) (pass 1 (box 0)) (returns 0) recursive)
    (request 2 (slot 0x1024) (code 0x1020 16) (pass 1)))
  (@boxes 0x60 (box 3 0))
  (type $entry (func (param i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 2) $interpret $box)
  (data (i32.const 0x90) (i32 0x2000))
  (data (i32.const 0x1000) (i32 1 2 1 0))
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
    (call $position (local.get 0))
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
    (if (f64.lt (f64.load (i32.wrap_i64 (local.get 1))) (f64.const 0))
      (then (return (i64.const 0))))
    (call $box (f64.mul (f64.load (i32.wrap_i64 (local.get 1))) (f64.const 2)))))
;; residual
;; function(i32, i64) -> i64 {
;; bb0(v0: i32, v1: i64):
;;     v2: f64 = f64.const 0x0000000000000000
;;     v3: i64 = i64.const 0
;;     v4: f64 = f64.const 0x4000000000000000
;;     v5: i32 = i32.const 144
;;     v6: i32 = i32.const 8
;;     v7: i32 = i32.wrap_i64 v1
;;     v8: f64 = f64.load v7
;;     v9: i32 = f64.lt v8, v2
;;     branch v9 ? bb1() : bb2()
;; bb1():
;;     return v3
;; bb2():
;;     v10: f64 = f64.mul v8, v4
;;     v11: i32 = i32.load v5
;;     v12: i32 = i32.add v11, v6
;;     i32.store v5, v12
;;     f64.store v11, v10
;;     v13: i64 = i64.extend_i32_u v11
;;     return v13
;; }
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
;;     v2: f64 = f64.const 0x0000000000000000
;;     v3: i32 = i32.const 100
;;     v4: i32 = i32.const 1
;;     v5: i64 = i64.const 0
;;     v6: f64 = f64.const 0x4000000000000000
;;     v7: f64 = f64.reinterpret_i64 v1
;;     v8: i32 = f64.lt v7, v2
;;     branch v8 ? bb1() : bb2()
;; bb1():
;;     i32.store v3, v4
;;     return v5
;; bb2():
;;     v9: f64 = f64.mul v7, v6
;;     v10: i64 = i64.reinterpret_f64 v9
;;     return v10
;; }
