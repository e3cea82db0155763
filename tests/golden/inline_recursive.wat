;; A function that calls itself is evaluated in place within itself, once. The request says that it
;; calls itself, in its flags.
;; run 0 -> 1
;; run 5 -> 32
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x20)
    (request 2 (slot 0x1004) (code 0x1000 16) (pass 1) (pass 2) recursive))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 3 funcref)
  (elem (i32.const 2) $interpret)
  (data (i32.const 0x1000) (i32 1 2 0 0))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry)
      (i32.const 0x1000) (i32.const 0x20000) (local.get 0) (i32.load (i32.const 0x1004))))
  (func $interpret (type $entry)
    (call $position (local.get 0))
    (if (i64.eqz (local.get 2)) (then (return (i64.const 1))))
    (return (i64.mul (i64.const 2)
      (call_indirect (type $entry) (local.get 0) (local.get 1) (i64.sub (local.get 2) (i64.const 1))
        (i32.load offset=4 (local.get 0)))))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const -1
;;     v4: i64 = i64.const -2
;;     v5: i64 = i64.const 4
;;     v6: i64 = i64.const 1
;;     v7: i64 = i64.const 2
;;     v8: i32 = address base0+0
;;     v9: i32 = i64.eqz v2
;;     branch v9 ? bb1() : bb2()
;; bb1():
;;     return v6
;; bb2():
;;     v10: i64 = i64.add v2, v3
;;     v11: i32 = i64.eqz v10
;;     branch v11 ? bb3() : bb4()
;; bb3():
;;     return v7
;; bb4():
;;     v12: i64 = i64.add v2, v4
;;     v13: i64 = call_slot sig0 base0+4 v8, v1, v12
;;     v14: i64 = i64.mul v13, v5
;;     return v14
;; }
