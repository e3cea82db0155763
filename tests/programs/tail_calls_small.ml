(* Tail calls of functions that are small enough to be compiled in place: the stack must not
   grow. *)
let rec even n = if n = 0 then true else odd (n - 1)
and odd n = if n = 0 then false else even (n - 1)
let rec a n acc =
  if n <= 0 then acc
  else if n land 7 = 3 then b (n - 1) (acc + 1)
  else if n land 7 = 5 then c (n-1) acc 2
  else a (n - 2) acc
and b n acc = if n land 1 = 0 then a (n - 1) (acc + 2) else c n acc 1
and c n acc k = if acc > 1000000 then a (n - k) 0 else b (n - k) (acc + k)
let apply f x = f x
let rec loop n = if n = 0 then "done" else apply loop (n - 1)
let rec k1 n k = if n = 0 then k n else k2 (n - 1) (fun x -> k x)
and k2 n k = if n = 0 then k n else k1 (n - 1) k
let rec l1 n f = if n = 0 then f 0 else l2 n f
and l2 n f = l1 (n - 1) (if n land 1 = 0 then f else (fun x -> x + 1))
type t = { mutable st : int; go : t -> int -> int }
let rec m o n = if n = 0 then o.st else (o.st <- o.st + 1; o.go o (n - 1))
let () =
  Printf.printf "%b %d %s\n" (even 400_001) (a 400_000 0) (loop 400_000);
  Printf.printf "%d %d\n" (k1 100000 (fun x -> x)) (l1 400_000 (fun x -> x + 5));
  Printf.printf "%d\n" (m { st = 0; go = m } 400_000)
