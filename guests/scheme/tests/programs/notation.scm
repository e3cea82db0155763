; How numbers and characters can be written, and what `case` does with an arrow.
(write (list #xff #b-101 #o17 #d10 #xAB)) (newline)
(write (list (string->number "#xff") (string->number "#b102") (string->number "#e1"))) (newline)
(write (list #\alarm #\backspace #\delete #\escape #\null #\nul #\space #\x #\x41)) (newline)
(write (list (char->integer #\alarm) (char->integer #\backspace))) (newline)
(write "bell \a, back \b, tab \t") (newline)
(define (kind n)
  (case n
    ((1 2 3) => (lambda (n) (* n 10)))
    ((4) 'four)
    (else => list)))
(write (map kind '(1 4 5))) (newline)
(write (case (car '(c d)) ((a e i o u) 'vowel) ((w y) 'semivowel) (else => (lambda (x) x))))
(newline)
