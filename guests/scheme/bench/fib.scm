; Calls of a function that calls itself.
(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(write (fib 36))
(newline)
