;; An immutable global is a constant. A mutable one is not, whatever its initial value; after a call
;; it may have changed.
;; run 0 -> 3250 after 50
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "env" "report" (func $report (param i64)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x40)
    (request 1 (slot 0x80) (code 0x1000 0x40) (pass 1) (pass 2)))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x1000) (i8 0))
  (global $fixed i64 (i64.const 3))
  (global $changing (mut i64) (i64.const 50))
  (func $change (global.set $changing (i64.const 200)))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (call $position (local.get 0))
    (call $report (global.get $changing))
    (call $change)
    (i64.add
      (i64.mul (global.get $fixed) (i64.const 1000))
      (i64.add (global.get $changing) (i64.const 50)))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const 3050
;;     v4: i64 = global.get global2
;;     call fn1 v4
;;     call fn2
;;     v5: i64 = global.get global2
;;     v6: i64 = i64.add v5, v3
;;     return v6
;; }
