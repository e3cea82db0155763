(* Recursion far beyond a native stack's comfort, yet within the default stack limit. *)
let rec sum n = if n = 0 then 0 else n + sum (n - 1)
let rec build n = if n = 0 then [] else n :: build (n - 1)
let rec length = function [] -> 0 | _ :: t -> 1 + length t
let rec map f = function [] -> [] | x :: t -> let y = f x in y :: map f t

type tree = Leaf | Node of tree * tree
let rec left n t = if n = 0 then t else left (n - 1) (Node (t, Leaf))
let rec depth = function Leaf -> 0 | Node (l, r) -> 1 + max (depth l) (depth r)

let rec even n = if n = 0 then true else not (odd n)
and odd n = if n = 0 then false else not (even (n - 1)) |> not

let rec through_handlers n =
  if n = 0 then 0 else try 1 + through_handlers (n - 1) with Not_found -> 0
let rec unwind n = if n = 0 then raise Not_found else 1 + unwind (n - 1)

let rec cps n k = if n = 0 then k 0 else cps (n - 1) (fun r -> k (r + n))

let () =
  Printf.printf "%d\n" (sum 50000);
  let l = build 30000 in
  Printf.printf "%d %d\n" (length l) (List.fold_left ( + ) 0 (map (fun x -> x * 2) l));
  Printf.printf "%d\n" (depth (left 30000 Leaf));
  Printf.printf "%b\n" (even 10001 = odd 10001);
  Printf.printf "%d\n" (through_handlers 20000);
  Printf.printf "%s\n" (try string_of_int (unwind 60000) with Not_found -> "unwound");
  Printf.printf "%d\n" (cps 30000 Fun.id);
  Printf.printf "%d\n" (List.length (List.append l l));
  Printf.printf "%d\n" (List.fold_right ( + ) l 0)
