;; A call in tail position stays one in the version for bare numbers, and a call of that version is
;; none where its result would have to be boxed: the function at 0x1000 halves a number until it is
;; small, by tail calls of itself; 0x1020 does nothing but call it; 0x1040, of whose result nothing
;; is said, calls 0x1020. What is run is the sum of what 0x1040 and 0x1020 return, 0x1060 and 0x1080
;; having looked into the boxes.
;; run 20 -> 2
;; run 3 -> 2
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x100)
    (request 2 (slot 0x1004) (code 0x1000 16) (pass 1 (box 0)) (returns 0) recursive)
    (request 2 (slot 0x1024) (code 0x1020 16) (pass 1 (box 0)) (returns 0) recursive)
    (request 2 (slot 0x1044) (code 0x1040 16) (pass 1) recursive)
    (request 2 (slot 0x1064) (code 0x1060 16) (pass 1) recursive)
    (request 2 (slot 0x1084) (code 0x1080 16) (pass 1) recursive))
  (@boxes 0x60 (box 3 0))
  (type $entry (func (param i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 2) $interpret $box)
  (data (i32.const 0x90) (i32 0x2000))
  (data (i32.const 0x1000) (i32 1 2 1 0))
  (data (i32.const 0x1020) (i32 1 2 2 -32))
  (data (i32.const 0x1040) (i32 1 2 2 -32))
  (data (i32.const 0x1060) (i32 1 2 3 -32))
  (data (i32.const 0x1080) (i32 1 2 3 -96))
  (func $box (param f64) (result i64)
    (local $at i32)
    (local.set $at (i32.load (i32.const 0x90)))
    (i32.store (i32.const 0x90) (i32.add (local.get $at) (i32.const 8)))
    (f64.store (local.get $at) (local.get 0))
    (i64.extend_i32_u (local.get $at)))
  (func $float (param i64) (result f64)
    (f64.load (i32.wrap_i64 (local.get 0))))
  (func (export "run") (param i64) (result i64)
    (i64.add
      (call_indirect (type $entry) (i32.const 0x1060) (local.get 0) (i32.load (i32.const 0x1064)))
      (call_indirect (type $entry) (i32.const 0x1080) (local.get 0) (i32.load (i32.const 0x1084)))))
  (func $interpret (type $entry)
    (local $callee i32) (local $op i32)
    (call $position (local.get 0))
    (local.set $op (i32.load offset=8 (local.get 0)))
    (local.set $callee (i32.add (local.get 0) (i32.load offset=12 (local.get 0))))
    ;; 3: what is in the box that the callee returns for the number
    (if (i32.eq (local.get $op) (i32.const 3))
      (then
        (local.set 1
          (call_indirect (type $entry)
            (local.get $callee)
            (call $box (f64.convert_i64_s (local.get 1)))
            (i32.load offset=4 (local.get $callee))))
        (return (i64.trunc_f64_s (call $float (local.get 1))))))
    ;; 2: calls it
    (if (i32.eq (local.get $op) (i32.const 2))
      (then
        (return (call_indirect (type $entry)
          (local.get $callee) (local.get 1) (i32.load offset=4 (local.get $callee))))))
    (if (f64.lt (f64.load (i32.wrap_i64 (local.get 1))) (f64.const 2))
      (then (return (local.get 1))))
    (return (call_indirect (type $entry)
      (local.get 0)
      (call $box (f64.mul (f64.load (i32.wrap_i64 (local.get 1))) (f64.const 0.5)))
      (i32.load offset=4 (local.get 0))))))
;; residual
;; function(i32, i64) -> i64 {
;; bb0(v0: i32, v1: i64):
;;     v2: f64 = f64.const 0x4000000000000000
;;     v3: f64 = f64.const 0x3fe0000000000000
;;     v4: i32 = i32.const 144
;;     v5: i32 = i32.const 8
;;     v6: i32 = address base0+0
;;     v7: i32 = i32.wrap_i64 v1
;;     v8: f64 = f64.load v7
;;     v9: i32 = f64.lt v8, v2
;;     branch v9 ? bb1() : bb2()
;; bb1():
;;     return v1
;; bb2():
;;     v10: f64 = f64.mul v8, v3
;;     v11: i32 = f64.lt v10, v2
;;     branch v11 ? bb3() : bb4()
;; bb3():
;;     v12: i32 = i32.load v4
;;     v13: i32 = i32.add v12, v5
;;     i32.store v4, v13
;;     f64.store v12, v10
;;     v14: i64 = i64.extend_i32_u v12
;;     return v14
;; bb4():
;;     v15: f64 = f64.mul v10, v3
;;     v16: i32 = i32.load v4
;;     v17: i32 = i32.add v16, v5
;;     i32.store v4, v17
;;     f64.store v16, v15
;;     v18: i64 = i64.extend_i32_u v16
;;     tail_call_slot sig0 base0+4 v6, v18
;; }
;; function(i32, i64) -> i64 {
;; bb0(v0: i32, v1: i64):
;;     v2: i32 = address base0-32
;;     tail_call_slot sig0 base0-28 v2, v1
;; }
;; function(i32, i64) -> i64 {
;; bb0(v0: i32, v1: i64):
;;     v2: i32 = address base0-32
;;     tail_call_slot sig0 base0-28 v2, v1
;; }
;; function(i32, i64) -> i64 {
;; bb0(v0: i32, v1: i64):
;;     v2: i32 = address base0-32
;;     v3: i32 = i32.const 144
;;     v4: i32 = i32.const 8
;;     v5: f64 = f64.convert_i64_s v1
;;     v6: i32 = i32.load v3
;;     v7: i32 = i32.add v6, v4
;;     i32.store v3, v7
;;     f64.store v6, v5
;;     v8: i64 = i64.extend_i32_u v6
;;     v9: i64 = call_slot sig0 base0-28 v2, v8
;;     v10: f64 = call fn2 v9
;;     v11: i64 = i64.trunc_f64_s v10
;;     return v11
;; }
;; function(i32, i64) -> i64 {
;; bb0(v0: i32, v1: i64):
;;     v2: i32 = address base0-96
;;     v3: i32 = i32.const 100
;;     v4: i32 = i32.const 0
;;     v5: i64 = i64.const 0
;;     v6: i32 = i32.const 144
;;     v7: i32 = i32.const 8
;;     v8: f64 = f64.convert_i64_s v1
;;     v9: i64 = i64.reinterpret_f64 v8
;;     v10: i64 = call_slot sig0 base0-92 bare v2, v9
;;     v11: i32 = i32.load v3
;;     v12: f64 = f64.reinterpret_i64 v10
;;     branch v11 ? bb1() : bb2()
;; bb1():
;;     i32.store v3, v4
;;     v13: f64 = call fn2 v5
;;     v14: i64 = i64.trunc_f64_s v13
;;     return v14
;; bb2():
;;     v15: i32 = i32.load v6
;;     v16: i32 = i32.add v15, v7
;;     i32.store v6, v16
;;     f64.store v15, v12
;;     v17: i64 = i64.extend_i32_u v15
;;     v18: f64 = call fn2 v17
;;     v19: i64 = i64.trunc_f64_s v18
;;     return v19
;; }
;; function(i32, i64) -> i64 {
;; bb0(v0: i32, v1: i64):
;;     v2: i32 = address base0-32
;;     tail_call_slot sig0 base0-28 bare v2, v1
;; }
;; function(i32, i64) -> i64 {
;; bb0(v0: i32, v1: i64):
;;     v2: f64 = f64.const 0x4000000000000000
;;     v3: f64 = f64.const 0x3fe0000000000000
;;     v4: i32 = address base0+0
;;     v5: f64 = f64.reinterpret_i64 v1
;;     v6: i32 = f64.lt v5, v2
;;     branch v6 ? bb1() : bb2()
;; bb1():
;;     return v1
;; bb2():
;;     v7: f64 = f64.mul v5, v3
;;     v8: i32 = f64.lt v7, v2
;;     branch v8 ? bb3() : bb4()
;; bb3():
;;     v9: i64 = i64.reinterpret_f64 v7
;;     return v9
;; bb4():
;;     v10: f64 = f64.mul v7, v3
;;     v11: i64 = i64.reinterpret_f64 v10
;;     tail_call_slot sig0 base0+4 bare v4, v11
;; }
