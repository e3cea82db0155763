;; A machine whose registers are globals, an accumulator and a counter: what one instruction has
;; written the next one does not read again. Opcodes: 0 add the counter to the accumulator, 1 count
;; down and branch back by the next byte while it is not 0, 2 return the accumulator.
;; run 4 -> 10
;; run 1 -> 1
;; run 10000 -> 50005000
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x20)
    (request 1 (slot 0x80) (code 0x1000 4)))
  (type $entry (func (result i64)))
  (type $generic (func (param i32) (result i64)))
  (table 3 funcref)
  (elem (i32.const 1) $interpret $whole)
  (global $sum (mut i64) (i64.const 0))
  (global $count (mut i64) (i64.const 0))
  (data (i32.const 0x80) (i32 2))
  (data (i32.const 0x1000) (i8 0  1 -2  2))
  (func $whole (type $entry) (call $interpret (i32.const 0x1000)))
  (func (export "run") (param i64) (result i64)
    (global.set $sum (i64.const 0))
    (global.set $count (local.get 0))
    (call_indirect (type $entry) (i32.load (i32.const 0x80))))
  (func $interpret (type $generic)
    (local $op i32)
    (loop $next
      (call $position (local.get 0))
      (local.set $op (i32.load8_u (local.get 0)))
      (local.set 0 (i32.add (local.get 0) (i32.const 1)))
      (block $return (block $loop (block $add
        (br_table $add $loop $return (local.get $op)))
          (global.set $sum (i64.add (global.get $sum) (global.get $count)))
          (br $next))
        (global.set $count (i64.sub (global.get $count) (i64.const 1)))
        (if (i64.ne (global.get $count) (i64.const 0))
          (then (local.set 0 (i32.add (local.get 0) (i32.load8_s (local.get 0)))))
          (else (local.set 0 (i32.add (local.get 0) (i32.const 1)))))
        (br $next))
      (return (global.get $sum)))
    (unreachable)))
;; residual
;; function() -> i64 {
;; bb0():
;;     v0: i64 = i64.const -1
;;     v1: i64 = i64.const 0
;;     jump bb1()
;; bb1():
;;     v2: i64 = global.get global1
;;     v3: i64 = global.get global2
;;     v4: i64 = i64.add v2, v3
;;     global.set global1 v4
;;     v5: i64 = i64.add v3, v0
;;     global.set global2 v5
;;     v6: i32 = i64.ne v5, v1
;;     branch v6 ? bb1() : bb2()
;; bb2():
;;     return v4
;; }
