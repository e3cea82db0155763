;; Takes long to initialise itself, and asks for nothing: tests/tests/weval.rs.
(module
  (import "wasi_snapshot_preview1" "fd_read"
    (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write"
    (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0x80) "once\n")
  (global $at (mut i32) (i32.const 0x1000))
  (func $take (param $most i32)
    (i32.store (i32.const 0x40) (global.get $at))
    (i32.store (i32.const 0x44) (local.get $most))
    (if (call $read (i32.const 0) (i32.const 0x40) (i32.const 1) (i32.const 0x48))
      (then (unreachable)))
    (global.set $at (i32.add (global.get $at) (i32.load (i32.const 0x48)))))
  (func (export "begin") (local $rounds i32)
    (call $take (i32.const 3))
    (call $take (i32.const 2))
    ;; 's': it says something
    (if (i32.eq (i32.load8_u (i32.const 0x1000)) (i32.const 0x73))
      (then
        (i32.store (i32.const 0x40) (i32.const 0x80))
        (i32.store (i32.const 0x44) (i32.const 5))
        (if (call $write (i32.const 1) (i32.const 0x40) (i32.const 1) (i32.const 0x48))
          (then (unreachable)))))
    (loop $again
      (local.set $rounds (i32.add (local.get $rounds) (i32.const 1)))
      (i32.store (i32.const 0x100) (i32.mul (local.get $rounds) (i32.const 3)))
      (br_if $again (i32.lt_u (local.get $rounds) (i32.const 5000000))))
    (call $take (i32.const 100)))
  (func (export "weval.pending.head") (result i32) (i32.const 0x200)))
