;; A register machine: registers of 16 bytes, a word and a tag of one byte, that plain loads and
;; stores get at. The request says that they lie in a frame: the loop has them in values, and the
;; tags, which are known once they are written, are not tested. Opcodes: 0 a small integer to a
;; register, 1 the argument to one, 2 sum of two, 3 count one down and branch back by bytes while it
;; is not 0, 4 return one.
;; run 4 -> 10
;; run 1 -> 1
;; run 10000 -> 50005000
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x20)
    (request 1 (slot 0x80) (code 0x1000 20) (frame 1) (pass 2)))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 2 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x1000) (i8  0 0 0 0  1 1 0 0  2 0 0 1  3 1 -4 0  4 0 0 0))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry)
      (i32.const 0x1000) (i32.const 0x20000) (local.get 0) (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (local $op i32) (local $a i32) (local $b i32) (local $c i32)
    (loop $next
      (call $position (local.get 0))
      (local.set $op (i32.load8_u (local.get 0)))
      (local.set $a (i32.add (local.get 1)
        (i32.shl (i32.load8_u offset=1 (local.get 0)) (i32.const 4))))
      (local.set $b (i32.add (local.get 1)
        (i32.shl (i32.load8_u offset=2 (local.get 0)) (i32.const 4))))
      (local.set $c (i32.add (local.get 1)
        (i32.shl (i32.load8_u offset=3 (local.get 0)) (i32.const 4))))
      (block $return (block $loop (block $add (block $argument (block $small
        (br_table $small $argument $add $loop $return (local.get $op)))
          (i64.store (local.get $a) (i64.load8_s offset=2 (local.get 0)))
          (i32.store8 offset=8 (local.get $a) (i32.const 3))
          (local.set 0 (i32.add (local.get 0) (i32.const 4)))
          (br $next))
        (i64.store (local.get $a) (local.get 2))
        (i32.store8 offset=8 (local.get $a) (i32.const 3))
        (local.set 0 (i32.add (local.get 0) (i32.const 4)))
        (br $next))
        (if (i32.ne (i32.load8_u offset=8 (local.get $b)) (i32.const 3)) (then (unreachable)))
        (if (i32.ne (i32.load8_u offset=8 (local.get $c)) (i32.const 3)) (then (unreachable)))
        (i64.store (local.get $a) (i64.add (i64.load (local.get $b)) (i64.load (local.get $c))))
        (i32.store8 offset=8 (local.get $a) (i32.const 3))
        (local.set 0 (i32.add (local.get 0) (i32.const 4)))
        (br $next))
        (i64.store (local.get $a) (i64.sub (i64.load (local.get $a)) (i64.const 1)))
        (if (i64.ne (i64.load (local.get $a)) (i64.const 0))
          (then (local.set 0 (i32.add (local.get 0) (i32.load8_s offset=2 (local.get 0)))))
          (else (local.set 0 (i32.add (local.get 0) (i32.const 4)))))
        (br $next))
      (return (i64.load (local.get $a))))
    (unreachable)))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const -1
;;     v4: i64 = i64.const 0
;;     v5: i64 = i64.const 1
;;     jump bb1(v2, v4)
;; bb1(v6: i64, v7: i64):
;;     v8: i64 = i64.add v7, v6
;;     v9: i64 = i64.add v6, v3
;;     v10: i32 = i64.ne v6, v5
;;     branch v10 ? bb1(v9, v8) : bb2()
;; bb2():
;;     return v8
;; }
