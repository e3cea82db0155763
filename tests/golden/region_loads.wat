;; Loads of every width from constant memory, also beyond the data segments, where it is zero; the
;; one load that leaves the region stays.
;; run 0 -> 0
;; after -2 254 -258 65278 -50528514 -2 254 -772 64764 -50528514 4244438782 -50528514 1 2 0
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
  (data (i32.const 0x1000) (i8 -2 -2 -4 -4 -1 -1 -1 -1) (i64 1) (i32 2))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (call $position (local.get 0))
    (call $report (i64.extend_i32_s (i32.load8_s offset=0 (local.get 0))))
    (call $report (i64.extend_i32_s (i32.load8_u offset=0 (local.get 0))))
    (call $report (i64.extend_i32_s (i32.load16_s offset=0 (local.get 0))))
    (call $report (i64.extend_i32_s (i32.load16_u offset=0 (local.get 0))))
    (call $report (i64.extend_i32_s (i32.load offset=0 (local.get 0))))
    (call $report (i64.load8_s offset=1 (local.get 0)))
    (call $report (i64.load8_u offset=1 (local.get 0)))
    (call $report (i64.load16_s offset=2 (local.get 0)))
    (call $report (i64.load16_u offset=2 (local.get 0)))
    (call $report (i64.load32_s offset=0 (local.get 0)))
    (call $report (i64.load32_u offset=0 (local.get 0)))
    (call $report (i64.load offset=0 (local.get 0)))
    (call $report (i64.reinterpret_f64 (f64.load offset=8 (local.get 0))))
    (call $report (i64.extend_i32_u (i32.reinterpret_f32 (f32.load offset=16 (local.get 0)))))
    (call $report (i64.load offset=0x38 (local.get 0)))
    (i64.load offset=0x39 (local.get 0))))
;; residual
;; function(i32, i32, i64) -> i64 {
;; bb0(v0: i32, v1: i32, v2: i64):
;;     v3: i64 = i64.const -2
;;     v4: i64 = i64.const 254
;;     v5: i64 = i64.const -258
;;     v6: i64 = i64.const 65278
;;     v7: i64 = i64.const -50528514
;;     v8: i64 = i64.const -772
;;     v9: i64 = i64.const 64764
;;     v10: i64 = i64.const 4244438782
;;     v11: i64 = i64.const 1
;;     v12: i64 = i64.const 2
;;     v13: i64 = i64.const 0
;;     v14: i32 = address base0+0
;;     call fn1 v3
;;     call fn1 v4
;;     call fn1 v5
;;     call fn1 v6
;;     call fn1 v7
;;     call fn1 v3
;;     call fn1 v4
;;     call fn1 v8
;;     call fn1 v9
;;     call fn1 v7
;;     call fn1 v10
;;     call fn1 v7
;;     call fn1 v11
;;     call fn1 v12
;;     call fn1 v13
;;     v15: i64 = i64.load offset=57 v14
;;     return v15
;; }
