//! Programs, natively.

use crate::heap;
use crate::{load, output, start};
use std::fs;
use std::path::Path;
use std::thread;

/// What a program writes.
fn run(source: &str) -> String {
    load::load(source).unwrap_or_else(|message| panic!("{message}"));
    start::run();
    output::taken()
}

fn error(source: &str) -> String {
    load::load(source).expect_err("the program is wrong")
}

#[test]
fn fib() {
    let source = "(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
                  (display (fib 20))";
    assert_eq!(run(source), "6765");
}

#[test]
fn values_survive_a_collection_at_each_safepoint() {
    let source = "(define (count n list) (if (= n 0) (length list) (count (- n 1) (cons n list))))
                  (write (list (count 100 '()) (map (lambda (x) (* 1.5 x)) '(1 2))))";
    load::load(source).expect("the program is right");
    heap::stress();
    start::run();
    assert_eq!(output::taken(), "(100 (1.5 3.0))");
}

#[test]
fn wrong_programs_are_refused_with_a_line() {
    for (source, message) in [
        ("(display 1)\n(foo 2)", "line 2: there is no variable `foo`"),
        (
            "(if)",
            "line 1: `if` wants a test and one or two expressions",
        ),
        ("(car 1 2)", "line 1: `car` takes 1 operands"),
        (
            "(let ((x)) x)",
            "line 1: a binding is a name and an expression",
        ),
        (
            "(lambda (x) (define y 1))",
            "line 1: a body ends in an expression",
        ),
        (
            "(set! car 1)",
            "line 1: there is no variable `car` to assign",
        ),
        ("(display if)", "line 1: `if` is a form, not a variable"),
        ("()", "line 1: `()` is no expression; quote it"),
    ] {
        assert_eq!(error(source), message, "{source}");
    }
}

#[test]
fn names_of_the_prelude_are_the_programs_to_define() {
    let source = "(define (filter x) (list 'mine x)) (define (car x) 'car)
                  (write (list (filter 1) (car '(1)) (delete 1 '(1 2))))";
    assert_eq!(run(source), "((mine 1) car (2))");
}

/// Deep recursion needs more native stack than threads have.
const NATIVE_STACK: usize = 2 << 30;

/// What the program in a file writes.
fn run_file(path: &Path) -> String {
    let source = fs::read_to_string(path).expect("the program can be read");
    let thread = thread::Builder::new().stack_size(NATIVE_STACK);
    let thread = thread
        .spawn(move || run(&source))
        .expect("there is room for its stack");
    thread.join().expect("the program ends")
}

#[test]
fn programs_write_what_is_expected() {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut count = 0;
    for entry in fs::read_dir(programs).expect("the programs are listed") {
        let path = entry.expect("the programs are listed").path();
        if path.extension().is_some_and(|ending| ending == "scm") {
            let expected = fs::read_to_string(path.with_extension("expected"));
            assert_eq!(run_file(&path), expected.expect("it is known"), "{path:?}");
            count += 1;
        }
    }
    assert!(count >= 7, "the walk found next to nothing");
}
