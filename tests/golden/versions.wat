;; A function that is given a closure whose code is known has a version for it, in which the call of
;; that closure is known. So has the version's call of itself. It has none for its own code.
;; The function at 0x1000 applies what it is given as often as its argument says, calling itself;
;; 0x1020 calls it with the closure of 0x1040, which is at 0x3000.
;; run 4 -> 12
;; run 0 -> 0
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "value.points_to" (func $points_to (param i64 i32) (result i64)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x60)
    (request 2 (slot 0x1004) (code 0x1000 16) (pass 1) (pass 2) recursive)
    (request 2 (slot 0x1024) (code 0x1020 16) (pass 1) (pass 2) recursive)
    (request 2 (slot 0x1044) (code 0x1040 16) (pass 1) (pass 2) recursive))
  (type $entry (func (param i32 i64 i64) (result i64)))
  (table 3 funcref)
  (elem (i32.const 2) $interpret)
  (data (i32.const 0x1000) (i32 1 2 1 0))
  (data (i32.const 0x1020) (i32 1 2 2 -32))
  (data (i32.const 0x1040) (i32 1 2 3 0))
  (data (i32.const 0x3000) (i32 0x1040))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry)
      (i32.const 0x1020) (i64.const 0x3000) (local.get 0) (i32.load (i32.const 0x1024))))
  (func $interpret (type $entry)
    (local $op i32) (local $callee i32)
    (call $position (local.get 0))
    (local.set $op (i32.load offset=8 (local.get 0)))
    ;; 3: adds 3
    (if (i32.eq (local.get $op) (i32.const 3))
      (then (return (i64.add (local.get 2) (i64.const 3)))))
    ;; 2: calls the function at the distance that the operand says, with what it was given, of
    ;; which it knows what that is
    (if (i32.eq (local.get $op) (i32.const 2))
      (then
        (local.set $callee (i32.add (local.get 0) (i32.load offset=12 (local.get 0))))
        (return (call_indirect (type $entry)
          (local.get $callee)
          (call $points_to (local.get 1) (i32.add (local.get 0) (i32.const 32)))
          (local.get 2)
          (i32.load offset=4 (local.get $callee))))))
    ;; 1: 0, or what the closure makes of what this makes of one less
    (if (i64.eqz (local.get 2)) (then (return (i64.const 0))))
    (local.set 2
      (call_indirect (type $entry)
        (local.get 0) (local.get 1) (i64.sub (local.get 2) (i64.const 1))
        (i32.load offset=4 (local.get 0))))
    (local.set $callee (i32.load (i32.wrap_i64 (local.get 1))))
    (return (call_indirect (type $entry)
      (local.get $callee) (local.get 1) (local.get 2) (i32.load offset=4 (local.get $callee))))))
;; residual
;; function(i32, i64, i64) -> i64 {
;; bb0(v0: i32, v1: i64, v2: i64):
;;     v3: i64 = i64.const -1
;;     v4: i64 = i64.const -2
;;     v5: i64 = i64.const 0
;;     v6: i32 = address base0+0
;;     v7: i32 = i64.eqz v2
;;     branch v7 ? bb1() : bb2()
;; bb1():
;;     return v5
;; bb2():
;;     v8: i64 = i64.add v2, v3
;;     v9: i32 = i64.eqz v8
;;     branch v9 ? bb3() : bb4()
;; bb3():
;;     v10: i32 = i32.wrap_i64 v1
;;     v11: i32 = i32.load v10
;;     v12: i32 = i32.load offset=4 v11
;;     tail_call_indirect sig0 t0 v11, v1, v5, v12
;; bb4():
;;     v13: i64 = i64.add v2, v4
;;     v14: i64 = call_slot sig0 base0+4 v6, v1, v13
;;     v15: i32 = i32.wrap_i64 v1
;;     v16: i32 = i32.load v15
;;     v17: i32 = i32.load offset=4 v16
;;     v18: i64 = call_indirect sig0 t0 v16, v1, v14, v17
;;     v19: i32 = i32.load v15
;;     v20: i32 = i32.load offset=4 v19
;;     tail_call_indirect sig0 t0 v19, v1, v18, v20
;; }
;; function(i32, i64, i64) -> i64 {
;; bb0(v0: i32, v1: i64, v2: i64):
;;     v3: i32 = address base0-32
;;     tail_call_slot sig0 base0-28 given param1 base0+32 v3, v1, v2
;; }
;; function(i32, i64, i64) -> i64 {
;; bb0(v0: i32, v1: i64, v2: i64):
;;     v3: i64 = i64.const 3
;;     v4: i64 = i64.add v2, v3
;;     return v4
;; }
;; function(i32, i64, i64) -> i64 {
;; bb0(v0: i32, v1: i64, v2: i64):
;;     v3: i64 = i64.const -1
;;     v4: i64 = i64.const -2
;;     v5: i64 = i64.const 0
;;     v6: i32 = address base1+0
;;     v7: i32 = address base0+0
;;     v8: i32 = i64.eqz v2
;;     branch v8 ? bb1() : bb2()
;; bb1():
;;     return v5
;; bb2():
;;     v9: i64 = i64.add v2, v3
;;     v10: i32 = i64.eqz v9
;;     branch v10 ? bb3() : bb4()
;; bb3():
;;     tail_call_slot sig0 base1+4 v6, v1, v5
;; bb4():
;;     v11: i64 = i64.add v2, v4
;;     v12: i64 = call_slot sig0 base0+4 given param1 base1+0 v7, v1, v11
;;     v13: i64 = call_slot sig0 base1+4 v6, v1, v12
;;     tail_call_slot sig0 base1+4 v6, v1, v13
;; }
