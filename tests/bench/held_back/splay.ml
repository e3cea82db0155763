(* allocation: Splay trees, top down, on immutable nodes: insertions, removals and range sums. *)
type tree = Leaf | Node of tree * int * tree

let rec splay key = function
  | Leaf -> Leaf
  | Node (l, k, r) as tree ->
    if key = k then tree
    else if key < k then
      match l with
      | Leaf -> tree
      | Node (ll, lk, lr) ->
        if key = lk then Node (ll, lk, Node (lr, k, r))
        else if key < lk then (
          match splay key ll with
          | Leaf -> Node (ll, lk, Node (lr, k, r))
          | Node (a, x, b) -> Node (a, x, Node (b, lk, Node (lr, k, r))))
        else (
          match splay key lr with
          | Leaf -> Node (ll, lk, Node (lr, k, r))
          | Node (a, x, b) -> Node (Node (ll, lk, a), x, Node (b, k, r)))
    else
      match r with
      | Leaf -> tree
      | Node (rl, rk, rr) ->
        if key = rk then Node (Node (l, k, rl), rk, rr)
        else if key > rk then (
          match splay key rr with
          | Leaf -> Node (Node (l, k, rl), rk, rr)
          | Node (a, x, b) -> Node (Node (Node (l, k, rl), rk, a), x, b))
        else (
          match splay key rl with
          | Leaf -> Node (Node (l, k, rl), rk, rr)
          | Node (a, x, b) -> Node (Node (l, k, a), x, Node (b, rk, rr)))

let insert key tree =
  match splay key tree with
  | Leaf -> Node (Leaf, key, Leaf)
  | Node (l, k, r) as t ->
    if key = k then t
    else if key < k then Node (l, key, Node (Leaf, k, r))
    else Node (Node (l, k, Leaf), key, r)

let remove key tree =
  match splay key tree with
  | Node (l, k, r) when k = key -> (
    match splay max_int l with
    | Leaf -> r
    | Node (a, x, _) -> Node (a, x, r))
  | t -> t

let rec sum = function Leaf -> 0 | Node (l, k, r) -> sum l + k + sum r
let rec size = function Leaf -> 0 | Node (l, _, r) -> size l + 1 + size r

let () =
  let seed = ref 31 in
  let next () = seed := ((!seed * 1103515245) + 12345) land 0x3fffffff; !seed lsr 10 in
  let tree = ref Leaf in
  for _ = 1 to 15_000 do tree := insert (next ()) !tree done;
  Printf.printf "%d %d\n" (size !tree) (sum !tree);
  let keys = Array.init 15_000 (fun _ -> next ()) in
  Array.iter (fun k -> tree := insert k !tree) keys;
  let found = ref 0 in
  for i = 1 to 350_000 do
    (* Few keys are looked up often. *)
    let k = keys.(i * i mod 97) in
    tree := splay k !tree;
    (match !tree with Node (_, x, _) when x = k -> incr found | _ -> ());
    if i mod 4 = 0 then begin
      let old = keys.(i mod 15_000) in
      keys.(i mod 15_000) <- next ();
      tree := insert keys.(i mod 15_000) (remove old !tree)
    end
  done;
  Printf.printf "%d %d %d\n" !found (size !tree) (sum !tree)
