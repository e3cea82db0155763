;; What one arm says of a box, the other does not know: it loads.
;; run 0 -> 1
;; run 1 -> 2
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "box.literal" (func $literal (param i64 i32 i64) (result i64)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x40)
    (request 1 (slot 0x80) (code 0x1000 0x40) (pass 1) (pass 2)))
  (@boxes 0x60 (box 2 0))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret $box)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x90) (i32 0x2000))
  (data (i32.const 0x98) (f64 1 2))
  (data (i32.const 0xb8) (i64 0x98 0xa0))
  (data (i32.const 0x1000) (i8 0))
  (data (i32.const 0x1008) (f64 1))
  (func $box (param f64) (result i64)
    (local $at i32)
    (local.set $at (i32.load (i32.const 0x90)))
    (i32.store (i32.const 0x90) (i32.add (local.get $at) (i32.const 8)))
    (f64.store (local.get $at) (local.get 0))
    (i64.extend_i32_u (local.get $at)))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (local $box i64)
    (call $position (local.get 0))
    (local.set $box
      (i64.load offset=0xb8 (i32.shl (i32.wrap_i64 (local.get 2)) (i32.const 3))))
    (i64.trunc_f64_s
      (if (result f64) (i64.ne (local.get 2) (i64.const 0))
        (then (f64.load (i32.wrap_i64 (local.get $box))))
        (else
          (f64.load
            (i32.wrap_i64
              (call $literal (local.get $box) (i32.const 0)
                (i64.load offset=8 (local.get 0))))))))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const 3
;;     v4: i64 = i64.const 0
;;     v5: f64 = f64.const 0x3ff0000000000000
;;     v6: i32 = i32.wrap_i64 v2
;;     v7: i32 = i32.shl v6, v3
;;     v8: i64 = i64.load offset=184 v7
;;     v9: i32 = i64.ne v2, v4
;;     branch v9 ? bb1() : bb2(v5)
;; bb1():
;;     v10: i32 = i32.wrap_i64 v8
;;     v11: f64 = f64.load v10
;;     jump bb2(v11)
;; bb2(v12: f64):
;;     v13: i64 = i64.trunc_f64_s v12
;;     return v13
;; }
