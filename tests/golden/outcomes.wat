;; A call in place returns one of two constants, and what follows tells them apart: each way goes on
;; where it leads, without a test.
;; Code: slot, function to call (a distance), instructions. The function at 0x1000 says whether its
;; argument is less than 10: 3 or 5. The one at 0x1020 calls it, and returns its argument or 0.
;; run 9 -> 9
;; run 10 -> 0
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x40)
    (request 2 (slot 0x1004) (code 0x1000 32) (pass 1))
    (request 2 (slot 0x1024) (code 0x1020 32) (pass 1)))
  (type $entry (func (param i32 i64) (result i64)))
  (table 3 funcref)
  (elem (i32.const 2) $interpret)
  (data (i32.const 0x1000) (i32 1 2 0 1))
  (data (i32.const 0x1020) (i32 1 2 -32 2 3 4))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry)
      (i32.const 0x1020) (local.get 0) (i32.load (i32.const 0x1024))))
  (func $interpret (type $entry)
    (local $pc i32) (local $op i32) (local $callee i32) (local $said i64)
    (local.set $pc (i32.add (local.get 0) (i32.const 12)))
    (loop $next
      (call $position (local.get $pc))
      (local.set $op (i32.load (local.get $pc)))
      (local.set $pc (i32.add (local.get $pc) (i32.const 4)))
      (if (i32.eq (local.get $op) (i32.const 1))
        (then
          (if (i64.lt_s (local.get 1) (i64.const 10)) (then (return (i64.const 3))))
          (return (i64.const 5))))
      (if (i32.eq (local.get $op) (i32.const 2))
        (then
          (local.set $callee (i32.add (local.get 0) (i32.load offset=8 (local.get 0))))
          (local.set $said
            (call_indirect (type $entry)
              (local.get $callee) (local.get 1) (i32.load offset=4 (local.get $callee))))
          (br $next)))
      (if (i32.eq (local.get $op) (i32.const 3))
        (then
          (if (i64.ne (local.get $said) (i64.const 3)) (then (local.set 1 (i64.const 0))))
          (br $next)))
      (return (local.get 1)))
    (unreachable)))
;; residual
;; function(i32, i64) -> i64 {
;; bb0(v0: i32, v1: i64):
;;     v2: i64 = i64.const 10
;;     v3: i64 = i64.const 3
;;     v4: i64 = i64.const 5
;;     v5: i32 = i64.lt_s v1, v2
;;     branch v5 ? bb1() : bb2()
;; bb1():
;;     return v3
;; bb2():
;;     return v4
;; }
;; function(i32, i64) -> i64 {
;; bb0(v0: i32, v1: i64):
;;     v2: i64 = i64.const 10
;;     v3: i64 = i64.const 0
;;     v4: i32 = i64.lt_s v1, v2
;;     branch v4 ? bb1() : bb2()
;; bb1():
;;     return v1
;; bb2():
;;     return v3
;; }
