;; A computed jump: the position is not known, and the generic loop goes on as residual code.
;; Opcodes: 0 jumps to the argument, 1 returns the next byte.
;; run 3 -> 30
;; run 5 -> 50
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
  (data (i32.const 0x1000) (i8 0 1 10 1 30 1 50))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (loop $next
      (call $position (local.get 0))
      (if (i32.eqz (i32.load8_u (local.get 0)))
        (then
          (local.set 0 (i32.add (i32.const 0x1000) (i32.wrap_i64 (local.get 2))))
          (br $next))))
    (i64.load8_u offset=1 (local.get 0))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const 4096
;;     v4: i32 = i32.wrap_i64 v2
;;     v5: i32 = i32.add v4, v3
;;     v6: i32 = i32.load8_u v5
;;     branch v6 ? bb2(v5) : bb1()
;; bb1():
;;     v7: i32 = i32.wrap_i64 v2
;;     v8: i32 = i32.add v7, v3
;;     v9: i32 = i32.load8_u v8
;;     branch v9 ? bb2(v8) : bb1()
;; bb2(v10: i32):
;;     v11: i64 = i64.load8_u offset=1 v10
;;     return v11
;; }
