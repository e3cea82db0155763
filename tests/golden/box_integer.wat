;; A box of an integer behind another word goes round a loop as its payload; the address of the
;; payload may be a sum. A half of the payload needs no box.
;; run 0 -> 7
;; run 4 -> 161
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "env" "report" (func $report (param i64)))
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
  (data (i32.const 0x98) (i64 1 7))
  (func $interpret (type $entry)
    (local $product i64)
    (call $position (local.get 0))
    (local.set $product (call $exists (i64.const 0x98) (i32.const 0)))
    (loop $again
      (call $position (local.get 0))
      (if (i64.ne (local.get 2) (i64.const 0))
        (then
          (local.set $product
            (call $one (i64.add (local.get 2) (i64.mul (i64.const 2)
              (i64.load (i32.add (i32.wrap_i64 (local.get $product)) (i32.const 8)))))))
          (local.set 2 (i64.sub (local.get 2) (i64.const 1)))
          (br $again))))
    (i64.extend_i32_u (i32.load offset=8 (i32.wrap_i64 (local.get $product))))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const -1
;;     v4: i32 = i32.const 152
;;     v5: i64 = i64.const 0
;;     v6: i64 = i64.const 2
;;     v7: i64 = i64.load offset=8 v4
;;     jump bb1(v2, v7)
;; bb1(v8: i64, v9: i64):
;;     v10: i32 = i64.ne v8, v5
;;     branch v10 ? bb2() : bb3()
;; bb2():
;;     v11: i64 = i64.mul v9, v6
;;     v12: i64 = i64.add v8, v11
;;     v13: i64 = i64.add v8, v3
;;     jump bb1(v13, v12)
;; bb3():
;;     v14: i32 = i32.wrap_i64 v9
;;     v15: i64 = i64.extend_i32_u v14
;;     return v15
;; }
