;; Address arithmetic wraps at 32 bits, static offsets do not: x + 1024 is not an offset of 1024,
;; for a value that is not known and for a pointer.
;; run -4 -> 77
;; run 0 -> 7
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x40)
    (request 1 (slot 0x80) (code 0x1000 0x40) (pass 1) (pass 2)))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x1000) (i8 0 7))
  (data (i32.const 1020) (i8 70 0 0 0))
  (data (i32.const 1024) (i64 0))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (call $position (local.get 0))
    (i64.add
      (i64.load (i32.add (i32.wrap_i64 (local.get 2)) (i32.const 1024)))
      (i64.load8_u
        (i32.add (i32.sub (local.get 0) (i32.const 0x7ffffffc)) (i32.const 0x7ffffffd))))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const 1024
;;     v4: i64 = i64.const 7
;;     v5: i32 = i32.wrap_i64 v2
;;     v6: i32 = i32.add v5, v3
;;     v7: i64 = i64.load v6
;;     v8: i64 = i64.add v7, v4
;;     return v8
;; }
