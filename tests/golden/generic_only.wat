;; What only generic code does with a value does not make it a position: the loop is one loop,
;; though the value is known at first.
;; run 0 -> 1
;; run 3 -> 8
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "specialize.active" (func $active (result i32)))
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
    (local $value i64)
    (local.set $value (i64.const 1))
    (loop $again
      (call $position (local.get 0))
      (if (i64.ne (local.get 2) (i64.const 0))
        (then
          (local.set 2 (i64.sub (local.get 2) (i64.const 1)))
          (local.set $value (i64.shl (local.get $value) (i64.const 1)))
          (if (i32.eqz (call $active))
            (then
              (local.set 0
                (i32.add (local.get 0)
                  (i32.wrap_i64 (i64.and (local.get $value) (i64.const 0)))))))
          (br $again))))
    (local.get $value)))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const -1
;;     v4: i64 = i64.const 0
;;     v5: i64 = i64.const 1
;;     v6: i32 = i64.ne v2, v4
;;     branch v6 ? bb1(v2, v5) : bb2(v5)
;; bb1(v7: i64, v8: i64):
;;     v9: i64 = i64.add v7, v3
;;     v10: i64 = i64.shl v8, v5
;;     v11: i32 = i64.ne v7, v5
;;     branch v11 ? bb1(v9, v10) : bb2(v10)
;; bb2(v12: i64):
;;     return v12
;; }
