;; A dispatcher that chooses between functions which it names calls one of them, by a test.
;; run 4096 5 -> 15
;; run 4112 5 -> 1005
;; run 4128 5 -> 2005
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x30)
    (request 2 (slot 0x1004) (code 0x1000 16) (pass 1))
    (request 2 (slot 0x1014) (code 0x1010 16) (pass 1)))
  (@dispatchers 0x60 (function 3))
  (type $entry (func (param i32 i64) (result i64)))
  (table 6 funcref)
  (elem (i32.const 1) $other $interpret $dispatch $first $second)
  (data (i32.const 0x1000) (i32 0 2 0 10))
  (data (i32.const 0x1010) (i32 0 2 1 1))
  (data (i32.const 0x1020) (i32 0 2 1 2))
  (func (export "run") (param $code i64) (param $x i64) (result i64)
    (call_indirect (type $entry) (i32.wrap_i64 (local.get $code)) (local.get $x)
      (i32.load offset=4 (i32.wrap_i64 (local.get $code)))))
  (func $other (result i64) (i64.const 7))
  (func $first (type $entry) (i64.add (local.get 1) (i64.const 1000)))
  (func $second (type $entry) (i64.add (local.get 1) (i64.const 2000)))
  (func $dispatch (type $entry)
    (return_call_indirect (type $entry) (local.get 0) (local.get 1)
      (select (i32.const 4) (i32.const 5) (i32.eq (local.get 0) (i32.const 1)))))
  (func $interpret (type $entry)
    (call $position (local.get 0))
    (if (i32.eqz (i32.load offset=8 (local.get 0)))
      (then (return (i64.add (local.get 1) (i64.load32_u offset=12 (local.get 0))))))
    (return_call $dispatch (i32.load offset=12 (local.get 0)) (local.get 1))))
;; residual
;; function(i32, i64) -> i64 {
;; bb0(v0: i32, v1: i64):
;;     v2: i64 = i64.const 10
;;     v3: i64 = i64.add v1, v2
;;     return v3
;; }
;; function(i32, i64) -> i64 {
;; bb0(v0: i32, v1: i64):
;;     v2: i32 = i32.const 1
;;     tail_call fn5 v2, v1
;; }
