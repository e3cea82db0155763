; What the programs need to run under Guile.
(use-modules (srfi srfi-1) (srfi srfi-9) (srfi srfi-69))
(define (fold-left function start list)
  (fold (lambda (item result) (function result item)) start list))
(define (square x) (* x x))
(define exact inexact->exact)
