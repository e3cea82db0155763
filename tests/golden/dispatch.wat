;; A call of what is known goes to it; one of what is not goes to a dispatcher, which knows all
;; functions of the table.
;; Code is four words: nothing, a slot, what to do, and with what (0: add, 1: call, 2: call what the
;; word at 0x800 says). That at 0x1030 is not requested; the slot of that at 0x1050 has a function
;; of another type, that at 0x1060 none.
;; run 4096 5 0 -> 15
;; run 4160 5 4112 -> 15
;; run 4160 5 4128 -> 105
;; run 4160 5 4144 -> 1005
;; run 4160 5 4176 -> trap
;; run 4160 5 4192 -> trap
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "specialize.known" (func $known (param i32) (result i32)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x70)
    (request 2 (slot 0x1004) (code 0x1000 16) (pass 1))
    (request 2 (slot 0x1044) (code 0x1040 16) (pass 1))
    (request 2 (slot 0x1014) (code 0x1010 16) (pass 1))
    (request 2 (slot 0x1024) (code 0x1020 16) (pass 1)))
  (@dispatchers 0x60 (function 3))
  (type $entry (func (param i32 i64) (result i64)))
  (table 5 funcref)
  (elem (i32.const 1) $other $interpret $dispatch)
  (data (i32.const 0x1000) (i32 0 2 1 0x1010))
  (data (i32.const 0x1010) (i32 0 2 0 10))
  (data (i32.const 0x1020) (i32 0 2 0 100))
  (data (i32.const 0x1030) (i32 0 2 0 1000))
  (data (i32.const 0x1040) (i32 0 2 2 0))
  (data (i32.const 0x1050) (i32 0 1 0 0))
  (data (i32.const 0x1060) (i32 0 9 0 0))
  (func (export "run") (param $code i64) (param $x i64) (param $callee i64) (result i64)
    (i64.store32 (i32.const 0x800) (local.get $callee))
    (call_indirect (type $entry) (i32.wrap_i64 (local.get $code)) (local.get $x)
      (i32.load offset=4 (i32.wrap_i64 (local.get $code)))))
  (func $other (result i64) (i64.const 7))
  (func $dispatch (type $entry)
    (return_call_indirect (type $entry) (local.get 0) (local.get 1)
      (i32.load offset=4 (local.get 0))))
  (func $interpret (type $entry)
    (local $callee i32)
    (call $position (local.get 0))
    (if (i32.eqz (i32.load offset=8 (local.get 0)))
      (then (return (i64.add (local.get 1) (i64.load32_u offset=12 (local.get 0))))))
    (local.set $callee (i32.load offset=12 (local.get 0)))
    (if (i32.eq (i32.load offset=8 (local.get 0)) (i32.const 2))
      (then (local.set $callee (i32.load (i32.const 0x800)))))
    (if (call $known (local.get $callee))
      (then (return_call_indirect (type $entry)
        (local.get $callee) (local.get 1) (i32.load offset=4 (local.get $callee)))))
    (return_call $dispatch (local.get $callee) (local.get 1))))
;; residual
;; function(i32, i64) -> i64 {
;; bb0(v0: i32, v1: i64):
;;     v2: i32 = i32.const 4112
;;     v3: i32 = i32.load offset=4 v2
;;     tail_call_indirect sig0 t0 v2, v1, v3
;; }
;; function(i32, i64) -> i64 {
;; bb0(v0: i32, v1: i64):
;;     v2: i32 = i32.const 2048
;;     v3: i32 = i32.load v2
;;     tail_call fn4 v3, v1
;; }
;; function(i32, i64) -> i64 {
;; bb0(v0: i32, v1: i64):
;;     v2: i64 = i64.const 10
;;     v3: i64 = i64.add v1, v2
;;     return v3
;; }
;; function(i32, i64) -> i64 {
;; bb0(v0: i32, v1: i64):
;;     v2: i64 = i64.const 100
;;     v3: i64 = i64.add v1, v2
;;     return v3
;; }
