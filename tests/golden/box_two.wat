;; One number in boxes of two kinds is two boxes.
;; run 5 -> 1 after 1 2
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "env" "report" (func $report (param i64)))
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
  (func $look (param i64 i64) (result i64)
    (call $report (i64.load (i32.wrap_i64 (local.get 0))))
    (call $report (i64.load (i32.wrap_i64 (local.get 1))))
    (i64.extend_i32_u (i64.eq (i64.load offset=8 (i32.wrap_i64 (local.get 0)))
      (i64.load offset=8 (i32.wrap_i64 (local.get 1))))))
  (func $interpret (type $entry)
    (call $position (local.get 0))
    (call $look (call $one (local.get 2)) (call $other (local.get 2)))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const 1
;;     v4: i64 = i64.const 2
;;     v5: i64 = call fn2 v3, v2
;;     v6: i64 = call fn2 v4, v2
;;     tail_call fn6 v5, v6
;; }
