//! What a function with thousands of loops costs. The only test of its file, as it measures what
//! the process takes.

use std::fs;

use bactrian_specializer::{Observer, Options, Outcome, specialize};

/// A loop that calls in each round. It reads one cell, and writes another.
const LOOP: &str = "
    (call $write (local.get $changing) (local.get 2))
    (loop $next
      (local.set $sum (i64.add (local.get $sum) (call $read (local.get $read))))
      (call $write (local.get $changing)
        (i64.sub (call $read (local.get $changing)) (i64.const 1)))
      (call $sync) (call $other) (call $invalidate)
      (br_if $next (i64.ne (call $read (local.get $changing)) (i64.const 0))))";

struct Silent;

impl Observer for Silent {
    fn stage(&self, _: &'static str) {}
    fn progress(&self, _: usize, _: usize) {}
}

/// A module with one request, for an interpreter with so many loops. A cell that all of them read
/// is stored before the first; another changes in each round.
fn module(loops: usize) -> Vec<u8> {
    let text = format!(
        r#"(module
  (import "bactrian" "context.update" (func $position (param i32)))
  (import "bactrian" "cells.sync" (func $sync))
  (import "bactrian" "cells.invalidate" (func $invalidate))
  (import "bactrian" "cells.read" (func $read (param i32) (result i64)))
  (import "bactrian" "cells.write" (func $write (param i32 i64)))
  (memory (export "memory") 3)
  (@requests 0x100
    (region 0x1000 0x4000)
    (request 1 (slot 0x80) (code 0x1000 0x4000) (pass 1) (pass 2)))
  (type $entry (func (param i32 i32 i64) (result i64)))
  (table 4 funcref)
  (elem (i32.const 1) $interpret)
  (data (i32.const 0x80) (i32 1))
  (func $other
    (i64.store (i32.const 0x90) (i64.add (i64.load (i32.const 0x90)) (i64.const 1))))
  (func (export "run") (param i64) (result i64)
    (call_indirect (type $entry) (i32.const 0x1000) (i32.const 0x20000) (local.get 0)
      (i32.load (i32.const 0x80))))
  (func $interpret (type $entry)
    (local $read i32) (local $changing i32) (local $sum i64)
    (call $position (local.get 0))
    (local.set $read (i32.sub (local.get 1) (i32.const 8)))
    (local.set $changing (i32.sub (local.get 1) (i32.const 16)))
    (call $write (local.get $read) (i64.add (local.get 2) (i64.const 1)))
    {loops}
    (local.get $sum)))"#,
        loops = LOOP.repeat(loops)
    );
    tables::module(&text).expect("the text is a module")
}

/// CPU time of the process's threads so far, in nanoseconds. They are those that there will be:
/// the specializer's wait for more work.
fn time() -> u64 {
    let threads = fs::read_dir("/proc/self/task").expect("the process's threads");
    let times = threads.map(|thread| {
        let path = thread.expect("a thread").path().join("schedstat");
        let stat = fs::read_to_string(path).expect("what the kernel says of a thread");
        let (time, _) = stat.split_once(' ').expect("the time is first");
        time.parse::<u64>().expect("a number")
    });
    times.sum()
}

/// The CPU time that it takes to specialize the module with so many loops.
fn cost(loops: usize) -> u64 {
    let module = module(loops);
    let start = time();
    let output = specialize(&module, &Options::default(), None, &Silent);
    let cost = time() - start;
    let report = output.expect("it can be specialized").report;
    let outcome = &report.requests[0].outcome;
    assert!(
        matches!(outcome, Outcome::Specialized { .. }),
        "{outcome:?}"
    );
    cost
}

#[test]
fn thousands_of_loops_cost_as_much_each_as_hundreds() {
    cost(10);
    let [few, many] = [4_000, 32_000].map(cost);
    assert!(many <= 16 * few, "{few} ns and {many} ns");
}
