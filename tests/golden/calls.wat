;; Two functions of a program that call through request slots in its code: a call to another
;; function and one to itself become direct calls, a call whose result is returned becomes a tail
;; call. Neither mentions an address. None is evaluated in place, as the request says that what is
;; called calls itself.
;; Code: one cell a function, (arity, slot); the function at 0x1000 computes sums recursively, the
;; one at 0x1010 calls it with its argument, and tail-calls it with the result.
;; run 0 -> 0
;; run 3 -> 21
;; run 10 -> 1540
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x20)
    (request 2 (slot 0x1004) (code 0x1000 16) (pass 1) (pass 2) recursive)
    (request 2 (slot 0x1014) (code 0x1010 16) (pass 1) (pass 2)))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 3 funcref)
  (elem (i32.const 2) $interpret)
  (data (i32.const 0x1000) (i32 1 2 0 0))
  (data (i32.const 0x1010) (i32 1 2 1 -16))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry)
      (i32.const 0x1010) (i32.const 0x20000) (local.get 0) (i32.load (i32.const 0x1014))))
  (func $interpret (type $entry)
    (local $other i32)
    (call $position (local.get 0))
    (local.set $other (i32.add (local.get 0) (i32.load offset=12 (local.get 0))))
    (if (i32.load offset=8 (local.get 0))
      (then
        (return (call_indirect (type $entry)
          (local.get $other) (local.get 1)
          (call_indirect (type $entry)
            (local.get $other) (local.get 1) (local.get 2) (i32.load offset=4 (local.get $other)))
          (i32.load offset=4 (local.get $other))))))
    (if (result i64) (i64.eqz (local.get 2))
      (then (i64.const 0))
      (else
        (i64.add (local.get 2)
          (call_indirect (type $entry)
            (local.get 0) (i32.sub (local.get 1) (i32.const 8))
            (i64.sub (local.get 2) (i64.const 1)) (i32.load offset=4 (local.get 0))))))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const -1
;;     v4: i64 = i64.const -2
;;     v5: i64 = i64.const 0
;;     v6: i32 = address base0+0
;;     v7: i32 = i32.const -16
;;     v8: i32 = i64.eqz v2
;;     branch v8 ? bb1() : bb2()
;; bb1():
;;     return v5
;; bb2():
;;     v9: i64 = i64.add v2, v3
;;     v10: i32 = i64.eqz v9
;;     branch v10 ? bb4(v5) : bb3()
;; bb3():
;;     v11: i64 = i64.add v2, v4
;;     v12: i32 = i32.add v1, v7
;;     v13: i64 = call_slot sig0 base0+4 v6, v12, v11
;;     v14: i64 = i64.add v9, v13
;;     jump bb4(v14)
;; bb4(v15: i64):
;;     v16: i64 = i64.add v2, v15
;;     return v16
;; }
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = address base0-16
;;     v4: i64 = call_slot sig0 base0-12 v3, v1, v2
;;     tail_call_slot sig0 base0-12 v3, v1, v4
;; }
