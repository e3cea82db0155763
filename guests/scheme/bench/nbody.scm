; Floats in vectors: planets that attract each other.
(define pi 3.141592653589793)
(define solar-mass (* 4.0 pi pi))
(define year 365.24)
(define (body x y z vx vy vz mass)
  (vector x y z (* vx year) (* vy year) (* vz year) (* mass solar-mass)))
(define bodies
  (list
   (vector 0.0 0.0 0.0 0.0 0.0 0.0 solar-mass)
   (body 4.84143144246472090 -1.16032004402742839 -0.103622044471123109
         0.00166007664274403694 0.00769901118419740425 -0.0000690460016972063023
         0.000954791938424326609)
   (body 8.34336671824457987 4.12479856412430479 -0.403523417114321381
         -0.00276742510726411899 0.00499852801234917238 0.0000230417297573763929
         0.000285885980666130812)
   (body 12.8943695621391310 -15.1111514016986312 -0.223307578892655734
         0.00296460137564761618 0.00237847173959480950 -0.0000296589568540237556
         0.0000436624404335156298)
   (body 15.3796971148509165 -25.9193146099879641 0.179258772950371181
         0.00268067772490389322 0.00162824170038242295 -0.0000951592254519715870
         0.0000515138902046611451)))
(define (add! body i x) (vector-set! body i (+ (vector-ref body i) x)))
(define (attract! a b dt)
  (let* ((dx (- (vector-ref a 0) (vector-ref b 0)))
         (dy (- (vector-ref a 1) (vector-ref b 1)))
         (dz (- (vector-ref a 2) (vector-ref b 2)))
         (squared (+ (* dx dx) (* dy dy) (* dz dz)))
         (magnitude (/ dt (* squared (sqrt squared))))
         (to-a (* (vector-ref b 6) magnitude))
         (to-b (* (vector-ref a 6) magnitude)))
    (add! a 3 (- (* dx to-a)))
    (add! a 4 (- (* dy to-a)))
    (add! a 5 (- (* dz to-a)))
    (add! b 3 (* dx to-b))
    (add! b 4 (* dy to-b))
    (add! b 5 (* dz to-b))))
(define (move! body dt)
  (add! body 0 (* dt (vector-ref body 3)))
  (add! body 1 (* dt (vector-ref body 4)))
  (add! body 2 (* dt (vector-ref body 5))))
(define (advance! dt)
  (let loop ((rest bodies))
    (if (pair? rest)
        (begin
          (for-each (lambda (other) (attract! (car rest) other dt)) (cdr rest))
          (loop (cdr rest)))))
  (for-each (lambda (body) (move! body dt)) bodies))
(define (energy)
  (let loop ((rest bodies) (sum 0.0))
    (if (null? rest)
        sum
        (let* ((a (car rest))
               (speed (+ (square (vector-ref a 3)) (square (vector-ref a 4))
                         (square (vector-ref a 5)))))
          (loop (cdr rest) (+ sum (* 0.5 (vector-ref a 6) speed)))))))
(do ((i 0 (+ i 1))) ((= i 100000)) (advance! 0.01))
(write (quotient (exact (round (* 1e9 (energy)))) 10))
(newline)
