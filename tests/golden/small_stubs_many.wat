;; A small stub that calls another five times, which does the same, and so on: what would be too
;; long in all stays a call.
;; run 3 -> 378
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x40)
    (request 1 (slot 0x80) (code 0x1000 0x40) (pass 1) (pass 2)))
  (@stubs 0x40 3)
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x1000) (i8 0))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (call $position (local.get 0))
    (i64.add (call $often (local.get 2)) (call $seldom (local.get 2))))
  (func $often (param i64) (result i64)
    (i64.add (i64.add (call $more (local.get 0)) (call $more (local.get 0)))
      (i64.add (call $more (local.get 0))
        (i64.add (call $more (local.get 0)) (call $more (local.get 0))))))
  (func $more (param i64) (result i64)
    (i64.add (i64.add (call $some (local.get 0)) (call $some (local.get 0)))
      (i64.add (call $some (local.get 0))
        (i64.add (call $some (local.get 0)) (call $some (local.get 0))))))
  (func $some (param i64) (result i64)
    (i64.add (i64.add (call $seldom (local.get 0)) (call $seldom (local.get 0)))
      (i64.add (call $seldom (local.get 0))
        (i64.add (call $seldom (local.get 0)) (call $seldom (local.get 0))))))
  (func $seldom (param i64) (result i64)
    (local.get 0)))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = call fn3 v2
;;     v4: i64 = i64.add v3, v2
;;     return v4
;; }
