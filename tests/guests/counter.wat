;; A guest in text, with all that a guest can have: a stack machine of one variable. Its program, up
;; to 64 bytes, is what it finds on standard input when it is initialised; later it begins with the
;; number of arguments (the program's name is one) in its variable, and ends with what it returns as
;; its status. Opcodes: 0 push the variable, 1 set it, 2 add, 3 push the next byte, 4 branch back by
;; the next byte if the variable is not 0, 5 return, 6 fail.
(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "cells.read" (func $read (param i32) (result i64)))
  (import "bactrian" "cells.write" (func $write (param i32 i64)))
  (import "bactrian" "lockstep.event" (func $event (param i32 i32 i32 i64)))
  (import "wasi_snapshot_preview1" "fd_read"
    (func $fd_read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "args_sizes_get"
    (func $args_sizes_get (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x40)
    (request 1 (slot 0x80) (code 0x1000 0x40) (pass 1) (pass 2))
    (names 0x300 8))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 2 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x80) (i32 1))
  (data (i32.const 0x300) "counter\00")
  ;; Where it is not 0, each safepoint counts.
  (global (export "COLLECT") i32 (i32.const 0x90))
  (func (export "load")
    (i64.store (i32.const 0xa0) (i64.const 0x4000001000))
    (drop (call $fd_read (i32.const 0) (i32.const 0xa0) (i32.const 1) (i32.const 0xa8)))
    (if (i32.gt_u (i32.load8_u (i32.const 0x1000)) (i32.const 6))
      (then (call $exit (i32.const 2)))))
  (func (export "_start")
    (local $result i64)
    (drop (call $args_sizes_get (i32.const 0xa0) (i32.const 0xa4)))
    (local.set $result
      (call_indirect (type $entry)
        (i32.const 0x1000) (i32.const 0x20000) (i64.load32_u (i32.const 0xa0))
        (i32.load (i32.const 0x80))))
    (call $exit (i32.add (i32.load (i32.const 0x94)) (i32.wrap_i64 (local.get $result)))))
  (func $safepoint
    (if (i32.load (i32.const 0x90))
      (then (i32.store (i32.const 0x94) (i32.add (i32.load (i32.const 0x94)) (i32.const 1))))))
  (func $interpret (type $entry)
    (local $op i32)
    (call $event (i32.const 1) (local.get 0) (local.get 1) (local.get 2))
    (loop $next
      (call $position (local.get 0))
      (local.set $op (i32.load8_u (local.get 0)))
      (local.set 0 (i32.add (local.get 0) (i32.const 1)))
      (block $fail
      (block $return (block $branch (block $constant (block $add (block $set (block $get
        (br_table $get $set $add $constant $branch $return $fail (local.get $op)))
          (local.set 1 (i32.sub (local.get 1) (i32.const 8)))
          (call $write (local.get 1) (local.get 2))
          (br $next))
        (local.set 2 (call $read (local.get 1)))
        (local.set 1 (i32.add (local.get 1) (i32.const 8)))
        (br $next))
        (call $write (i32.add (local.get 1) (i32.const 8))
          (i64.add (call $read (local.get 1)) (call $read (i32.add (local.get 1) (i32.const 8)))))
        (local.set 1 (i32.add (local.get 1) (i32.const 8)))
        (br $next))
        (local.set 1 (i32.sub (local.get 1) (i32.const 8)))
        (call $write (local.get 1) (i64.load8_s (local.get 0)))
        (local.set 0 (i32.add (local.get 0) (i32.const 1)))
        (br $next))
        (if (i64.ne (local.get 2) (i64.const 0))
          (then
            (call $event (i32.const 2) (local.get 0) (local.get 1) (local.get 2))
            (call $safepoint)
            (local.set 0 (i32.add (local.get 0) (i32.load8_s (local.get 0)))))
          (else (local.set 0 (i32.add (local.get 0) (i32.const 1)))))
        (br $next))
      (return (call $read (local.get 1))))
      (return (i64.const -1)))
    (unreachable)))
