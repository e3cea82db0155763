;; An interpreter that counts in its position has no end of contexts: the request runs into its
;; budget and is declined. The slot keeps the generic function.
;; run 3 -> 3
;; run 1000 -> 1000
;; nodes 50
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
  (data (i32.const 0x1000) (i8 0))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (local $count i32)
    (loop $next
      (call $position (local.get $count))
      (local.set $count (i32.add (local.get $count) (i32.const 1)))
      (local.set 2 (i64.sub (local.get 2) (i64.const 1)))
      (br_if $next (i64.ne (local.get 2) (i64.const 0))))
    (i64.extend_i32_u (local.get $count))))
;; residual
;; declined: more than 50 nodes (context, block, position); see `--budget nodes=N`
