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

#[test]
fn lists_may_be_longer_than_the_stack() {
    let source = "(define l (iota 300000))
                  (define (same? a) (write (equal? a l)))
                  (same? (map (lambda (x) x) l)) (same? (map (lambda (x y) x) l l))
                  (same? (append l)) (same? (append l '())) (same? (list-copy l))
                  (same? (filter number? l)) (same? (reverse (reverse l)))
                  (same? (fold-right cons '() l)) (same? (sort (reverse l) <))
                  (same? (apply list l)) (same? (apply list 0 (cdr l)))
                  (same? (apply cons* (append l (list '()))))
                  (write (list (length (delete 0 l)) (length (append l '(1) l)) (apply + l)))
                  (write (string-length (string-join (map (lambda (x) \"x\") l) \", \")))";
    let trues = "#t".repeat(12);
    assert_eq!(
        run(source),
        format!("{trues}(299999 600001 44999850000)899998")
    );
}

#[test]
fn parts_of_lists_are_shared_as_they_are_wanted() {
    let source = "(define a (list 1 2)) (define b (list 3 4))
                  (define ab (append a b))
                  (write (list ab a (eq? (cddr ab) b) (append) (append '() '() 5) (append a 5)))
                  (write (list (cons* 1) (cons* 1 2) (cons* 1 2 b) (apply list 1 2 b)))
                  (define s (list 3 1 2)) (define t (list '(2 . a) '(1 . b) '(2 . c) '(1 . d)))
                  (write (list (sort s <) s (sort t (lambda (x y) (< (car x) (car y))))))
                  (write (list (fold-right list 0 '(1 2)) (map + '(1 2) '(10 20 30))
                    (string-join '(\"a\" \"b\" \"c\") \"-\")))";
    assert_eq!(
        run(source),
        "((1 2 3 4) (1 2) #t () 5 (1 2 . 5))(1 (1 . 2) (1 2 3 4) (1 2 3 4))\
         ((1 2 3) (3 1 2) ((1 . b) (1 . d) (2 . a) (2 . c)))((1 (2 0)) (11 22) \"a-b-c\")"
    );
}

#[test]
fn calls_with_too_few_or_many_arguments_say_how_many_are_wanted() {
    for (call, message) in [
        ("(f 1)", "`f` takes 2, not 1"),
        ("(apply f '(1 2 3))", "`f` takes 2, not 3"),
        ("(apply f '(1))", "`f` takes 2, not 1"),
        ("(g)", "`g` takes at least 1, not 0"),
        ("(apply g '())", "`g` takes at least 1, not 0"),
        (
            "((car (list (lambda () 1))) 2)",
            "a procedure takes 0, not 1",
        ),
        ("(h 1 2 3)", "`h` takes 8, not 3"),
        ("(h 1 2 3 4 5 6 7)", "`h` takes 8, not 7"),
        ("(apply h '(1 2 3 4 5 6 7 8 9))", "`h` takes 8, not 9"),
        ("(map f '(1))", "`f` takes 2, not 1"),
        ("(vector-map h (vector 1))", "`h` takes 8, not 1"),
    ] {
        let source = format!(
            "(define (f a b) a) (define (g a . b) a) (define (h a b c d e f g h) a)
             (define (k) {call})
             (display (guard (e (#t (error-object-message e))) (k)))"
        );
        let expected = format!("wrong number of arguments: {message}");
        assert_eq!(run(&source), expected, "{call}");
    }
}

/// Deep recursion needs more native stack than threads have.
const NATIVE_STACK: usize = 2 << 30;

/// What some work gives where there is so much native stack.
fn deep<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> R {
    let thread = thread::Builder::new().stack_size(NATIVE_STACK);
    let thread = thread.spawn(work).expect("there is room for its stack");
    thread.join().expect("the work ends")
}

/// What the program in a file writes.
fn run_file(path: &Path) -> String {
    let source = fs::read_to_string(path).expect("the program can be read");
    deep(move || run(&source))
}

/// A source with so much of the same around an expression, in its second line.
fn nested(before: &str, after: &str, times: usize) -> String {
    format!("\n{}1{}", before.repeat(times), after.repeat(times))
}

#[test]
fn what_is_nested_too_deeply_is_refused_with_a_line() {
    for (before, after, times) in [
        ("'(", ")", 1999),
        ("`(", ")", 1500),
        ("(let ((x 1)) ", ")", 1900),
        ("(lambda (x) ", ")", 1900),
        ("(+ 1 ", ")", 1500),
        ("(if #t 1 ", ")", 1900),
        ("(cond (#f 2) (else ", "))", 900),
    ] {
        deep(move || {
            load::load(&nested(before, after, times)).expect("this is not too deep");
            let message = error(&nested(before, after, 100_000));
            assert_eq!(message, "line 2: this is nested too deeply", "{before}");
        });
    }
}

#[test]
fn exit_does_what_dynamic_wind_does_after() {
    let source = "
        (define (leave)
          (guard (e (#t (display \"never\")))
            (dynamic-wind (lambda () (display \"in \"))
                          (lambda () (map (lambda (x) (exit 5)) '(1)))
                          (lambda () (display \"out \")))))
        (with-exception-handler
         (lambda (e) (leave))
         (lambda ()
           (dynamic-wind (lambda () #f) (lambda () (car 'x)) (lambda () (display \"outside\")))))
        (display \"never\")";
    load::load(source).expect("the program is right");
    let ended = std::panic::catch_unwind(start::run).expect_err("the program exits");
    let message = ended.downcast_ref::<String>().expect("it is a message");
    assert_eq!(message, "the program ends with status 5");
    assert_eq!(output::taken(), "in out outside");
}

#[test]
fn data_of_any_depth_are_written() {
    let source =
        "(define (nest n) (let loop ((i 0) (a '())) (if (= i n) a (loop (+ i 1) (list a)))))
                  (write (nest 100000))";
    let (before, after) = ("(".repeat(100_001), ")".repeat(100_001));
    assert_eq!(run(source), before + &after);
}

#[test]
fn what_makes_a_deep_tree_is_refused_where_it_is_long() {
    for (before, middle, after) in [
        ("(and", " 1", ")"),
        ("(or", " 1", ")"),
        ("(+", " 1", ")"),
        ("(cond", " (1 1)", ")"),
        ("(case 0", " ((1) 1)", ")"),
        ("(let* (", "(x 1) ", ") 1)"),
        ("`(", " ,1", ")"),
        ("((lambda ()", " (define a 1)", " 1))"),
    ] {
        let long = move |times| format!("\n{before}{}{after}", middle.repeat(times));
        deep(move || {
            load::load(&long(2000)).expect("this is not too long");
            let message = error(&long(20_000));
            assert_eq!(message, "line 2: this is nested too deeply", "{before}");
        });
    }
    // Data are not deep by being long, nor are calls.
    deep(|| {
        for (before, middle) in [("'(", " 1"), ("'#(", " 1"), ("(list ", " 1")] {
            let long = format!("{before}{})", middle.repeat(100_000));
            load::load(&long).expect("this is not deep");
        }
    });
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
