(* calls: Ackermann's function, McCarthy's 91, binomials and partitions by plain recursion. *)
let rec ack m n =
  if m = 0 then n + 1 else if n = 0 then ack (m - 1) 1 else ack (m - 1) (ack m (n - 1))

let rec mccarthy n = if n > 100 then n - 10 else mccarthy (mccarthy (n + 11))
let rec binomial n k = if k = 0 || k = n then 1 else binomial (n - 1) (k - 1) + binomial (n - 1) k
let rec partitions n most =
  if n = 0 then 1
  else if n < 0 || most = 0 then 0
  else partitions (n - most) most + partitions n (most - 1)
let rec gcd a b = if b = 0 then a else gcd b (a mod b)

let () =
  Printf.printf "%d %d\n" (ack 2 9) (ack 3 8);
  let sum = ref 0 in
  for n = 0 to 3000 do sum := !sum + mccarthy (n mod 110) done;
  Printf.printf "%d\n" !sum;
  Printf.printf "%d\n" (binomial 23 11);
  Printf.printf "%d\n" (partitions 60 60);
  let coprime = ref 0 in
  for a = 1 to 700 do for b = 1 to 700 do if gcd a b = 1 then incr coprime done done;
  Printf.printf "%d\n" !coprime
