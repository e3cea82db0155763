;; Two blocks take their memory at once; where there is no room left, each is allocated by a call.
;; run 5 -> 8192 after 8440 5 8416 8440 8400 5 8192 8400
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "env" "report" (func $report (param i64)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x40)
    (request 1 (slot 0x80) (code 0x1000 0x40) (pass 1) (pass 2)))
  (@allocator 0x60 2 0x90 0x94 0x98)
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 3 funcref)
  (elem (i32.const 1) $interpret $allocate)
  (data (i32.const 0x80) (i32 1))
  ;; Where memory is in use from, how far down it may be taken, and where there is more.
  (data (i32.const 0x90) (i32 0x2100 0x20c0 0x1ff8))
  (data (i32.const 0x1000) (i8 0))
  (func $allocate (param $bytes i32) (param $header i64) (result i32)
    (local $start i32)
    (local.set $start (i32.sub (i32.load (i32.const 0x90)) (local.get $bytes)))
    (if (i32.lt_u (local.get $start) (i32.load (i32.const 0x94)))
      (then
        (local.set $start (i32.load (i32.const 0x98)))
        (i32.store (i32.const 0x98) (i32.add (local.get $start) (local.get $bytes))))
      (else (i32.store (i32.const 0x90) (local.get $start))))
    (i64.store (local.get $start) (local.get $header))
    (i32.add (local.get $start) (i32.const 8)))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $look (param $block i32) (result i64)
    (call $report (i64.extend_i32_u (local.get $block)))
    (call $report (i64.load (local.get $block)))
    (i64.extend_i32_u (local.get $block)))
  ;; A block of a number, and one that points to it; twice.
  (func $interpret (type $entry)
    (local $first i32) (local $second i32)
    (call $position (local.get 0))
    (local.set $first (call $allocate (i32.const 16) (i64.const 1277)))
    (i64.store (local.get $first) (local.get 2))
    (local.set $second (call $allocate (i32.const 24) (i64.const 2048)))
    (i64.store (local.get $second) (i64.extend_i32_u (local.get $first)))
    (drop (call $look (local.get $first)))
    (drop (call $look (local.get $second)))
    (local.set $first (call $allocate (i32.const 16) (i64.const 1277)))
    (i64.store (local.get $first) (local.get 2))
    (local.set $second (call $allocate (i32.const 24) (i64.const 2048)))
    (i64.store (local.get $second) (i64.extend_i32_u (local.get $first)))
    (drop (call $look (local.get $first)))
    (call $look (local.get $second))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i32 = i32.const 144
;;     v4: i32 = i32.const 148
;;     v5: i32 = i32.const -40
;;     v6: i32 = i32.const -16
;;     v7: i32 = i32.const -8
;;     v8: i32 = i32.const -32
;;     v9: i32 = i32.const 16
;;     v10: i64 = i64.const 1277
;;     v11: i32 = i32.const 24
;;     v12: i64 = i64.const 2048
;;     v13: i32 = i32.load v3
;;     v14: i32 = i32.load v4
;;     v15: i32 = i32.add v13, v5
;;     v16: i32 = i32.lt_u v15, v14
;;     branch v16 ? bb1() : bb2()
;; bb1():
;;     v17: i32 = call fn2 v9, v10
;;     v18: i32 = call fn2 v11, v12
;;     jump bb3(v17, v18)
;; bb2():
;;     i32.store v3, v15
;;     v19: i32 = i32.add v13, v6
;;     i64.store v19, v10
;;     v20: i32 = i32.add v13, v7
;;     i64.store v15, v12
;;     v21: i32 = i32.add v13, v8
;;     jump bb3(v20, v21)
;; bb3(v22: i32, v23: i32):
;;     i64.store v22, v2
;;     v24: i64 = i64.extend_i32_u v22
;;     i64.store v23, v24
;;     v25: i64 = call fn4 v22
;;     v26: i64 = call fn4 v23
;;     v27: i32 = i32.load v3
;;     v28: i32 = i32.load v4
;;     v29: i32 = i32.add v27, v5
;;     v30: i32 = i32.lt_u v29, v28
;;     branch v30 ? bb4() : bb5()
;; bb4():
;;     v31: i32 = call fn2 v9, v10
;;     v32: i32 = call fn2 v11, v12
;;     jump bb6(v31, v32)
;; bb5():
;;     i32.store v3, v29
;;     v33: i32 = i32.add v27, v6
;;     i64.store v33, v10
;;     v34: i32 = i32.add v27, v7
;;     i64.store v29, v12
;;     v35: i32 = i32.add v27, v8
;;     jump bb6(v34, v35)
;; bb6(v36: i32, v37: i32):
;;     i64.store v36, v2
;;     v38: i64 = i64.extend_i32_u v36
;;     i64.store v37, v38
;;     v39: i64 = call fn4 v36
;;     tail_call fn4 v37
;; }
