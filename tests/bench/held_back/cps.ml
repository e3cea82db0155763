(* calls: Continuation-passing style: factorials, trees, backtracking with success and failure
   continuations. *)
let rec fact n k = if n = 0 then k 1 else fact (n - 1) (fun r -> k (r * n mod 1_000_003))
let rec fib n k = if n < 2 then k n else fib (n - 1) (fun a -> fib (n - 2) (fun b -> k (a + b)))

type tree = Leaf | Node of tree * int * tree

let rec build lo hi =
  if lo > hi then Leaf
  else let m = (lo + hi) / 2 in Node (build lo (m - 1), m, build (m + 1) hi)
let rec sum tree k = match tree with
  | Leaf -> k 0
  | Node (l, v, r) -> sum l (fun a -> sum r (fun b -> k (a + v + b)))

let rec map_k f list k = match list with
  | [] -> k []
  | x :: rest -> f x (fun y -> map_k f rest (fun ys -> k (y :: ys)))

(* Subsets of a list with a given sum: [success] gets each, [failure] goes on. *)
let rec subsets list target chosen success failure =
  if target = 0 then success chosen failure
  else match list with
    | [] -> failure ()
    | x :: rest ->
      if x > target then subsets rest target chosen success failure
      else subsets rest (target - x) (x :: chosen) success
        (fun () -> subsets rest target chosen success failure)

let () =
  let r = ref 0 in
  for i = 1 to 1500 do r := !r + fact i (fun x -> x) done;
  Printf.printf "%d\n" !r;
  Printf.printf "%d\n" (fib 31 (fun x -> x));
  let tree = build 1 100_000 in
  for i = 1 to 6 do r := sum tree (fun x -> x + i) done;
  Printf.printf "%d\n" !r;
  let total = ref 0 in
  for i = 1 to 10_000 do
    total :=
      map_k (fun x k -> k (x * i)) [ 1; 2; 3; 4; 5; 6; 7; 8; 9; 10 ] (fun l ->
          !total + List.fold_left ( + ) 0 l)
  done;
  Printf.printf "%d\n" !total;
  let count = ref 0 in
  subsets (List.init 24 (fun i -> 2 + (i * 3))) 300 []
    (fun _ next -> incr count; next ()) (fun () -> ());
  Printf.printf "%d\n" !count
