(* allocation: Allocation and traversal of many trees, with one that lives long. *)
type tree = Leaf | Node of tree * tree

let rec make d = if d = 0 then Node (Leaf, Leaf) else let l = make (d - 1) in Node (l, make (d - 1))
let rec check = function Leaf -> 0 | Node (l, r) -> 1 + check l + check r

let () =
  let max_depth = 16 in
  Printf.printf "stretch %d\n" (check (make (max_depth + 1)));
  let long_lived = make max_depth in
  let d = ref 4 in
  while !d <= max_depth do
    let n = 1 lsl (max_depth - !d + 5) in
    let c = ref 0 in
    for _ = 1 to n do c := !c + check (make !d) done;
    Printf.printf "%d trees of depth %d: %d\n" n !d !c;
    d := !d + 2
  done;
  Printf.printf "long lived %d\n" (check long_lived)
