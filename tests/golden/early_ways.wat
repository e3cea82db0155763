;; A call is tried on ways that branch: past a jump, whose position is said twice, through a choice
;; of a few, and over a box that is virtual. The store in the last of the three ways is not: there
;; the call is made. So is it before a choice of five, which the callee would make again.
;; run 0 -> 7
;; run 1 -> 10
;; run 2 -> 10
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "specialize.range" (func $range (param i32 i32 i32) (result i32)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x500)
    (request 2 (slot 0x1100) (code 0x1000 0x180) (pass 1) (pass 2) returns-early)
    (request 2 (slot 0x1300) (code 0x1200 0x180) (pass 1) (pass 2) returns-early)
    (request 2 (slot 0x1404) (code 0x1400 4) (pass 1) (pass 2)))
  (@boxes 0x60 (box 3 0))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 2) $interpret $box)
  (data (i32.const 0x90) (i32 0x2008))
  (data (i32.const 0x1000) (i32 3 0 1 4 2))
  (data (i32.const 0x1100) (i32 2))
  (data (i32.const 0x1200) (i32 5 0 1 1 1 1 1))
  (data (i32.const 0x1300) (i32 2))
  (data (i32.const 0x1400) (i32 0 2))
  (func $box (param f64) (result i64)
    (local $at i32)
    (local.set $at (i32.load (i32.const 0x90)))
    (i32.store (i32.const 0x90) (i32.add (local.get $at) (i32.const 8)))
    (f64.store (local.get $at) (local.get 0))
    (i64.extend_i32_u (local.get $at)))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry)
      (i32.const 0x1400) (i32.const 0x20000) (local.get 0) (i32.load (i32.const 0x1404))))
  (func $interpret (type $entry)
    (local $box i64)
    (loop $step
      (call $position (local.get 0))
      (if (i32.ge_u (i32.load (local.get 0)) (i32.const 3))
        (then
          (if (i32.eq (i32.load (local.get 0)) (i32.const 4))
            (then
              (local.set $box (call $box (f64.convert_i64_s (local.get 2))))
              (return (i64.add (i64.const 2)
                (i64.trunc_f64_s (f64.load (i32.wrap_i64 (local.get $box))))))))
          (local.set 0 (i32.add (local.get 0) (i32.add (i32.const 8) (i32.shl
            (call $range (i32.wrap_i64 (local.get 2)) (i32.const 0) (i32.load (local.get 0)))
            (i32.const 2)))))
          (call $position (local.get 0))
          (br $step))))
    (if (i32.eq (i32.load (local.get 0)) (i32.const 1))
      (then (return (i64.const 0))))
    (if (i32.eq (i32.load (local.get 0)) (i32.const 2))
      (then
        (i32.store (i32.const 0x2000) (i32.add (i32.load (i32.const 0x2000)) (i32.const 1)))
        (return (i64.const 3))))
    (i64.add
      (call_indirect (type $entry)
        (i32.sub (local.get 0) (i32.const 0x400)) (i32.sub (local.get 1) (i32.const 8))
        (local.get 2) (i32.load offset=0x100 (i32.sub (local.get 0) (i32.const 0x400))))
      (i64.add (i64.const 7)
        (call_indirect (type $entry)
          (i32.sub (local.get 0) (i32.const 0x200)) (i32.sub (local.get 1) (i32.const 8))
          (local.get 2) (i32.load offset=0x100 (i32.sub (local.get 0) (i32.const 0x200))))))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const 8192
;;     v4: i64 = i64.const 0
;;     v5: i64 = i64.const 2
;;     v6: i32 = i32.const 1
;;     v7: i64 = i64.const 3
;;     v8: i32 = i32.wrap_i64 v2
;;     branch v8 ? bb1() : bb4()
;; bb1():
;;     v9: i32 = i32.eq v8, v6
;;     branch v9 ? bb2() : bb3()
;; bb2():
;;     v10: f64 = f64.convert_i64_s v2
;;     v11: i64 = i64.trunc_f64_s v10
;;     v12: i64 = i64.add v11, v5
;;     return v12
;; bb3():
;;     v13: i32 = i32.load v3
;;     v14: i32 = i32.add v13, v6
;;     i32.store v3, v14
;;     return v7
;; bb4():
;;     return v4
;; }
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const 0
;;     return v3
;; }
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const 1
;;     v4: i32 = address base0-512
;;     v5: i32 = i32.const -8
;;     v6: i64 = i64.const 7
;;     v7: i64 = i64.const 2
;;     v8: i32 = address base0-1024
;;     v9: i32 = i32.wrap_i64 v2
;;     branch v9 ? bb1() : bb5()
;; bb1():
;;     v10: i32 = i32.eq v9, v3
;;     branch v10 ? bb2() : bb3()
;; bb2():
;;     v11: f64 = f64.convert_i64_s v2
;;     v12: i64 = i64.trunc_f64_s v11
;;     v13: i64 = i64.add v12, v7
;;     jump bb4(v13)
;; bb3():
;;     v14: i32 = i32.add v1, v5
;;     v15: i64 = call_slot sig0 base0-768 v8, v14, v2
;;     jump bb4(v15)
;; bb4(v16: i64):
;;     v17: i32 = i32.add v1, v5
;;     v18: i64 = call_slot sig0 base0-256 v4, v17, v2
;;     v19: i64 = i64.add v18, v6
;;     v20: i64 = i64.add v16, v19
;;     return v20
;; bb5():
;;     v21: i32 = i32.add v1, v5
;;     v22: i64 = call_slot sig0 base0-256 v4, v21, v2
;;     v23: i64 = i64.add v22, v6
;;     return v23
;; }
