(* allocation: Streams with Lazy: primes, Hamming's numbers, power series, and a lazy dynamic
   program. *)
type 'a stream = Cons of 'a * 'a stream Lazy.t

let head (Cons (x, _)) = x
let tail (Cons (_, rest)) = Lazy.force rest
let rec from n = Cons (n, lazy (from (n + 1)))
let rec map f (Cons (x, rest)) = Cons (f x, lazy (map f (Lazy.force rest)))
let rec zip f (Cons (x, a)) (Cons (y, b)) = Cons (f x y, lazy (zip f (Lazy.force a) (Lazy.force b)))
let rec filter f (Cons (x, rest)) =
  if f x then Cons (x, lazy (filter f (Lazy.force rest)))
  else filter f (Lazy.force rest)
let rec nth s n = if n = 0 then head s else nth (tail s) (n - 1)
let rec take n s = if n = 0 then [] else head s :: take (n - 1) (tail s)

let rec sieve (Cons (p, rest)) =
  Cons (p, lazy (sieve (filter (fun n -> n mod p <> 0) (Lazy.force rest))))

let rec merge (Cons (x, a) as s) (Cons (y, b) as t) =
  if x < y then Cons (x, lazy (merge (Lazy.force a) t))
  else if x > y then Cons (y, lazy (merge s (Lazy.force b)))
  else Cons (x, lazy (merge (Lazy.force a) (Lazy.force b)))

let rec hamming = lazy (Cons (1, lazy (
  let h = Lazy.force hamming in
  let times k = map (fun n -> n * k) h in
  merge (times 2) (merge (times 3) (times 5)))))

let modulus = 1_000_003
let rec multiply (Cons (x, a)) (Cons (y, b) as t) =
  Cons (x * y mod modulus, lazy (
    zip (fun p q -> (p + q) mod modulus)
      (map (fun v -> x * v mod modulus) (Lazy.force b)) (multiply (Lazy.force a) t)))

let common a b =
  let n = String.length a and m = String.length b in
  let table = Array.make_matrix (n + 1) (m + 1) (lazy 0) in
  for i = 0 to n - 1 do
    for j = 0 to m - 1 do
      table.(i).(j) <-
        lazy
          (if a.[i] = b.[j] then 1 + Lazy.force table.(i + 1).(j + 1)
           else max (Lazy.force table.(i + 1).(j)) (Lazy.force table.(i).(j + 1)))
    done
  done;
  Lazy.force table.(0).(0)

let () =
  Printf.printf "%d\n" (nth (sieve (from 2)) 2200);
  Printf.printf "%d\n" (nth (Lazy.force hamming) 15_000);
  let ones = from 1 in
  let product = multiply ones (multiply ones ones) in
  List.iter (Printf.printf "%d ") (take 6 product);
  Printf.printf "%d\n" (nth product 450);
  let text k = String.init 600 (fun i -> "abcdefgh".[((i * i) + (i * k) + (i / 5)) land 7]) in
  Printf.printf "%d\n" (common (text 3) (text 5))
