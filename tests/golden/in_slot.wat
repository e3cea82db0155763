;; A function asks whether it is what its slot holds: it is, but its version for a closure that it
;; is given is not.
;; The function at 0x1000 applies what it is given to its argument and 8, which it adds in the slot,
;; and otherwise sets as a bit; 0x1020 calls it with the closure of 0x1040, which is at 0x3000.
;; run 16 -> 27
;; run 0 -> 11
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "specialize.in_slot" (func $in_slot (result i32)))
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
    ;; 1: applies the closure to its argument and 8
    (if (call $in_slot)
      (then (local.set 2 (i64.add (local.get 2) (i64.const 8))))
      (else (local.set 2 (i64.or (local.get 2) (i64.const 8)))))
    (local.set $callee (i32.load (i32.wrap_i64 (local.get 1))))
    (return (call_indirect (type $entry)
      (local.get $callee) (local.get 1) (local.get 2) (i32.load offset=4 (local.get $callee))))))
;; residual
;; function(i32, i64, i64) -> i64 {
;; bb0(v0: i32, v1: i64, v2: i64):
;;     v3: i64 = i64.const 8
;;     v4: i64 = i64.add v2, v3
;;     v5: i32 = i32.wrap_i64 v1
;;     v6: i32 = i32.load v5
;;     v7: i32 = i32.load offset=4 v6
;;     tail_call_indirect sig0 t0 v6, v1, v4, v7
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
;;     v3: i64 = i64.const 8
;;     v4: i32 = address base1+0
;;     v5: i64 = i64.or v2, v3
;;     tail_call_slot sig0 base1+4 v4, v1, v5
;; }
