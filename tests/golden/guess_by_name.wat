;; A guess of few and one of many: what is called where it comes true is evaluated in place after
;; the first, and called by name after the second.
;; Code: one cell a function, (its distance from the first one, slot). The first one adds 1 to its
;; argument; each of the others applies what its argument says to 5.
;; run 4096 -> 12
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "specialize.guess" (func $guess (param i32 i32) (result i32)))
  (import "bactrian" "specialize.guess_by_name"
    (func $guess_by_name (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x30)
    (request 2 (slot 0x1004) (code 0x1000 16) (pass 1) (pass 2))
    (request 2 (slot 0x1014) (code 0x1010 16) (pass 1) (pass 2))
    (request 2 (slot 0x1024) (code 0x1020 16) (pass 1) (pass 2)))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 3 funcref)
  (elem (i32.const 2) $interpret)
  (data (i32.const 0x1000) (i32 0 2 0 0))
  (data (i32.const 0x1010) (i32 16 2 0 0))
  (data (i32.const 0x1020) (i32 32 2 0 0))
  (func (export "run") (param i64) (result i64)
    (i64.add
      (call_indirect (type $entry)
        (i32.const 0x1010) (i32.const 0x20000) (local.get 0) (i32.load (i32.const 0x1014)))
      (call_indirect (type $entry)
        (i32.const 0x1020) (i32.const 0x20000) (local.get 0) (i32.load (i32.const 0x1024)))))
  (func $interpret (type $entry)
    (local $distance i32) (local $callee i32)
    (call $position (local.get 0))
    (local.set $distance (i32.load (local.get 0)))
    (if (i32.eqz (local.get $distance))
      (then (return (i64.add (local.get 2) (i64.const 1)))))
    (if (i32.eq (local.get $distance) (i32.const 16))
      (then
        (local.set $callee (call $guess (i32.wrap_i64 (local.get 2))
          (i32.sub (local.get 0) (i32.const 16)))))
      (else
        (local.set $callee (call $guess_by_name (i32.wrap_i64 (local.get 2))
          (i32.sub (local.get 0) (i32.const 32))))))
    (return (call_indirect (type $entry)
      (local.get $callee) (local.get 1) (i64.const 5)
      (i32.load offset=4 (local.get $callee))))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const 1
;;     v4: i64 = i64.add v2, v3
;;     return v4
;; }
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = address base0-16
;;     v4: i64 = i64.const 6
;;     v5: i64 = i64.const 5
;;     v6: i32 = i32.wrap_i64 v2
;;     v7: i32 = i32.eq v6, v3
;;     branch v7 ? bb1() : bb2()
;; bb1():
;;     return v4
;; bb2():
;;     v8: i32 = i32.load offset=4 v6
;;     tail_call_indirect sig0 t0 v6, v1, v5, v8
;; }
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = address base0-32
;;     v4: i64 = i64.const 5
;;     v5: i32 = i32.wrap_i64 v2
;;     v6: i32 = i32.eq v5, v3
;;     branch v6 ? bb1() : bb2()
;; bb1():
;;     tail_call_slot sig0 base0-28 v3, v1, v4
;; bb2():
;;     v7: i32 = i32.load offset=4 v5
;;     tail_call_indirect sig0 t0 v5, v1, v4, v7
;; }
