; Escapes, what is done on the way out, several values.
(define (caught thunk)
  (guard (e ((error-object? e) (error-object-message e)) (#t (list 'raised e))) (thunk)))

; What dynamic-wind does after has the handlers of outside, whoever leaves.
(define (raised-after leave)
  (call/cc
   (lambda (out)
     (with-exception-handler
      (lambda (e) (out (list 'outer e)))
      (lambda ()
        (call/cc
         (lambda (k)
           (dynamic-wind
            (lambda () #f)
            (lambda ()
              (with-exception-handler (lambda (e) (out (list 'inner e))) (lambda () (leave k))))
            (lambda () (raise 'boom))))))))))
(write (raised-after (lambda (k) (k 1)))) (newline)
(write (raised-after (lambda (k) 'normally))) (newline)
(write (call/cc (lambda (k)
  (with-exception-handler
   (lambda (e) (k (list 'handled e)))
   (lambda ()
     (guard (e ((string? e) e))
       (dynamic-wind (lambda () #f)
                     (lambda () (guard (e ((number? e) e)) (raise "text")))
                     (lambda () (display "after "))))
     (raise 'later))))))
(newline)

; A continuation takes as many values as whoever waits for them.
(write (call-with-values (lambda () (call/cc (lambda (k) (k 1 2)))) list)) (newline)
(write (call-with-values (lambda () (call/cc (lambda (k) (k)))) list)) (newline)
(write (call-with-values (lambda () (call/cc (lambda (k) (k '(1))))) list)) (newline)
(let-values (((a . rest) (call/cc (lambda (k) (dynamic-wind (lambda () #f)
                                                            (lambda () (k 1 2 3))
                                                            (lambda () (values 4 5)))))))
  (write (list a rest)))
(newline)
(write (+ 1 (call/cc (lambda (k) (for-each k '(41)))))) (newline)

(write (caught (lambda () (exit 'what)))) (newline)
(write (call/cc (lambda (k)
  (dynamic-wind (lambda () #f) (lambda () (exit 5)) (lambda () (k 'stays))))))
(newline)
