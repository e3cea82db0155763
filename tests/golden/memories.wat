;; Memories above the first. At the address of constant memory, another memory has no constant; at
;; that of a register in a frame it has no register. What a copy from there brings into the frame is
;; read after it.
;; run 5 -> 905071001004
;; run 0 -> 900071001004
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (memory (export "memory") 3)
  (memory $other 3)
  (@requests 0x100
    (region 0x1000 0x40)
    (request 1 (slot 0x80) (code 0x1000 0x40) (frame 1) (pass 2)))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x1000) (i8 7))
  (data (memory $other) (i32.const 0x1000) (i8 9))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (local $sum i64)
    (call $position (local.get 0))
    ;; 9: not 7, which is known of memory 0.
    (local.set $sum (i64.load8_u $other (local.get 0)))
    ;; A register, and the same address in the other memory: the register is the argument.
    (i64.store (local.get 1) (local.get 2))
    (i64.store $other (local.get 1) (i64.const 100))
    (local.set $sum (i64.add (i64.mul (local.get $sum) (i64.const 100)) (i64.load (local.get 1))))
    ;; 7, which is known.
    (local.set $sum
      (i64.add (i64.mul (local.get $sum) (i64.const 100)) (i64.load8_u (local.get 0))))
    ;; 100
    (local.set $sum (i64.add (i64.mul (local.get $sum) (i64.const 1000))
      (i64.load $other (local.get 1))))
    ;; Another register, known and then overwritten by a copy: 100.
    (i64.store offset=8 (local.get 1) (i64.const 3))
    (memory.copy 0 $other
      (i32.add (local.get 1) (i32.const 8)) (local.get 1) (i32.const 8))
    (local.set $sum (i64.add (i64.mul (local.get $sum) (i64.const 1000))
      (i64.load offset=8 (local.get 1))))
    ;; 4 pages, once it has grown.
    (drop (memory.grow $other (i32.const 1)))
    (i64.add (i64.mul (local.get $sum) (i64.const 10))
      (i64.extend_i32_u (memory.size $other)))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const -8192
;;     v4: i32 = address base0+0
;;     v5: i64 = i64.const 100
;;     v6: i64 = i64.const 7
;;     v7: i64 = i64.const 1000
;;     v8: i64 = i64.const 3
;;     v9: i32 = i32.const 8
;;     v10: i32 = i32.const 1
;;     v11: i64 = i64.const 10
;;     v12: i32 = i32.add v1, v3
;;     v13: i64 = i64.load8_u memory=1 v4
;;     i64.store memory=1 v1, v5
;;     v14: i64 = i64.mul v13, v5
;;     v15: i64 = i64.add v14, v2
;;     v16: i64 = i64.mul v15, v5
;;     v17: i64 = i64.add v16, v6
;;     v18: i64 = i64.mul v17, v7
;;     v19: i64 = i64.load memory=1 v1
;;     v20: i64 = i64.add v18, v19
;;     i64.store offset=8200 v12, v8
;;     i64.store offset=8192 v12, v2
;;     v21: i32 = i32.add v1, v9
;;     memory.copy memory=0 from=1 v21, v1, v9
;;     v22: i64 = i64.mul v20, v7
;;     v23: i64 = i64.load offset=8200 v12
;;     v24: i64 = i64.add v22, v23
;;     v25: i32 = memory.grow memory=1 v10
;;     v26: i64 = i64.mul v24, v11
;;     v27: i32 = memory.size memory=1
;;     v28: i64 = i64.extend_i32_u v27
;;     v29: i64 = i64.add v26, v28
;;     return v29
;; }
