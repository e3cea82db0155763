;; Boxes of two kinds: where they meet, each is made on its edge. The interpreter learns of which
;; kind a box is, in residual code alone.
;; run 0 -> 10 after 1 2
;; run 5 -> 15 after 1 2
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "env" "report" (func $report (param i64)))
  (import "bactrian" "box.kind" (func $kind (param i64) (result i32)))
  (import "bactrian" "box.exists" (func $exists (param i64 i32) (result i64)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x40)
    (request 1 (slot 0x80) (code 0x1000 0x40) (pass 1) (pass 2)))
  (@boxes 0x60 (box 2 8) (box 3 8))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret $one $other)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x90) (i32 0x2000))
  (data (i32.const 0x1000) (i8 0))
  ;; A block of a word that says of which kind it is, and a number.
  (func $block (param i64 i64) (result i64)
    (local $at i32)
    (local.set $at (i32.load (i32.const 0x90)))
    (i32.store (i32.const 0x90) (i32.add (local.get $at) (i32.const 16)))
    (i64.store (local.get $at) (local.get 0))
    (i64.store offset=8 (local.get $at) (local.get 1))
    (i64.extend_i32_u (local.get $at)))
  (func $one (param i64) (result i64)
    (call $block (i64.const 1) (local.get 0)))
  (func $other (param i64) (result i64)
    (call $block (i64.const 2) (local.get 0)))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  ;; The first word of the block.
  (func $first (param i64) (result i64)
    (i64.load (i32.wrap_i64 (local.get 0))))
  ;; What the box holds; asks for the kind if it is not known.
  (func $interpret (type $entry)
    (local $a i64) (local $b i64) (local $any i64)
    (call $position (local.get 0))
    (local.set $a (call $one (local.get 2)))
    (local.set $b (call $other (local.get 2)))
    (if (i32.eq (call $kind (local.get $a)) (call $kind (local.get $b)))
      (then
        ;; Generic code alone.
        (call $report (call $first (local.get $a)))
        (call $report (call $first (local.get $b))))
      (else
        (call $report (i64.extend_i32_u (call $kind (local.get $a))))
        (call $report (i64.extend_i32_u (call $kind (call $exists (local.get $b) (i32.const 1)))))))
    (local.set $any (local.get $b))
    (if (i64.eqz (local.get 2))
      (then (local.set $any (local.get $a))))
    (if (call $kind (local.get $any)) (then (unreachable)))
    (i64.add (i64.const 10) (i64.load offset=8 (i32.wrap_i64 (local.get $any))))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const 1
;;     v4: i64 = i64.const 2
;;     v5: i64 = i64.const 10
;;     call fn1 v3
;;     call fn1 v4
;;     v6: i32 = i64.eqz v2
;;     branch v6 ? bb1() : bb2()
;; bb1():
;;     v7: i64 = call fn4 v3, v2
;;     jump bb3(v7)
;; bb2():
;;     v8: i64 = call fn4 v4, v2
;;     jump bb3(v8)
;; bb3(v9: i64):
;;     v10: i32 = i32.wrap_i64 v9
;;     v11: i64 = i64.load offset=8 v10
;;     v12: i64 = i64.add v11, v5
;;     return v12
;; }
