;; What is no box's function or kind changes nothing: the first function of the table has another
;; type, and there is no kind 5. Both calls stay.
;; run 5 -> 10
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "env" "report" (func $report (param i64)))
  (import "bactrian" "box.exists" (func $exists (param i64 i32) (result i64)))
  (import "bactrian" "box.kind" (func $kind (param i64) (result i32)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x40)
    (request 1 (slot 0x80) (code 0x1000 0x40) (pass 1) (pass 2)))
  (@boxes 0x60 (box 2 0) (box 77 0) (box 0 0))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret $box $box)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x90) (i32 0x2000))
  (data (i32.const 0x1000) (i8 0))
  (func $box (param i64 i32) (result i64)
    (i64.store (local.get 1) (local.get 0))
    (i64.extend_i32_u (local.get 1)))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (local $a i64) (local $b i64)
    (call $position (local.get 0))
    (local.set $a (call $box (local.get 2) (i32.const 0x2000)))
    (local.set $b (call $exists (call $box (local.get 2) (i32.const 0x2008)) (i32.const 5)))
    (if (i32.or (call $kind (local.get $a)) (call $kind (local.get $b))) (then (unreachable)))
    (i64.add
      (i64.load (i32.wrap_i64 (local.get $a)))
      (i64.load (i32.wrap_i64 (local.get $b))))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const 8192
;;     v4: i32 = i32.const 8200
;;     v5: i64 = call fn4 v2, v3
;;     v6: i64 = call fn4 v2, v4
;;     v7: i32 = i32.wrap_i64 v5
;;     v8: i64 = i64.load v7
;;     v9: i32 = i32.wrap_i64 v6
;;     v10: i64 = i64.load v9
;;     v11: i64 = i64.add v8, v10
;;     return v11
;; }
