(* Mutually recursive functions, closures sharing one environment, and recursive values. *)
let rec even n = if n = 0 then true else odd (n - 1)
and odd n = if n = 0 then false else even (n - 1)

type expr = Num of int | Add of term list
and term = Times of int * expr

let rec eval_expr = function
  | Num n -> n
  | Add terms -> List.fold_left (fun acc t -> acc + eval_term t) 0 terms

and eval_term (Times (k, e)) = k * eval_expr e

let rec show_expr = function
  | Num n -> string_of_int n
  | Add terms -> "(" ^ String.concat " + " (List.map show_term terms) ^ ")"

and show_term (Times (k, e)) = string_of_int k ^ "*" ^ show_expr e

let rec build depth =
  if depth = 0 then Num 3 else Add [ wrap 2 (depth - 1); wrap depth (depth - 1) ]
and wrap k depth = Times (k, build depth)

(* Hofstadter's female and male sequences. *)
let rec f n = if n = 0 then 1 else n - m (f (n - 1))
and m n = if n = 0 then 0 else n - f (m (n - 1))

let machine limit =
  let visits = Array.make 4 0 in
  let rec a n = visits.(0) <- visits.(0) + 1; if n > limit then n else b (n + 1)
  and b n = visits.(1) <- visits.(1) + 1; if n mod 3 = 0 then c (n + 2) else d n 1
  and c n = visits.(2) <- visits.(2) + 1; if n mod 2 = 0 then a (n + 1) else d n 5
  and d n by = visits.(3) <- visits.(3) + 1; a (n + by) in
  let result = a 0 in
  (result, visits)

let rec ones = 1 :: ones
let rec ping = "ping" :: pong
and pong = "pong" :: ping

let rec take n l = if n = 0 then [] else match l with [] -> [] | x :: r -> x :: take (n - 1) r

let () =
  Printf.printf "%b %b %b\n" (even 1000) (odd 7) (even 77);
  let e = build 4 in
  Printf.printf "%s = %d\n" (show_expr (build 2)) (eval_expr e);
  for i = 0 to 20 do Printf.printf "%d/%d " (f i) (m i) done;
  print_newline ();
  let r, v = machine 500 in
  Printf.printf "%d %s\n" r (String.concat " " (Array.to_list (Array.map string_of_int v)));
  Printf.printf "%d\n" (List.fold_left ( + ) 0 (take 10 ones));
  print_endline (String.concat " " (take 5 ping))
